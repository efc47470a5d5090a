"""Is zero a subgradient of W at given scores? Exactly, and in floats."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import exp
from typing import Final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.frozen import frozen
from consistency_lab.model.surrogates import Term
from consistency_lab.numbers.arrays import Floats
from consistency_lab.numbers.exact import ZERO, LogRational, is_writable
from consistency_lab.numbers.exact.linear import solve_linear
from consistency_lab.numbers.phi import Expression, exact_slopes
from consistency_lab.solve.kinds import Kind, is_convex, kind_of, piecewise
from consistency_lab.solve.numeric import RiskStructure, compiled

# --- Is zero a subgradient of W at exact scores? Then, W being convex, they are a minimizer --------------
# See docs/theory.md, Stationary points.

Slopes = tuple[Fraction, ...]


def argument(term: Term, scores: Sequence[LogRational]) -> LogRational:
    """<v_t, alpha> - b_t."""
    a, q = -term.b.a, 1 / term.b.q
    for item, n in term.v:
        a += scores[item].a * n
        q *= scores[item].q ** n
    return LogRational(a, q)


def stationary_slopes(terms: Sequence[Term], m: int, scores: Sequence[LogRational]) -> Slopes | None:
    """Rational slopes s_t in the subdifferentials with sum_t c_t s_t v_t = 0, or None."""
    balanced = balanced_slopes(terms, m, scores, None)
    return None if balanced is None else balanced[1]


def balanced_slopes(
    terms: Sequence[Term], m: int, scores: Sequence[LogRational], pull: tuple[int, int] | None
) -> tuple[Fraction, Slopes] | None:
    """Rational (lambda, slopes) with sum_t c_t s_t v_t = lambda w and lambda >= 0, or None.

    For scores that minimize W where alpha_i = alpha_j, `pull` is the pair (i, j) of w = e_i - e_j; without
    it lambda is 0.
    """
    ranges = []
    for term in terms:
        left, right = _one_sided(term.phi, argument(term, scores))
        if left is None or right is None or left > right:
            return None
        ranges.append((left, right))
    residual = [ZERO] * m
    for term, (left, _) in zip(terms, ranges, strict=True):
        for item, n in term.v:
            residual[item] -= term.c * n * left
    slopes = [left for left, _ in ranges]
    free = [t for t, (left, right) in enumerate(ranges) if left < right]
    if not free and pull is None:
        return None if any(residual) else (ZERO, tuple(slopes))
    extra = _distributed(
        [terms[t] for t in free], [ranges[t][1] - ranges[t][0] for t in free], residual, pull
    )
    if extra is None:
        return None
    multiplier, more = extra
    for t, u in zip(free, more, strict=True):
        slopes[t] += u
    return multiplier, tuple(slopes)


def _one_sided(phi: Expression, x: LogRational) -> tuple[Fraction | None, Fraction | None]:
    form, place = piecewise(phi), x.as_rational()
    return exact_slopes(phi, x) if form is None or place is None else form.slope(place)


def _distributed(
    terms: Sequence[Term],
    widths: Sequence[Fraction],
    residual: Sequence[Fraction],
    pull: tuple[int, int] | None,
) -> tuple[Fraction, Slopes] | None:
    """(lambda, u) with 0 <= u <= widths and sum_t c_t u_t v_t = residual + lambda w, or None."""
    from consistency_lab.solve.lp import LPStatus, solve_lp

    columns = [[ZERO] * len(residual) for _ in terms]
    for column, term in zip(columns, terms, strict=True):
        for item, n in term.v:
            column[item] = term.c * n
    if pull is not None:
        columns.append([Fraction(int(k == pull[1]) - int(k == pull[0])) for k in range(len(residual))])
    units = [[Fraction(int(i == k)) for k in range(len(columns))] for i in range(len(terms))]
    rows = [list(row) for row in zip(*columns, strict=True)]
    solution = solve_lp([ZERO] * len(columns), rows, residual, units, widths)
    if solution.status is not LPStatus.OPTIMAL:
        return None
    return (ZERO if pull is None else solution.x[-1]), solution.x[: len(terms)]


# --- How far from stationary float scores are: the size of the least subgradient -------------------------


_NEAR: Final = 1e-7
_JUMP: Final = 100.0
"""A slope that changes so much faster than its argument has jumped, and is not just curved."""


def least_subgradient(structure: RiskStructure, C: Floats, scores: Floats) -> float:
    """The largest entry of the smallest subgradient of W at the scores, over the largest coefficient."""
    x = structure.V @ scores - structure.b
    low, high = np.empty_like(x), np.empty_like(x)
    for k, phi in enumerate(structure.functions):
        chosen = structure.function_index == k
        here, slope = x[chosen], compiled(phi)
        if kind_of(phi) in (Kind.SMOOTH, Kind.STRAIGHT):
            low[chosen] = high[chosen] = slope(here)[1]
        else:
            before, at, after = (slope(here + shift)[1] for shift in (-_NEAR, 0.0, _NEAR))
            kink = jumps(before, after, _NEAR)
            low[chosen] = np.where(kink, before, at)
            high[chosen] = np.where(kink, after, at)
    scale = float(C.max(initial=0.0)) or 1.0
    columns = structure.V.T * (C / scale)
    gradient = columns @ low
    free = np.flatnonzero(high > low)
    if len(free):
        gradient = _least(gradient, columns[:, free] * (high - low)[free])
    return float(np.abs(gradient).max(initial=0.0))


def jumps(before: Floats, after: Floats, reach: float) -> NDArray[np.bool_]:
    """Whether the slope has a jump between two points at this distance from the middle."""
    return after - before > _JUMP * reach * (1 + np.minimum(np.abs(before), np.abs(after)))


def _least(gradient: Floats, moves: Floats) -> Floats:
    """The vector gradient + moves @ u, 0 <= u <= 1, of least largest entry: a linear program in u and t."""
    from consistency_lab.solve.lp import FloatSolver, LPStatus

    rows, columns = moves.shape
    below = -np.ones((rows, 1))
    upper = np.hstack([np.eye(columns), np.zeros((columns, 1))])
    solution = FloatSolver().solve(
        np.append(np.zeros(columns), 1.0),
        np.empty((0, columns + 1)),
        np.empty(0),
        np.vstack([np.hstack([moves, below]), np.hstack([-moves, below]), upper]),
        np.concatenate([-gradient, gradient, np.ones(columns)]),
    )
    return gradient + moves @ solution.x[:columns] if solution.status is LPStatus.OPTIMAL else gradient


# --- From a float minimizer to the exact one, where it can be named --------------------------------------
# Floats propose, exact slopes decide.
#
# For pieces of degree at most 2 the minimizer solves a linear system with rational entries, once it is known
# which piece each argument lies on, and that the floats tell. Otherwise the scores, or their exponentials,
# are guessed to be simple rationals. Every proposal is checked: its slopes must sum to zero exactly.

_NEAR_EXACT: Final = 1e-6
_CLOSE: Final = 1e-9
_LARGEST_EXPONENT: Final = 40.0
_SIMPLE: Final = 1000
_STARTS: Final = (64, 10**6)
"""Denominators to which scores are rounded that the equations leave free."""

Scores = tuple[LogRational, ...]


@frozen
class _Place:
    """Where the argument of one term lies: on a line or parabola, or at a kink."""

    #: Its slope there is constant + rate x.
    constant: Fraction
    rate: Fraction
    kink: Fraction | None  #: The breakpoint, if the slope jumps there; then constant and rate mean nothing.


def polished(terms: Sequence[Term], m: int, scores: NDArray[np.float64]) -> tuple[Scores, Slopes] | None:
    """Exact scores near the float ones at which zero is a subgradient, with the slopes that show it.

    Where a shift of all scores changes nothing, the lowest one becomes zero. Numbers too long to be written
    name no minimizer.
    """
    if not all(is_convex(term.phi) for term in terms):
        return None
    free = all(sum(n for _, n in term.v) == 0 for term in terms)
    near = scores - scores.min() if free else scores
    for proposal in _proposals(terms, near):
        slopes = stationary_slopes(terms, m, proposal)
        if slopes is not None and all(
            map(is_writable, (*slopes, *(x for s in proposal for x in (s.a, s.q))))
        ):
            return proposal, slopes
    return None


def _proposals(terms: Sequence[Term], near: NDArray[np.float64]) -> Iterator[Scores]:
    simple = _simple([float(x) for x in near])
    if simple is not None:
        yield tuple(map(LogRational, simple))
    if (np.abs(near) < _LARGEST_EXPONENT).all():
        ratios = _simple([exp(float(x)) for x in near])
        if ratios is not None and min(ratios) > 0:
            yield tuple(LogRational(Fraction(0), q) for q in ratios)
    yield from _solved(terms, near)


def _simple(values: Sequence[float]) -> list[Fraction] | None:
    """Rationals of small denominators, if all values are nearly equal to such."""
    rationals = [Fraction(x).limit_denominator(_SIMPLE) for x in values]
    if all(abs(float(q) - x) <= _CLOSE * max(abs(x), 1.0) for q, x in zip(rationals, values, strict=True)):
        return rationals
    return None


def _solved(terms: Sequence[Term], near: NDArray[np.float64]) -> Iterator[Scores]:
    if any(term.b.q != 1 or (form := piecewise(term.phi)) is None or form.degree > 2 for term in terms):
        return
    sides: list[list[_Place]] = []
    for flip in (False, True):
        places = [_place(term, near, flip) for term in terms]
        if places not in sides:
            sides.append(places)
    for places in sides:
        for denominator in _STARTS:
            start = [Fraction(float(x)).limit_denominator(denominator) for x in near]
            scores = _equations(terms, places, start)
            if scores is not None:
                yield tuple(map(LogRational, scores))


def _place(term: Term, near: NDArray[np.float64], flip: bool) -> _Place:
    """The piece that the argument lies on; with `flip` the other one, where it is next to a breakpoint."""
    form = piecewise(term.phi)
    assert form is not None  # looked at before
    x = sum(n * float(near[item]) for item, n in term.v) - float(term.b)
    index = sum(float(at) <= x for at in form.breakpoints)
    for k, at in enumerate(form.breakpoints):
        if abs(float(at) - x) <= _NEAR_EXACT * (1 + abs(x)):
            left, right = form.slope(at)
            if left != right:
                return _Place(Fraction(0), Fraction(0), at)
            index = k + ((index == k) if flip else (index > k))
    piece = (*form.pieces[index], *[Fraction(0)] * 3)
    return _Place(piece[1], 2 * piece[2], None)


def _equations(
    terms: Sequence[Term], places: Sequence[_Place], start: Sequence[Fraction]
) -> list[Fraction] | None:
    """Scores at which the slopes sum to zero and kinks are met, as near to `start` as the equations allow."""
    m = len(start)
    lowest = min(range(m), key=lambda i: start[i])
    column = {item: k for k, item in enumerate([*(i for i in range(m) if i != lowest), lowest])}
    kinks = [t for t, place in enumerate(places) if place.kink is not None]
    width = m + len(kinks)
    rows = [[Fraction(0)] * width for _ in range(width)]
    right = [Fraction(0)] * width
    for t, (term, place) in enumerate(zip(terms, places, strict=True)):
        x = sum((n * start[item] for item, n in term.v), -term.b.a)
        if place.kink is not None:
            k = m + kinks.index(t)
            right[k] = place.kink - x
            for item, n in term.v:
                rows[k][column[item]] = Fraction(n)
                rows[column[item]][k] = term.c * n
            continue
        for item, n in term.v:
            right[column[item]] -= term.c * n * (place.constant + place.rate * x)
            for other, k in term.v if place.rate else ():
                rows[column[item]][column[other]] += term.c * place.rate * n * k
    solved = solve_linear(rows, right)
    return None if solved is None else [start[i] + solved[column[i]] for i in range(m)]
