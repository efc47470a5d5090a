"""What a file of any format says, before items are chosen and a distribution is made of it."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar, Literal

from consistency_lab.data.rows import LeftOut
from consistency_lab.data.votes import Votes
from consistency_lab.model.graph import PreferenceGraph

Unranked = Literal["last", "unknown"]
"""What an item that a ballot does not rank stands for: below all ranked ones and tied, or nothing known."""


Tally = tuple[tuple[PreferenceGraph, Fraction], ...]
"""Preference graphs with how often each was found: graphs distinct, weights positive."""


@dataclass(frozen=True)
class Contents(ABC):
    """The content of a file.

    Parameters
    ----------
    format
        The format's name, for people.
    title
        What the data are, from the file; empty if it does not say.
    items
        The names of all items, in the file's order.
    left
        What of the file is not among these data.

    Attributes
    ----------
    counted
        What the weights count: ``"voters"``, ``"comparisons"`` or ``"probability"``.
    """

    format: str
    title: str
    items: tuple[str, ...]
    left: tuple[LeftOut, ...] = field(default=(), kw_only=True)
    counted: ClassVar[str]

    @abstractmethod
    def total(self, kept: Sequence[int]) -> Fraction:
        """How many votes concern the items `kept`, or the probability 1.

        Raises
        ------
        InputError
            If there are none.
        """

    def compared(self, unranked: Unranked) -> list[Fraction]:
        """How often each item was compared with another one, by the weight of edges."""
        found = [Fraction(0)] * len(self.items)
        for graph, weight in self.tally(range(len(self.items)), unranked):
            for i, j, edge in graph.edges:
                found[i] += weight * edge
                found[j] += weight * edge
        return found

    @abstractmethod
    def notes(self, kept: Sequence[int], unranked: Unranked) -> tuple[str, ...]:
        """Sentences that must be said where a result on the items `kept` is shown."""

    @abstractmethod
    def votes(self, kept: Sequence[int], unranked: Unranked) -> Votes | None:
        """The votes on the items `kept`, renumbered in that order; None if only their shares are known."""

    @abstractmethod
    def tally(self, kept: Sequence[int], unranked: Unranked) -> Tally:
        """The graphs on the items `kept`, renumbered in that order."""
