"""The square loss on the difference graph."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consistency_lab.apps.book.statement import FalseVariant, Kind, Outcome
from consistency_lab.apps.book.statements import difference_losses as statement
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import surrogate
from consistency_lab.solve.minimize import minimize

WEIGHTS = st.integers(0, 6)


def test_it_holds() -> None:
    checked = statement.SQUARE_DIFFERENCE.check()
    assert (checked.outcome, checked.kind) == (Outcome.HOLDS, Kind.HAND)
    assert "58 of 58" in checked.findings[-1].how
    assert checked.findings[4].kind is Kind.MACHINE
    assert "(41/38, 12/19, 0, 1/38)" in "".join(checked.findings[4].details)


@pytest.mark.parametrize("variant", statement.SQUARE_DIFFERENCE.variants, ids=lambda v: v.statement[:30])
def test_false_variants_are_refuted(variant: FalseVariant) -> None:
    assert variant.refute().refuted


@given(WEIGHTS, WEIGHTS, st.integers(1, 6))
def test_three_items_are_right_for_all_acyclic_differences(d12: int, d23: int, d13: int) -> None:
    # With d_13 > 0 and one of the others positive the graph is connected.
    if not d12 and not d23:
        return
    d = [[0, d12, d13], [-d12, 0, d23], [-d13, -d23, 0]]
    scores = statement.minimizer(tuple(tuple(map(Fraction, row)) for row in d))
    assert all(scores[i] > scores[j] for i in range(3) for j in range(3) if d[i][j] > 0)


def test_the_linear_system_is_that_of_the_surrogate() -> None:
    p = Distribution.from_aggregate([[0, 9, 15, 72], [0, 0, 6, 7], [0, 0, 0, 1], [0, 0, 0, 0]])
    exact = statement.minimizer(p.difference)
    found = minimize(surrogate("difference-square").risk_terms(p), 4).scores
    assert (found - found[3]).tolist() == pytest.approx([float(x) for x in exact], abs=1e-7)
    assert exact[2] < exact[3]
