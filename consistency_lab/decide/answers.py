"""What is answered: verdicts with their evidence."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import chain
from typing import final

from consistency_lab.certify.minimizers import Minimizers
from consistency_lab.certify.witness import Witness
from consistency_lab.checked import checked
from consistency_lab.data.labels import LabelProfile
from consistency_lab.errors import ConsistencyLabError
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.properties import Property
from consistency_lab.model.surrogates import Surrogate
from consistency_lab.model.surrogates.tasks.base import TaskSurrogate
from consistency_lab.model.surrogates.tasks.fields import GradientField
from consistency_lab.model.surrogates.tasks.libraries import Entry
from consistency_lab.model.tasks.task import Task
from consistency_lab.search.effort import Effort
from consistency_lab.theorems.catalogue import Evidence
from consistency_lab.theorems.infeasibility import InfeasibilityProof
from consistency_lab.theorems.tasks.affine import AffineProof


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
    witness: Witness | None = None
    evidence: Evidence | None = None
    proof: InfeasibilityProof | AffineProof | None = None


def overall(answers: Iterable[Answer]) -> Verdict:
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


@final
@dataclass(frozen=True)
class Settled:
    """The answers so far, by condition; an answer settles all the conditions that it covers.

    Parameters
    ----------
    asked
        The names of the conditions.
    answers
        By name.
    """

    asked: Sequence[str]
    answers: dict[str, Answer] = field(default_factory=dict)

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


@final
@dataclass(frozen=True)
class Prescription:
    """A surrogate that is proved consistent where another one is not.

    Parameters
    ----------
    surrogate, target
        What to use instead, and for which target; None for preference graphs of any weights.
    how
        Its scores and its decoder, in words.
    condition, reason
        Where it is consistent, and the evidence, one sentence.
    command
        The command that checks it.
    """

    surrogate: Surrogate | TaskSurrogate
    target: Task | None
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
    surrogate, target
        What was asked about; the target is None for preference graphs of any weights.
    answers
        One for each condition asked, in the order of the conditions.
    effort
        What the searches cost.
    prescriptions
        What to use instead where the surrogate is inconsistent: for each such condition, none twice.
    properties
        What is known of its scalar function, if it is made of one.
    universal
        A second witness at which no convex phi with phi'(0) < 0 has the right order, if there is one.
    strict
        A strict inversion with more items, where the smallest witness is only a tie.
    """

    surrogate: Surrogate | TaskSurrogate
    target: Task | None
    answers: tuple[Answer, ...]
    effort: Effort
    prescriptions: tuple[Prescription, ...] = ()
    properties: Mapping[str, Property] = field(default_factory=dict)
    universal: Witness | None = None
    strict: Witness | None = None

    @property
    def verdict(self) -> Verdict:
        """Over all conditions asked."""
        return overall(self.answers)

    @property
    def witnesses(self) -> tuple[Witness, ...]:
        """The different witnesses, smallest condition first, then a strict one, the universal one last."""
        found: dict[str, Witness] = {}
        for witness in chain((answer.witness for answer in self.answers), (self.strict, self.universal)):
            if witness is not None:
                found.setdefault(witness.digest, witness)
        return tuple(found.values())

    @checked
    def proof_documents(self, command: str) -> dict[str, dict[str, object]]:
        """The files of the exact infeasibility proofs, by condition; `command` repeats the question."""
        found: dict[str, dict[str, object]] = {}
        for answer in self.answers:
            proof = answer.proof
            if isinstance(self.surrogate, Surrogate) and isinstance(proof, InfeasibilityProof):
                provenance = {"command": command, "citation": answer.citation}
                if proof.condition not in found:
                    found[proof.condition] = proof.document(self.surrogate, provenance)
        return found


@final
@dataclass(frozen=True)
class ProfileDecision:
    """The verdict on a surrogate at one given distribution.

    Parameters
    ----------
    surrogate, target
        As in `Decision`.
    distribution
        Of preference graphs, or of labels.
    verdict
        INCONSISTENT: a minimizer, or scores as good as you like, certainly rank wrongly here. CONSISTENT:
        all of them certainly rank rightly here, which says nothing about other distributions.
    reason
        One sentence.
    witness
        The accepted document, for either verdict.
    notes
        What must be told of the distribution.
    minimizers
        What the document proves of the minimizers of preference graphs, and whether there are any.
    """

    surrogate: Surrogate | TaskSurrogate
    target: Task | None
    distribution: Distribution | LabelProfile
    verdict: Verdict
    reason: str
    witness: Witness | None = None
    notes: tuple[str, ...] = ()
    minimizers: Minimizers | None = None


@final
@dataclass(frozen=True)
class FieldFinding:
    """What was found about a gradient field: an equilibrium in a wrong order, or none.

    There is no verdict: a field need not be the gradient of a loss, nor vanish only where a loss is least, so
    it is never called consistent.

    Parameters
    ----------
    field, task
        What was asked about.
    witness
        The accepted equilibrium, or None.
    reason
        One sentence: what was found, or what was searched.
    effort
        What the search cost.
    reached
        Whether training from zero scores ends there, in floats.
    """

    field: GradientField
    task: Task
    witness: Witness | None
    reason: str
    effort: Effort
    reached: bool = False


@final
@dataclass(frozen=True)
class LibraryDecision:
    """The two answers about an objective of a library.

    Parameters
    ----------
    entry
        Its line in the catalogue.
    plain
        The decision on the plain loss underneath; None if there is none in the catalogue of families.
    shipped
        What was found about the shipped default where that is a gradient field; the decision where it is
        another loss; None where it is the plain one, or nothing here decides it.
    """

    entry: Entry
    plain: Decision | None
    shipped: FieldFinding | Decision | None
