"""The gap that floats propose: with it, without it or with a wrong one, the same certificate comes out."""

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

import pytest

from consistency_lab.certify import separation as separation_proof
from consistency_lab.certify import witness
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import pair, surrogate
from consistency_lab.numbers.exact import LogRational
from consistency_lab.numbers.phi import parse

AGGREGATES = [
    [[0, 1, 6], [0, 0, 2], [3, 0, 0]],
    [[0, 5, 7], [2, 0, 3], [1, 1, 0]],
    [[0, 8, 0], [0, 0, 2], [2, 0, 0]],
    [[0, 908, 944, 461], [631, 0, 310, 752], [620, 263, 0, 684], [209, 777, 756, 0]],
]
WRONG: list[Callable[..., Decimal | None]] = [
    lambda *_: None,
    lambda *_: Decimal(1),
]


def test_a_gap_by_hand() -> None:
    """W = 3 exp(-x) + exp(x) is at least 4 where item 1 is not above; at x = 1/2 it is 3.468..."""
    phi, zero = parse("exp(-x)"), Fraction(0)
    terms = [pair(Fraction(3), phi, 0, 1), pair(Fraction(1), phi, 1, 0)]
    tied = separation_proof.Dual(Fraction(2), (Fraction(-1),) * 2, ((zero, zero),) * 2)
    scores = [LogRational.parse("1/2"), LogRational(zero)]
    assert separation_proof.proposed_gap(terms, scores, [tied]) == Decimal("0.531686")


@pytest.mark.parametrize("name", ["logistic", "exponential", "hinge", "margin-logistic"])
@pytest.mark.parametrize("a", AGGREGATES)
def test_a_proposal_that_is_missing_or_wrong_changes_nothing(
    name: str, a: list[list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    p = Distribution.from_aggregate(a)
    found = witness.certify(surrogate(name), p)
    for proposal in WRONG:
        monkeypatch.setattr(separation_proof, "proposed_gap", proposal)
        again = witness.certify(surrogate(name), p)
        assert (found is None) == (again is None)
        if found is not None and again is not None:
            assert again.document == found.document
