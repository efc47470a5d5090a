"""Distributions from numbers of any kind."""

from fractions import Fraction

import numpy as np
import pytest

from consistency_lab.errors import InputError
from consistency_lab.model.distribution import Distribution
from consistency_lab.numbers.exact import rational


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.float16, np.int64, np.uint8])
def test_an_aggregate_of_numpy_numbers_is_exact(kind):
    a = np.array([[0, 2, 1], [1, 0, 3], [0, 1, 0]]).astype(kind)
    plain = Distribution.from_aggregate([[0, 2, 1], [1, 0, 3], [0, 1, 0]])
    assert Distribution.from_aggregate(a) == plain
    assert Distribution.from_aggregate(list(a)) == plain
    assert all(type(x) is Fraction for row in Distribution.from_aggregate(a).aggregate for x in row)


def test_a_numpy_float_is_the_number_that_a_float_is():
    for x in (0.5, 0.1, 1e-9, 123456.75):
        assert rational(np.float64(x)) == rational(x)
    assert rational(np.array(0.25)) == Fraction(1, 4)


@pytest.mark.parametrize(
    "value", [np.nan, np.float64("inf"), np.bool_(True), np.zeros(2), np.complex128(1j), np.longdouble(1)]
)
def test_what_is_no_finite_number_is_refused(value):
    with pytest.raises(InputError, match="the aggregate entry 1 → 2 is"):
        Distribution.from_aggregate([[0, value], [1, 0]])
