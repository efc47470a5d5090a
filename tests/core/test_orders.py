"""Bounds on the costs of orders: never above what the cheapest order pays, and values worked out by hand."""

from fractions import Fraction
from itertools import combinations, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consistency_lab.core import orders
from consistency_lab.core.orders import (
    NO_CYCLES,
    Cycles,
    Split,
    by_levels,
    closure,
    cost,
    extensions,
    lower_bound,
)
from consistency_lab.errors import RejectedError

ITEMS = 4
PAIRS = list(permutations(range(ITEMS), 2))
ONE = Fraction(1)
RING = {(0, 1): ONE, (1, 2): ONE, (2, 0): 2 * ONE}
"""1 → 2 → 3 → 1, the last of weight 2: the cheapest order is 2 > 3 > 1 (or 3 > 1 > 2), at the cost of 1."""
ROUND = Cycles(((ONE, (0, 1, 2)),))

CYCLES = st.builds(
    lambda y, order, length: (Fraction(y, 2), tuple(order[:length])),
    st.integers(0, 4),
    st.permutations(range(ITEMS)),
    st.integers(2, ITEMS),
)
EVIDENCE = st.recursive(
    st.lists(CYCLES, max_size=2).map(lambda parts: Cycles(tuple(parts))),
    lambda cases: st.builds(Split, st.sampled_from(PAIRS), cases, cases),
    max_leaves=4,
)


@given(
    st.lists(st.integers(0, 4), min_size=len(PAIRS), max_size=len(PAIRS)),
    st.permutations(range(ITEMS)).flatmap(
        lambda order: st.lists(st.sampled_from(list(combinations(order, 2))), max_size=3)
    ),
    EVIDENCE,
)
def test_no_evidence_bounds_more_than_the_cheapest_order_pays(weights, forced, evidence):
    costs = {pair: Fraction(w) for pair, w in zip(PAIRS, weights, strict=True) if w}
    try:
        bound = lower_bound(costs, closure(ITEMS, forced), evidence)
    except RejectedError:
        return
    kept = [t for t in permutations(range(ITEMS)) if all(t.index(i) < t.index(j) for i, j in forced)]
    assert bound <= min(cost(costs, t) for t in kept)


@pytest.mark.parametrize(
    ("forced", "evidence", "bound"),
    [
        ([], NO_CYCLES, 0),
        ([], ROUND, 1),
        ([], Cycles(((0 * ONE, (0, 1, 2)),)), 0),
        ([], Cycles(((ONE / 2, (0, 1, 2)), (ONE / 2, (1, 2, 0)))), 1),
        ([(0, 1)], NO_CYCLES, 0),
        ([(0, 1)], ROUND, 1),
        ([(1, 0)], NO_CYCLES, 1),
        ([(0, 2)], NO_CYCLES, 2),
        ([], Split((0, 1), NO_CYCLES, NO_CYCLES), 0),
        ([], Split((0, 1), ROUND, NO_CYCLES), 1),
        ([], Split((1, 0), NO_CYCLES, ROUND), 1),
        ([], Split((0, 1), Split((0, 2), NO_CYCLES, NO_CYCLES), NO_CYCLES), 1),
    ],
)
def test_bounds_by_hand(forced, evidence, bound):
    assert lower_bound(RING, closure(3, forced), evidence) == bound


@pytest.mark.parametrize(
    ("forced", "evidence", "message"),
    [
        ([], Cycles(((-ONE / 2, (0, 1, 2)),)), "must be at least 0"),
        ([], Cycles(((ONE * 3 / 2, (0, 1, 2)),)), "more of the arc 1 → 2"),
        ([], Cycles(((ONE, (0, 1, 2)), (ONE / 2, (0, 1, 2)))), "more of the arc 1 → 2"),
        ([], Cycles(((ONE, (2, 1, 0)),)), "more of the arc 3 → 2"),
        ([], Cycles(((ONE, (0, 1)),)), "more of the arc 2 → 1"),
        ([], Split((0, 1), ROUND, Cycles(((ONE, (1, 2)),))), "more of the arc 3 → 2"),
        ([(1, 0)], ROUND, "more of the arc 1 → 2"),
        ([(0, 1), (1, 0)], NO_CYCLES, "contradict"),
    ],
)
def test_multipliers_that_prove_nothing(forced, evidence, message):
    with pytest.raises(RejectedError, match=message):
        lower_bound(RING, closure(3, forced), evidence)


def test_equal_preferences_leave_no_room():
    even = {(0, 1): ONE, (1, 0): ONE, (1, 2): ONE, (2, 0): ONE}
    assert lower_bound(even, closure(3, []), NO_CYCLES) == 1
    with pytest.raises(RejectedError, match="more of the arc 1 → 2"):
        lower_bound(even, closure(3, []), ROUND)


def test_a_cycle_takes_no_more_than_the_difference_of_the_two_ways():
    """Three against one on each arc of a ring: whichever arc an order breaks, it pays 3 + 1 + 1."""
    both = {pair: 3 * ONE if pair in RING else ONE for pair in permutations(range(3), 2)}
    assert min(cost(both, t) for t in permutations(range(3))) == 5
    assert lower_bound(both, closure(3, []), Cycles(((2 * ONE, (0, 1, 2)),))) == 5
    with pytest.raises(RejectedError, match="more of the arc 1 → 2"):
        lower_bound(both, closure(3, []), Cycles(((5 * ONE / 2, (0, 1, 2)),)))


@given(st.lists(st.sampled_from(PAIRS), max_size=5))
def test_the_closure_is_what_all_orders_with_the_pairs_share(forced):
    kept = [t for t in permutations(range(ITEMS)) if all(t.index(i) < t.index(j) for i, j in forced)]
    if not kept:
        with pytest.raises(RejectedError, match="contradict each other"):
            closure(ITEMS, forced)
        return
    below = closure(ITEMS, forced)
    shared = [
        sum(1 << j for j in range(ITEMS) if all(t.index(i) < t.index(j) for t in kept)) for i in range(ITEMS)
    ]
    assert list(below) == shared
    assert sorted(extensions(below, len(kept))) == kept
    with pytest.raises(RejectedError, match=f"more than {len(kept) - 1} orders"):
        list(extensions(below, len(kept) - 1))


def test_an_item_is_not_above_itself():
    with pytest.raises(RejectedError, match="contradict each other"):
        closure(2, [(1, 1)])


@given(st.lists(st.integers(0, 3), min_size=1, max_size=5))
def test_levels_force_the_higher_above_the_lower(level):
    pairs = permutations(range(len(level)), 2)
    assert by_levels(level) == closure(len(level), [(i, j) for i, j in pairs if level[i] > level[j]])


def test_evidence_of_many_cases_is_refused_by_its_size(monkeypatch):
    """Five items in four cases are looked at where 100 is the most, in five no more."""

    def cases(count):
        return NO_CYCLES if count == 1 else Split((0, count - 1), NO_CYCLES, cases(count - 1))

    monkeypatch.setattr(orders, "_MOST_WORK", 100)
    assert lower_bound({}, closure(5, []), cases(4)) == 0
    with pytest.raises(RejectedError, match="too many cases"):
        lower_bound({}, closure(5, []), cases(5))


@pytest.mark.parametrize("pair", [(0, 1), (1, 0)])
def test_cases_that_the_forced_pairs_decide_are_refused(pair):
    """One of them holds no order, so nobody would read what is said of it."""
    with pytest.raises(RejectedError, match="whose order is forced"):
        lower_bound(RING, closure(3, [(0, 1)]), Split(pair, ROUND, ROUND))
