"""The minimum of one risk W: the engine that fits, and the exact minimizer wherever it can be named."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import copysign, inf, isfinite
from typing import Annotated, Final, final

import numpy as np
from flint import arb, arb_mat, fmpq

from consistency_lab.errors import InputError, UnsupportedError
from consistency_lab.model.checked import between, checked, fitting
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import Surrogate, Term, merged
from consistency_lab.model.surrogates.own import as_surrogate
from consistency_lab.numbers.arrays import Floats
from consistency_lab.numbers.balls import ORIGIN
from consistency_lab.numbers.exact import LogRational, working_precision
from consistency_lab.numbers.phi import Expression, enclose_slopes
from consistency_lab.shown import Framed
from consistency_lab.solve.connectivity import Attainment, attainment, is_unique, is_unique_exactly
from consistency_lab.solve.kinds import Kind, is_convex, kind_of
from consistency_lab.solve.newton import NewtonSolver
from consistency_lab.solve.numeric import compiled, stack
from consistency_lab.solve.stationary import Scores, Slopes, least_subgradient, polished
from consistency_lab.solve.straight import exact_vertex, float_vertex, lattice_of

_TOLERANCE: Final = 1e-12
_ITERATIONS: Final = 400
_CONVERGED: Final = 1e-6
_LARGE: Final = Fraction(10**9)
_FLAT: Final = 1e-9
"""Where W bends less than this, for a coefficient of 1, floats do not see where it is least."""

_FLAT_ITEMS: Final = 6
_LONG: Final = 800
"""Bits: exp(-200) and its differences are seen."""

_STRIDE: Final = 4.0
_PLATEAU_STEPS: Final = 200
_FEW: Final = 24
"""With more items an edge loss is minimized on its aggregate, and no exact minimizer is looked for."""

_APART: Final = 50.0
"""How far strong components are placed from each other: exp(-50) is below the precision of floats."""


@final
@dataclass(frozen=True, eq=False, repr=False)
class Minimum(Framed):
    """The minimum of one risk."""

    #: Shape (m,): a minimizer in floats, mean zero where a shift of all scores changes nothing. If the
    #: minimum is not attained: the components' own minimizers, placed far apart along `direction`.
    scores: Floats
    #: A minimizer exactly, if one was found and proved: zero is a subgradient there. Where a shift changes
    #: nothing its lowest score is 0, so `scores` differ from it by a shift.
    exact: tuple[LogRational, ...] | None
    value: float  #: W at the scores, or -inf if W falls without bound.
    #: The largest entry of the gradient (of the least subgradient, at kinks) divided by the largest
    #: coefficient.
    gradient_norm: float
    #: Whether the minimum is proved to be attained (True), or not to be (False); None if undecided.
    attained: bool | None
    #: If it is not attained: integers, one per item, along which W falls forever.
    direction: tuple[int, ...] | None
    #: Whether the minimizer is the only one, up to shifts: True, False, or None if undecided.
    unique: bool | None
    method: str  #: How it was found, a phrase for people.


_TERM: Final = tuple[Fraction, Expression, tuple[tuple[int, int], ...], LogRational]


@checked
def minimize(
    terms: Sequence[Term] | Surrogate | str,
    m: Annotated[int, between(1, 10_000)] | Distribution,
    *,
    exact: bool = True,
) -> Minimum:
    """Minimize ``W(alpha) = sum_t c_t phi_t(<v_t, alpha> - b_t)``.

    Parameters
    ----------
    terms
        The terms of W; or a surrogate, or its name.
    m
        The number of items; the distribution p, if a surrogate is given.
    exact
        Also look for an exact minimizer, of few items; without it the answer is faster.

    Raises
    ------
    UnsupportedError
        If a function has kinks, and is neither piecewise linear nor plainly convex, or floats overflow.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from consistency_lab.model.surrogates import pair
    >>> from consistency_lab.numbers.phi import parse
    >>> phi = parse("log(1+exp(-x))")
    >>> found = minimize([pair(Fraction(3), phi, 0, 1), pair(Fraction(1), phi, 1, 0)], 2)
    >>> [str(x) for x in found.exact], found.unique
    (['log(3)', '0'], True)
    >>> [str(x) for x in minimize("logistic", Distribution.from_aggregate([[0, 3], [1, 0]])).exact]
    ['log(3)', '0']
    """
    terms, m = _problem(terms, m)
    terms = [Term(*fitting((t.c, *t.key), f"term {n}", _TERM)) for n, t in enumerate(terms)]
    for term in terms:
        if term.c < 0:
            raise InputError(f"a coefficient of {term.phi} is {term.c}; coefficients must be at least 0")
        if any(not 0 <= i < m for i, _ in term.v):
            raise InputError(f"a term names item {max(i for i, _ in term.v)}; the items are 0 to {m - 1}")
    terms = merged(terms)
    if not terms:
        return Minimum(np.zeros(m), (ORIGIN,) * m, 0.0, 0.0, True, None, m == 1, "W is constant")
    largest = max(term.c for term in terms)
    if not 1 / _LARGE <= largest <= _LARGE:
        # A positive factor changes no minimizer, but floats do not bear numbers of every size.
        small = minimize([Term(term.c / largest, *term.key) for term in terms], m, exact=exact)
        return replace(small, value=_times(small.value, largest))
    kinds = {kind_of(term.phi) for term in terms}
    convex = all(is_convex(term.phi) for term in terms)
    if convex and kinds <= {Kind.PIECEWISE_LINEAR, Kind.STRAIGHT}:
        return _on_vertices(terms, m, exact)
    by_pairs = _by_pairs(terms, m) if m > _FEW and convex and kinds <= {Kind.SMOOTH, Kind.STRAIGHT} else None
    if by_pairs is not None:
        return by_pairs
    known = attainment(terms, m)
    if known.attained is False:
        return _escaping(terms, m, known)
    scores, method = _engine(kinds, convex)(terms, m)
    _refuse_infinite(scores)
    named = polished(terms, m, scores) if exact and convex else None
    if named is not None:
        return _exactly(terms, m, *named, f"{method}, then exact")
    minimum = _measured(terms, m, scores, known.attained, method)
    if not minimum.gradient_norm <= _CONVERGED:
        return replace(minimum, method=f"{method}, which did not converge")
    return replace(minimum, unique=is_unique(terms, m, scores) if known.attained else None)


def _by_pairs(terms: Sequence[Term], m: int) -> Minimum | None:
    """The minimum of one edge loss on its aggregate, None if W is something else."""
    phi = terms[0].phi
    h = np.zeros((m, m))
    for term in terms:
        if term.phi != phi or term.b != ORIGIN or sorted(n for _, n in term.v) != [-1, 1]:
            return None
        (i, n), (j, _) = term.v
        h[(i, j) if n > 0 else (j, i)] = float(term.c)
    from consistency_lab.solve.edges import minimize_edges

    minimum = minimize_edges(phi, h)
    if minimum.attained is None:
        return None
    scores, method = minimum.scores, "damped Newton on the pairs"
    if not minimum.attained:
        scores = scores + (_APART + float(np.ptp(scores))) * np.array(minimum.levels)
        method = "each strong component alone, placed far apart along the direction of escape"
    direction = None if minimum.attained else minimum.levels
    unique = minimum.unique if minimum.attained else None
    return Minimum(
        scores, None, minimum.value, minimum.gradient_norm, minimum.attained, direction, unique, method
    )


def _problem(asked: Sequence[Term] | Surrogate | str, at: int | Distribution) -> tuple[Sequence[Term], int]:
    """The terms and the number of items."""
    if isinstance(asked, str | Surrogate):
        if not isinstance(at, Distribution):
            raise InputError(f"W of a surrogate is minimized at a Distribution, not at {at!r}")
        return as_surrogate(asked).risk_terms(at), at.m
    if isinstance(at, Distribution):
        return asked, at.m
    return asked, at


def _times(value: float, factor: Fraction) -> float:
    """The product, infinite where it overflows."""
    if not isfinite(value):
        return value
    try:
        return float(Fraction(value) * factor)
    except OverflowError:
        return copysign(inf, value)


def _refuse_infinite(scores: Floats) -> None:
    if not np.isfinite(scores).all():
        raise UnsupportedError(
            "the values of W are too large for floats, so no minimizer can be proposed; give smaller weights"
        )


def _engine(kinds: set[Kind], convex: bool) -> Callable[[Sequence[Term], int], tuple[Floats, str]]:
    if kinds <= {Kind.SMOOTH, Kind.STRAIGHT}:
        return _newton if convex else _stationary
    return _conic if convex else _lattice


def _newton(terms: Sequence[Term], m: int) -> tuple[Floats, str]:
    structure, C = stack([terms], m)
    scores = NewtonSolver(structure).solve(C, _TOLERANCE, _ITERATIONS).scores[0]
    if m > _FLAT_ITEMS or not np.isfinite(scores).all():
        return scores, "damped Newton"
    x = structure.V @ scores - structure.b
    curved = [float(compiled(t.phi)(x[k : k + 1])[2][0]) for k, t in enumerate(terms)]
    bend = (structure.V**2).T @ (C[0] * curved)
    if bend.min() > _FLAT * float(C.max()):
        return scores, "damped Newton"
    return _on_a_plateau(terms, m, scores), "Newton's method in long floats"


def _on_a_plateau(terms: Sequence[Term], m: int, scores: Floats) -> Floats:
    """Where slopes cancel but for less than floats tell, as those of the logistic loss far from its bend."""
    free = all(sum(n for _, n in term.v) == 0 for term in terms)
    kept = m - 1 if free else m
    at = [Fraction(float(s - scores[-1] if free else s)) for s in scores]
    with working_precision(_LONG):
        tiny = arb(2) ** (-_LONG // 4)
        step = Fraction(1, 2 ** (_LONG // 4))
        for _ in range(_PLATEAU_STEPS):
            gradient, hessian = [arb(0)] * m, [[arb(0)] * m for _ in range(m)]
            for term in terms:
                x = sum((n * at[i] for i, n in term.v), Fraction(0)) - _rational(term.b)
                low, high = (enclose_slopes(term.phi, LogRational(y))[0] for y in (x, x + step))
                c = arb(fmpq(term.c.numerator, term.c.denominator))
                for i, n in term.v:
                    gradient[i] += c * n * low.mid()
                    for j, k in term.v:
                        hessian[i][j] += c * n * k * (high.mid() - low.mid()) / tiny
            try:
                matrix = arb_mat([[x.mid() for x in row[:kept]] for row in hessian[:kept]])
                moves = matrix.solve(arb_mat([[x.mid()] for x in gradient[:kept]]), algorithm="lu")
            except (ZeroDivisionError, ValueError):
                return scores
            way = [-float(moves[i, 0].mid()) for i in range(kept)] + [0.0] * (m - kept)
            if not np.isfinite(way).all():
                return scores
            longest = max(abs(sum(n * way[i] for i, n in term.v)) for term in terms)
            share = min(1.0, _STRIDE / longest) if longest else 1.0
            at = [s + Fraction(share * w).limit_denominator(10**18) for s, w in zip(at, way, strict=True)]
            if longest < _TOLERANCE:
                return np.array([float(s) for s in at])
    return scores


def _rational(b: LogRational) -> Fraction:
    exact = b.as_rational()
    return Fraction(float(b)) if exact is None else exact


def _stationary(terms: Sequence[Term], m: int) -> tuple[Floats, str]:
    return _newton(terms, m)[0], "damped Newton, a stationary point of a function not proved convex"


def _conic(terms: Sequence[Term], m: int) -> tuple[Floats, str]:
    from consistency_lab.solve.conic import conic_minimizer

    return conic_minimizer(terms, m), "conic program"


def _lattice(terms: Sequence[Term], m: int) -> tuple[Floats, str]:
    structure, C = stack([terms], m)
    lattice = lattice_of(structure)
    if lattice is None:
        worst = next(term.phi for term in terms if not is_convex(term.phi))
        raise UnsupportedError(
            f"{worst} is not known to be convex and has kinks; such functions are minimized only if they are "
            "piecewise linear and bounded below, for score differences of few items"
        )
    return lattice.minimize(C)[0][0], "evaluation at all vertices"


def _measured(terms: Sequence[Term], m: int, scores: Floats, attained: bool | None, method: str) -> Minimum:
    """A minimum from float scores alone."""
    structure, C = stack([terms], m)
    centered = scores - scores.mean() if structure.shift_invariant else scores
    value = float(structure.value(C, centered[None])[0])
    norm = least_subgradient(structure, C[0], centered)
    return Minimum(centered, None, value, norm, attained, None, None, method)


def _exactly(terms: Sequence[Term], m: int, scores: Scores, slopes: Slopes, method: str) -> Minimum:
    """A minimum whose scores are exact and proved by their slopes."""
    structure, C = stack([terms], m)
    floats = np.array([float(x) for x in scores])
    _refuse_infinite(floats)
    centered = floats - floats.mean() if structure.shift_invariant else floats
    value = float(structure.value(C, centered[None])[0])
    unique = is_unique_exactly(terms, m, scores, slopes)
    return Minimum(centered, scores, value, 0.0, True, None, unique, method)


def _on_vertices(terms: Sequence[Term], m: int, exact: bool) -> Minimum:
    """Piecewise linear and convex: a linear program."""
    rough = None if exact else float_vertex(terms, m)
    vertex = exact_vertex(terms, m) if rough is None else None
    if vertex is not None and vertex.scores is not None:
        scores = tuple(map(LogRational, vertex.scores))
        return _exactly(terms, m, scores, vertex.slopes, "exact linear program")
    if vertex is not None:
        method = "exact linear program: W falls without bound"
        return Minimum(np.zeros(m), None, -inf, inf, False, vertex.direction, None, method)
    rough = rough if rough is not None else float_vertex(terms, m)
    if rough is None:
        raise UnsupportedError("the linear program has no minimum that floats can find; rescale its weights")
    measured = _measured(terms, m, rough, None, "linear program in floats")
    return replace(measured, unique=is_unique(terms, m, measured.scores))


def _escaping(terms: Sequence[Term], m: int, known: Attainment) -> Minimum:
    """No minimum: each strong component is minimized alone, and they are placed far apart."""
    assert known.direction is not None  # that is what not attained means here
    scores = np.zeros(m)
    for part in known.components:
        place = {item: k for k, item in enumerate(part)}
        held = known.direction[part[0]] == 0
        inside = [
            Term(term.c, term.phi, tuple((place[i], n) for i, n in term.v), term.b)
            for term in terms
            if all(i in place for i, _ in term.v) and (len(term.v) > 1 or held)
        ]
        scores[list(part)] = minimize(inside, len(part), exact=False).scores
    apart = _APART + float(np.ptp(scores)) + max((abs(float(term.b)) for term in terms), default=0.0)
    scores += apart * np.array(known.direction, dtype=np.float64)
    method = "each strong component alone, placed far apart along the direction of escape"
    return replace(_measured(terms, m, scores, False, method), direction=known.direction, unique=None)
