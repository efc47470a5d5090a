"""What the theorem book is made of: statements, the evidence for them, and false variants."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from enum import StrEnum
from fractions import Fraction
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Final, TypeVar

from consistency_lab.core.inequalities import check_farkas
from consistency_lab.errors import RejectedError
from consistency_lab.exact import rational
from consistency_lab.files import read_json
from consistency_lab.frozen import frozen

Size = TypeVar("Size")

# --- What the theorem book is made of --------------------------------------------------------------------
# Statements, the evidence for them, and false variants that must fail.


class Kind(StrEnum):
    """Kinds of evidence, never mixed up; the value is what a table shows.

    What covers every m at once is an argument in words: the machine checks the lines of algebra in it, and no
    more. So it is not called a proof of the machine's.
    """

    PROOF_ALL_M = "hand proof with machine-checked lines"
    PROOF_THIS_M = "proof (this m)"
    CERTIFICATE = "certificate"
    TEST = "test"

    def step(self, claim: str, scope: str, how: str, *shown: "Line | str | bool") -> "Step":
        """A finding of this kind with the lines of its argument, and what else confirms it.

        It stands if every checked line holds, and every truth value among them, which is not shown.

        Examples
        --------
        >>> Kind.TEST.step("1 < 2", "one case", "by counting", "so it is", 1 < 2).stands
        True
        """
        listed = [one for one in shown if isinstance(one, Line | str)]
        stands = all(one.holds if isinstance(one, Line) else one for one in shown if not isinstance(one, str))
        return Step(stands, Finding(claim, self, scope, how, tuple(map(str, listed))))

    def drawn(
        self,
        claim: str,
        scope: str,
        how: str,
        holds: Callable[[Random, Size], bool | None],
        sizes: Iterable[Size],
        each: int,
        seed: int,
        *shown: "Line | str | bool",
    ) -> "Step":
        """A finding of this kind that `holds` in random cases, `each` of every size; None leaves one out.

        The "{}" in `how` becomes in how many of them it holds, such as "36 of 36".
        """
        rng = Random(seed)
        found = [one for size in sizes for _ in range(each) if (one := holds(rng, size)) is not None]
        counted = how.replace("{}", f"{sum(found)} of {len(found)}")
        return self.step(claim, scope, counted, *shown, bool(found), all(found))

    def check(
        self, scope: str, steps: "Callable[[], Sequence[Step]]", *remarks: str
    ) -> "Callable[[], Checked]":
        """A check of this kind that takes these steps."""
        return lambda: concluded(self, scope, steps(), remarks)


class Outcome(StrEnum):
    """What a check found."""

    HOLDS = "holds"
    REFUTED = "refuted"
    OPEN = "open"


@frozen
class Finding:
    """One thing that was checked on the way to an outcome."""

    claim: str  #: What was checked, a short sentence.
    kind: Kind  #: The kind of evidence for it.
    scope: str  #: For which m, h, phi it was checked, such as "all m", "m <= 6", "h = a".
    how: str  #: How it was checked, one sentence with the numbers.
    #: Lines of readable mathematics: the system, the multipliers, the contradiction. Shown by --explain.
    details: tuple[str, ...] = ()


@frozen
class Checked:
    """The outcome of checking a statement, with its findings."""

    #: HOLDS only if every finding stands; a statement that is only tested says so in its kind.
    outcome: Outcome
    kind: Kind  #: The kind of evidence for the statement as a whole: the weakest that it needs.
    scope: str  #: For which m, h, phi the statement as a whole was checked.
    findings: tuple[Finding, ...]  #: What was checked.
    #: Slips in the printed text, hypotheses that are missing or not needed, one sentence each.
    remarks: tuple[str, ...] = ()


@frozen
class Refutation:
    """Why a false variant is false."""

    refuted: bool  #: Whether a counterexample was found and checked exactly.
    witness: str  #: The counterexample in words and numbers.


@frozen
class FalseVariant:
    """A deliberately false statement next to a true one: checking it must find a counterexample."""

    statement: str  #: The false statement, one sentence.
    #: Looks for the counterexample the same way the true statement is checked.
    refute: Callable[[], Refutation]


def false(statement: str) -> Callable[[Callable[[], Refutation]], FalseVariant]:
    """Say above the search for a counterexample which false statement it refutes."""
    return lambda refute: FalseVariant(statement, refute)


@frozen
class Statement:
    """One statement of the book."""

    latex: str  #: The statement in LaTeX.
    plain: str  #: The statement in one plain sentence.
    hypotheses: tuple[str, ...]  #: Its hypotheses, in LaTeX.
    citation: str  #: Its source; "ours" for statements that this project adds.
    check: Callable[[], Checked]  #: Checks it, in seconds.
    #: False variants; every statement that is checked by proof or certificate has at least one.
    variants: tuple[FalseVariant, ...] = ()
    #: The outcome that the book expects: HOLDS for theorems; strengthenings may be REFUTED or OPEN.
    claimed: Outcome = Outcome.HOLDS
    files: tuple[str, ...] = ()  #: Stored evidence, names in book/data or counterexamples.
    symbols: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    #: What the command line and a table call it, such as "lemma-10" and "DMJ10 Lemma 10"; from `book.BOOK`.
    name: str = ""
    title: str = ""


# --- The steps of a check --------------------------------------------------------------------------------
# Findings, each with whether it stands, and the outcome that follows from them.


@frozen
class Step:
    """A finding, and whether what it claims was confirmed."""

    stands: bool
    finding: Finding


@frozen
class Line:
    """One line of a proof."""

    text: str  #: The line, in readable mathematics.
    holds: bool  #: Whether it was confirmed.

    def __str__(self) -> str:
        return f"{'✓' if self.holds else '✗'} {self.text}"


Lines = list[Line | str]
"""Checked lines, and lines of text that join them."""


def concluded(kind: Kind, scope: str, steps: Sequence[Step], remarks: Sequence[str] = ()) -> Checked:
    """HOLDS if every step stands; otherwise the statement is open, and the steps that fell say so.

    Examples
    --------
    >>> fallen = Kind.TEST.step("1 = 2", "one case", "compared", False)
    >>> checked = concluded(Kind.TEST, "one case", [fallen])
    >>> checked.outcome.value, checked.findings[0].claim
    ('open', 'not confirmed: 1 = 2')
    """
    outcome = Outcome.HOLDS if steps and all(step.stands for step in steps) else Outcome.OPEN
    findings = tuple(
        step.finding if step.stands else replace(step.finding, claim=f"not confirmed: {step.finding.claim}")
        for step in steps
    )
    return Checked(outcome, kind, scope, findings, tuple(remarks))


def excluded(
    rows: Sequence[Sequence[Fraction]],
    right: Sequence[Fraction],
    y: Sequence[Fraction],
    equal: Sequence[Sequence[Fraction]] = (),
    z: Sequence[Fraction] = (),
) -> bool:
    """Whether the core accepts that the multipliers y and z exclude A x <= b, E x = 0 for x >= 0.

    Examples
    --------
    >>> excluded([[Fraction(1)]], [Fraction(-1)], [Fraction(1)])
    True
    """
    try:
        check_farkas(rows, right, equal, [Fraction(0)] * len(equal), y, z)
    except RejectedError:
        return False
    return True


# --- Stored evidence: the JSON files in book/data, read strictly -----------------------------------------
# What is not of the right form, or not accepted by the core, raises a RejectedError.

FOLDER: Final = Path(__file__).parent / "data"


def stored(name: str, folder: Path = FOLDER) -> Mapping[str, object]:
    """The JSON object in a file of book/data."""
    document = read_json(folder / name)
    if not isinstance(document, dict):
        raise RejectedError(f"{name} is not a JSON object")
    return document


def entries(document: Mapping[str, object], key: str) -> list[Mapping[str, object]]:
    """The list of objects under a key."""
    found = document.get(key)
    if not isinstance(found, list) or not all(isinstance(entry, dict) for entry in found):
        raise RejectedError(f"the stored evidence has no list of objects called {key!r}")
    return found


def fractions(entry: Mapping[str, object], key: str) -> tuple[Fraction, ...]:
    """The list of rationals, written as texts, under a key.

    Examples
    --------
    >>> fractions({"y": ["1/2", "0"]}, "y")
    (Fraction(1, 2), Fraction(0, 1))
    """
    found = entry.get(key)
    if not isinstance(found, list) or not all(isinstance(value, str) for value in found):
        raise RejectedError(f"the stored evidence has no list of rationals called {key!r}")
    return tuple(rational(value, key) for value in found)
