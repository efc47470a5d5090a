"""Preference graphs: one person's (or one label's) weighted preferences, a directed acyclic graph."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING, final

from consistency_lab.checked import checked
from consistency_lab.errors import InputError
from consistency_lab.exact import rational
from consistency_lab.extras import need

if TYPE_CHECKING:
    import networkx as nx

Edge = tuple[int, int]


@final
@dataclass(frozen=True, slots=True)
class PreferenceGraph:
    """A weighted DAG G on items 0..m-1: edge (i, j) of weight a^G_ij > 0 says "i is preferred to j".

    Build one with `PreferenceGraph.of`, which checks it.

    Parameters
    ----------
    edges
        ``((i, j, weight), ...)`` sorted by (i, j), weights positive.
    """

    edges: tuple[tuple[int, int, Fraction], ...]

    @staticmethod
    @checked
    def of(
        edges: Mapping[Edge, object] | Iterable[tuple[int, int, object]],
        names: tuple[str, ...] | None = None,
    ) -> "PreferenceGraph":
        """Check and build.

        Parameters
        ----------
        edges
            ``{(i, j): weight}`` or ``[(i, j, weight)]``; weights as `exact.rational` reads them. Edges of
            weight zero are dropped.
        names
            Names of the items, for messages.

        Raises
        ------
        InputError
            If a weight is negative or not finite, an edge is doubled or joins an item to itself, or the
            edges contain a cycle (the message names it).

        Examples
        --------
        >>> PreferenceGraph.of({(0, 1): "1/2"}).edges
        ((0, 1, Fraction(1, 2)),)
        """
        triples = [(i, j, w) for (i, j), w in edges.items()] if isinstance(edges, Mapping) else list(edges)

        def name(i: int) -> str:
            return names[i] if names else str(i + 1)

        found: dict[Edge, Fraction] = {}
        for i, j, weight in triples:
            label = f"edge {name(i)} → {name(j)}"
            value = rational(weight, f"the weight of {label}")
            if i == j:
                raise InputError(f"{label} joins an item to itself; a preference needs two items")
            if (i, j) in found:
                raise InputError(f"{label} stands twice in one graph; give each edge once")
            if value < 0:
                raise InputError(f"the weight of {label} is {value}; weights must be at least 0")
            found[i, j] = value
        kept = {edge: value for edge, value in found.items() if value}
        _refuse_cycle(kept, name)
        return PreferenceGraph(tuple(sorted((i, j, w) for (i, j), w in kept.items())))

    def __iter__(self) -> Iterator[tuple[int, int, Fraction]]:
        return iter(self.edges)

    def __len__(self) -> int:
        return len(self.edges)

    @checked
    def relabeled(self, position: Mapping[int, int]) -> "PreferenceGraph":
        """The same graph with item i called ``position[i]``; edges at items without one are dropped."""
        return PreferenceGraph(
            tuple(
                sorted((position[i], position[j], w) for i, j, w in self if i in position and j in position)
            )
        )

    def to_networkx(self) -> "nx.DiGraph[int]":
        """A networkx view: nodes are item numbers, attribute ``weight`` is a Fraction."""
        need("networkx", "to_networkx")
        import networkx as nx

        graph: nx.DiGraph[int] = nx.DiGraph()
        graph.add_weighted_edges_from(self.edges)
        return graph


def _refuse_cycle(edges: Iterable[Edge], name: Callable[[int], str]) -> None:
    before: dict[int, set[int]] = {}
    for i, j in edges:
        before.setdefault(j, set()).add(i)
    try:
        TopologicalSorter(before).prepare()
    except CycleError as error:
        cycle = " → ".join(name(i) for i in error.args[1])
        raise InputError(f"the preferences run in a circle, {cycle}; a preference graph is acyclic") from None
