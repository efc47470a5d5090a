r"""Risks that are least where the mean F = sum_y p_y f(y) of numbers f(y), stated by each label, says.

| risk | psi(y, u) | f | near the infimum |
|---|---|---|---|
| squares | sum_k (u_k - f_k)^2 | any | u = F |
| pair-squares | sum_{k<l} ((u_k - u_l) - (f_k - f_l))^2 | any | u = F + constant |
| softmax | -sum_k f_k u_k + (sum_k f_k) log sum_k exp u_k | f >= 0 | exp u proportional to F |
| sigmoids | sum_k log(1 + exp u_k) - f_k u_k | 0 <= f <= 1 | u_k = log(F_k / (1 - F_k)) |
| signed | sum_k f_k phi(u_k) + (1 - f_k) phi(-u_k), phi = (1-x)^2 or max(0,1-x)^2 | 0 <= f <= 1 | u = 2F-1 |
| chances | sum_kn log(1 + exp v_kn) - 1(f_k >= n) v_kn, u_k = sum_n 1/(1 + exp(-v_kn)) | whole >= 0 | u = F |
| positions | -sum_k f_k g(r_k), g convex and decreasing: 1/r, 1/log2(1 + r) | f >= 0 | far apart, F sorted |
| soft-pairs | sum_{k != l} f_kl / (1 + exp(u_k - u_l)) | f_kl >= 0, row by row | far apart, see below |

Here r_k = 1 + sum_{l != k} 1/(1 + exp((u_k - u_l)/T)) for a T > 0. In each row but the last the scores
increase strictly with F, coordinate by coordinate, so that sorting them sorts F; "squares" may also be
decoded by cells in u = F. Where F_k is 0 or 1 the scores of "softmax" and "sigmoids" run to infinity, in the
order of F all the same.

The last two are not convex. Draw an order item by item with chances proportional to exp(u_k/T) among those
left (T = 1 for pairs). Then l is above k with chance 1/(1 + exp((u_k - u_l)/T)), so r_k is the mean position
of k, and by Jensen's inequality the risk is at least the mean over that order t of L(t) = -sum_k F_k
g(position of k), or of L(t) = sum_kl F_kl 1(l above k). An order that sorts u has a chance of at least 1/m!,
and scores far apart in an order t make the risk L(t) in the limit. So its infimum is min L, and is approached
in the orders of least L alone: those that sort F, or those of which sum_kl F_kl 1(l above k) is least.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import permutations
from math import factorial
from types import MappingProxyType
from typing import Final

from consistency_lab.core.orders import Order, cost
from consistency_lab.core.reals import Real, certainly_at_least, times, total
from consistency_lab.errors import RejectedError

MOST_ORDERS: Final = 5040
"""Most orders that are gone through one by one."""

_ONE: Final = Fraction(1)

RISKS: Final[Mapping[str, tuple[bool, bool]]] = MappingProxyType(
    {
        "squares": (False, False),
        "pair-squares": (False, False),
        "softmax": (True, False),
        "sigmoids": (True, True),
        "signed": (True, True),
        "chances": (True, False),
        "positions": (True, False),
        "soft-pairs": (True, False),
    }
)
"""By name: whether f must be at least 0, and whether at most 1."""


def mean(risk: str, labels: Sequence[tuple[Fraction, Sequence[Real]]]) -> tuple[Real, ...]:
    """F, coordinate by coordinate.

    Parameters
    ----------
    risk
        A key of `RISKS`.
    labels
        The probability and f(y) of each label.

    Raises
    ------
    RejectedError
        If a number is out of the range of this risk.

    Examples
    --------
    >>> half = Fraction(1, 2)
    >>> mean("sigmoids", [(half, [Fraction(1), Fraction(0)]), (half, [half, half])])
    (Fraction(3, 4), Fraction(1, 4))
    """
    at_least_0, at_most_1 = RISKS[risk]
    if len({len(features) for _, features in labels}) != 1:
        raise RejectedError("every label needs the same number of features")
    for _, features in labels:
        for x in features:
            if (at_least_0 and not certainly_at_least(x, Fraction(0))) or (
                at_most_1 and not certainly_at_least(times(-_ONE, x), -_ONE)
            ):
                raise RejectedError(f"a feature is not certainly in the range of the risk {risk}")
            if risk == "chances" and not (isinstance(x, Fraction) and x.denominator == 1):
                raise RejectedError("a feature of the risk chances is not an integer")
    columns = zip(*(features for _, features in labels), strict=True)
    return tuple(total(times(p, x) for (p, _), x in zip(labels, column, strict=True)) for column in columns)


def best_orders(found: Sequence[Real], m: int) -> tuple[Order, ...]:
    """The orders of m items of least sum_kl F_kl 1(l above k), for the risk "soft-pairs".

    Raises
    ------
    RejectedError
        If F is not one rational for each k != l, or there are more than `MOST_ORDERS` orders.

    Examples
    --------
    >>> best_orders([Fraction(1, 3), Fraction(2, 3)], 2)
    ((1, 0),)
    """
    exact = [x for x in found if isinstance(x, Fraction)]
    if len(exact) != len(found) or len(found) != m * (m - 1) or factorial(m) > MOST_ORDERS:
        raise RejectedError(
            "the risk soft-pairs needs one rational for each two different items, of at most 7"
        )
    costs = dict(zip(permutations(range(m), 2), exact, strict=True))
    by_order = {order: cost(costs, order) for order in permutations(range(m))}
    least = min(by_order.values())
    return tuple(order for order, x in by_order.items() if x == least)
