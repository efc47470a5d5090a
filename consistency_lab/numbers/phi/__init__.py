"""Scalar functions phi: all that the core knows of them, and names, domains, symmetry."""

from consistency_lab.numbers.expression import (
    ARITY,
    FUNCTIONS,
    MAX_DEPTH,
    MAX_LENGTH,
    MAX_NODES,
    MAX_NUMBER_DIGITS,
    Expression,
    X,
    build,
    number,
)
from consistency_lab.numbers.phi.facts import (
    Facts,
    PiecewisePolynomial,
    facts,
    is_differentiable,
    is_line_plus_even,
    refuse_undefined,
    undefined_at,
)
from consistency_lab.numbers.phi.table import NAMED, OF_ANSWERS, SHORT, NamedFunction, named, parse, spelled
from consistency_lab.numbers.shape import convexity_proof
from consistency_lab.numbers.values import enclose_slopes, enclose_value, exact_slopes, exact_value

__all__ = [
    "ARITY",
    "FUNCTIONS",
    "MAX_DEPTH",
    "MAX_LENGTH",
    "MAX_NODES",
    "MAX_NUMBER_DIGITS",
    "NAMED",
    "OF_ANSWERS",
    "SHORT",
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
    "spelled",
    "undefined_at",
]
