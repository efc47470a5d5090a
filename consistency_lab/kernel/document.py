"""Words that witnesses about tasks use; see `core.document`."""

from consistency_lab.core.document import INCONSISTENT, STRICT, TIE

__all__ = ["INCONSISTENT", "STRICT", "TIE"]
