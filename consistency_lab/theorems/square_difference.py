r"""The square loss on the difference graph is consistent where the differences are additive.

It is not nonincreasing, so DMJ13 §5.3 does not cover it, and it does fail with four items, even for low noise
(d = 9, 15, 72, 6, 7, 1 on 12, 13, 14, 23, 24, 34). But additive differences d_ij = y_i - y_j give it no room.

The proof. Let phi(x) = a x^2 + b x + c with a > 0 > b; by scaling scores and risk, phi(x) = (1 - x)^2. If all
y_i are equal, W is constant and A(p) holds all scores. Otherwise W is strictly convex and coercive up to
shifts, as every item has an edge to or from the items of another value, and its minimizer alpha satisfies

    sum_j |y_i - y_j| (alpha_i - alpha_j) = sum_j (y_i - y_j)    for every i.

That is alpha_i = u(y_i) / v(y_i) with the functions u(y) = sum_j (y - y_j) + sum_j |y - y_j| alpha_j and
v(y) = sum_j |y - y_j| > 0. Both are linear between neighboring values, so K = u' v - u v' is constant there.
At a value y_i that k items share, u' jumps by 2 k alpha_i and v' by 2 k, so K jumps by
2 k (alpha_i v(y_i) - u(y_i)) = 0: it is one constant. Above all values K = m sum_j (y_j - mean) alpha_j,
which by the equations is the sum over pairs of |y_i - y_j| (alpha_i - alpha_j)^2, so K > 0. Hence
(u/v)' = K/v^2 > 0: the scores increase strictly with y, and alpha lies inside A(p). As W is coercive up to
shifts and has no other minimizer up to shifts, its infimum outside A(p) is above W*(p).
"""

from typing import Final

from consistency_lab.model.surrogates import DifferenceSurrogate, Surrogate
from consistency_lab.phi import PiecewisePolynomial
from consistency_lab.theorems.base import Hypothesis, Theorem


def _falling_parabola(surrogate: Surrogate) -> str | None:
    form = PiecewisePolynomial.of(surrogate.functions[0])
    if form is None or len(form.pieces) != 1 or len(form.pieces[0]) != 3:
        return None
    _, slope, curvature = form.pieces[0]
    return f"a = {curvature}, b = {slope}" if curvature > 0 > slope else None


SQUARE_ON_ADDITIVE: Final = Theorem(
    name="Square loss on additive differences",
    statement=(
        r"If \(d_{ij} = y_i - y_j\), then \(\sum_{i,j} [d_{ij}]_+ \phi(\alpha_i - \alpha_j)\) is consistent"
        r" for pairwise disagreement when \(\phi(x) = a x^2 + b x + c\) with \(a > 0 > b\)."
    ),
    citation="consistency_lab, theorems/square_difference.py (with proof)",
    family=DifferenceSurrogate,
    condition="additive",
    hypotheses=(Hypothesis(r"\(\phi(x) = a x^2 + b x + c\) with \(a > 0 > b\)", _falling_parabola),),
)
