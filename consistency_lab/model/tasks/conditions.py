"""Noise conditions on a distribution over the labels of a task, as exact tests and as cones.

The conditions of pairwise preference (`model.conditions`) apply where labels are preferences between items: d
is that of the aggregate of the labels' edges. The others are about the labels themselves. A cone is given for
one order of the items; in a symmetric label space the others follow by relabeling.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from fractions import Fraction
from itertools import chain, combinations
from math import prod
from types import MappingProxyType
from typing import Final

from consistency_lab.errors import InputError, UnsupportedError
from consistency_lab.frozen import frozen
from consistency_lab.model.conditions import CONDITIONS, Condition, cone, implied_by
from consistency_lab.model.conditions import differences as of_aggregate
from consistency_lab.model.posets import LinearForm, orientations
from consistency_lab.model.tasks.labels import Grades, Label, LabelSpace, Rankings

Row = tuple[Fraction, ...]
"""A linear form in p: one factor for each label of the space, in its order."""

Weights = Mapping[Label, Fraction]
Feature = Callable[[Label], Sequence[Fraction]]
"""f(y), one number an item: what `p-f` asks about."""

_ZERO: Final = Fraction(0)
_MOST_EXCHANGED: Final = 700
"""Labels up to which exchanges of items are listed: there are about labels times pairs of items."""


@frozen
class LabelCone:
    """The part of a condition that belongs to one order of the items and one shape.

    It has the p with all `equalities` 0, all `inequalities` at least 0 and all `strict` forms above 0.
    """

    equalities: tuple[Row, ...] = ()
    inequalities: tuple[Row, ...] = ()
    strict: tuple[Row, ...] = ()


@frozen
class TaskCondition:
    """One condition on p."""

    #: What the command line and what a table calls it.
    name: str
    title: str
    #: The condition, in LaTeX and in plain text.
    statement: str
    words: str
    citation: str  #: Where it comes from.
    larger: tuple[str, ...]  #: The names of the conditions that follow from it.
    fits: Callable[[LabelSpace], str]  #: Why it does not apply to a label space, or "".
    holds: Callable[[LabelSpace, Weights, Feature], bool]  #: The exact test.
    #: Its cones up to relabeling; None where it is not a union of polyhedral cones.
    cones: Callable[[LabelSpace, Feature], tuple[LabelCone, ...]] | None
    needs_f: bool = False  #: Whether it is about the features of the surrogate.


def aggregate(space: LabelSpace, weights: Weights) -> list[list[Fraction]]:
    """The aggregate a of the labels' edges."""
    a = [[_ZERO] * space.m for _ in range(space.m)]
    for label, p in weights.items():
        for i, j, weight in space.preferences(label):
            a[i][j] += p * weight
    return a


def differences(space: LabelSpace, weights: Weights) -> list[list[Fraction]]:
    """The matrix d of the aggregate of the labels' edges.

    Examples
    --------
    >>> differences(Grades(2, (0, 1)), {(1, 0): Fraction(2, 3), (0, 1): Fraction(1, 3)})[0][1]
    Fraction(1, 3)
    """
    return of_aggregate(aggregate(space, weights))


def _about_items(space: LabelSpace) -> str:
    words = {"classes": "classes are not compared with each other", "rows": "rows are not compared"}
    return words.get(space.kind, "")


def _anywhere(space: LabelSpace) -> str:
    return ""


def _swappable(space: LabelSpace) -> str:
    return (
        ""
        if isinstance(space, Grades | Rankings)
        else _about_items(space) or "it is about grades and rankings"
    )


def _binary(space: LabelSpace) -> str:
    return "" if isinstance(space, Grades) and space.grades == (0, 1) else "it is about labels of 0 and 1"


def _graded(space: LabelSpace) -> str:
    return "" if isinstance(space, Grades) else "independent labels are grades"


def _row(space: LabelSpace, value: Callable[[Label], Fraction]) -> Row:
    return tuple(value(label) for label in space.labels)


def _difference_rows(space: LabelSpace) -> dict[tuple[int, int], Row]:
    """For i < j the row of d_ij."""
    edges = [{(i, j): w for i, j, w in space.preferences(label)} for label in space.labels]
    return {
        (i, j): tuple(known.get((i, j), _ZERO) - known.get((j, i), _ZERO) for known in edges)
        for i, j in combinations(range(space.m), 2)
    }


def _combined(form: LinearForm, rows: Mapping[tuple[int, int], Row]) -> Row:
    parts = [(c, rows[pair]) for pair, c in form.items()]
    return tuple(sum((c * row[k] for c, row in parts), _ZERO) for k in range(len(next(iter(rows.values())))))


def _preference_holds(known: Condition) -> Callable[[LabelSpace, Weights, Feature], bool]:
    return lambda space, weights, f: known.holds(aggregate(space, weights))


def _preference_cones(known: Condition) -> Callable[[LabelSpace, Feature], tuple[LabelCone, ...]]:
    def cones(space: LabelSpace, f: Feature) -> tuple[LabelCone, ...]:
        rows = _difference_rows(space)
        found = []
        for relation in (known.opened or known.shapes or orientations)(space.m):
            part = cone(known.name, relation, space.m)
            found.append(
                LabelCone(
                    tuple(_combined(form, rows) for form in part.equalities),
                    tuple(_combined(form, rows) for form in part.inequalities if form not in part.strict),
                    tuple(_combined(form, rows) for form in part.strict),
                )
            )
        return tuple(found)

    return cones


def _whole(space: LabelSpace, f: Feature) -> tuple[LabelCone, ...]:
    return (LabelCone(),)


def _p_f_holds(space: LabelSpace, weights: Weights, f: Feature) -> bool:
    d = differences(space, weights)
    means = [sum((p * f(label)[i] for label, p in weights.items()), _ZERO) for i in range(space.m)]
    return all(means[i] > means[j] for i in range(space.m) for j in range(space.m) if d[i][j] > 0)


def _p_f_cones(space: LabelSpace, f: Feature) -> tuple[LabelCone, ...]:
    """One for each acyclic shape: on its edges both d and the difference of E f are positive."""
    rows = _difference_rows(space)
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


def _products(label: Label) -> list[list[Fraction]]:
    """The matrix y_i y_j / sum y; 0 for y = 0."""
    total = sum(label)
    return [[Fraction(a * b, total) if total else _ZERO for b in label] for a in label]


def _reinforce_holds(space: LabelSpace, weights: Weights, f: Feature) -> bool:
    m = space.m
    u = [[_ZERO] * m for _ in range(m)]
    for label, p in weights.items():
        for i, line in enumerate(_products(label)):
            for j, value in enumerate(line):
                u[i][j] += p * value
    return all(
        u[i][i] >= u[j][j] + sum((max(u[j][g] - u[i][g], _ZERO) for g in range(m) if g not in (i, j)), _ZERO)
        for i in range(m)
        for j in range(m)
        if i != j and u[i][i] >= u[j][j]
    )


def _reinforce_cones(space: LabelSpace, f: Feature) -> tuple[LabelCone, ...]:
    """u_11 >= ... >= u_mm in groups of equal ones; the positive parts are maxima over sets of items."""
    m = space.m
    products = [_products(label) for label in space.labels]

    def form(i: int, j: int, others: Sequence[int]) -> Row:
        return tuple(u[i][i] - u[j][j] - sum((u[j][g] - u[i][g] for g in others), _ZERO) for u in products)

    def rows(i: int, j: int) -> Iterator[Row]:
        rest = [g for g in range(m) if g not in (i, j)]
        subsets = chain.from_iterable(combinations(rest, size) for size in range(len(rest) + 1))
        return (form(i, j, others) for others in subsets)

    found = []
    for equal in _consecutive_ties(m):
        level = {i for i in range(m - 1) if equal[i]}
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


def _consecutive_ties(m: int) -> Iterator[tuple[bool, ...]]:
    return (tuple(bool(code >> i & 1) for i in range(m - 1)) for code in range(1 << (m - 1)))


def _swaps(space: LabelSpace, i: int, j: int) -> Iterator[tuple[Label, Label]]:
    """The labels that prefer i to j, each with the label in which the two are exchanged."""
    sigma = [j if k == i else i if k == j else k for k in range(space.m)]
    for label in space.labels:
        if any((a, b) == (i, j) for a, b, _ in space.preferences(label)):
            yield label, space.relabeled(label, sigma)


def _ordered(space: LabelSpace, weights: Weights, strictly: Callable[[list[Fraction]], bool]) -> bool:
    """Whether, for each pair of items, one way of exchanging them never raises and `strictly` lowers p."""

    def one_way(i: int, j: int) -> bool:
        drops = [weights.get(y, _ZERO) - weights.get(z, _ZERO) for y, z in _swaps(space, i, j)]
        return all(x >= 0 for x in drops) and strictly(drops)

    return all(one_way(i, j) or one_way(j, i) for i, j in combinations(range(space.m), 2))


def _order_preserving(space: LabelSpace, weights: Weights, f: Feature) -> bool:
    return _ordered(space, weights, lambda drops: all(x > 0 for x in drops))


def _rank_differentiable(space: LabelSpace, weights: Weights, f: Feature) -> bool:
    return _ordered(space, weights, lambda drops: any(x > 0 for x in drops))


def _swap_rows(space: LabelSpace) -> Iterator[tuple[Row, ...]]:
    if len(space.labels) > _MOST_EXCHANGED:
        raise UnsupportedError(
            f"{len(space.labels)} labels make too many inequalities between labels with two items exchanged; "
            f"up to {_MOST_EXCHANGED} labels are taken"
        )
    index = {label: k for k, label in enumerate(space.labels)}
    for i, j in combinations(range(space.m), 2):
        rows = []
        for y, z in _swaps(space, i, j):
            row = [_ZERO] * len(index)
            row[index[y]], row[index[z]] = Fraction(1), Fraction(-1)
            rows.append(tuple(row))
        yield tuple(rows)


def _order_preserving_cones(space: LabelSpace, f: Feature) -> tuple[LabelCone, ...]:
    return (LabelCone(strict=tuple(chain.from_iterable(_swap_rows(space)))),)


def _rank_differentiable_cones(space: LabelSpace, f: Feature) -> tuple[LabelCone, ...]:
    pairs = list(_swap_rows(space))
    totals = tuple(tuple(map(sum, zip(*rows, strict=True))) for rows in pairs)
    return (LabelCone(inequalities=tuple(chain.from_iterable(pairs)), strict=totals),)  # type: ignore[arg-type]


def _independent(space: LabelSpace, weights: Weights, f: Feature) -> bool:
    marginals: list[dict[int, Fraction]] = [{} for _ in range(space.m)]
    for label, p in weights.items():
        for marginal, grade in zip(marginals, label, strict=True):
            marginal[grade] = marginal.get(grade, _ZERO) + p
    return all(
        weights.get(label, _ZERO)
        == prod((marginal.get(grade, _ZERO) for marginal, grade in zip(marginals, label, strict=True)))
        for label in space.labels
    )


def _about_graphs(space: LabelSpace) -> str:
    return "it is decided for preference graphs; leave the target out"


def _of_preferences(known: Condition) -> TaskCondition:
    return TaskCondition(
        known.name,
        known.title,
        known.statement,
        known.words,
        known.citation,
        implied_by(known.name)[1:],
        _about_items if known.of_differences else _about_graphs,
        _preference_holds(known),
        _preference_cones(known) if known.of_differences else None,
    )


TASK_CONDITIONS: Final[Mapping[str, TaskCondition]] = MappingProxyType(
    {
        line.name: line
        for line in (
            TaskCondition(
                "p-f",
                "E f in order",
                r"E Y_{ij} > E Y_{ji} \implies E f_i(Y) > E f_j(Y)",
                "E a_ij > E a_ji implies E f_i > E f_j",
                "RAT13 Theorem 6 (P_f)",
                ("acyclic", "any"),
                _about_items,
                _p_f_holds,
                _p_f_cones,
                needs_f=True,
            ),
            *(_of_preferences(known) for known in CONDITIONS.values() if known.larger),
            TaskCondition(
                "reinforce",
                "reinforcing relevance",
                r"u_{ii} \ge u_{jj} \implies u_{ii} \ge u_{jj}"
                r" + \sum_{\gamma \ne i,j} (u_{j\gamma} - u_{i\gamma})_+,\ u = E[y y^\top / \sum y]",
                "u_ii ≥ u_jj implies u_ii ≥ u_jj + sum_k (u_jk - u_ik)_+, u = E[y yᵀ / sum y]",
                "RAT13 Theorem 4 (P_reinforce)",
                ("any",),
                _binary,
                _reinforce_holds,
                _reinforce_cones,
            ),
            TaskCondition(
                "order-preserving",
                "order-preserving labels",
                r"\text{in one order of the items: } i \text{ before } j,\ y \text{ prefers } i \text{ to } j"
                r" \implies p(y) > p(y \text{ with } i, j \text{ exchanged})",
                "in one order of the items, exchanging two that a label has in this order "
                "makes it less probable",
                "Xia, Liu, Wang, Zhang and Li 2008",
                ("rank-differentiable", "any"),
                _swappable,
                _order_preserving,
                _order_preserving_cones,
            ),
            TaskCondition(
                "rank-differentiable",
                "rank-differentiable labels",
                r"\text{the same with } \ge, \text{ and } > \text{ for at least one } y",
                "in one order of the items, exchanging two that a label has in this order "
                "makes it no more probable, and once less probable",
                "Lan, Guo, Cheng and Liu 2012",
                ("any",),
                _swappable,
                _rank_differentiable,
                _rank_differentiable_cones,
            ),
            TaskCondition(
                "independent",
                "independent labels",
                r"p(y) = \prod_i p_i(y_i)",
                "P(y) is the product of the probabilities of its grades",
                "DMJ13 (ERR)",
                ("any",),
                _graded,
                _independent,
                None,
            ),
            TaskCondition(
                "any",
                "no condition",
                r"\text{every } p",
                "it asks for nothing",
                "RAT13 Definition 1",
                (),
                _anywhere,
                lambda space, weights, f: True,
                _whole,
            ),
        )
    }
)
"""The conditions on distributions over labels, by name, none before one that implies it."""


def task_condition(name: str, space: LabelSpace) -> TaskCondition:
    """Look a condition up that applies to a label space.

    Examples
    --------
    >>> task_condition("reinforce", Grades(3, (0, 1))).citation
    'RAT13 Theorem 4 (P_reinforce)'
    """
    found = TASK_CONDITIONS.get(name)
    if found is None:
        near = get_close_matches(name.lower().replace("_", "-"), TASK_CONDITIONS, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"the conditions are {', '.join(TASK_CONDITIONS)}"
        raise InputError(f"there is no condition {name!r}; {hint}")
    why = found.fits(space)
    if why:
        raise InputError(f"the condition {name} does not apply to these labels ({space.kind}): {why}")
    return found
