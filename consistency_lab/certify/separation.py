"""Separation certificates: W is certainly larger on a half-space than at the given scores (THEORY §4).

For slopes s with sum_t c_t s_t v_t = lambda w and lambda >= 0, weak duality gives on {<w, alpha> >= 0}

    W(alpha) >= D(s) = - sum_t c_t (s_t b_t + phi_t^*(s_t)).

Floats find the minimizer on the boundary of the half-space; its slopes are rounded, then put back on the
flow identity exactly by solving for as many of them as the identity has rows.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.exact import Ball, LogRational, certainly_less, enclose, rank, solve_linear
from consistency_lab.model.surrogates import Term
from consistency_lab.phi import PiecewisePolynomial, enclose_slopes, facts
from consistency_lab.solve.minimize import minimize
from consistency_lab.solve.stationary import argument, balanced_slopes

_WIDEST: Final = 40

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
    """The dual point at an exactly known boundary minimizer, if slopes and points are rational there."""
    if boundary.exact is None:
        return None
    at = [argument(term, boundary.exact).as_rational() for term in terms]
    points = [x for x in at if x is not None]
    found = balanced_slopes(terms, m, boundary.exact, w) if len(points) == len(at) else None
    return None if found is None else Dual(*found, tuple((x, x) for x in points))


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
    proposals = [_propose(term, x, digits) for term, x in zip(terms, at, strict=True)]
    # Column of lambda first, then the slopes that may move most: those are solved for, the rest stay.
    movable = [t for t, (_, _, weight) in enumerate(proposals) if weight > 0]
    movable.sort(key=lambda t: -float(terms[t].c) * proposals[t][2])
    columns: list[list[Fraction]] = [[Fraction(int(k == w[1]) - int(k == w[0])) for k in range(m)]]
    basis: list[int] = []
    full = rank(_transpose([*columns, *(_column(terms[t], m) for t in movable)]))
    for t in movable:
        if len(columns) == full:
            break
        trial = [*columns, _column(terms[t], m)]
        if rank(_transpose(trial)) == len(trial):
            columns = trial
            basis.append(t)
    right = [Fraction(0)] * m
    for t, (slope, _, _) in enumerate(proposals):
        if t not in basis:
            for item, n in terms[t].v:
                right[item] -= terms[t].c * n * slope
    solved = solve_linear(_transpose(columns), right)
    if solved is None or solved[0] < 0:
        return None
    slopes = [slope for slope, _, _ in proposals]
    for t, value in zip(basis, solved[1:], strict=True):
        slopes[t] = value
    brackets: list[Bracket] = []
    for term, slope, x, (_, exact_at, _) in zip(terms, slopes, at, proposals, strict=True):
        found = _bracket(term, slope, x, exact_at, digits)
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


def _propose(term: Term, x: float, digits: int) -> tuple[Fraction, Fraction | None, float]:
    """A slope near the one at x, the exact point it belongs to (straight pieces), and how free it is."""
    piecewise = PiecewisePolynomial.of(term.phi)
    at = Fraction(round(x * 10**6), 10**6)
    if piecewise is not None and piecewise.degree <= 1:
        near = min(piecewise.breakpoints, key=lambda b: abs(b - at), default=None)
        if near is not None and abs(float(near) - x) < 1e-7:
            left, right = piecewise.slope(near)
            return (left + right) / 2, near, float(right - left)
        return piecewise.slope(at)[0], at, 0.0
    low, high = (float(ball) for ball in enclose_slopes(term.phi, LogRational(at)))
    step = Fraction(1, 1 << 10)
    before = float(enclose_slopes(term.phi, LogRational(at - step))[0])
    after = float(enclose_slopes(term.phi, LogRational(at + step))[1])
    slope = Fraction(round((low + high) / 2 * 10**digits), 10**digits)
    return slope, None, max(after - before, 1e-12)


def _bracket(term: Term, slope: Fraction, x: float, exact_at: Fraction | None, digits: int) -> Bracket:
    """Rationals x_l <= x_r with phi'(x_l) <= slope <= phi'(x_r), as close as a doubling search finds."""
    if exact_at is not None:
        form = PiecewisePolynomial.of(term.phi)
        if form is None:
            return None
        left, right = form.slope(exact_at)
        return (exact_at, exact_at) if left <= slope <= right else None
    middle = Fraction(round(x * 10 ** (digits + 1)), 10 ** (digits + 1))
    target = enclose(slope)
    low = high = None
    for step in _steps(digits + 1):
        low = low if low is not None else _first(term, middle - step, target, 0)
        high = high if high is not None else _first(term, middle + step, target, 1)
        if low is not None and high is not None:
            return low, high
    return None


def _first(term: Term, at: Fraction, target: Ball, side: int) -> Fraction | None:
    slope = enclose_slopes(term.phi, LogRational(at))[side]
    good = certainly_less(slope, target) if side == 0 else certainly_less(target, slope)
    return at if good else None


def _steps(digits: int) -> Iterator[Fraction]:
    step = Fraction(1, 10**digits)
    while step < _WIDEST:
        yield step
        step *= 2
