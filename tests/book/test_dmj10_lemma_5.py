"""DMJ10 Lemma 5: one delta for all distributions of a closed class."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consistency_lab.apps.book.book import statement
from consistency_lab.apps.book.risk import rational_scores, regret_and_excess
from consistency_lab.apps.book.statement import Kind, Outcome
from consistency_lab.apps.book.statements import dmj10_limits as lemma
from consistency_lab.model.conditions import condition, net
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import surrogate


def test_it_holds_and_is_called_a_test() -> None:
    checked = statement("lemma-5").check()
    assert (checked.outcome, checked.kind) == (Outcome.HOLDS, Kind.TEST)
    assert len(checked.findings) == 5


@given(y=st.lists(st.integers(0, 6), min_size=3, max_size=3, unique=True))
def test_the_linear_loss_on_additive_differences(y: list[int]) -> None:
    # N_i - N_k = 3 (y_i - y_k), so tying the closest two items costs (3 d_ik)^2 / 4.
    d = [[Fraction(above - below) for below in y] for above in y]
    p = Distribution.from_aggregate([[max(x, Fraction(0)) for x in row] for row in d])
    best = net(d)
    i, k = min(
        ((i, k) for i in range(3) for k in range(3) if d[i][k] > 0), key=lambda pair: d[pair[0]][pair[1]]
    )
    if i < k:
        scores = lemma.inverted(rational_scores(best), i, k, 1)
        found = regret_and_excess(surrogate("linear"), p, scores, rational_scores(best))
        assert found == (d[i][k], (3 * d[i][k]) ** 2 / 4)


def test_inverted_scores_are_as_close_as_can_be() -> None:
    best = rational_scores([2, 0])
    assert [str(x) for x in lemma.inverted(best, 0, 1, 10)] == ["1", "1"]
    # Item 2 above item 1 is still right in a tie, so it has to sink a little.
    assert [str(x) for x in lemma.inverted(best[::-1], 1, 0, 10)] == ["1", "9/10"]


@pytest.mark.parametrize("n", [1, 7, 100])
def test_net_order_is_not_closed(n: int) -> None:
    d = Distribution.from_aggregate([[0, 0, 1], [2 - Fraction(1, n), 0, 0], [0, 0, 0]]).difference
    assert condition("net-order").holds(d)
    limit = Distribution.from_aggregate([[0, 0, 1], [2, 0, 0], [0, 0, 0]]).difference
    assert not condition("net-order").holds(limit)


@pytest.mark.parametrize(
    ("number", "words"), [(0, "regret 3"), (1, "1/(4n^2)")], ids=["inconsistent", "not closed"]
)
def test_the_false_variants_are_refuted(number: int, words: str) -> None:
    found = statement("lemma-5").variants[number].refute()
    assert found.refuted
    assert words in found.witness
