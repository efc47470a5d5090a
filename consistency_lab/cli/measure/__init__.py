"""``consistency-lab measure``: how bad the worst case is, which witness is smallest, how often it fails."""

from consistency_lab.cli.measure.command import measure

__all__ = ["measure"]
