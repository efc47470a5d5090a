"""What is answered: verdicts with their evidence."""

from abc import ABC
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from itertools import chain
from typing import Final, Literal, final

from consistency_lab.certify.addition import ByAddition
from consistency_lab.certify.minimizers import Minimizers
from consistency_lab.certify.witness import Witness
from consistency_lab.decide.theorems.affine import AffineProof
from consistency_lab.decide.theorems.base import implied_with
from consistency_lab.decide.theorems.catalogue import Evidence
from consistency_lab.decide.theorems.infeasibility import InfeasibilityProof
from consistency_lab.errors import InputError
from consistency_lab.frozen import frozen
from consistency_lab.model.checked import checked
from consistency_lab.model.designs import Described, design_implies
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.labels import LabelProfile
from consistency_lab.model.properties import CONVEX, Property, Status, properties
from consistency_lab.model.surrogates import Surrogate
from consistency_lab.model.surrogates.families import Loss
from consistency_lab.model.surrogates.own import Compared
from consistency_lab.model.surrogates.tasks.base import AtomSurrogate, MeanSurrogate
from consistency_lab.model.surrogates.tasks.fields import GradientField
from consistency_lab.model.surrogates.tasks.shipped import LibraryLoss
from consistency_lab.model.tasks.task import Task
from consistency_lab.search.effort import Effort
from consistency_lab.shown import Pictured, Shown

NamePair = tuple[str, str]
"""The names of a condition and a design."""


class Verdict(StrEnum):
    """The three verdicts."""

    CONSISTENT = "CONSISTENT"
    INCONSISTENT = "INCONSISTENT"
    UNDECIDED = "UNDECIDED"


@frozen
class Answer:
    """The verdict on one condition, with its evidence."""

    condition: str  #: The noise condition.
    verdict: Verdict  #: The verdict.
    scope: str  #: For which sizes it holds, in words.
    reason: str  #: One sentence: the evidence, or what was searched.
    citation: str = ""  #: The source of a theorem, or "".
    #: The accepted witness of an inconsistency; of an open question an equilibrium in a wrong order, if any.
    witness: Witness | None = None
    evidence: Evidence | None = None  #: The checked theorem.
    proof: InfeasibilityProof | AffineProof | None = None  #: The exact infeasibility proof.
    design: str = "any"  #: How often pairs of items are compared, beside the condition.

    @property
    def pair(self) -> NamePair:
        return self.condition, self.design


COUNTS: Final = "counts:"
"""Before the name of a file, or its title: each pair is compared as often as there."""

SUPPORT: Final = "support:"
"""Before a file or its title: the same pairs are compared, with any counts."""


def overall(verdicts: Iterable[Verdict]) -> Verdict:
    """Over several answers: any inconsistency, else anything undecided, else consistent."""
    worst = (Verdict.INCONSISTENT, Verdict.UNDECIDED, Verdict.CONSISTENT)
    return min(verdicts, key=worst.index, default=Verdict.CONSISTENT)


class About(ABC):
    """What all answers about a surrogate have."""

    surrogate: Loss
    compared: Compared | None = None

    @property
    def convex(self) -> bool | None:
        """Whether the loss is convex; None if it is not known."""
        return is_convex(self.surrogate)

    @property
    def name(self) -> str:
        """The name of the surrogate, or of the user's function."""
        return self.surrogate.name if self.compared is None else self.compared.function


def is_convex(loss: Loss) -> bool | None:
    """Whether a loss is convex in the scores, so that descent gets to its infimum; None if unknown."""
    if isinstance(loss, Surrogate):
        known = {properties(phi)[CONVEX].status for phi in loss.functions}
        return False if Status.REFUTED in known else None if Status.UNKNOWN in known else True
    if isinstance(loss, MeanSurrogate):
        return loss.link != "limit"
    return True if isinstance(loss, AtomSurrogate) else None


@frozen
class Prescription:
    """A surrogate that is proved consistent where another one is not."""

    #: What to use instead, and for which target; None for preference graphs of any weights.
    surrogate: Loss
    target: Task | None
    how: str  #: Its scores and its decoder, in words.
    #: Where it is consistent, and the evidence, one sentence.
    condition: str
    reason: str
    command: str  #: The command that checks it.


@final
@dataclass(frozen=True, repr=False)
class Decision(About, Pictured):
    """All answers about one surrogate."""

    #: What was asked about; the target is None for preference graphs of any weights.
    surrogate: Loss
    target: Task | None
    answers: tuple[Answer, ...]  #: One for each condition asked, in the order of the conditions.
    effort: Effort  #: What the searches cost.
    #: Looks for what to use instead.
    advise: Callable[[], tuple[Prescription, ...]] = field(default=tuple, compare=False)
    #: The known properties of its scalar function, if it has one.
    properties: Mapping[str, Property] = field(default_factory=dict)
    #: A second witness at which no convex phi with phi'(0) < 0 has the right order, if there is one.
    universal: Witness | None = None
    #: A strict inversion with more items, where the smallest witness is only a tie.
    strict: Witness | None = None
    #: How often pairs of items are compared, see `model.designs`; or `COUNTS`, and of what.
    design: str = "any"
    #: That the surrogate stands for a function of the user's, which equals it for the sizes asked about.
    compared: Compared | None = None
    #: Every condition with every design, where preference graphs were asked about and neither was named.
    frontier: "Strongest | None" = None
    #: The word that was typed for the surrogate, if that was a word.
    asked: str = ""

    @property
    def verdict(self) -> Verdict:
        return overall(answer.verdict for answer in self.answers)

    @cached_property
    def prescriptions(self) -> tuple[Prescription, ...]:
        """What to use instead where it is inconsistent: for each such condition, none twice."""
        return self.advise()

    @property
    def witnesses(self) -> tuple[Witness, ...]:
        """The different witnesses, smallest condition first, then a strict one, the universal one last."""
        found: dict[str, Witness] = {}
        everywhere = () if self.frontier is None else self.frontier.witnesses
        own = (answer.witness for answer in self.answers)
        for witness in chain(own, everywhere, (self.strict, self.universal)):
            if witness is not None:
                found.setdefault(witness.digest, witness)
        return tuple(found.values())

    @checked
    def proof_documents(self, command: str) -> dict[str, dict[str, object]]:
        """The files of the exact infeasibility proofs, by condition; `command` repeats the question."""
        documents: dict[str, dict[str, object]] = {}
        for answer in self.answers:
            proof = answer.proof
            if isinstance(self.surrogate, Surrogate) and isinstance(proof, InfeasibilityProof):
                provenance = {"command": command, "citation": answer.citation}
                if proof.condition not in documents:
                    documents[proof.condition] = proof.document(self.surrogate, provenance)
        return documents


@frozen
class Repair:
    """What may be right at a distribution where a surrogate is wrong."""

    #: "loss" for another one; "balanced" or "product" for the same with each pair weighed as if it were
    #: compared equally often, or w_i w_j times with the row sums that there are.
    kind: Literal["loss", "balanced", "product"]
    surrogate: Surrogate
    verdict: Verdict  #: The proved verdict at this distribution.


@frozen
class PolicyPair:
    """Two answers of which more people chose the first, and what a reference policy makes of that."""

    #: The answers, the chosen one first.
    above: int
    below: int
    trained: float  #: How far training moves log pi of the first against that of the second.
    gap: float  #: How much larger log pi_ref of the second is.
    alone: float | None  #: How far these two alone would be moved, where that has a closed form.

    @property
    def survives(self) -> bool:
        """Whether the reference's gap survives training, so that the first does not come out on top."""
        return self.gap >= self.trained


@frozen
class Policy:
    """The order of the policy, log pi = r/beta + log pi_ref, in floats."""

    beta: Fraction
    rewards: tuple[int, ...]  #: The answers in falling order of r.
    order: tuple[int, ...]  #: In falling order of pi.
    pairs: tuple[PolicyPair, ...]  #: Every pair with a majority.


@frozen
class Strongest(About, Shown):
    """Under which conditions and designs a surrogate is right, and where it stops."""

    surrogate: Surrogate  #: What was asked about.
    answers: tuple[Answer, ...]  #: One for each condition and each design, none before one inside it.
    proved_of_few: tuple[Answer, ...]  #: Of the other pairs, what a theorem proves for one number of items.
    effort: Effort  #: What the searches cost.

    @property
    def verdict(self) -> Verdict:
        """Over all conditions and designs."""
        return overall(answer.verdict for answer in self.answers)

    @checked
    def at(self, condition: str, design: str = "any") -> Answer:
        """The answer under a condition with a design."""
        answer = next((one for one in self.answers if one.pair == (condition, design)), None)
        if answer is None:
            raise InputError(f"there is no answer under {condition!r} with the design {design!r}")
        return answer

    @property
    def right(self) -> tuple[Answer, ...]:
        """The largest pairs of a condition and a design for which a proof stands."""
        return widest(self.answers, Verdict.CONSISTENT)

    @property
    def right_of_few(self) -> tuple[Answer, ...]:
        """The largest other pairs for which a proof stands for one number of items."""
        scopes = dict.fromkeys(one.scope for one in self.proved_of_few)
        by_scope = ([one for one in self.proved_of_few if one.scope == scope] for scope in scopes)
        return tuple(chain.from_iterable(_extreme(some, largest=True) for some in by_scope))

    @property
    def wrong(self) -> tuple[Answer, ...]:
        """The smallest pairs that a certified witness has."""
        return narrowest(self.answers)

    @property
    def undecided(self) -> tuple[Answer, ...]:
        """The pairs with neither."""
        return tuple(one for one in self.answers if one.verdict is Verdict.UNDECIDED)

    @property
    def shown(self) -> tuple[Answer, ...]:
        """The answers that a table shows: those that say more than another one."""
        return *self.right, *self.right_of_few, *self.wrong, *self.undecided

    @property
    def witnesses(self) -> tuple[Witness, ...]:
        """The witnesses of the smallest pairs, each once."""
        found = {one.witness.digest: one.witness for one in self.wrong if one.witness is not None}
        return tuple(found.values())


def lies_inside(pair: NamePair, other: NamePair) -> bool:
    """Whether each distribution with one condition and design has the other condition and design."""
    return other[0] in implied_with(*pair) and design_implies(pair[1], other[1])


def widest(answers: Iterable[Answer], verdict: Verdict) -> tuple[Answer, ...]:
    """The answers with a verdict that lie inside no other one."""
    return _extreme((one for one in answers if one.verdict is verdict), largest=True)


def narrowest(answers: Iterable[Answer]) -> tuple[Answer, ...]:
    """The inconsistent ones that no other one lies inside."""
    return _extreme((one for one in answers if one.verdict is Verdict.INCONSISTENT), largest=False)


def _extreme(answers: Iterable[Answer], *, largest: bool) -> tuple[Answer, ...]:
    """The answers inside no other one, or that no other lies inside; of two that say the same only one."""
    every = tuple(answers)

    def covers(one: int, other: int) -> bool:
        small, large = (other, one) if largest else (one, other)
        return lies_inside(every[small].pair, every[large].pair)

    # Of those that say the same, the last one has the largest names, the first one the smallest.
    places = range(len(every))
    return tuple(
        every[k]
        for k in places
        if not any(covers(h, k) and (not covers(k, h) or (h > k) == largest) for h in places if h != k)
    )


@frozen
class ProfileDecision(About, Pictured):
    """The verdict on a surrogate at one given distribution."""

    #: As in `Decision`.
    surrogate: Loss
    target: Task | None
    distribution: Distribution | LabelProfile  #: Of preference graphs, or of labels.
    #: INCONSISTENT: a minimizer, or scores arbitrarily close to the infimum, certainly rank wrongly here.
    #: CONSISTENT: all of them certainly rank correctly here, which says nothing about other distributions.
    verdict: Verdict
    reason: str  #: One sentence.
    witness: Witness | None = None  #: The accepted document, for either verdict.
    notes: tuple[str, ...] = ()  #: What must be told of the distribution.
    #: What the document proves of the minimizers of preference graphs, and whether there are any.
    minimizers: Minimizers | None = None
    design: Described | None = None  #: How often the pairs of preference graphs are compared.
    #: The pairs of items that adding up comparisons puts in order, of edge losses for which that can be.
    by_addition: ByAddition | None = None
    repairs: tuple[Repair, ...] = ()  #: Of an edge loss that is wrong, for few items.
    policy: Policy | None = None  #: The order of a policy that was trained from a given reference.
    compared: Compared | None = None  #: As in `Decision`.


@frozen
class FieldFinding:
    """An equilibrium in a wrong order, or none; a field is never called consistent."""

    #: What was asked about.
    field: GradientField
    task: Task
    witness: Witness | None  #: The accepted equilibrium, or None.
    reason: str  #: One sentence: what was found, or what was searched.
    effort: Effort  #: What the search cost.
    reached: bool = False  #: Whether training from zero scores ends there, in floats.


@frozen
class LibraryDecision(Shown):
    """The two answers about an objective of a library."""

    entry: LibraryLoss  #: Its line in the catalogue.
    #: The decision on the plain loss underneath; None if there is none in the catalogue of families.
    plain: Decision | None
    #: What was found about the shipped default where that is a gradient field; the decision where it is
    #: another loss; None where it is the plain one, or nothing here decides it.
    shipped: FieldFinding | Decision | None

    @property
    def verdict(self) -> Verdict:
        """The verdict on the shipped default; a field is inconsistent by a witness, else undecided."""
        if self.entry.shipped == "same" and self.plain is not None:
            return self.plain.verdict
        if isinstance(self.shipped, Decision):
            return self.shipped.verdict
        witness = None if self.shipped is None else self.shipped.witness
        return Verdict.UNDECIDED if witness is None else Verdict.INCONSISTENT

    @property
    def witnesses(self) -> tuple[Witness, ...]:
        """All witnesses: first of the plain loss, then of the shipped default."""
        plain = () if self.plain is None else self.plain.witnesses
        if isinstance(self.shipped, Decision):
            return (*plain, *self.shipped.witnesses)
        return (
            plain if self.shipped is None or self.shipped.witness is None else (*plain, self.shipped.witness)
        )
