"""What the theorem book is made of: statements, the evidence for them, and false variants that must fail."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import final


class Kind(StrEnum):
    """Kinds of evidence, never mixed up; the value is what a table shows.

    What covers every m at once is an argument in words: the machine checks the lines of algebra in it, and no
    more. So it is not called a proof of the machine's.
    """

    PROOF_ALL_M = "hand proof with machine-checked lines"
    PROOF_THIS_M = "proof (this m)"
    CERTIFICATE = "certificate"
    TEST = "test"


class Outcome(StrEnum):
    """What a check found."""

    HOLDS = "holds"
    REFUTED = "refuted"
    OPEN = "open"


@final
@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was checked on the way to an outcome.

    Parameters
    ----------
    claim
        What was checked, a short sentence.
    kind
        The kind of evidence for it.
    scope
        For which m, h, phi it was checked, such as "all m", "m <= 6", "h = a".
    how
        How it was checked, one sentence with the numbers.
    details
        Lines of readable mathematics: the system, the multipliers, the contradiction. Shown by --explain.
    """

    claim: str
    kind: Kind
    scope: str
    how: str
    details: tuple[str, ...] = ()


@final
@dataclass(frozen=True, slots=True)
class Checked:
    """The outcome of checking a statement, with its findings.

    Parameters
    ----------
    outcome
        HOLDS only if every finding stands; a statement that is only tested says so in its kind.
    kind
        The kind of evidence for the statement as a whole: the weakest that it needs.
    scope
        For which m, h, phi the statement as a whole was checked.
    findings
        What was checked.
    remarks
        Slips in the printed text, hypotheses that are missing or not needed, one sentence each.
    """

    outcome: Outcome
    kind: Kind
    scope: str
    findings: tuple[Finding, ...]
    remarks: tuple[str, ...] = ()


@final
@dataclass(frozen=True, slots=True)
class Refutation:
    """Why a false variant is false.

    Parameters
    ----------
    refuted
        Whether a counterexample was found and checked exactly.
    witness
        The counterexample in words and numbers.
    """

    refuted: bool
    witness: str


@final
@dataclass(frozen=True, slots=True)
class FalseVariant:
    """A deliberately false statement next to a true one: checking it must find a counterexample.

    Parameters
    ----------
    statement
        The false statement, one sentence.
    refute
        Looks for the counterexample the same way the true statement is checked.
    """

    statement: str
    refute: Callable[[], Refutation]


@final
@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of the book.

    Parameters
    ----------
    name
        What the command line calls it, such as "lemma-10".
    title
        What a table calls it, such as "DMJ10 Lemma 10".
    latex
        The statement in LaTeX.
    plain
        The statement in one plain sentence.
    hypotheses
        Its hypotheses, in LaTeX.
    citation
        Its source; "ours" for statements that this project adds.
    check
        Checks it, in seconds.
    variants
        False variants; every statement that is checked by proof or certificate has at least one.
    claimed
        The outcome that the book expects: HOLDS for theorems; strengthenings may be REFUTED or OPEN.
    files
        Stored evidence, names in book/data or counterexamples.
    """

    name: str
    title: str
    latex: str
    plain: str
    hypotheses: tuple[str, ...]
    citation: str
    check: Callable[[], Checked]
    variants: tuple[FalseVariant, ...] = ()
    claimed: Outcome = Outcome.HOLDS
    files: tuple[str, ...] = ()
    symbols: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
