"""Witness files of every format: which of the checkers one belongs to."""

import os
from collections.abc import Mapping

from consistency_lab.errors import InputError
from consistency_lab.files import read_json
from consistency_lab.kernel.task_verdict import TASK_FORMAT, VerifiedTask
from consistency_lab.kernel.verify import Verified, verify


def verify_task(document: Mapping[str, object]) -> VerifiedTask:
    """Verify a document of the format ``consistency-lab/task-witness/1``.

    Raises
    ------
    InputError
        If it is not such a document.
    RejectedError
        If something that it claims is not so; the message names the first such claim.
    """
    # A file of the other format is checked sooner without the targets and families of tasks.
    from consistency_lab.kernel.tasks.verify import verify_task as check

    return check(document)


def verify_any(document: Mapping[str, object]) -> Verified | VerifiedTask:
    """Verify a document of one of the formats, by its entry ``format``.

    Raises
    ------
    InputError
        If it is of no known format.
    RejectedError
        If something that it claims is not so; the message names the first such claim.
    """
    if isinstance(document, Mapping) and document.get("format") == TASK_FORMAT:
        return verify_task(document)
    return verify(document)


def verify_file(path: str | os.PathLike[str]) -> Verified | VerifiedTask:
    """Read a file and verify the witness in it.

    Raises
    ------
    InputError
        If the file cannot be read or is not a witness.
    RejectedError
        If something that it claims is not so.
    """
    document = read_json(path)
    if not isinstance(document, dict):
        raise InputError(f"{os.fspath(path)} is not a witness; a witness is a JSON object")
    return verify_any(document)
