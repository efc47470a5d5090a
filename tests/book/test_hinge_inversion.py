"""Strict inversions of the hinge: never with three items, possible with more."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from consistency_lab.apps.book.risk import counted, score_orders
from consistency_lab.model.conditions import conditions_of
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import surrogate
from consistency_lab.solve.minimize import minimize

WEIGHT = st.integers(0, 5)

LIGHTEST = counted("12:1 13:2 14:8 23:1 24:4 34:3 41:3")
"""Additive; all of it weighs 22 times what the inverted edge does."""

UNIQUE = counted("12:1 13:3 14:13 23:2 24:7 34:5 41:5")
"""Additive, y = (8, 7, 5, 0); here the minimizer is unique up to shifts."""


def _risk(a: list[list[int]], scores: tuple[int, ...]) -> int:
    m = range(len(a))
    return sum(a[i][j] * max(0, 1 - scores[i] + scores[j]) for i in m for j in m)


@given(st.lists(WEIGHT, min_size=6, max_size=6))
def test_three_items_by_looking_at_all_integral_scores(values: list[int]) -> None:
    x12, x13, x21, x23, x31, x32 = values
    a = [[0, x12, x13], [x21, 0, x23], [x31, x32, 0]]
    d = [[Fraction(a[i][j] - a[j][i]) for j in range(3)] for i in range(3)]
    if not conditions_of(d)["acyclic"]:
        return
    risks = {scores: _risk(a, scores) for scores in score_orders(3)}
    least = min(risks.values())
    for scores, risk in risks.items():
        if risk == least:
            assert all(scores[i] >= scores[j] for i in range(3) for j in range(3) if d[i][j] > 0)


def test_the_minimizer_of_four_items_is_the_only_one() -> None:
    p = Distribution.from_aggregate(UNIQUE)
    found = minimize(surrogate("hinge").risk_terms(p), 4)
    assert found.unique
    assert (found.scores - found.scores[3]).tolist() == [1, 2, 1, 0]
    assert conditions_of(p.difference)["additive"]


def test_the_lightest_aggregate_attains_the_bound() -> None:
    p = Distribution.from_aggregate(LIGHTEST)
    assert sum(map(sum, p.aggregate)) == 22 * p.difference[0][1]
