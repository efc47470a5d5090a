"""The checker of the format ``consistency-lab/task-witness/1``: an oracle for the converter and the core."""

from consistency_lab.core.document import INCONSISTENT, STRICT, TIE

from .task_verdict import TASK_FORMAT, WRONG_EQUILIBRIUM, VerifiedTask
from .verify import verify_task

__all__ = ["INCONSISTENT", "STRICT", "TASK_FORMAT", "TIE", "WRONG_EQUILIBRIUM", "VerifiedTask", "verify_task"]
