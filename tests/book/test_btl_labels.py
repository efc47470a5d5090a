"""Bradley-Terry-Luce labels and the noise conditions."""

from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consistency_lab.apps.book.book import statement
from consistency_lab.apps.book.polynomials import SAT, answer
from consistency_lab.apps.book.statement import FOLDER, Cases, Kind, Outcome, tried
from consistency_lab.apps.book.statements import labels as page
from consistency_lab.model.conditions import conditions_of

GRADES = st.lists(st.fractions(Fraction(1, 9), 9, max_denominator=9), min_size=3, max_size=4)


def test_it_holds() -> None:
    checked = statement("btl-labels").check()
    assert (checked.outcome, checked.kind) == (Outcome.HOLDS, Kind.HAND)


def test_two_grades_give_additive_differences() -> None:
    def agree(rng: Random, m: int) -> bool:
        high = Fraction(rng.randint(2, 9))
        d = page.labels([high if rng.random() < 1 / 2 else Fraction(1) for _ in range(m)]).difference
        return conditions_of(d)["additive"]

    assert tried(agree, (2, 3, 4, 5), 6, 2) == Cases(24, 24)


@given(GRADES)
def test_the_defect_is_the_product(grades: list[Fraction]) -> None:
    d = page.labels(grades).difference
    i, j, k = 0, 1, 2
    assert d[i][j] + d[j][k] - d[i][k] == d[i][j] * d[j][k] * d[i][k]
    held = conditions_of(d)
    assert held["low-noise"] is (len(set(grades)) < 3)
    assert held["net-order"]


def test_the_stored_question() -> None:
    text = (FOLDER / "btl_labels.smt2").read_text(encoding="utf-8")
    assert text == page.smt_question()
    # Two equal grades among the three: then there is an answer.
    assert answer(text.replace("(assert (> s1 s2))", "(assert (>= s1 s2))")) == SAT


def test_another_question_is_not_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "smt_question", lambda: "(check-sat)\n")
    assert statement("btl-labels").check().outcome is Outcome.OPEN
