"""The noise conditions: definitions, inclusions, cones."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations, permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from consistency_lab.errors import InputError, UnsupportedError
from consistency_lab.model.conditions import (
    CONDITIONS,
    condition,
    conditions_at,
    conditions_of,
    cone,
    edges,
    implied_by,
    implies,
    implying,
    orientations_for,
)
from consistency_lab.model.posets import (
    Cone,
    LinearForm,
    Relation,
    chain,
    is_transitive,
    orientations,
    posets,
)
from consistency_lab.solve.lp import LPStatus, solve_lp

NAMES = ("additive", "low-noise", "row-dominated", "net-order", "acyclic", "any")
"""The chain of conditions on the differences."""

STRONG = "strong-stochastic-transitivity"
Matrix = tuple[tuple[Fraction, ...], ...]
SMALL = st.fractions(min_value=-3, max_value=3, max_denominator=3)
POSITIVE = st.fractions(min_value=Fraction(1, 3), max_value=3, max_denominator=3)


def _matrix(m: int, upper: dict[tuple[int, int], Fraction | int]) -> Matrix:
    d = [[Fraction(0)] * m for _ in range(m)]
    for (i, j), value in upper.items():
        d[i][j], d[j][i] = Fraction(value), -Fraction(value)
    return tuple(map(tuple, d))


@st.composite
def any_d(draw: st.DrawFn) -> Matrix:
    m = draw(st.integers(2, 5))
    return _matrix(m, {pair: draw(SMALL) for pair in combinations(range(m), 2)})


@st.composite
def additive_d(draw: st.DrawFn) -> Matrix:
    y = draw(st.lists(SMALL, min_size=2, max_size=5))
    return _matrix(len(y), {(i, j): y[i] - y[j] for i, j in combinations(range(len(y)), 2)})


@st.composite
def low_noise_d(draw: st.DrawFn) -> Matrix:
    """Weights from the shortest pairs to the longest, each at least every two-edge path."""
    m = draw(st.integers(2, 5))
    relation = draw(st.sampled_from(posets(m)))
    d: dict[tuple[int, int], Fraction | int] = {}
    for i, k in sorted(relation, key=lambda pair: pair[1] - pair[0]):
        paths = [d[i, j] + d[j, k] for j in range(i + 1, k) if (i, j) in d and (j, k) in d]
        d[i, k] = max(paths) + draw(st.sampled_from([0, 1])) if paths else draw(POSITIVE)
    return _matrix(m, d)


@st.composite
def acyclic_d(draw: st.DrawFn) -> Matrix:
    m = draw(st.integers(2, 5))
    return _matrix(m, {pair: draw(POSITIVE) for pair in sorted(draw(st.sampled_from(orientations(m))))})


@st.composite
def changed_d(draw: st.DrawFn, name: str) -> Matrix:
    """An additive d, with edges taken out or changed as far as the condition allows."""
    start = draw(additive_d())
    m = len(start)
    pairs = list(combinations(range(m), 2))
    d = start
    for pair in draw(st.lists(st.sampled_from(pairs), max_size=3)):
        values: dict[tuple[int, int], Fraction | int] = {(i, j): d[i][j] for i, j in pairs}
        values[pair] = draw(SMALL)
        changed = _matrix(m, values)
        d = changed if condition(name).holds(changed) else d
    return d


BUILT = {
    "additive": additive_d(),
    "low-noise": low_noise_d(),
    "row-dominated": changed_d("row-dominated"),
    "net-order": changed_d("net-order"),
    "acyclic": acyclic_d(),
    "any": any_d(),
}


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
def test_each_condition_implies_all_that_follow(name: str, data: st.DataObject) -> None:
    held = conditions_of(data.draw(BUILT[name]))
    assert held[name]
    first = next(position for position, other in enumerate(NAMES) if held[other])
    assert all(held[other] for other in NAMES[first:])


@given(d=any_d())
def test_on_arbitrary_d_the_inclusions_hold_too(d: Matrix) -> None:
    held = [conditions_of(d)[name] for name in NAMES]
    assert held == sorted(held)


@given(d=st.one_of(*BUILT.values()), data=st.data())
def test_names_of_items_do_not_matter(d: Matrix, data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(len(d))))
    relabeled = tuple(tuple(d[i][j] for j in order) for i in order)
    assert conditions_of(relabeled) == conditions_of(d)


@given(d=st.one_of(*BUILT.values()), factor=POSITIVE)
def test_every_condition_is_a_cone(d: Matrix, factor: Fraction) -> None:
    assert conditions_of([[factor * x for x in row] for row in d]) == conditions_of(d)


@pytest.mark.parametrize("m", range(2, 6))
def test_d_zero_has_every_condition(m: int) -> None:
    assert all(conditions_of(_matrix(m, {})).values())


@pytest.mark.parametrize(
    ("m", "d", "smallest"),
    [
        (3, {(0, 1): 1, (0, 2): 2, (1, 2): 1}, "additive"),
        # y = (1, 1, 0): a weak order, not a chain.
        (3, {(0, 2): 1, (1, 2): 1}, "additive"),
        (3, {(0, 1): 1, (0, 2): 3, (1, 2): 1}, "low-noise"),
        # DMJ10 §3.1: edges 1 → 2 and 1 → 3 alone, a poset that is not a weak order by differences.
        (3, {(0, 1): 1, (0, 2): 2}, "low-noise"),
        # The converse of DMJ10 Lemma 14 fails: Eq. 16 without low noise.
        (3, {(0, 1): 1, (0, 2): 1, (1, 2): 1}, "row-dominated"),
        # Eq. 16 does not force the edge 1 → 3 either.
        (3, {(0, 1): 1, (1, 2): 1}, "net-order"),
        (3, {(0, 1): 1, (1, 2): 2}, "acyclic"),
        (3, {(0, 1): 1, (1, 2): 1, (0, 2): -1}, "any"),
    ],
)
def test_known_differences(m: int, d: dict[tuple[int, int], int], smallest: str) -> None:
    held = conditions_of(_matrix(m, dict(d)))
    assert [name for name in NAMES if held[name]] == list(implied_by(smallest))


def test_st_johnsbury_is_additive() -> None:
    # PrefLib 00031-00000010: voters who approve of the row's candidate and not of the column's.
    a = [[0, 908, 944, 461], [631, 0, 310, 752], [620, 263, 0, 684], [209, 777, 756, 0]]
    d = [[Fraction(a[i][j] - a[j][i]) for j in range(4)] for i in range(4)]
    assert all(conditions_of(d).values())


def _value(form: LinearForm, d: Matrix) -> Fraction:
    return sum((c * d[i][j] for (i, j), c in form.items()), Fraction(0))


def _inside(shape: Cone, d: Matrix) -> bool:
    return all(_value(form, d) == 0 for form in shape.equalities) and all(
        _value(form, d) > 0 for form in shape.strict
    )


@pytest.mark.parametrize("name", NAMES[:-1])
@given(data=st.data())
def test_the_cone_of_its_shape_contains_d_exactly_if_the_condition_holds(
    name: str, data: st.DataObject
) -> None:
    d = data.draw(st.one_of(*(BUILT[other] for other in NAMES[:-1])))
    m = len(d)
    order = _natural(d)
    d = tuple(tuple(d[i][j] for j in order) for i in order)
    relation = frozenset(edges(d))
    if name in {"low-noise", "row-dominated"} and not is_transitive(relation):
        assert not condition(name).holds(d)
        return
    shape = cone(name, relation, m)
    inside = _inside(shape, d) and all(_value(form, d) >= 0 for form in shape.inequalities)
    assert inside == condition(name).holds(d)


@pytest.mark.parametrize("name", ["additive", "low-noise", "net-order", "acyclic"])
@pytest.mark.parametrize("m", [2, 3, 4])
def test_interior_points_and_extreme_points_of_every_cone(name: str, m: int) -> None:
    pairs = list(combinations(range(m), 2))
    for relation in orientations_for(name, m) or ():
        shape = cone(name, relation, m)
        vectors = [[form.get(pair, Fraction(0)) for pair in pairs] for form in shape.equalities]
        rows = [[-form.get(pair, Fraction(0)) for pair in pairs] for form in shape.inequalities]
        least = [-Fraction(form in shape.strict) for form in shape.inequalities]
        for cost in ([1] * len(pairs), range(1, len(pairs) + 1)):
            solution = solve_lp(
                [Fraction(c) for c in cost], vectors, [Fraction(0)] * len(vectors), rows, least
            )
            assert solution.status is LPStatus.OPTIMAL
            d = _matrix(m, dict(zip(pairs, solution.x, strict=True)))
            assert frozenset(edges(d)) == relation
            assert condition(name).holds(d)


@given(data=st.data())
def test_closed_cones_of_additive_low_noise_and_acyclic_lie_inside_the_condition(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(["additive", "low-noise", "acyclic"]))
    m = data.draw(st.integers(2, 4))
    relation = data.draw(st.sampled_from(orientations_for(name, m) or ()))
    shape = cone(name, relation, m)
    weight = st.integers(0, 3)
    d = _matrix(m, {pair: data.draw(weight) for pair in combinations(range(m), 2)})
    if all(_value(form, d) == 0 for form in shape.equalities) and all(
        _value(form, d) >= 0 for form in shape.inequalities
    ):
        assert condition(name).holds(d)


def test_shapes_by_condition() -> None:
    assert orientations_for("additive", 4) == (chain(4),)
    assert orientations_for("low-noise", 4) == posets(4)
    assert orientations_for("net-order", 4) == orientations_for("acyclic", 4) == orientations(4)
    assert orientations_for("any", 4) is None
    assert cone("any", chain(3), 3) == cone("acyclic", chain(3), 3)


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("BTL", "bradley-terry"),
        ("Bradley-Terry-Luce", "bradley-terry"),
        ("bradleyterry", "bradley-terry"),
        ("lownoise", "low-noise"),
        ("net order", "net-order"),
        ("NetOrder", "net-order"),
        ("strong transitivity", "strong-stochastic-transitivity"),
    ],
)
def test_conditions_as_people_type_them(typed: str, name: str) -> None:
    assert condition(typed) is CONDITIONS[name]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: condition("lownois"), "did you mean 'low-noise'?"),
        (lambda: condition("xyz"), "the conditions are additive, low-noise"),
        (lambda: implies("additive", "acylic"), "did you mean 'acyclic'?"),
        (lambda: cone("acyclic", frozenset({(1, 0)}), 2), r"the pair (1, 0) is not naturally labeled"),
        (lambda: cone("low-noise", frozenset({(0, 1), (1, 2)}), 3), "the relation is not transitive"),
    ],
)
def test_bad_questions_are_named(call: Callable[[], object], message: str) -> None:
    with pytest.raises(InputError) as caught:
        call()
    assert message in str(caught.value)


def test_the_order_of_the_table() -> None:
    assert tuple(name for name in CONDITIONS if CONDITIONS[name].of_differences) == NAMES
    names = list(CONDITIONS)
    assert all(names.index(name) < names.index(above) for name in names for above in implied_by(name)[1:])
    assert implied_by("net-order") == ("net-order", "acyclic", "any")
    assert implying("net-order") == ("additive", "low-noise", "row-dominated", "net-order")
    assert [implies(a, b) for a in NAMES for b in NAMES] == [
        NAMES.index(a) <= NAMES.index(b) for a in NAMES for b in NAMES
    ]


def _strong(a: Sequence[Sequence[int]]) -> bool:
    """Strong stochastic transitivity word for word, in quotients."""
    m = len(a)
    if any(a[i][j] + a[j][i] == 0 for i, j in combinations(range(m), 2)):
        return False
    share = [[Fraction(a[i][j], a[i][j] + a[j][i]) if i != j else None for j in range(m)] for i in range(m)]
    half = Fraction(1, 2)
    for i, j, k in permutations(range(m), 3):
        first, second, across = share[i][j], share[j][k], share[i][k]
        assert first is not None and second is not None and across is not None
        if first >= half and second >= half and across < max(first, second):
            return False
    return True


WEIGHTS = st.integers(0, 4)


@st.composite
def aggregates(draw: st.DrawFn) -> list[list[int]]:
    m = draw(st.integers(2, 4))
    return [[0 if i == j else draw(WEIGHTS) for j in range(m)] for i in range(m)]


@given(a=aggregates())
def test_strong_transitivity_is_what_its_definition_says(a: list[list[int]]) -> None:
    assert condition(STRONG).holds(a) == _strong(a)


def test_every_small_aggregate_of_three_items() -> None:
    """All 729 with entries 0, 1, 2: strong transitivity by brute force, and where it lies in the lattice."""
    for entries in product(range(3), repeat=6):
        first, second, third, fourth, fifth, sixth = entries
        a = [[0, first, second], [third, 0, fourth], [fifth, sixth, 0]]
        held = conditions_at(a)
        assert held[STRONG] == _strong(a)
        for name in CONDITIONS:
            assert not held[name] or all(held[above] for above in implied_by(name))


def test_strong_transitivity_lies_outside_the_chain() -> None:
    assert implied_by(STRONG) == (STRONG, "acyclic", "any")
    assert implying(STRONG) == ("auc", STRONG)
    assert implying("acyclic") == (*NAMES[:4], "auc", "bradley-terry", STRONG, "acyclic")
    assert STRONG not in conditions_of([[0, 1], [-1, 0]])
    one_way = conditions_at([[0, 1, 1], [0, 0, 4], [0, 0, 0]])
    assert one_way[STRONG] and not one_way["net-order"]
    both_ways = conditions_at([[0, 1, 3], [0, 0, 1], [1, 0, 0]])
    assert both_ways["additive"] and not both_ways[STRONG]
    for ask in (lambda: cone(STRONG, chain(3), 3), lambda: orientations_for(STRONG, 3)):
        with pytest.raises(UnsupportedError, match="more than the differences"):
            ask()


@given(a=aggregates())
def test_arrays_are_tested_as_matrices_are(a: list[list[int]]) -> None:
    """The searches ask thousands at once by the same test."""
    many = np.array([a, [list(row) for row in zip(*a, strict=True)]])
    entries = np.moveaxis(many, 0, -1)
    for name, known in CONDITIONS.items():
        found = np.broadcast_to(known.test(entries), 2)
        assert found.tolist() == [known.holds(one) for one in many.tolist()], name


def _natural(d: Sequence[Sequence[Fraction]]) -> tuple[int, ...]:
    relation: Relation = frozenset(edges(d))
    for order in permutations(range(len(d))):
        place = {item: k for k, item in enumerate(order)}
        if all(place[i] < place[j] for i, j in relation):
            return order
    raise AssertionError("the difference graph has a cycle")


@pytest.mark.parametrize(
    ("d", "sentence"),
    [
        (
            ((0, 2), (1, 0)),
            r"d is not antisymmetric: d\[0\]\[1\] = 2 and d\[1\]\[0\] = 1; .*Distribution.difference",
        ),
        (((1, 1), (-1, 0)), r"d is not antisymmetric: d\[0\]\[0\] = 1"),
        (((0, 1, 2), (-1, 0, 3)), "d is not a square matrix"),
        ((0, 1), r"d\[0\] is 0; pass a sequence"),
        (((0, "one"), (-1, 0)), r"the entry d\[0\]\[1\] is 'one'"),
        (((0, float("nan")), (-1, 0)), r"the entry d\[0\]\[1\] is nan"),
    ],
)
def test_what_is_no_matrix_of_differences_is_refused(d: object, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        conditions_of(d)


def test_floats_of_differences_are_read_as_they_print() -> None:
    """In binary .1 + .2 is not .3, and the chain would not be additive."""
    assert conditions_of([[0, 0.1, 0.3], [-0.1, 0, 0.2], [-0.3, -0.2, 0]])["additive"]


def test_no_items_have_no_conditions() -> None:
    with pytest.raises(InputError, match="d is empty"):
        conditions_of([])
