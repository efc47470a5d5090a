"""A convex phi that is right at given h, for any number of items: hinges with slopes in strict order.

If N = sum lambda_U v_U with every lambda_U > 0 (see `order_cones`), the slopes are strictly in order, each
fits strictly inside a kink of a piecewise linear phi, and the point of the face is the only minimizer.
"""

from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise

from consistency_lab.book.order_cones import Aggregate, Pair, Point, closed_sets, generator
from consistency_lab.exact import integer_multiple
from consistency_lab.model.conditions import net
from consistency_lab.model.distribution import difference
from consistency_lab.solve.exact_lp import LPStatus, solve_lp

_ZERO = Fraction(0)


def strict_slopes(h: Aggregate, point: Point) -> Mapping[Pair, Fraction] | None:
    """Stationary slopes in strict order with g_0 = -1, as far apart as can be; None if there are none."""
    sets = [(sign, chosen) for sign in (1, -1) for chosen in closed_sets(point)]
    columns = [generator(h, sign, chosen, len(point)) for sign, chosen in sets]
    # Unknowns: lambda_U - gap >= 0 for every set U, and the gap, which is made as large as it can be.
    total = [sum((column[i] for column in columns), _ZERO) for i in range(len(point))]
    rows = [[*(column[i] for column in columns), total[i]] for i in range(len(point))]
    costs = [_ZERO] * len(sets) + [Fraction(-1)]
    bound = [[*([_ZERO] * len(sets)), Fraction(1)]]
    solution = solve_lp(costs, rows, net(difference(h)), bound, [Fraction(1)])
    if solution.status is not LPStatus.OPTIMAL or not solution.x[-1]:
        return None
    slopes: dict[Pair, Fraction] = {}
    for (sign, chosen), extra in zip(sets, solution.x[:-1], strict=True):
        for i, j in chosen:
            slot = (i, j) if sign > 0 else (j, i)
            slopes[slot] = slopes.get(slot, Fraction(-1)) + sign * (extra + solution.x[-1])
    return slopes


def hinges(h: Aggregate, point: Point) -> str | None:
    """A convex phi, as an expression in x, with `point` as its only minimizer up to shifts, or None.

    Examples
    --------
    >>> h = [[Fraction(x) for x in row] for row in ((0, 2, 6), (0, 0, 2), (2, 0, 0))]
    >>> hinges(h, (2, 1, 0)) is not None
    True
    """
    slopes = strict_slopes(h, point)
    if slopes is None:
        return None
    at: dict[int, list[Fraction]] = {0: [Fraction(-1)]}
    for (i, j), slope in slopes.items():
        at.setdefault(point[i] - point[j], []).append(slope)
    knots = sorted(at, reverse=True)
    top, bottom = max(at[knots[0]]), min(at[knots[-1]])
    between = [(min(at[right]) + max(at[left])) / 2 for right, left in pairwise(knots)]
    # phi has the slope -1 around 0, so that it is differentiable there; 0 is no kink.
    place = knots.index(0)
    between[place - 1] = between[place] = Fraction(-1)
    ends = (top + 1 if top >= 0 else _ZERO, *between, bottom - 1)
    drops = [right - left for right, left in pairwise(ends)]
    counts, _ = integer_multiple([*drops, ends[0]])
    parts = [f"{c}*max(0,{knot}-x)" for c, knot in zip(counts, knots, strict=False) if c]
    return "+".join([*parts, *([f"{counts[-1]}*x"] if counts[-1] else [])])
