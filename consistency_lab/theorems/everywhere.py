"""Edge and difference losses that are right at every p: of two items, and those that stand in for the target.

See docs/theory.md, Two items, and Bounded stand-ins, for the statements and their proofs.
"""

from typing import Final

from consistency_lab.model.surrogates import DifferenceSurrogate, EdgeSurrogate, Surrogate
from consistency_lab.phi import PiecewisePolynomial
from consistency_lab.theorems.base import Hypothesis, Theorem
from consistency_lab.theorems.difference import HAS_NEGATIVE_SLOPE, IS_CONVEX
from consistency_lab.theorems.linear import OWN_WEIGHTS

_SUMS: Final = (
    (EdgeSurrogate, r"\(\sum_{i,j} a_{ij} \phi(\alpha_i - \alpha_j)\)", (OWN_WEIGHTS,)),
    (DifferenceSurrogate, r"\(\sum_{i,j} [d_{ij}]_+ \phi(\alpha_i - \alpha_j)\)", ()),
)
_PIECES: Final = "decided on its polynomial pieces: it is nonincreasing, and constant up to 0 and far out"


def _stands_in(surrogate: Surrogate) -> str | None:
    """How it is seen that phi falls from all of its height at 0, or is that of a random order."""
    phi = surrogate.functions[0]
    form = PiecewisePolynomial.of(phi)
    if form is not None:
        high, low = form.pieces[0], form.pieces[-1]
        falls = high != low and max(len(high), len(low)) <= 1 and form.breakpoints[0] >= 0
        return _PIECES if falls and form.is_nonincreasing() else None
    if phi.op != "divide" or phi.args[1].op != "add" or not (phi.args[0].value or 0) > 0:
        return None
    one, power = sorted(phi.args[1].args, key=lambda part: part.op == "exp")
    inner = PiecewisePolynomial.of(power.args[0]) if power.op == "exp" else None
    if one.value != 1 or inner is None or len(inner.pieces) != 1:
        return None
    line = inner.pieces[0]
    return "by its form c/(1 + exp(k x))" if len(line) == 2 and line[0] == 0 < line[1] else None


_STANDS_IN: Final = Hypothesis(
    r"\(\phi(x) = c/(1 + e^{kx})\) with c, k > 0, or \(\phi\) falls from all of its height at 0 or later",
    _stands_in,
)

EVERYWHERE: Final = (
    *(
        Theorem(
            name="Two items",
            statement=(
                rf"If \(m = 2\), then {loss} is consistent at every p when \(\phi\) is convex with"
                r" \(\phi'(0) < 0\)."
            ),
            citation="docs/theory.md, Two items",
            family=family,
            condition="any",
            hypotheses=(*own, IS_CONVEX, HAS_NEGATIVE_SLOPE),
            scope="m = 2",
            items=(2,),
        )
        for family, loss, own in _SUMS
    ),
    *(
        Theorem(
            name="Bounded stand-ins",
            statement=f"{loss} is consistent at every p when phi stands in for the target.",
            citation="docs/theory.md, Bounded stand-ins",
            family=family,
            condition="any",
            hypotheses=(*own, _STANDS_IN),
        )
        for family, loss, own in _SUMS
    ),
)
