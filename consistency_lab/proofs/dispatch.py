"""Files of every format: those of the first formats are written out as proofs for the core."""

import os
from collections.abc import Mapping
from typing import Annotated, Final

from consistency_lab.checked import Where, checked
from consistency_lab.errors import InputError
from consistency_lab.files import read_json
from consistency_lab.proofs.file import FORMAT
from consistency_lab.proofs.file import verify as verify_proof
from consistency_lab.proofs.format_1 import FORMAT as FORMAT_1
from consistency_lab.proofs.format_1 import converted
from consistency_lab.proofs.record import VerifiedProof

TASK_FORMAT: Final = "consistency-lab/task-witness/1"
_KNOWN: Final = (FORMAT, FORMAT_1, TASK_FORMAT)


@checked
def verify(
    document: Annotated[Mapping[str, object], Where("the JSON object of a proof; verify_file takes a path")],
) -> VerifiedProof:
    """Verify a document of any format, by its entry ``format``.

    Raises
    ------
    RejectedError
        If something that it claims is not so; the message names the first such claim.
    """
    return verify_proof(as_proof(document))


def as_proof(document: Mapping[str, object]) -> Mapping[str, object]:
    """The document, one of a first format written out as a proof.

    Raises
    ------
    RejectedError
        If what the first format states beside the proof is false.
    """
    _check_format(document)
    if document["format"] == TASK_FORMAT:
        # Files about preference graphs do without the tables of tasks.
        from consistency_lab.proofs.format_1_tasks import converted_task

        return converted_task(document)
    return converted(document) if document["format"] == FORMAT_1 else document


def _check_format(document: object) -> None:
    if isinstance(document, str | os.PathLike):
        raise InputError(
            f"verify takes a document, and {str(document)[:60]!r} is given; verify_file takes the path of one"
        )
    if not isinstance(document, Mapping):
        raise InputError("this is not a witness; a witness is a JSON object")
    found = document.get("format")
    if not isinstance(found, str):
        raise InputError(f'this is not a witness: it lacks the entry "format", such as "{FORMAT}"')
    if found not in _KNOWN:
        known = ", ".join(map(repr, _KNOWN))
        raise InputError(f"the witness is of the format {found[:60]!r}, but this version knows {known}")


@checked
def verify_file(path: str | os.PathLike[str]) -> VerifiedProof:
    """Read a file and verify what is in it.

    Raises
    ------
    RejectedError
        If something that it claims is not so.
    """
    document = read_json(path)
    if not isinstance(document, dict):
        raise InputError(f"{os.fspath(path)} is not a witness; a witness is a JSON object")
    return verify(document)
