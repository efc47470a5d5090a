"""From a float minimizer to the exact one, where it can be named: floats propose, exact slopes decide.

For pieces of degree at most 2 the minimizer solves a linear system with rational entries, once it is known
which piece each argument lies on, and that the floats tell. Otherwise the scores, or their exponentials, are
guessed to be simple rationals. Every proposal is checked: its slopes must sum to zero exactly.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import exp
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.exact import LogRational, is_writable, solve_linear
from consistency_lab.model.surrogates import Term
from consistency_lab.solve.kinds import is_convex, piecewise
from consistency_lab.solve.stationary import Slopes, stationary_slopes

_NEAR: Final = 1e-6
_CLOSE: Final = 1e-9
_LARGEST_EXPONENT: Final = 40.0
_SIMPLE: Final = 1000
_STARTS: Final = (64, 10**6)
"""Denominators to which scores are rounded that the equations leave free."""

Scores = tuple[LogRational, ...]


@final
@dataclass(frozen=True, slots=True)
class _Place:
    """Where the argument of one term lies: on a line or parabola, or at a kink.

    Parameters
    ----------
    constant, rate
        Its slope there is constant + rate x.
    kink
        The breakpoint, if the slope jumps there; then constant and rate mean nothing.
    """

    constant: Fraction
    rate: Fraction
    kink: Fraction | None


def polished(terms: Sequence[Term], m: int, scores: NDArray[np.float64]) -> tuple[Scores, Slopes] | None:
    """Exact scores near the float ones at which zero is a subgradient, with the slopes that show it.

    Where a shift of all scores changes nothing, the lowest one is put to zero. What is too long to be written
    is no name of a minimizer.
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
    """Rationals of small denominators, if all values are as good as equal to such."""
    found = [Fraction(x).limit_denominator(_SIMPLE) for x in values]
    if all(abs(float(q) - x) <= _CLOSE * max(abs(x), 1.0) for q, x in zip(found, values, strict=True)):
        return found
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
            found = _equations(terms, places, start)
            if found is not None:
                yield tuple(map(LogRational, found))


def _place(term: Term, near: NDArray[np.float64], flip: bool) -> _Place:
    """The piece that the argument lies on; with `flip` the other one, where it is next to a breakpoint."""
    form = piecewise(term.phi)
    assert form is not None  # looked at before
    x = sum(n * float(near[item]) for item, n in term.v) - float(term.b)
    index = sum(float(at) <= x for at in form.breakpoints)
    for k, at in enumerate(form.breakpoints):
        if abs(float(at) - x) <= _NEAR * (1 + abs(x)):
            left, right = form.slope(at)
            if left != right:
                return _Place(Fraction(0), Fraction(0), at)
            index = k + ((index == k) if flip else (index > k))
    piece = (*form.pieces[index], *[Fraction(0)] * 3)
    return _Place(piece[1], 2 * piece[2], None)


def _equations(
    terms: Sequence[Term], places: Sequence[_Place], start: Sequence[Fraction]
) -> list[Fraction] | None:
    """Scores at which the slopes sum to zero and kinks are met, as near to `start` as the equations allow.

    Unknowns: what to add to each score, then the slope at each kink. The lowest score stands last among the
    scores, so it is the one that stays where only differences matter.
    """
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
    found = solve_linear(rows, right)
    return None if found is None else [start[i] + found[column[i]] for i in range(m)]
