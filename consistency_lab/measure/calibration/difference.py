r"""Losses on the difference graph: H(eps) = (phi(0) - inf phi) eps.

Let phi be nonincreasing and bounded below with phi(0) > inf phi, and let the difference graph be acyclic.
By the proof of DMJ13 §5.3 (`theorems.dmj13_difference`), W* = sum d_ij inf phi, each edge costs at least
d_ij inf phi, and an edge that is the wrong way round, or tied, costs at least d_ij phi(0). The regret is
the sum of the wrong d_ij, so

    W(alpha) - W* >= (phi(0) - inf phi) * regret.

Equality is approached for every m under every condition inside "acyclic": take d_1j = eps for all j > 1 and
d_ij = 0 else, which is additive with y = (eps, 0, ..., 0); tie 1 and 2, the wrong way round by the tie
rule, and let the other scores fall to minus infinity. The regret is eps and the excess tends to
(phi(0) - inf phi) eps. For conditions larger than additive the edge 1 → 2 alone does it.
"""

from fractions import Fraction
from typing import Final

from consistency_lab.exact import Ball, LogRational, certainly_less, working_precision
from consistency_lab.measure.calibration.result import BRACKET, CLOSED_FORM, Attained, Calibration, Law
from consistency_lab.model.conditions import implies
from consistency_lab.model.limits import towards
from consistency_lab.model.surrogates import DifferenceSurrogate, Surrogate
from consistency_lab.phi import Expression, PiecewisePolynomial, enclose_value, exact_value, facts
from consistency_lab.theorems.base import Evidence
from consistency_lab.theorems.dmj13_difference import MONOTONE_DIFFERENCE

_ORIGIN: Final = LogRational(Fraction(0))
_FAR: Final = LogRational(Fraction(64))
_BITS: Final = 256
_DIGITS: Final = 9
_LIMIT: Final = "the other scores fall to minus infinity, so that phi tends to its infimum on their edges"


def has_linear_law(surrogate: Surrogate, condition: str, m: int) -> bool:
    """Whether the hypotheses of the closed form are proved.

    Examples
    --------
    >>> from consistency_lab.model.surrogates import surrogate
    >>> has_linear_law(surrogate("difference-logistic"), "acyclic", 3)
    True
    >>> has_linear_law(surrogate("difference-square"), "acyclic", 3)  # not nonincreasing
    False
    """
    if type(surrogate) is not DifferenceSurrogate or not (m == 2 or implies(condition, "acyclic")):
        return False
    return isinstance(MONOTONE_DIFFERENCE.applies(surrogate, "acyclic"), Evidence)


def linear_calibration(surrogate: Surrogate, condition: str, m: int) -> Calibration:
    """H for a surrogate that `has_linear_law`.

    Examples
    --------
    >>> from consistency_lab.model.surrogates import surrogate
    >>> str(linear_calibration(surrogate("difference-logistic"), "acyclic", 3).law.c)
    'log(2)'
    """
    law = drop(surrogate.functions[0])
    others = range(2, m) if condition == "additive" else range(0)
    below = {1, *others}
    d = tuple(
        tuple(Fraction((i == 0 and k in below) - (k == 0 and i in below)) for k in range(m)) for i in range(m)
    )
    at = Attained(d, None, (1, 0, *range(2, m)), _LIMIT)
    kind = BRACKET if law.c is None else CLOSED_FORM
    return Calibration(surrogate, condition, m, kind, Law(1, law.lower, law.upper, law.c, at))


def drop(phi: Expression) -> Law:
    """phi(0) - inf phi of a nonincreasing function that is bounded below: the constant, and rational bounds.

    Examples
    --------
    >>> from consistency_lab.phi import parse
    >>> drop(parse("max(0, 1-x)**2")).c
    Fraction(1, 1)
    """
    start, least = exact_value(phi, _ORIGIN), _infimum(phi)
    c = None if start is None or least is None else start - LogRational(least)
    with working_precision(_BITS):
        at_zero = enclose_value(phi, _ORIGIN)
        lower = _rounded(at_zero - enclose_value(phi, _FAR), down=True)
        bound = least if least is not None else facts(phi).lower
        upper = None if bound is None else _rounded(at_zero - LogRational(bound).ball(), down=False)
    exact = None if c is None else c.as_rational()
    if exact is not None:
        return Law(1, exact, exact, exact, None)
    return Law(1, max(lower, Fraction(0)), upper, c, None)


def _infimum(phi: Expression) -> Fraction | None:
    """inf phi = lim phi(x) as x grows, where a lower bound that is proved is also the limit."""
    form = PiecewisePolynomial.of(phi)
    if form is not None:
        return form.infimum()
    proved, limit = facts(phi).lower, towards(phi, 1).value
    if proved is None or limit is None or not limit.finite:
        return None
    return proved if limit.text == str(proved) else None


def _rounded(value: Ball, *, down: bool) -> Fraction:
    """A decimal on the outer side of a ball."""
    scale = 10**_DIGITS
    guess = Fraction(round(float(value.mid()) * scale), scale)
    while not certainly_less(
        LogRational(guess).ball() if down else value, value if down else LogRational(guess).ball()
    ):
        guess += Fraction(-1 if down else 1, scale)
    return guess
