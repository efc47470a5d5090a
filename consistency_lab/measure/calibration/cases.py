r"""The cases of a calibration function: a shape of the difference graph and an order of the scores.

Where the difference graph is acyclic, the regret of scores is the sum of d_ij over the edges i → j that
they have the wrong way round. So on a shape (a closed cone of d) and on all scores of one order (a closed
cone too) it is linear, and H is the least of finitely many infima. Closing both cones changes no infimum:
regret is continuous in d on the cone, and the excess surrogate risk in d and in the scores.

Shapes: low noise needs every poset. For the others the chain 0 > 1 > ... > m-1 contains all, up to
relabeling:

- acyclic: number the items along the graph;
- additive: number them by y;
- net order: let d have the closed condition, so d_ik > 0 implies N_i >= N_k. Number the items by N, ties
  along the graph. Then all d_ij >= 0 and N_i >= N_j for i < j, which is the cone over the chain; and adding
  t (y_i - y_j) with y strictly decreasing and a small t > 0 makes all these inequalities strict, so every
  point of the cone is a limit of distributions that have the condition.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from typing import Final, final

from consistency_lab.model.conditions import cone, fewest_shapes
from consistency_lab.model.cones import LinearForm
from consistency_lab.model.posets import Relation, chain

Rows = tuple[tuple[Fraction, ...], ...]

_ZERO: Final = Fraction(0)


@final
@dataclass(frozen=True, slots=True)
class Shape:
    """A shape of the difference graph, with the cone of the condition as rows over its pairs.

    Parameters
    ----------
    m, pairs
        The number of items, and the pairs i < j with d_ij >= 0; d is 0 on the others.
    equal, above
        Rows that are 0, and rows that are at least 0.
    nets
        N_i = sum_j d_ij as m rows.
    """

    m: int
    pairs: tuple[tuple[int, int], ...]
    equal: Rows
    above: Rows
    nets: Rows

    @staticmethod
    def of(condition: str, relation: Relation, m: int) -> "Shape":
        """The closed cone of a condition over a relation."""
        pairs = tuple(sorted(relation))
        rows = cone(condition, relation, m)

        def on_pairs(form: LinearForm) -> tuple[Fraction, ...]:
            return tuple(form.get(pair, _ZERO) for pair in pairs)

        nets = tuple(tuple(Fraction((i == k) - (j == k)) for i, j in pairs) for k in range(m))
        equal = tuple(row for row in map(on_pairs, rows.equalities) if any(row))
        return Shape(m, pairs, equal, tuple(map(on_pairs, rows.inequalities)), nets)


@final
@dataclass(frozen=True, slots=True)
class Case:
    """Scores of one order over one shape: the regret is the sum of d over the wrong pairs.

    Parameters
    ----------
    shape
        The cone of d.
    order
        The items by falling score.
    """

    shape: Shape
    order: tuple[int, ...]

    @property
    def wrong(self) -> tuple[Fraction, ...]:
        """1 for each pair of the shape that the order has the wrong way round, else 0."""
        place = {item: k for k, item in enumerate(self.order)}
        return tuple(Fraction(place[i] > place[j]) for i, j in self.shape.pairs)


def shapes(condition: str, m: int) -> tuple[Shape, ...]:
    """The shapes that matter for a condition; for "any", those with an acyclic difference graph.

    Raises
    ------
    UnsupportedError
        If there are too many.

    Examples
    --------
    >>> [len(shapes(name, 3)) for name in ("additive", "low-noise", "net-order", "acyclic")]
    [1, 4, 1, 1]
    """
    relations = fewest_shapes(condition, m) or (chain(m),)
    return tuple(Shape.of(condition, relation, m) for relation in relations if relation)


def cases(condition: str, m: int) -> Iterator[Case]:
    """All shapes with all orders that have some pair wrong.

    Examples
    --------
    >>> sum(1 for _ in cases("low-noise", 3))
    16
    """
    for shape in shapes(condition, m):
        for order in permutations(range(m)):
            case = Case(shape, order)
            if any(case.wrong):
                yield case
