"""Witnesses of the first format about preference graphs: read for ever, by writing them out as proofs."""

from consistency_lab.proofs.format_1.convert import converted, graph_proof
from consistency_lab.proofs.format_1.document import FORMAT

__all__ = ["FORMAT", "converted", "graph_proof"]
