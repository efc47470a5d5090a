"""Two items and one coin: the distributions at which W* is known in closed form."""

from fractions import Fraction

from consistency_lab.exact import Ball, enclose
from consistency_lab.model.distribution import Distribution


def coin(x: Fraction) -> Distribution:
    """Two items, 1 → 2 with probability x and 2 → 1 otherwise.

    Examples
    --------
    >>> str(coin(Fraction(1, 3)).difference[1][0])
    '1/3'
    """
    return Distribution.of(2, [(x, {(0, 1): 1}), (1 - x, {(1, 0): 1})])


def entropy(x: Fraction) -> Ball:
    """-x log x - (1-x) log(1-x) for 0 < x < 1: W* of the logistic loss, attained at log(x/(1-x)).

    Examples
    --------
    >>> entropy(Fraction(1, 2)).str(4, radius=False)
    '0.6931'
    """
    return -(enclose(x) * enclose(x).log() + enclose(1 - x) * enclose(1 - x).log())
