"""Questions in real arithmetic, written in SMT-LIB and decided by z3.

Each question is a file in book/data that any SMT solver reads. Before z3 is asked, the file is compared
with what the code derives from the statement, so that the question that is answered is the right one.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from consistency_lab.book.polynomials import Polynomial
from consistency_lab.book.stored import FOLDER
from consistency_lab.errors import InputError

UNSAT: Final = "unsat"
SAT: Final = "sat"

_TIMEOUT: Final = 20_000
"""Milliseconds; the questions of the book take less than a tenth of a second each."""

Claim = tuple[Polynomial, str, Polynomial]
"""(left, relation, right), the relation one of =, <, <=, >, >=."""


def claim(text: str) -> Claim:
    """Read "left relation right".

    Examples
    --------
    >>> left, relation, right = claim("h23*(h12+h13) < h31*h12")
    >>> relation, str(right)
    ('<', 'h12*h31')
    """
    for relation in ("<=", ">=", "<", ">", "="):
        left, found, right = text.partition(f" {relation} ")
        if found:
            return Polynomial.parse(left.strip()), relation, Polynomial.parse(right.strip())
    raise InputError(f"{text!r} has no relation; write one of <=, >=, <, >, = between blanks")


def question(title: str, claims: Sequence[str], *, none_of: Sequence[str] = ()) -> str:
    """The question whether real numbers exist that fulfil all claims, and not all of `none_of`, as SMT-LIB.

    Parameters
    ----------
    title
        What an answer "unsat" says; it becomes the comment at the top.
    claims
        As `claim` reads them.
    none_of
        What follows from the claims if there are no such numbers.

    Examples
    --------
    >>> print(question("a square is not negative", ["x*x < 0"]))
    ; a square is not negative
    (set-logic QF_NRA)
    (declare-const x Real)
    (assert (< (* x x) 0))
    (check-sat)
    <BLANKLINE>
    """
    read = [claim(text) for text in claims]
    denied = [claim(text) for text in none_of]
    symbols = sorted({s for left, _, right in (*read, *denied) for s in left.symbols() | right.symbols()})
    lines = [f"; {line}" for line in title.splitlines()]
    lines.append("(set-logic QF_NRA)")
    lines += [f"(declare-const {symbol} Real)" for symbol in symbols]
    lines += [f"(assert {_written(one)})" for one in read]
    if denied:
        lines.append(f"(assert (not (and {' '.join(map(_written, denied))})))")
    return "\n".join([*lines, "(check-sat)", ""])


def _written(one: Claim) -> str:
    left, relation, right = one
    return f"({relation} {left.smt()} {right.smt()})"


def answer(text: str) -> str:
    """What z3 says to a question in SMT-LIB: "sat", "unsat" or "unknown".

    Examples
    --------
    >>> answer(question("a square is not negative", ["x*x < 0"]))
    'unsat'
    """
    from z3 import Solver

    solver = Solver()
    solver.set("timeout", _TIMEOUT)
    solver.from_string(text)
    return str(solver.check())


def stored_question(name: str, folder: Path = FOLDER) -> str:
    """The text of a question in book/data.

    Raises
    ------
    InputError
        If there is no such file.
    """
    try:
        return (folder / name).read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"the question {name} cannot be read: {error.strerror}") from None


def confirmed(name: str, derived: str, expected: str = UNSAT, folder: Path = FOLDER) -> bool:
    """Whether the stored question is the derived one, and z3 gives the expected answer to it."""
    text = stored_question(name, folder)
    return text == derived and answer(text) == expected


def all_confirmed(questions: Iterable[tuple[str, str]], folder: Path = FOLDER) -> bool:
    """Whether z3 says "unsat" to each of these (name of the file, derived text)."""
    return all(confirmed(name, derived, folder=folder) for name, derived in questions)
