"""Exact numbers and rigorous enclosures; exact linear algebra is in `exact.linear`.

The lowest layer: it knows nothing of rankings. Rationals are :class:`fractions.Fraction`;
numbers of the form *a + log q* are :class:`LogRational`; enclosures are Arb balls.
"""

from consistency_lab.numbers.exact.rational import (
    MAX_DIGITS,
    ONE,
    ZERO,
    Ball,
    LogRational,
    Matrix,
    Vector,
    as_fraction,
    certainly_less,
    certainly_positive,
    enclose,
    exact_sum,
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
    "ONE",
    "ZERO",
    "Ball",
    "LogRational",
    "Matrix",
    "Vector",
    "as_fraction",
    "certainly_less",
    "certainly_positive",
    "enclose",
    "exact_sum",
    "integer_multiple",
    "is_writable",
    "lower_decimal",
    "rational",
    "rational_text",
    "simplest_between",
    "working_precision",
]
