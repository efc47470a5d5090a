"""The items and the preference graphs."""

from collections.abc import Iterator
from typing import Final

from consistency_lab.report.proof.case import Case
from consistency_lab.report.text import Line, listed, paragraph, short, tight

_SHOWN: Final = 12
"""More graphs than this are left to the file."""


def preferences(case: Case) -> Iterator[Line]:
    """The graphs, the most probable first if there are many."""
    p = case.witness.distribution
    graphs = list(zip(p.probabilities, p.graphs, strict=True))
    yield from paragraph(f"{len(case.names)} items: {listed(case.names)}.")
    order = range(len(graphs))
    shown = list(order)
    if len(graphs) > _SHOWN:
        shown = sorted(order, key=lambda g: (-graphs[g][0], g))[:_SHOWN]
        yield from paragraph(
            f"{len(graphs)} preference graphs; the {_SHOWN} most probable ones (edges with their weights):"
        )
    else:
        plural = "s" if len(graphs) > 1 else ""
        yield from paragraph(f"{len(graphs)} preference graph{plural} (edges with their weights):")
    for g in shown:
        probability, graph = graphs[g]
        edges = ", ".join(f"{case.edge(i, j)}{tight(' ')}({short(w)})" for i, j, w in graph) or "no edge"
        yield from paragraph(f"G{g + 1} with probability {probability}: {edges}", 5, 2)
