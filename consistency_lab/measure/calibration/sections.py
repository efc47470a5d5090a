"""The distributions of total weight 1 over one case with at least a given regret, as a polytope."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import final

from consistency_lab.measure.calibration.cases import Case, Shape
from consistency_lab.measure.cones import rays_of

Vector = tuple[Fraction, ...]

_ZERO = Fraction(0)
_HALF = Fraction(1, 2)


@final
@dataclass(frozen=True, slots=True)
class Section:
    """A polytope of aggregates with the regret of a case at its corners.

    Parameters
    ----------
    corners
        Aggregates as vectors over the ordered pairs i * m + j; they sum to 1.
    regrets
        The regret of the order at each of them.
    """

    corners: tuple[Vector, ...]
    regrets: tuple[Fraction, ...]

    @staticmethod
    def of(case: Case) -> "Section":
        """All distributions of the case, whatever the regret."""
        shape, m = case.shape, case.shape.m
        corners, regrets = [], []
        for ray in rays(shape):
            aggregate = [_ZERO] * (m * m)
            for (i, j), value in zip(shape.pairs, ray, strict=True):
                aggregate[i * m + j] = value
            corners.append(tuple(aggregate))
            regrets.append(sum((x for x, w in zip(ray, case.wrong, strict=True) if w), _ZERO))
        for i, j in combinations(range(m), 2):
            balanced = [_ZERO] * (m * m)
            balanced[i * m + j] = balanced[j * m + i] = _HALF
            corners.append(tuple(balanced))
            regrets.append(_ZERO)
        return Section(tuple(corners), tuple(regrets))

    def at_least(self, regret: Fraction) -> tuple[Vector, ...]:
        """Points whose convex hull is the part of the polytope with at least this regret.

        Those corners, and where segments to the other corners meet the bound; all vertices are among them.
        """
        inside = [(x, r) for x, r in zip(self.corners, self.regrets, strict=True) if r >= regret]
        outside = [(x, r) for x, r in zip(self.corners, self.regrets, strict=True) if r < regret]
        found = [x for x, _ in inside]
        for x, r in inside:
            for y, s in outside:
                share = (regret - s) / (r - s)
                found.append(tuple(share * a + (1 - share) * b for a, b in zip(x, y, strict=True)))
        return tuple(dict.fromkeys(found))


def rays(shape: Shape) -> list[Vector]:
    """The extreme rays of the cone of d, each with the sum 1; all d >= 0, so the cone holds no line.

    Examples
    --------
    >>> from consistency_lab.measure.calibration.cases import shapes
    >>> [[str(x) for x in ray] for ray in rays(shapes("low-noise", 3)[-1])]  # on 12, 13, 23
    [['0', '1/2', '1/2'], ['0', '1', '0'], ['1/2', '1/2', '0']]
    """
    found = rays_of(len(shape.pairs), shape.equal, shape.above)
    return sorted(tuple(Fraction(x, sum(ray)) for x in ray) for ray in found)
