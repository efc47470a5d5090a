"""Is zero a subgradient of W at exact scores? Then, W being convex, they are a minimizer (THEORY §4)."""

from collections.abc import Sequence
from fractions import Fraction

from consistency_lab.exact import LogRational
from consistency_lab.model.surrogates import Term
from consistency_lab.phi import Expression, exact_slopes
from consistency_lab.solve.kinds import piecewise

Slopes = tuple[Fraction, ...]


def argument(term: Term, scores: Sequence[LogRational]) -> LogRational:
    """<v_t, alpha> - b_t."""
    a, q = -term.b.a, 1 / term.b.q
    for item, n in term.v:
        a += scores[item].a * n
        q *= scores[item].q ** n
    return LogRational(a, q)


def stationary_slopes(terms: Sequence[Term], m: int, scores: Sequence[LogRational]) -> Slopes | None:
    """Rational slopes s_t in the subdifferentials with sum_t c_t s_t v_t = 0, or None.

    At a kink every slope between the one-sided ones is allowed; which to take is a small linear program.

    Examples
    --------
    >>> from consistency_lab.model.surrogates import pair
    >>> from consistency_lab.phi import parse
    >>> phi = parse("log(1+exp(-x))")
    >>> terms = [pair(Fraction(3), phi, 0, 1), pair(Fraction(1), phi, 1, 0)]
    >>> [str(s) for s in stationary_slopes(terms, 2, [LogRational.parse("log(3)"), LogRational.parse("0")])]
    ['-1/4', '-3/4']
    """
    ranges = []
    for term in terms:
        left, right = _one_sided(term.phi, argument(term, scores))
        if left is None or right is None or left > right:
            return None
        ranges.append((left, right))
    residual = [Fraction(0)] * m
    for term, (left, _) in zip(terms, ranges, strict=True):
        for item, n in term.v:
            residual[item] -= term.c * n * left
    slopes = [left for left, _ in ranges]
    free = [t for t, (left, right) in enumerate(ranges) if left < right]
    if not free:
        return None if any(residual) else tuple(slopes)
    extra = _distributed([terms[t] for t in free], [ranges[t][1] - ranges[t][0] for t in free], residual)
    if extra is None:
        return None
    for t, more in zip(free, extra, strict=True):
        slopes[t] += more
    return tuple(slopes)


def _one_sided(phi: Expression, x: LogRational) -> tuple[Fraction | None, Fraction | None]:
    form, place = piecewise(phi), x.as_rational()
    return exact_slopes(phi, x) if form is None or place is None else form.slope(place)


def _distributed(
    terms: Sequence[Term], widths: Sequence[Fraction], residual: Sequence[Fraction]
) -> Slopes | None:
    """u with 0 <= u <= widths and sum_t c_t u_t v_t = residual, or None."""
    from consistency_lab.solve.exact_lp import LPStatus, solve_lp

    zero, one = Fraction(0), Fraction(1)
    rows = [[zero] * len(terms) for _ in residual]
    for t, term in enumerate(terms):
        for item, n in term.v:
            rows[item][t] = term.c * n
    units = [[one if i == k else zero for k in range(len(terms))] for i in range(len(terms))]
    solution = solve_lp([zero] * len(terms), rows, residual, units, widths)
    return solution.x if solution.status is LPStatus.OPTIMAL else None
