"""What is answered: verdicts with their evidence."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Generic, Protocol, TypeVar, final

from consistency_lab.certify.minimizers import Minimizers
from consistency_lab.certify.witness import Witness
from consistency_lab.errors import ConsistencyLabError
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.properties import Property
from consistency_lab.model.surrogates import Surrogate
from consistency_lab.search.effort import Effort
from consistency_lab.theorems.catalogue import Evidence
from consistency_lab.theorems.infeasibility import InfeasibilityProof


class _Documented(Protocol):
    @property
    def document(self) -> Mapping[str, object]: ...


_Witness = TypeVar("_Witness", bound=_Documented)
_Proof = TypeVar("_Proof")


class Verdict(StrEnum):
    """The three verdicts."""

    CONSISTENT = "CONSISTENT"
    INCONSISTENT = "INCONSISTENT"
    UNDECIDED = "UNDECIDED"


@final
@dataclass(frozen=True)
class Answer(Generic[_Witness, _Proof]):
    """The verdict on one condition, with its evidence.

    Parameters
    ----------
    condition
        The noise condition.
    verdict
        The verdict.
    scope
        For which sizes it holds, in words.
    reason
        One sentence: the evidence, or what was searched.
    citation
        The source of a theorem, or "".
    witness
        The accepted witness of an inconsistency.
    evidence
        The checked theorem.
    proof
        The exact infeasibility proof.
    """

    condition: str
    verdict: Verdict
    scope: str
    reason: str
    citation: str = ""
    witness: _Witness | None = None
    evidence: Evidence | None = None
    proof: _Proof | None = None


def overall(answers: Iterable[Answer[_Witness, _Proof]]) -> Verdict:
    """Over several conditions: any inconsistency, else anything undecided, else consistent.

    Examples
    --------
    >>> answers = [Answer("any", verdict, "", "") for verdict in (Verdict.CONSISTENT, Verdict.UNDECIDED)]
    >>> str(overall(answers))
    'UNDECIDED'
    """
    found = {answer.verdict for answer in answers}
    for verdict in (Verdict.INCONSISTENT, Verdict.UNDECIDED):
        if verdict in found:
            return verdict
    return Verdict.CONSISTENT


def different(witnesses: Iterable[_Witness | None]) -> tuple[_Witness, ...]:
    """The witnesses that there are, none twice."""
    found: dict[object, _Witness] = {}
    for witness in witnesses:
        if witness is not None:
            found.setdefault(witness.document["digest"], witness)
    return tuple(found.values())


@final
@dataclass(frozen=True)
class Settled(Generic[_Witness, _Proof]):
    """The answers so far, by condition; an answer settles all the conditions that it covers.

    Parameters
    ----------
    asked
        The names of the conditions.
    answers
        By name.
    """

    asked: Sequence[str]
    answers: dict[str, Answer[_Witness, _Proof]] = field(default_factory=dict)

    def uncovered(self, covered: Iterable[str]) -> Iterator[str]:
        """Those of the conditions that are asked for and not settled."""
        return (name for name in covered if name in self.asked and name not in self.answers)

    def refuse_contradiction(self, surrogate: str, name: str, larger: Iterable[str]) -> None:
        """A witness under a condition is one under every larger condition: no proof may stand there.

        Raises
        ------
        ConsistencyLabError
            If one does.
        """
        for other in larger:
            answer = self.answers.get(other)
            if answer is not None and answer.verdict is Verdict.CONSISTENT:
                raise ConsistencyLabError(
                    f"{surrogate} has a witness under {name} and a proof under {other}; one of them is "
                    "wrong: please report this"
                )


GraphAnswer = Answer[Witness, InfeasibilityProof]
"""About preference graphs."""


@final
@dataclass(frozen=True, slots=True)
class Remedy:
    """A surrogate that is proved consistent where another one is not.

    Parameters
    ----------
    name, how
        What to use instead; its formula and its decoder.
    condition, reason
        Where it is consistent, and the evidence, one sentence.
    command
        The command that checks it.
    """

    name: str
    how: str
    condition: str
    reason: str
    command: str


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
    prescriptions
        What to use instead where the surrogate is inconsistent: for each such condition, none twice.
    """

    surrogate: Surrogate
    properties: Mapping[str, Property]
    answers: tuple[GraphAnswer, ...]
    universal: Witness | None
    strict: Witness | None
    effort: Effort
    prescriptions: tuple[Remedy, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """Over all conditions asked."""
        return overall(self.answers)

    @property
    def witnesses(self) -> tuple[Witness, ...]:
        """The different witnesses, smallest condition first, then a strict one, the universal one last."""
        return different((*(answer.witness for answer in self.answers), self.strict, self.universal))

    def proof_documents(self, command: str) -> dict[str, dict[str, object]]:
        """The files of the exact infeasibility proofs, by condition; `command` repeats the question."""
        found: dict[str, dict[str, object]] = {}
        for answer in self.answers:
            if answer.proof is not None and answer.proof.condition not in found:
                provenance = {"command": command, "citation": answer.citation}
                found[answer.proof.condition] = answer.proof.document(self.surrogate, provenance)
        return found


@final
@dataclass(frozen=True)
class ProfileDecision:
    """The verdict on a surrogate at one given distribution.

    Parameters
    ----------
    verdict
        INCONSISTENT: a minimizer, or scores as good as you like, certainly rank wrongly here. CONSISTENT:
        all of them certainly rank rightly here, which says nothing about other distributions.
    reason
        One sentence.
    witness
        The accepted document, for either verdict.
    minimizers
        What the document proves of the minimizers, and whether there are any.
    """

    surrogate: Surrogate
    distribution: Distribution
    verdict: Verdict
    reason: str
    witness: Witness | None
    notes: tuple[str, ...] = field(default=())
    minimizers: Minimizers | None = None
