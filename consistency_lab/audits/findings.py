"""What one rule does to one profile: its order beside the best one, and the majorities contradicted."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Order = tuple[int, ...]
Matrix = Sequence[Sequence[Fraction]]


@final
@dataclass(frozen=True, slots=True)
class Contradiction:
    """A majority for `above` over `below` that an order contradicts.

    Parameters
    ----------
    above, below
        The items, as the majority has them.
    votes, against
        How often the one was preferred to the other, and the other to the one.
    """

    above: int
    below: int
    votes: Fraction
    against: Fraction


def contradictions(a: Matrix, order: Sequence[int]) -> tuple[Contradiction, ...]:
    """The majorities that an order contradicts, the largest difference of votes first.

    Examples
    --------
    >>> a = [[Fraction(0), Fraction(2)], [Fraction(1), Fraction(0)]]
    >>> [(found.above, found.below) for found in contradictions(a, (1, 0))]
    [(0, 1)]
    """
    found = [
        Contradiction(lower, upper, a[lower][upper], a[upper][lower])
        for upper, lower in combinations(order, 2)
        if a[lower][upper] > a[upper][lower]
    ]
    return tuple(sorted(found, key=lambda one: (one.against - one.votes, one.above, one.below)))


def disagreement(a: Matrix, order: Sequence[int]) -> Fraction:
    """How many votes an order contradicts: the sum of a_ij over i below j (docs/theory.md, Target loss).

    Examples
    --------
    >>> str(disagreement([[Fraction(0), Fraction(2)], [Fraction(1), Fraction(0)]], (1, 0)))
    '2'
    """
    return sum((a[lower][upper] for upper, lower in combinations(order, 2)), Fraction(0))


def kendall(first: Sequence[int], second: Sequence[int]) -> int:
    """How many pairs two orders have the other way round.

    Examples
    --------
    >>> kendall((0, 1, 2), (2, 0, 1))
    2
    """
    place = {item: k for k, item in enumerate(second)}
    return sum(place[i] > place[j] for i, j in combinations(first, 2))


def contradicted(wins: Floats, scores: Floats) -> NDArray[np.bool_]:
    """Whether a majority for i over j stands against the scores, shape (b, m, m); equal scores do not count.

    Examples
    --------
    >>> contradicted(np.array([[[0.0, 2.0], [1.0, 0.0]]]), np.array([[0.0, 1.0]]))[0].tolist()
    [[False, True], [False, False]]
    """
    found: NDArray[np.bool_] = (wins > wins.transpose(0, 2, 1)) & (scores[:, :, None] < scores[:, None, :])
    return found
