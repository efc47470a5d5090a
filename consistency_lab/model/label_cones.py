"""What noise conditions say of labels: exact tests on a distribution p over them, and cones in p.

A cone is given for one order of the items; in a symmetric label space the others follow by relabeling.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import chain, combinations, permutations, product
from math import prod
from types import MappingProxyType
from typing import Final

from consistency_lab.errors import UnsupportedError
from consistency_lab.frozen import frozen
from consistency_lab.model.labels import Feature, Grades, Label, LabelSpace, Rankings, Weights, differences
from consistency_lab.model.posets import Cone, LabelCone, LinearForm, orientations
from consistency_lab.numbers.exact import ZERO, Vector

# --- The differences of the labels' aggregate, as linear forms in p --------------------------------------


def difference_rows(space: LabelSpace) -> dict[tuple[int, int], Vector]:
    """For i < j the row of d_ij."""
    edges = [{(i, j): w for i, j, w in space.preferences(label)} for label in space.labels]
    return {
        (i, j): tuple(known.get((i, j), ZERO) - known.get((j, i), ZERO) for known in edges)
        for i, j in combinations(range(space.m), 2)
    }


def combined_rows(form: LinearForm, rows: Mapping[tuple[int, int], Vector]) -> Vector:
    """A linear form in d as one in p."""
    parts = [(c, rows[pair]) for pair, c in form.items()]
    return tuple(sum((c * row[k] for c, row in parts), ZERO) for k in range(len(next(iter(rows.values())))))


@frozen
class OnLabels:
    """What a condition says of labels."""

    test: Callable[[LabelSpace, Weights, Feature], bool]  #: The exact test on p.
    #: Its cones in p for one order of the items; None where it is not a union of polyhedral ones.
    cones: Callable[[LabelSpace, Feature], tuple[LabelCone, ...]] | None = None
    #: Why it does not apply to a label space, or "".
    about: Callable[[LabelSpace], str] = lambda space: space.unrelated


def of_aggregates(
    holds: Callable[[list[list[Fraction]]], bool], parts: Callable[[int], Iterable[Cone]] | None
) -> OnLabels:
    """A condition on labels: the aggregate of their edges must satisfy the given one, with its cones in d."""

    def cones(space: LabelSpace, f: Feature) -> tuple[LabelCone, ...]:
        rows, found = difference_rows(space), []
        for part in parts(space.m) if parts else ():
            wide = [form for form in part.inequalities if form not in part.strict]
            forms = (part.equalities, wide, part.strict)
            found.append(LabelCone(*(tuple(combined_rows(form, rows) for form in some) for some in forms)))
        return tuple(found)

    return OnLabels(lambda space, weights, f: holds(space.aggregate(weights)), cones if parts else None)


# --- E f in the order of the preferences: RAT13's P_f ----------------------------------------------------


def is_p_f(space: LabelSpace, weights: Weights, f: Feature) -> bool:
    """Whether E f is in the order of the preferences."""
    d = differences(space, weights)
    means = [sum((p * f(label)[i] for label, p in weights.items()), ZERO) for i in range(space.m)]
    return all(means[i] > means[j] for i in range(space.m) for j in range(space.m) if d[i][j] > 0)


def p_f_cones(space: LabelSpace, f: Feature) -> tuple[LabelCone, ...]:
    """One for each acyclic shape: on its edges both d and the difference of E f are positive."""
    rows = difference_rows(space)
    features = [f(label) for label in space.labels]
    found = []
    for relation in orientations(space.m):
        means = tuple(tuple(x[i] - x[j] for x in features) for i, j in relation)
        found.append(
            LabelCone(
                equalities=tuple(row for pair, row in rows.items() if pair not in relation),
                strict=(*(rows[pair] for pair in relation), *means),
            )
        )
    return tuple(found)


# --- Reinforcing relevance -------------------------------------------------------------------------------


def _is_binary(space: LabelSpace) -> bool:
    return isinstance(space, Grades) and space.grades == (0, 1)


def _products(label: Label) -> list[list[Fraction]]:
    """The matrix y_i y_j / sum y; 0 for y = 0."""
    total = sum(label)
    return [[Fraction(a * b, total) if total else ZERO for b in label] for a in label]


def _lead(u: Sequence[Sequence[Fraction]], i: int, j: int, others: Iterable[int]) -> Fraction:
    """u_ii - u_jj - sum over the others g of (u_jg - u_ig)."""
    return u[i][i] - u[j][j] - sum((u[j][g] - u[i][g] for g in others), ZERO)


def is_reinforcing(space: LabelSpace, weights: Weights, f: Feature) -> bool:
    """Whether u = E[y y' / sum y] reinforces."""
    u = [[ZERO] * space.m for _ in range(space.m)]
    for label, p in weights.items():
        for total, line in zip(u, _products(label), strict=True):
            total[:] = [x + p * y for x, y in zip(total, line, strict=True)]
    everyone = range(space.m)
    return all(
        _lead(u, i, j, (g for g in everyone if g not in (i, j) and u[j][g] > u[i][g])) >= 0
        for i, j in permutations(everyone, 2)
        if u[i][i] >= u[j][j]
    )


def reinforcing_cones(space: LabelSpace, f: Feature) -> tuple[LabelCone, ...]:
    """u_11 >= ... >= u_mm in groups of equal ones; the positive parts are maxima over sets of items."""
    m = space.m
    products = [_products(label) for label in space.labels]

    def form(i: int, j: int, others: Sequence[int]) -> Vector:
        return tuple(_lead(u, i, j, others) for u in products)

    def rows(i: int, j: int) -> Iterator[Vector]:
        rest = [g for g in range(m) if g not in (i, j)]
        subsets = chain.from_iterable(combinations(rest, size) for size in range(len(rest) + 1))
        return (form(i, j, others) for others in subsets)

    found = []
    for ties in product((False, True), repeat=m - 1):
        level = {i for i, tied in enumerate(reversed(ties)) if tied}
        tied = [(i, j) for i, j in combinations(range(m), 2) if all(k in level for k in range(i, j))]
        found.append(
            LabelCone(
                equalities=tuple(form(i, i + 1, ()) for i in sorted(level)),
                inequalities=(
                    *chain.from_iterable(rows(i, j) for i, j in combinations(range(m), 2)),
                    *chain.from_iterable(rows(j, i) for i, j in tied),
                ),
                strict=tuple(form(i, i + 1, ()) for i in range(m - 1) if i not in level),
            )
        )
    return tuple(found)


# --- Labels with two items exchanged ---------------------------------------------------------------------

_MOST_EXCHANGED: Final = 700
"""Labels up to which exchanges of items are listed: there are about labels times pairs of items."""


def of_exchanges(space: LabelSpace) -> str:
    """Why items cannot be exchanged in labels."""
    fits = isinstance(space, Grades | Rankings)
    return "" if fits else space.unrelated or "it is about grades and rankings"


def _swaps(space: LabelSpace, i: int, j: int) -> Iterator[tuple[Label, Label]]:
    """The labels that prefer i to j, each with the label in which the two are exchanged."""
    sigma = [j if k == i else i if k == j else k for k in range(space.m)]
    for label in space.labels:
        if any((a, b) == (i, j) for a, b, _ in space.preferences(label)):
            yield label, space.relabeled(label, sigma)


def _ordered(space: LabelSpace, weights: Weights, strictly: Callable[[list[Fraction]], bool]) -> bool:
    """Whether, for each pair of items, one way of exchanging them never raises and `strictly` lowers p."""

    def one_way(i: int, j: int) -> bool:
        drops = [weights.get(y, ZERO) - weights.get(z, ZERO) for y, z in _swaps(space, i, j)]
        return all(x >= 0 for x in drops) and strictly(drops)

    return all(one_way(i, j) or one_way(j, i) for i, j in combinations(range(space.m), 2))


def _swap_rows(space: LabelSpace) -> Iterator[tuple[Vector, ...]]:
    if len(space.labels) > _MOST_EXCHANGED:
        raise UnsupportedError(
            f"{len(space.labels)} labels make too many inequalities between labels with two items exchanged; "
            f"up to {_MOST_EXCHANGED} labels are taken"
        )
    index = {label: k for k, label in enumerate(space.labels)}
    for i, j in combinations(range(space.m), 2):
        rows = []
        for y, z in _swaps(space, i, j):
            row = [ZERO] * len(index)
            row[index[y]], row[index[z]] = Fraction(1), Fraction(-1)
            rows.append(tuple(row))
        yield tuple(rows)


def rank_differentiable_cones(space: LabelSpace, f: Feature) -> tuple[LabelCone, ...]:
    """One: for each pair no exchange raises p, and their sum lowers it."""
    pairs = list(_swap_rows(space))
    totals = tuple(tuple(map(sum, zip(*rows, strict=True))) for rows in pairs)
    return (LabelCone(inequalities=tuple(chain.from_iterable(pairs)), strict=totals),)  # type: ignore[arg-type]


# --- Independent labels ----------------------------------------------------------------------------------


def is_independent(space: LabelSpace, weights: Weights, f: Feature) -> bool:
    """Whether p is the product of its marginals."""
    marginals: list[dict[int, Fraction]] = [{} for _ in range(space.m)]
    for label, p in weights.items():
        for marginal, grade in zip(marginals, label, strict=True):
            marginal[grade] = marginal.get(grade, ZERO) + p
    return all(
        weights.get(label, ZERO)
        == prod((marginal.get(grade, ZERO) for marginal, grade in zip(marginals, label, strict=True)))
        for label in space.labels
    )


ON_LABELS: Final[Mapping[str, OnLabels]] = MappingProxyType(
    {
        "p-f": OnLabels(is_p_f, p_f_cones),
        "reinforce": OnLabels(
            is_reinforcing,
            reinforcing_cones,
            lambda space: "" if _is_binary(space) else "it is about labels of 0 and 1",
        ),
        # Every exchange against one order of the items lowers p: one cone.
        "order-preserving": OnLabels(
            lambda space, weights, f: _ordered(space, weights, lambda drops: all(x > 0 for x in drops)),
            lambda space, f: (LabelCone(strict=tuple(chain.from_iterable(_swap_rows(space)))),),
            of_exchanges,
        ),
        # Exchanges against it never raise p, and each pair once lowers it.
        "rank-differentiable": OnLabels(
            lambda space, weights, f: _ordered(space, weights, lambda drops: any(x > 0 for x in drops)),
            rank_differentiable_cones,
            of_exchanges,
        ),
        "independent": OnLabels(
            is_independent,
            about=lambda space: "" if isinstance(space, Grades) else "independent labels are grades",
        ),
        "any": OnLabels(lambda *given: True, lambda *given: (LabelCone(),)),
    }
)
"""The conditions of `conditions` that are about labels, and the one that asks for nothing."""
