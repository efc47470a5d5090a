"""Ballots that are weak orders: what PrefLib's files say."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, combinations
from operator import itemgetter
from types import MappingProxyType
from typing import ClassVar, Final, final

from consistency_lab.data.contents import Contents, Tally, Unranked
from consistency_lab.data.votes import Orders, Votes
from consistency_lab.errors import InputError
from consistency_lab.model.graph import PreferenceGraph

Levels = tuple[tuple[int, ...], ...]
"""The items of a ballot from the top level to the bottom one; those in one level are tied."""

Edges = tuple[tuple[tuple[int, int, Fraction], ...], ...]
"""Entry [i][j] is the edge of weight 1 from i to j."""

_COMPLETED: Final[Mapping[Unranked, Callable[[Levels, tuple[int, ...]], Levels]]] = MappingProxyType(
    {
        "last": lambda levels, missing: (*levels, missing) if missing else levels,
        "unknown": lambda levels, _: levels,
    }
)

_SAID: Final[Mapping[Unranked, str]] = MappingProxyType(
    {
        "last": "unranked items are placed last and tied",
        "unknown": "nothing is assumed about unranked items",
    }
)


@final
@dataclass(frozen=True)
class Ballots(Contents):
    """Counted ballots over the items.

    Parameters
    ----------
    ballots
        ``((count, levels), ...)``; a count may be 0.
    said
        What must be said of the file.
    """

    ballots: tuple[tuple[int, Levels], ...]
    said: tuple[str, ...] = ()
    counted: ClassVar[str] = "voters"

    def total(self, kept: Sequence[int]) -> Fraction:
        total = sum(count for count, _ in self.ballots)
        if not total:
            raise InputError("there are no voters; at least one ballot must have a count above 0")
        return Fraction(total)

    def notes(self, kept: Sequence[int], unranked: Unranked) -> tuple[str, ...]:
        total = sum(count for count, _ in self.ballots)
        wanted = frozenset(kept)
        incomplete = sum(count for count, levels in self.ballots if not wanted <= set(chain(*levels)))
        indifferent = self._orders(kept, unranked).get((), 0)
        notes = list(self.said)
        if incomplete:
            notes.append(f"{_share(incomplete, total)} not rank every item; {_SAID[unranked]}")
        if indifferent:
            notes.append(f"{_share(indifferent, total)} not rank any item above another")
        return tuple(notes)

    def compared(self, unranked: Unranked) -> list[Fraction]:
        found = [0] * len(self.items)
        for levels, count in self._orders(range(len(self.items)), unranked).items():
            ranked = sum(map(len, levels))
            for level in levels:
                for item in level:
                    found[item] += count * (ranked - len(level))
        return [Fraction(x) for x in found]

    def votes(self, kept: Sequence[int], unranked: Unranked) -> Votes:
        found = self._orders(kept, unranked)
        return Orders.of(len(kept), [(count, levels) for levels, count in found.items()])

    def tally(self, kept: Sequence[int], unranked: Unranked) -> Tally:
        edges = _edges(len(kept))
        found = self._orders(kept, unranked)
        return tuple((weak_order(order, edges), Fraction(count)) for order, count in found.items())

    def _orders(self, kept: Sequence[int], unranked: Unranked) -> dict[Levels, int]:
        """How many voters there are of each different order of the items `kept`."""
        place = {item: new for new, item in enumerate(kept)}
        found: dict[Levels, int] = {}
        for count, levels in self.ballots:
            if not count:
                continue
            ranked = tuple(
                level
                for old in levels
                if (level := tuple(sorted(place[item] for item in old if item in place)))
            )
            missing = tuple(sorted(set(place.values()).difference(*ranked)))
            order = _distinct(_COMPLETED[unranked](ranked, missing))
            found[order] = found.get(order, 0) + count
        return found


def weak_order(levels: Levels, edges: Edges) -> PreferenceGraph:
    """The graph with an edge of weight 1 from each item to each item on a lower level.

    Parameters
    ----------
    levels
        The order.
    edges
        All edges of weight 1; graphs share them.
    """
    below = [edges[i][j] for high, low in combinations(levels, 2) for i in high for j in low]
    return PreferenceGraph(tuple(sorted(below, key=itemgetter(0, 1))))


def _edges(m: int) -> Edges:
    one = Fraction(1)
    return tuple(tuple((i, j, one) for j in range(m)) for i in range(m))


def _distinct(levels: Levels) -> Levels:
    """Orders with different graphs: a lone level says as much as no level, which is nothing."""
    return levels if len(levels) > 1 else ()


def _share(count: int, total: int) -> str:
    return f"{count} of {total} ballots {'does' if count == 1 else 'do'}"
