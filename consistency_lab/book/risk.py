"""The conditional risk W at exact scores: its value where that is rational, and always an enclosure."""

from collections.abc import Sequence
from fractions import Fraction

from consistency_lab.exact import Ball, LogRational, enclose
from consistency_lab.model.surrogates import Term
from consistency_lab.phi import enclose_value, exact_value
from consistency_lab.solve.stationary import argument, stationary_slopes

Scores = Sequence[LogRational]


def rational_scores(values: Sequence[Fraction | int]) -> tuple[LogRational, ...]:
    """Rational numbers as scores."""
    return tuple(LogRational(Fraction(value)) for value in values)


def enclosed_risk(terms: Sequence[Term], scores: Scores) -> Ball:
    """A ball that contains W(alpha) = sum_t c_t phi_t(<v_t, alpha> - b_t)."""
    values = (enclose(term.c) * enclose_value(term.phi, argument(term, scores)) for term in terms)
    return sum(values, enclose(0))


def exact_risk(terms: Sequence[Term], scores: Scores) -> Fraction | None:
    """W(alpha) itself, or None if one of its terms is not known to be rational.

    Examples
    --------
    >>> from consistency_lab.model.surrogates import pair
    >>> from consistency_lab.phi import parse
    >>> exact_risk([pair(Fraction(3), parse("max(0,1-x)"), 0, 1)], rational_scores([0, 1]))
    Fraction(6, 1)
    """
    total = Fraction(0)
    for term in terms:
        value = exact_value(term.phi, argument(term, scores))
        rational = None if value is None else value.as_rational()
        if rational is None:
            return None
        total += term.c * rational
    return total


def least_risk(terms: Sequence[Term], m: int, scores: Scores) -> Fraction | None:
    """W*, if the scores are proved to attain it: zero is a subgradient there, and the terms are convex.

    Examples
    --------
    >>> from consistency_lab.model.surrogates import pair
    >>> from consistency_lab.phi import parse
    >>> least_risk([pair(Fraction(3), parse("max(0,1-x)"), 0, 1)], 2, rational_scores([1, 0]))
    Fraction(0, 1)
    """
    return exact_risk(terms, scores) if stationary_slopes(terms, m, scores) is not None else None
