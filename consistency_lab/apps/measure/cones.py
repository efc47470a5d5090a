"""Polyhedral cones exactly, and a condition cut into cones on which the regret is linear."""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, permutations, product
from typing import Final

from flint import fmpz_mat

from consistency_lab.core.orders import Order, Pair
from consistency_lab.frozen import frozen
from consistency_lab.model.conditions import cone
from consistency_lab.model.posets import LinearForm, Relation, chain
from consistency_lab.numbers.exact import Vector, integer_multiple
from consistency_lab.numbers.exact.linear import integer_rank, pivot_columns
from consistency_lab.search.inverse import closed_shapes, identity_is_best, on_edges

# --- Polyhedral cones: their rays, and simplicial cones with exact volumes -------------------------------

Ray = tuple[int, ...]

MOST_PIECES: Final = 2_000
"""A cone that falls into more pieces is not decomposed."""


@frozen
class SimplicialCone:
    """A simplicial cone."""

    rays: tuple[Ray, ...]  #: Linearly independent, of coprime whole numbers.
    #: That of its part of {x in the cone : sum of x = 1}, where the orthant's has volume 1; for a cone of
    #: lower dimension up to a factor that all its pieces share.
    volume: Fraction


def rays_of(size: int, equalities: Iterable[Vector], inequalities: Iterable[Vector]) -> list[Ray]:
    """The extreme rays of {x >= 0 : equalities are 0, inequalities at least 0}, by double description.

    The cone is cut down from the orthant row by row (Motzkin, Raiffa, Thompson, Thrall 1953): a new ray
    arises between two neighbors on different sides; neighbors are those whose common zero rows no third ray
    shares.
    """
    rows: list[Vector] = [tuple(Fraction(int(k == n)) for k in range(size)) for n in range(size)]
    rays: list[Ray] = [tuple(int(k == n) for k in range(size)) for n in range(size)]
    tasks = [(row, True) for row in equalities] + [(row, False) for row in inequalities]
    for row, equality in tasks:
        values = {ray: _value(row, ray) for ray in rays}
        zeros = {ray: frozenset(n for n, row in enumerate(rows) if _value(row, ray) == 0) for ray in rays}
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


def _value(row: Vector, ray: Ray) -> Fraction:
    return sum((c * x for c, x in zip(row, ray, strict=True)), Fraction(0))


def pieces_of(rays: Sequence[Ray], rows: Sequence[Vector]) -> tuple[SimplicialCone, ...] | None:
    """Decompose a pointed cone, given by all its rays and by rows that hold its facets.

    It is pulled apart: from one ray, cones over the facets that do not contain it, and so on inside the
    facets (De Loera, Rambau, Santos, Triangulations, 2010, 4.3.2). None if there are more than `MOST_PIECES`.
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


def _piece(rays: Sequence[Ray], columns: Sequence[int]) -> SimplicialCone:
    volume = Fraction(abs(int(fmpz_mat([[ray[k] for k in columns] for ray in rays]).det())))
    for ray in rays:
        volume /= sum(ray)
    return SimplicialCone(tuple(rays), volume)


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


# --- A condition cut into polyhedral cones of aggregates on which the regret of every order is linear ----
# On a naturally labeled shape of the difference graph the order 0, 1, ..., m-1 is optimal, so the regret of
# an order is the sum of d_ij = a_ij - a_ji over the pairs i < j that it inverts. A condition does not depend
# on the names of the items, so it is enough to try shapes up to relabeling and all orders of the
# items.


@frozen
class RegretPiece:
    """The aggregates of one shape: unknowns a_ij >= 0 on `pairs`, rows in d = a - a.T."""

    m: int  #: Number of items.
    pairs: tuple[Pair, ...]  #: The ordered pairs (i, j) on which a may be above 0.
    #: Forms that are 0, and forms that are at least 0.
    equal: tuple[LinearForm, ...]
    least: tuple[LinearForm, ...]
    strict: tuple[LinearForm, ...]  #: The forms among `least` that are above 0 inside the piece.
    relation: Relation  #: The pairs i < j that an order may invert at a cost.
    #: Rows over `pairs` that are at least 0: how often pairs may be compared.
    schedule: tuple[tuple[Fraction, ...], ...] = ()

    @property
    def nets(self) -> list[list[int]]:
        """The net preferences sum_j d_ij, m rows over `pairs`."""
        return [[(i == k) - (j == k) for i, j in self.pairs] for k in range(self.m)]

    def on_pairs(self, form: LinearForm) -> list[Fraction]:
        """The coefficients of a form in d as one in a, pair by pair."""
        return on_edges(form, self.pairs)

    def regret(self, order: Order) -> LinearForm:
        """The regret of an order, as a form in d."""
        place = {item: k for k, item in enumerate(order)}
        return {(i, j): Fraction(1) for i, j in sorted(self.relation) if place[i] > place[j]}

    def orders(self) -> Iterator[Order]:
        """The orders that can be wrong here, one of each mirror pair.

        Turning all edges and all scores around changes no risk of an edge loss and no regret. Where the piece
        is its own mirror image (item i in the place of m-1-i), an order and its mirror image are equally bad.
        """
        mirror = self._is_its_own_mirror()
        for order in permutations(range(self.m)):
            if self.regret(order) and not (mirror and _mirrored(order) < order):
                yield order

    def _is_its_own_mirror(self) -> bool:
        last = self.m - 1

        def turned(form: LinearForm) -> frozenset[tuple[Pair, Fraction]]:
            return frozenset(((last - j, last - i), c) for (i, j), c in form.items())

        groups = (self.equal, self.least, tuple({pair: Fraction(1)} for pair in self.pairs))
        return all(
            {turned(form) for form in group} == {frozenset(f.items()) for f in group} for group in groups
        )


def pieces(
    condition: str, m: int, *, differences: bool = False, ratio: Fraction | None = None
) -> tuple[RegretPiece, ...]:
    """The pieces of a condition, up to relabeling, those of most relations first."""
    both = tuple(permutations(range(m), 2))
    counts = () if ratio is None else _within(ratio, both)
    shapes = closed_shapes(condition, m)
    if shapes is None:
        best = tuple(identity_is_best(m))
        everything = chain(m)
        if not differences:
            return (RegretPiece(m, both, (), best, (), everything, counts),)
        ways = product(*(((i, j), (j, i)) for i, j in combinations(range(m), 2)))
        return tuple(RegretPiece(m, tuple(sorted(way)), (), best, (), everything) for way in ways)
    parts = []
    for relation in shapes:
        rows = cone(condition, relation, m)
        if differences:
            equal = [row for row in rows.equalities if set(row) & relation]
            least = [row for row in rows.inequalities if len(row) > 1]
            parts.append(
                RegretPiece(m, tuple(sorted(relation)), tuple(equal), tuple(least), rows.strict, relation)
            )
        else:
            forms = rows.equalities, rows.inequalities, rows.strict
            parts.append(RegretPiece(m, both, *forms, relation, counts))
    return tuple(parts)


def _within(ratio: Fraction, both: Sequence[Pair]) -> tuple[tuple[Fraction, ...], ...]:
    """r n_kl - n_ij >= 0 for all pairs, in whole numbers."""
    counts = [[Fraction(ends in ((i, j), (j, i))) for ends in both] for i, j in both if i < j]
    return tuple(
        tuple(ratio.numerator * x - ratio.denominator * y for x, y in zip(one, other, strict=True))
        for one, other in permutations(counts, 2)
    )


def _mirrored(order: Order) -> Order:
    """The order upside down, with item i called m-1-i."""
    return tuple(len(order) - 1 - item for item in reversed(order))
