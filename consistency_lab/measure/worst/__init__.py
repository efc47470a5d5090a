"""The worst case: how large the normalized regret of a surrogate's minimizer can be under a condition."""

from consistency_lab.measure.worst.answer import ClosedForm, WorstCase
from consistency_lab.measure.worst.case import worst_case

__all__ = ["ClosedForm", "WorstCase", "worst_case"]
