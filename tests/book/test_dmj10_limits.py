"""DMJ10 Lemmas 4 and 5 and Theorem 6, along sequences and on finite cases."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consistency_lab import Distribution, surrogate
from consistency_lab.apps.book.risk import rational_scores, regret_and_excess
from consistency_lab.apps.book.statements import dmj10_limits as exhibits
from consistency_lab.apps.book.statements import dmj10_limits as lemma
from consistency_lab.apps.book.statements import dmj10_limits as theorem
from consistency_lab.model.conditions import condition, conditions_of, net


def test_an_inconsistent_surrogate_refutes_it():
    found = lemma.inconsistent()
    assert found.refuted
    assert "(log(3), 0, log(2))" in found.witness


def test_the_wrong_witnesses_are_accepted_by_the_kernel():
    found = list(exhibits.wrong_witnesses())
    assert [(witness.verified.failure, witness.verified.regret) for witness in found] == [
        ("strict", 3),
        ("tie", 1),
    ]
    assert all(witness.verified.conditions["additive"] for witness in found)


@given(y=st.lists(st.integers(0, 6), min_size=3, max_size=3, unique=True))
def test_the_linear_loss_on_additive_differences(y):
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


def test_inverted_scores_are_as_close_as_can_be():
    best = rational_scores([2, 0])
    assert [str(x) for x in lemma.inverted(best, 0, 1, 10)] == ["1", "1"]
    # Item 2 above item 1 is still right in a tie, so it has to sink a little.
    assert [str(x) for x in lemma.inverted(best[::-1], 1, 0, 10)] == ["1", "9/10"]


@pytest.mark.parametrize("n", [1, 7, 100])
def test_net_order_is_not_closed(n):
    d = Distribution.from_aggregate([[0, 0, 1], [2 - Fraction(1, n), 0, 0], [0, 0, 0]]).difference
    assert condition("net-order").holds(d)
    limit = Distribution.from_aggregate([[0, 0, 1], [2, 0, 0], [0, 0, 0]]).difference
    assert not condition("net-order").holds(limit)


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("logistic", 7, 2),
        ("exponential", 7, 2),
        ("hinge", 5, 4),
        ("linear", 8, 1),
        ("difference-logistic", 9, 0),
    ],
)
def test_every_distribution_is_decided(name, right, wrong):
    told, stands = theorem.both_ways(name)
    assert stands
    assert (told["right"], told["wrong"], told["undecided"]) == (str(right), str(wrong), "0")


def test_the_distributions_are_of_every_kind():
    kinds = {
        next(
            name for name, holds in conditions_of(Distribution.from_aggregate(a).difference).items() if holds
        )
        for a in theorem._P
    }
    assert kinds == {"additive", "low-noise", "row-dominated", "net-order", "acyclic"}


def test_an_undecided_distribution_is_noticed(monkeypatch):
    certify = theorem.certify
    monkeypatch.setattr(theorem, "certify", lambda loss, p: None if p.m == 2 else certify(loss, p))
    assert theorem.both_ways("linear")[1] is False


def test_a_tie_is_wrong_also_where_the_order_of_the_items_breaks_it_rightly(monkeypatch):
    """The minimizer of the linear loss ties items 1 and 2, and 2 is preferred: scores nearby are wrong."""
    tie = ((0, 0, 2), (1, 0, 0), (0, 0, 0))
    monkeypatch.setattr(theorem, "_P", (*theorem._P, tie))
    assert theorem.both_ways("linear")[1] is True


def test_that_the_minimizer_is_right_is_not_enough():
    found = theorem.minimizer_in_the_optimal_set()
    assert found.refuted
    assert "H(1) = 0" in found.witness
