"""The convex minorant of what is proved of H, which is what Lemma 1 takes."""

from collections.abc import Sequence
from fractions import Fraction

from consistency_lab.measure.calibration.result import Point

Corner = tuple[Fraction, Fraction]


def convex_minorant(points: Sequence[Point]) -> tuple[Corner, ...]:
    """The corners of a convex function that is proved to lie below H on [0, 1].

    H does not decrease, so between two regrets it is at least its bound at the smaller one: each bound also
    holds just before the next regret. The lower hull of these corners lies below H.

    Examples
    --------
    >>> def point(regret, lower):
    ...     return Point(Fraction(regret), Fraction(lower), Fraction(1), 0)
    >>> corners = convex_minorant([point("1/2", 0), point("3/4", "1/10"), point("1", "1/2")])
    >>> [(str(x), str(y)) for x, y in corners]
    [('0', '0'), ('3/4', '0'), ('1', '1/10')]
    """
    corners: list[Corner] = [(Fraction(0), Fraction(0))]
    known = sorted(points, key=lambda point: point.regret)
    height = Fraction(0)
    for point in known:
        corners.append((point.regret, height))
        height = max(height, point.lower)
    if corners[-1][0] < 1:
        corners.append((Fraction(1), height))
    hull: list[Corner] = []
    for corner in corners:
        while len(hull) > 1 and _above(hull[-2], hull[-1], corner):
            hull.pop()
        hull.append(corner)
    return tuple(hull)


def _above(left: Corner, middle: Corner, right: Corner) -> bool:
    """Whether the middle corner lies on or above the chord."""
    return (middle[1] - left[1]) * (right[0] - left[0]) >= (right[1] - left[1]) * (middle[0] - left[0])
