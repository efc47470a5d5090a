"""A condition cut into polyhedral cones of aggregates on which the regret of every order is linear.

On a naturally labeled shape of the difference graph the order 0, 1, ..., m-1 is optimal, so the regret of an
order is the sum of d_ij = a_ij - a_ji over the pairs i < j that it inverts. A condition does not depend on
the names of the items, so it is enough to go through shapes up to relabeling and all orders of the items.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, permutations, product
from typing import final

from consistency_lab.model.conditions import cone
from consistency_lab.model.posets import Relation, chain
from consistency_lab.search.inverse_shapes import closed_shapes, identity_is_best, on_edges

Pair = tuple[int, int]
Order = tuple[int, ...]
Form = Mapping[Pair, Fraction]
"""A linear form in d_ij, i < j."""


@final
@dataclass(frozen=True, slots=True)
class Piece:
    """The aggregates of one shape: unknowns a_ij >= 0 on `pairs`, rows in d = a - a.T.

    Parameters
    ----------
    m
        Number of items.
    pairs
        The ordered pairs (i, j) on which a may be above 0.
    equal, least
        Forms that are 0, and forms that are at least 0.
    strict
        The forms among `least` that are above 0 inside the piece.
    relation
        The pairs i < j that an order may invert at a cost.
    """

    m: int
    pairs: tuple[Pair, ...]
    equal: tuple[Form, ...]
    least: tuple[Form, ...]
    strict: tuple[Form, ...]
    relation: Relation

    def on_pairs(self, form: Form) -> list[Fraction]:
        """The coefficients of a form in d as one in a, pair by pair."""
        return on_edges(form, self.pairs)

    def regret(self, order: Order) -> Form:
        """The regret of an order, as a form in d.

        Examples
        --------
        >>> [sorted(piece.regret((0, 2, 1))) for piece in pieces("additive", 3)]
        [[(1, 2)]]
        """
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

        def turned(form: Form) -> frozenset[tuple[Pair, Fraction]]:
            return frozenset(((last - j, last - i), c) for (i, j), c in form.items())

        groups = (self.equal, self.least, tuple({pair: Fraction(1)} for pair in self.pairs))
        return all(
            {turned(form) for form in group} == {frozenset(f.items()) for f in group} for group in groups
        )


def pieces(condition: str, m: int, *, differences: bool = False) -> tuple[Piece, ...]:
    """The pieces of a condition, up to relabeling, those of most relations first.

    Parameters
    ----------
    condition, m
        A name of `model.conditions`, and the number of items.
    differences
        Whether the surrogate sees the difference graph only: opposite edges are then of no use, a = [d]_+.

    Raises
    ------
    InputError, UnsupportedError
        If there is no such condition, or it has too many shapes on m items.

    Examples
    --------
    >>> [len(pieces(name, 3)) for name in ("additive", "low-noise", "acyclic", "any")]
    [1, 4, 1, 1]
    """
    both = tuple(permutations(range(m), 2))
    shapes = closed_shapes(condition, m)
    if shapes is None:
        best = tuple(identity_is_best(m))
        everything = chain(m)
        if not differences:
            return (Piece(m, both, (), best, (), everything),)
        ways = product(*(((i, j), (j, i)) for i, j in combinations(range(m), 2)))
        return tuple(Piece(m, tuple(sorted(way)), (), best, (), everything) for way in ways)
    found = []
    for relation in shapes:
        rows = cone(condition, relation, m)
        if differences:
            equal = [row for row in rows.equalities if set(row) & relation]
            least = [row for row in rows.inequalities if len(row) > 1]
            found.append(Piece(m, tuple(sorted(relation)), tuple(equal), tuple(least), rows.strict, relation))
        else:
            found.append(Piece(m, both, rows.equalities, rows.inequalities, rows.strict, relation))
    return tuple(found)


def _mirrored(order: Order) -> Order:
    """The order upside down, with item i called m-1-i."""
    return tuple(len(order) - 1 - item for item in reversed(order))
