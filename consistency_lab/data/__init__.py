"""Readers of real preferences: elections, counted comparisons, and distributions in JSON."""
