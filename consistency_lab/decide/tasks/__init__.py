"""Decide surrogates of finite tasks, and what libraries ship."""

from consistency_lab.decide.tasks.library import decide_field, decide_library
from consistency_lab.decide.tasks.question import decide_task

__all__ = ["decide_field", "decide_library", "decide_task"]
