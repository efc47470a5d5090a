"""Distributions on the labels of a task, and what they make of its predictions, all exact."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise, permutations

from consistency_lab.model.tasks.labels import Label
from consistency_lab.model.tasks.task import Prediction, Task

Law = Mapping[Label, Fraction]
"""The probability of each label that has one; the others have none."""


def law(weights: Mapping[Label, int | Fraction]) -> Law:
    """The distribution with probabilities in proportion to these weights.

    Examples
    --------
    >>> law({(0, 1): 1, (1, 1): 3})
    {(0, 1): Fraction(1, 4), (1, 1): Fraction(3, 4)}
    """
    total = sum(weights.values(), Fraction(0))
    return {label: Fraction(weight) / total for label, weight in weights.items()}


def losses(task: Task, p: Law) -> dict[Prediction, Fraction]:
    """The expected loss of every prediction, for a task whose losses are rational."""
    found = {}
    for prediction in task.predictions:
        value = task.expected_loss(p, prediction)
        assert isinstance(value, Fraction)  # that the losses are rational is what these statements are about
        found[prediction] = value
    return found


def optimal(task: Task, p: Law) -> set[Prediction]:
    """The predictions of least expected loss."""
    found = losses(task, p)
    least = min(found.values())
    return {prediction for prediction, value in found.items() if value == least}


def regret(task: Task, p: Law, prediction: Prediction) -> Fraction:
    """The expected loss of a prediction above the least one.

    Examples
    --------
    >>> from consistency_lab.model.tasks.catalogue import target
    >>> regret(target("map", items=2), law({(1, 0): 2, (0, 1): 1}), (1, 0))
    Fraction(1, 6)
    """
    found = losses(task, p)
    return found[prediction] - min(found.values())


def sorted_orders(scores: Sequence[Fraction]) -> Iterator[Prediction]:
    """Every order that sorts the scores from the largest down, with ties broken in every way.

    Examples
    --------
    >>> list(sorted_orders([Fraction(1), Fraction(2), Fraction(1)]))
    [(1, 0, 2), (1, 2, 0)]
    """
    for order in permutations(range(len(scores))):
        if all(scores[i] >= scores[j] for i, j in pairwise(order)):
            yield order


def text(task: Task, p: Law) -> str:
    """The distribution as a person reads it."""
    return "; ".join(f"{task.space.text(label)} with {weight}" for label, weight in p.items() if weight)


def ranking(order: Prediction) -> str:
    """The order of the items, numbered from 1.

    Examples
    --------
    >>> ranking((1, 0, 2))
    '2 > 1 > 3'
    """
    return " > ".join(str(item + 1) for item in order)


def numbers(values: Sequence[Fraction]) -> str:
    """Rationals in parentheses."""
    return f"({', '.join(map(str, values))})"
