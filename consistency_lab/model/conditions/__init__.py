"""Noise conditions on an aggregate of preferences: one file each, and the table that they are in."""

from consistency_lab.model.conditions.condition import Condition
from consistency_lab.model.conditions.differences import Differences, edges, net
from consistency_lab.model.conditions.table import (
    CONDITIONS,
    USUAL,
    condition,
    conditions_at,
    conditions_of,
    cone,
    fewest_shapes,
    implied_by,
    implies,
    implying,
    numbered,
    orientations_for,
)
from consistency_lab.model.cones import Cone, LinearForm

__all__ = [
    "CONDITIONS",
    "USUAL",
    "Condition",
    "Cone",
    "Differences",
    "LinearForm",
    "condition",
    "conditions_at",
    "conditions_of",
    "cone",
    "edges",
    "fewest_shapes",
    "implied_by",
    "implies",
    "implying",
    "net",
    "numbered",
    "orientations_for",
]
