"""Posets and acyclic orientations, and the rows that cut a condition into cones."""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import cache
from itertools import combinations, groupby, permutations, product
from typing import Final

from consistency_lab.errors import InputError, UnsupportedError
from consistency_lab.frozen import frozen
from consistency_lab.numbers.exact import Vector

# --- Posets and acyclic orientations up to isomorphism: the shapes that a difference graph can have ------
# The low-noise condition forces the difference graph to be transitive, so its shape is a poset (OEIS
# A000112); under the net-order condition and for acyclic difference graphs it is any acyclic digraph (OEIS
# A003087). Every shape is given once, *naturally labeled*: an edge (i, j) has i < j.

Relation = frozenset[tuple[int, int]]
"""Pairs (i, j), i < j, of items 0..m-1: i stands above j."""

MAX_POSET_ITEMS: Final = 6
MAX_ORIENTATION_ITEMS: Final = 5

_Columns = tuple[int, ...]
"""A relation as bit masks: entry j holds the items above j."""


def posets(m: int) -> tuple[Relation, ...]:
    """All posets on 0..m-1 up to isomorphism, fewest pairs first, the chain last."""
    _check(m, MAX_POSET_ITEMS, "posets")
    return _relations(m, transitive=True)


def orientations(m: int) -> tuple[Relation, ...]:
    """All acyclic digraphs on 0..m-1 up to isomorphism, fewest edges first."""
    _check(m, MAX_ORIENTATION_ITEMS, "acyclic digraphs")
    return _relations(m, transitive=False)


def chain(m: int) -> Relation:
    """The total order 0 above 1 above ... above m-1."""
    return frozenset((i, j) for j in range(m) for i in range(j))


def only_chain(m: int) -> tuple[Relation, ...]:
    """The shape of all pairs i < j: its closed cones contain those of other shapes."""
    return (chain(m),)


def weak_orders(m: int) -> tuple[Relation, ...]:
    """The relations of items in levels, numbered level by level."""
    found = []
    for ties in product((False, True), repeat=m - 1):
        level = [sum(not tie for tie in ties[:i]) for i in range(m)]
        found.append(frozenset((i, j) for i, j in combinations(range(m), 2) if level[i] < level[j]))
    return tuple(found)


def is_transitive(relation: Relation) -> bool:
    """Whether (i, j) and (j, k) always come with (i, k)."""
    return all((i, k) in relation for i, j in relation for h, k in relation if h == j)


def _check(m: int, limit: int, what: str) -> None:
    if m < 1:
        raise InputError(f"there are {m} items; {what} need at least 1")
    if m > limit:
        raise UnsupportedError(f"{what} on {m} items are too many to go through; the limit is {limit} items")


# A memo of a pure function of one small integer: the shapes are needed again for every surrogate.
@cache
def _relations(m: int, *, transitive: bool) -> tuple[Relation, ...]:
    found = _classes(m, transitive=transitive)
    relations = [_pairs(columns) for columns in found]
    return tuple(sorted(relations, key=lambda pairs: (len(pairs), sorted(pairs))))


@cache
def _classes(m: int, *, transitive: bool) -> tuple[_Columns, ...]:
    """One relation of each class: a smaller one, and a new lowest item under some of its items."""
    if m == 0:
        return ((),)
    seen: dict[_Columns, _Columns] = {}
    for smaller in _classes(m - 1, transitive=transitive):
        for above in range(1 << (m - 1)):
            if transitive and any(over & ~above for j, over in enumerate(smaller) if above >> j & 1):
                continue  # the items above must be closed upwards
            columns = (*smaller, above)
            seen.setdefault(_canonical(columns), columns)
    return tuple(seen.values())


def _pairs(columns: _Columns) -> Relation:
    return frozenset((i, j) for j, above in enumerate(columns) for i in range(j) if above >> i & 1)


def _canonical(columns: _Columns) -> _Columns:
    """The least relabeling that keeps items sorted by a label that no relabeling changes."""
    labels = _labels(columns)
    order = sorted(range(len(columns)), key=lambda item: labels[item])
    blocks = [tuple(block) for _, block in groupby(order, key=lambda item: labels[item])]
    arrangements = product(*(permutations(block) for block in blocks))
    return min(_relabeled(columns, [item for part in parts for item in part]) for parts in arrangements)


def _labels(columns: _Columns) -> list[int]:
    """Number of items above and below, refined by those of the neighbors until nothing splits."""
    m = len(columns)
    above = [[i for i in range(m) if columns[j] >> i & 1] for j in range(m)]
    below = [[j for j in range(m) if columns[j] >> i & 1] for i in range(m)]
    labels = [0] * m
    while True:
        signs = [
            (labels[i], sorted(labels[k] for k in above[i]), sorted(labels[k] for k in below[i]))
            for i in range(m)
        ]
        ranks = sorted(signs)
        refined = [ranks.index(sign) for sign in signs]
        if refined == labels:
            return labels
        labels = refined


def _relabeled(columns: _Columns, arrangement: list[int]) -> _Columns:
    place = {item: position for position, item in enumerate(arrangement)}
    return tuple(
        sum(1 << place[i] for i in range(len(columns)) if columns[item] >> i & 1) for item in arrangement
    )


# --- Linear forms in the differences d_ij, and the rows that cut a condition's cone out of one shape -----
# An unknown is d_ij with i < j. A shape is a naturally labeled relation (see `posets`): d_ij >= 0 on its
# pairs and d_ij = 0 on the others. The conditions themselves are in `conditions`.

LinearForm = Mapping[tuple[int, int], Fraction]
"""sum of c_ij d_ij over pairs i < j; absent pairs have coefficient 0."""


@frozen
class Cone:
    """The closed cone of a condition over one shape; its points with all strict forms positive have it."""

    #: Linear forms in d_ij, i < j; `strict` is a part of `inequalities`.
    equalities: tuple[LinearForm, ...]
    inequalities: tuple[LinearForm, ...]
    strict: tuple[LinearForm, ...]

    def joined(self, other: "Cone") -> "Cone":
        """The intersection: the rows of both."""
        return Cone(
            self.equalities + other.equalities,
            self.inequalities + other.inequalities,
            self.strict + other.strict,
        )


@frozen
class LabelCone:
    """The p of one order of the items: equalities 0, inequalities at least 0, strict forms above 0."""

    equalities: tuple[Vector, ...] = ()
    inequalities: tuple[Vector, ...] = ()
    strict: tuple[Vector, ...] = ()


def shape_rows(relation: Relation, m: int) -> Cone:
    """d_ij >= 0 on the relation, d_ij = 0 elsewhere."""
    for i, j in relation:
        if not 0 <= i < j < m:
            raise InputError(f"the pair ({i}, {j}) is not naturally labeled; it must be i < j < {m}")
    positive = tuple(form({pair: 1}) for pair in sorted(relation))
    zero = tuple(form({pair: 1}) for pair in combinations(range(m), 2) if pair not in relation)
    return Cone(zero, positive, positive)


def form(coefficients: Mapping[tuple[int, int], int | Fraction]) -> LinearForm:
    """A linear form without its zero coefficients."""
    return {pair: Fraction(c) for pair, c in coefficients.items() if c}


def net_gap(i: int, k: int, m: int) -> LinearForm:
    """N_i - N_k as a linear form, where N_i = sum over j of d_ij (DMJ10 Eq. 15)."""
    total: dict[tuple[int, int], int] = {}
    for item, sign in ((i, 1), (k, -1)):
        for j in range(m):
            pair = (item, j) if item < j else (j, item)
            if j != item:
                total[pair] = total.get(pair, 0) + (sign if item < j else -sign)
    return form(dict(sorted(total.items())))


def combined(parts: Iterable[tuple[Fraction, LinearForm]]) -> LinearForm:
    """The sum of multiples of linear forms, its pairs in order."""
    total: dict[tuple[int, int], Fraction] = {}
    for factor, part in parts:
        for pair, c in part.items():
            total[pair] = total.get(pair, Fraction(0)) + factor * c
    return form(dict(sorted(total.items())))
