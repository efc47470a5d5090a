"""Witnesses about tasks, without loading their checker before there is one."""

from collections.abc import Mapping

from consistency_lab.kernel.task_verdict import VerifiedTask


def verify_task(document: Mapping[str, object]) -> VerifiedTask:
    """Verify a document of the format ``consistency-lab/task-witness/1``.

    Raises
    ------
    InputError
        If it is not such a document.
    RejectedError
        If something that it claims is not so; the message names the first such claim.
    """
    from consistency_lab.kernel.tasks.verify import verify_task as check

    return check(document)
