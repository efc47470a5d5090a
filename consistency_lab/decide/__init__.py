"""Decide a surrogate: theorems and exact proofs on one side, certified witnesses on the other.

Nothing is INCONSISTENT without a witness that the core accepts, nor CONSISTENT without a theorem whose
hypotheses were checked or an exact proof. Everything else is UNDECIDED and says what was searched.
"""

from consistency_lab.decide.answers import Answer, Decision, ProfileDecision, Strongest, Verdict
from consistency_lab.decide.profile import decide_profile
from consistency_lab.decide.surrogate import ITEMS, decide, strongest

__all__ = [
    "ITEMS",
    "Answer",
    "Decision",
    "ProfileDecision",
    "Strongest",
    "Verdict",
    "decide",
    "decide_profile",
    "strongest",
]
