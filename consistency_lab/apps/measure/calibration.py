"""Calibration functions: how much excess surrogate risk a regret must cost (DMJ10 Eq. 3)."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from consistency_lab.apps.measure.calibration_brackets import brackets
from consistency_lab.apps.measure.calibration_quadratic import is_quadratic, quadratic_calibration
from consistency_lab.apps.measure.calibration_result import (
    BRACKET,
    CLOSED_FORM,
    Attained,
    Calibration,
    Law,
    Point,
)
from consistency_lab.decide.theorems.base import Evidence
from consistency_lab.decide.theorems.difference import MONOTONE_DIFFERENCE
from consistency_lab.errors import InputError, UnsupportedError
from consistency_lab.model.conditions import CONDITIONS, implies
from consistency_lab.model.conditions import condition as known_condition
from consistency_lab.model.limits import towards
from consistency_lab.model.surrogates import DifferenceSurrogate, Surrogate
from consistency_lab.model.surrogates.own import as_surrogate
from consistency_lab.numbers.exact import Ball, LogRational, certainly_less, working_precision
from consistency_lab.numbers.phi import Expression, PiecewisePolynomial, enclose_value, exact_value, facts
from consistency_lab.search.effort import LARGEST, Effort

# --- The convex minorant of what is proved of H, which is what Lemma 1 takes -----------------------------

Corner = tuple[Fraction, Fraction]


def convex_minorant(points: Sequence[Point]) -> tuple[Corner, ...]:
    """The corners of a convex function that is proved to lie below H on [0, 1].

    H does not decrease, so between two regrets it is at least its bound at the smaller one: each bound also
    holds just before the next regret. The lower hull of these corners lies below H.
    """
    corners: list[Corner] = [(Fraction(0), Fraction(0))]
    known = sorted(points, key=lambda point: point.regret)
    height = Fraction(0)
    for point in known:
        corners.append((point.regret, height))
        height = max(height, point.lower)
    if corners[-1][0] < 1:
        corners.append((Fraction(1), height))
    hull: list[Corner] = []
    for corner in corners:
        while len(hull) > 1 and _above(hull[-2], hull[-1], corner):
            hull.pop()
        hull.append(corner)
    return tuple(hull)


def _above(left: Corner, middle: Corner, right: Corner) -> bool:
    """Whether the middle corner lies on or above the chord."""
    return (middle[1] - left[1]) * (right[0] - left[0]) >= (right[1] - left[1]) * (middle[0] - left[0])


# --- Losses on the difference graph: H(eps) = (phi(0) - inf phi) eps -------------------------------------
# Let phi be nonincreasing and bounded below with phi(0) > inf phi, and let the difference graph be acyclic.
# By the proof of DMJ13 §5.3 (`theorems.difference`), W* = sum d_ij inf phi, each edge costs at least
# d_ij inf phi, and an edge that is the wrong way round, or tied, costs at least d_ij phi(0). The regret is
# the sum of the wrong d_ij, so
#
#     W(alpha) - W* >= (phi(0) - inf phi) * regret.
#
# Equality is approached for every m under every condition inside "acyclic": take d_1j = eps for all j > 1 and
# d_ij = 0 else, which is additive with y = (eps, 0, ..., 0); tie 1 and 2, the wrong way round by the tie
# rule, and let the other scores fall to minus infinity. The regret is eps and the excess tends to
# (phi(0) - inf phi) eps. For conditions larger than additive the edge 1 → 2 alone does it.

_ORIGIN: Final = LogRational(Fraction(0))
_FAR: Final = LogRational(Fraction(64))
_BITS: Final = 256
_DIGITS: Final = 9
_LIMIT: Final = "the other scores fall to minus infinity, so that phi tends to its infimum on their edges"


def has_linear_law(surrogate: Surrogate, condition: str, m: int) -> bool:
    """Whether the hypotheses of the closed form are proved."""
    if type(surrogate) is not DifferenceSurrogate or not (m == 2 or implies(condition, "acyclic")):
        return False
    return isinstance(MONOTONE_DIFFERENCE.applies(surrogate, "acyclic"), Evidence)


def linear_calibration(surrogate: Surrogate, condition: str, m: int) -> Calibration:
    """H for a surrogate that `has_linear_law`."""
    law = drop(surrogate.functions[0])
    others = range(2, m) if condition == "additive" else range(0)
    below = {1, *others}
    d = tuple(
        tuple(Fraction((i == 0 and k in below) - (k == 0 and i in below)) for k in range(m)) for i in range(m)
    )
    at = Attained(d, None, (1, 0, *range(2, m)), _LIMIT)
    kind = BRACKET if law.c is None else CLOSED_FORM
    return Calibration(surrogate, condition, m, kind, Law(1, law.lower, law.upper, law.c, at))


def drop(phi: Expression) -> Law:
    """phi(0) - inf phi of a nonincreasing, bounded function: the constant, and rational bounds."""
    start, least = exact_value(phi, _ORIGIN), _infimum(phi)
    c = None if start is None or least is None else start - LogRational(least)
    with working_precision(_BITS):
        at_zero = enclose_value(phi, _ORIGIN)
        lower = _rounded(at_zero - enclose_value(phi, _FAR), down=True)
        bound = least if least is not None else facts(phi).lower
        upper = None if bound is None else _rounded(at_zero - LogRational(bound).ball(), down=False)
    exact = None if c is None else c.as_rational()
    if exact is not None:
        return Law(1, exact, exact, exact, None)
    return Law(1, max(lower, Fraction(0)), upper, c, None)


def _infimum(phi: Expression) -> Fraction | None:
    """inf phi = lim phi(x) as x grows, where a lower bound that is proved is also the limit."""
    form = PiecewisePolynomial.of(phi)
    if form is not None:
        return form.infimum()
    proved, limit = facts(phi).lower, towards(phi, 1).value
    if proved is None or limit is None or not limit.finite:
        return None
    return proved if limit.text == str(proved) else None


def _rounded(value: Ball, *, down: bool) -> Fraction:
    """A decimal on the outer side of a ball."""
    scale = 10**_DIGITS
    guess = Fraction(round(float(value.mid()) * scale), scale)
    while not certainly_less(
        LogRational(guess).ball() if down else value, value if down else LogRational(guess).ball()
    ):
        guess += Fraction(-1 if down else 1, scale)
    return guess


# --- One question, three ways to an answer: a squared distance, a closed form, or bounds -----------------


def calibration(
    surrogate: Surrogate | str,
    condition: str,
    m: int,
    *,
    effort: Effort | None = None,
    seed: int = 0,
    provenance: dict[str, str] | None = None,
) -> Calibration:
    """The calibration function H_m of a surrogate under a condition (DMJ10 Eq. 3).

    H_m(eps) = inf { W(p, alpha) - W*(p) : regret of alpha at p >= eps }, over all p in the condition.
    Surrogates with a law H(eps) = c eps^k (`Law`): linear with a quadratic regularizer and regression (k =
    2), and losses of the difference graph with nonincreasing phi (k = 1). For others there are proved
    bounds at a few regrets, the total weight being 1; they are wider where the effort ends too soon.

    As for every infimum, the condition stands for its closure. The seed is for the search for a witness, and
    the provenance goes into its document.
    """
    surrogate = as_surrogate(surrogate)
    name = known_condition(condition).name
    if not 2 <= m <= LARGEST:
        raise InputError(f"there are {m} items; calibration functions are computed for 2 to {LARGEST}")
    if not CONDITIONS[name].of_differences:
        raise UnsupportedError(
            "calibration functions are computed only for conditions on the differences a_ij - a_ji; "
            f"{name} depends on more"
        )
    spent = effort or Effort()
    if is_quadratic(surrogate):
        return quadratic_calibration(surrogate, name, m, spent)
    if has_linear_law(surrogate, name, m):
        return linear_calibration(surrogate, name, m)
    return brackets(surrogate, name, m, spent, seed, provenance)


def risk_bound(found: Calibration) -> str:
    """DMJ10 Lemma 1 for this calibration function, in words; "" if there is no bound.

    Lemma 1: if zeta is convex and zeta <= H, then zeta(R(f) - R*) <= R_phi(f) - R_phi*. A law c eps^k is
    convex.
    """
    law = found.law
    if law is None or law.lower == 0:
        return ""
    c: object = law.lower if law.c is None else law.c
    divisor = "" if c == Fraction(1) else f" / ({c})" if "/" in str(c) else f" / {c}"
    inside = f"excess surrogate risk{divisor}"
    return f"excess risk <= sqrt({inside})" if law.degree == 2 else f"excess risk <= {inside}"
