"""Polyhedral cones exactly: their rays, and a decomposition into simplicial cones with exact volumes."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Final, final

from flint import fmpz_mat

from consistency_lab.exact import integer_multiple
from consistency_lab.exact.factorization import integer_rank
from consistency_lab.exact.linear import pivot_columns

Ray = tuple[int, ...]
Row = Sequence[Fraction]

MOST_PIECES: Final = 2_000
"""A cone that falls into more pieces is not decomposed."""


@final
@dataclass(frozen=True, slots=True)
class Piece:
    """A simplicial cone.

    Parameters
    ----------
    rays
        Linearly independent, of coprime whole numbers.
    volume
        That of its part of {x in the cone : sum of x = 1}, where the orthant's has volume 1; for a cone of
        lower dimension up to a factor that all its pieces share.
    """

    rays: tuple[Ray, ...]
    volume: Fraction


def rays_of(size: int, equalities: Iterable[Row], inequalities: Iterable[Row]) -> list[Ray]:
    """The extreme rays of {x >= 0 : equalities are 0, inequalities at least 0}, by double description.

    The cone is cut down from the orthant row by row (Motzkin, Raiffa, Thompson, Thrall 1953): a new ray
    arises between two neighbors on different sides; neighbors are those whose common zero rows no third ray
    shares.

    Examples
    --------
    >>> one = Fraction(1)
    >>> rays_of(3, [], [(-one, -one, one)])
    [(0, 0, 1), (0, 1, 1), (1, 0, 1)]
    """
    rows: list[Row] = [tuple(Fraction(int(k == n)) for k in range(size)) for n in range(size)]
    rays: list[Ray] = [tuple(int(k == n) for k in range(size)) for n in range(size)]
    tasks = [(row, True) for row in equalities] + [(row, False) for row in inequalities]
    for row, equality in tasks:
        values = {ray: _value(row, ray) for ray in rays}
        zeros = {ray: _zeros(rows, ray) for ray in rays}
        kept = [ray for ray in rays if values[ray] == 0 or (values[ray] > 0 and not equality)]
        for high, low in _neighbors(rays, values, zeros):
            mixed = [values[high] * y - values[low] * x for x, y in zip(high, low, strict=True)]
            kept.append(tuple(integer_multiple(mixed)[0]))
        rays = sorted(set(kept))
        rows.append(row)
    return rays


def _neighbors(
    rays: Sequence[Ray], values: dict[Ray, Fraction], zeros: dict[Ray, frozenset[int]]
) -> Iterator[tuple[Ray, Ray]]:
    for one, other in combinations(rays, 2):
        if values[one] * values[other] < 0:
            common = zeros[one] & zeros[other]
            if not any(common <= zeros[ray] for ray in rays if ray not in (one, other)):
                yield (one, other) if values[one] > 0 else (other, one)


def _value(row: Row, ray: Ray) -> Fraction:
    return sum((c * x for c, x in zip(row, ray, strict=True)), Fraction(0))


def _zeros(rows: Sequence[Row], ray: Ray) -> frozenset[int]:
    return frozenset(n for n, row in enumerate(rows) if _value(row, ray) == 0)


def pieces_of(rays: Sequence[Ray], rows: Sequence[Row]) -> tuple[Piece, ...] | None:
    """Decompose a pointed cone, given by all its rays and by rows that hold its facets.

    It is pulled apart: from one ray, cones over the facets that do not contain it, and so on inside the
    facets (De Loera, Rambau, Santos, Triangulations, 2010, 4.3.2). None if there are more than `MOST_PIECES`.

    Examples
    --------
    A square pyramid falls into two:

    >>> square = [(1, 0, 0, 1), (0, 1, 0, 1), (1, 0, 1, 0), (0, 1, 1, 0)]
    >>> rows = [tuple(Fraction(int(k == n)) for k in range(4)) for n in range(4)]
    >>> [str(piece.volume) for piece in pieces_of(square, rows)]
    ['1/8', '1/8']
    """
    facets = [frozenset(n for n, ray in enumerate(rays) if _value(row, ray) == 0) for row in rows]
    everything = frozenset(range(len(rays)))
    simplices: list[tuple[int, ...]] = []
    for simplex in _pulled(everything, facets, rays):
        if len(simplices) == MOST_PIECES:
            return None
        simplices.append(simplex)
    # On these coordinates the span of the rays is projected without loss.
    columns = pivot_columns([[Fraction(x) for x in rays[n]] for n in simplices[0]])
    return tuple(_piece([rays[n] for n in simplex], columns) for simplex in simplices)


def _piece(rays: Sequence[Ray], columns: Sequence[int]) -> Piece:
    volume = Fraction(abs(int(fmpz_mat([[ray[k] for k in columns] for ray in rays]).det())))
    for ray in rays:
        volume /= sum(ray)
    return Piece(tuple(rays), volume)


def _pulled(
    face: frozenset[int], facets: Sequence[frozenset[int]], rays: Sequence[Ray]
) -> Iterator[tuple[int, ...]]:
    dimension = integer_rank([rays[n] for n in face])
    if dimension == len(face):
        yield tuple(sorted(face))
        return
    apex = min(face)
    for lower in sorted({face & facet for facet in facets}, key=sorted):
        if apex not in lower and lower and integer_rank([rays[n] for n in lower]) == dimension - 1:
            for simplex in _pulled(lower, facets, rays):
                yield (apex, *simplex)
