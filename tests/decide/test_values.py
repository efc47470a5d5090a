"""Values of small functions that theorems and decisions are made of."""

from fractions import Fraction

import pytest

from consistency_lab.apps.measure.worst import Ends, nested, of_three
from consistency_lab.decide.answers import Verdict, overall
from consistency_lab.decide.theorems.base import differentiable, implied_with, one_factor
from consistency_lab.decide.theorems.difference import parts_apart
from consistency_lab.decide.theorems.dmj13 import kind
from consistency_lab.decide.theorems.infeasibility import third_item
from consistency_lab.decide.theorems.linear import strictly_convex
from consistency_lab.model.surrogates import surrogate
from consistency_lab.model.surrogates.tasks.catalogue import task_surrogate
from consistency_lab.model.tasks.catalogue import target
from consistency_lab.numbers.phi import parse

UNBEATEN = [[Fraction(x) for x in row] for row in ([0, 1, 1], [0, 0, 0], [2, 0, 0])]
"""Item 2 never won."""
ZERO, ONE, TWO = map(Fraction, range(3))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (lambda: overall([Verdict.CONSISTENT, Verdict.UNDECIDED]), Verdict.UNDECIDED),
        (lambda: implied_with("bradley-terry", "balanced")[-2:], ("row-dominated", "net-order")),
        (lambda: one_factor([(ONE, TWO), (ZERO, ZERO)]), Fraction(1, 2)),
        (lambda: one_factor([(ONE, TWO), (ONE, ONE)]), None),
        (lambda: parts_apart(surrogate("logistic"), UNBEATEN), [(0, 2), (1,)]),
        (lambda: parts_apart(surrogate("hinge"), UNBEATEN), None),
        (lambda: third_item((0, 1)), {(0, 2): 1, (1, 2): -1}),
        (lambda: strictly_convex(parse("x**2/2")), "decided on its polynomial pieces"),
        (lambda: strictly_convex(parse("max(0, x)**2")), None),
        (lambda: differentiable(parse("max(0,1-x)**2")), "decided on its polynomial pieces"),
        (lambda: differentiable(parse("x**2/2 + abs(x)")), None),
        (lambda: kind(task_surrogate("softmax"), target("map")), ("softmax", "sum")),
        (lambda: kind(task_surrogate("ordinal"), target("map")), ("ordinal", "")),
    ],
)
def test_values(value, expected):
    assert value() == expected


@pytest.mark.parametrize(
    ("name", "proved"),
    [("logistic", True), ("squared-hinge", True), ("square", True), ("exponential", False)],
)
def test_unequal_counts_of_three_items_are_settled_for(name, proved):
    assert of_three(surrogate(name), "low-noise", 3) is proved


def test_a_larger_ratio_allows_what_a_smaller_one_does():
    ends = [Ends("x", 3, r, r / 9, (7 - r) / 9) for r in (ONE, TWO)]
    assert [end.upper for end in nested(ends)] == [Fraction(5, 9)] * 2
