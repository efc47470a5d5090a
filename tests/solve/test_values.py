"""Values of small functions that other tests use without a look at their answers."""

from fractions import Fraction

from consistency_lab.solve.connectivity import condensed
from consistency_lab.solve.kemeny import NO_CYCLES, KemenyOrder


def test_levels_are_equal_within_strong_components_and_grow_along_other_arcs():
    assert condensed([(0, 1), (1, 2), (2, 1)], 3) == ([0, 1, 1], [(1, 2), (0,)])


def test_an_order_costs_at_least_the_least_cost_that_orders_can_have():
    """Costs are 7 less whole numbers, and at least 9/2."""
    assert KemenyOrder((0, 1), Fraction(7), Fraction(9, 2), NO_CYCLES, Fraction(1)).at_least == 5
