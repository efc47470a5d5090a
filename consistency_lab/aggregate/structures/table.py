"""The structures by name."""

from collections.abc import Mapping
from dataclasses import fields
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any, Final

from consistency_lab.aggregate.structures.base import Structure
from consistency_lab.aggregate.structures.cascade_mle import CascadeMLE
from consistency_lab.aggregate.structures.pairs import (
    AmmarShah,
    AverageAdjacency,
    Borda,
    BTLLogOdds,
    PrincipalEigenvector,
    ThurstoneMosteller,
)
from consistency_lab.checked import checked
from consistency_lab.errors import InputError

STRUCTURES: Final[Mapping[str, type[Structure]]] = MappingProxyType(
    {
        one.name: one
        for one in (
            AverageAdjacency,
            BTLLogOdds,
            ThurstoneMosteller,
            Borda,
            AmmarShah,
            PrincipalEigenvector,
            CascadeMLE,
        )
    }
)
"""In the order of DMJ13 §5."""


@checked
def structure(name: str, **parameters: Any) -> Structure:
    """A structure by its name.

    Parameters
    ----------
    name
        A key of `STRUCTURES`.
    **parameters
        Those of its class.

    Raises
    ------
    InputError
        If there is none of that name, or it has no such parameter.

    Examples
    --------
    >>> structure("btl-log-odds", c=0.5)
    BTLLogOdds(c=0.5)
    """
    if name not in STRUCTURES:
        near = get_close_matches(name, STRUCTURES, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"they are {', '.join(STRUCTURES)}"
        raise InputError(f"there is no structure {name[:40]!r}; {hint}")
    kind: Any = STRUCTURES[name]
    known = [field.name for field in fields(kind)]
    for parameter in parameters:
        if parameter not in known:
            raise InputError(
                f"the structure {name} has no parameter {parameter[:40]!r}; "
                f"it has {', '.join(known) or 'none'}"
            )
    found: Structure = kind(**parameters)
    return found
