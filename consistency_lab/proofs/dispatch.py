"""Files of every format: the first format's two kinds go to the kernel, proofs to the core."""

import os
from collections.abc import Mapping
from typing import Final

from consistency_lab.errors import InputError
from consistency_lab.files import read_json
from consistency_lab.kernel import Verified, VerifiedTask, verify_any
from consistency_lab.proofs.record import VerifiedProof

Accepted = Verified | VerifiedTask | VerifiedProof

_PROOFS: Final = "consistency-lab/proof/"


def verify(document: Mapping[str, object]) -> Accepted:
    """Verify a document of any format, by its entry ``format``.

    Raises
    ------
    InputError
        If it is of no known format.
    RejectedError
        If something that it claims is not so; the message names the first such claim.
    """
    if isinstance(document, Mapping) and str(document.get("format")).startswith(_PROOFS):
        # A file of the first format needs none of the tables that names are recomputed from.
        from consistency_lab.proofs.verified import verify as verify_names_too

        return verify_names_too(document)
    return verify_any(document)


def verify_file(path: str | os.PathLike[str]) -> Accepted:
    """Read a file and verify what is in it.

    Raises
    ------
    InputError
        If the file cannot be read or is of no known format.
    RejectedError
        If something that it claims is not so.
    """
    document = read_json(path)
    if not isinstance(document, dict):
        raise InputError(f"{os.fspath(path)} is not a witness; a witness is a JSON object")
    return verify(document)
