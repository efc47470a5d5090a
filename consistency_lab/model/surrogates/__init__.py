"""Surrogate losses: families, names, and the interface for a loss of one's own."""

from consistency_lab.model.surrogates.base import GraphSurrogate, Surrogate, Term, merged, pair
from consistency_lab.model.surrogates.catalogue import (
    FAMILIES,
    FORMS,
    WITHOUT_PHI,
    family_of,
    surrogate,
    surrogate_names,
)
from consistency_lab.model.surrogates.difference import DifferenceSurrogate
from consistency_lab.model.surrogates.edge import EdgeSurrogate
from consistency_lab.model.surrogates.linear import LinearSurrogate
from consistency_lab.model.surrogates.loading import as_surrogate, load_surrogate
from consistency_lab.model.surrogates.margin import MarginSurrogate
from consistency_lab.model.surrogates.own import OwnSurrogate
from consistency_lab.model.surrogates.regression import RegressionSurrogate

__all__ = [
    "FAMILIES",
    "FORMS",
    "WITHOUT_PHI",
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
