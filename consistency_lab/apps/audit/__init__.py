"""Every loss side by side on real preferences: what it orders wrongly, and whether that is noise."""
