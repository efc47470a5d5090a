"""``consistency-lab check``: decide a surrogate, for preference graphs or for a target loss on labels."""

from consistency_lab.cli.check.command import check

__all__ = ["check"]
