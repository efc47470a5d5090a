"""Where a witness comes from, in its own words."""

from collections.abc import Iterator, Mapping
from typing import Any

from consistency_lab.report.text import Line, paragraph


def source(document: Mapping[str, Any]) -> Iterator[Line]:
    """The texts of its provenance that are not empty, and its digest."""
    yield from ("", "Source")
    provenance = document["provenance"]
    entries = {
        "illustrates": provenance["citation"],
        "made by": f"{provenance['tool']} {provenance['version']}".strip(),
        "with": provenance["command"],
        "note": provenance["note"],
        "digest": document["digest"],
    }
    width = max(map(len, entries))
    for key, value in entries.items():
        if value:
            yield from paragraph(f"{key.ljust(width)}  {value}", 3, width + 2)
