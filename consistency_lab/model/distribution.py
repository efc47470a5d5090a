"""Preference graphs, distributions over them, and what the target loss sees of these."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from math import lcm
from typing import TYPE_CHECKING, Annotated, Final, final

from consistency_lab.errors import InputError, need
from consistency_lab.frozen import frozen
from consistency_lab.model.checked import between, checked, fitting
from consistency_lab.numbers.exact import LogRational, Matrix, integer_multiple, rational
from consistency_lab.shown import Framed

if TYPE_CHECKING:
    import networkx as nx

    from consistency_lab.model.designs import Described


# --- Preference graphs: one person's (or one label's) weighted preferences, a directed acyclic graph -----

Edge = tuple[int, int]


@frozen
class PreferenceGraph:
    """A weighted DAG G on items 0..m-1: edge (i, j) of weight a^G_ij > 0 says "i is preferred to j".

    Build one with `PreferenceGraph.of`, which checks it.
    """

    #: ``((i, j, weight), ...)`` sorted by (i, j), weights positive.
    edges: tuple[tuple[int, int, Fraction], ...]

    @staticmethod
    @checked
    def of(
        edges: Mapping[Edge, object] | Iterable[tuple[int, int, object]], names: tuple[str, ...] | None = None
    ) -> "PreferenceGraph":
        """Check and build.

        Parameters
        ----------
        edges
            ``{(i, j): weight}`` or ``[(i, j, weight)]``; weights as `exact.rational` reads them. Edges of
            weight zero are dropped.
        names
            Names of the items, for messages.

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
                raise InputError(f"{label} appears twice in one graph; give each edge once")
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
        raise InputError(f"the preferences form a cycle, {cycle}; a preference graph has none") from None


# --- Distributions over preference graphs, and what the target loss sees of them -------------------------

_MOST_ITEMS: Final = 100_000


@final
@checked
@dataclass(frozen=True, repr=False)
class Distribution(Framed):
    """A probability p on finitely many preference graphs over m items (DMJ10 §1).

    Build one with `of`, `from_aggregate` or `single_edges`.
    """

    items: tuple[str, ...]  #: The m names, in the order that breaks ties.
    #: The graphs and their probabilities, positive and summing to 1.
    graphs: tuple[PreferenceGraph, ...]
    probabilities: tuple[Fraction, ...]

    @staticmethod
    @checked
    def of(
        items: Sequence[str] | int,
        graphs: Iterable[tuple[object, PreferenceGraph | Mapping[tuple[int, int], object]]],
    ) -> "Distribution":
        """Check and build from ``[(probability, graph), ...]``.

        Examples
        --------
        >>> Distribution.of(2, [("3/4", {(0, 1): 1}), ("1/4", {(1, 0): 1})]).aggregate[0][1]
        Fraction(3, 4)
        """
        names = item_names(items)
        kept: list[tuple[Fraction, PreferenceGraph]] = []
        total = Fraction(0)
        for number, (probability, edges) in enumerate(graphs, start=1):
            p = rational(probability, f"the probability of graph {number}")
            if p < 0:
                raise InputError(f"the probability of graph {number} is {p}; it must be at least 0")
            graph = edges if isinstance(edges, PreferenceGraph) else PreferenceGraph.of(edges, names)
            for i, j, _ in graph:
                if not (0 <= i < len(names) and 0 <= j < len(names)):
                    raise InputError(
                        f"graph {number} has an edge {i} → {j}, but items are 0..{len(names) - 1}"
                    )
            total += p
            if p:
                kept.append((p, graph))
        if total != 1:
            way = "over" if total > 1 else "under"
            raise InputError(
                f"the probabilities sum to {total}, {abs(total - 1)} {way} 1; they must sum to 1"
            )
        return Distribution(names, tuple(g for _, g in kept), tuple(p for p, _ in kept))

    @staticmethod
    @checked
    def from_aggregate(a: Sequence[Sequence[object]], items: Sequence[str] | None = None) -> "Distribution":
        """The shortest distribution with aggregate `a`: at most two graphs of probability 1/2.

        The edges that follow the item order go into one graph, those against it into the other, each with
        weight 2 a_ij; one graph of probability 1 if all edges run one way.

        Examples
        --------
        >>> len(Distribution.from_aggregate([[0, 2], [1, 0]]).graphs)
        2
        """
        m = len(a)
        names = item_names(items if items is not None else m)
        if len(names) != m or any(len(row) != m for row in a):
            raise InputError(
                f"the aggregate must be a square matrix with a row for each of {len(names)} items"
            )
        values = {
            (i, j): x if type(x) is Fraction else rational(x, f"the aggregate entry {names[i]} → {names[j]}")
            for i, row in enumerate(a)
            for j, x in enumerate(row)
        }
        for (i, j), value in values.items():
            if value < 0:
                raise InputError(
                    f"the aggregate entry {names[i]} → {names[j]} is {value}; it must be at least 0"
                )
            if i == j and value:
                raise InputError(f"the aggregate entry {names[i]} → {names[i]} is {value}; it must be 0")
        ways = [{e: w for e, w in values.items() if w and (e[0] < e[1]) is down} for down in (True, False)]
        used = [way for way in ways if way] or [{}]
        share = len(used)  # edges that all follow one order form no cycle, and are sorted already
        graphs = (PreferenceGraph(tuple((i, j, w * share) for (i, j), w in way.items())) for way in used)
        return Distribution(names, tuple(graphs), (Fraction(1, share),) * share)

    @staticmethod
    @checked
    def single_edges(
        weights: Mapping[tuple[int, int, Fraction], Fraction], items: Sequence[str] | int
    ) -> "Distribution":
        """Graphs of one edge each: ``{(i, j, edge weight): probability}``, scaled to sum to 1."""
        total = sum(weights.values(), Fraction(0))
        if total <= 0:
            raise InputError("a distribution needs at least one graph of positive probability")
        return Distribution.of(
            items,
            [(p / total, PreferenceGraph.of([(i, j, w)])) for (i, j, w), p in sorted(weights.items()) if p],
        )

    @property
    def m(self) -> int:
        """The number of items."""
        return len(self.items)

    @cached_property
    def aggregate(self) -> Matrix:
        """a_ij = sum over G of p_G a^G_ij (DMJ10 Eq. 8)."""
        # Whole numbers over one denominator: large profiles have hundreds of thousands of edges.
        common = lcm(*(p.denominator for p in self.probabilities))
        unit = lcm(*{weight.denominator for graph in self.graphs for *_, weight in graph})
        a = [[0] * self.m for _ in self.items]
        for p, graph in zip(self.probabilities, self.graphs, strict=True):
            times = p.numerator * (common // p.denominator)
            for i, j, weight in graph:
                a[i][j] += times * (weight.numerator * (unit // weight.denominator))
        return tuple(tuple(Fraction(x, common * unit) for x in row) for row in a)

    @cached_property
    def whole(self) -> list[list[int]]:
        """The smallest whole numbers in the proportions of the aggregate."""
        numbers, _ = integer_multiple(x for row in self.aggregate for x in row)
        return [numbers[k : k + self.m] for k in range(0, len(numbers), self.m)]

    @cached_property
    def design(self) -> "Described":
        """How often the pairs are compared."""
        from consistency_lab.model.designs import described

        return described(self.whole)

    @cached_property
    def difference(self) -> Matrix:
        """d_ij = a_ij - a_ji; the difference graph has edge i → j where d_ij > 0 (DMJ10 §2.2)."""
        return difference(self.aggregate)

    def difference_graph(self) -> "nx.DiGraph[str]":
        """The difference graph as a networkx graph on the item names, weights Fractions."""
        need("networkx", "difference_graph")
        import networkx as nx

        graph: nx.DiGraph[str] = nx.DiGraph()
        graph.add_nodes_from(self.items)
        graph.add_weighted_edges_from(
            (self.items[i], self.items[j], d)
            for i, row in enumerate(self.difference)
            for j, d in enumerate(row)
            if d > 0
        )
        return graph

    @cached_property
    def added_up(self) -> "Distribution":
        """As few graphs as can be with the same aggregate; this one if it has no more."""
        return self.shortest if len(self.shortest.graphs) < len(self.graphs) else self

    @cached_property
    def shortest(self) -> "Distribution":
        """What `from_aggregate` makes of the aggregate: what a file without graphs is read as."""
        return Distribution.from_aggregate(self.aggregate, self.items)

    @cached_property
    def grouped(self) -> "Distribution":
        """Equal graphs as one; this one if no two are equal."""
        few = self.restricted(range(self.m))
        return few if len(few.graphs) < len(self.graphs) else self

    @checked
    def restricted(self, order: Sequence[int]) -> "Distribution":
        """Keep the items in `order` only, in that order (a relabelling if `order` is a permutation)."""
        position = {item: place for place, item in enumerate(order)}
        if not set(position) <= set(range(self.m)):
            raise InputError(f"the order {tuple(order)} names an item that is not among 0 to {self.m - 1}")
        merged: dict[PreferenceGraph, Fraction] = {}
        for p, graph in zip(self.probabilities, self.graphs, strict=True):
            small = graph.relabeled(position)
            merged[small] = merged.get(small, Fraction(0)) + p
        return Distribution(tuple(self.items[i] for i in order), tuple(merged), tuple(merged.values()))


def difference(a: Sequence[Sequence[Fraction]]) -> Matrix:
    """d = a - a^T."""
    return tuple(tuple(x - a[j][i] for j, x in enumerate(row)) for i, row in enumerate(a))


def item_names(items: Sequence[str] | int) -> tuple[str, ...]:
    """Check names, or make "1".."m" from a number."""
    if isinstance(items, int):
        items = [str(i + 1) for i in range(fitting(items, "items", Annotated[int, between(0, _MOST_ITEMS)]))]
    names = tuple(items)
    if len(names) < 2:
        raise InputError(f"there are {len(names)} items; a ranking needs at least 2")
    seen: set[str] = set()
    for name in names:
        if not isinstance(name, str) or not name.strip() or not name.isprintable():
            raise InputError(f"an item is called {name!r}; item names are non-empty printable texts")
        if name in seen:
            raise InputError(f"two items are called {name!r}; names must differ")
        seen.add(name)
    return names


# --- Pairwise disagreement, and the rule by which tied scores become an order (DMJ10 Eq. 7, 8) -----------
# The loss of scores is that of the order tau(alpha): items by score, ties with the higher index first. A tie
# of i < j costs a_ij, which is just what ranking j above i costs, so no weak orders are needed.


def order_of(scores: Sequence[LogRational]) -> tuple[int, ...]:
    """tau(alpha): items from top to bottom, ties with the higher index first; comparisons are exact."""
    # Python's sort is stable also in reverse, so equal scores stay in this falling order of the indices.
    return tuple(sorted(reversed(range(len(scores))), key=lambda item: scores[item], reverse=True))


def loss(a: Matrix, order: Sequence[int]) -> Fraction:
    """The pairwise disagreement of an order: the sum of a_ij over pairs that have j above i."""
    if sorted(order) != list(range(len(a))):
        raise InputError(f"the order {tuple(order)} must name each of the {len(a)} items once")
    return sum((a[i][j] for place, i in enumerate(order) for j in order[:place]), Fraction(0))


def scores_loss(a: Matrix, scores: Sequence[LogRational]) -> Fraction:
    """The sum of a_ij with alpha_i <= alpha_j, i < j, or alpha_i < alpha_j, i > j (DMJ10 Eq. 7, 8)."""
    if len(scores) != len(a):
        raise InputError(f"there are {len(scores)} scores for {len(a)} items; give one score for each item")
    return loss(a, order_of(scores))


def total_weight(a: Matrix) -> Fraction:
    """The sum of all a_ij: the scale of the loss."""
    return sum((x for row in a for x in row), Fraction(0))


def regret(a: Matrix, scores: Sequence[LogRational], optimum: Fraction) -> Fraction:
    """How much the scores lose more than the least loss `optimum` of any order."""
    return scores_loss(a, scores) - optimum


def normalized_regret(a: Matrix, scores: Sequence[LogRational], optimum: Fraction) -> Fraction:
    """The regret as a share of the sum of a, between 0 and 1; 0 if there are no preferences at all."""
    total = total_weight(a)
    return regret(a, scores, optimum) / total if total else Fraction(0)
