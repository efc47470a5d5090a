"""Documents and files of proofs from anywhere: what they are, and whether what they claim is so."""

import os
from collections.abc import Mapping
from typing import Final

from consistency_lab.checked import checked
from consistency_lab.errors import InputError
from consistency_lab.files import read_json
from consistency_lab.proofs.file import FORMAT
from consistency_lab.proofs.file import verify as verify_proof
from consistency_lab.proofs.record import VerifiedProof

_DRAFTS: Final = ("consistency-lab/witness/1", "consistency-lab/task-witness/1")


@checked
def verify(document: Mapping[str, object]) -> VerifiedProof:
    """Verify a document, by its entry ``format``.

    Raises
    ------
    RejectedError
        If something that it claims is not so; the message names the first such claim.
    """
    return verify_proof(as_proof(document))


def as_proof(document: Mapping[str, object]) -> Mapping[str, object]:
    """The document, if it is of a format that is read."""
    if isinstance(document, str | os.PathLike):
        raise InputError(
            f"verify takes a document, and {str(document)[:60]!r} is given; verify_file takes the path of one"
        )
    if not isinstance(document, Mapping):
        raise InputError("this is not a witness; a witness is a JSON object")
    found = document.get("format")
    if not isinstance(found, str):
        raise InputError(f'this is not a witness: it lacks the entry "format", such as "{FORMAT}"')
    if found in _DRAFTS:
        raise InputError(f"the witness is of the first draft format {found!r}, which is no longer read")
    if found != FORMAT:
        raise InputError(f"the witness is of the format {found[:60]!r}, but this version knows {FORMAT!r}")
    return document


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
