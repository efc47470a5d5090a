r"""How far apart the scores of a minimizer can be: an explicit radius for convex edge losses (DMJ10 Lemma 9).

Let W(alpha) = sum over edges of h_ij phi(alpha_i - alpha_j), phi convex. Sort the items by score, let g_k be
the gap above the k lowest of them, S_k that set, and rho the sum of the gaps. An edge i → j with i below j
spans the gaps between, so (layer by layer)

    sum over edges that run up of h_ij (alpha_j - alpha_i) = sum_k g_k h(S_k → rest)   >= kappa rho,
    sum over edges that run down of h_ij (alpha_i - alpha_j) = sum_k g_k h(rest → S_k) <= K rho,

with kappa and K the least and the greatest weight of a cut; kappa > 0 says that the support is strongly
connected. Bound phi below by two tangents, of slope -S < 0 on the left and -T on the right of 0, with values
u and u' at 0. Then

    W(alpha) >= H min(u, u') + (kappa S - K max(T, 0)) rho,    H = sum of all h_ij,

and W(alpha) <= W(0) = H phi(0) gives rho <= C = H (phi(0) - min(u, u')) / (kappa S - K max(T, 0)). There are
tangents with kappa S > K T if phi'(0) < 0 and Assumption A holds: far out, T comes as close to 0 as one likes
if phi'_inf(1) >= 0, and S grows without bound if phi'_inf(-1) = inf.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Final, final

from consistency_lab.exact import Ball, LogRational, certainly_positive, enclose, lower_decimal
from consistency_lab.model.properties import ASSUMPTION_A, CONVEX, NEGATIVE_SLOPE, Status, properties
from consistency_lab.phi import Expression, enclose_slopes, enclose_value
from consistency_lab.theorems.base import Refusal

Weights = Mapping[tuple[int, int], Fraction]

_POINTS: Final = (Fraction(0), *(Fraction(2) ** n for n in range(-3, 7)))


@final
@dataclass(frozen=True, slots=True)
class Cuts:
    """The least and the greatest weight of the edges from a set of items to the others, and of all edges."""

    least: Fraction
    greatest: Fraction
    total: Fraction


def cuts(h: Weights, m: int) -> Cuts:
    """Go through all sets of items but the empty and the full one.

    Examples
    --------
    >>> one = Fraction(1)
    >>> cuts({(0, 1): 3 * one, (1, 2): one, (2, 0): 2 * one}, 3).least
    Fraction(1, 1)
    """
    weights = [
        sum((w for (i, j), w in h.items() if chosen >> i & 1 and not chosen >> j & 1), Fraction(0))
        for chosen in range(1, (1 << m) - 1)
    ]
    return Cuts(min(weights), max(weights), sum(h.values(), Fraction(0)))


@final
@dataclass(frozen=True, slots=True)
class Radius:
    """A bound on the spread of scores with W(alpha) <= W(0).

    Parameters
    ----------
    bound
        max alpha - min alpha is at most this.
    left, right
        Where the two tangents touch phi.
    cuts
        Least and greatest cut, and the total weight.
    """

    bound: Fraction
    left: Fraction
    right: Fraction
    cuts: Cuts


def radius(phi: Expression, h: Weights, m: int) -> Radius | Refusal:
    """The smallest radius that tangents at 0 and at powers of 2 give, or why there is none.

    Examples
    --------
    >>> from consistency_lab.phi import parse
    >>> cycle = {(0, 1): Fraction(1), (1, 0): Fraction(1)}
    >>> radius(parse("max(0,1-x)"), cycle, 2).bound
    Fraction(2, 1)
    >>> radius(parse("exp(-x)"), {(0, 1): Fraction(1)}, 2).reason
    'the support is not strongly connected'
    """
    found = cuts(h, m)
    if not found.least:
        return Refusal("the support is not strongly connected")
    known = properties(phi)
    for name in (CONVEX, NEGATIVE_SLOPE, ASSUMPTION_A):
        if known[name].status is not Status.PROVED:
            return Refusal(f"{phi}: {name} is {known[name].status.value}")
    start = enclose_value(phi, LogRational(Fraction(0)))
    best: Radius | None = None
    for (left, slope, low), (right, fall, other) in product(_tangents(phi, -1), _tangents(phi, 1)):
        pull = enclose(found.least) * slope - enclose(found.greatest) * fall.max(enclose(0))
        if not (certainly_positive(slope) and certainly_positive(pull)):
            continue
        depth = start - low.min(other)
        bound = -lower_decimal(-(enclose(found.total) * depth / pull), 5)
        if best is None or bound < best.bound:
            best = Radius(bound, left, right, found)
    return best or Refusal(f"{phi}: tangents at 0 and at powers of 2 up to 64 give no radius")


def _tangents(phi: Expression, side: int) -> Iterator[tuple[Fraction, Ball, Ball]]:
    """Points on one side of 0, with the downward slope there and the value at 0 of the tangent."""
    for size in _POINTS:
        x = side * size
        slope = enclose_slopes(phi, LogRational(x))[0 if side < 0 else 1]
        if slope.is_finite():
            yield x, -slope, enclose_value(phi, LogRational(x)) - slope * enclose(x)
