"""The inverse search over labels: which small distribution makes scores optimal that are decoded wrongly?"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, product
from math import inf
from typing import Final

import numpy as np

from consistency_lab.errors import UnsupportedError
from consistency_lab.model.surrogates.tasks.base import AtomSurrogate
from consistency_lab.model.surrogates.tasks.features import feature
from consistency_lab.model.tasks.conditions import TASK_CONDITIONS, TaskCondition
from consistency_lab.model.tasks.task import Prediction, Task
from consistency_lab.proofs.task_proof import LabelWitness, is_strict
from consistency_lab.search.effort import OF_LABELS, Effort
from consistency_lab.search.labels.grid import label_scores
from consistency_lab.search.labels.program import WORTH, decided, worst
from consistency_lab.search.labels.question import Cone, Feature, Indices, Place, Question, Wrong
from consistency_lab.search.labels.size import label_size

_ENOUGH: Final = 200
_LONGER: Final = 2
_MORE: Final = 300
"""A search stops after so many witnesses, or after so many times the programs that the first one took and
so many more: a smaller one is worth some effort."""

_KEPT: Final = 20
"""So many witnesses are handed on."""

_FEW: Final = 24
"""Up to so many predictions each is tried as the better one; of more, those that differ by an exchange."""

_DIGITS: Final = 9
_PLACE: Final = 500
"""Steps that it takes to look at one place."""


def label_witnesses(
    surrogate: AtomSurrogate,
    task: Task,
    condition: TaskCondition = TASK_CONDITIONS["any"],
    effort: Effort | None = None,
    *,
    f: str = "",
) -> list[LabelWitness]:
    """Search for distributions over labels at which exact scores minimize the risk and are decoded wrongly.

    For given scores the distributions that make them optimal form a polytope, and so does the condition
    (docs/theory.md, Inverse search). First two labels are tried whose gradients are opposite, then a linear
    program over all; witnesses that are wrong under every tie rule before those that are wrong under some.

    Parameters
    ----------
    surrogate, task
        The question.
    condition
        Where to look; one without a polyhedral form finds nothing.
    effort
        Budget and counters.
    f
        The name of the features that the condition is about, if it is about any.

    Returns
    -------
    list of LabelWitness
        The smallest first, in the order of `size.LabelSize`, 20 at most. Empty means that nothing was
        found, which proves nothing.

    Raises
    ------
    InputError
        If the surrogate or its decoder does not fit the task.
    UnsupportedError
        If the features of the condition are irrational, or atoms of the surrogate are.

    Examples
    --------
    >>> from consistency_lab.model.surrogates.tasks.pairs import PairsSurrogate
    >>> from consistency_lab.model.tasks.catalogue import target
    >>> from consistency_lab.phi import named
    >>> ranknet = PairsSurrogate("ranknet", named("logistic").expression)
    >>> smallest = label_witnesses(ranknet, target("ndcg", items=2))[0]
    >>> {label: str(p) for label, p in smallest.weights.items()}
    {(0, 1): '2/5', (2, 1): '3/5'}
    """
    surrogate.check(task)
    effort = effort or Effort()
    question = Question(surrogate, task, condition, f, _feature(task, f))
    symmetric = task.space.symmetric and condition.name == "any"
    grid = label_scores(question.table.units, question.table.d, symmetric)
    levels = list(_levels(task))
    largest_first = sorted(question.cones, key=lambda cone: len(cone.equalities))
    stages = [
        (_opposed, question.cones, levels[-1:]),
        *((_programs, (cone,), levels) for cone in largest_first),
    ]
    for strict in (True, False):
        for search, cones, spaces in stages:
            found: list[LabelWitness] = []
            start, last = effort.programs, inf
            for labels, scores in product(spaces, grid):
                if effort.expired or len(found) >= _ENOUGH or effort.programs > last:
                    break
                place = Place.at(question, scores, labels)
                effort.count(steps=_PLACE)
                if place is not None:
                    found += search(question, place, cones, strict, effort)
                if found and last == inf:
                    last = effort.programs + _LONGER * (effort.programs - start) + _MORE
            if found:
                return _smallest(question, found)
    return []


def _feature(task: Task, f: str) -> Feature:
    """The features of a name."""
    if not f:
        return lambda label: ()
    named = feature(f)
    if named.scaled:
        raise UnsupportedError(f"the condition on f = {f} has no rational rows, so it is not searched")
    return lambda label: named.values(task, label)


def _smallest(question: Question, found: list[LabelWitness]) -> list[LabelWitness]:
    """The smallest witnesses in order, each distribution and scores once, with the best prediction there."""
    different = {
        (tuple(witness.weights.items()), witness.scores): witness
        for witness in sorted(found, key=label_size, reverse=True)
    }
    return [_with_best(question, witness) for witness in sorted(different.values(), key=label_size)[:_KEPT]]


def _with_best(question: Question, witness: LabelWitness) -> LabelWitness:
    """The witness with the prediction that is better than all others, as far as floats can tell."""
    task, weights = witness.task, witness.weights
    best = min(task.predictions, key=lambda t: round(float(task.expected_loss(weights, t)), _DIGITS))
    gain = float(task.expected_loss(weights, witness.better) - task.expected_loss(weights, best))
    if gain <= WORTH:
        return witness
    strict = is_strict(task, weights, question.returned(witness.scores or ()), best)
    return replace(witness, better=best, strict=strict)


def _levels(task: Task) -> Iterator[Indices]:
    """The numbers of the labels: of those with low grades only, then of more; all in the end."""
    labels = task.space.labels
    tops = [max(label, default=0) if task.space.kind == "grades" else 0 for label in labels]
    for top in sorted(set(tops)):
        chosen = np.array([k for k, own in enumerate(tops) if own <= top], dtype=np.intp)
        if len(chosen) > 1:
            yield chosen


def _mistakes(question: Question, place: Place, strict: bool) -> Iterator[Wrong]:
    """What could be wrong at a place: all that may be returned, or (not strict) some one of several."""
    if strict:
        for better in _rivals(question.task, place.returned[0]):
            if better not in place.returned:
                yield Wrong(place.returned, better)
    elif len(place.returned) > 1:
        for prediction in place.returned:
            for better in _rivals(question.task, prediction):
                yield Wrong((prediction,), better)


def _rivals(task: Task, prediction: Prediction) -> Iterator[Prediction]:
    if len(task.predictions) <= _FEW:
        yield from (t for t in task.predictions if t != prediction)
        return
    for k, n in combinations(range(len(prediction)), 2):
        swapped = list(prediction)
        swapped[k], swapped[n] = prediction[n], prediction[k]
        yield tuple(swapped)


def _programs(
    question: Question, place: Place, cones: Sequence[Cone], strict: bool, effort: Effort
) -> Iterator[LabelWitness]:
    """The worst distribution for each possible mistake."""
    for cone in cones:
        for wrong in _mistakes(question, place, strict):
            effort.count(programs=1, each=OF_LABELS * len(question.task.space.labels))
            support = worst(question, place, wrong, cone)
            if support is None:
                break
            if len(support):
                witness = decided(question, place, wrong, cone, support)
                if witness is not None:
                    yield witness


def _opposed(
    question: Question, place: Place, cones: Sequence[Cone], strict: bool, effort: Effort
) -> Iterator[LabelWitness]:
    """Two labels whose gradients are opposite, weighted so that they cancel."""
    gradient = place.columns.gradient
    length = np.linalg.norm(gradient, axis=1)
    moving = np.flatnonzero(length > WORTH)
    unit = gradient[moving] / length[moving, None]
    forward, backward = (np.round(sign * unit, _DIGITS) + 0.0 for sign in (1, -1))
    facing: dict[bytes, list[int]] = {}
    for k, row in zip(moving, forward, strict=True):
        facing.setdefault(row.tobytes(), []).append(int(k))
    pairs = [
        (int(k), other)
        for k, row in zip(moving, backward, strict=True)
        for other in facing.get(row.tobytes(), ())
        if k < other
    ]
    if not pairs:
        return
    index = np.array(pairs, dtype=np.intp)
    share = length[index[:, ::-1]] / length[index].sum(axis=1, keepdims=True)
    owners = place.columns.labels[index]
    for wrong in _mistakes(question, place, strict):
        gaps = question.gaps(wrong)
        regrets = (gaps[:, owners] * share).sum(axis=2).min(axis=0)
        for cone in cones:
            for k in np.flatnonzero((regrets > WORTH) & _allowed(cone, owners, share)):
                effort.count(programs=1, each=OF_LABELS * len(question.task.space.labels))
                witness = decided(question, place, wrong, cone, index[k])
                if witness is not None:
                    yield witness


def _allowed(cone: Cone, owners: Indices, share: np.ndarray) -> np.ndarray:
    """Which of the pairs of labels lie in the closed cone, in floats."""
    equal = (cone.equalities[:, owners] * share).sum(axis=2)
    upper = (cone.inequalities[:, owners] * share).sum(axis=2)
    kept: np.ndarray = (np.abs(equal) < WORTH).all(axis=0) & (upper > -WORTH).all(axis=0)
    return kept
