"""What the core asks about a scalar function phi, remembered for the few functions and points of a file."""

from fractions import Fraction
from functools import lru_cache

from consistency_lab.core.phi import (
    Expression,
    Quantity,
    convexity_proof,
    enclose_value,
    exact_slopes,
    quantities_at,
)
from consistency_lab.core.reals import BITS, Real
from consistency_lab.errors import RejectedError
from consistency_lab.exact import Ball, LogRational, working_precision


@lru_cache(maxsize=256)
def convexity(phi: Expression) -> str:
    """How phi is proved to be finite and convex on the whole line.

    Raises
    ------
    RejectedError
        If it is not proved.
    """
    proof = convexity_proof(phi)
    if proof is None:
        raise RejectedError(f"convexity of {phi} is not proved")
    return proof


@lru_cache(maxsize=2048)
def rational_slopes(phi: Expression, x: LogRational) -> tuple[Fraction | None, Fraction | None]:
    """Left and right derivative at x, None where it is not known to be rational."""
    with working_precision(BITS):
        return exact_slopes(phi, x)


@lru_cache(maxsize=2048)
def near(phi: Expression, x: LogRational, bits: int) -> tuple[Ball, Real, Real]:
    """phi(x), and the left and the right derivative there, in one pass with `bits` bits."""
    with working_precision(bits):
        value, left, right = quantities_at(phi, x)
        first = _real(left)
        return value.ball, first, first if left is right else _real(right)


def _real(found: Quantity) -> Real:
    exact = found.rational()
    return found.ball if exact is None else exact


@lru_cache(maxsize=2048)
def value(phi: Expression, x: LogRational, bits: int) -> Ball:
    """phi(x), enclosed with `bits` bits."""
    with working_precision(bits):
        return enclose_value(phi, x)
