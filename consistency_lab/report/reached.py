"""Whether training from zero scores ends at an equilibrium: recomputed in floats, and proved by nothing."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from consistency_lab.core.document import WRONG_EQUILIBRIUM


def reached(document: Mapping[str, Any]) -> bool | None:
    """Whether the flow from zero scores comes to rest in the box of a proof.

    None where the proof is of no equilibrium, or names no field that is known here. The document is one that
    the core has accepted, and whose names were recomputed.
    """
    proof, named = document["proof"], document["named"]
    if proof["claim"] != WRONG_EQUILIBRIUM or "labels" not in named or "surrogate" not in named:
        return None
    from consistency_lab.proofs.field_names import named_field
    from consistency_lab.search.flow import reached_from_zero

    known = named_field(named["surrogate"])
    if known is None:
        return None
    probabilities = [Fraction(label["probability"]) for label in proof["labels"]]
    weights = dict(zip(map(tuple, named["labels"]), probabilities, strict=True))
    box = [(Fraction(low), Fraction(high)) for low, high in proof["certificate"]["box"]]
    return reached_from_zero(known, weights, box)


def sentence(found: bool) -> str:
    """In words that say that it is no proof."""
    return f"Reached from zero scores: {'yes' if found else 'no'} (in floating point)."
