"""A proved lower bound on W* at one distribution, by weak duality (docs/theory.md, Separation)."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

import numpy as np

from consistency_lab.certify.separation import Boundary, dual_slopes
from consistency_lab.exact import Ball, LogRational, enclose
from consistency_lab.model.surrogates import Term
from consistency_lab.phi import enclose_slopes, enclose_value, facts
from consistency_lab.solve.minimize import minimize

_DIGITS: Final = (8, 6, 4)


def least_risk_bound(terms: Sequence[Term], m: int) -> Ball | None:
    """A ball of which the lower end is at most W*; None if no dual point was found.

    Examples
    --------
    >>> from consistency_lab.model.surrogates import pair
    >>> from consistency_lab.phi import parse
    >>> phi = parse("log(1+exp(-x))")
    >>> bound = least_risk_bound([pair(Fraction(1), phi, 0, 1), pair(Fraction(1), phi, 1, 0)], 2)
    >>> bool(bound.lower() <= 2 * np.log(2)) and bool(bound > 1.38629)
    True
    """
    # Two more items that nothing ranks: a multiplier of their half-space can only be 0, so the bound holds
    # everywhere.
    floats = np.append(minimize(terms, m, exact=False).scores, [0.0, 0.0])
    for digits in _DIGITS:
        dual = dual_slopes(terms, m + 2, Boundary(floats, None), (m, m + 1), digits)
        if dual is None:
            continue
        total = enclose(0)
        for term, slope, bracket in zip(terms, dual.slopes, dual.brackets, strict=True):
            total -= enclose(term.c) * (enclose(slope) * term.b.ball() + _conjugate(term, slope, bracket))
        return total
    return None


def _conjugate(term: Term, slope: Fraction, bracket: tuple[Fraction, Fraction] | None) -> Ball:
    """An upper bound on phi*(s): two tangents meet above it (docs/theory.md, Separation)."""
    if bracket is None:
        lower = facts(term.phi).lower
        assert slope == 0 and lower is not None
        return enclose(-lower)
    left, right = bracket
    start = LogRational(left)
    rise = enclose(slope) - enclose_slopes(term.phi, start)[1] if left < right else enclose(0)
    return enclose(slope) * enclose(left) - enclose_value(term.phi, start) + rise * enclose(right - left)
