"""Decide a surrogate under noise conditions."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final, final

from consistency_lab.certify.witness import Witness, certify
from consistency_lab.checked import checked
from consistency_lab.decide.answers import Answer, Decision, Prescription, Settled, Verdict
from consistency_lab.decide.tasks import decide_task, prescription
from consistency_lab.errors import InputError, UnsupportedError
from consistency_lab.model.conditions import CONDITIONS, USUAL, condition, implied_by, implies, implying
from consistency_lab.model.properties import (
    BOUNDED_BELOW,
    CONVEX,
    Property,
    Status,
    properties,
    refuse_undefined,
)
from consistency_lab.model.surrogates import Surrogate, as_surrogate, family_of, surrogate
from consistency_lab.model.surrogates.catalogue import FORMS, WITHOUT_PHI
from consistency_lab.model.surrogates.tasks.base import TaskSurrogate
from consistency_lab.model.tasks.catalogue import target
from consistency_lab.model.tasks.conditions import TASK_CONDITIONS
from consistency_lab.model.tasks.task import Task
from consistency_lab.phi import Expression, convexity_proof
from consistency_lab.search.effort import Effort, as_effort
from consistency_lab.search.find import Search, item_counts
from consistency_lab.search.size import realize
from consistency_lab.search.special import UNIVERSAL_AGGREGATE, survey, two_items
from consistency_lab.theorems.catalogue import consistency_theorem
from consistency_lab.theorems.infeasibility import AffineWitness, InfeasibilityProof, prove_affine

# --- What is asked of a surrogate before anything is decided about it ------------------------------------

_THEOREMS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "edge": "DMJ10 Theorem 11",
        "margin": "DMJ10 Theorem 12",
        "linear": "DMJ10 Theorem 13",
        "regression": "RAT13 Theorem 6",
        "difference": "DMJ13 §5.3",
    }
)


def known_properties(surrogate: Surrogate) -> Mapping[str, Property]:
    """What is known of the scalar function; one that the question does not apply to is refused."""
    phi = surrogate.functions[-1]
    for function in surrogate.functions:
        refuse_undefined(function)
    known = properties(phi)
    if len(surrogate.functions) == 1 and known[BOUNDED_BELOW].status is Status.REFUTED:
        raise InputError(
            f"{phi} is not bounded below, so W* = -infinity; consistency (DMJ10 Definition 2) asks for a "
            "surrogate that is bounded below"
        )
    return known


def not_proved_convex(surrogate: Surrogate) -> Expression | None:
    """The first function whose convexity the core could not check: no certificate applies then."""
    return next((phi for phi in surrogate.functions if convexity_proof(phi) is None), None)


def illustrated_theorem(surrogate: Surrogate) -> str:
    """The statement that a witness about this family illustrates."""
    return _THEOREMS.get(getattr(surrogate, "family", ""), "DMJ10 Definition 2")


# --- What to use instead ---------------------------------------------------------------------------------
# A loss of preference graphs that is proved consistent, or else one of labels.

_CANDIDATES: Final = (
    ("regression", f"{WITHOUT_PHI['regression'][0]}; sort by score"),
    (
        "difference-logistic",
        f"{FORMS['difference'].formula}, the preferences of all labels being added up first; sort by score",
    ),
)
"""What to try and how it reads, the cheapest first."""

_LABELS: Final = "dags"


def remedies(inconsistent: Surrogate, conditions: Sequence[str]) -> tuple[Prescription, ...]:
    """For each condition the cheapest remedy; one that serves several is named for the largest of them.

    Parameters
    ----------
    inconsistent
        The surrogate, which is not prescribed for itself.
    conditions
        Where it is inconsistent, smaller conditions first.

    Examples
    --------
    >>> found = remedies(surrogate("logistic"), ["additive", "net-order", "acyclic"])
    >>> [(advice.condition, advice.surrogate.name) for advice in found]
    [('net-order', 'regression'), ('acyclic', 'difference-logistic')]
    """
    found: dict[str, Prescription] = {}
    for name in conditions:
        remedy = _of_graphs(inconsistent, name) or _of_labels(inconsistent, name)
        if remedy is not None:
            found[remedy.surrogate.name] = remedy
    return tuple(found.values())


def _of_graphs(inconsistent: Surrogate, condition: str) -> Prescription | None:
    for name, how in _CANDIDATES:
        candidate = surrogate(name)
        evidence = consistency_theorem(candidate, condition)
        if evidence is not None and evidence.scope.startswith("all") and candidate != inconsistent:
            reason = f"{evidence.citation}, hypotheses checked ({evidence.scope})"
            command = shlex.join(["consistency-lab", "check", name, "--condition", condition])
            return Prescription(candidate, None, how, condition, reason, command)
    return None


def _of_labels(inconsistent: Surrogate, condition: str) -> Prescription | None:
    """With a score for each pair, for labels that are preference graphs without weights."""
    task = target("pairwise", labels=_LABELS)
    # What is consistent under a larger condition, one that such labels have, is so under this one.
    wider = next(name for name in implied_by(condition) if not TASK_CONDITIONS[name].fits(task.space))
    advice = prescription(inconsistent, task, wider)
    return None if advice is None else replace(advice, how=f"{advice.how}; for graphs without weights")


# --- Decide a surrogate under noise conditions -----------------------------------------------------------

ITEMS: Final = (2, 3, 4, 5)
"""Numbers of items that are searched unless others are asked for."""

PROOF_ITEMS: Final = 5
"""Up to how many items exact infeasibility is shown beside a theorem."""

_STRICT_SHARE: Final = 4
"""A fourth of the time that is left may go into looking for a strict inversion behind a tie."""


@checked
def decide(
    surrogate: Surrogate | TaskSurrogate | str,
    conditions: Sequence[str] | str | None = None,
    *,
    target: Task | str | None = None,
    items: Sequence[int] | int | None = None,
    larger: Sequence[Task] = (),
    effort: Effort | float | None = None,
    command: str = "",
    seed: int = 0,
    prescribe: bool = True,
) -> Decision:
    """Decide a surrogate under the given noise conditions.

    Parameters
    ----------
    surrogate
        From `surrogate`, its name, or one of your own, which is known by its terms alone; with a target from
        `task_surrogate`, or its name.
    conditions
        Names of conditions, or one; all of them, or those usual for the target, if not given.
    target
        What `target` returns, or its name; None for preference graphs of any weights.
    items
        Numbers of items to search with, or one; a target has its own.
    larger
        The same target with more items, searched where it has no witness and no theorem speaks for all.
    effort
        Budget of the searches, or its seconds.
    command
        The command that repeats this, for the witness file.
    seed
        Of the searches: the same seed finds the same witness.
    prescribe
        Whether to look for a surrogate that is consistent where this one is not.

    Examples
    --------
    >>> str(decide("linear", "low-noise").verdict)
    'CONSISTENT'
    >>> str(decide("softmax", "any", target="ndcg").verdict)
    'INCONSISTENT'
    """
    if target is not None:
        if items is not None:
            raise InputError("a target has its own items: leave items out, or pass target(NAME, items=...)")
        return decide_task(
            surrogate,
            target,
            conditions,
            larger=larger,
            effort=effort,
            command=command,
            seed=seed,
            prescribe=prescribe,
        )
    surrogate = as_surrogate(surrogate)
    if conditions is None:
        conditions = USUAL
    names = {condition(c).name for c in ([conditions] if isinstance(conditions, str) else conditions)}
    if not names:
        raise InputError(f"conditions is empty; name one of {', '.join(CONDITIONS)}, or leave it out for all")
    asked = [name for name in CONDITIONS if name in names]
    numbers = item_counts(ITEMS if items is None else items)
    known = known_properties(surrogate)
    case = _Case(surrogate, numbers, as_effort(effort), seed, command)
    settled = Settled(asked)
    for name in reversed(asked):
        if name not in settled.answers:
            case.prove(name, settled)
    for name in asked:
        if name not in settled.answers:
            case.effort.ration(sum(other not in settled.answers for other in asked))
            case.search(name, settled)
    answers = tuple(settled.answers[name] for name in asked)
    universal, strict = case.universal(answers), case.strict(answers)
    wrong = [answer.condition for answer in answers if answer.verdict is Verdict.INCONSISTENT]
    instead = remedies(surrogate, wrong) if prescribe else ()
    return Decision(surrogate, None, answers, case.effort, instead, known, universal, strict)


@final
@dataclass(frozen=True)
class _Case:
    """One surrogate, and how it is to be searched."""

    surrogate: Surrogate
    items: tuple[int, ...]
    effort: Effort
    seed: int
    command: str

    @property
    def affine(self) -> bool:
        """Whether the minimizer is affine in p, so that linear algebra decides."""
        return family_of(self.surrogate).affine

    def provenance(self, **more: str) -> Mapping[str, str]:
        return {"command": self.command, "citation": illustrated_theorem(self.surrogate), **more}

    def prove(self, name: str, settled: Settled) -> None:
        """By a theorem for this condition, which covers the smaller ones."""
        evidence = consistency_theorem(
            self.surrogate, name, m=self.items[0] if len(self.items) == 1 else None
        )
        if evidence is None:
            return
        proof = prove_affine(self.surrogate, name, PROOF_ITEMS) if self.affine else None
        checked = proof if isinstance(proof, InfeasibilityProof) else None
        reason = f"{evidence.citation}, hypotheses checked"
        if checked is not None:
            reason += f"; and exact infeasibility for m <= {PROOF_ITEMS} ({checked.cases} systems)"
        for covered in settled.uncovered(implying(name)):
            text = reason if covered == name else f"inside {name}: {evidence.citation}, as there"
            settled.answers[covered] = Answer(
                covered,
                Verdict.CONSISTENT,
                evidence.scope,
                text,
                evidence.citation,
                evidence=evidence,
                proof=checked,
            )

    def search(self, name: str, settled: Settled) -> None:
        """By a witness for this condition, which covers the larger ones; else undecided."""
        unproved = not_proved_convex(self.surrogate)
        if unproved is not None:
            refuted = properties(unproved)[CONVEX].status is Status.REFUTED
            word = "is not convex" if refuted else "is not proved convex"
            looked = survey(self.surrogate, name, self.effort)
            reason = f"{unproved} {word}, so no certificate applies; {looked}"
            settled.answers[name] = Answer(name, Verdict.UNDECIDED, "", reason)
            return
        provenance = dict(self.provenance())
        search = Search(self.surrogate, name, self.effort, seed=self.seed, provenance=provenance)
        try:
            witness = self._by_linear_algebra(name) or search.run(self.items) or self._by_mixed_weights(name)
        except UnsupportedError as error:
            settled.answers[name] = Answer(name, Verdict.UNDECIDED, "", f"not searched: {error}")
            return
        if witness is not None:
            self._settle(name, witness, settled)
            return
        looked = f"searched {', '.join(search.looked) or 'nothing'} completely on the grids"
        reason = f"no witness found ({self.effort.ending}{looked}; {self.effort.summary()})"
        settled.answers[name] = Answer(name, Verdict.UNDECIDED, "", reason)

    def _by_mixed_weights(self, name: str) -> Witness | None:
        """A witness with two items whose edges differ in weight, for losses not told by the aggregate."""
        if 2 not in self.items or self.surrogate.of_aggregate:
            return None
        for distribution in two_items():
            self.effort.count(certificates=1)
            found = certify(self.surrogate, distribution, provenance=self.provenance())
            if found is not None and found.fails_under(name):
                return found
        return None

    def _by_linear_algebra(self, name: str) -> Witness | None:
        """A witness without a search, where the minimizer is affine in p."""
        found = prove_affine(self.surrogate, name, PROOF_ITEMS) if self.affine else None
        if not isinstance(found, AffineWitness):
            return None
        distribution = realize(self.surrogate, found.aggregate)
        witness = certify(self.surrogate, distribution, provenance=self.provenance())
        return witness if witness is not None and witness.inconsistent else None

    def _settle(self, name: str, witness: Witness, settled: Settled) -> None:
        """A witness under a condition is one under every larger condition, and where else it fulfils one."""
        strict = witness.verified.failure == "strict"
        how = "strict inversion" if strict else "tie"
        m = witness.distribution.m
        own = f"certified witness with {m} items ({how})"
        holding = [other for other in CONDITIONS if witness.fails_under(other)]
        settled.refuse_contradiction(self.surrogate.name, name, holding)
        for covered in settled.uncovered(holding):
            inside = "lies inside" if implies(name, covered) else "fulfils it too"
            text = own if covered == name else f"the witness under {name}, which {inside}"
            settled.answers[covered] = Answer(
                covered, Verdict.INCONSISTENT, f"m = {m}", text, witness=witness
            )

    def strict(self, answers: Sequence[Answer]) -> Witness | None:
        """If the smallest witness is a tie: a strict inversion under the same condition, with more items."""
        first = next((answer for answer in answers if answer.witness is not None), None)
        if first is None or first.witness is None or first.witness.verified.failure == "strict":
            return None
        self.effort.ration(_STRICT_SHARE)
        provenance = dict(self.provenance())
        search = Search(
            self.surrogate, first.condition, self.effort, strict=True, seed=self.seed, provenance=provenance
        )
        return search.run([m for m in self.items if m > first.witness.distribution.m])

    def universal(self, answers: Sequence[Answer]) -> Witness | None:
        """The witness at which no convex phi with phi'(0) < 0 is right, certified for this surrogate."""
        if not family_of(self.surrogate).every_phi:
            return None
        wrong = (answer.condition for answer in answers if answer.verdict is Verdict.INCONSISTENT)
        if not any(CONDITIONS[name].holds(UNIVERSAL_AGGREGATE) for name in wrong):
            return None
        note = "no convex phi with phi'(0) < 0 has its minimizer in A(p) here"
        provenance = self.provenance(citation="DMJ10 Lemma 10", note=note)
        try:
            distribution = realize(self.surrogate, UNIVERSAL_AGGREGATE)
            found = certify(self.surrogate, distribution, provenance=provenance, universal=True)
        except UnsupportedError:
            return None
        return found if found is not None and found.verified.universal else None
