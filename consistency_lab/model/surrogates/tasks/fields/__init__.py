"""Gradient fields: what shipped ranking objectives really do, where that is not descent on a convex loss."""

from consistency_lab.model.surrogates.tasks.fields.catalogue import FIELDS, field
from consistency_lab.model.surrogates.tasks.fields.written import GradientField, Piece

__all__ = ["FIELDS", "GradientField", "Piece", "field"]
