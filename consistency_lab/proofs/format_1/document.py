"""What a witness says: plain data, nothing of which is believed yet."""

from fractions import Fraction
from typing import Final

from consistency_lab.core.inequalities import Face
from consistency_lab.exact import LogRational
from consistency_lab.frozen import frozen
from consistency_lab.proofs.format_1.distribution import Graph, Matrix
from consistency_lab.proofs.format_1.surrogates import Stated
from consistency_lab.proofs.format_1.terms import Term

FORMAT: Final = "consistency-lab/witness/1"
INCONSISTENT: Final = "inconsistent"
CONSISTENT_AT_P: Final = "consistent-at-p"
STRICT: Final = "strict"
TIE: Final = "tie"
STATEMENT: Final = (
    "inf W = inf {W(alpha) : alpha not in A(p)} "
    "for every convex phi with phi'(0) < 0 that satisfies Assumption A"
)
"""What the ``universal`` entry proves about this p."""


@frozen
class WrongPair:
    """An ordered pair that every optimal order keeps and the scores do not."""

    preferred: int
    over: int
    difference: Fraction
    scored: str


@frozen
class Failure:
    """How the scores are wrong."""

    kind: str
    pairs: tuple[WrongPair, ...]


@frozen
class StatedOptimum:
    """What the file says about the target loss."""

    loss: Fraction
    loss_of_scores: Fraction
    regret: Fraction
    normalized_regret: Fraction
    order: tuple[int, ...]
    orders: int


@frozen
class Stationary:
    """Slopes with a gradient that is exactly zero."""

    terms: tuple[Term, ...]
    slopes: tuple[Fraction, ...]


Bracket = tuple[Fraction, Fraction] | None
"""x_l <= x_r with phi'(x_l) <= s <= phi'(x_r); None for s = 0 where phi is bounded below."""


@frozen
class Bound:
    """A dual bound of W on one half-space."""

    pair: tuple[int, int]
    multiplier: Fraction
    slopes: tuple[Fraction, ...]
    brackets: tuple[Bracket, ...]


@frozen
class Separation:
    """Dual bounds above the value of W at the scores."""

    terms: tuple[Term, ...]
    bounds: tuple[Bound, ...]
    gap: Fraction


@frozen
class Universal:
    """The claim about all convex phi."""

    order: tuple[int, ...]
    faces: tuple[Face, ...]


@frozen
class Witness:
    """A document of the right form; nothing in it is believed yet."""

    claim: str
    items: tuple[str, ...]
    graphs: tuple[Graph, ...]
    aggregate: Matrix
    surrogate: Stated
    conditions: dict[str, bool]
    scores: tuple[LogRational, ...]
    decimals: tuple[Fraction, ...]
    optimum: StatedOptimum
    failure: Failure | None
    certificate: Stationary | Separation
    universal: Universal | None
