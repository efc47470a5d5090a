"""What is answered: verdicts with their evidence."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import final

from consistency_lab.certify.witness import Witness
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.properties import Property
from consistency_lab.model.surrogates import Surrogate
from consistency_lab.search.effort import Effort
from consistency_lab.theorems.catalogue import Evidence
from consistency_lab.theorems.infeasibility import InfeasibilityProof


class Verdict(StrEnum):
    """The three verdicts."""

    CONSISTENT = "CONSISTENT"
    INCONSISTENT = "INCONSISTENT"
    UNDECIDED = "UNDECIDED"


@final
@dataclass(frozen=True)
class Answer:
    """The verdict on one condition, with its evidence.

    Parameters
    ----------
    condition
        The noise condition.
    verdict
        The verdict.
    scope
        For which numbers of items it holds, in words.
    reason
        One sentence: the evidence, or what was searched.
    citation
        The source of a theorem, or "".
    witness
        The accepted witness of an inconsistency.
    evidence
        The checked theorem.
    """

    condition: str
    verdict: Verdict
    scope: str
    reason: str
    citation: str = ""
    witness: Witness | None = None
    evidence: Evidence | None = None
    proof: InfeasibilityProof | None = None


@final
@dataclass(frozen=True)
class Decision:
    """All answers about one surrogate.

    Parameters
    ----------
    surrogate
        What was asked about.
    properties
        What is known of its scalar function.
    answers
        One for each condition asked, in the order of the conditions.
    universal
        A second witness at which no convex phi with phi'(0) < 0 has the right order, if there is one.
    strict
        A strict inversion with more items, where the smallest witness is only a tie.
    effort
        What the searches cost.
    """

    surrogate: Surrogate
    properties: Mapping[str, Property]
    answers: tuple[Answer, ...]
    universal: Witness | None
    strict: Witness | None
    effort: Effort

    @property
    def verdict(self) -> Verdict:
        """Over all conditions asked: any inconsistency, else anything undecided, else consistent."""
        found = {answer.verdict for answer in self.answers}
        for verdict in (Verdict.INCONSISTENT, Verdict.UNDECIDED):
            if verdict in found:
                return verdict
        return Verdict.CONSISTENT

    @property
    def witnesses(self) -> tuple[Witness, ...]:
        """The different witnesses, smallest condition first, then a strict one, the universal one last."""
        found: dict[object, Witness] = {}
        for witness in (*(answer.witness for answer in self.answers), self.strict, self.universal):
            if witness is not None:
                found.setdefault(witness.document["digest"], witness)
        return tuple(found.values())


@final
@dataclass(frozen=True)
class ProfileDecision:
    """The verdict on a surrogate at one given distribution.

    Parameters
    ----------
    verdict
        INCONSISTENT: the minimizer certainly ranks wrongly here. CONSISTENT: it certainly ranks rightly
        here, which says nothing about other distributions.
    reason
        One sentence.
    witness
        The accepted document, for either verdict.
    """

    surrogate: Surrogate
    distribution: Distribution
    verdict: Verdict
    reason: str
    witness: Witness | None
    notes: tuple[str, ...] = field(default=())
