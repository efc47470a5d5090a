"""Readers of real preferences: elections, counted comparisons, and distributions in JSON."""

from consistency_lab.data.formats import FORMATS, Format
from consistency_lab.data.profile import MAX_ITEMS, Profile, read_profile
from consistency_lab.data.rows import Unranked
from consistency_lab.data.text import samples

__all__ = ["FORMATS", "MAX_ITEMS", "Format", "Profile", "Unranked", "read_profile", "samples"]
