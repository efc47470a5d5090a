"""What is known of a calibration function, and the cases that it is made of."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations
from typing import Final

from consistency_lab.apps.measure.cones import pieces
from consistency_lab.apps.measure.worst_bounds import OrderedPiece
from consistency_lab.certify.witness import Witness
from consistency_lab.frozen import frozen
from consistency_lab.model.conditions import implies
from consistency_lab.model.distribution import Matrix
from consistency_lab.model.surrogates import Surrogate
from consistency_lab.numbers.exact import LogRational

# --- The cases of a calibration function: a shape of the difference graph and an order of the scores -----
# Where the difference graph is acyclic, the regret of scores is the sum of d_ij over the edges i → j that
# they have the wrong way round. So on a shape (a closed cone of d) and on all scores of one order (a closed
# cone too) it is linear, and H is the least of finitely many infima. Closing both cones changes no infimum:
# regret is continuous in d on the cone, and the excess surrogate risk in d and in the scores.
#
# Shapes: low noise needs every poset. For the others the chain 0 > 1 > ... > m-1 contains all, up to
# relabeling:
#
# - acyclic: number the items along the graph;
# - additive: number them by y;
# - net order: let d have the closed condition, so d_ik > 0 implies N_i >= N_k. Number the items by N, ties
#   along the graph. Then all d_ij >= 0 and N_i >= N_j for i < j, which is the cone over the chain; and adding
#   t (y_i - y_j) with y strictly decreasing and a small t > 0 makes all these inequalities strict, so every
#   point of the cone is a limit of distributions that have the condition.


def cases(condition: str, m: int) -> Iterator[OrderedPiece]:
    """All shapes with all orders that have some pair wrong; for "any", those of acyclic differences."""
    name = condition if implies(condition, "acyclic") else "acyclic"
    for piece in sorted(pieces(name, m, differences=True), key=lambda piece: len(piece.pairs)):
        for order in permutations(range(m)):
            if piece.regret(order):
                yield OrderedPiece(piece, order)


# --- What is known of a calibration function, exactly or between bounds ----------------------------------
# DMJ10 Eq. 3 takes the infimum over distributions p on graphs whose weights are given, so regret is in the
# units of the weights, and these are free. Here the graphs have any weights, and a law H(eps) = c eps^k is
# stated for all eps >= 0 with regret in these units. If the total weight sum_ij a_ij is 1 at most, as it is
# where regret is a share of all preferences, then there are fewer distributions: H(eps) >= c eps^k still, and
# equality is proved up to the `reach` of the law.

EXACT: Final = "exact"
CLOSED_FORM: Final = "closed form"
BRACKET: Final = "bracket"
NONE: Final = "none"
"""The kinds: quadratic programs solved exactly; a formula with a proof; bounds; nothing beyond a witness."""

Constant = Fraction | LogRational


@frozen
class Attained:
    """Where a law holds with equality, or where it is approached."""

    d: Matrix  #: The differences, in units of the regret: the regret is 1.
    #: Scores with this regret whose excess surrogate risk is c, exactly or in the limit; None where some of
    #: them tend to infinity.
    scores: tuple[Fraction, ...] | None
    order: tuple[int, ...]  #: The order to which they are assigned, best item first.
    approached: str = ""  #: Why it is a limit, one clause; "" if it is attained.

    @property
    def reach(self) -> Fraction:
        """The largest regret at which such a distribution has total weight 1 or less."""
        return 1 / sum((max(x, Fraction(0)) for row in self.d for x in row), Fraction(0))


@frozen
class Law:
    """H(eps) = c eps^degree for all eps, the total weight being free."""

    degree: int  #: 1 or 2.
    #: Proved bounds on c, lower <= c <= upper; None where there is none above.
    lower: Fraction
    upper: Fraction | None
    c: Constant | None  #: The constant itself, if it is known exactly.
    attained: Attained | None  #: Where c, or `upper`, comes from.
    cases: int = 0  #: How many convex programs `lower` rests on; 0 for a proof on paper.


@frozen
class Point:
    """Proved bounds lower <= H(regret) <= upper where the total weight is 1."""

    regret: Fraction  #: A share of the total weight.
    #: The bounds.
    lower: Fraction
    upper: Fraction
    boxes: int  #: How many boxes of scores `lower` rests on.


@frozen
class Calibration:
    """A calibration function H_m (DMJ10 Eq. 3) under a condition."""

    #: The question.
    surrogate: Surrogate
    condition: str
    m: int
    kind: str  #: "exact", "closed form", "bracket" or "none".
    law: Law | None = None  #: H(eps) = c eps^k, if that is its form.
    #: H is 0 for normalized regrets up to here, by the witness; 0 if that is not known.
    zero_up_to: Fraction = Fraction(0)
    #: A distribution, accepted by the core, with minimizing scores of this regret.
    witness: Witness | None = None
    points: tuple[Point, ...] = ()  #: Bounds at increasing normalized regrets, for surrogates without a law.
    note: str = ""  #: What else matters, in sentences.
    #: H is above 0 for every larger normalized regret, which is proved; None if that is not known.
    positive_above: Fraction | None = None

    @property
    def answered(self) -> bool:
        """Whether something is proved of H beyond H >= 0."""
        return self.law is not None or bool(self.points) or self.zero_up_to > 0
