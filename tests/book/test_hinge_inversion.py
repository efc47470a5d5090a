"""Strict inversions of the hinge: never with three items, possible with more."""

from collections.abc import Callable
from copy import deepcopy
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consistency_lab.book.risk import score_orders
from consistency_lab.book.statement import FalseVariant, Kind, Outcome, stored
from consistency_lab.book.statements import hinge_inversion as statement
from consistency_lab.book.statements.hinge_inversion import Face, flows, integral_faces
from consistency_lab.model.conditions import conditions_of
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import surrogate
from consistency_lab.solve.lp import FloatSolver, LPStatus
from consistency_lab.solve.minimize import minimize

Document = dict[str, Any]
WEIGHT = st.integers(0, 5)


def evidence() -> Document:
    return deepcopy(dict(stored(statement.FILE)))


def test_it_holds() -> None:
    checked = statement.HINGE_INVERSION.check()
    assert (checked.outcome, checked.kind) == (Outcome.HOLDS, Kind.HAND)
    assert "37 of 37" in checked.findings[0].how
    assert "279 of 279" in checked.findings[1].how
    assert "801 of 803" in checked.findings[2].how
    assert checked.findings[2].kind is Kind.MACHINE


@pytest.mark.parametrize("variant", statement.HINGE_INVERSION.variants, ids=lambda v: v.statement[:30])
def test_false_variants_are_refuted(variant: FalseVariant) -> None:
    assert variant.refute().refuted


@pytest.mark.parametrize("number", [0, 20, 36])
def test_spoiled_multipliers_are_rejected(number: int) -> None:
    document = evidence()
    document["acyclic-3-items"][number]["y"][-1] = "0"
    found = statement.three_items(document)
    assert not found.stands
    assert "36 of 37" in found.finding.how


def _missing(document: Document) -> None:
    document["acyclic-3-items"].pop()


def _twice(document: Document) -> None:
    document["acyclic-3-items"][1] = document["acyclic-3-items"][0]


def _unequal(document: Document) -> None:
    document["acyclic-3-items"][0]["z"] = []


@pytest.mark.parametrize("spoil", [_missing, _twice, _unequal])
def test_incomplete_evidence_is_noticed(spoil: Callable[[Document], None]) -> None:
    document = evidence()
    spoil(document)
    assert not statement.three_items(document).stands


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
    p = Distribution.from_aggregate(statement.UNIQUE)
    found = minimize(surrogate("hinge").risk_terms(p), 4)
    assert found.unique
    assert (found.scores - found.scores[3]).tolist() == [1, 2, 1, 0]
    assert conditions_of(p.difference)["additive"]


def test_the_lightest_aggregate_attains_the_bound() -> None:
    p = Distribution.from_aggregate(statement.LIGHTEST)
    assert sum(map(sum, p.aggregate)) == 22 * p.difference[0][1]


def test_flows_that_do_not_balance_or_fit_show_nothing() -> None:
    a = Distribution.from_aggregate(statement.UNIQUE).aggregate
    scores = tuple(map(Fraction, statement.SCORES))
    assert flows(a, scores, statement.FLOWS)
    assert not flows(a, scores, {**statement.FLOWS, (0, 3): Fraction(2)})
    assert not flows(a, (*scores[:3], Fraction(-1)), statement.FLOWS)


def test_a_face_that_can_be_minimal_has_no_multipliers() -> None:
    face = next(f for f in integral_faces("additive", 4) if f.scores == statement.SCORES)
    assert isinstance(face, Face)
    assert face.excluded(FloatSolver()) is None
    assert face.solve(FloatSolver()).status is LPStatus.OPTIMAL
    assert not face.excluded_by([], [])
