"""Decide a surrogate: theorems and exact proofs on one side, certified witnesses on the other.

Nothing is INCONSISTENT without a witness that the core accepts, nor CONSISTENT without a theorem whose
hypotheses were checked or an exact proof. Everything else is UNDECIDED and says what was searched.
"""
