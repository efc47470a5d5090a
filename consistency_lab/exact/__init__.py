"""Exact numbers, exact linear algebra and rigorous enclosures.

The lowest layer: it knows nothing of rankings. Rationals are :class:`fractions.Fraction`;
numbers of the form *a + log q* are :class:`LogRational`; enclosures are Arb balls.
"""

from consistency_lab.exact.linear import null_space, rank, solve_linear
from consistency_lab.exact.rational import (
    MAX_DIGITS,
    Ball,
    LogRational,
    as_fraction,
    certainly_less,
    certainly_positive,
    enclose,
    integer_multiple,
    is_writable,
    lower_decimal,
    rational,
    rational_text,
    simplest_between,
    working_precision,
)

__all__ = [
    "MAX_DIGITS",
    "Ball",
    "LogRational",
    "as_fraction",
    "certainly_less",
    "certainly_positive",
    "enclose",
    "integer_multiple",
    "is_writable",
    "lower_decimal",
    "null_space",
    "rank",
    "rational",
    "rational_text",
    "simplest_between",
    "solve_linear",
    "working_precision",
]
