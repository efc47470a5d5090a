"""The checker of witnesses about tasks, of the format ``consistency-lab/task-witness/1``.

It stands on `exact` (numbers) and `phi` (scalar functions), which the search uses too, and on `files`, `core`
and `errors`; nothing else is shared. It needs python-flint and the standard library only.
"""

from consistency_lab.kernel.dispatch import verify_task
from consistency_lab.kernel.document import INCONSISTENT, STRICT, TIE
from consistency_lab.kernel.task_verdict import TASK_FORMAT, WRONG_EQUILIBRIUM, VerifiedTask

__all__ = ["INCONSISTENT", "STRICT", "TASK_FORMAT", "TIE", "WRONG_EQUILIBRIUM", "VerifiedTask", "verify_task"]
