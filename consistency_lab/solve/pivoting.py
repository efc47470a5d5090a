"""The simplex method in rational arithmetic, for the rare program on which floating point goes astray.

Bland's rule, so it ends; a dense tableau, so it is for small programs. `exact_lp` asks it for a basis only
after HiGHS's basis has failed the exact check.
"""

from collections.abc import Sequence
from fractions import Fraction

Row = list[Fraction]


def optimal_basis(
    c: Sequence[Fraction],
    rows: Sequence[Sequence[Fraction]],
    right: Sequence[Fraction],
    equalities: int,
    pivots: int,
) -> list[int] | None:
    """An optimal basis of: minimize c @ x, rows @ x = right (first `equalities` rows) or <= right, x >= 0.

    Parameters
    ----------
    c, rows, right, equalities
        The program; it must have a solution.
    pivots
        Give up after so many pivots.

    Returns
    -------
    basis
        j for column j, -1 - r for row r; None if it gave up or the program has no solution.

    Examples
    --------
    >>> one = Fraction(1)
    >>> optimal_basis([-one], [[one]], [2 * one], 0, 10)
    [0]
    """
    n, count = len(c), len(rows)
    names = [*range(n), *(-1 - r for r in range(equalities, count)), *(-1 - r for r in range(count))]
    width = n + count - equalities
    tableau = []
    for r, (row, b) in enumerate(zip(rows, right, strict=True)):
        slack = [Fraction(r == s) for s in range(equalities, count)]
        sign = -1 if b < 0 else 1
        artificial = [Fraction(r == s) for s in range(count)]
        tableau.append([sign * a for a in (*row, *slack)] + artificial + [sign * b])
    basic = list(range(width, width + count))
    first = [Fraction(0)] * width + [Fraction(1)] * count
    left = _descend(tableau, basic, first, width + count, pivots)
    if left is None or any(tableau[r][-1] for r, column in enumerate(basic) if column >= width):
        return None
    for r, column in enumerate(basic):
        replacement = next((j for j in range(width) if tableau[r][j]), None)
        if column >= width and replacement is not None:
            _pivot(tableau, basic, r, replacement)
    second = [*c, *([Fraction(0)] * (width - n + count))]
    left = _descend(tableau, basic, second, width, left)
    return None if left is None else [names[column] for column in basic]


def _descend(tableau: list[Row], basic: list[int], cost: Row, width: int, pivots: int) -> int | None:
    """Pivot until no column below `width` has negative reduced cost; the pivots that are left, or None."""
    for left in range(pivots, 0, -1):
        used = [(cost[column], row) for column, row in zip(basic, tableau, strict=True) if cost[column]]
        candidates = (j for j in range(width) if j not in basic)
        entering = next((j for j in candidates if cost[j] < sum(price * row[j] for price, row in used)), None)
        if entering is None:
            return left
        ratios = [
            (row[-1] / row[entering], basic[r], r) for r, row in enumerate(tableau) if row[entering] > 0
        ]
        if not ratios:
            return None
        _pivot(tableau, basic, min(ratios)[2], entering)
    return None


def _pivot(tableau: list[Row], basic: list[int], r: int, entering: int) -> None:
    lead = tableau[r][entering]
    tableau[r] = pivot = [value / lead for value in tableau[r]]
    for s, row in enumerate(tableau):
        factor = row[entering]
        if s != r and factor:
            tableau[s] = [value - factor * p if p else value for value, p in zip(row, pivot, strict=True)]
    basic[r] = entering
