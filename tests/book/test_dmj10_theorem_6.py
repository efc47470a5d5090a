"""DMJ10 Theorem 6 on finite cases, in both directions."""

import pytest

from consistency_lab.apps.book.book import statement
from consistency_lab.apps.book.statement import Kind, Outcome
from consistency_lab.apps.book.statements import dmj10_limits as theorem
from consistency_lab.model.conditions import conditions_of
from consistency_lab.model.distribution import Distribution


def test_it_holds_and_is_called_a_hand_proof() -> None:
    checked = statement("theorem-6").check()
    assert (checked.outcome, checked.kind) == (Outcome.HOLDS, Kind.HAND)
    assert sum(finding.kind is Kind.MACHINE for finding in checked.findings) == 6


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
def test_every_distribution_is_decided(name: str, right: int, wrong: int) -> None:
    told, stands = theorem.both_ways(name)
    assert stands
    assert (told["right"], told["wrong"], told["undecided"]) == (str(right), str(wrong), "0")


def test_the_distributions_are_of_every_kind() -> None:
    kinds = {
        next(
            name for name, holds in conditions_of(Distribution.from_aggregate(a).difference).items() if holds
        )
        for a in theorem._P
    }
    assert kinds == {"additive", "low-noise", "row-dominated", "net-order", "acyclic"}


def test_an_undecided_distribution_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    certify = theorem.certify
    monkeypatch.setattr(theorem, "certify", lambda loss, p: None if p.m == 2 else certify(loss, p))
    assert theorem.both_ways("linear")[1] is False


def test_a_tie_is_wrong_also_where_the_order_of_the_items_breaks_it_rightly(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The minimizer of the linear loss ties items 1 and 2, and 2 is preferred: scores nearby are wrong."""
    tie = ((0, 0, 2), (1, 0, 0), (0, 0, 0))
    monkeypatch.setattr(theorem, "_P", (*theorem._P, tie))
    assert theorem.both_ways("linear")[1] is True


def test_that_the_minimizer_is_right_is_not_enough() -> None:
    found = theorem.minimizer_in_the_optimal_set()
    assert found.refuted
    assert "H(1) = 0" in found.witness
