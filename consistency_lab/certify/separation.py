"""Separation certificates: W is certainly larger on a half-space than at the given scores.

For slopes s with sum_t c_t s_t v_t = lambda w and lambda >= 0, weak duality gives on {<w, alpha> >= 0}

    W(alpha) >= D(s) = - sum_t c_t (s_t b_t + phi_t^*(s_t)).

Floats find the minimizer on the boundary of the half-space; its slopes are rounded, then put back on the
flow identity exactly by solving for as many of them as the identity has rows.

See docs/theory.md, Separation.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, isfinite, log2
from typing import Final, final

import numpy as np
from flint import ctx
from numpy.typing import NDArray

from consistency_lab.exact import (
    Ball,
    LogRational,
    as_fraction,
    certainly_less,
    enclose,
    is_writable,
    solve_linear,
    working_precision,
)
from consistency_lab.exact.linear import pivot_columns
from consistency_lab.model.surrogates import Term
from consistency_lab.phi import enclose_slopes, facts
from consistency_lab.solve.kinds import Kind, kind_of, piecewise
from consistency_lab.solve.minimize import minimize
from consistency_lab.solve.numeric import compiled
from consistency_lab.solve.stationary import argument, balanced_slopes

_WIDEST: Final = 40
_CAUTIOUS: Final = 0.8
_STIFF: Final = 1e-12
_SATURATED: Final = 1e-9
_BITS: Final = 800
"""Of slopes near a limit that they never attain: exp(-250) and its multiples are told apart."""

_STEADY: Final = 2.0**-4
_ASIDE: Final = 2.0**-10

Pair = tuple[int, int]
Bracket = tuple[Fraction, Fraction] | None


@final
@dataclass(frozen=True)
class Boundary:
    """A minimizer of W on the boundary alpha_i = alpha_j of a half-space.

    Parameters
    ----------
    floats
        The scores, a proposal.
    exact
        The same exactly, if they could be named.
    """

    floats: NDArray[np.float64]
    exact: tuple[LogRational, ...] | None


@final
@dataclass(frozen=True)
class Dual:
    """Slopes that bound W from below on a half-space: sum_t c_t s_t v_t = multiplier * w."""

    multiplier: Fraction
    slopes: tuple[Fraction, ...]
    brackets: tuple[Bracket, ...]


def boundary_minimizer(terms: Sequence[Term], m: int, pair: Pair) -> Boundary:
    """Minimize W subject to alpha_i = alpha_j, by making one item of the two."""
    i, j = pair
    kept = [k for k in range(m) if k != j]
    place = {k: n for n, k in enumerate(kept)} | {j: kept.index(i)}
    glued = []
    for term in terms:
        v: dict[int, int] = {}
        for item, n in term.v:
            v[place[item]] = v.get(place[item], 0) + n
        direction = tuple(sorted((item, n) for item, n in v.items() if n))
        if direction:
            glued.append(Term(term.c, term.phi, direction, term.b))
    if not glued:
        return Boundary(np.zeros(m), (LogRational(Fraction(0)),) * m)
    small = minimize(glued, m - 1)
    exact = None if small.exact is None else tuple(small.exact[place[k]] for k in range(m))
    return Boundary(np.array([small.scores[place[k]] for k in range(m)]), exact)


def exact_dual(terms: Sequence[Term], m: int, boundary: Boundary, w: Pair) -> Dual | None:
    """The dual point at an exactly known boundary minimizer, if it is rational and can be written."""
    if boundary.exact is None:
        return None
    at = [argument(term, boundary.exact).as_rational() for term in terms]
    points = [x for x in at if x is not None]
    found = balanced_slopes(terms, m, boundary.exact, w) if len(points) == len(at) else None
    if found is None or not all(map(is_writable, (found[0], *found[1], *points))):
        return None
    return Dual(*found, tuple((x, x) for x in points))


def rounded_scores(scores: Sequence[float], digits: int) -> tuple[LogRational, ...]:
    """The scores to this many decimals."""
    scale = 10**digits
    return tuple(LogRational(Fraction(round(float(x) * scale), scale)) for x in scores)


def dual_slopes(terms: Sequence[Term], m: int, boundary: Boundary, w: Pair, digits: int) -> Dual | None:
    """A rational dual point for the half-space alpha_w[0] >= alpha_w[1], or None.

    Parameters
    ----------
    boundary
        The minimizer on the boundary.
    digits
        Decimals to which free slopes are rounded.
    """
    at = [sum(n * float(boundary.floats[k]) for k, n in term.v) - float(term.b) for term in terms]
    tried = [_propose(term, x, digits) for term, x in zip(terms, at, strict=True)]
    proposals = [proposal for proposal in tried if proposal is not None]
    if len(proposals) < len(terms):
        return None
    # Column of lambda first, then the slopes that may move most: those are solved for, the rest stay.
    movable = [t for t, proposal in enumerate(proposals) if proposal.freedom > 0]
    movable.sort(key=lambda t: -float(terms[t].c) * proposals[t].freedom)
    candidates = [
        [Fraction(int(k == w[1]) - int(k == w[0])) for k in range(m)],
        *(_column(terms[t], m) for t in movable),
    ]
    chosen = pivot_columns(_transpose(candidates))
    columns = [candidates[k] for k in chosen]
    basis = [movable[k - 1] for k in chosen[1:]]
    right = [Fraction(0)] * m
    for t, proposal in enumerate(proposals):
        if t not in basis:
            for item, n in terms[t].v:
                right[item] -= terms[t].c * n * proposal.slope
    solved = solve_linear(_transpose(columns), right)
    if solved is None or solved[0] < 0:
        return None
    slopes = [proposal.slope for proposal in proposals]
    for t, value in zip(basis, solved[1:], strict=True):
        slopes[t] = value
    brackets: list[Bracket] = []
    for term, slope, proposal in zip(terms, slopes, proposals, strict=True):
        found = _bracket(term, slope, proposal, digits)
        if found is None and not (slope == 0 and facts(term.phi).lower is not None):
            return None
        brackets.append(found)
    return Dual(solved[0], tuple(slopes), tuple(brackets))


def _column(term: Term, m: int) -> list[Fraction]:
    column = [Fraction(0)] * m
    for item, n in term.v:
        column[item] = term.c * n
    return column


def _transpose(columns: Sequence[Sequence[Fraction]]) -> list[list[Fraction]]:
    return [list(row) for row in zip(*columns, strict=True)]


@final
@dataclass(frozen=True, slots=True)
class _Proposal:
    """A slope near the one of phi at `at`.

    Parameters
    ----------
    slope
        It, in few digits.
    at, near
        Where phi has a slope like it, and what it is there, in floats.
    freedom
        How fast the slope changes there (at a kink: by how much); 0 if it must stay what it is.
    corner
        The exact point that it belongs to, on a straight piece.
    """

    slope: Fraction
    at: float
    near: float
    freedom: float
    corner: Fraction | None = None


def _propose(term: Term, x: float, digits: int) -> _Proposal | None:
    form = piecewise(term.phi)
    if form is not None and form.degree <= 1:
        at = Fraction(round(x * 10**6), 10**6)
        corner = min(form.breakpoints, key=lambda b: abs(b - at), default=None)
        if corner is not None and abs(float(corner) - x) < 1e-7:
            left, right = form.slope(corner)
            return _Proposal((left + right) / 2, x, 0.0, float(right - left), corner)
        return _Proposal(form.slope(at)[0], x, 0.0, 0.0, at)
    if kind_of(term.phi) is Kind.SMOOTH:
        _, (slope,), (rate,) = (y.tolist() for y in compiled(term.phi)(np.array([x])))
    else:
        _, (before, after), _ = (y.tolist() for y in compiled(term.phi)(np.array([x - _ASIDE, x + _ASIDE])))
        slope, rate = (before + after) / 2, (after - before) / (2 * _ASIDE)
    if not (isfinite(slope) and isfinite(rate)):
        return None
    if rate < _SATURATED and abs(slope) > _SATURATED and kind_of(term.phi) is Kind.SMOOTH:
        # Floats cannot tell the slope from its limit, which it never attains. (A limit of 0 may be used.)
        with working_precision(_BITS):
            exact, after = (enclose_slopes(term.phi, LogRational(Fraction(y)))[0] for y in (x, x + _ASIDE))
            if exact.is_finite() and after.is_finite():
                rise = float((after.mid() - exact.mid()) / _ASIDE)
                return _Proposal(as_fraction(exact.mid()), x, slope, rise if rise > 0 else _STIFF)
    return _Proposal(Fraction(round(slope * 10**digits), 10**digits), x, slope, max(rate, _STIFF))


def _bracket(term: Term, slope: Fraction, proposal: _Proposal, digits: int) -> Bracket:
    """Rationals x_l <= x_r with phi'(x_l) <= slope <= phi'(x_r), as close as a doubling search finds."""
    if proposal.corner is not None:
        form = piecewise(term.phi)
        if form is None:
            return None
        left, right = form.slope(proposal.corner)
        return (proposal.corner, proposal.corner) if left <= slope <= right else None
    with working_precision(_BITS if proposal.freedom < _SATURATED else ctx.prec):
        return _smooth_bracket(term, slope, proposal, digits)


def _smooth_bracket(term: Term, slope: Fraction, proposal: _Proposal, digits: int) -> Bracket:
    middle = Fraction(round(proposal.at * 10 ** (digits + 1)), 10 ** (digits + 1))
    target = enclose(slope)
    # Where the slope changes at a steady rate, steps that are too short need no exact evaluation.
    way = (float(slope) - proposal.near) / proposal.freedom + proposal.at - float(middle)
    if not (abs(way) < _STEADY and kind_of(term.phi) is Kind.SMOOTH):
        way = 0.0
    low = next((x for x in _outward(middle, -1, -way, digits) if _is_beyond(term, x, target, 0)), None)
    high = next((x for x in _outward(middle, 1, way, digits) if _is_beyond(term, x, target, 1)), None)
    return None if low is None or high is None else (low, high)


def _is_beyond(term: Term, at: Fraction, target: Ball, side: int) -> bool:
    slope = enclose_slopes(term.phi, LogRational(at))[side]
    return certainly_less(slope, target) if side == 0 else certainly_less(target, slope)


def _outward(middle: Fraction, sign: int, way: float, digits: int) -> Iterator[Fraction]:
    """Points at doubling distances from the middle, the first of them not much less than `way` from it."""
    units = way * _CAUTIOUS * 10 ** (digits + 1)
    step = Fraction(sign * 2 ** max(0, ceil(log2(max(units, 1.0)))), 10 ** (digits + 1))
    while abs(step) < _WIDEST:
        yield middle + step
        step *= 2
