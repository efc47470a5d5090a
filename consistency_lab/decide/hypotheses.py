"""What is asked of a surrogate before anything is decided about it."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from consistency_lab.errors import InputError
from consistency_lab.model.properties import BOUNDED_BELOW, Property, Status, properties, refuse_undefined
from consistency_lab.model.surrogates import Surrogate
from consistency_lab.phi import Expression, convexity_proof

_THEOREMS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "edge": "DMJ10 Theorem 11",
        "margin": "DMJ10 Theorem 12",
        "linear": "DMJ10 Theorem 13",
        "regression": "RAT13 Theorem 6",
        "difference": "DMJ13 §5.3",
    }
)


def known_properties(surrogate: Surrogate) -> Mapping[str, Property]:
    """What is known of the scalar function; one that the question does not apply to is refused.

    Raises
    ------
    InputError
        If a function is not defined everywhere, or phi is not bounded below.
    """
    phi = surrogate.functions[-1]
    for function in surrogate.functions:
        refuse_undefined(function)
    known = properties(phi)
    if len(surrogate.functions) == 1 and known[BOUNDED_BELOW].status is Status.REFUTED:
        raise InputError(
            f"{phi} is not bounded below, so W* = -infinity; consistency (DMJ10 Definition 2) asks for a "
            "surrogate that is bounded below"
        )
    return known


def not_proved_convex(surrogate: Surrogate) -> Expression | None:
    """The first function whose convexity the core could not check: no certificate applies then."""
    return next((phi for phi in surrogate.functions if convexity_proof(phi) is None), None)


def illustrated_theorem(surrogate: Surrogate) -> str:
    """The statement that a witness about this family illustrates."""
    return _THEOREMS.get(getattr(surrogate, "family", ""), "DMJ10 Definition 2")
