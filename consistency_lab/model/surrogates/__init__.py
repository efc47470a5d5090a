"""Surrogate losses: families, names, and the interface for a loss of one's own, which `own` reads."""

from consistency_lab.model.surrogates.answers import AnswerSurrogate
from consistency_lab.model.surrogates.catalogue import (
    FAMILIES,
    FORMS,
    WITHOUT_PHI,
    family_of,
    surrogate,
    surrogate_names,
)
from consistency_lab.model.surrogates.families import (
    DifferenceSurrogate,
    EdgeSurrogate,
    GraphSurrogate,
    LinearSurrogate,
    MarginSurrogate,
    RegressionSurrogate,
    Surrogate,
    Term,
    merged,
    pair,
)

__all__ = [
    "FAMILIES",
    "FORMS",
    "WITHOUT_PHI",
    "AnswerSurrogate",
    "DifferenceSurrogate",
    "EdgeSurrogate",
    "GraphSurrogate",
    "LinearSurrogate",
    "MarginSurrogate",
    "RegressionSurrogate",
    "Surrogate",
    "Term",
    "family_of",
    "merged",
    "pair",
    "surrogate",
    "surrogate_names",
]
