"""The subset dynamic program against all permutations."""

from fractions import Fraction
from itertools import islice, permutations
from math import factorial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consistency_lab.errors import InputError, UnsupportedError
from consistency_lab.model.distribution import loss, order_of
from consistency_lab.numbers.exact import LogRational
from consistency_lab.solve.optimal import MAX_ITEMS, optimal_orders


@st.composite
def aggregates(draw, values, most=5):
    m = draw(st.integers(1, most))
    return [[draw(values) if i != j else Fraction(0) for j in range(m)] for i in range(m)]


SMALL = st.integers(0, 2).map(Fraction)
RATIONAL = st.fractions(min_value=0, max_value=9, max_denominator=12)
HUGE = st.integers(0, 10**40).map(Fraction)


def by_brute_force(a):
    losses = {order: loss(a, order) for order in permutations(range(len(a)))}
    least = min(losses.values())
    return least, sorted(order for order, value in losses.items() if value == least)


@given(st.one_of(aggregates(SMALL), aggregates(RATIONAL), aggregates(HUGE)))
def test_loss_and_all_orders_agree_with_brute_force(a):
    least, orders = by_brute_force(a)
    found = optimal_orders(a)
    assert found.loss == least
    assert list(found.orders()) == orders
    assert found.count() == len(orders)
    m = len(a)
    for order in permutations(range(m)):
        assert found.contains(order) == (order in orders)
    for i in range(m):
        for j in range(m):
            forced = i != j and all(order.index(i) < order.index(j) for order in orders)
            assert found.forced(i, j) == forced


@given(aggregates(SMALL), st.data())
def test_precedences_leave_the_best_of_the_orders_that_keep_them(a, data):
    m = len(a)
    pairs = st.tuples(st.integers(0, m - 1), st.integers(0, m - 1)).filter(lambda p: p[0] != p[1])
    above = data.draw(st.lists(pairs, max_size=3)) if m > 1 else []
    kept = [o for o in permutations(range(m)) if all(o.index(i) < o.index(j) for i, j in above)]
    if not kept:
        with pytest.raises(InputError, match="form a cycle"):
            optimal_orders(a, above)
        return
    least = min(loss(a, order) for order in kept)
    found = optimal_orders(a, above)
    assert found.loss == least
    assert list(found.orders()) == sorted(order for order in kept if loss(a, order) == least)


@given(aggregates(SMALL), st.data())
def test_scores_are_in_a_of_p_if_their_order_under_the_tie_rule_is_optimal(a, data):
    levels = st.integers(0, 2).map(lambda n: LogRational(Fraction(n)))
    scores = data.draw(st.lists(levels, min_size=len(a), max_size=len(a)))
    least, _ = by_brute_force(a)
    assert optimal_orders(a).in_optimal_set(scores) == (loss(a, order_of(scores)) == least)


def test_counting_does_not_list():
    nothing = [[Fraction(0)] * 12 for _ in range(12)]
    found = optimal_orders(nothing)
    assert found.count() == factorial(12)
    assert next(iter(found.orders())) == tuple(range(12))
    assert len(list(found.orders(7))) == 7
    assert list(found.orders(3)) == list(islice(permutations(range(12)), 3))


def test_twenty_items_are_treated_and_twenty_one_refused_with_the_reason():
    chain = [[Fraction(int(i < j)) for j in range(21)] for i in range(21)]
    found = optimal_orders([row[:MAX_ITEMS] for row in chain[:MAX_ITEMS]])
    assert (found.loss, found.count()) == (0, 1)
    assert list(found.orders()) == [tuple(range(20))]
    assert found.forced(0, 19)
    with pytest.raises(UnsupportedError, match=r"21 items.*at most 20.*2\^m"):
        optimal_orders(chain)


def test_the_matrix_must_be_square_and_orders_complete():
    with pytest.raises(InputError, match="square"):
        optimal_orders([[Fraction(0)], [Fraction(0)]])
    assert optimal_orders([[Fraction(7)]]).loss == 0  # a diagonal does not count
    found = optimal_orders([[Fraction(0)] * 2] * 2)
    with pytest.raises(InputError, match="each of the 2 items once"):
        found.contains((0,))
    with pytest.raises(InputError, match="cannot be above itself"):
        optimal_orders([[Fraction(0)] * 2] * 2, [(1, 1)])
