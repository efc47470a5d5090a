"""Scalar functions phi: all that `core.phi` knows of them, and names, domains, symmetry."""

from consistency_lab.core.phi.evaluate import enclose_slopes, enclose_value, exact_slopes, exact_value
from consistency_lab.core.phi.expression import (
    ARITY,
    FUNCTIONS,
    MAX_EXPONENT,
    MAX_NUMBER_DIGITS,
    Expression,
    X,
    build,
    number,
)
from consistency_lab.core.phi.parsing import MAX_DEPTH, MAX_LENGTH, MAX_NODES, parse
from consistency_lab.core.phi.shape import convexity_proof
from consistency_lab.phi.differentiable import is_differentiable
from consistency_lab.phi.domain import refuse_undefined, undefined_at
from consistency_lab.phi.facts import Facts, facts
from consistency_lab.phi.piecewise import PiecewisePolynomial
from consistency_lab.phi.symmetry import is_line_plus_even
from consistency_lab.phi.table import NAMED, NamedFunction, named

__all__ = [
    "ARITY",
    "FUNCTIONS",
    "MAX_DEPTH",
    "MAX_EXPONENT",
    "MAX_LENGTH",
    "MAX_NODES",
    "MAX_NUMBER_DIGITS",
    "NAMED",
    "Expression",
    "Facts",
    "NamedFunction",
    "PiecewisePolynomial",
    "X",
    "build",
    "convexity_proof",
    "enclose_slopes",
    "enclose_value",
    "exact_slopes",
    "exact_value",
    "facts",
    "is_differentiable",
    "is_line_plus_even",
    "named",
    "number",
    "parse",
    "refuse_undefined",
    "undefined_at",
]
