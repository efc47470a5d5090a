"""The command line: parses, calls and prints; no mathematics."""

from consistency_lab.cli.running import main, run

__all__ = ["main", "run"]
