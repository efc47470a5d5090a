"""Scalar functions phi: expressions, exact values and slopes, and proofs of their shape."""

from consistency_lab.core.phi.evaluate import (
    enclose_slopes,
    enclose_value,
    exact_slopes,
    exact_value,
    quantities_at,
    slopes_at,
)
from consistency_lab.core.phi.expression import Expression
from consistency_lab.core.phi.parsing import parse
from consistency_lab.core.phi.quantity import Quantity
from consistency_lab.core.phi.shape import Shape, convexity_proof, facts

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
