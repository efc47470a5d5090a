"""Numbers of tasks as texts: rationals, balls, and the formulas that a user types."""

import re
from fractions import Fraction
from typing import Final

from consistency_lab.exact import Ball, LogRational, as_fraction
from consistency_lab.model.tasks.real import Real, as_ball
from consistency_lab.report.text import decimal

_WIDEST: Final = 12
"""A longer rational is shown as a decimal: it would be one of many in a row."""

_POWER: Final = re.compile(r"exp\((\w+|\([^()]*\)(?:/\d+)?)\*log\((\d+(?:/\d+)?)\)\)")
_BINARY_LOGARITHM: Final = re.compile(r"log\(([^()]*)\)/log\(2\)")
_ATOM: Final = re.compile(r"\w+")


def real(value: Real | Ball | LogRational) -> str:
    """An exact number as it is, if that is short; a decimal behind "≈" for any other.

    Examples
    --------
    >>> real(Fraction(2, 3)), real(Fraction(10**9 + 1, 10**9))
    ('2/3', '≈1.000000')
    """
    if isinstance(value, Fraction | LogRational):
        text = str(value)
        return text if len(text) <= _WIDEST else f"≈{decimal(value)}"
    return f"≈{rounded(value)}"


def rounded(value: Real | Ball | LogRational) -> str:
    """Six decimals of a number.

    Examples
    --------
    >>> rounded(Fraction(2, 3))
    '0.666667'
    """
    if isinstance(value, Fraction | LogRational):
        return decimal(value)
    return decimal(as_fraction(as_ball(value).mid()))


def exact_text(value: Real | Ball) -> str:
    """A rational in full; a decimal of a number that is not known to be one.

    Examples
    --------
    >>> exact_text(Fraction(2, 3))
    '2/3'
    """
    return str(value) if isinstance(value, Fraction) else rounded(value)


def typed(expression: str) -> str:
    """The canonical text of a formula with powers and binary logarithms as they are typed.

    Examples
    --------
    >>> typed("(exp(s*log(2))-1)/4"), typed("log(1+j)/log(2)"), typed("exp((j-1)/3*log(2))")
    ('(2**s-1)/4', 'log2(1+j)', '2**((j-1)/3)')
    """
    powers = _POWER.sub(
        lambda match: f"{match[2]}**{match[1] if _ATOM.fullmatch(match[1]) else f'({match[1]})'}", expression
    )
    return _BINARY_LOGARITHM.sub(r"log2(\1)", powers)
