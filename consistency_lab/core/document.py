"""A proof as it stands in a file: plain data, nothing of which is believed yet."""

from abc import ABC, abstractmethod
from fractions import Fraction
from math import comb
from typing import ClassVar, Final

from consistency_lab.core.equilibrium import Program
from consistency_lab.core.inequalities import Face
from consistency_lab.core.orders import Below, Evidence, Order, Pair, StatedDecoder, extends
from consistency_lab.core.reading import Names, Reader
from consistency_lab.core.risk import Atom, read_atoms
from consistency_lab.frozen import frozen
from consistency_lab.numbers.balls import Real
from consistency_lab.numbers.exact import Ball, LogRational

Preferences = tuple[tuple[Pair, Fraction], ...]

INCONSISTENT: Final = "inconsistent"
CONSISTENT_AT_P: Final = "consistent-at-p"
WRONG_EQUILIBRIUM: Final = "wrong-equilibrium"
INFEASIBLE: Final = "infeasible"
LINK: Final = "link"
NO_LINK: Final = "no-link"
DECODER: Final = "decoder"
OF_LINKS: Final = (LINK, NO_LINK, DECODER)
STRICT: Final = "strict"
TIE: Final = "tie"


@frozen
class StatedLabel:
    """A label: its probability, what predictions cost there, and what the surrogate is there."""

    probability: Fraction  #: Positive.
    #: For orders: (i, j) with the weight that an order with j above i pays; None if `losses` are given.
    prefers: Preferences | None
    #: The loss of each prediction that the file lists; None if `prefers` is given.
    losses: tuple[Real, ...] | None
    #: Convex atoms, features of a known mean, or the program of a field.
    psi: tuple[Atom, ...] | tuple[Real, ...] | Program

    @property
    def atoms(self) -> tuple[Atom, ...]:
        """The atoms that it adds to the risk."""
        if not isinstance(self.psi, tuple):
            return ()
        return tuple([x for x in self.psi if not isinstance(x, LogRational | Ball)])

    @property
    def features(self) -> tuple[Real, ...]:
        """The numbers whose mean decides."""
        return tuple(x for x in self.psi if not isinstance(x, Atom)) if isinstance(self.psi, tuple) else ()


@frozen
class Proof:
    """A document of the right form."""

    claim: str
    coordinates: tuple[str, ...]
    predictions: tuple[Order | int, ...]
    decoder: StatedDecoder
    labels: tuple[StatedLabel, ...]
    scores: tuple[LogRational, ...] | None
    direction: tuple[int, ...]
    prediction: Order | int | None
    better: Order | int | None
    failure: str | None
    regret: Fraction | None
    certificate: "Certificate"
    orders: Evidence | None
    extensions: Evidence | None
    universal: tuple[Face, ...] | None


@frozen
class Near:
    """What the decoder may return near the infimum of the risk (or near the equilibrium)."""

    below: Below
    """Which items are certainly below which, where sorting decodes: all such orders may be returned."""
    outcomes: tuple[Order | int, ...] | None = None
    """All that may be returned, where it is listed."""
    at_scores: Below | None = None
    """Of a separation: which items are below which at the scores, more pairs than those that are certain."""

    def may_return(self, prediction: Order | int) -> bool:
        """Whether it may be returned near the infimum; of a separation, at the stated scores."""
        if self.outcomes is not None:
            return prediction in self.outcomes
        return not isinstance(prediction, int) and extends(prediction, self.at_scores or self.below)

    @property
    def certain(self) -> bool:
        """Whether it is one prediction."""
        if self.outcomes is not None:
            return len(self.outcomes) == 1
        return sum(mask.bit_count() for mask in self.below) == comb(len(self.below), 2)


class Certificate(ABC):
    """Evidence about where the risk is least; a new kind is a class, and a row of `certificates.KINDS`."""

    every: ClassVar[bool] = False  #: Whether it speaks of everything near the infimum of W.
    needs_scores: ClassVar[bool] = True  #: Whether scores are stated; else they follow, or none are needed.

    @staticmethod
    def psi(coordinates: Names) -> Reader[object]:
        """The reader of what each label states of the surrogate."""
        return read_atoms(coordinates)

    @staticmethod
    @abstractmethod
    def read(value: object, where: str, coordinates: Names) -> "Certificate":
        """Parse it, without checking it."""

    @abstractmethod
    def near(self, proof: "Proof", risk: tuple[Atom, ...]) -> Near:
        """What may be returned near the infimum of the risk (RejectedError if that is not proved)."""
