"""The kernel: checks a witness with rationals and Arb enclosures.

It stands on `exact` (numbers) and `phi` (scalar functions), which the search uses too, and on `files` and
`errors`; nothing else is shared, so only an error in those layers would be one of both. It follows the file
line by line: nothing is searched for, except that the sets of items and the faces of an arrangement are gone
through. It needs python-flint and the standard library only.
"""

from consistency_lab.core.farkas import check_farkas
from consistency_lab.kernel.dispatch import verify_any, verify_file, verify_task
from consistency_lab.kernel.document import CONSISTENT_AT_P, FORMAT, INCONSISTENT, STATEMENT, STRICT, TIE
from consistency_lab.kernel.task_verdict import TASK_FORMAT, WRONG_EQUILIBRIUM, VerifiedTask
from consistency_lab.kernel.verify import Verified, certified_gap, verify

__all__ = [
    "CONSISTENT_AT_P",
    "FORMAT",
    "INCONSISTENT",
    "STATEMENT",
    "STRICT",
    "TASK_FORMAT",
    "TIE",
    "WRONG_EQUILIBRIUM",
    "Verified",
    "VerifiedTask",
    "certified_gap",
    "check_farkas",
    "verify",
    "verify_any",
    "verify_file",
    "verify_task",
]
