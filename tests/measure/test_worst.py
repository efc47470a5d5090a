"""The worst case: brackets that hold every witness we know, proved upper ends, and numbers known by hand."""

import json
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from consistency_lab import CONDITIONS, Distribution, Effort, InputError, UnsupportedError, verify
from consistency_lab.apps.measure import worst_bounds as bounds
from consistency_lab.apps.measure.cones import pieces
from consistency_lab.apps.measure.worst import witness_at, worst_case
from consistency_lab.certify.witness import Witness, certify
from consistency_lab.model.surrogates import EdgeSurrogate, surrogate
from consistency_lab.numbers.exact import LogRational
from consistency_lab.numbers.phi import named, parse
from consistency_lab.search.forward import compare_with_optimum, space
from consistency_lab.search.size import TermTable
from consistency_lab.solve.batch import minimize_batch
from consistency_lab.solve.lp import LPStatus, solve_lp

ROOT = Path(__file__).parents[2]
WIDTH = Fraction(1, 1000)
BRACKETS = [
    *(
        (name, "additive")
        for name in ("hinge", "logistic", "exponential", "squared-hinge", "huberized-hinge")
    ),
    ("hinge", "low-noise"),
    ("logistic", "low-noise"),
    ("logistic", "net-order"),
    ("logistic", "any"),
    ("exponential", "acyclic"),
    ("difference-logistic", "any"),
]


@cache
def case(name, condition, m=3):
    return worst_case(surrogate(name), condition, m, effort=Effort(60.0))


@pytest.mark.long
@pytest.mark.parametrize(("name", "condition"), BRACKETS)
def test_brackets_close_and_their_lower_end_is_an_accepted_witness(name, condition):
    found = case(name, condition)
    assert found.finished
    assert found.lower <= found.upper <= found.lower * (1 + WIDTH)
    verified = verify(found.witness.document)
    assert verified.claim == "inconsistent"
    assert verified.conditions[condition]
    assert found.witness.normalized_regret == found.lower


def gallery():
    """Surrogate, condition and normalized regret of each committed witness on three items."""
    entries = []
    for path in sorted((ROOT / "counterexamples").glob("*-3items-*.json")):
        witness = Witness.of(json.loads(path.read_text(encoding="utf-8")))
        named = witness.document["named"]["surrogate"]
        if named["family"] not in ("edge", "difference", "linear", "regression"):
            continue
        holds = [condition for condition in CONDITIONS if (named["name"], condition) in BRACKETS]
        entries += [
            (named["name"], one, witness.normalized_regret) for one in holds if witness.fails_under(one)
        ]
    return entries


@pytest.mark.long
def test_brackets_contain_the_witnesses_of_the_gallery():
    for name, condition, regret in gallery():
        assert regret <= case(name, condition).upper


@pytest.mark.parametrize(
    ("name", "condition"), [("logistic", "low-noise"), ("logistic", "any"), ("exponential", "additive")]
)
def test_no_random_distribution_is_above_the_upper_end(name, condition):
    found = case(name, condition)
    table = TermTable(surrogate(name), 3)
    a = space(condition, 3, True).sample(np.random.default_rng(7), 5_000)
    minimum = minimize_batch(table.structure, table.coefficients(a))
    regret = compare_with_optimum(a, minimum.scores).regret / a.sum(axis=(1, 2))
    worst = regret[minimum.converged].max()
    assert 0 < worst <= float(found.upper) + 1e-9


@pytest.mark.parametrize(
    ("name", "condition", "m", "expected"),
    [
        ("hinge", "low-noise", 3, Fraction(1, 6)),
        ("hinge", "acyclic", 3, Fraction(1, 4)),
        ("hinge", "any", 3, Fraction(1, 3)),
        ("hinge", "additive", 4, Fraction(1, 5)),
        ("linear", "acyclic", 3, Fraction(1, 3)),
    ],
)
def test_piecewise_linear_and_linear_worst_cases_are_exact(name, condition, m, expected):
    found = case(name, condition, m)
    assert found.lower == found.upper == expected
    assert found.closed_form.proved


def test_the_hinge_fails_on_three_items_at_ties_only():
    assert (case("hinge", "additive").attained, case("hinge", "additive").strict) == ("only at a tie", 0.0)
    four = case("hinge", "additive", 4)
    assert 0.04 < four.strict < 0.06


def test_an_exact_worst_case_without_ties_is_shown_to_be_strict():
    """A majority cycle of three, all weights 1: W of the hinge is 3 wherever no difference is above 1."""
    found = case("hinge", "any")
    assert (found.attained, found.shown_strict) == ("strict", True)
    assert found.strict is not None
    assert found.strict == float(found.upper) == float(Fraction(1, 3))
    assert found.witness.verified.failure == "strict"
    assert verify(found.witness.document).regret > 0


@pytest.mark.long
@pytest.mark.parametrize(("name", "condition"), [*BRACKETS, ("hinge", "any"), ("hinge", "acyclic")])
def test_nothing_that_floats_see_is_above_the_proved_end(name, condition):
    found = case(name, condition)
    assert found.strict <= float(found.upper)
    assert found.attained != "only approached at a tie" or not found.shown_strict


@pytest.mark.parametrize(
    ("name", "condition", "m"),
    [("linear", "additive", 4), ("regression", "low-noise", 4), ("linear", "net-order", 3)],
)
def test_order_by_net_preference_is_never_wrong_there(name, condition, m):
    """DMJ10 Theorem 13 and RAT13 Theorem 6."""
    found = case(name, condition, m)
    assert found.upper == 0 and found.witness is None and found.finished


@pytest.mark.parametrize("condition", ["additive", "low-noise", "net-order", "acyclic"])
def test_the_difference_graph_loss_is_never_wrong_without_cycles(condition):
    """DMJ13: it is consistent there."""
    found = case("difference-logistic", condition)
    assert found.witness is None and found.upper < Fraction(1, 10**6)


def test_logistic_and_squared_hinge_share_a_worst_case_that_is_recognized():
    for name in ("logistic", "squared-hinge"):
        form = case(name, "additive").closed_form
        assert not form.proved
        assert form.text == "1/2 - sqrt(6)/6"
        assert form.value.startswith("0.09175170953613698363378598")
        assert case(name, "additive").attained == "only approached at a tie"


def test_an_exponential_worst_case_is_a_root_of_a_quartic():
    form = case("exponential", "additive").closed_form
    x = Fraction(form.value)
    assert abs(12 * x**4 - 24 * x**3 + 32 * x**2 + 6 * x - 1) < Fraction(1, 10**27)


def logistic_box():
    cell = bounds.OrderedPiece(pieces("low-noise", 3)[0], (0, 2, 1))
    table = bounds.SlopeTable(named("logistic").expression)
    least, most = cell.slopes(np.array([[1.0, 0.0]]), np.array([[1.5, 0.25]]), table)
    return cell, bounds.propose(cell, least, most), least, most


def test_the_bound_of_a_box_is_above_its_exact_program():
    """Weak duality, against a second engine in rationals."""
    cell, proposal, least, most = logistic_box()
    bound = Fraction(int(bounds.proved(cell, proposal, least, most)[0]), bounds.WHOLE)
    columns = [(k, Fraction(int(g[0, k]), 1 << 40)) for g in (least, most) for k in range(6)]
    piece = cell.piece
    exact = solve_lp(
        [-piece.on_pairs(piece.regret(cell.order))[k] for k, _ in columns],
        [
            *([g * int(cell.balance[i, k]) for k, g in columns] for i in range(2)),
            [Fraction(1)] * len(columns),
        ],
        [Fraction(0), Fraction(0), Fraction(1)],
        [[-piece.on_pairs(form)[k] for k, _ in columns] for form in piece.least],
        [Fraction(0)] * len(piece.least),
    )
    assert exact.status is LPStatus.OPTIMAL
    assert -exact.value <= bound <= -exact.value + Fraction(1, 10**6)


def test_changed_multipliers_prove_less_or_nothing():
    cell, proposal, least, most = logistic_box()
    bound = bounds.proved(cell, proposal, least, most)[0]
    negative = replace(proposal, forms=proposal.forms - (1 << 62))
    assert bounds.proved(cell, negative, least, most)[0] == bounds.WHOLE
    moved = replace(proposal, pi=proposal.pi + np.array([[1 << 57, 0, 0]], dtype=object))
    assert bounds.proved(cell, moved, least, most)[0] > bound
    endless = np.where(np.arange(6) == 0, -np.inf, least)
    steep = replace(proposal, pi=np.array([[1 << 60, 0, 0]], dtype=object))
    assert bounds.proved(cell, steep, endless, most)[0] == bounds.WHOLE


def test_an_upper_end_below_the_truth_is_never_claimed():
    cells = tuple(
        bounds.OrderedPiece(piece, order) for piece in pieces("additive", 3) for order in piece.orders()
    )
    table = bounds.SlopeTable(named("logistic").expression)
    end = bounds.ceiling(cells, table, Fraction(9, 100), Effort(60.0), limit=2_000)
    assert not end.finished and end.upper >= Fraction(10, 109)
    assert abs(end.hardest[1][0] - 1.24) < 0.5


@pytest.mark.long
def test_a_phi_without_exact_slopes_has_a_strict_witness():
    phi = parse("sqrt(1+x**2)-x")
    loss = EdgeSurrogate(str(phi), phi, parse("a", "a"))
    found = worst_case(loss, "additive", 3, width=Fraction(1, 2), effort=Effort(60.0))
    assert found.witness.verified.failure == "strict"
    assert 0 < found.lower <= found.upper
    assert found.finished


def test_a_budget_that_is_used_up_leaves_a_true_upper_end():
    found = worst_case(surrogate("logistic"), "low-noise", 3, effort=Effort(0.0))
    assert not found.finished
    assert found.upper is None or found.upper >= case("logistic", "low-noise").lower


@pytest.mark.parametrize(
    ("name", "reason"), [("margin-logistic", "got margin-logistic"), ("sigmoid", "not proved convex")]
)
def test_other_surrogates_are_refused(name, reason):
    with pytest.raises(UnsupportedError, match=reason):
        worst_case(surrogate(name), "low-noise", 3)


def test_another_h_is_refused():
    loss = EdgeSurrogate("logistic", named("logistic").expression, parse("a**2", "a"))
    with pytest.raises(UnsupportedError, match="need h = a"):
        worst_case(loss, "low-noise", 3)


@pytest.mark.parametrize("name", ["hinge", "linear"])
def test_a_witness_says_what_its_caller_says_of_it_and_what_it_is(name):
    own = {"command": "consistency-lab measure 'a name'", "citation": "DMJ10 Theorem 11"}
    found = worst_case(surrogate(name), "acyclic", 3, provenance=own)
    texts = found.witness.document["provenance"]
    assert {key: texts[key] for key in own} == own
    assert texts["note"] == "close to the largest normalized regret under this condition"


def test_a_witness_of_a_net_order_has_the_condition():
    """d_12 = 1, d_23 = 2 is acyclic, not additive (d_13 = 0)."""
    loss, a = surrogate("linear"), [[Fraction(x) for x in row] for row in ((0, 1, 0), (0, 0, 2), (0, 0, 0))]
    witness = witness_at(loss, "acyclic", a, {})
    assert witness.fails_under("acyclic") and not witness.fails_under("additive")
    assert witness_at(loss, "additive", a, {}) is None


def test_what_is_right_fails_under_no_condition():
    right = certify(surrogate("logistic"), Distribution.from_aggregate([[0, 2], [1, 0]]))
    assert right.verified.conditions["additive"]
    assert not any(right.fails_under(condition) for condition in CONDITIONS)


def test_a_width_must_be_positive():
    with pytest.raises(InputError, match="above 0"):
        worst_case(surrogate("logistic"), "low-noise", 3, width=Fraction(0))


def test_a_separation_proves_the_regret_of_every_minimizer_and_no_more():
    """The document's rounded scores cost more than the minimizer does here; the bound holds for both."""
    from consistency_lab.apps.measure.smallest import certified_regret
    from consistency_lab.model.distribution import normalized_regret
    from consistency_lab.solve.minimize import minimize
    from consistency_lab.solve.optimal import optimal_orders

    a = ((0, 1, 4, 5), (4, 0, 9, 8), (1, 7, 0, 4), (1, 12, 0, 0))
    p = Distribution.from_aggregate(a)
    logistic = surrogate("logistic")
    witness = certify(logistic, p)
    assert witness.document["proof"]["certificate"]["kind"] == "separation"
    least = minimize(logistic.risk_terms(p), 4).scores
    order = sorted(range(4), key=lambda item: -least[item])
    scores = [LogRational(Fraction(4 - order.index(item))) for item in range(4)]
    assert certified_regret(witness) <= normalized_regret(
        p.aggregate, scores, optimal_orders(p.aggregate).loss
    )
    assert certified_regret(witness) > 0
