"""Is a minimizer the only one, up to a shift of all scores?

Along z, W stays at its minimum if and only if every term keeps to its tangent there: phi_t must be a straight
line, with the slope that the certificate gives it, on the side to which <v_t, z> moves its argument. Those
conditions are arcs z_i <= z_j between items; if they connect all items strongly only shifts are left.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.exact import LogRational, certainly_less, rank
from consistency_lab.model.surrogates import Term
from consistency_lab.phi import Expression, enclose_slopes
from consistency_lab.solve.connectivity import arcs_of, is_graph, strong_components
from consistency_lab.solve.kinds import Kind, is_analytic, is_convex, kind_of, piecewise
from consistency_lab.solve.numeric import compiled
from consistency_lab.solve.stationary import Slopes, argument

_NEAR: Final = 1e-6
_CURVED: Final = 1e-8
_PROBES: Final = (-4, -1, 0, 1, 4)


@final
@dataclass(frozen=True, slots=True)
class _Freedom:
    """Whether the argument of a term may grow, or fall, without W leaving its minimum; None if unknown."""

    grow: bool | None
    fall: bool | None


_FIXED: Final = _Freedom(False, False)
_UNKNOWN: Final = _Freedom(None, None)


def is_unique_exactly(
    terms: Sequence[Term], m: int, scores: Sequence[LogRational], slopes: Slopes
) -> bool | None:
    """Whether an exact minimizer, with slopes that sum to zero, is the only one; None if not decided."""
    return _decided(
        terms,
        m,
        [_freedom_exactly(term, argument(term, scores), s) for term, s in zip(terms, slopes, strict=True)],
    )


def is_unique(terms: Sequence[Term], m: int, scores: NDArray[np.float64]) -> bool | None:
    """Whether a float minimizer is the only one, as far as floats can tell; None if they cannot."""
    return _decided(terms, m, [_freedom(term, scores) for term in terms])


def _freedom_exactly(term: Term, at: LogRational, slope: Fraction) -> _Freedom:
    form, x = piecewise(term.phi), at.as_rational()
    if form is None and not is_analytic(term.phi):
        return _UNKNOWN  # its curvature would be a matter of floats
    if form is None or x is None:
        return _freedom_at(term, float(at))
    left, right = form.slope(x)
    before = form.pieces[sum(b < x for b in form.breakpoints)]
    after = form.pieces[sum(b <= x for b in form.breakpoints)]
    return _Freedom(slope == right and len(after) <= 2, slope == left and len(before) <= 2)


def _freedom(term: Term, scores: NDArray[np.float64]) -> _Freedom:
    return _freedom_at(term, sum(n * float(scores[item]) for item, n in term.v) - float(term.b))


def _freedom_at(term: Term, x: float) -> _Freedom:
    kind = kind_of(term.phi)
    if kind is Kind.STRAIGHT:
        return _Freedom(True, True)
    if not is_convex(term.phi):
        return _UNKNOWN
    if is_analytic(term.phi):
        return _FIXED if _bends(term.phi) else _UNKNOWN
    form = piecewise(term.phi)
    if form is not None:
        if any(abs(float(b) - x) <= _NEAR * (1 + abs(x)) for b in form.breakpoints):
            return _UNKNOWN
        straight = len(form.pieces[sum(float(b) <= x for b in form.breakpoints)]) <= 2
        return _Freedom(straight, straight)
    sides = compiled(term.phi)(np.array([x - _NEAR, x + _NEAR]))[2]
    return _FIXED if (sides > _CURVED).all() else _UNKNOWN


@lru_cache(maxsize=512)
def _bends(phi: Expression) -> bool:
    """Whether a convex and analytic function is certainly no line: then it is strictly convex."""
    slopes = [enclose_slopes(phi, LogRational(Fraction(x))) for x in _PROBES]
    return any(certainly_less(low, high) for (_, low), (high, _) in pairwise(slopes))


def _decided(terms: Sequence[Term], m: int, freedoms: Sequence[_Freedom]) -> bool | None:
    if _pinned(terms, m, freedoms, lambda free: free is False):
        return True
    if is_graph(terms, m) and not _pinned(terms, m, freedoms, lambda free: free is not True):
        return False
    return None


def _pinned(
    terms: Sequence[Term], m: int, freedoms: Sequence[_Freedom], fixed: Callable[[bool | None], bool]
) -> bool:
    """Whether only shifts are left if the sides that are `fixed` may not be taken."""
    shift = all(sum(n for _, n in term.v) == 0 for term in terms)
    if is_graph(terms, m):
        arcs = set()
        for (i, j), free in zip(arcs_of(terms, m), freedoms, strict=True):
            if fixed(free.grow):
                arcs.add((i, j))
            if fixed(free.fall):
                arcs.add((j, i))
        return len(strong_components(arcs, m if shift else m + 1)) == 1
    rows = []
    for term, free in zip(terms, freedoms, strict=True):
        if fixed(free.grow) and fixed(free.fall):
            along = dict(term.v)
            rows.append([Fraction(along.get(item, 0)) for item in range(m)])
    return rank(rows) == m - shift
