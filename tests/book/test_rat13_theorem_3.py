"""RAT13 Theorem 3, and how many scores the losses of RAT13 need."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consistency_lab.apps.book.statements.rat13_theorem_3 import claimed, expected
from consistency_lab.model.tasks.construction import Offsets, construct, least_dimensions
from consistency_lab.model.tasks.discrete import LossMatrix


@pytest.mark.parametrize("r", [2, 3, 4])
def test_pd_needs_an_offset_of_the_label_for_one_score_a_pair(r):
    """RAT13 §7 says rank at most r(r-1)/2; with one constant that is one too few."""
    least = least_dimensions(claimed("PD, all DAGs").matrix(r)).of
    assert (least[Offsets.CONSTANT], least[Offsets.LABEL]) == (r * (r - 1) // 2 + 1, r * (r - 1) // 2)


def test_pd_becomes_the_surrogate_of_the_paper():
    """One score a pair, regressed on y_ij - y_ji, decoded by feedback arc set (RAT13 §7)."""
    found = construct(claimed("PD, all DAGs").matrix(3))
    assert {x for alpha in found.factors.left for x in alpha} == {-1, 0, 1}
    assert {x for beta in found.factors.right for x in beta} == {0, 1}


def test_zero_one_loss_needs_one_score_less_than_classes():
    rows = tuple(tuple(Fraction(y != t) for t in range(5)) for y in range(5))
    least = least_dimensions(LossMatrix(tuple("abcde"), tuple("abcde"), rows))
    assert [least.of[kind] for kind in Offsets] == [5, 4, 4, 4]
    assert least.constant == Fraction(4, 5)


matrices = st.integers(1, 5).flatmap(
    lambda k: st.lists(
        st.lists(st.fractions(-3, 3, max_denominator=3), min_size=k, max_size=k), min_size=1, max_size=5
    )
)


@settings(max_examples=40)
@given(matrices, st.sampled_from(Offsets), st.data())
def test_any_loss_at_any_distribution(rows, kind, data):
    n, k = len(rows), len(rows[0])
    labels, predictions = tuple(f"y{y}" for y in range(n)), tuple(f"t{t}" for t in range(k))
    matrix = LossMatrix(labels, predictions, tuple(map(tuple, rows)))
    found = construct(matrix, kind)
    found.recheck()
    least = found.dimensions.of
    assert least[Offsets.BOTH] <= least[Offsets.LABEL] <= least[Offsets.CONSTANT] <= least[Offsets.NONE]
    weights = data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n).filter(any))
    p = [Fraction(x, sum(weights)) for x in weights]
    losses = expected(matrix, p)
    optimal = tuple(t for t, loss in enumerate(losses) if loss == min(losses))
    u = found.minimizer(p)
    assert found.decode(u) == optimal
    # The excess of the surrogate at other scores bounds the regret of whatever the decoder may return there.
    other = [x + data.draw(st.fractions(-2, 2, max_denominator=4)) for x in u]
    excess = sum(q * (found.psi(y, other) - found.psi(y, u)) for y, q in enumerate(p))
    regret = max(losses[t] for t in found.decode(other)) - min(losses)
    assert regret**2 <= excess * found.squared_distance


@settings(max_examples=30)
@given(matrices, st.fractions(-2, 2, max_denominator=6))
def test_no_constant_does_better(rows, c):
    names = tuple(map(str, range(len(rows)))), tuple(map(str, range(len(rows[0]))))
    least = least_dimensions(LossMatrix(*names, tuple(map(tuple, rows))))
    shifted = least_dimensions(LossMatrix(*names, tuple(tuple(x - c for x in row) for row in rows)))
    assert shifted.of[Offsets.NONE] >= least.of[Offsets.CONSTANT]
    best = tuple(tuple(x - least.constant for x in row) for row in rows)
    assert least_dimensions(LossMatrix(*names, best)).of[Offsets.NONE] == least.of[Offsets.CONSTANT]
