"""Edge losses under designs of comparison: where an order of all pairs is dominated, or each pair is right alone.

W(alpha) = sum of a_ij phi(alpha_i - alpha_j), n_ij = a_ij + a_ji, P_ij = a_ij/n_ij where n_ij > 0, phi
*regular*: convex, differentiable, bounded below, phi'(0) < 0. Put u(x) = -phi'(x) - phi'(-x).

See docs/theory.md, Designs, for the statements and their proofs.
"""

from fractions import Fraction
from itertools import pairwise
from typing import Final

from consistency_lab.core.phi.reflection import odd_slope, odds_rate
from consistency_lab.core.phi.shape import (
    beside,
    is_nonnegative,
    pieces_of,
    polynomial,
    sign,
    sign_changes,
    value,
)
from consistency_lab.model.surrogates import EdgeSurrogate
from consistency_lab.phi import Expression
from consistency_lab.theorems.base import CLASSIFYING, IS_NONINCREASING, Hypothesis, Theorem
from consistency_lab.theorems.linear import OWN_WEIGHTS

_REGULAR: Final = (OWN_WEIGHTS, *CLASSIFYING)


def _u_is_nonnegative(loss: EdgeSurrogate, target: None) -> str | None:
    falls = IS_NONINCREASING.check(loss, target)
    if falls is not None:
        return f"phi is nonincreasing, {falls}"
    slope = odd_slope(loss.phi)
    return None if slope is None or slope > 0 else f"u(x) = {-slope}"


def _u_is_constant(loss: EdgeSurrogate, target: None) -> str | None:
    slope = odd_slope(loss.phi)
    return None if slope is None or slope >= 0 else f"u(x) = {-slope}"


def _u_is_largest_at_0(loss: EdgeSurrogate, target: None) -> str | None:
    return "decided on its polynomial pieces" if u_is_largest_at_0(loss.phi) else None


def u_is_largest_at_0(phi: Expression) -> bool:
    """Whether u(x) <= u(0) for every x > 0 with phi'(x) < 0: decided for convex piecewise polynomials.

    Examples
    --------
    >>> from consistency_lab.phi import parse
    >>> [u_is_largest_at_0(parse(text)) for text in ("max(0,1-x)**2", "max(0,1-x)**3")]
    [True, False]
    """
    f = pieces_of(phi)
    if f is None:
        return False
    u_at_0 = -2 * value(beside(f, _ZERO)[1].derivative(), _ZERO)
    places = sorted({_ZERO, *(abs(high) for _, high, _ in f if high is not None)})
    for low, high in pairwise([*places, None]):
        inside = (low + high) / 2 if high is not None else low + 1
        slope, mirrored = (beside(f, x)[0].derivative() for x in (inside, -inside))
        falling = sign(slope, low, high)
        if falling in {0, 1}:
            return True
        # Where the slope reaches 0 at an irrational place, more is asked for than is needed.
        ends = sign_changes(slope, low, high) if falling is None else None
        until = ends[0] if ends else high
        if not is_nonnegative(polynomial([u_at_0]) + slope + mirrored(polynomial([_ZERO, -_ONE])), low, until):
            return False
    return True


_ZERO: Final = Fraction(0)
_ONE: Final = Fraction(1)


def _has_logistic_link(loss: EdgeSurrogate, target: None) -> str | None:
    rate = odds_rate(loss.phi)
    return None if rate is None or rate <= 0 else f"phi'(-x) = exp({rate} x) phi'(x)"


_U_NONNEGATIVE: Final = Hypothesis(r"\(u(x) = -\phi'(x) - \phi'(-x) \ge 0\)", _u_is_nonnegative)
_U_CONSTANT: Final = Hypothesis(r"\(u(x) = -\phi'(x) - \phi'(-x)\) is constant", _u_is_constant)
_U_LARGEST_AT_0: Final = Hypothesis(
    r"\(u(x) \le u(0)\) for every \(x > 0\) with \(\phi'(x) < 0\)", _u_is_largest_at_0
)
_LOGISTIC_LINK: Final = Hypothesis(
    r"\(\phi'(-x) = e^{kx} \phi'(x)\) for some \(k > 0\)", _has_logistic_link
)


def _theorem(
    name: str,
    statement: str,
    conditions: tuple[str, ...],
    design: str,
    *hypotheses: Hypothesis,
    items: tuple[int, ...] = (),
) -> Theorem:
    return Theorem(
        name=name,
        statement=statement,
        citation=f"docs/theory.md, Designs ({name})",
        families=(EdgeSurrogate,),
        conditions=conditions,
        design=design,
        hypotheses=(*_REGULAR, *hypotheses),
        scope=f"m = {items[0]}" if items else "all m",
        items=items,
    )


DESIGN_THEOREMS: Final = (
    _theorem(
        "Forests",
        "If the compared pairs form no cycle, each pair is minimized alone, and every regular phi is consistent.",
        ("any",),
        "forest",
    ),
    _theorem(
        "Bradley-Terry",
        r"If \(a_{ij}/a_{ji} = s_i/s_j\) and the link of phi is logistic, then \(\alpha_i = \log(s_i)/k\) minimizes"
        " every pair, whatever the counts.",
        ("bradley-terry",),
        "any",
        _LOGISTIC_LINK,
    ),
    _theorem(
        "Product designs",
        r"If P is strongly transitive and \(n_{ij} = w_i w_j\), every pair is dominated by the better of the two.",
        ("strong-stochastic-transitivity", "bradley-terry"),
        "product",
        _U_NONNEGATIVE,
    ),
    _theorem(
        "Three items",
        r"If P is strongly transitive and \(m = 3\), every pair is dominated, whatever the counts.",
        ("strong-stochastic-transitivity", "bradley-terry"),
        "any",
        _U_NONNEGATIVE,
        items=(3,),
    ),
    _theorem(
        "Rows in order",
        r"If all pairs are compared equally often and \(d_{ij} > 0\) implies \(d_{ik} \ge d_{jk}\) for all k, every"
        " pair is dominated.",
        ("row-dominated",),
        "balanced",
        _U_NONNEGATIVE,
    ),
    _theorem(
        "Balanced counts",
        "If all pairs are compared equally often, the order of the scores is that of the net preferences.",
        ("net-order",),
        "balanced",
        _U_CONSTANT,
    ),
    _theorem(
        "Balanced counts of three items",
        r"If \(m = 3\) and all pairs are compared equally often, the net preferences are ordered rightly.",
        ("net-order",),
        "balanced",
        IS_NONINCREASING,
        _U_LARGEST_AT_0,
        items=(3,),
    ),
    _theorem(
        "AUC",
        r"If \(a_{ij} = \mu_i \mu_j \eta_i (1 - \eta_j)\), every pair is dominated, whatever the masses.",
        ("auc",),
        "any",
        IS_NONINCREASING,
    ),
)
"""Statements about a condition and a design; those of all m before those of few."""
