"""Rationals in and out."""

from fractions import Fraction

import pytest

from consistency_lab.core.reading import fraction
from consistency_lab.errors import UnsupportedError
from consistency_lab.numbers.exact import MAX_DIGITS, is_writable, rational_text


@pytest.mark.parametrize(
    "longest",
    [
        Fraction(10**MAX_DIGITS - 1),
        Fraction(-(10 ** (MAX_DIGITS - 1) - 1)),
        Fraction(1, 10 ** (MAX_DIGITS - 3)),
    ],
)
def test_what_is_written_a_file_may_hold_and_nothing_longer_is_written(longest):
    """Python itself writes no integer of more than 4300 digits."""
    assert is_writable(longest)
    assert fraction(rational_text(longest), "it") == longest
    for longer in (longest * 10 + longest / 10, longest * 10**5000, longest / 10**5000):
        assert not is_writable(longer)
        with pytest.raises(UnsupportedError, match="more than 2000 digits"):
            rational_text(longer)
