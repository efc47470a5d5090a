"""Bounds on the cost of orders, against all orders."""

from fractions import Fraction
from itertools import combinations, permutations
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from consistency_lab.certify.proofs.orders import order_evidence, restricted
from consistency_lab.core.orders import (
    DEEPEST,
    NO_CYCLES,
    Cycles,
    Evidence,
    Split,
    closure,
    cost,
    extensions,
    lower_bound,
    reversed_costs,
)
from consistency_lab.solve.optimal import optimal_orders

ITEMS = 5
PAIRS = list(permutations(range(ITEMS), 2))


@st.composite
def questions(draw: st.DrawFn) -> tuple[dict[tuple[int, int], Fraction], list[tuple[int, int]]]:
    """Costs of pairs, and a few forced pairs that do not contradict each other."""
    weights = draw(st.lists(st.integers(0, 6), min_size=len(PAIRS), max_size=len(PAIRS)))
    order = draw(st.permutations(range(ITEMS)))
    forced = draw(st.lists(st.sampled_from(list(combinations(order, 2))), max_size=4))
    return {pair: Fraction(w) for pair, w in zip(PAIRS, weights, strict=True) if w}, forced


@given(questions())
def test_the_bound_is_what_the_cheapest_order_costs(
    question: tuple[dict[tuple[int, int], Fraction], list[tuple[int, int]]],
) -> None:
    costs, forced = question
    kept = [t for t in permutations(range(ITEMS)) if all(t.index(i) < t.index(j) for i, j in forced)]
    assert sorted(extensions(closure(ITEMS, forced), 120)) == sorted(kept)
    least = min(cost(costs, t) for t in kept)
    below = closure(ITEMS, forced)
    found = order_evidence(costs, below, least)
    assert found is not None and lower_bound(costs, below, found) == least
    assert order_evidence(costs, below, least, more=True) is None
    assert lower_bound(costs, below, NO_CYCLES) <= least
    total = sum(costs.values(), Fraction(0))
    assert all(cost(costs, t) + cost(reversed_costs(costs), t) == total for t in kept)


def test_cases_that_forced_pairs_exclude_are_left_out() -> None:
    evidence = Split((0, 1), NO_CYCLES, Split((1, 2), NO_CYCLES, NO_CYCLES))
    assert restricted(evidence, (0, 1, 0)) == Split((1, 2), NO_CYCLES, NO_CYCLES)
    assert restricted(evidence, (2, 0, 0)) == NO_CYCLES
    assert restricted(evidence, (0, 0, 0)) == evidence


def test_cycles_alone_do_not_always_suffice() -> None:
    """Preferences between 3 + 3 items with one arc each turned round (a fence): cases are needed.

    The linear ordering polytope of 6 items has facets besides those of cycles (Grötschel, Jünger and Reinelt
    1985).
    """
    costs = {}
    for i in range(3):
        for j in range(3, 6):
            up, down = ((i, j), (j, i)) if j - 3 == i else ((j, i), (i, j))
            costs[up], costs[down] = Fraction(1 + (j - 3 != i)), Fraction(0 + (j - 3 != i))
    costs = {pair: x for pair, x in costs.items() if x}
    least = min(cost(costs, t) for t in permutations(range(6)))
    found = order_evidence(costs, closure(6, []), least)
    assert isinstance(found, Split)
    assert lower_bound(costs, closure(6, []), found) == least


def test_cases_are_no_deeper_than_a_file_may_have_them() -> None:
    """A tournament of ten items with equal differences, on which cycles say little."""
    rng = Random(5)
    costs = {pair if rng.random() < 0.5 else pair[::-1]: Fraction(1) for pair in combinations(range(10), 2)}
    least = optimal_orders([[costs.get((i, j), Fraction(0)) for j in range(10)] for i in range(10)]).loss
    found = order_evidence(costs, closure(10, []), least)
    assert found is None or (_depth(found) <= DEEPEST and lower_bound(costs, closure(10, []), found) >= least)
    assert order_evidence(costs, closure(10, []), least, more=True) is None


def _depth(evidence: Evidence) -> int:
    return 0 if isinstance(evidence, Cycles) else 1 + max(_depth(evidence.above), _depth(evidence.below))
