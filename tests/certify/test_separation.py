"""Weak duality: at no point of a half-space is W below a dual bound for it; and gaps that floats propose."""

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consistency_lab.certify import separation
from consistency_lab.certify.separation import Dual, boundary_minimizer, dual_slopes, exact_dual, proposed_gap
from consistency_lab.certify.witness import certify
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import Term, pair, surrogate
from consistency_lab.numbers.exact import Ball, LogRational, enclose
from consistency_lab.numbers.phi import enclose_value, parse
from consistency_lab.solve.stationary import argument

LOSSES = ("logistic", "squared-hinge", "hinge")
weights = st.lists(st.integers(1, 9), min_size=6, max_size=6)
quarters = st.integers(-12, 12).map(lambda n: LogRational(Fraction(n, 4)))
scores = st.lists(quarters, min_size=3, max_size=3)


def risk(terms: tuple[Term, ...], alpha: list[LogRational]) -> Ball:
    total = enclose(0)
    for term in terms:
        total += enclose(term.c) * enclose_value(term.phi, argument(term, alpha))
    return total


@pytest.mark.parametrize("name", LOSSES)
@settings(max_examples=15)
@given(entries=weights, alpha=scores)
def test_a_dual_point_bounds_the_risk_from_below(
    name: str, entries: list[int], alpha: list[LogRational]
) -> None:
    """The minimum on the boundary bounds W on the half-space whose multiplier is not negative."""
    a = [[0, *entries[:2]], [entries[2], 0, entries[3]], [*entries[4:], 0]]
    terms = surrogate(name).risk_terms(Distribution.from_aggregate(a))
    boundary = boundary_minimizer(terms, 3, (0, 1))
    dual = exact_dual(terms, 3, boundary, (0, 1)) or dual_slopes(terms, 3, boundary, (0, 1), 5)
    reverse = exact_dual(terms, 3, boundary, (1, 0)) or dual_slopes(terms, 3, boundary, (1, 0), 5)
    found = [(w, d) for w, d in (((0, 1), dual), ((1, 0), reverse)) if d is not None]
    assert found  # one of the two half-spaces has its minimum on the boundary
    for (i, j), point in found:
        assert point.multiplier >= 0
        flow = [Fraction(0)] * 3
        for term, slope in zip(terms, point.slopes, strict=True):
            for item, n in term.v:
                flow[item] += term.c * n * slope
        assert flow == [point.multiplier * ((k == i) - (k == j)) for k in range(3)]
        inside = alpha if not alpha[i] < alpha[j] else [alpha[1], alpha[0], alpha[2]]
        bottom = risk(terms, [LogRational(Fraction(x).limit_denominator(10**9)) for x in boundary.floats])
        assert float(risk(terms, inside)) >= float(bottom) - 1e-6


# --- The gap that floats propose: with it, without it or with a wrong one, the same certificate comes out ---

AGGREGATES = [
    [[0, 1, 6], [0, 0, 2], [3, 0, 0]],
    [[0, 5, 7], [2, 0, 3], [1, 1, 0]],
    [[0, 8, 0], [0, 0, 2], [2, 0, 0]],
    [[0, 908, 944, 461], [631, 0, 310, 752], [620, 263, 0, 684], [209, 777, 756, 0]],
]
WRONG: list[Callable[..., Decimal | None]] = [lambda *_: None, lambda *_: Decimal(1)]


def test_a_gap_by_hand() -> None:
    """W = 3 exp(-x) + exp(x) is at least 4 where item 1 is not above; at x = 1/2 it is 3.468..."""
    phi, zero = parse("exp(-x)"), Fraction(0)
    terms = [pair(Fraction(3), phi, 0, 1), pair(Fraction(1), phi, 1, 0)]
    tied = Dual(Fraction(2), (Fraction(-1),) * 2, ((zero, zero),) * 2)
    scores = [LogRational.parse("1/2"), LogRational(zero)]
    assert proposed_gap(terms, scores, [tied]) == Decimal("0.531686")


@pytest.mark.parametrize("name", ["logistic", "exponential", "hinge", "margin-logistic"])
@pytest.mark.parametrize("a", AGGREGATES)
def test_a_proposal_that_is_missing_or_wrong_changes_nothing(
    name: str, a: list[list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    p = Distribution.from_aggregate(a)
    found = certify(surrogate(name), p)
    for proposal in WRONG:
        monkeypatch.setattr(separation, "proposed_gap", proposal)
        again = certify(surrogate(name), p)
        assert (found is None) == (again is None)
        if found is not None and again is not None:
            assert again.document == found.document
