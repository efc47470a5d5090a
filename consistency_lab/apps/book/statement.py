"""What the theorem book is made of: statements, the evidence for them, and false variants."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from enum import StrEnum
from fractions import Fraction
from functools import cache
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Final, TypeVar

from consistency_lab.core.inequalities import check_farkas
from consistency_lab.errors import RejectedError
from consistency_lab.files import read_json
from consistency_lab.frozen import frozen

Size = TypeVar("Size")

_WIDTH: Final = 94

# --- What the theorem book is made of --------------------------------------------------------------------
# Statements, the evidence for them, and false variants that must fail.


class Kind(StrEnum):
    """Kinds of evidence, the weakest first. They are never typed: what a step holds and what ran decides."""

    TEST = "test"  #: Cases were tried.
    HAND = "hand"  #: An argument in words; the machine checks the lines of algebra in it, and no more.
    MACHINE = "machine"  #: Exact checks and certificates alone.
    FORMAL = "formal"  #: Proved in Coq, from the definitions.


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
    lines: int = 0  #: How many of them the machine checked.
    cases: int = 0  #: How many cases were tried.
    needed: bool = True  #: Whether the statement rests on it; if not, it confirms what the others prove.


@frozen
class Formal:
    """A theorem of formal/, as its record has it."""

    theorem: str  #: Its name in Coq.
    file: str  #: Its file in formal/.
    statement: str  #: What it says, as Coq prints it.
    axioms: tuple[str, ...]  #: What it rests on.


@frozen
class Checked:
    """The outcome of checking a statement, with its findings."""

    #: HOLDS only if every finding stands; a statement that is only tested says so in its kind.
    outcome: Outcome
    scope: str  #: For which m, h, phi the statement as a whole was checked.
    findings: tuple[Finding, ...]  #: What was checked.
    #: Slips in the printed text, hypotheses that are missing or not needed, one sentence each.
    remarks: tuple[str, ...] = ()
    formal: tuple[Formal, ...] = ()  #: What Coq proves of it.
    part: str = ""  #: The part that Coq proves; "" for the whole.

    @property
    def kind(self) -> Kind | None:
        """The kind of evidence for the statement as a whole, the weakest that it needs; None if open."""
        kinds = [finding.kind for finding in self.findings if finding.needed]
        return min(kinds, key=list(Kind).index) if kinds and self.outcome is not Outcome.OPEN else None

    @property
    def label(self) -> str:
        """The kind with its count, and which part is formal; "" if it is open."""
        if self.kind is None:
            return ""
        needed = [finding for finding in self.findings if finding.needed]
        counted = {
            Kind.TEST: f", {_counted(sum(one.cases for one in needed), 'case')}",
            Kind.HAND: f", {_counted(sum(one.lines for one in needed), 'line')} checked",
        }
        own = self.kind + counted.get(self.kind, "")
        return f"{own}; formal: {self.part}" if self.part else own


def _counted(number: int, unit: str) -> str:
    return f"{number} {unit}{'' if number == 1 else 's'}"


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
    text: str = ""  #: What its page says, from its heading on.


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
    below: tuple[str, ...] = ()  #: Lines that show what was confirmed.

    def __str__(self) -> str:
        return f"{'✓' if self.holds else '✗'} {self.text}"


Lines = list[Line | str]
"""Checked lines, and lines of text that join them."""


@frozen
class Cases:
    """Cases that were tried."""

    held: int  #: In how many what is claimed holds.
    tried: int  #: How many there were.

    @property
    def holds(self) -> bool:
        """Whether it holds in all of them, and there were some."""
        return self.held == self.tried > 0

    def __str__(self) -> str:
        return f"{self.held} of {self.tried}"


def step(claim: str, scope: str, how: str, *shown: Line | Cases | str | bool) -> Step:
    """A finding, of the kind that it shows: a test with cases, by hand with text, else the machine's.

    It stands if every checked line holds, every case, and every truth value, which is not shown. The "{}" in
    `how` becomes in how many cases it holds, such as "36 of 36".
    """
    tried = [one for one in shown if isinstance(one, Cases)]
    checked = [one for one in shown if isinstance(one, Line)]
    exact = bool(shown) and not any(isinstance(one, str) for one in shown)
    details = [line for one in shown if isinstance(one, Line | str) for line in (str(one), *_below(one))]
    kind = Kind.TEST if tried else Kind.MACHINE if exact else Kind.HAND
    stands = all(
        one.holds if isinstance(one, Line | Cases) else one for one in shown if not isinstance(one, str)
    )
    how = how.replace("{}", str(tried[0])) if tried else how
    cases = sum(one.tried for one in tried)
    return Step(stands, Finding(claim, kind, scope, how, tuple(details), len(checked), cases))


def _below(one: Line | str) -> tuple[str, ...]:
    return one.below if isinstance(one, Line) else ()


def tried(holds: Callable[[Random, Size], bool | None], sizes: Iterable[Size], each: int, seed: int) -> Cases:
    """In how many random cases it holds, `each` of every size; None leaves one out."""
    rng = Random(seed)
    found = [one for size in sizes for _ in range(each) if (one := holds(rng, size)) is not None]
    return Cases(sum(found), len(found))


def also(found: Step) -> Step:
    """A step that confirms what the others prove, so that the kind of the statement is theirs."""
    return Step(found.stands, replace(found.finding, needed=False))


def check(scope: str, steps: Callable[[], Sequence[Step]], *remarks: str) -> Callable[[], Checked]:
    """A check that takes these steps."""
    return lambda: concluded(scope, steps(), remarks)


def concluded(scope: str, steps: Sequence[Step], remarks: Sequence[str] = ()) -> Checked:
    """HOLDS if every step stands; otherwise the statement is open, and the steps that fell say so."""
    outcome = Outcome.HOLDS if steps and all(one.stands for one in steps) else Outcome.OPEN
    findings = tuple(
        one.finding if one.stands else replace(one.finding, claim=f"not confirmed: {one.finding.claim}")
        for one in steps
    )
    return Checked(outcome, scope, findings, tuple(remarks))


def excluded(
    rows: Sequence[Sequence[Fraction]],
    right: Sequence[Fraction],
    y: Sequence[Fraction],
    equal: Sequence[Sequence[Fraction]] = (),
    z: Sequence[Fraction] = (),
) -> bool:
    """Whether the core accepts that the multipliers y and z exclude A x <= b, E x = 0 for x >= 0."""
    try:
        check_farkas(rows, right, equal, [Fraction(0)] * len(equal), y, z)
    except RejectedError:
        return False
    return True


# --- What is stored: the JSON files in book/data, read strictly ------------------------------------------

FOLDER: Final = Path(__file__).parent / "data"


@cache
def stored(name: str, folder: Path = FOLDER) -> Mapping[str, object]:
    """The JSON object in a file of book/data, which a process reads once."""
    document = read_json(folder / name)
    if not isinstance(document, dict):
        raise RejectedError(f"{name} is not a JSON object")
    return document
