"""Whether training from zero scores ends at an equilibrium: recomputed in floats, and proved by nothing."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from consistency_lab.kernel import WRONG_EQUILIBRIUM

_NOT_OPTIONS = ("family", "name", "library", "objective")


def reached(document: Mapping[str, Any]) -> bool | None:
    """Whether the flow from zero scores comes to rest in the box of a witness document.

    None where the witness is no equilibrium. The document is one that the kernel has accepted.
    """
    if document["claim"] != WRONG_EQUILIBRIUM:
        return None
    from consistency_lab.model.surrogates.tasks.fields import field
    from consistency_lab.search.flow import reached_from_zero

    entry = document["surrogate"]
    known = field(entry["name"], **{key: entry[key] for key in entry if key not in _NOT_OPTIONS})
    weights = {tuple(x["label"]): Fraction(x["probability"]) for x in document["distribution"]}
    box = [(Fraction(low), Fraction(high)) for low, high in document["certificate"]["box"]]
    return reached_from_zero(known, weights, box)


def sentence(found: bool) -> str:
    """In words that say that it is no proof."""
    return f"Reached from zero scores: {'yes' if found else 'no'} (in floating point)."
