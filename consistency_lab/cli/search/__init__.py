"""``consistency-lab search``: how bad the worst case is, which witness is smallest, how often it fails."""

from consistency_lab.cli.search.command import search

__all__ = ["search"]
