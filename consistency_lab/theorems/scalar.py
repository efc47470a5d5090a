"""Hypotheses on the scalar loss phi of a difference-graph surrogate."""

from collections.abc import Callable
from fractions import Fraction
from typing import Final

from consistency_lab.exact import LogRational, certainly_less
from consistency_lab.model.properties import (
    BOUNDED_BELOW,
    CONVEX,
    NEGATIVE_SLOPE,
    NONINCREASING,
    Status,
    properties,
)
from consistency_lab.model.surrogates import Surrogate
from consistency_lab.phi import enclose_value
from consistency_lab.theorems.base import Hypothesis

_FAR: Final = tuple(Fraction(2) ** n for n in range(-4, 7))


def _property(name: str) -> Callable[[Surrogate], str | None]:
    def check(surrogate: Surrogate) -> str | None:
        found = properties(surrogate.functions[0])[name]
        if found.status is not Status.PROVED:
            return None
        return f"{found.how} ({found.value})" if found.value is not None else found.how

    return check


def _falls_after_zero(surrogate: Surrogate) -> str | None:
    phi = surrogate.functions[0]
    start = enclose_value(phi, LogRational(Fraction(0)))
    for x in _FAR:
        if certainly_less(enclose_value(phi, LogRational(x)), start):
            return f"interval arithmetic: phi({x}) < phi(0)"
    return None


IS_CONVEX: Final = Hypothesis("phi is convex", _property(CONVEX))
IS_NONINCREASING: Final = Hypothesis("phi is nonincreasing", _property(NONINCREASING))
IS_BOUNDED_BELOW: Final = Hypothesis("phi is bounded below", _property(BOUNDED_BELOW))
HAS_NEGATIVE_SLOPE: Final = Hypothesis(r"\(\phi'(0) < 0\)", _property(NEGATIVE_SLOPE))
FALLS_AFTER_ZERO: Final = Hypothesis(r"\(\phi(0) > \inf \phi\)", _falls_after_zero)
