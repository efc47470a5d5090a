"""Decide a surrogate at one given distribution."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Annotated, Final

from consistency_lab.certify.minimizers import minimizers
from consistency_lab.certify.witness import MAX_ITEMS, Witness, certify
from consistency_lab.checked import Where, checked
from consistency_lab.data.labels import LabelProfile
from consistency_lab.data.profile import Profile
from consistency_lab.decide.answers import ProfileDecision, Verdict
from consistency_lab.decide.hypotheses import illustrated_theorem, known_properties, not_proved_convex
from consistency_lab.decide.tasks.profile import decide_labels
from consistency_lab.errors import InputError, UnsupportedError
from consistency_lab.model.conditions import conditions_at
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import Surrogate, as_surrogate
from consistency_lab.model.surrogates.tasks.base import TaskSurrogate
from consistency_lab.model.targets.pairwise import loss
from consistency_lab.model.tasks.task import Task
from consistency_lab.solve.minimize import minimize
from consistency_lab.solve.optimal import optimal_orders
from consistency_lab.theorems.catalogue import consistency_theorem
from consistency_lab.theorems.exchange import parts_apart

DECIMALS: Final = 4
"""Scores of people or products are read, so they are not rounded as far as those of a made-up witness."""


_GIVEN: Final = Where(
    "a Distribution (Distribution.from_aggregate reads a matrix) or what read_profile returns"
)


@checked
def decide_profile(
    surrogate: Surrogate | TaskSurrogate | str,
    distribution: Annotated[Distribution | Profile | LabelProfile, _GIVEN],
    *,
    target: Task | str | None = None,
    notes: Sequence[str] = (),
    command: str = "",
) -> ProfileDecision:
    """Decide one distribution exactly.

    Parameters
    ----------
    surrogate
        From `surrogate`, its name, or one of your own; with a target from `task_surrogate`, or its name.
    distribution
        The distribution, or what `read_profile` returned, whose notes are taken over; with a target what
        `read_labels` returned.
    target
        What `target` returns, or its name; None for preference graphs of any weights.
    notes
        What else is to be told of it.
    command
        The command that repeats this, for the witness file.

    Raises
    ------
    InputError
        If one of them is something else, or phi is undefined somewhere or unbounded below.

    Examples
    --------
    >>> p = Distribution.of(2, [("3/4", {(0, 1): 1}), ("1/4", {(1, 0): 1})])
    >>> str(decide_profile("logistic", p).verdict)
    'CONSISTENT'
    """
    if target is not None:
        return decide_labels(surrogate, target, distribution, notes=notes, command=command)
    surrogate = as_surrogate(surrogate)
    if isinstance(distribution, Profile):
        notes = (*distribution.notes, *notes)
        distribution = distribution.distribution
    if type(distribution) is not Distribution:
        raise InputError(
            "labels are given without a target; pass target=, a Distribution or what read_profile returns"
        )
    known_properties(surrogate)
    seen = distribution.added_up if surrogate.of_aggregate else distribution.grouped
    if seen is not distribution:
        notes = (*notes, _fewer(surrogate, len(distribution.graphs), len(seen.graphs)))

    def answer(verdict: Verdict, reason: str, witness: Witness | None = None) -> ProfileDecision:
        return ProfileDecision(surrogate, None, distribution, verdict, reason, witness, tuple(notes))

    if not any(any(row) for row in distribution.difference):
        return answer(Verdict.CONSISTENT, "all preferences balance, so every order is optimal here")

    def unproved(reason: str) -> ProfileDecision:
        """Without a file only a theorem decides."""
        theorem = _theorem(surrogate, seen)
        return answer(Verdict.UNDECIDED if theorem is None else Verdict.CONSISTENT, theorem or reason)

    bent = not_proved_convex(surrogate)
    if bent is not None:
        return unproved(f"{bent} is not proved convex, so no certificate applies")
    if seen.m > MAX_ITEMS:
        return unproved(_MANY.format(m=seen.m))
    provenance = {"command": command, "citation": illustrated_theorem(surrogate), "note": "; ".join(notes)}
    try:
        found = certify(surrogate, seen, provenance=provenance, universal=True, decimals=DECIMALS)
        if found is None:
            return unproved(_open(surrogate, seen))
    except UnsupportedError as error:
        return unproved(str(error))
    known = minimizers(found)
    verdict = Verdict.INCONSISTENT if found.inconsistent else Verdict.CONSISTENT
    reason = known.proved(found.verified.claim, found.verified.failure)
    return replace(answer(verdict, reason, found), minimizers=known)


def _theorem(surrogate: Surrogate, p: Distribution) -> str | None:
    """The theorem that speaks of p by a condition that it has, in words."""
    for name, holds in conditions_at(p.aggregate).items():
        evidence = consistency_theorem(surrogate, name, p.m) if holds else None
        if evidence is not None:
            return f"{evidence.citation}, hypotheses checked, for {evidence.scope}; {name} holds here"
    parts = parts_apart(surrogate, p.aggregate) or ()
    if len(parts) > 1 and all(_right_alone(surrogate, p, part) for part in parts):
        return (
            f"each of the {len(parts)} strong components is right alone, and they move apart "
            "(docs/theory.md, Components)"
        )
    return None


def _right_alone(surrogate: Surrogate, p: Distribution, part: Sequence[int]) -> bool:
    if len(part) == 1:
        return True
    alone = Distribution.from_aggregate([[p.aggregate[i][j] for j in part] for i in part])
    return decide_profile(surrogate, alone).verdict is Verdict.CONSISTENT


def _open(surrogate: Surrogate, p: Distribution) -> str:
    """Why nothing is proved, in words: what floats see near the infimum of W, and what is missing."""
    scores = minimize(surrogate.risk_terms(p), p.m, exact=False).scores
    pairs = [(abs(scores[i] - scores[j]), i, j) for i, j in combinations(range(p.m), 2) if p.difference[i][j]]
    gap, i, j = min(pairs)
    if gap <= _NEAR:
        return (
            f"the scores of {p.items[i]} and {p.items[j]} near the infimum of W differ by {gap:.1g}: "
            "a tie is proved at scores that can be named, and an order where W is certainly larger beyond"
        )
    order = sorted(range(p.m), key=lambda k: -scores[k])
    best = optimal_orders(p.aggregate).loss
    word = "right" if loss(p.aggregate, order) == best else "wrong"
    return (
        f"floats order the items {' > '.join(p.items[k] for k in order)}, which is {word}, but no bound of W "
        "was found which proves that whatever comes near its infimum does"
    )


_NEAR: Final = 1e-6
_MANY: Final = (
    f"there are {{m}} items; this answer tells all optimal orders, which are found for at most {MAX_ITEMS} "
    "(certify and audit prove what they can of any number)"
)


def _fewer(surrogate: Surrogate, graphs: int, few: int) -> str:
    """What was done to the distribution before anything was minimized."""
    left = "1 graph stands" if few == 1 else f"{few} graphs stand"
    if surrogate.of_aggregate:
        return (
            f"{graphs} different graphs are added up, since this loss is told all by their aggregate; "
            f"{left} for it, in the file too"
        )
    return f"of {graphs} graphs some are equal; {left} for them, in the file too"
