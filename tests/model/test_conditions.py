"""The noise conditions: definitions, inclusions, cones."""

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
from consistency_lab.model.posets import chain, is_transitive, orientations, posets
from consistency_lab.solve.lp import LPStatus, solve_lp

NAMES = ("additive", "low-noise", "row-dominated", "net-order", "acyclic", "any")
"""The chain of conditions on the differences."""

STRONG = "strong-stochastic-transitivity"


def _matrix(m, upper):
    d = [[Fraction(0)] * m for _ in range(m)]
    for (i, j), value in upper.items():
        d[i][j], d[j][i] = Fraction(value), -Fraction(value)
    return tuple(map(tuple, d))


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
def test_known_differences(m, d, smallest):
    held = conditions_of(_matrix(m, dict(d)))
    assert [name for name in NAMES if held[name]] == list(implied_by(smallest))


def _value(form, d):
    return sum((c * d[i][j] for (i, j), c in form.items()), Fraction(0))


def _inside(shape, d):
    return all(_value(form, d) == 0 for form in shape.equalities) and all(
        _value(form, d) > 0 for form in shape.strict
    )


@pytest.mark.parametrize("name", NAMES[:-1])
@pytest.mark.parametrize(("m", "largest"), [(3, 3), (4, 2)])
def test_the_cone_of_its_shape_contains_d_exactly_if_the_condition_holds(name, m, largest):
    """For all d of small whole numbers whose edges lead from smaller items to larger ones."""
    pairs = list(combinations(range(m), 2))
    for upper in product(range(largest + 1), repeat=len(pairs)):
        d = _matrix(m, dict(zip(pairs, upper, strict=True)))
        relation = frozenset(edges(d))
        if name in {"low-noise", "row-dominated"} and not is_transitive(relation):
            assert not condition(name).holds(d)
            continue
        shape = cone(name, relation, m)
        inside = _inside(shape, d) and all(_value(form, d) >= 0 for form in shape.inequalities)
        assert inside == condition(name).holds(d)


@pytest.mark.parametrize("name", ["additive", "low-noise", "net-order", "acyclic"])
@pytest.mark.parametrize("m", [2, 3, 4])
def test_interior_points_and_extreme_points_of_every_cone(name, m):
    pairs = list(combinations(range(m), 2))
    for relation in orientations_for(name, m) or ():
        shape = cone(name, relation, m)
        vectors = [[form.get(pair, Fraction(0)) for pair in pairs] for form in shape.equalities]
        rows = [[-form.get(pair, Fraction(0)) for pair in pairs] for form in shape.inequalities]
        least = [-Fraction(form in shape.strict) for form in shape.inequalities]
        for cost in ([1] * len(pairs), range(1, len(pairs) + 1)):
            solution = solve_lp(list(map(Fraction, cost)), vectors, [Fraction(0)] * len(vectors), rows, least)
            assert solution.status is LPStatus.OPTIMAL
            d = _matrix(m, dict(zip(pairs, solution.x, strict=True)))
            assert frozenset(edges(d)) == relation
            assert condition(name).holds(d)


def test_shapes_by_condition():
    assert orientations_for("additive", 4) == (chain(4),)
    assert orientations_for("low-noise", 4) == posets(4)
    assert orientations_for("net-order", 4) == orientations_for("acyclic", 4) == orientations(4)
    assert orientations_for("any", 4) is None
    assert cone("any", chain(3), 3) == cone("acyclic", chain(3), 3)


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        *((typed, "bradley-terry") for typed in ("BTL", "Bradley-Terry-Luce", "bradleyterry")),
        *((typed, "net-order") for typed in ("net order", "NetOrder")),
        ("lownoise", "low-noise"),
        ("strong transitivity", STRONG),
    ],
)
def test_conditions_as_people_type_them(typed, name):
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
def test_bad_questions_are_named(call, message):
    with pytest.raises(InputError) as caught:
        call()
    assert message in str(caught.value)


def test_the_order_of_the_table():
    assert tuple(name for name in CONDITIONS if CONDITIONS[name].of_differences) == NAMES
    names = list(CONDITIONS)
    assert all(names.index(name) < names.index(above) for name in names for above in implied_by(name)[1:])
    assert implied_by("net-order") == ("net-order", "acyclic", "any")
    assert implying("net-order") == ("additive", "low-noise", "row-dominated", "net-order")
    assert all(implies(a, b) == (NAMES.index(a) <= NAMES.index(b)) for a in NAMES for b in NAMES)


def _strong(a):
    """Strong stochastic transitivity word for word, in quotients."""
    pairs = list(permutations(range(len(a)), 2))
    if any(a[i][j] + a[j][i] == 0 for i, j in pairs):
        return False
    share = {(i, j): Fraction(a[i][j], a[i][j] + a[j][i]) for i, j in pairs}
    triples = [(share[i, j], share[j, k], share[i, k]) for i, j, k in permutations(range(len(a)), 3)]
    return all(across >= max(x, y) for x, y, across in triples if min(x, y) >= Fraction(1, 2))


WEIGHTS = st.integers(0, 4)


@st.composite
def aggregates(draw):
    m = draw(st.integers(2, 4))
    return [[0 if i == j else draw(WEIGHTS) for j in range(m)] for i in range(m)]


def test_every_small_aggregate_of_three_items():
    """All 729 with entries 0, 1, 2: strong transitivity by brute force, and where it lies in the lattice."""
    for ab, ac, ba, bc, ca, cb in product(range(3), repeat=6):
        a = [[0, ab, ac], [ba, 0, bc], [ca, cb, 0]]
        held = conditions_at(a)
        assert held[STRONG] == _strong(a)
        for name in CONDITIONS:
            assert not held[name] or all(held[above] for above in implied_by(name))


def test_strong_transitivity_lies_outside_the_chain():
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
def test_arrays_are_tested_as_matrices_are(a):
    """The searches ask thousands at once by the same test."""
    many = np.array([a, [list(row) for row in zip(*a, strict=True)]])
    entries = np.moveaxis(many, 0, -1)
    for name, known in CONDITIONS.items():
        found = np.broadcast_to(known.test(entries), 2)
        assert found.tolist() == [known.holds(one) for one in many.tolist()], name


@pytest.mark.parametrize(
    ("d", "sentence"),
    [
        (((0, 2), (1, 0)), r"d is not antisymmetric: d\[0\]\[1\] = 2 and d\[1\]\[0\] = 1; .*Distribution"),
        ([], "d is empty"),
        (((1, 1), (-1, 0)), r"d is not antisymmetric: d\[0\]\[0\] = 1"),
        (((0, 1, 2), (-1, 0, 3)), "d is not a square matrix"),
        ((0, 1), r"d\[0\] is 0; pass a sequence"),
        (((0, "one"), (-1, 0)), r"the entry d\[0\]\[1\] is 'one'"),
        (((0, float("nan")), (-1, 0)), r"the entry d\[0\]\[1\] is nan"),
    ],
)
def test_what_is_no_matrix_of_differences_is_refused(d, sentence):
    """Floats are read as they print: in binary .1 + .2 is not .3, and the chain would not be additive."""
    with pytest.raises(InputError, match=sentence):
        conditions_of(d)
    assert conditions_of([[0, 0.1, 0.3], [-0.1, 0, 0.2], [-0.3, -0.2, 0]])["additive"]
