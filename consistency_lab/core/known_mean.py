r"""Risks whose minimizer is known from the mean F = sum_y p_y f(y) of numbers f(y) that each label states.

| risk | psi(y, u) | f | near the infimum |
|---|---|---|---|
| squares | sum_k (u_k - f_k)^2 | any | u = F |
| pair-squares | sum_{k<l} ((u_k - u_l) - (f_k - f_l))^2 | any | u = F + constant |
| softmax | -sum_k f_k u_k + (sum_k f_k) log sum_k exp u_k | f >= 0 | exp u proportional to F |
| sigmoids | sum_k log(1 + exp u_k) - f_k u_k | 0 <= f <= 1 | u_k = log(F_k / (1 - F_k)) |
| signed | sum_k f_k phi(u_k) + (1 - f_k) phi(-u_k), phi = (1-x)^2 or max(0,1-x)^2 | 0 <= f <= 1 | u = 2F-1 |
| chances | sum_kn log(1 + exp v_kn) - 1(f_k >= n) v_kn, u_k = sum_n 1/(1 + exp(-v_kn)) | whole >= 0 | u = F |

In each row the scores increase strictly with F, coordinate by coordinate, so that sorting them sorts F;
"squares" may also be decoded by cells in u = F. Where F_k is 0 or 1 the scores of "softmax" and "sigmoids"
run to infinity, in the order of F all the same.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from consistency_lab.core.reals import Real, certainly_at_least, times, total
from consistency_lab.errors import RejectedError

_ONE: Final = Fraction(1)

RISKS: Final[Mapping[str, tuple[bool, bool]]] = MappingProxyType(
    {
        "squares": (False, False),
        "pair-squares": (False, False),
        "softmax": (True, False),
        "sigmoids": (True, True),
        "signed": (True, True),
        "chances": (True, False),
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
