"""Any other convex risk: the same expression trees, written in the atoms of cvxpy, solved by Clarabel."""

import warnings
from collections.abc import Sequence
from functools import reduce
from itertools import pairwise
from math import exp, sqrt
from typing import Any, Final

import numpy as np

from consistency_lab.errors import UnsupportedError, need
from consistency_lab.model.surrogates import Term
from consistency_lab.numbers.arrays import Floats
from consistency_lab.numbers.phi import Expression, PiecewisePolynomial
from consistency_lab.solve.kinds import affine, exponential_sum, piecewise
from consistency_lab.solve.newton import refined
from consistency_lab.solve.numeric import stack

Atom = Any
"""A cvxpy expression."""

_LARGEST_EXPONENT: Final = 700
_ACCURACY: Final = 1e-11


def conic_minimizer(terms: Sequence[Term], m: int) -> Floats:
    """Scores that minimize W, in floats; mean zero where shifts are free."""
    need("cvxpy", "a convex loss that is neither smooth nor piecewise linear")
    import cvxpy as cp

    structure, rows = stack([terms], m)
    alpha = cp.Variable(m)
    x = structure.V.astype(np.float64) @ alpha - structure.b
    parts = []
    for k, phi in enumerate(structure.functions):
        chosen = np.flatnonzero(structure.function_index == k)
        try:
            atom = atom_of(phi, x[chosen])
        except OverflowError:
            raise UnsupportedError(f"a constant in {phi} is too large for floats; divide by it") from None
        if not atom.is_convex():
            raise UnsupportedError(
                f"cvxpy does not see that {phi} is convex as it is written; "
                "write it as a sum or maximum of functions that are plainly convex"
            )
        parts.append(rows[0, chosen] @ atom)
    constraints = [cp.sum(alpha) == 0] if structure.shift_invariant else []
    problem = cp.Problem(cp.Minimize(cp.sum(cp.hstack(parts))), constraints)
    with warnings.catch_warnings():
        # What cvxpy warns of, an inaccurate solution, is seen by the caller in the gradient norm.
        warnings.simplefilter("ignore")
        try:
            problem.solve(
                solver=cp.CLARABEL, tol_gap_abs=_ACCURACY, tol_gap_rel=_ACCURACY, tol_feas=_ACCURACY
            )
        except cp.error.SolverError:
            raise UnsupportedError("the conic solver gave up on this risk; rescale its weights") from None
    if alpha.value is None:
        raise UnsupportedError(f"the conic solver finds no minimum of this risk; it says {problem.status}")
    return refined(structure, rows[0], np.asarray(alpha.value, dtype=np.float64))


def atom_of(e: Expression, x: Atom) -> Atom:
    """The cvxpy expression of phi at a vector of affine arguments."""
    import cvxpy as cp

    line = affine(e)
    if line is not None:
        return float(line[0]) + float(line[1]) * x
    terms = exponential_sum(e)
    if terms is not None:
        if any(a > _LARGEST_EXPONENT for a, _ in terms):
            raise UnsupportedError(f"{e} is larger than floats can hold; make its constants smaller")
        return _added([exp(a) * cp.exp(r * x) for a, r in terms])
    form = piecewise(e)
    if form is not None and form.breakpoints and form.degree <= 2 and form.is_convex():
        return _parabolas(form, x)
    match e.op:
        case "log":
            return _logarithm(e.args[0], x)
        case "sqrt":
            return _root(e.args[0], x)
        case "power" if e.exponent == 1 / 2:
            return _root(e.args[0], x)
        case "power":
            return cp.power(atom_of(e.args[0], x), float(e.exponent))
        case "multiply" if e.args[0] == e.args[1]:
            return cp.square(atom_of(e.args[0], x))
        case "multiply":
            return cp.multiply(atom_of(e.args[0], x), atom_of(e.args[1], x))
        case "divide" if e.args[1].value is not None:
            return atom_of(e.args[0], x) / float(e.args[1].value)
        case "divide":
            return cp.multiply(atom_of(e.args[0], x), cp.inv_pos(atom_of(e.args[1], x)))
    parts = [atom_of(child, x) for child in e.args]
    match e.op:
        case "add":
            return parts[0] + parts[1]
        case "subtract":
            return parts[0] - parts[1]
        case "negate":
            return -parts[0]
    return getattr(cp, {"max": "maximum", "min": "minimum"}.get(e.op, e.op))(*parts)


def _parabolas(form: PiecewisePolynomial, x: Atom) -> Atom:
    """A convex function of lines and parabolas: a tangent, kinks, and a Huber function for each bend."""
    import cvxpy as cp

    places = [float(b) for b in form.breakpoints]
    bends = [float(piece[2]) if len(piece) > 2 else 0.0 for piece in form.pieces]
    slopes = [form.slope(b) for b in form.breakpoints]
    first = form.breakpoints[0]
    parts = [float(form.value(first)) + float(slopes[0][0]) * (x - places[0])]
    parts.append(bends[0] * cp.square(cp.pos(places[0] - x)))
    for (left, right), place in zip(slopes, places, strict=True):
        parts.append(float(right - left) * cp.pos(x - place))
    for (place, end), bend in zip(pairwise(places), bends[1:-1], strict=True):
        parts.append(bend * cp.huber(cp.pos(x - place), end - place))
    parts.append(bends[-1] * cp.square(cp.pos(x - places[-1])))
    return _added(parts)


def _added(parts: Sequence[Atom]) -> Atom:
    return reduce(lambda u, v: u + v, parts)


def _logarithm(e: Expression, x: Atom) -> Atom:
    """log of a positive function, taken apart until only sums of exponentials are left."""
    import cvxpy as cp

    terms = exponential_sum(e)
    if terms is not None and len(terms) == 1:
        (a, r), *_ = terms
        return a + r * x
    if terms is not None and len(terms) == 2:
        (a, r), (b, s) = terms
        return a + r * x + cp.logistic(b - a + (s - r) * x)
    if terms is not None:
        return cp.log_sum_exp(cp.vstack([a + r * x for a, r in terms]), axis=0)
    match e.op:
        case "exp":
            return atom_of(e.args[0], x)
        case "multiply":
            return _logarithm(e.args[0], x) + _logarithm(e.args[1], x)
        case "divide":
            return _logarithm(e.args[0], x) - _logarithm(e.args[1], x)
        case "power":
            return float(e.exponent) * _logarithm(e.args[0], x)
    return cp.log(atom_of(e, x))


def _root(e: Expression, x: Atom) -> Atom:
    """sqrt(c + u**2) with u affine is a norm; other roots are concave."""
    import cvxpy as cp

    if e.op == "add":
        for constant, square in (e.args, e.args[::-1]):
            if constant.value is None or constant.value < 0:
                continue
            doubled = square.op == "multiply" and square.args[0] == square.args[1]
            if doubled or (square.op == "power" and square.exponent == 2):
                inner = atom_of(square.args[0], x)
                return cp.norm(cp.vstack([np.full(x.shape, sqrt(constant.value)), inner]), 2, axis=0)
    return cp.sqrt(atom_of(e, x))
