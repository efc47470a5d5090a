"""Which pairs of a query are compared, and how often on average."""

from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations

from consistency_lab.model.tasks.labels import Label
from consistency_lab.model.tasks.task import Prediction

PairRule = Callable[[Label, Prediction, int], Iterator[tuple[int, int, Fraction]]]
"""Positions k < l of the current ranking whose items have different grades, and how often they meet."""


def top_pairs(label: Label, ranking: Prediction, k: int) -> Iterator[tuple[int, int, Fraction]]:
    """Every pair with an item among the first k of the current ranking, once.

    Examples
    --------
    >>> [(i, j) for i, j, _ in top_pairs((2, 0, 1), (0, 1, 2), 1)]
    [(0, 1), (0, 2)]
    """
    for i, j in _different(label, ranking):
        if i < k:
            yield i, j, Fraction(1)


def sampled_pairs(label: Label, ranking: Prediction, n: int) -> Iterator[tuple[int, int, Fraction]]:
    """Every item draws n items of another grade, uniformly: the expected number of meetings of each pair.

    Examples
    --------
    >>> [(i, j, str(count)) for i, j, count in sampled_pairs((1, 0, 0), (0, 1, 2), 1)]
    [(0, 1, '3/2'), (0, 2, '3/2')]
    """
    alike = Counter(label)
    others = {grade: len(label) - count for grade, count in alike.items()}
    for i, j in _different(label, ranking):
        yield i, j, sum((Fraction(n, others[label[ranking[at]]]) for at in (i, j)), Fraction(0))


def _different(label: Label, ranking: Prediction) -> Iterator[tuple[int, int]]:
    for i, j in combinations(range(len(ranking)), 2):
        if label[ranking[i]] != label[ranking[j]]:
            yield i, j
