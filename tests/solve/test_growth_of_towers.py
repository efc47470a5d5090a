"""Slopes too large to write out must not be written out."""

from consistency_lab.phi import parse
from consistency_lab.solve.growth import growth


def test_a_tower_of_exponentials_grows() -> None:
    found = growth(parse("exp(exp(-x))"))
    assert found.rise_behind is not None and found.rise_behind >= 2**100
    assert found.rise_ahead == 0
