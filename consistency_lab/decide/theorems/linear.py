"""Surrogates whose minimizer orders the items by net preferences (DMJ10 Theorem 13, RAT13 Theorem 6)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from math import inf
from types import MappingProxyType
from typing import Final

from consistency_lab.decide.theorems.base import (
    CLASSIFYING,
    PIECES,
    SUM,
    Hypothesis,
    Theorem,
    differentiable,
    phi_of,
    plain,
)
from consistency_lab.frozen import frozen
from consistency_lab.model.surrogates import EdgeSurrogate, LinearSurrogate, RegressionSurrogate, Surrogate
from consistency_lab.numbers.exact import LogRational, certainly_positive
from consistency_lab.numbers.phi import (
    Expression,
    PiecewisePolynomial,
    enclose_value,
    facts,
    is_line_plus_even,
)

# --- What DMJ10 asks of the regularizer r of the value-regularized linear loss, and how it is proved -----
# The paper asks for strict convexity and 1-coercivity. Its proof also uses that the inverse of r' is strictly
# increasing, which fails where r has a kink: with r(x) = x^2/2 + |x| and nu = 1 two items with d_12 = 1/2
# both get the score 0. So r has to be differentiable as well, and that is checked too.
#
# Each function returns how the property was proved, or None.


def strictly_convex(r: Expression) -> str | None:
    """Whether r is strictly convex."""
    form = PiecewisePolynomial.of(r)
    if form is not None:
        # A convex polynomial of degree 2 or more has a second derivative with isolated zeros only.
        curved = form.is_convex() and all(len(piece) > 2 for piece in form.pieces)
        return PIECES if curved else None
    if r.op == "add":
        left, right = r.args
        for f, g in ((left, right), (right, left)):
            if strictly_convex(f) is not None and facts(g).convex:
                return SUM
    if facts(r).convex and _analytic(r):
        low, middle, high = (enclose_value(r, LogRational.parse(x)) for x in (-1, 0, 1))
        if certainly_positive(low + high - 2 * middle):
            return "it is analytic, convex and below its chord over [-1, 1]"
    return None


def coercive(r: Expression) -> str | None:
    r"""Whether r is 1-coercive: \(r(x)/|x| \to \infty\) as \(|x| \to \infty\)."""
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


# --- Surrogates whose minimizer orders the items by their net preferences N_i = sum_j d_ij ---------------
# Some do at every p, others where all pairs are compared equally often (docs/theory.md, Balanced counts).


def _of_regularizer(
    proof: Callable[[Expression], str | None],
) -> Callable[[LinearSurrogate, None], str | None]:
    def check(surrogate: LinearSurrogate, target: None) -> str | None:
        how = proof(surrogate.r)
        return None if how is None else f"r(x) = {surrogate.functions[-1]}: {how}"

    return check


LINEAR: Final = (
    Hypothesis(
        r"\(\nu > 0\)", lambda surrogate, target: f"nu = {surrogate.nu}" if surrogate.nu > 0 else None
    ),
    Hypothesis("r is strictly convex", _of_regularizer(strictly_convex)),
    Hypothesis("r is 1-coercive", _of_regularizer(coercive)),
    Hypothesis("r is differentiable (used, but not stated, in the paper)", _of_regularizer(differentiable)),
)
r"""Then Eq. 15 of DMJ10, \(\alpha_i = (r')^{-1}(N_i / \nu)\), puts the items in the order of N."""

REGRESSION: Final = (
    plain(r"the score is \(f_i(G) = \sum_j (a^G_{ij} - a^G_{ji})\)", "by its form", lambda loss, _: True),
)
"""Then the minimizer is alpha = E f(G) = N itself (RAT13 Theorem 6)."""

_ALWAYS: Final[Mapping[type[Surrogate], tuple[str, tuple[Hypothesis, ...]]]] = MappingProxyType(
    {LinearSurrogate: ("DMJ10 Eq. 15", LINEAR), RegressionSurrogate: ("RAT13 Theorem 6", REGRESSION)}
)

OWN_WEIGHTS: Final = plain(
    "each edge counts with its weight", "h(a) = a", lambda loss, _: bool(loss.of_aggregate)
)
LINE_PLUS_EVEN: Final = plain(
    r"\(\phi'(x) + \phi'(-x)\) is constant",
    "phi is a line plus an even function",
    lambda loss, target: (phi := phi_of(loss, target)) is not None and is_line_plus_even(phi),
)
BALANCED: Final = (OWN_WEIGHTS, *CLASSIFYING, LINE_PLUS_EVEN)
r"""Then an edge loss is ordered by N where \(a_{ij} + a_{ji}\) is the same for all pairs: Borda's count."""

_BORDA: Final = "Borda's count for balanced comparisons (docs/theory.md, Balanced counts)"


@frozen
class NetOrder:
    """The orders that a surrogate has near the infimum of W: all that sort by N, ties broken in any way."""

    levels: tuple[tuple[int, ...], ...]  #: The items by falling N, equal ones together.
    theorem: str  #: The theorem that proves it.


def net_order(surrogate: Surrogate, a: Sequence[Sequence[Fraction | int]]) -> NetOrder | None:
    """The order of a surrogate near the infimum of W at an aggregate, in O(m^2) additions."""
    if ordered_by_net(surrogate) is not None:
        theorem = _ALWAYS[type(surrogate)][0]
    elif type(surrogate) is EdgeSurrogate and _is_balanced(a) and _checked(surrogate, BALANCED) is not None:
        theorem = _BORDA
    else:
        return None
    levels: dict[Fraction | int, list[int]] = {}
    for item, (won, lost) in enumerate(zip(a, zip(*a, strict=True), strict=True)):
        levels.setdefault(sum(won) - sum(lost), []).append(item)
    return NetOrder(tuple(tuple(levels[net]) for net in sorted(levels, reverse=True)), theorem)


def _is_balanced(a: Sequence[Sequence[Fraction | int]]) -> bool:
    """Whether all pairs are compared, and equally often."""
    counts = (a[i][j] + a[j][i] for i, j in combinations(range(len(a)), 2))
    first = next(counts, 0)
    return first != 0 and all(n == first for n in counts)


def ordered_by_net(surrogate: Surrogate) -> tuple[tuple[str, str], ...] | None:
    """The checked hypotheses under which alpha_i > alpha_k at the minimizer if and only if N_i > N_k."""
    return _checked(surrogate, _ALWAYS.get(type(surrogate), ("", ()))[1])


def _checked(surrogate: Surrogate, hypotheses: Sequence[Hypothesis]) -> tuple[tuple[str, str], ...] | None:
    checked = [(h.statement, h.check(surrogate, None)) for h in hypotheses]
    proved = tuple((statement, how) for statement, how in checked if how is not None)
    return proved if proved and len(proved) == len(checked) else None


# --- DMJ10 Theorem 13, Lemma 14 and Corollary 15: the value-regularized linear loss ----------------------

THEOREM_13: Final = Theorem(
    name="DMJ10 Theorem 13",
    statement="theorem-13",
    citation="DMJ10 Theorem 13 (with Eq. 15 and 16)",
    families=(LinearSurrogate,),
    conditions=("net-order",),
    hypotheses=LINEAR,
)

COROLLARY_15: Final = replace(
    THEOREM_13,
    name="DMJ10 Corollary 15",
    statement="corollary-15",
    citation="DMJ10 Corollary 15 (Theorem 13 with Lemma 14)",
    conditions=("low-noise",),
)


# --- RAT13 Theorem 6: least squares on a score of the preference graph -----------------------------------

THEOREM_6: Final = Theorem(
    name="RAT13 Theorem 6",
    statement="rat13-theorem-6",
    citation="RAT13 Theorem 6",
    families=(RegressionSurrogate,),
    conditions=("net-order",),
    hypotheses=REGRESSION,
)
