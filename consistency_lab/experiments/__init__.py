"""The experiments of the papers, run again: each returns a plain document of what was measured."""
