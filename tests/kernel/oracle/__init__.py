"""A second checker of the first format, once shipped: it shares none of the decisions of the core.

It follows a file line by line with its own families, conditions, certificates and orders. Tests hold what the
core accepts, and what the converter makes of old files, against it.
"""

from .verify import Verified, certified_gap, verify

__all__ = ["Verified", "certified_gap", "verify"]
