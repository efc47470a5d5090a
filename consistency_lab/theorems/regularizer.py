"""What DMJ10 asks of the regularizer r of the value-regularized linear loss, and how it is proved.

The paper asks for strict convexity and 1-coercivity. Its proof also uses that the inverse of r' is strictly
increasing, which fails where r has a kink: with r(x) = x^2/2 + |x| and nu = 1 two items with d_12 = 1/2 both
get the score 0. So r has to be differentiable as well, and that is checked too.

Each function returns how the property was proved, or None.
"""

from math import inf

from consistency_lab.exact import LogRational, certainly_positive
from consistency_lab.phi import Expression, PiecewisePolynomial, enclose_value, facts

_PIECES = "decided on its polynomial pieces"
_ANALYTIC = "it is analytic and convex, and lies below its chord over [-1, 1]"
_SUM = "a sum of functions of which this is proved"


def strictly_convex(r: Expression) -> str | None:
    """Whether r is strictly convex.

    Examples
    --------
    >>> from consistency_lab.phi import parse
    >>> strictly_convex(parse("x**2/2"))
    'decided on its polynomial pieces'
    >>> strictly_convex(parse("max(0, x)**2")) is None
    True
    """
    form = PiecewisePolynomial.of(r)
    if form is not None:
        # A convex polynomial of degree 2 or more has a second derivative with isolated zeros only.
        curved = form.is_convex() and all(len(piece) > 2 for piece in form.pieces)
        return _PIECES if curved else None
    if r.op == "add":
        left, right = r.args
        for f, g in ((left, right), (right, left)):
            if strictly_convex(f) is not None and facts(g).convex:
                return _SUM
    if facts(r).convex and _analytic(r) and _below_its_chord(r):
        return _ANALYTIC
    return None


def differentiable(r: Expression) -> str | None:
    """Whether r is differentiable everywhere.

    Examples
    --------
    >>> from consistency_lab.phi import parse
    >>> differentiable(parse("x**2/2 + abs(x)")) is None
    True
    """
    form = PiecewisePolynomial.of(r)
    if form is not None:
        smooth = all(left == right for left, right in map(form.slope, form.breakpoints))
        return _PIECES if smooth else None
    if r.op == "add" and all(differentiable(part) is not None for part in r.args):
        return _SUM
    return "proved by the rules of composition" if facts(r).smooth else None


def coercive(r: Expression) -> str | None:
    r"""Whether r is 1-coercive: \(r(x)/|x| \to \infty\) as \(|x| \to \infty\).

    Examples
    --------
    >>> from consistency_lab.phi import parse
    >>> coercive(parse("exp(x) + exp(-x)"))
    'it grows faster than every linear function on both sides'
    >>> coercive(parse("exp(x)")) is None
    True
    """
    if all(_superlinear(r, side) for side in (1, -1)):
        return "it grows faster than every linear function on both sides"
    return None


def _superlinear(r: Expression, side: int) -> bool:
    """Whether r(t side)/t tends to infinity is proved."""
    form = PiecewisePolynomial.of(r)
    if form is not None:
        return form.recession()[0 if side > 0 else 1] == inf
    if r.op == "add":
        left, right = r.args
        # A finite convex function lies above a linear one.
        return any(_superlinear(f, side) and facts(g).convex for f, g in ((left, right), (right, left)))
    if r.op in ("multiply", "divide"):
        left, right = r.args
        if right.value is not None:
            return right.value > 0 and _superlinear(left, side)
        return r.op == "multiply" and left.value is not None and left.value > 0 and _superlinear(right, side)
    if r.op == "exp":
        exponent = PiecewisePolynomial.of(r.args[0])
        return exponent is not None and exponent.recession()[0 if side > 0 else 1] > 0
    return False


def _analytic(e: Expression) -> bool:
    """Whether a function defined everywhere is real-analytic: no kinks, and roots of positives only."""
    if e.op in ("abs", "max", "min"):
        return False
    if e.op == "power":
        root = e.exponent.denominator > 1
        return _analytic(e.args[0]) and (not root or _positive(e.args[0]))
    if e.op == "sqrt" and not _positive(e.args[0]):
        return False
    return all(map(_analytic, e.args))


def _positive(e: Expression) -> bool:
    known = facts(e)
    return known.lower is not None and (known.lower > 0 or (known.lower == 0 and known.lower_strict))


def _below_its_chord(r: Expression) -> bool:
    at = [enclose_value(r, LogRational.parse(x)) for x in (-1, 0, 1)]
    return certainly_positive(at[0] + at[2] - 2 * at[1])
