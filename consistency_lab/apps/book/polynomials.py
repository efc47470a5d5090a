"""Algebra of the statements: polynomials with rational coefficients, SymPy's identities, SMT-LIB."""

import ast
import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from importlib import import_module
from math import prod
from pathlib import Path
from typing import Any, Final, final

from consistency_lab.apps.book.statement import FOLDER, Line
from consistency_lab.errors import InputError
from consistency_lab.frozen import frozen, frozen_with_cache

# --- Polynomials with rational coefficients in named symbols: exact, and small enough to read ------------
# Multipliers that hold for every h at once are polynomials in h. They are stored as text such as
# "h23*(h12+h13)"; a text with nonnegative symbols and nonnegative coefficients shows its sign.

Monomial = tuple[tuple[str, int], ...]
"""Symbols with their powers, sorted by symbol; () for 1."""

_LONGEST: Final = 1000
_MAX_POWER: Final = 6
_SYMBOL: Final = re.compile(r"[A-Za-z]\w*", re.ASCII)


@frozen
class Polynomial:
    """A polynomial in normal form, so that equal polynomials are equal objects."""

    #: Pairs (monomial, coefficient) sorted by monomial, without zeros.
    terms: tuple[tuple[Monomial, Fraction], ...]

    @staticmethod
    def of(terms: Iterable[tuple[Monomial, Fraction]]) -> "Polynomial":
        """Add up terms."""
        total: dict[Monomial, Fraction] = {}
        for monomial, coefficient in terms:
            total[monomial] = total.get(monomial, Fraction(0)) + coefficient
        return Polynomial(tuple(sorted((m, c) for m, c in total.items() if c)))

    @staticmethod
    def number(value: Fraction | int) -> "Polynomial":
        """A constant."""
        return Polynomial.of([((), Fraction(value))])

    @staticmethod
    def parse(text: str) -> "Polynomial":
        """Read sums, differences, products and powers of symbols and whole numbers; nothing is evaluated."""
        if len(text) > _LONGEST:
            raise InputError(f"the polynomial has {len(text)} characters; at most {_LONGEST} are read")
        try:
            tree = ast.parse(text, mode="eval").body
        except (SyntaxError, ValueError):
            raise InputError(f"{text[:60]!r} is not a polynomial such as 'h23*(h12+h13)'") from None
        return _read(tree, text)

    def __add__(self, other: "Polynomial") -> "Polynomial":
        return Polynomial.of([*self.terms, *other.terms])

    def __neg__(self) -> "Polynomial":
        return Polynomial(tuple((m, -c) for m, c in self.terms))

    def __sub__(self, other: "Polynomial") -> "Polynomial":
        return self + -other

    def __mul__(self, other: "Polynomial") -> "Polynomial":
        return Polynomial.of((_times(m, n), c * d) for m, c in self.terms for n, d in other.terms)

    def __bool__(self) -> bool:
        return bool(self.terms)

    def symbols(self) -> frozenset[str]:
        """The symbols in it."""
        return frozenset(name for monomial, _ in self.terms for name, _ in monomial)

    def is_nonnegative(self) -> bool:
        """Whether every coefficient is positive, so that it is at least 0 for nonnegative symbols."""
        return all(c > 0 for _, c in self.terms)

    def at(self, values: Mapping[str, "Polynomial"]) -> "Polynomial":
        """The polynomial with polynomials in place of some symbols."""
        total = Polynomial(())
        for monomial, coefficient in self.terms:
            product = Polynomial.number(coefficient)
            for name, power in monomial:
                factor = values[name] if name in values else _symbol(name)
                for _ in range(power):
                    product = product * factor
            total = total + product
        return total

    def value(self, values: Mapping[str, Fraction]) -> Fraction:
        """Its value where every symbol has one."""
        missing = sorted(self.symbols() - set(values))
        if missing:
            raise InputError(f"there is no value for {missing[0]}")
        return sum((c * prod(values[name] ** power for name, power in m) for m, c in self.terms), Fraction(0))

    def smt(self) -> str:
        """As an SMT-LIB term over the reals."""
        products = []
        for monomial, c in self.terms:
            names = [name for name, power in monomial for _ in range(power)]
            products.append(_joined("*", names if c == 1 and names else [_number(c), *names]))
        return _joined("+", products)

    def __str__(self) -> str:
        text = ""
        for monomial, c in self.terms:
            factors = [name if power == 1 else f"{name}**{power}" for name, power in monomial]
            size = [] if abs(c) == 1 and factors else [str(abs(c))]
            text += ("-" if c < 0 else "+" if text else "") + "*".join([*size, *factors])
        return text or "0"


@frozen_with_cache
class Formula:
    """A polynomial as somebody wrote it, with its brackets."""

    text: str  #: As `Polynomial.parse` reads it.

    @cached_property
    def polynomial(self) -> Polynomial:
        """Its normal form."""
        return Polynomial.parse(self.text)

    @property
    def readable(self) -> str:
        """With dots between factors and blanks around signs."""
        spaced = re.sub(r"(?<=[\w)])([+-])", r" \1 ", self.text.replace(" ", ""))
        return spaced.replace("**2", "²").replace("*", "·").replace("-", "−")


def _symbol(name: str) -> Polynomial:
    return Polynomial(((((name, 1),), Fraction(1)),))


def _times(left: Monomial, right: Monomial) -> Monomial:
    powers = dict(left)
    for name, power in right:
        powers[name] = powers.get(name, 0) + power
    return tuple(sorted(powers.items()))


def _read(tree: ast.expr, text: str) -> Polynomial:
    match tree:
        case ast.BinOp(left, ast.Add(), right):
            return _read(left, text) + _read(right, text)
        case ast.BinOp(left, ast.Sub(), right):
            return _read(left, text) - _read(right, text)
        case ast.BinOp(left, ast.Mult(), right):
            return _read(left, text) * _read(right, text)
        case ast.BinOp(base, ast.Pow(), ast.Constant(int(power))) if 1 <= power <= _MAX_POWER:
            found = factor = _read(base, text)
            for _ in range(power - 1):
                found = found * factor
            return found
        case ast.UnaryOp(ast.USub(), operand):
            return -_read(operand, text)
        case ast.Constant(int(number)) if not isinstance(number, bool):
            return Polynomial.number(number)
        case ast.Name(name) if _SYMBOL.fullmatch(name):
            return _symbol(name)
    raise InputError(f"{text[:60]!r} is not a polynomial such as 'h23*(h12+h13)'")


def _number(value: Fraction) -> str:
    size = str(abs(value)) if value.denominator == 1 else f"(/ {abs(value.numerator)} {value.denominator})"
    return f"(- {size})" if value < 0 else size


def _joined(operator: str, parts: list[str]) -> str:
    if not parts:
        return "0"
    return parts[0] if len(parts) == 1 else f"({operator} {' '.join(parts)})"


# --- SymPy ----------------------------------------------------------------


@final
class _SymPy:
    """SymPy, imported with the first line of algebra: statements are listed without it."""

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module("sympy"), name)


sp: Final = _SymPy()


# --- Questions in real arithmetic, written in SMT-LIB and decided by z3 ----------------------------------
# Each question is a file in book/data that any SMT solver reads. Before z3 is asked, the file is compared
# with what the code derives from the statement, so that the question that is answered is the right one.

UNSAT: Final = "unsat"
SAT: Final = "sat"

_TIMEOUT: Final = 20_000
"""Milliseconds; the questions of the book take less than a tenth of a second each."""

Claim = tuple[Polynomial, str, Polynomial]
"""(left, relation, right), the relation one of =, <, <=, >, >=."""


def claim(text: str) -> Claim:
    """Read "left relation right"."""
    for relation in ("<=", ">=", "<", ">", "="):
        left, found, right = text.partition(f" {relation} ")
        if found:
            return Polynomial.parse(left.strip()), relation, Polynomial.parse(right.strip())
    raise InputError(f"{text!r} has no relation; write one of <=, >=, <, >, = between blanks")


def question(title: str, claims: Sequence[str], *, none_of: Sequence[str] = ()) -> str:
    """Whether real numbers fulfil all claims, and not all of `none_of`, as a question in SMT-LIB."""
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
    """What z3 says to a question in SMT-LIB: "sat", "unsat" or "unknown"."""
    from z3 import Solver, set_param

    # In the order of their declarations the questions take milliseconds; in z3's own order two of them take
    # 10 s each.
    set_param("nlsat.reorder", False)
    solver = Solver()
    solver.set("timeout", _TIMEOUT)
    solver.from_string(text)
    return str(solver.check())


def stored_question(name: str, folder: Path = FOLDER) -> str:
    """The text of a question in book/data."""
    try:
        return (folder / name).read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"the question {name} cannot be read: {error.strerror}") from None


def impossible(*words: str) -> Line:
    """The line that follows since no real numbers fulfill some claims, by z3: "x² ≥ 0; x*x < 0"."""
    text, _, claims = ", ".join(words).partition("; ")
    return Line(f"    {text}", answer(question(text, claims.split(", "))) == UNSAT)


def confirmed(name: str, derived: str, expected: str = UNSAT, folder: Path = FOLDER) -> bool:
    """Whether the stored question is the derived one, and z3 gives the expected answer to it."""
    text = stored_question(name, folder)
    return text == derived and answer(text) == expected
