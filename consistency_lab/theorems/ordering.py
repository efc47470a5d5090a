"""Surrogates whose minimizer orders the items by their net preferences N_i = sum_j d_ij."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from consistency_lab.model.surrogates import LinearSurrogate, RegressionSurrogate, Surrogate
from consistency_lab.phi import Expression
from consistency_lab.theorems.base import Hypothesis, SurrogateHypothesis
from consistency_lab.theorems.regularizer import coercive, differentiable, strictly_convex


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
    checked = []
    for hypothesis in _BY_FAMILY.get(type(surrogate), ()):
        how = hypothesis.check(surrogate)
        if how is None:
            return None
        checked.append((hypothesis.statement, how))
    return tuple(checked) or None
