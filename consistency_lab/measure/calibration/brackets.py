r"""Surrogates without a law: where H is certainly 0, where it is not, and bounds at a few regrets.

H(eps) > 0 for every eps above the worst case. Let U be a proved upper end of `measure.worst`: no scores that
minimize W(p, .), and no sequence with W(p, alpha_n) -> W*(p), keep a regret above U at a p of the closed
condition. Suppose H(eps) = 0: there are p_n in the condition, of total weight 1, and alpha_n of regret eps
or more with W(p_n, alpha_n) - W*(p_n) -> 0. Take a subsequence on which all alpha_n order the items alike
and the aggregates a(n) converge to some a, which belongs to a p of the closed condition. The regret of that
order is continuous in a (a linear form minus a least of linear forms), so it is at least eps at p. As
phi >= L, and the total weight is 1, let phi >= 0. Where a_ij > 0, a_ij <= (1 + t_n) a_ij(n) with t_n -> 0, so

    W(p, alpha_n) <= (1 + t_n) W(p_n, alpha_n),   and   limsup W*(p_n) <= lim W(p_n, beta) = W(p, beta)

for every beta: limsup W(p, alpha_n) <= limsup W*(p_n) <= W*(p). Hence alpha_n is a minimizing sequence at
p with a regret of at least eps, and eps <= U. Ties are covered: U is one over the worst way to break them.
"""

from fractions import Fraction
from typing import Final, final

from consistency_lab.certify.witness import Witness
from consistency_lab.errors import UnsupportedError
from consistency_lab.exact import working_precision
from consistency_lab.measure.calibration.boxes import Search
from consistency_lab.measure.calibration.cases import cases
from consistency_lab.measure.calibration.pairwise import EdgeRisk
from consistency_lab.measure.calibration.proposals import Region, upper_bound
from consistency_lab.measure.calibration.result import BRACKET, NONE, Calibration, Point
from consistency_lab.measure.calibration.sections import Section
from consistency_lab.measure.calibration.witnessed import largest_zero
from consistency_lab.measure.worst import worst_case
from consistency_lab.model.conditions import implies
from consistency_lab.model.properties import CONVEX, NONINCREASING, Status, properties
from consistency_lab.model.surrogates import EdgeSurrogate, Surrogate
from consistency_lab.model.targets.pairwise import total_weight
from consistency_lab.phi import X, facts
from consistency_lab.search.effort import Effort

LARGEST: Final = 3
"""Beyond so many items the scores have too many dimensions for boxes."""

REGRETS: Final = 6
_SHARES: Final = {
    2: (Fraction(99, 100), Fraction(9, 10), Fraction(1, 2)),
    3: (Fraction(9, 10), Fraction(2, 3), Fraction(1, 3)),
}
"""Lower bounds that are tried, as shares of the upper bound, by the number of items."""

_BOXES: Final = 6_000
_NEGLIGIBLE: Final = Fraction(1, 10_000)
_PRECISION: Final = 96


def brackets(
    surrogate: Surrogate,
    condition: str,
    m: int,
    effort: Effort,
    seed: int,
    provenance: dict[str, str] | None = None,
) -> Calibration:
    """What is proved of H for a surrogate without a law; the witness document gets the provenance.

    Examples
    --------
    >>> from consistency_lab.model.surrogates import surrogate
    >>> found = brackets(surrogate("hinge"), "additive", 2, Effort(seconds=20), 0)
    >>> all(point.lower <= point.regret <= point.upper for point in found.points)  # H_2(eps) = eps
    True
    """
    effort.ration(3)
    zero, witness = largest_zero(surrogate, condition, m, effort, seed, provenance)
    effort.until = None
    reason = _why_not(surrogate, condition, m)
    above: Fraction | None = None
    if reason is None:
        effort.ration(3)
        worst = worst_case(surrogate, condition, m, effort=effort, provenance=provenance)
        effort.until = None
        above = worst.upper
        if worst.lower > zero:
            zero, witness = worst.lower, worst.witness
    if reason is not None:
        reason += _about_weight(surrogate, witness)
        return Calibration(surrogate, condition, m, NONE, None, zero, witness, (), reason)
    points = []
    try:
        with working_precision(_PRECISION):
            problem = Problem(surrogate, condition, m)
            for k in range(1, REGRETS + 1):
                if effort.expired:
                    break
                regret = zero + (1 - zero) * Fraction(k, REGRETS)
                effort.say(
                    f"calibration, {surrogate.name}, {condition}, {m} items, regret {float(regret):.2f}"
                )
                effort.ration(REGRETS + 1 - k)
                points.append(problem.point(regret, effort, seed))
                effort.until = None
    except KeyboardInterrupt:
        effort.interrupted = True
    except UnsupportedError as error:
        return Calibration(
            surrogate,
            condition,
            m,
            NONE,
            None,
            zero,
            witness,
            (),
            f"There are no bounds beyond a witness: {error}.",
            above,
        )
    ending = (effort.ending or "budget used up; ").removesuffix("; ").capitalize()
    note = "" if len(points) == REGRETS else f"{ending} before all regrets had their bounds."
    return Calibration(surrogate, condition, m, BRACKET, None, zero, witness, _monotone(points), note, above)


def _about_weight(surrogate: Surrogate, witness: Witness | None) -> str:
    """What is left unsaid where W is not linear in the weights."""
    if witness is None or surrogate.of_aggregate:
        return ""
    total = total_weight(witness.distribution.aggregate)
    return f" The witness is about distributions of total weight {total}, made of single edges."


def _why_not(surrogate: Surrogate, condition: str, m: int) -> str | None:
    """Why there are no bounds beyond the witness, None if there are."""
    if type(surrogate) is not EdgeSurrogate or surrogate.h != X:
        return "Beyond a witness, bounds are computed for edge losses with h(a) = a only."
    if m > LARGEST:
        return f"Beyond a witness, bounds are computed for at most {LARGEST} items."
    if m > 2 and not implies(condition, "acyclic"):
        return "Beyond a witness, bounds are computed for acyclic difference graphs only."
    known = properties(surrogate.functions[0])
    for name in (CONVEX, NONINCREASING):
        if known[name].status is not Status.PROVED:
            return f"Beyond a witness, bounds are computed for phi that is proved {name}, which this is not."
    if facts(surrogate.functions[0]).lower is None:
        return "Beyond a witness, bounds are computed for phi with a lower bound that is proved by its form."
    return None


@final
class Problem:
    """One edge loss under a condition, all cases prepared.

    Parameters
    ----------
    surrogate
        An edge loss with h(a) = a; phi convex, nonincreasing and bounded below.
    condition, m
        Where the difference graph is acyclic.

    Raises
    ------
    UnsupportedError
        If the loss cannot be minimized in batches.
    """

    def __init__(self, surrogate: Surrogate, condition: str, m: int) -> None:
        self.risk = EdgeRisk(surrogate, m)
        if not self.risk.table.batched:
            raise UnsupportedError(
                f"{surrogate.name} is minimized one distribution at a time, which is too slow"
            )
        name = condition if implies(condition, "acyclic") else "acyclic"
        self.sections = [(case.order, Section.of(case)) for case in cases(name, m)]
        lower = facts(surrogate.functions[0]).lower
        assert lower is not None
        self.infimum = lower

    def point(self, regret: Fraction, effort: Effort, seed: int) -> Point:
        """Bounds on H at one regret: the largest share of the upper bound that is proved in every case."""
        found = [Region(order, section.at_least(regret)) for order, section in self.sections]
        regions = [region for region in found if region.corners]
        upper, ranking = upper_bound(self.risk, regions, self.infimum, seed)
        if upper < _NEGLIGIBLE:
            return Point(regret, Fraction(0), upper, 0)
        for share in _SHARES[self.risk.m]:
            boxes = 0
            for k in ranking:
                search = Search(self.risk, regions[k].order, regions[k].corners, self.infimum)
                proved, used = search.proves(share * upper, effort, _BOXES)
                boxes += used
                if not proved:
                    break
            else:
                return Point(regret, share * upper, upper, boxes)
        return Point(regret, Fraction(0), upper, 0)


def _monotone(points: list[Point]) -> tuple[Point, ...]:
    """H does not decrease: a lower bound holds for larger regrets too, an upper bound for smaller ones."""
    return tuple(
        Point(
            point.regret,
            max(other.lower for other in points[: k + 1]),
            min(other.upper for other in points[k:]),
            point.boxes,
        )
        for k, point in enumerate(points)
    )
