"""Limits by SymPy of functions that it gives up on."""

import pytest

from consistency_lab.model.limits import slopes_at_zero, towards
from consistency_lab.phi import parse


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
