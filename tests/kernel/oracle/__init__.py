"""A second checker of the first format, once shipped: it decides orders, optima and names by itself.

It follows a file line by line with its own families, conditions, certificates and orders, and shares with the
core scalar functions, their conjugates and the faces of a universal claim. Tests hold what the core says of
old files against it.
"""

from .verify import Verified, certified_gap, verify

__all__ = ["Verified", "certified_gap", "verify"]
