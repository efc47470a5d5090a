"""Stationary certificates: scores at which zero is, exactly, a subgradient of W (THEORY §4)."""

from collections.abc import Sequence
from fractions import Fraction

from consistency_lab.exact import LogRational
from consistency_lab.model.surrogates import Term
from consistency_lab.phi import exact_slopes
from consistency_lab.solve.exact_lp import LPStatus, solve_lp


def argument(term: Term, scores: Sequence[LogRational]) -> LogRational:
    """<v_t, alpha> - b_t."""
    total = -term.b
    for item, n in term.v:
        value = scores[item].times(Fraction(n))
        assert value is not None  # integers always have a product
        total = total + value
    return total


def stationary_slopes(
    terms: Sequence[Term], m: int, scores: Sequence[LogRational]
) -> tuple[Fraction, ...] | None:
    """Rational slopes s_t in the subdifferential of phi_t with sum_t c_t s_t v_t = 0, or None."""
    found = balanced_slopes(terms, m, scores, None)
    return None if found is None else found[1]


def balanced_slopes(
    terms: Sequence[Term], m: int, scores: Sequence[LogRational], pull: tuple[int, int] | None
) -> tuple[Fraction, tuple[Fraction, ...]] | None:
    """Rational (lambda, slopes) with sum_t c_t s_t v_t = lambda w and lambda >= 0, or None.

    Parameters
    ----------
    pull
        w = e_i - e_j as the pair (i, j); None for lambda = 0.

    At a kink any slope between the two one-sided ones will do: which, is a small exact linear program.
    """
    ranges: list[tuple[Fraction, Fraction]] = []
    for term in terms:
        left, right = exact_slopes(term.phi, argument(term, scores))
        if left is None or right is None or left > right:
            return None
        ranges.append((left, right))
    zero = Fraction(0)
    rows = [[zero] * len(terms) for _ in range(m)]
    for t, term in enumerate(terms):
        for item, n in term.v:
            rows[item][t] = term.c * n
    residual = [-sum((x * ranges[t][0] for t, x in enumerate(row)), zero) for row in rows]
    free = [t for t, (left, right) in enumerate(ranges) if left < right]
    columns = [[row[t] for row in rows] for t in free]
    if pull is not None:
        columns.append([Fraction(int(k == pull[1]) - int(k == pull[0])) for k in range(m)])
    if not columns:
        return None if any(residual) else (zero, tuple(left for left, _ in ranges))
    solution = solve_lp(
        [zero] * len(columns),
        [list(row) for row in zip(*columns, strict=True)],
        residual,
        [[Fraction(int(i == k)) for k in range(len(columns))] for i in range(len(free))],
        [ranges[t][1] - ranges[t][0] for t in free],
    )
    if solution.status is not LPStatus.OPTIMAL:
        return None
    slopes = [left for left, _ in ranges]
    for t, extra in zip(free, solution.x, strict=False):
        slopes[t] += extra
    return (zero if pull is None else solution.x[-1]), tuple(slopes)
