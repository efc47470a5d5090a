"""What a file of any format says, before items are chosen and a distribution is made of it."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Literal, final

from consistency_lab.model.graph import PreferenceGraph

Unranked = Literal["last", "unknown"]
"""What an item that a ballot does not rank stands for: below all ranked ones and tied, or nothing known."""


@final
@dataclass(frozen=True, slots=True)
class Tally:
    """Preference graphs with how often each was found.

    Parameters
    ----------
    weights
        ``((graph, weight), ...)``, graphs distinct, weights positive.
    notes
        Sentences that must be said where the result is shown.
    """

    weights: tuple[tuple[PreferenceGraph, Fraction], ...]
    notes: tuple[str, ...] = ()

    @property
    def total(self) -> Fraction:
        """The sum of the weights."""
        return sum((weight for _, weight in self.weights), Fraction(0))


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

    Attributes
    ----------
    counted
        What the weights count: ``"voters"``, ``"comparisons"`` or ``"probability"``.
    """

    format: str
    title: str
    items: tuple[str, ...]
    counted: ClassVar[str]

    @abstractmethod
    def tally(self, kept: Sequence[int], unranked: Unranked) -> Tally:
        """The graphs on the items `kept`, renumbered in that order.

        Raises
        ------
        InputError
            If nothing is counted.
        """
