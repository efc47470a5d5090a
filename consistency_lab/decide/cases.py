"""One surrogate and its conditions: theorems first, then witnesses, then exact infeasibility."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, Final, NoReturn, final

from consistency_lab.certify.witness import Witness, certify
from consistency_lab.decide.answers import Answer, Verdict
from consistency_lab.decide.strategies import (
    PROOF_ITEMS,
    STRATEGIES,
    P,
    Question,
    by_aggregates,
    by_construction,
    sees_counts,
    settled,
)
from consistency_lab.decide.theorems.base import Evidence
from consistency_lab.decide.theorems.catalogue import consistency_theorem
from consistency_lab.decide.theorems.infeasibility import InfeasibilityProof, prove_affine
from consistency_lab.errors import ConsistencyLabError, InputError, UnsupportedError
from consistency_lab.model.conditions import CONDITIONS, Condition, implied_by, implying
from consistency_lab.model.designs import design
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.properties import CONVEX, Status, properties
from consistency_lab.model.surrogates import Surrogate, family_of
from consistency_lab.model.surrogates.families import Loss
from consistency_lab.numbers.phi import Expression, convexity_proof
from consistency_lab.search.effort import Effort
from consistency_lab.search.size import UNIVERSAL_AGGREGATE, realize

AS_UNDER: Final = "as under "


def named(
    conditions: Sequence[str] | str, find: Callable[[str], Condition], table: Mapping[str, object]
) -> list[str]:
    """The conditions asked for, each once, in the order of the table."""
    names = {find(name).name for name in ([conditions] if isinstance(conditions, str) else conditions)}
    if not names:
        raise InputError(
            f"conditions is empty; name one of {', '.join(table)}, or leave it out for the usual ones"
        )
    return [name for name in table if name in names]


# --- Cases: a question for each condition, and the answers so far ---------------------------------------


@dataclass
class Case(ABC):
    """A question and the answers so far; an answer settles all the conditions that it covers."""

    surrogate: Loss  #: What is asked about.
    asked: Sequence[str]  #: The conditions, smaller ones first.
    #: Of the searches, and for the witness files.
    effort: Effort
    seed: int
    command: str

    def __post_init__(self) -> None:
        self.answers: dict[str, Answer] = {}

    def settle(self) -> tuple[Answer, ...]:
        """One answer for each condition: proofs for the largest, then witnesses for the smallest first."""
        for name in reversed(self.asked):
            if name not in self.answers:
                self.prove(name)
        for name in self.asked:
            if name not in self.answers:
                self.effort.ration(sum(other not in self.answers for other in self.asked))
                self.search(name)
        return tuple(self.answers[name] for name in self.asked)

    def question(self, name: str, at: P) -> Question[Any, P]:
        """The question for the strategies."""
        return Question(self.surrogate, name, at, self.effort, self.seed, self.provenance())

    @abstractmethod
    def provenance(self) -> Mapping[str, str]:
        """The provenance of witness files."""

    @abstractmethod
    def prove(self, name: str) -> None:
        """Settle a condition and the smaller ones by a theorem or an exact proof, if there is one."""

    @abstractmethod
    def search(self, name: str) -> None:
        """Settle a condition and the larger ones by a witness, or leave it undecided."""

    def cover(self, own: Answer, covered: Iterable[str], elsewhere: str) -> None:
        """An answer, and with the reason `elsewhere` that of other conditions asked for and not settled."""
        for name in covered:
            if name in self.asked and name not in self.answers:
                reason = own.reason if name == own.condition else elsewhere
                self.answers[name] = replace(own, condition=name, reason=reason)

    def by_theorem(
        self,
        name: str,
        evidence: Evidence,
        smaller: Iterable[str],
        proof: InfeasibilityProof | None = None,
        also: str = "",
    ) -> None:
        """Consistent under a condition, and under those inside it."""
        citation = evidence.citation
        reason = f"{citation}, hypotheses checked{also}"
        own = Answer(name, Verdict.CONSISTENT, evidence.scope, reason, citation, None, evidence, proof)
        self.cover(own, (name, *smaller), f"{AS_UNDER}{name}, which is wider: {citation}")

    def refuse_contradiction(self, name: str, larger: Iterable[str]) -> None:
        """A witness under a condition is one under every larger condition: no proof may stand there."""
        for other in larger:
            answer = self.answers.get(other)
            if answer is not None and answer.verdict is Verdict.CONSISTENT:
                self.contradiction(name, other)

    def contradiction(self, name: str, other: str) -> NoReturn:
        """A witness and a proof that cannot both be right."""
        raise ConsistencyLabError(
            f"{self.surrogate.name} has a witness under {name} and a proof under {other}; one of them is "
            "wrong, so please report this"
        )

    def leave_open(self, name: str, reason: str, witness: Witness | None = None) -> None:
        """Neither a proof nor a witness of an inconsistency."""
        self.answers[name] = Answer(name, Verdict.UNDECIDED, "", reason, witness=witness)


# --- Preference graphs -----------------------------------------------------------------------------------


_STRICT_SHARE: Final = 4
"""A fourth of the time that is left may go into looking for a strict inversion behind a tie."""


_ILLUSTRATED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "edge": "DMJ10 Theorem 11",
        "margin": "DMJ10 Theorem 12",
        "linear": "DMJ10 Theorem 13",
        "regression": "RAT13 Theorem 6",
        "difference": "DMJ13 §5.3",
        "answers": "docs/alignment.md",
    }
)


_STRENGTHS: Final = (
    ((0, 2), (1, 0)),
    ((0, 10, 12), (5, 0, 10), (3, 5, 0)),
    ((0, 10, 0, 4000), (9, 0, 3000, 0), (0, 1000, 0, 3000), (400, 0, 1000, 0)),
)
"""Bradley-Terry strengths 2 : 1 and 4 : 2 : 1, and the ring 20 : 18 : 6 : 2 of docs/designs.md."""


def not_proved_convex(surrogate: Surrogate) -> Expression | None:
    """The first function whose convexity the core could not check: no certificate applies then."""
    return next((phi for phi in surrogate.functions if convexity_proof(phi) is None), None)


def illustrated_theorem(surrogate: Surrogate) -> str:
    """The statement that a witness about this family illustrates."""
    return _ILLUSTRATED.get(surrogate.family.name, "DMJ10 Definition 2")


@final
@dataclass
class GraphCase(Case):
    """A surrogate of preference graphs of any weights."""

    surrogate: Surrogate
    items: tuple[int, ...]  #: Numbers of items that are searched.
    design: str = "any"  #: How often pairs are compared, beside the conditions.

    @property
    def affine(self) -> bool:
        """Whether the minimizer is affine in p, so that linear algebra decides."""
        return family_of(self.surrogate).affine

    def provenance(self, **more: str) -> Mapping[str, str]:
        return {"command": self.command, "citation": illustrated_theorem(self.surrogate), **more}

    def prove(self, name: str) -> None:
        only = self.items[0] if len(self.items) == 1 else None
        evidence = consistency_theorem(self.surrogate, name, m=only, design=self.design)
        if evidence is None:
            return
        proof = prove_affine(self.surrogate, name, PROOF_ITEMS) if self.affine else None
        if isinstance(proof, InfeasibilityProof):
            also = f"; and exact infeasibility for m <= {PROOF_ITEMS} ({proof.cases} systems)"
            self.by_theorem(name, evidence, implying(name), proof, also)
        else:
            self.by_theorem(name, evidence, implying(name))

    def search(self, name: str) -> None:
        unproved = not_proved_convex(self.surrogate)
        if unproved is not None:
            refuted = properties(unproved)[CONVEX].status is Status.REFUTED
            word = "is not convex" if refuted else "is not proved convex"
            from consistency_lab.search.find import survey

            looked = survey(self.surrogate, name, self.effort)
            stuck = next((one for one in self.equilibria if self._asks_of(one, name)), None)
            if stuck is not None:
                m = stuck.distribution.m
                looked += f"; and descent from equal scores ends in a wrong order of {m} items"
            self.leave_open(
                name, f"{unproved} {word}, so no certificate of a minimum applies; {looked}", stuck
            )
            return
        question = replace(self.question(name, self.items), design=self.design)
        try:
            witness = settled(STRATEGIES, question)
        except UnsupportedError as error:
            self.leave_open(name, f"not searched: {error}")
            return
        if isinstance(witness, Witness):
            self._by_witness(name, witness)
            return
        if self.design != "any":
            sizes = ", ".join(map(str, self.items))
            self.leave_open(
                name,
                f"no theorem here covers the design {self.design}, and no construction for it gave a witness "
                f"with {sizes} items",
            )
            return
        looked = f"searched {', '.join(question.looked) or 'nothing'} completely on the grids"
        self.leave_open(name, f"no witness found ({self.effort.ending}{looked}; {self.effort.summary()})")

    @cached_property
    def equilibria(self) -> tuple[Witness, ...]:
        """Where the loss is not convex: certified ends of descent in a wrong order, at few distributions."""
        from consistency_lab.search.equilibria import pair_equilibrium

        known = (Distribution.from_aggregate(a) for a in _STRENGTHS if len(a) in self.items)
        looked = (pair_equilibrium(self.surrogate, p, self.provenance()) for p in known)
        witnesses = tuple(one for one in looked if one is not None)
        self.effort.count(certificates=len(witnesses))
        return witnesses

    def _asks_of(self, witness: Witness, name: str) -> bool:
        """Whether the condition and the design hold at its distribution."""
        a = witness.distribution.aggregate
        return witness.verified.conditions[name] and design(self.design).holds(a)

    def _by_witness(self, name: str, witness: Witness) -> None:
        """A witness under a condition is one under every larger condition, and where else it fulfils one."""
        holding = [other for other in CONDITIONS if witness.fails_under(other)]
        self.refuse_contradiction(name, holding)
        own = self.answer_of(name, witness)
        inside = [other for other in implied_by(name) if other in holding]
        self.cover(own, inside, f"{AS_UNDER}{name}, which is narrower: the same example")
        self.cover(own, holding, f"the example under {name} has this condition too")

    def answer_of(self, name: str, witness: Witness) -> Answer:
        """Inconsistent under a condition that holds at the witness."""
        how = "strict inversion" if witness.verified.failure == "strict" else "tie"
        m = witness.distribution.m
        reason = f"certified witness with {m} items ({how})"
        return Answer(name, Verdict.INCONSISTENT, f"m = {m}", reason, witness=witness, design=self.design)

    def strict(self, answers: Sequence[Answer]) -> Witness | None:
        """If the smallest witness is a tie: a strict inversion under the same condition, with more items."""
        first = next((answer for answer in answers if answer.witness is not None), None)
        if first is None or first.witness is None or first.witness.verified.failure == "strict":
            return None
        if self.design != "any":
            return None
        self.effort.ration(_STRICT_SHARE)
        more = [m for m in self.items if m > first.witness.distribution.m]
        question: Question[Any, Any] = self.question(first.condition, more)
        if sees_counts(question):
            built = by_construction(question)
            return next((found for found in built if found.verified.failure == "strict"), None)
        return next(by_aggregates(question, strict=True), None)

    def universal(self, answers: Sequence[Answer]) -> Witness | None:
        """The witness at which no convex phi with phi'(0) < 0 is right, certified for this surrogate."""
        if not family_of(self.surrogate).every_phi or self.design != "any":
            return None
        wrong = (answer.condition for answer in answers if answer.verdict is Verdict.INCONSISTENT)
        if not any(CONDITIONS[name].holds(UNIVERSAL_AGGREGATE) for name in wrong):
            return None
        note = "no convex phi with phi'(0) < 0 has its minimizer in A(p) here"
        provenance = self.provenance(citation="DMJ10 Lemma 10", note=note)
        try:
            distribution = realize(self.surrogate, UNIVERSAL_AGGREGATE)
            witness = certify(self.surrogate, distribution, provenance=provenance, universal=True)
        except UnsupportedError:
            return None
        return witness if witness is not None and witness.verified.universal else None
