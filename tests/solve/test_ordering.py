"""Least costly orders of many items, and the evidence for what all orders cost."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

from consistency_lab import InputError, optimal_orders
from consistency_lab.core.orders import Cycles, Split, closure, cost, lower_bound
from consistency_lab.solve.kemeny import (
    NO_CYCLES,
    Effort,
    KemenyOrder,
    by_insertion,
    excess,
    kemeny,
    packed_cycles,
)


def fractions(a, denominator=1):
    return [[Fraction(x, denominator) for x in row] for row in a.tolist()]


def random(m, seed, most=9):
    a = np.random.default_rng(seed).integers(0, most, (m, m), endpoint=True)
    np.fill_diagonal(a, 0)
    return a


def games(m, seed):
    """Wins of a Bradley-Terry tournament."""
    rng = np.random.default_rng(seed)
    u = rng.normal(size=m)
    n = np.triu(rng.poisson(20, (m, m)), 1)
    won = rng.binomial(n, 1 / (1 + np.exp(u[None] - u[:, None])))
    return np.asarray(won + (n - won).T)


def check(a, found):
    """What is said of the order is what the core says."""
    costs = {(i, j): x for i, row in enumerate(a) for j, x in enumerate(row) if x}
    assert sorted(found.order) == list(range(len(a)))
    assert found.cost == cost(costs, found.order)
    assert found.lower == lower_bound(costs, closure(len(a), ()), found.evidence)
    assert found.lower <= found.cost


@pytest.mark.parametrize("m", [1, 2, 3, 4, 5, 8])
@pytest.mark.parametrize("most", [1, 9, 10**9])
def test_the_order_is_optimal_and_the_evidence_shows_it(m, most):
    for seed in range(4):
        a = fractions(random(m, 100 * m + seed, most), seed + 1)
        found = kemeny(a)
        check(a, found)
        assert found.is_optimal
        assert found.cost == optimal_orders(a).loss


@pytest.mark.parametrize("seed", range(2))
def test_fifteen_items_in_a_muddle_are_ordered_as_the_subset_programme_does(seed):
    a = fractions(random(15, seed))
    found = kemeny(a)
    check(a, found)
    assert found.is_optimal
    assert found.cost == optimal_orders(a).loss


@pytest.mark.parametrize(("m", "seed"), [(30, 1), (40, 2)])
def test_tournaments_with_noise_are_ordered_optimally_with_evidence(m, seed):
    a = fractions(games(m, seed))
    found = kemeny(a)
    check(a, found)
    assert found.is_optimal


def test_an_acyclic_aggregate_needs_no_program():
    m = 80
    above = np.random.default_rng(3).permutation(m)
    a = np.zeros((m, m), dtype=np.int64)
    for i in range(m):
        a[above[i], above[i + 1 :]] = 2
        a[above[i + 1 :], above[i]] = 1
    found = kemeny(fractions(a))
    assert found.order == tuple(above.tolist())
    assert found.evidence == Cycles()
    assert found.is_optimal


def test_components_are_ordered_one_below_the_other():
    cycle = np.array([[0, 3, 1], [0, 0, 2], [4, 0, 0]])
    a = np.zeros((8, 8), dtype=np.int64)
    a[:3, :3], a[4:7, 4:7] = cycle, cycle
    a[4:7, :3] = a[7, :7] = a[:7, 3] = 1
    found = kemeny(fractions(a))
    check(fractions(a), found)
    assert found.is_optimal
    assert (found.order[0], {*found.order[1:4]}, {*found.order[4:7]}) == (7, {4, 5, 6}, {0, 1, 2})


def fence(k=4):
    """Arcs u_i → v_i and v_i → u_j for i != j: triangles prove k/2, but an order inverts k - 1 of them."""
    a = np.zeros((2 * k, 2 * k), dtype=np.int64)
    a[:k, k:] = np.eye(k)
    a[k:, :k] = 1 - np.eye(k)
    return a


def test_where_triangles_do_not_suffice_cases_do():
    a = fractions(fence())
    found = kemeny(a)
    check(a, found)
    assert found.is_optimal
    assert isinstance(found.evidence, Split)
    assert found.cost == optimal_orders(a).loss == 3


def test_cases_of_two_components_stand_inside_each_other():
    one = fence()
    a = np.kron(np.eye(2, dtype=np.int64), one)
    a[:8, 8:] = 1
    found = kemeny(fractions(a))
    check(fractions(a), found)
    assert found.is_optimal
    assert found.cost == 6


def test_when_the_effort_ends_a_bracket_is_left():
    a = fractions(random(30, 5))
    brackets = [kemeny(a, Effort(iterations=n)) for n in (1, 200, 600)]
    for found in brackets:
        check(a, found)
        assert not found.is_optimal
    lower = [found.lower for found in brackets]
    assert lower == sorted(set(lower))  # more effort, more proved
    assert kemeny(a, Effort(cases=1)).lower <= kemeny(a).lower == kemeny(a).cost


def test_bounds_are_rounded_up_to_costs_that_orders_have():
    """Tournaments, in which costs differ by multiples of 2/7: a program alone may leave a part of that."""
    rounded = 0
    for seed in range(20):
        wins = np.triu(np.random.default_rng(seed).integers(0, 1, (12, 12), endpoint=True), 1)
        a = fractions(2 * (wins + np.tril(1 - wins.T, -1)), 7)
        found, least = kemeny(a, Effort(cases=1)), optimal_orders(a).loss
        assert found.lower <= found.at_least <= least <= found.cost
        assert ((found.cost - found.at_least) / Fraction(2, 7)).denominator == 1
        assert found.is_optimal is (found.at_least == found.cost)
        rounded += found.lower < found.at_least == least
    assert rounded >= 2


def test_the_cost_does_not_depend_on_the_order_of_the_items():
    a = games(25, 9)
    assert kemeny(fractions(a)) == kemeny(fractions(a))
    p = np.random.default_rng(1).permutation(25)
    assert kemeny(fractions(a)).cost == kemeny(fractions(a[np.ix_(p, p)])).cost


def test_insertions_leave_no_item_that_wants_to_move():
    a = random(12, 4)
    d = (a - a.T).astype(np.float64)
    order = by_insertion(d, np.arange(12))
    for p, q in permutations(range(12), 2):
        moved = np.insert(np.delete(order, p), q, order[p])
        assert excess(d, moved) >= excess(d, order)


@pytest.mark.parametrize("y", [0.5, 1.0, 7.0])
def test_multipliers_are_cut_to_the_room_of_their_arcs(y):
    d = [[0, 1, -2], [-1, 0, 3], [2, -3, 0]]
    both = packed_cycles([(y, (0, 1, 2)), (y, (2, 1, 0))], d, (0, 0, 0)).parts
    assert both in ((), ((Fraction(1), (0, 1, 2)),))
    assert packed_cycles([(y, (0, 1, 2))], d, (0, 0, 0)).parts == ((min(Fraction(y), 1), (0, 1, 2)),)


def test_a_cycle_against_a_forced_pair_proves_nothing():
    d = [[0, 1, -2], [-1, 0, 3], [2, -3, 0]]
    assert packed_cycles([(1.0, (0, 1, 2))], d, closure(3, [(1, 0)])) == Cycles()
    # A forced pair has room for all: no order inverts it.
    assert packed_cycles([(2.0, (0, 1, 2))], d, closure(3, [(0, 1)])).parts == ((Fraction(2), (0, 1, 2)),)


def test_an_order_costs_at_least_the_least_cost_that_orders_can_have():
    """Costs are 7 less whole numbers, and at least 9/2."""
    assert KemenyOrder((0, 1), Fraction(7), Fraction(9, 2), NO_CYCLES, Fraction(1)).at_least == 5


def test_what_is_no_aggregate_is_refused():
    with pytest.raises(InputError, match="square"):
        kemeny([[Fraction(0)], [Fraction(0)]])
    with pytest.raises(InputError, match="at least 0"):
        kemeny(fractions(np.array([[0, -1], [1, 0]])))
