"""Where a file comes from, and its digest."""

from collections.abc import Mapping
from functools import cache

from consistency_lab.files import digest


# A memo of what cannot change while the process runs; reading it takes a millisecond.
@cache
def tool_version() -> str:
    """The installed version of this package."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("consistency-lab")
    except PackageNotFoundError:
        return "unknown"


def provenance_entry(given: Mapping[str, str]) -> dict[str, str]:
    """The ``provenance`` entry of a document: this tool, and what is given of citation, command and note."""
    tool = {"tool": "consistency-lab", "version": tool_version()}
    return {"citation": "", "command": "", "note": "", **tool, **given}


def sealed(document: Mapping[str, object]) -> dict[str, object]:
    """The document with the digest that belongs to it.

    Examples
    --------
    >>> sealed({"digest": "of something else"}) == sealed({})
    True
    """
    return {**document, "digest": digest(document)}
