"""What a proof says: plain data, nothing of which is believed yet."""

from fractions import Fraction
from typing import Final

from consistency_lab.core.certificates import Separation
from consistency_lab.core.equilibrium import Program
from consistency_lab.core.inequalities import Face
from consistency_lab.core.numbers import Real
from consistency_lab.core.orders import Decoder, Evidence, Order, Pair
from consistency_lab.core.risk import Atom, Slope
from consistency_lab.exact import LogRational
from consistency_lab.frozen import frozen

Preferences = tuple[tuple[Pair, Fraction], ...]

INCONSISTENT: Final = "inconsistent"
CONSISTENT_AT_P: Final = "consistent-at-p"
WRONG_EQUILIBRIUM: Final = "wrong-equilibrium"
INFEASIBLE: Final = "infeasible"
STRICT: Final = "strict"
TIE: Final = "tie"


@frozen
class Label:
    """A label: its probability, what predictions cost there, and what the surrogate is there."""

    probability: Fraction  #: Positive.
    #: For orders: (i, j) with the weight that an order with j above i pays; None if `losses` are given.
    prefers: Preferences | None
    #: The loss of each prediction that the file lists; None if `prefers` is given.
    losses: tuple[Real, ...] | None
    #: Convex atoms, features of a known mean, or the program of a field.
    psi: tuple[Atom, ...] | tuple[Real, ...] | Program


@frozen
class Minimum:
    """Slopes that sum to zero."""

    slopes: tuple[Slope, ...]


@frozen
class KnownMean:
    """The name of a risk in the table of `known_mean`."""

    risk: str


@frozen
class Equilibrium:
    """A box with a zero of the field."""

    box: tuple[tuple[Fraction, Fraction], ...]
    attracting: bool


@frozen
class System:
    """{x >= 0 : A x <= b, E x = f} with multipliers y of the rows of A and z of those of E."""

    rows: tuple[tuple[Fraction, ...], ...]
    right: tuple[Fraction, ...]
    equal_rows: tuple[tuple[Fraction, ...], ...]
    equal_right: tuple[Fraction, ...]
    y: tuple[Fraction, ...]
    z: tuple[Fraction, ...]


Certificate = Minimum | Separation | KnownMean | Equilibrium


@frozen
class Proof:
    """A document of the right form."""

    claim: str
    coordinates: tuple[str, ...]
    predictions: tuple[Order | int, ...]
    decoder: Decoder
    labels: tuple[Label, ...]
    scores: tuple[LogRational, ...] | None
    direction: tuple[int, ...]
    prediction: Order | int | None
    better: Order | int | None
    failure: str | None
    regret: Fraction | None
    certificate: Certificate
    orders: Evidence | None
    extensions: Evidence | None
    universal: tuple[Face, ...] | None
