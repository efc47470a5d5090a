"""A witness as a proof in plain text: every number in it can be checked by hand or with a calculator."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeVar

from consistency_lab.kernel import Verified, VerifiedTask
from consistency_lab.proofs.record import VerifiedProof
from consistency_lab.report.proof.case import Case
from consistency_lab.report.proof.explicit import explicit_proof
from consistency_lab.report.proof.failure import failure
from consistency_lab.report.proof.minimum import minimum
from consistency_lab.report.proof.noise import noise
from consistency_lab.report.proof.preferences import preferences
from consistency_lab.report.proof.risk import risk
from consistency_lab.report.proof.source import source
from consistency_lab.report.proof.target import target
from consistency_lab.report.proof.tasks import SECTIONS as TASK_SECTIONS
from consistency_lab.report.proof.tasks import TaskCase
from consistency_lab.report.proof.universal import universal
from consistency_lab.report.text import Line, paragraph
from consistency_lab.report.verification import accepted_line

__all__ = ["proof"]

C = TypeVar("C")

_SECTIONS: Final[tuple[tuple[str, Callable[[Case], Iterator[Line]]], ...]] = (
    ("Distribution", preferences),
    ("What the target loss asks for", target),
    ("Noise conditions", noise),
    ("The surrogate's risk and the scores", risk),
    ("The certificate", minimum),
    ("What follows", failure),
    ("Every convex phi at once", universal),
)


def proof(
    document: Mapping[str, Any], verified: Verified | VerifiedTask | VerifiedProof, name: str
) -> Iterator[Line]:
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
    if isinstance(verified, VerifiedTask):
        yield from _numbered(TASK_SECTIONS, TaskCase.of(document, verified))
    else:
        yield from _numbered(_SECTIONS, Case.of(document, verified))
    yield from source(document)


def _numbered(sections: Sequence[tuple[str, Callable[[C], Iterator[Line]]]], case: C) -> Iterator[Line]:
    """The sections that have something to say about this case."""
    number = 0
    for title, section in sections:
        lines = list(section(case))
        if lines:
            number += 1
            yield from ("", f"{number}. {title}", *lines)
