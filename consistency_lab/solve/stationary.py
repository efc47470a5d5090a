"""Is zero a subgradient of W at exact scores? Then, W being convex, they are a minimizer.

See docs/theory.md, Stationary points.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from consistency_lab.exact import LogRational
from consistency_lab.model.surrogates import Term
from consistency_lab.phi import Expression, exact_slopes
from consistency_lab.solve.kinds import piecewise

Slopes = tuple[Fraction, ...]

_ZERO: Final = Fraction(0)


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
    found = balanced_slopes(terms, m, scores, None)
    return None if found is None else found[1]


def balanced_slopes(
    terms: Sequence[Term], m: int, scores: Sequence[LogRational], pull: tuple[int, int] | None
) -> tuple[Fraction, Slopes] | None:
    """Rational (lambda, slopes) with sum_t c_t s_t v_t = lambda w and lambda >= 0, or None.

    Parameters
    ----------
    pull
        w = e_i - e_j as the pair (i, j), for scores that minimize W where alpha_i = alpha_j; None for
        lambda = 0.
    """
    ranges = []
    for term in terms:
        left, right = _one_sided(term.phi, argument(term, scores))
        if left is None or right is None or left > right:
            return None
        ranges.append((left, right))
    residual = [_ZERO] * m
    for term, (left, _) in zip(terms, ranges, strict=True):
        for item, n in term.v:
            residual[item] -= term.c * n * left
    slopes = [left for left, _ in ranges]
    free = [t for t, (left, right) in enumerate(ranges) if left < right]
    if not free and pull is None:
        return None if any(residual) else (_ZERO, tuple(slopes))
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
    from consistency_lab.solve.exact_lp import LPStatus, solve_lp

    columns = [[_ZERO] * len(residual) for _ in terms]
    for column, term in zip(columns, terms, strict=True):
        for item, n in term.v:
            column[item] = term.c * n
    if pull is not None:
        columns.append([Fraction(int(k == pull[1]) - int(k == pull[0])) for k in range(len(residual))])
    units = [[Fraction(int(i == k)) for k in range(len(columns))] for i in range(len(terms))]
    rows = [list(row) for row in zip(*columns, strict=True)]
    solution = solve_lp([_ZERO] * len(columns), rows, residual, units, widths)
    if solution.status is not LPStatus.OPTIMAL:
        return None
    return (_ZERO if pull is None else solution.x[-1]), solution.x[: len(terms)]
