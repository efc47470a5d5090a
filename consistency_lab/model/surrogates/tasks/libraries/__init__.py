"""The ranking losses of libraries, by the names that users know."""

from collections.abc import Mapping
from difflib import get_close_matches
from types import MappingProxyType
from typing import Final

from consistency_lab.errors import InputError
from consistency_lab.model.surrogates.tasks.libraries import allrank, lightgbm, rax, tf_ranking, xgboost
from consistency_lab.model.surrogates.tasks.libraries.entry import SHIPPED, Entry, Release, Shipped

__all__ = [
    "LIBRARIES",
    "SHIPPED",
    "Entry",
    "Release",
    "Shipped",
    "entries",
    "entry",
    "is_library_name",
    "library_names",
]

LIBRARIES: Final[Mapping[str, Entry]] = MappingProxyType(
    {
        line.name: line
        for line in (
            *xgboost.ENTRIES,
            *lightgbm.ENTRIES,
            *tf_ranking.ENTRIES,
            *rax.ENTRIES,
            *allrank.ENTRIES,
        )
    }
)
"""Every objective, by library and name."""


def library_names() -> tuple[str, ...]:
    """The libraries, in the order of the table."""
    return tuple(dict.fromkeys(line.library for line in LIBRARIES.values()))


def is_library_name(name: str) -> bool:
    """Whether a name is meant for this table: something, a colon, and something that is no Python object.

    Examples
    --------
    >>> is_library_name("xgboost:rank:pairwise"), is_library_name("mymodule:Mine"), is_library_name("softmax")
    (True, False, False)
    """
    return name.partition(":")[0].lower() in library_names() and ":" in name


def entry(name: str) -> Entry:
    """Look up an objective.

    Parameters
    ----------
    name
        Library, colon, and the name that the library has for it.

    Examples
    --------
    >>> entry("xgboost:rank:pairwise").shipped
    'field'
    """
    known = {key.lower(): line for key, line in LIBRARIES.items()}
    found = known.get(name.strip().lower())
    if found is not None:
        return found
    library = name.partition(":")[0].strip().lower()
    if library not in library_names():
        raise InputError(_unknown_library(library))
    objectives = {line.objective.lower(): line.name for line in entries(library)}
    near = get_close_matches(name.partition(":")[2].strip().lower(), objectives, n=1)
    if near:
        raise InputError(f"{library} has no objective {name!r} here; did you mean {objectives[near[0]]!r}?")
    names = ", ".join(objectives.values())
    raise InputError(f"{library} has no objective {name!r} here; those known are {names}")


def entries(library: str | None = None) -> tuple[Entry, ...]:
    """The objectives of one library, or all.

    Examples
    --------
    >>> [line.objective for line in entries("lightgbm")]
    ['lambdarank', 'rank_xendcg', 'regression']
    """
    if library is None:
        return tuple(LIBRARIES.values())
    chosen = library.strip().lower()
    if chosen not in library_names():
        raise InputError(_unknown_library(library))
    return tuple(line for line in LIBRARIES.values() if line.library == chosen)


def _unknown_library(library: str) -> str:
    near = get_close_matches(library.strip().lower(), library_names(), n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"the libraries are {', '.join(library_names())}"
    return f"no losses of a library {library!r} are known; {hint}"
