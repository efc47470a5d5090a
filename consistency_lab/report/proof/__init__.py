"""A witness as a proof in plain text: every number in it can be checked by hand or with a calculator."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from consistency_lab.kernel import Verified
from consistency_lab.report.proof.case import Case
from consistency_lab.report.proof.failure import failure
from consistency_lab.report.proof.minimum import minimum
from consistency_lab.report.proof.noise import noise
from consistency_lab.report.proof.preferences import preferences
from consistency_lab.report.proof.risk import risk
from consistency_lab.report.proof.target import target
from consistency_lab.report.proof.universal import universal
from consistency_lab.report.text import Line, paragraph
from consistency_lab.report.verification import accepted_line

__all__ = ["proof"]

_SECTIONS: Final[tuple[tuple[str, Callable[[Case], Iterator[Line]]], ...]] = (
    ("Distribution", preferences),
    ("What the target loss asks for", target),
    ("Noise conditions", noise),
    ("The surrogate's risk and the scores", risk),
    ("The certificate", minimum),
    ("What follows", failure),
    ("Every convex phi at once", universal),
)


def proof(document: Mapping[str, Any], verified: Verified, name: str) -> Iterator[Line]:
    """The lines of the proof.

    Parameters
    ----------
    document
        A witness document that the kernel has accepted.
    verified
        What the kernel said.
    name
        What to call the file.
    """
    yield f"{name}: accepted by the kernel"
    yield from paragraph(f"{accepted_line(verified)}.")
    case = Case.of(document, verified)
    number = 0
    for title, section in _SECTIONS:
        lines = list(section(case))
        if lines:
            number += 1
            yield from ("", f"{number}. {title}", *lines)
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
