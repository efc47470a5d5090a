"""A witness as a proof in plain text: every number in it can be checked by hand or with a calculator."""

from collections.abc import Iterator, Mapping
from typing import Any

from consistency_lab.kernel import VerifiedTask
from consistency_lab.proofs.record import VerifiedProof
from consistency_lab.report.proof.explicit import explicit_proof
from consistency_lab.report.proof.source import source
from consistency_lab.report.proof.tasks import SECTIONS as TASK_SECTIONS
from consistency_lab.report.proof.tasks import TaskCase
from consistency_lab.report.text import Line, paragraph
from consistency_lab.report.verification import accepted_line

__all__ = ["proof"]


def proof(document: Mapping[str, Any], verified: VerifiedTask | VerifiedProof, name: str) -> Iterator[Line]:
    """The lines of the proof.

    Parameters
    ----------
    document
        A document that the kernel, or the core, has accepted.
    verified
        What it said.
    name
        What to call the file.
    """
    if isinstance(verified, VerifiedProof):
        yield from explicit_proof(document, verified, name)
        return
    yield f"{name}: accepted by the kernel"
    yield from paragraph(f"{accepted_line(verified)}.")
    case, number = TaskCase.of(document, verified), 0
    for title, section in TASK_SECTIONS:
        lines = list(section(case))
        if lines:
            number += 1
            yield from ("", f"{number}. {title}", *lines)
    yield from source(document)
