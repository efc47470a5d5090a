"""Surrogates whose minimizer orders the items by their net preferences N_i = sum_j d_ij.

Some do at every p, others where all pairs are compared equally often (docs/theory.md, Balanced counts).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from types import MappingProxyType
from typing import Final, final

from consistency_lab.model.surrogates import EdgeSurrogate, LinearSurrogate, RegressionSurrogate, Surrogate
from consistency_lab.phi import Expression, is_line_plus_even
from consistency_lab.theorems.base import Hypothesis, SurrogateHypothesis
from consistency_lab.theorems.regularizer import coercive, differentiable, strictly_convex
from consistency_lab.theorems.scalar import HAS_NEGATIVE_SLOPE, IS_BOUNDED_BELOW, IS_CONVEX


def _of_regularizer(proof: Callable[[Expression], str | None]) -> Callable[[Surrogate], str | None]:
    def check(surrogate: Surrogate) -> str | None:
        how = proof(surrogate.r) if type(surrogate) is LinearSurrogate else None
        return None if how is None else f"r(x) = {surrogate.functions[-1]}: {how}"

    return check


def _positive_weight(surrogate: Surrogate) -> str | None:
    if type(surrogate) is LinearSurrogate and surrogate.nu > 0:
        return f"nu = {surrogate.nu}"
    return None


def _net_score(surrogate: Surrogate) -> str | None:
    return "by its form" if type(surrogate) is RegressionSurrogate else None


LINEAR: Final = (
    Hypothesis(r"\(\nu > 0\)", _positive_weight),
    Hypothesis("r is strictly convex", _of_regularizer(strictly_convex)),
    Hypothesis("r is 1-coercive", _of_regularizer(coercive)),
    Hypothesis("r is differentiable (used, but not stated, in the paper)", _of_regularizer(differentiable)),
)
r"""Then Eq. 15 of DMJ10, \(\alpha_i = (r')^{-1}(N_i / \nu)\), puts the items in the order of N."""

REGRESSION: Final = (Hypothesis(r"the score is \(f_i(G) = \sum_j (a^G_{ij} - a^G_{ji})\)", _net_score),)
"""Then the minimizer is alpha = E f(G) = N itself (RAT13 Theorem 6)."""

_BY_FAMILY: Final[Mapping[type[Surrogate], tuple[SurrogateHypothesis, ...]]] = MappingProxyType(
    {LinearSurrogate: LINEAR, RegressionSurrogate: REGRESSION}
)


def _of_phi(proof: Callable[[Expression], str | None]) -> Callable[[Surrogate], str | None]:
    return lambda surrogate: proof(surrogate.phi) if type(surrogate) is EdgeSurrogate else None


def _line_plus_even(phi: Expression) -> str | None:
    return "phi is a line plus an even function" if is_line_plus_even(phi) else None


def _own_weights(surrogate: Surrogate) -> str | None:
    return "h(a) = a" if type(surrogate) is EdgeSurrogate and surrogate.of_aggregate else None


OWN_WEIGHTS: Final[SurrogateHypothesis] = Hypothesis("edges count by their weights", _own_weights)

BALANCED: Final[tuple[SurrogateHypothesis, ...]] = (
    OWN_WEIGHTS,
    IS_CONVEX,
    IS_BOUNDED_BELOW,
    HAS_NEGATIVE_SLOPE,
    Hypothesis("phi is differentiable", _of_phi(differentiable)),
    Hypothesis(r"\(\phi'(x) + \phi'(-x)\) is constant", _of_phi(_line_plus_even)),
)
r"""Then an edge loss is ordered by N where \(a_{ij} + a_{ji}\) is the same for all pairs: Borda's count."""

_ALWAYS: Final[Mapping[type[Surrogate], str]] = MappingProxyType(
    {LinearSurrogate: "DMJ10 Eq. 15", RegressionSurrogate: "RAT13 Theorem 6"}
)
_BORDA: Final = "Borda's count for balanced comparisons (docs/theory.md, Balanced counts)"


@final
@dataclass(frozen=True, slots=True)
class NetOrder:
    """The orders that a surrogate has near the infimum of W: all that sort by N, ties broken in any way.

    Parameters
    ----------
    levels
        The items by falling N, equal ones together.
    theorem
        What says so.
    """

    levels: tuple[tuple[int, ...], ...]
    theorem: str


def net_order(surrogate: Surrogate, a: Sequence[Sequence[Fraction]]) -> NetOrder | None:
    """The order of a surrogate near the infimum of W at an aggregate, in O(m^2) additions.

    Parameters
    ----------
    surrogate
        The surrogate.
    a
        The aggregate; whole numbers of votes do as well as shares.

    Returns
    -------
    NetOrder or None
        None if no theorem tells it.

    Examples
    --------
    Three voters rank three items; least squares on the edges and the logistic loss go by wins:

    >>> from consistency_lab.model.surrogates import surrogate
    >>> a = [[Fraction(x) for x in row] for row in ([0, 2, 1], [1, 0, 3], [2, 0, 0])]
    >>> net_order(surrogate("logistic"), a).levels, net_order(surrogate("square"), a).levels
    (((1,), (0,), (2,)), ((1,), (0,), (2,)))
    >>> net_order(surrogate("exponential"), a) is None
    True
    """
    if ordered_by_net(surrogate) is not None:
        theorem = _ALWAYS[type(surrogate)]
    elif type(surrogate) is EdgeSurrogate and _is_balanced(a) and _checked(surrogate, BALANCED) is not None:
        theorem = _BORDA
    else:
        return None
    wins = [sum(row, Fraction(0)) for row in a]
    losses = [sum(column, Fraction(0)) for column in zip(*a, strict=True)]
    levels: dict[Fraction, list[int]] = {}
    for item, net in enumerate(won - lost for won, lost in zip(wins, losses, strict=True)):
        levels.setdefault(net, []).append(item)
    return NetOrder(tuple(tuple(levels[net]) for net in sorted(levels, reverse=True)), theorem)


def _is_balanced(a: Sequence[Sequence[Fraction]]) -> bool:
    """Whether all pairs are compared, and equally often."""
    counts = {a[i][j] + a[j][i] for i, j in combinations(range(len(a)), 2)}
    return len(counts) == 1 and 0 not in counts


def ordered_by_net(surrogate: Surrogate) -> tuple[tuple[str, str], ...] | None:
    """The checked hypotheses under which alpha_i > alpha_k at the minimizer if and only if N_i > N_k.

    Returns
    -------
    tuple or None
        Pairs (hypothesis, how it was checked); None if this is not proved of the surrogate.

    Examples
    --------
    >>> ordered_by_net(RegressionSurrogate("regression"))[0][1]
    'by its form'
    """
    return _checked(surrogate, _BY_FAMILY.get(type(surrogate), ()))


def _checked(
    surrogate: Surrogate, hypotheses: Sequence[SurrogateHypothesis]
) -> tuple[tuple[str, str], ...] | None:
    checked = []
    for hypothesis in hypotheses:
        how = hypothesis.check(surrogate)
        if how is None:
            return None
        checked.append((hypothesis.statement, how))
    return tuple(checked) or None
