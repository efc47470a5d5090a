"""Scalar functions phi: expressions, exact values and slopes, and proofs of their shape."""

from consistency_lab.core.phi.expression import Expression, parse
from consistency_lab.core.phi.shape import Shape, convexity_proof, facts
from consistency_lab.core.phi.values import (
    Quantity,
    enclose_slopes,
    enclose_value,
    exact_slopes,
    exact_value,
    quantities_at,
    slopes_at,
)

__all__ = [
    "Expression",
    "Quantity",
    "Shape",
    "convexity_proof",
    "enclose_slopes",
    "enclose_value",
    "exact_slopes",
    "exact_value",
    "facts",
    "parse",
    "quantities_at",
    "slopes_at",
]
