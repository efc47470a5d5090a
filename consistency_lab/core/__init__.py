"""The core: what a proof is. It decides explicit documents; the README of this folder walks through it.

It knows no name of a loss, a library, a target or a noise condition, and needs python-flint and the standard
library only.
"""

from consistency_lab.core.verify import Proved, verify_proof

__all__ = ["Proved", "verify_proof"]
