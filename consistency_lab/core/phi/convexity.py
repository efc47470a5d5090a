"""The proof of convexity that certificates rest on."""

from typing import Final

from consistency_lab.core.phi.expression import Expression
from consistency_lab.core.phi.piecewise import PiecewisePolynomial
from consistency_lab.core.phi.rules import facts

PIECEWISE: Final = "piecewise polynomial"
RULES: Final = "composition rules"


def convexity_proof(e: Expression) -> str | None:
    """How it is proved that the function is finite and convex on the real line; None: it is not proved.

    Returns
    -------
    str or None
        "piecewise polynomial" (second derivatives and kinks decided exactly), "composition rules", or None.

    Examples
    --------
    >>> from consistency_lab.core.phi import parse
    >>> convexity_proof(parse("max(0, 1-x)")), convexity_proof(parse("log(1+exp(-x))"))
    ('piecewise polynomial', 'composition rules')
    >>> convexity_proof(parse("1/(1+exp(x))")) is None
    True
    """
    form = PiecewisePolynomial.of(e)
    if form is not None:
        return PIECEWISE if form.is_convex() else None
    return RULES if facts(e).convex else None
