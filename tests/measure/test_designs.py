"""The worst regret of three items with unequal counts: docs/theory.md, Unequal counts."""

from fractions import Fraction
from math import sqrt

import numpy as np
import pytest

import consistency_lab as lab
from consistency_lab.certify.witness import certify
from consistency_lab.errors import InputError
from consistency_lab.exact import LogRational
from consistency_lab.measure.designs import unequal_counts
from consistency_lab.model.conditions import ADDITIVE, LOW_NOISE
from consistency_lab.model.designs import design

RATIOS = [Fraction(text) for text in ("6/5", "2", "3", "33/10", "7/2", "5", "38/5", "77/10", "8", "20")]


@pytest.mark.parametrize("ratio", RATIOS, ids=str)
def test_it_is_the_largest_on_a_grid(ratio: Fraction) -> None:
    """Over y = n_23 and n_12 with n_13 = 1: D <= n_12 and D <= y (1-y) / (1 + 2y)."""
    r = float(ratio)
    y, middle = np.meshgrid(np.linspace(1 / r, 1, 1500), np.linspace(1 / r, 1, 1500))
    regret = np.minimum(middle, y * (1 - y) / (1 + 2 * y)) / (1 + y + middle)
    found = float(unequal_counts(ratio).regret)
    assert regret.max() <= found + 1e-12
    assert found == pytest.approx(regret.max(), abs=2e-4)


@pytest.mark.parametrize(
    ("ratio", "expected"),
    [
        ("1", 0),
        ("2", 1 / 16),
        ("3", 2 / 25),
        ("5", 5 * (29 - 2 * sqrt(3 * 6 * 11)) / 49),
        ("8", 1 / 2 - 1 / sqrt(6)),
        ("1000", 1 / 2 - 1 / sqrt(6)),
    ],
)
def test_closed_forms(ratio: str, expected: float) -> None:
    assert float(unequal_counts(Fraction(ratio)).regret) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("ratio", RATIOS, ids=str)
def test_the_witness_has_the_regret_and_the_core_accepts_it(ratio: Fraction) -> None:
    found = unequal_counts(ratio)
    assert LOW_NOISE.holds(found.a)
    assert ADDITIVE.holds(found.a)
    assert design(f"ratio:{ratio}").holds(found.a)
    nought = LogRational(Fraction(0))
    below = LogRational(Fraction(0), (1 - found.tau) / (1 + found.tau))
    p = lab.Distribution.from_aggregate(found.a)
    witness = certify("logistic", p, [nought, nought, below])
    assert witness is not None
    assert witness.verified.failure == "tie"
    assert witness.normalized_regret == found.reached
    assert 0 <= float(found.regret) - float(found.reached) < 1e-7


def test_a_ratio_below_1_is_refused() -> None:
    with pytest.raises(InputError, match="the ratio is 1/2; it must be at least 1"):
        unequal_counts(Fraction(1, 2))
