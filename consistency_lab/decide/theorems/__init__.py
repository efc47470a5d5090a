"""Statements from the literature, one file each, whose hypotheses are checked before they are applied."""
