"""Bradley-Terry-Luce labels and the noise conditions."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consistency_lab.apps.book.polynomials import SAT, answer
from consistency_lab.apps.book.statement import FOLDER, FalseVariant, Kind, Outcome
from consistency_lab.apps.book.statements import labels as statement
from consistency_lab.model.conditions import conditions_of

GRADES = st.lists(st.fractions(Fraction(1, 9), 9, max_denominator=9), min_size=3, max_size=4)


def test_it_holds() -> None:
    checked = statement.BTL_LABELS.check()
    assert (checked.outcome, checked.kind) == (Outcome.HOLDS, Kind.HAND)
    assert "24 of 24" in checked.findings[-1].how


@pytest.mark.parametrize("variant", statement.BTL_LABELS.variants, ids=lambda v: v.statement[:30])
def test_false_variants_are_refuted(variant: FalseVariant) -> None:
    assert variant.refute().refuted


@given(GRADES)
def test_the_defect_is_the_product(grades: list[Fraction]) -> None:
    d = statement.labels(grades).difference
    i, j, k = 0, 1, 2
    assert d[i][j] + d[j][k] - d[i][k] == d[i][j] * d[j][k] * d[i][k]
    held = conditions_of(d)
    assert held["low-noise"] is (len(set(grades)) < 3)
    assert held["net-order"]


def test_the_stored_question() -> None:
    text = (FOLDER / statement.FILE).read_text(encoding="utf-8")
    assert text == statement.smt_question()
    # Two equal grades among the three: then there is an answer.
    assert answer(text.replace("(assert (> s1 s2))", "(assert (>= s1 s2))")) == SAT


def test_another_question_is_not_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statement, "smt_question", lambda: "(check-sat)\n")
    assert statement.BTL_LABELS.check().outcome is Outcome.OPEN
