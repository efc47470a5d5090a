"""Separation certificates: W is certainly larger on a half-space than at the given scores."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from itertools import pairwise, product
from math import ceil, isfinite, log2
from typing import Final, final

import numpy as np
from flint import ctx

from consistency_lab.certify.proofs.orders import OrderQuestion
from consistency_lab.certify.proofs.record import Entry, as_atom
from consistency_lab.certify.proofs.task_proof import LabelQuestion, slope_entry
from consistency_lab.core.certificates import PRECISIONS, Bound, margins
from consistency_lab.core.orders import Pair
from consistency_lab.core.risk import Atom, Bracket, Direction, Linear, LogSumExp, Slope, scaled, total
from consistency_lab.errors import RejectedError
from consistency_lab.frozen import frozen
from consistency_lab.model.surrogates import Term
from consistency_lab.numbers.arrays import Floats
from consistency_lab.numbers.balls import ball
from consistency_lab.numbers.exact import (
    Ball,
    LogRational,
    as_fraction,
    certainly_less,
    certainly_positive,
    enclose,
    is_writable,
    lower_decimal,
    rational_text,
    working_precision,
)
from consistency_lab.numbers.exact.linear import pivot_columns, solve_linear
from consistency_lab.numbers.phi import enclose_slopes, facts
from consistency_lab.solve.kinds import Kind, kind_of, piecewise
from consistency_lab.solve.minimize import Minimum, minimize
from consistency_lab.solve.numeric import compiled
from consistency_lab.solve.stationary import argument, balanced_slopes

# --- Separation certificates: W is certainly larger on a half-space than at the given scores -------------
# For slopes s with sum_t c_t s_t v_t = lambda w and lambda >= 0, weak duality gives on {<w, alpha> >= 0}
#
#     W(alpha) >= D(s) = - sum_t c_t (s_t b_t + phi_t^*(s_t)).
#
# Floats find the minimizer on the boundary of the half-space; its slopes are rounded, then put back on the
# flow identity exactly by solving for as many of them as the identity has rows.
#
# For weights w of a log-sum-exp, log sum_k exp(u_k) >= sum_k w_k (u_k - log w_k). At a minimizer on the
# boundary w is the softmax of u.
#
# See docs/theory.md, Separation.

_WIDEST: Final = 40
_CAUTIOUS: Final = 0.8
_STIFF: Final = 1e-12
_SATURATED: Final = 1e-9
_BITS: Final = 800
"""Of slopes near a limit that they never attain: exp(-250) and its multiples are told apart."""

_STEADY: Final = 2.0**-4
_ASIDE: Final = 2.0**-10

SmoothAtom = Term | LogSumExp | Linear


@final
@dataclass(frozen=True)
class Boundary:
    """A minimizer of W on the boundary alpha_i = alpha_j of a half-space."""

    floats: Floats  #: The scores, a proposal.
    exact: tuple[LogRational, ...] | None  #: The same exactly, if they could be named.


@final
@dataclass(frozen=True)
class Dual:
    """Slopes that bound W from below on a half-space: sum_t c_t s_t v_t = multiplier * w."""

    multiplier: Fraction
    slopes: tuple[Fraction, ...]
    brackets: tuple[Bracket, ...]


@final
@dataclass(frozen=True)
class Mixed:
    """The same of atoms that are not all terms."""

    slopes: tuple[Slope, ...]
    brackets: tuple[Bracket, ...]


def boundary_minimizer(
    terms: Sequence[Term], m: int, pair: Pair, least: Callable[[Sequence[Term], int], Minimum] = minimize
) -> Boundary:
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
    small = least(glued, m - 1)
    exact = None if small.exact is None else tuple(small.exact[place[k]] for k in range(m))
    return Boundary(np.array([small.scores[place[k]] for k in range(m)]), exact)


def exact_dual(terms: Sequence[Term], m: int, boundary: Boundary, w: Pair) -> Dual | None:
    """The dual point at an exactly known boundary minimizer, if it is rational and can be written."""
    if boundary.exact is None:
        return None
    at = [argument(term, boundary.exact).as_rational() for term in terms]
    points = [x for x in at if x is not None]
    balanced = balanced_slopes(terms, m, boundary.exact, w) if len(points) == len(at) else None
    if balanced is None or not all(map(is_writable, (balanced[0], *balanced[1], *points))):
        return None
    return Dual(*balanced, tuple((x, x) for x in points))


def dual_slopes(terms: Sequence[Term], m: int, boundary: Boundary, w: Pair, digits: int) -> Dual | None:
    """A rational dual point for the half-space alpha_w[0] >= alpha_w[1], or None."""
    point = dual_point(terms, m, boundary.floats, w, digits)
    if point is None:
        return None
    multiplier, slopes, brackets = point
    return Dual(multiplier, tuple(slope for slope in slopes if isinstance(slope, Fraction)), brackets)


def dual_point(
    parts: Sequence[SmoothAtom], m: int, u: Floats, w: Pair, digits: int
) -> tuple[Fraction, tuple[Slope, ...], tuple[Bracket, ...]] | None:
    """Multiplier, slopes and brackets near those at a boundary minimizer: rounded, then moved exactly.

    What may move most is solved for; the weights of a log-sum-exp give to, and take from, the largest.
    """
    values: list[list[Fraction]] = []  # of each part its slope, or its weights
    ways: list[list[Direction]] = []  # along which each of them pulls
    proposals = dict[int, Proposal]()
    # What may move: how far, of which part, which value up and which down.
    moves: list[tuple[float, int, int, int | None]] = []
    for t, part in enumerate(parts):
        if isinstance(part, LogSumExp):
            weights = _softmax(u[list(part.over)], digits)
            top = weights.index(max(weights))
            moves += [(float(part.c * x), t, n, top) for n, x in enumerate(weights) if x and n != top]
            values.append(weights)
            ways.append([((k, part.c),) for k in part.over])
            continue
        ways.append([tuple((k, part.c * n) for k, n in part.v)])
        if isinstance(part, Linear):
            values.append([Fraction(1)])
            continue
        proposal = propose(part, sum(n * float(u[k]) for k, n in part.v) - float(part.b), digits)
        if proposal is None:
            return None
        proposals[t] = proposal
        values.append([proposal.slope])
        if proposal.freedom > 0:
            moves.append((float(part.c) * proposal.freedom, t, 0, None))
    moves.sort(key=lambda move: -move[0])
    columns: list[Direction] = [((w[0], Fraction(-1)), (w[1], Fraction(1)))]
    for _, t, up, down in moves:
        columns.append(total([ways[t][up], *([] if down is None else [scaled(ways[t][down], Fraction(-1))])]))
    entries, zero = list(map(dict, columns)), Fraction(0)
    rows = [[column.get(k, zero) for column in entries] for k in range(m)]
    pulls = [zip(*pair, strict=True) for pair in zip(ways, values, strict=True)]
    rest = dict(total(scaled(way, x) for pull in pulls for way, x in pull))
    chosen = pivot_columns(rows)
    solved = solve_linear([[row[k] for k in chosen] for row in rows], [-rest.get(k, zero) for k in range(m)])
    if solved is None or solved[0] < 0:
        return None
    for k, by in zip(chosen[1:], solved[1:], strict=True):
        _, t, up, down = moves[k - 1]
        values[t][up] += by
        if down is not None:
            values[t][down] -= by
    slopes: list[Slope] = []
    brackets: list[Bracket] = [None] * len(parts)
    for t, part in enumerate(parts):
        if isinstance(part, Linear):
            slopes.append(None)
        elif isinstance(part, LogSumExp):
            slopes.append(tuple(values[t]))
            if min(values[t]) < 0:
                return None
        else:
            slopes += values[t]
            brackets[t] = bracket_of(part, values[t][0], proposals[t], digits)
            if brackets[t] is None and (values[t][0] or facts(part.phi).lower is None):
                return None
    return solved[0], tuple(slopes), tuple(brackets)


def _softmax(u: Floats, digits: int) -> list[Fraction]:
    """The weights in so many decimals, which add up to 1."""
    w = np.exp(u - u.max())
    weights = [Fraction(round(float(x) * 10**digits), 10**digits) for x in w / w.sum()]
    weights[weights.index(max(weights))] += 1 - sum(weights)
    return weights


@frozen
class Proposal:
    """A slope near the one of phi at `at`."""

    slope: Fraction  #: It, in few digits.
    #: Where phi has a slope like it, and what it is there, in floats.
    at: float
    near: float
    #: How fast the slope changes there (at a kink: by how much); 0 if it must stay what it is.
    freedom: float
    corner: Fraction | None = None  #: The exact point that it belongs to, on a straight piece.


def propose(term: Term, x: float, digits: int) -> Proposal | None:
    """What a slope of the term's function may be at x, in so many digits."""
    form = piecewise(term.phi)
    if form is not None and form.degree <= 1:
        at = Fraction(round(x * 10**6), 10**6)
        corner = min(form.breakpoints, key=lambda b: abs(b - at), default=None)
        if corner is not None and abs(float(corner) - x) < 1e-7:
            left, right = form.slope(corner)
            return Proposal((left + right) / 2, x, 0.0, float(right - left), corner)
        return Proposal(form.slope(at)[0], x, 0.0, 0.0, at)
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
                return Proposal(as_fraction(exact.mid()), x, slope, rise if rise > 0 else _STIFF)
    return Proposal(Fraction(round(slope * 10**digits), 10**digits), x, slope, max(rate, _STIFF))


def bracket_of(term: Term, slope: Fraction, proposal: Proposal, digits: int) -> Bracket:
    """Rationals x_l <= x_r with phi'(x_l) <= slope <= phi'(x_r), as close as a doubling search finds."""
    if proposal.corner is not None:
        form = piecewise(term.phi)
        if form is None:
            return None
        left, right = form.slope(proposal.corner)
        return (proposal.corner, proposal.corner) if left <= slope <= right else None
    with working_precision(_BITS if proposal.freedom < _SATURATED else ctx.prec):
        return _smooth_bracket(term, slope, proposal, digits)


def _smooth_bracket(term: Term, slope: Fraction, proposal: Proposal, digits: int) -> Bracket:
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


# --- The gap of a separation certificate in floats: a proposal; the core has the last word ---------------

_CERTAIN: Final = 1e-9
"""Differences below this share of the sizes that go into them are left to exact arithmetic."""

_LEAST_GAP: Final = Fraction(1, 10**300)
"""Smaller gaps have no text in the format."""

_DOWN: Final = Context(prec=6, rounding=ROUND_FLOOR)


def proposed_gap(
    terms: Sequence[Term], scores: Sequence[LogRational], duals: Sequence[Dual]
) -> Decimal | None:
    """How far the dual bounds lie above W at the scores, to six digits, rounded down.

    Not positive where a bound is surely not above; None where floats cannot tell.
    """
    if not terms or any(kind_of(term.phi) not in (Kind.SMOOTH, Kind.STRAIGHT) for term in terms):
        return None
    c = np.array([float(term.c) for term in terms])
    b = np.array([float(term.b) for term in terms])
    alpha = [float(score) for score in scores]
    at = np.array([sum(n * alpha[item] for item, n in term.v) for term in terms]) - b
    below = c * _jets(terms, at)[0]
    gap, size = np.inf, np.abs(below).sum()
    for dual in duals:
        if None in dual.brackets:
            return None
        s = np.array([float(slope) for slope in dual.slopes])
        left, right = np.array([(float(x[0]), float(x[1])) for x in dual.brackets if x is not None]).T
        value, slope = _jets(terms, left)
        parts = c * (s * (b + left) - value + (s - slope) * (right - left))
        gap = min(gap, -parts.sum() - below.sum())
        size = max(size, np.abs(c * value).sum() + np.abs(c * s * (b + left)).sum())
    if not isfinite(size) or abs(gap) <= _CERTAIN * size:
        return None
    # The quotient has no zeros at its end, like the gap that the core finds.
    numerator, denominator = _DOWN.create_decimal_from_float(float(gap)).as_integer_ratio()
    return Decimal(numerator) / Decimal(denominator)


def certain_gap(
    terms: Sequence[Term | Atom], scores: Sequence[LogRational], duals: Mapping[Pair, Dual | Mixed]
) -> Decimal | None:
    """The gap by enclosures: six digits that all bounds certainly reach; None if there are none."""
    atoms = list(map(as_atom, terms))
    bounds = [Bound(i, j, dual.slopes, dual.brackets) for (i, j), dual in duals.items()]
    names = [str(k + 1) for k in range(len(scores))]
    for bits in PRECISIONS:
        try:
            excess = list(map(ball, margins(atoms, bounds, scores, bits, names)))
        except RejectedError:
            continue
        if all(certainly_positive(margin) and margin.is_finite() for margin in excess):
            gap = min(map(lower_decimal, excess))
            # Six digits and a power of ten: the quotient of two such decimals is exact.
            return Decimal(gap.numerator) / Decimal(gap.denominator) if gap > _LEAST_GAP else None
        if any(margin < 0 for margin in excess):
            return None
    return None


def _jets(terms: Sequence[Term], at: Floats) -> tuple[Floats, Floats]:
    """Values and slopes of the terms' functions, each at its own point."""
    value, slope = np.empty((2, len(terms)))
    for phi in {term.phi for term in terms}:
        own = np.array([term.phi == phi for term in terms])
        value[own], slope[own], _ = compiled(phi)(at[own])
    return value, slope


# --- Proofs by separation --------------------------------------------------------------------------------
# Whatever comes near the infimum of W orders some pairs of items like the scores.
#
# Scores fall into levels (equal scores together). If W is certainly larger wherever an item of one level is
# not above one of the next, then whatever comes near the infimum orders the levels like the scores. All
# orders that break the ties inside the levels may be optimal (W is right here), or all worse (wrong). It does
# not matter how many orders are optimal, nor whether the infimum is attained.

TIED: Final = (1e-6, 1e-10)
"""Scores so near are taken for equal; then, for the sake of near ties, only nearer ones."""

_DIGITS: Final = (1, 2, 3, 4, 5, 6, 8, 10, 12)


def levels_of(scores: Sequence[float], tied: float = TIED[0]) -> list[list[int]]:
    """The items by falling score, those that are as good as equal together."""
    falling = sorted(range(len(scores)), key=lambda k: (-scores[k], k))
    levels = [[falling[0]]]
    for upper, lower in pairwise(falling):
        if scores[upper] - scores[lower] > tied:
            levels.append([])
        levels[-1].append(lower)
    return levels


def level_pairs(scores: Sequence[float], tied: float = TIED[0]) -> list[Pair]:
    """Each item of a level above each of the next: near the infimum nothing else may be returned."""
    return [pair for upper, lower in pairwise(levels_of(scores, tied)) for pair in product(upper, lower)]


def separation_proofs(
    question: OrderQuestion | LabelQuestion,
    floats: Sequence[float],
    forced: Sequence[Pair],
    decimals: int = 1,
    tied: float = TIED[0],
    find: Callable[[Pair, int], Dual | Mixed | None] | None = None,
) -> Iterator[Entry]:
    """Proofs that W is right, or wrong, near its infimum, by pairs of items; none if they do not say it.

    The gap of a proof is proposed in floats; where the core does not accept it, the next proof has a certain
    one.
    """
    levels = levels_of(floats, tied)
    proof = question.outcome(forced, levels) if forced else None
    if proof is None:
        return
    names = question.coordinates
    m = len(names)
    terms: Sequence[Term | Atom]
    if find is None:
        terms, find = question.terms, _by_terms(question.terms, m)
    else:
        assert isinstance(question, LabelQuestion)
        terms = question.risk
    centers = {k: sum(floats[i] for i in level) / len(level) for level in levels for k in level}
    for digits in (n for n in _DIGITS if n >= decimals):
        scale = 10**digits
        scores = [LogRational(Fraction(round(float(centers[k]) * scale), scale)) for k in range(m)]
        duals: dict[Pair, Dual | Mixed] = {}
        for pair in forced:
            if (dual := find(pair, digits)) is None:
                break
            duals[pair] = dual
        if len(duals) == len(forced):
            yield from ({**proof, **more} for more in stated(terms, names, scores, duals))


def _by_terms(terms: Sequence[Term], m: int) -> Callable[[Pair, int], Dual | None]:
    """A finder of duals of terms that minimizes each boundary once."""
    boundaries: dict[Pair, Boundary] = {}

    def find(pair: Pair, digits: int) -> Dual | None:
        if pair not in boundaries:
            boundaries[pair] = boundary_minimizer(terms, m, pair)
        boundary, w = boundaries[pair], pair[::-1]
        return exact_dual(terms, m, boundary, w) or dual_slopes(terms, m, boundary, w, digits + 1)

    return find


def stated(
    terms: Sequence[Term | Atom],
    names: Sequence[str],
    scores: Sequence[LogRational],
    duals: Mapping[Pair, Dual | Mixed],
) -> Iterator[Entry]:
    """Scores and certificates of these duals, with the gap that floats propose, and with a certain one."""
    for gap in _gaps(terms, scores, duals):
        bounds = [_bound_entry(pair, dual, names) for pair, dual in duals.items()]
        certificate = {"kind": "separation", "bounds": bounds, "gap": str(gap)}
        yield {"scores": list(map(str, scores)), "certificate": certificate}


def _gaps(
    terms: Sequence[Term | Atom], scores: Sequence[LogRational], duals: Mapping[Pair, Dual | Mixed]
) -> Iterator[Decimal]:
    """The gap that floats see, if they see any; then a certain one."""
    plain = [term for term in terms if isinstance(term, Term)]
    known = [dual for dual in duals.values() if isinstance(dual, Dual)]
    likely = proposed_gap(plain, scores, known) if len(known) == len(duals) else None
    if likely is not None and likely <= 0:
        return
    if likely is not None:
        yield likely
    certain = certain_gap(terms, scores, duals)
    if certain is not None and certain != likely:
        yield certain


def _bound_entry(pair: Pair, dual: Dual | Mixed, names: Sequence[str]) -> Entry:
    above, below = pair
    return {
        "above": names[above],
        "below": names[below],
        "slopes": list(map(slope_entry, dual.slopes)),
        "brackets": [None if b is None else list(map(rational_text, b)) for b in dual.brackets],
    }
