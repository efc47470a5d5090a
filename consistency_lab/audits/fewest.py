r"""How many votes must go at least before an edge loss does not order two items as it does.

At given scores a vote for i over j pushes i up, and j down, by -phi'(alpha_i - alpha_j). Let a and b have
equal scores, and the others any. If every set of items with a and without b is pushed up by the votes that
are left, then W of these votes is certainly larger where a is not above b (docs/theory.md, Fewest votes).
The sets need not be gone through: what pushes a set is the sum of what pushes its items, and the most that
one vote pushes any set is a sum of positive parts.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, log2
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.data.votes import Votes
from consistency_lab.exact import LogRational
from consistency_lab.phi import Expression, enclose_slopes, facts
from consistency_lab.solve.edges import EdgeRisk
from consistency_lab.solve.kinds import is_convex
from consistency_lab.theorems.regularizer import differentiable

Floats = NDArray[np.float64]

_BITS: Final = 32
_FINEST: Final = 40
_EXACT: Final = 50
"""Sums of whole numbers below 2 to this power are exact in floats."""


def at_least(phi: Expression, votes: Votes, above: int, below: int) -> int | None:
    """So many votes at least must go before `above` is not certainly above `below` any more.

    Slopes are enclosed and rounded outward to multiples of a power of 2; the rest is whole numbers.

    Parameters
    ----------
    phi
        The scalar loss.
    votes
        The data.
    above, below
        Two items.

    Returns
    -------
    int or None
        None if nothing is proved, not even that all votes order the two so.

    Examples
    --------
    >>> from consistency_lab.data.votes import Games
    >>> from consistency_lab.phi import parse
    >>> votes = Games(2, np.array([7, 3]), np.array([0, 1]), np.array([1, 0]), np.array([1, 1]))
    >>> at_least(parse("exp(-x)"), votes, 0, 1), at_least(parse("exp(-x)"), votes, 1, 0)
    (4, None)
    """
    if not is_convex(phi) or facts(phi).lower is None or differentiable(phi) is None:
        return None
    pushes = _Pushes.at(phi, _scores(phi, votes.wins / votes.denominator, above, below))
    if pushes is None:
        return None
    others = [j for j in range(votes.m) if j not in (above, below)]
    left = pushes.of_all(votes, above) + sum(min(0, pushes.of_all(votes, j)) for j in others)
    most = pushes.of_each(votes, above)
    for j in others:
        most = most + np.maximum(pushes.of_each(votes, j), 0.0)
    if left <= 0:
        return None
    gone = 0
    for kind in np.argsort(-most, kind="stable").tolist():
        one, count = int(most[kind]), int(votes.counts[kind])
        if one * count >= left:
            return gone - -left // one
        if one <= 0:
            break
        gone, left = gone + count, left - one * count
    return votes.total


def _scores(phi: Expression, wins: Floats, above: int, below: int) -> list[Fraction]:
    """Scores with the two items equal that are about the least for W."""
    m = len(wins)
    place = np.arange(m)
    place[below] = above
    together = np.zeros((m, m))
    np.add.at(together, (place[:, None], place[None, :]), wins)
    np.fill_diagonal(together, 0.0)
    i, j = np.nonzero(together)
    found = EdgeRisk.of(phi, m, i, j, together[i, j]).descend()[place]
    return [Fraction(round(x * 2**_BITS), 2**_BITS) for x in found.tolist()]


@final
class _Pushes:
    """Bounds of -phi'(alpha_i - alpha_j), as whole numbers in floats and in one unit for all."""

    def __init__(self, low: Floats, high: Floats) -> None:
        self._low = low
        self._high = high

    @staticmethod
    def at(phi: Expression, scores: Sequence[Fraction]) -> "_Pushes | None":
        """At these scores; None where they are too steep to be added exactly."""
        m = len(scores)
        ends = np.zeros((2, m, m))
        for i, u in enumerate(scores):
            for j, v in enumerate(scores):
                if i != j:
                    slope = enclose_slopes(phi, LogRational(u - v))[0]
                    ends[:, i, j] = -float(slope.upper()), -float(slope.lower())
        if not np.isfinite(ends).all():
            return None
        bits = min(_FINEST, _EXACT - ceil(log2(2 * m * (2 + float(np.abs(ends).max())))))
        if bits < 0:
            return None
        # The ends were rounded to floats, here to less than 1/4; one more on either side makes up for it.
        low, high = ends * 2.0**bits
        return _Pushes(np.floor(low) - 1, np.ceil(high) + 1)

    def of_all(self, votes: Votes, item: int) -> int:
        """At least so much all votes push an item."""
        wins, low, high = votes.wins.tolist(), self._low, self._high
        return sum(
            wins[item][j] * int(low[item, j]) - wins[j][item] * int(high[j, item]) for j in range(votes.m)
        )

    def of_each(self, votes: Votes, item: int) -> Floats:
        """At most so much one vote of each kind pushes it, shape (K,); exactly."""
        weights = np.zeros_like(self._low)
        weights[item, :] = self._high[item, :]
        weights[:, item] = -self._low[:, item]
        return votes.denominator * votes.dot(weights)
