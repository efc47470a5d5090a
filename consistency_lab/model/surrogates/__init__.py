"""Surrogate losses: families, names, and the interface for a loss of one's own."""

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
from consistency_lab.model.surrogates.own import OwnSurrogate, as_surrogate, load_surrogate

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
    "OwnSurrogate",
    "RegressionSurrogate",
    "Surrogate",
    "Term",
    "as_surrogate",
    "family_of",
    "load_surrogate",
    "merged",
    "pair",
    "surrogate",
    "surrogate_names",
]
