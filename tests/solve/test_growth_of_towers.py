"""Slopes too large, or too close to zero, to write out must not be written out."""

from fractions import Fraction

import pytest

from consistency_lab.apps.measure.worst_bounds import SlopeTable
from consistency_lab.numbers.exact import Ball
from consistency_lab.numbers.phi import parse
from consistency_lab.solve.connectivity import Trend, _below, growth


def test_a_tower_of_exponentials_grows():
    found = growth(parse("exp(exp(-x))"))
    assert found.rise_behind is not None and found.rise_behind >= 2**100
    assert found.rise_ahead == 0


def test_a_tower_of_powers_grows():
    # At 1/16 its slope has more than four million binary digits behind the point.
    found = growth(parse("((((x**16)**16)**16)**16)**16"))
    assert (found.ahead, found.behind) == (Trend.GROWS, Trend.GROWS)
    assert found.rise_ahead == found.rise_behind == 2**100


@pytest.mark.parametrize(
    ("slope", "below"),
    [
        (Ball(2) ** 1_000_000, Fraction(1 << 100)),
        (Ball(2) ** -1_000_000, Fraction(0)),
        (-(Ball(2) ** -1_000_000), Fraction(-1, 1 << 100)),
        (-(Ball(2) ** 1_000_000), None),
        (Ball("0.25"), Fraction(1, 4)),
    ],
)
def test_bounds_of_slopes_are_short_and_true(slope, below):
    assert _below(slope) == below


def test_slopes_of_a_tower_are_counted_in_units():
    table = SlopeTable(parse("((((x**16)**16)**16)**16)**16"))
    assert table.at(0.0625) == (0, 1)
    assert table.at(-0.0625) == (-1, 0)
