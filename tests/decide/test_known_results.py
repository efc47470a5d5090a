"""Known results as rows: surrogate, condition, verdict, failure, citation."""

from functools import cache

import pytest

from consistency_lab.decide.answers import Verdict
from consistency_lab.decide.profile import decide_profile
from consistency_lab.decide.surrogate import decide
from consistency_lab.errors import InputError
from consistency_lab.model.conditions import CONDITIONS, implied_by
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import surrogate
from consistency_lab.numbers.exact import integer_multiple
from consistency_lab.search.effort import Effort
from consistency_lab.show.answer import decision_document

SMALLEST = [
    # surrogate, aggregate of the smallest witness under additive differences, failure, citation
    ("logistic", [[0, 1, 6], [0, 0, 2], [3, 0, 0]], "strict", "DMJ10 Theorem 11"),
    ("exponential", [[0, 1, 5], [0, 0, 2], [2, 0, 0]], "strict", "DMJ10 Theorem 11"),
    ("square", [[0, 1, 6], [0, 0, 2], [3, 0, 0]], "strict", "DMJ10 Theorem 11"),
    ("hinge", [[0, 1, 3], [0, 0, 1], [1, 0, 0]], "tie", "DMJ10 Theorem 11"),
]

CONSISTENT = [
    ("linear", "low-noise", "DMJ10 Corollary 15"),
    ("linear", "additive", "DMJ10 Corollary 15"),
    ("linear", "net-order", "DMJ10 Theorem 13"),
    ("regression", "net-order", "RAT13 Theorem 6"),
    ("difference-logistic", "acyclic", "DMJ13 §5.3"),
    ("difference-hinge", "low-noise", "DMJ13 §5.3"),
    ("difference-exponential", "additive", "DMJ13 §5.3"),
    ("difference-logistic", "sst", "DMJ13 §5.3"),
]

INCONSISTENT = [
    ("linear", "acyclic", 3, "DMJ10 Eq. 16 fails"),
    ("regression", "acyclic", 3, "RAT13: P_f is a proper part of P_DAG"),
    ("difference-square", "acyclic", 4, "square is not nonincreasing"),
    ("difference-logistic", "any", 3, "DMJ10 Lemma 7"),
    ("margin-hinge", "low-noise", 3, "DMJ10 Theorem 12"),
    ("margin-logistic", "low-noise", 3, "DMJ10 Theorem 12"),
    ("margin-exponential", "additive", 3, "DMJ10 Theorem 12"),
]


@cache
def additive(name):
    return decide(surrogate(name), ["additive"])


def whole(decision):
    """The aggregate of the first witness in the smallest whole numbers."""
    rows = decision.witnesses[0].distribution.aggregate
    numbers = iter(integer_multiple([x for row in rows for x in row])[0])
    return [[next(numbers) for _ in row] for row in rows]


@pytest.mark.parametrize(("name", "a", "failure", "citation"), SMALLEST)
def test_smallest_additive_witness(name, a, failure, citation):
    decision = additive(name)
    witness = decision.witnesses[0]
    assert decision.verdict is Verdict.INCONSISTENT
    assert witness.verified.failure == failure
    found = whole(decision)
    assert sum(map(sum, found)) == sum(map(sum, a))
    assert sum(x > 0 for row in found for x in row) == 4


@pytest.mark.parametrize(("name", "condition", "citation"), CONSISTENT)
def test_consistent_by_theorem(name, condition, citation):
    (answer,) = decide(surrogate(name), [condition]).answers
    assert answer.verdict is Verdict.CONSISTENT
    assert answer.scope == "all m"
    assert citation in answer.reason


@pytest.mark.parametrize(("name", "condition", "m", "why"), INCONSISTENT)
def test_inconsistent_by_witness(name, condition, m, why):
    (answer,) = decide(surrogate(name), [condition]).answers
    assert answer.verdict is Verdict.INCONSISTENT
    assert answer.witness.distribution.m == m
    assert answer.witness.verified.conditions[condition]


def test_a_witness_for_the_smallest_condition_settles_the_larger_ones():
    decision = decide(surrogate("logistic"), implied_by("additive"))
    assert {a.verdict for a in decision.answers} == {Verdict.INCONSISTENT}
    assert len({a.witness.document["digest"] for a in decision.answers if a.witness}) == 1


def test_linear_is_right_up_to_net_order_and_wrong_beyond():
    asked = [name for name in CONDITIONS if name not in {"auc", "bradley-terry"}]
    right = {a.condition for a in decide("linear", asked).answers if a.verdict is Verdict.CONSISTENT}
    assert right == {"additive", "low-noise", "row-dominated", "net-order"}


STRONG = "strong-stochastic-transitivity"


def test_under_strong_transitivity_logistic_needs_four_items():
    """With three items every edge is dominated, whatever the counts."""
    (three,) = decide(surrogate("logistic"), [STRONG], items=3, effort=Effort(10)).answers
    assert (three.verdict, three.scope) == (Verdict.CONSISTENT, "m = 3")
    (answer,) = decide(surrogate("logistic"), [STRONG], effort=Effort(60)).answers
    assert answer.witness is not None and answer.witness.fails_under(STRONG)
    assert answer.witness.distribution.m == 4


def test_a_witness_settles_every_condition_that_holds_at_it():
    decision = decide(surrogate("linear"), [STRONG, "acyclic"], effort=Effort(30))
    strong, acyclic = decision.answers
    assert strong.witness is not None and acyclic.witness is strong.witness
    assert acyclic.reason == f"as under {STRONG}, which is narrower: the same example"


def test_hinge_has_ties_at_three_items_and_a_strict_inversion_at_four():
    decision = additive("hinge")
    assert decision.witnesses[0].verified.failure == "tie"
    assert decision.strict.verified.failure == "strict"
    assert decision.strict.distribution.m == 4


def test_some_witness_is_bad_for_every_convex_phi():
    decision = additive("logistic")
    assert decision.universal.verified.universal


@pytest.mark.parametrize("loss", [surrogate("margin-sigmoid"), surrogate(phi="max(0,min(1,-x))")], ids=str)
def test_no_verdict_without_convexity(loss):
    """Sigmoid and ramp are right by a theorem, and these are neither (see tests/decide/test_catalogue)."""
    decision = decide(loss, ["additive"], effort=Effort(5))
    assert decision.verdict is Verdict.UNDECIDED
    assert "not convex" in decision.answers[0].reason
    assert "searched" in decision.answers[0].reason


def test_the_same_seed_gives_the_same_document():
    first, second = (decide(surrogate("exponential"), ["additive"], seed=7) for _ in range(2))
    assert first.witnesses[0].document == second.witnesses[0].document


def test_a_used_up_budget_is_not_a_proof():
    decision = decide(surrogate("difference-square"), ["low-noise"], effort=Effort(0.0))
    assert decision.verdict is Verdict.UNDECIDED
    assert "budget used up" in decision.answers[0].reason


def test_where_all_preferences_balance_every_order_is_right():
    p = Distribution.from_aggregate([[0, 2, 1], [2, 0, 3], [1, 3, 0]])
    for name in ("logistic", "hinge", "sigmoid"):
        assert decide_profile(surrogate(name), p).verdict is Verdict.CONSISTENT


def test_weights_that_h_distorts_are_wrong_with_two_items():
    """1 → 2 of weight 2 with p = 1/4 and 2 → 1 of weight 1 with 3/4: h = a**2 weighs 1 against 3/4."""
    (answer,) = decide(surrogate("logistic", h="a**2"), "additive", items=2, effort=Effort(2)).answers
    assert answer.witness is not None and answer.witness.distribution.m == 2
    assert answer.verdict is Verdict.INCONSISTENT


def test_a_witness_for_every_phi_is_shown_only_under_what_was_asked():
    """P_12 = P_23 = 1 and P_13 = 2/3 there: additive, and not strongly transitive."""
    strong = decide("logistic", "strong-stochastic-transitivity", items=4, effort=Effort(seconds=4))
    assert strong.verdict is Verdict.INCONSISTENT
    assert strong.universal is None
    for witness in strong.witnesses:
        assert witness.fails_under("strong-stochastic-transitivity")
    additive = decide("logistic", "additive", items=3, effort=Effort(seconds=2))
    assert additive.universal is not None
    document = decision_document(additive, {}, {})["universal"]
    assert document["conditions"] == ["additive", "low-noise", "row-dominated", "net-order", "acyclic", "any"]


@pytest.mark.parametrize("target", [None, "ndcg"])
def test_no_condition_at_all_is_no_question(target):
    with pytest.raises(InputError, match="conditions is empty"):
        decide("hinge", [], target=target)


@pytest.mark.parametrize("name", ["logistic", "exponential", "square", "huberized-hinge", "squared-hinge"])
@pytest.mark.parametrize(
    "a", [[[0, 10**6 + 1], [10**6, 0]], [[0, 10**6, 5 * 10**6], [10**6 + 1, 0, 5 * 10**6], [3, 3, 0]]]
)
def test_near_ties_are_proved_for_smooth_losses(name, a):
    found = decide_profile(name, Distribution.from_aggregate(a))
    assert found.verdict is Verdict.CONSISTENT and found.witness is not None


@pytest.mark.parametrize("name", ["sigmoid", "ramp", "difference-ramp"])
def test_where_no_certificate_applies_a_theorem_speaks(name):
    cycle = Distribution.from_aggregate([[0, 3, 1], [1, 0, 2], [2, 1, 0]])
    found = decide_profile(name, cycle)
    assert (found.verdict, found.witness) == (Verdict.CONSISTENT, None)
    assert found.reason.startswith("ours (docs/theory.md, Bounded stand-ins)")


@pytest.mark.filterwarnings("error")
def test_no_warning_of_floats_reaches_the_user():
    """A slope that is attained nowhere: sqrt(1 + x^2) - x falls towards 0 like 1/(2 x)."""
    p = Distribution.from_aggregate([[0, 1, 1], [0, 0, 0], [2, 0, 0]])
    found = decide_profile(surrogate(phi="sqrt(1+x**2)-x"), p)
    assert found.verdict is Verdict.CONSISTENT and found.reason.startswith("Forests")
    wrong = Distribution.from_aggregate([[0, 3, 8, 1], [0, 0, 1, 1], [4, 0, 0, 1], [0, 0, 0, 0]])
    assert decide_profile(surrogate(phi="sqrt(1+x**2)-x"), wrong).verdict is not Verdict.CONSISTENT


MARGINS = [[[0, 24], [58, 0]], [[0, 64, 71], [28, 0, 70], [96, 17, 0]], [[0, 0, 0], [82, 0, 34], [96, 58, 0]]]


@pytest.mark.parametrize("a", MARGINS)
def test_large_margins_are_decided_where_floats_see_a_plateau(a):
    """The slopes of the logistic loss cancel there but for less than 1e-24 of them."""
    assert decide_profile("margin-logistic", Distribution.from_aggregate(a)).verdict is Verdict.CONSISTENT
