"""Theorems 11 and 12, their stronger forms, and the exact sets behind them."""

from fractions import Fraction

import pytest

from consistency_lab.apps.book.book import statement
from consistency_lab.apps.book.slopes import refuted_where_right, universal
from consistency_lab.apps.book.statement import Kind, Outcome
from consistency_lab.apps.book.statements.dmj10_section_2 import one_distribution
from consistency_lab.apps.book.statements.edge_losses import (
    PROBABILITIES,
    as_printed,
    printed_choice,
    printed_conditions,
    single_edges,
)
from consistency_lab.apps.book.statements.exact_sets import AGGREGATE
from consistency_lab.apps.book.three_items import separation
from consistency_lab.certify.proofs.file import verify
from consistency_lab.model.conditions import CONDITIONS
from consistency_lab.model.surrogates import surrogate

KINDS = [
    ("lemma-10", Kind.FORMAL),
    ("theorem-11", Kind.FORMAL),
    ("theorem-12", Kind.FORMAL),
    ("dmj13-edge", Kind.HAND),
    ("dmj13-margin", Kind.HAND),
    ("additive-theorem-11", Kind.FORMAL),
    ("additive-theorem-12", Kind.FORMAL),
    ("every-convex-loss", Kind.FORMAL),
    ("four-items", Kind.HAND),
]


@pytest.mark.parametrize(("name", "kind"), KINDS)
def test_they_hold_with_this_kind_of_evidence(name: str, kind: Kind) -> None:
    checked = statement(name).check()
    assert (checked.outcome, checked.kind) == (Outcome.HOLDS, kind)


@pytest.mark.parametrize("h", ["a", "a**2", "sqrt(a)", "a/(1+a)"])
@pytest.mark.parametrize("chances", [(5, 11, 1, 5), (25, 50, 1, 24)])
def test_the_core_too_refutes_every_convex_phi_at_the_distributions_of_coq(
    h: str, chances: tuple[int, ...]
) -> None:
    edges = dict(
        zip(((0, 1), (0, 2), (1, 2), (2, 0)), (Fraction(x, sum(chances)) for x in chances), strict=True)
    )
    p = single_edges(Fraction(1), edges)
    assert CONDITIONS["additive"].holds(p.aggregate)
    for form in ("logistic", "margin-logistic"):
        witness = universal(p, surrogate(form, h=h))
        assert witness is not None
        assert verify(witness.document).universal


@pytest.mark.parametrize("m", [3, 4, 5, 6])
def test_one_distribution_is_additive_with_any_number_of_items(m: int) -> None:
    assert CONDITIONS["additive"].holds(one_distribution(m).aggregate)


def test_a_counterexample_must_have_what_the_variant_assumes() -> None:
    p = single_edges(Fraction(1))
    assert not refuted_where_right(one_distribution(3), surrogate("linear"), "additive", given=False).refuted
    assert printed_conditions(p) == (True, False)


def test_theorem_12_s_probabilities() -> None:
    """DMJ10: p = (.25, .01, .5, .24)."""
    assert sum(PROBABILITIES.values()) == 1
    assert [float(x) for x in PROBABILITIES.values()] == [0.25, 0.01, 0.5, 0.24]


def test_what_is_printed_slips() -> None:
    assert not printed_choice()["low-noise"]
    assert not as_printed()["acyclic"]


def test_a_changed_separation_does_not_hold() -> None:
    found = separation(AGGREGATE, (3, 2, 1, 0))
    assert found is not None
    assert found.holds(AGGREGATE)
    lighter = [list(row) for row in AGGREGATE]
    lighter[3][0] = Fraction(1, 2)
    lighter[0][3] = Fraction(9, 2)
    assert separation(lighter, (3, 2, 1, 0)) is None or not found.holds(lighter)
