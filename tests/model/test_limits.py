"""Limits by SymPy of functions that it gives up on."""

import pytest

from consistency_lab.model.limits import End, Slopes, slopes_at_zero, towards
from consistency_lab.numbers.phi import parse


@pytest.mark.parametrize(
    "text", ["max(0,-(7**(2**(exp(1e3)))))", "min(0,7**(2**(exp(1e3))))", "abs(7**(2**(exp(1e3)))-1)"]
)
@pytest.mark.parametrize("side", [-1, 1])
def test_constants_that_no_float_holds_are_no_crash(text: str, side: int) -> None:
    """They are constants, so what is known of them is that they do not grow."""
    phi = parse(text)
    slopes_at_zero(phi)
    slope = towards(phi, side).slope
    assert slope is None or slope.sign == 0


@pytest.mark.parametrize("text", ["2**max(0,x-1e29)", "2**max(x,-1e29)", "exp(-max(1,x,1e29-x))"])
def test_numbers_in_one_branch_of_an_exponent_are_not_written_out(text: str) -> None:
    """At 0 the maximum hides them; SymPy wrote 2**(10**29)."""
    phi = parse(text)
    assert (towards(phi, 1), towards(phi, -1), slopes_at_zero(phi)) == (End(), End(), Slopes())
