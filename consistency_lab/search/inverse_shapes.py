"""The condition of an inverse search, cut into polyhedral cones: one for each shape of the differences."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, permutations, product
from typing import final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.model.conditions import CONDITIONS, cone, fewest_shapes
from consistency_lab.model.posets import Relation
from consistency_lab.model.surrogates import Surrogate
from consistency_lab.search.realize import sees_difference_only

Pair = tuple[int, int]
Row = Mapping[Pair, Fraction]
Floats = NDArray[np.float64]


@final
@dataclass(frozen=True)
class Shape:
    """The rows that do not depend on the scores: the condition on one shape of the difference graph.

    Parameters
    ----------
    m
        The number of items.
    relation
        The pairs (i, j) with d_ij >= 0, d being 0 on the others; None if nothing is known of the signs.
    equal, upper
        Linear forms in d that are 0, and at most 0.
    """

    m: int
    relation: frozenset[Pair] | None
    equal: list[Row]
    upper: list[Row]

    @cached_property
    def _floats(self) -> tuple[Floats, Floats]:
        """The rows over all ordered pairs, in floats."""
        pairs = list(permutations(range(self.m), 2))
        rows = [
            np.array([on_edges(row, pairs) for row in block], dtype=float).reshape(-1, len(pairs))
            for block in (self.equal, self.upper)
        ]
        return rows[0], rows[1]

    def on(self, pairs: Sequence[Pair]) -> tuple[Floats, Floats]:
        """The rows over some ordered pairs, in floats."""
        place = {pair: k for k, pair in enumerate(permutations(range(self.m), 2))}
        index = [place[pair] for pair in pairs]
        equal, upper = self._floats
        return equal[:, index], upper[:, index]


def shapes(surrogate: Surrogate, condition: str, m: int) -> Iterator[Shape]:
    """The condition, cut into polyhedral cones, the largest shapes first; none if it has no cones."""
    if not CONDITIONS[condition].of_differences:
        return
    relations = closed_shapes(condition, m)
    if relations is not None:
        for relation in relations:
            rows = cone(condition, relation, m)
            yield Shape(m, relation, list(rows.equalities), [_negative(row) for row in rows.inequalities])
        return
    best = [_negative(row) for row in identity_is_best(m)]
    if not sees_difference_only(surrogate):
        yield Shape(m, None, [], best)
        return
    for choice in product(*(((i, j), (j, i)) for i, j in combinations(range(m), 2))):
        signs = [_negative({pair: Fraction(1)}) for pair in choice]
        yield Shape(m, frozenset(choice), [], signs + best)


def closed_shapes(condition: str, m: int) -> list[Relation] | None:
    """The relations whose closed cones together hold all d of a condition but 0, the largest first.

    None for "any", where nothing is known of the signs.

    Examples
    --------
    >>> [len(relation) for relation in closed_shapes("low-noise", 3)]
    [3, 2, 2, 1]
    """
    relations = fewest_shapes(condition, m)
    return None if relations is None else sorted(filter(None, relations), key=len, reverse=True)


def on_edges(form: Row, pairs: Sequence[Pair]) -> list[Fraction]:
    """A linear form in d written in the edges a: d_ij = a_ij - a_ji.

    Examples
    --------
    >>> [str(x) for x in on_edges({(0, 1): Fraction(2)}, [(0, 1), (1, 0), (1, 2)])]
    ['2', '-2', '0']
    """
    zero = Fraction(0)
    return [form.get((i, j), zero) - form.get((j, i), zero) for i, j in pairs]


def identity_is_best(m: int) -> Iterator[Row]:
    """loss(sigma) - loss(identity) >= 0 for every order sigma, as forms in d.

    Examples
    --------
    >>> [list(form) for form in identity_is_best(2)]
    [[(0, 1)]]
    """
    for order in permutations(range(m)):
        place = {item: k for k, item in enumerate(order)}
        row = {(i, j): Fraction(1) for i, j in combinations(range(m), 2) if place[i] > place[j]}
        if row:
            yield row


def _negative(form: Row) -> Row:
    return {pair: -c for pair, c in form.items()}
