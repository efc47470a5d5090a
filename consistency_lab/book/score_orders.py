"""Every order that scores can have, ties included: the places where the target loss is constant."""

from collections.abc import Iterator
from itertools import product


def score_orders(m: int) -> Iterator[tuple[int, ...]]:
    """One score vector for each weak order of m items: integers from 0 up, no integer left out.

    Examples
    --------
    >>> [len(list(score_orders(m))) for m in (2, 3, 4, 5)]
    [3, 13, 75, 541]
    """
    return (scores for scores in product(range(m), repeat=m) if max(scores) + 1 == len(set(scores)))
