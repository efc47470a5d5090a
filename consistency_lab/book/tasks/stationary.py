"""Counterexamples on tasks: scores at which the slopes of a convex risk add up to zero, exactly."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from types import MappingProxyType
from typing import Final

from consistency_lab.book.statement import Refutation
from consistency_lab.exact import LogRational, lower_decimal
from consistency_lab.model.surrogates.base import Term
from consistency_lab.model.surrogates.tasks.pairs import PairsSurrogate
from consistency_lab.model.tasks.labels import Label
from consistency_lab.model.tasks.real import as_ball
from consistency_lab.model.tasks.task import Prediction, Task, certainly_above
from consistency_lab.phi import exact_slopes

Weights = Mapping[Label, Fraction]
Scores = Sequence[LogRational]
Pair = tuple[int, int]
_NONE: Final[Mapping[Pair, Fraction]] = MappingProxyType({})


def gradient(
    surrogate: PairsSurrogate,
    task: Task,
    weights: Weights,
    scores: Scores,
    kinks: Mapping[Pair, Fraction] = _NONE,
) -> tuple[Fraction, ...] | None:
    """A subgradient of the risk of a loss of pairs; None if a slope is not known to be rational.

    Parameters
    ----------
    surrogate, task, weights, scores
        The risk and where its slopes are taken.
    kinks
        The slope chosen for phi(u_i - u_j) where phi has a kink; it has to lie between the one-sided slopes.

    Examples
    --------
    >>> from consistency_lab.model.tasks.catalogue import target
    >>> from consistency_lab.phi import named
    >>> ranknet = PairsSurrogate("ranknet", named("logistic").expression)
    >>> p = {(1, 0): Fraction(3, 5), (0, 1): Fraction(2, 5)}
    >>> gradient(ranknet, target("ndcg", items=2), p, [LogRational.parse("log(3/2)"), LogRational.parse("0")])
    (Fraction(0, 1), Fraction(0, 1))
    """
    total = [Fraction(0)] * task.space.m
    for label, p in weights.items():
        for term in surrogate.atoms(task, label):
            slope = _slope(term, scores, kinks)
            if slope is None:
                return None
            for i, factor in term.v:
                total[i] += p * term.c * slope * factor
    return tuple(total)


def _slope(term: Term, scores: Scores, kinks: Mapping[Pair, Fraction]) -> Fraction | None:
    j, i = (i for i, _ in sorted(term.v, key=lambda entry: entry[1]))
    left, right = exact_slopes(term.phi, scores[i] - scores[j])
    if left is None or right is None:
        return None
    chosen = left if left == right else kinks.get((i, j))
    return chosen if chosen is not None and left <= chosen <= right else None


def sorts(prediction: Prediction, scores: Scores) -> bool:
    """Whether sorting may return the ranking, ties broken in some way."""
    return all(scores[below] <= scores[above] for above, below in pairwise(prediction))


def refuted_at(
    surrogate: PairsSurrogate,
    task: Task,
    weights: Weights,
    scores: Scores,
    better: Prediction,
    kinks: Mapping[Pair, Fraction] = _NONE,
) -> Refutation:
    """Refute "this loss of pairs is calibrated for this task" by minimal scores that may be sorted wrongly.

    Examples
    --------
    >>> from consistency_lab.model.tasks.catalogue import target
    >>> from consistency_lab.phi import named
    >>> ranknet = PairsSurrogate("ranknet", named("logistic").expression)
    >>> p = {(2, 1): Fraction(3, 5), (0, 1): Fraction(2, 5)}
    >>> scores = [LogRational.parse("log(3/2)"), LogRational.parse("0")]
    >>> refuted_at(ranknet, target("ndcg", items=2), p, scores, (1, 0)).witness
    'p(2, 1) = 3/5, p(0, 1) = 2/5: scores (log(3/2), 0) are minimal and lose at least 0.0256 to 2 > 1: strict'
    """
    slopes = gradient(surrogate, task, weights, scores, kinks)
    known = ", ".join(f"p{task.space.text(label)} = {p}" for label, p in weights.items())
    shown = f"{known}: scores ({', '.join(map(str, scores))})"
    if slopes is None or any(slopes) or sum(weights.values()) != 1:
        return Refutation(False, f"{shown} are not shown to be minimal")
    best = task.expected_loss(weights, better)
    returned = [t for t in task.predictions if sorts(t, scores)]
    losses = [task.expected_loss(weights, t) for t in returned]
    worse = [certainly_above(loss, best) for loss in losses]
    if not any(worse):
        return Refutation(False, f"{shown} are minimal, but lose nothing to {task.prediction_text(better)}")
    worst = max(lower_decimal(as_ball(loss - best), 3) for loss in losses)
    failure = "strict" if all(worse) else "tie"
    return Refutation(
        True,
        f"{shown} are minimal and lose at least {float(worst)} to {task.prediction_text(better)}: {failure}",
    )
