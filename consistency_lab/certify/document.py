"""Where a file comes from, and its digest."""

from collections.abc import Mapping

from consistency_lab.files import digest
from consistency_lab.version import __version__


def provenance_entry(given: Mapping[str, str]) -> dict[str, str]:
    """The ``provenance`` entry of a document: this tool, and what is given of citation, command and note."""
    tool = {"tool": "consistency-lab", "version": __version__}
    return {"citation": "", "command": "", "note": "", **tool, **given}


def sealed(document: Mapping[str, object]) -> dict[str, object]:
    """The document with the digest that belongs to it.

    Examples
    --------
    >>> sealed({"digest": "of something else"}) == sealed({})
    True
    """
    return {**document, "digest": digest(document)}
