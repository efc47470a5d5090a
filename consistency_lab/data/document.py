"""Distributions in JSON: our own form, and the items and graphs of a witness file.

``{"items": ["A", "B"], "graphs": [{"probability": "1", "edges": [["A", "B", "1"]]}]}``; ``title`` may be
added. Probabilities and weights are texts such as ``"1/2"``, or integers.
"""

import difflib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import ClassVar, Final, final

from consistency_lab.data.contents import Contents, Tally, Unranked
from consistency_lab.data.text import located
from consistency_lab.errors import InputError
from consistency_lab.exact import rational
from consistency_lab.files import read_json
from consistency_lab.model.distribution import Distribution, item_names
from consistency_lab.model.graph import PreferenceGraph

WITNESS: Final = "consistency-lab/witness/"
_VERSION: Final = "1"
MAX_ITEMS: Final = 1_000
"""Most items that a document may have; far fewer may be kept."""
MAX_COMMON_DIGITS: Final = 500
"""Longest common denominator of probabilities times weights: what comes of it fits a witness file."""

_KEYS: Final = frozenset({"items", "graphs", "title"})
_GRAPH_KEYS: Final = frozenset({"probability", "edges"})
_EXAMPLE: Final = '{"items": ["A", "B"], "graphs": [{"probability": "1", "edges": [["A", "B", "1"]]}]}'


@final
@dataclass(frozen=True)
class WeightedGraphs(Contents):
    """A distribution as it stands in a file."""

    distribution: Distribution
    counted: ClassVar[str] = "probability"

    def total(self, kept: Sequence[int]) -> Fraction:
        return Fraction(1)

    def notes(self, kept: Sequence[int], unranked: Unranked) -> tuple[str, ...]:
        return ()

    def votes(self, kept: Sequence[int], unranked: Unranked) -> None:
        return None

    def tally(self, kept: Sequence[int], unranked: Unranked) -> Tally:
        small = self.distribution.restricted(kept)
        return tuple(zip(small.graphs, small.probabilities, strict=True))


def read_document(path: str | os.PathLike[str]) -> WeightedGraphs:
    """Read a distribution in JSON, or the distribution inside a witness file.

    The claim of a witness is not checked here, only its items and graphs are read.

    Raises
    ------
    InputError
        If the file is not JSON, is of another kind or a newer version, has unknown keys, or holds no
        distribution. The message names the file and the graph.
    """
    name = os.fspath(path)
    document = read_json(path)
    with located(name):
        if not isinstance(document, Mapping) or not {"items", "graphs"} <= document.keys():
            raise InputError(f"this is not a distribution, which reads {_EXAMPLE}")
        witness = _is_witness(document)
        if not witness:
            _refuse_unknown(document, _KEYS, "a distribution")
        items = _items(document["items"])
        listed = document["graphs"]
        if not isinstance(listed, list) or not listed:
            raise InputError("'graphs' must be a list of at least one graph")
        numbers = {item: number for number, item in enumerate(items)}
        graphs = [_graph(n, graph, numbers) for n, graph in enumerate(listed, start=1)]
        _refuse_long_denominators(graphs)
        found = Distribution.of(items, graphs)
        title = document.get("title", "")
        if not isinstance(title, str):
            raise InputError("'title' must be a text")
    return WeightedGraphs("JSON witness" if witness else "JSON distribution", title, items, found)


def _is_witness(document: Mapping[str, object]) -> bool:
    kind = document.get("format")
    if kind is None:
        return False
    if not isinstance(kind, str) or not kind.startswith(WITNESS):
        raise InputError(f"the format is {str(kind)[:60]!r}; it must be {WITNESS}{_VERSION}, or left out")
    if kind != WITNESS + _VERSION:
        raise InputError(f"the format is {kind[:60]!r}; this version reads {WITNESS}{_VERSION}")
    return True


def _refuse_unknown(found: Mapping[str, object], known: frozenset[str], what: str) -> None:
    for key in found:
        if key not in known:
            raise InputError(f"{key[:40]!r} is not a key of {what}; the keys are {', '.join(sorted(known))}")


def _refuse_long_denominators(graphs: Sequence[tuple[Fraction, PreferenceGraph]]) -> None:
    """Before any sum: a thousand denominators that share no factor would make each sum longer."""
    common, bound = 1, 10**MAX_COMMON_DIGITS
    for denominators in (
        {p.denominator for p, _ in graphs},
        {weight.denominator for _, graph in graphs for *_, weight in graph},
    ):
        shared = 1
        for denominator in denominators:
            shared = lcm(shared, denominator)
            if common * shared >= bound:
                raise InputError(
                    "the common denominator of the probabilities times that of the weights has more than "
                    f"{MAX_COMMON_DIGITS} digits; round them, for instance to six decimals"
                )
        common *= shared


def _items(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise InputError("'items' must be a list of names")
    if len(value) > MAX_ITEMS:
        raise InputError(f"there are {len(value)} items; at most {MAX_ITEMS} are read")
    return item_names(value)


def _graph(number: int, value: object, items: Mapping[str, int]) -> tuple[Fraction, PreferenceGraph]:
    with located(f"graph {number}"):
        if not isinstance(value, Mapping):
            raise InputError("it must be an object with 'probability' and 'edges'")
        _refuse_unknown(value, _GRAPH_KEYS, "a graph")
        if not value.keys() >= _GRAPH_KEYS:
            raise InputError("'probability' or 'edges' is missing")
        edges = value["edges"]
        if not isinstance(edges, list):
            raise InputError('\'edges\' must be a list such as [["A", "B", "1"]]')
        graph = PreferenceGraph.of([_edge(edge, items) for edge in edges], tuple(items))
        return rational(value["probability"], "the probability"), graph


def _edge(value: object, items: Mapping[str, int]) -> tuple[int, int, object]:
    if not isinstance(value, list) or len(value) != 3:
        raise InputError(f'an edge is {str(value)[:40]}; it reads ["preferred", "over", "weight"]')
    preferred, over, weight = value
    return _number(preferred, items), _number(over, items), weight


def _number(name: object, items: Mapping[str, int]) -> int:
    if not isinstance(name, str) or name not in items:
        near = difflib.get_close_matches(str(name), items, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else f"; the items are {', '.join(list(items)[:20])}"
        raise InputError(f"an edge names the item {str(name)[:40]!r}, which is not among the items{hint}")
    return items[name]
