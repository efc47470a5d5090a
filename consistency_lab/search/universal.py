"""One aggregate at which every convex edge loss fails at once."""

from fractions import Fraction
from typing import Final

UNIVERSAL_AGGREGATE: Final[tuple[tuple[Fraction, ...], ...]] = tuple(
    tuple(Fraction(x) for x in row) for row in ((0, 3, 8), (0, 0, 1), (4, 0, 0))
)
"""Additive differences (d = 3, 1, 4) that fulfil Condition 1 of DMJ10 Lemma 10: 1 < 4 * 3 / (8 + 3)."""
