"""Which theorem proves which surrogate under which condition, and what it refuses."""

import ast
import re
from fractions import Fraction
from pathlib import Path

import pytest

import consistency_lab
from consistency_lab.apps.book.book import statement, titles
from consistency_lab.apps.book.statement import Kind, Outcome
from consistency_lab.decide.answers import Verdict
from consistency_lab.decide.profile import decide_profile
from consistency_lab.decide.surrogate import decide
from consistency_lab.decide.theorems.base import THEOREM
from consistency_lab.decide.theorems.catalogue import consistency_theorem, refusals, theorems
from consistency_lab.errors import InputError
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import LinearSurrogate, surrogate
from consistency_lab.numbers.phi import parse

NET_ORDER = ("additive", "low-noise", "net-order")
ACYCLIC = (*NET_ORDER, "acyclic")
ALL = (*ACYCLIC, "any")


@pytest.mark.parametrize(
    ("name", "proved", "citation"),
    [
        ("linear", ("additive", "low-noise"), "DMJ10 Corollary 15 (Theorem 13 with Lemma 14)"),
        ("linear", ("net-order",), "DMJ10 Theorem 13 (with Eq. 15 and 16)"),
        ("regression", NET_ORDER, "RAT13 Theorem 6"),
        ("difference-logistic", ACYCLIC, "DMJ13 §5.3"),
        ("difference-hinge", ACYCLIC, "DMJ13 §5.3"),
        ("difference-exponential", ACYCLIC, "DMJ13 §5.3"),
        ("difference-squared-hinge", ACYCLIC, "DMJ13 §5.3"),
        ("difference-sigmoid", ACYCLIC, "DMJ13 §5.3 (its proof does not use convexity)"),
        ("difference-ramp", ACYCLIC, "DMJ13 §5.3 (its proof does not use convexity)"),
        ("difference-square", ("additive", "auc"), "ours (square-difference in the theorem book)"),
    ],
)
def test_what_is_proved(name, proved, citation):
    for condition in proved:
        evidence = consistency_theorem(surrogate(name), condition)
        assert (evidence.kind, evidence.citation, evidence.scope) == (THEOREM, citation, "all m")
        assert evidence.hypotheses
        assert all(statement and how for statement, how in evidence.hypotheses)


@pytest.mark.parametrize(
    ("name", "conditions"),
    [
        ("logistic", ALL),
        ("hinge", ALL),
        ("margin-sigmoid", ALL),
        ("margin-logistic", ALL),
        ("linear", ("acyclic", "any")),
        ("regression", ("acyclic", "any")),
        ("difference-logistic", ("any",)),
        ("difference-square", ALL[1:]),
    ],
)
def test_what_is_not_proved(name, conditions):
    assert {consistency_theorem(surrogate(name), condition) for condition in conditions} == {None}


@pytest.mark.parametrize(
    ("phi", "proved"),
    [
        ("log(1+exp(-2*x))", True),
        ("log(1+exp(1-x))/log(2)", True),
        ("max(0, 1-x)**3", True),
        ("(1-x)**2", False),  # not nonincreasing
        ("exp(-x)+x**2", False),
        ("max(0, -x)", False),  # phi(0) = inf phi: every score vector ties with the best
        ("-x", False),  # not bounded below
        ("max(1, 2)", False),
    ],
)
def test_difference_losses_by_expression(phi, proved):
    assert (consistency_theorem(surrogate(phi=phi, form="difference"), "acyclic") is not None) is proved


def _linear(r, nu=1):
    return LinearSurrogate("linear", parse(r), Fraction(nu))


@pytest.mark.parametrize(
    ("r", "proved"),
    [
        ("x**2/2", True),
        ("x**4", True),
        ("x**2+max(0,x)**2", True),
        ("exp(x)+exp(-x)", True),
        ("x**2/2+log(1+exp(x))", True),
        ("3*exp(x)+exp(-2*x)/5", True),
        ("exp(x)", False),  # not 1-coercive: W need not attain its minimum
        ("sqrt(1+x**2)", False),  # strictly convex, but grows linearly
        ("max(0,x)**2", False),  # not strictly convex
        ("max(0,x)**2+max(0,-x-1)**2", False),  # flat in between
        ("abs(x)", False),
        ("-x**2", False),
    ],
)
def test_regularizers(r, proved):
    assert (consistency_theorem(_linear(r), "low-noise") is not None) is proved


def test_theorem_13_needs_a_differentiable_regularizer():
    # Strictly convex and 1-coercive, as the paper asks. Yet with d_12 = 1/2 the minimizer of
    # (alpha_2 - alpha_1)/2 + r(alpha_1) + r(alpha_2) is (0, 0), a tie on the edge 1 → 2: 0 lies in the
    # subdifferential there, -1/2 + [-1, 1] and 1/2 + [-1, 1], and r is strictly convex.
    kinked = _linear("x**2/2+abs(x)")
    assert consistency_theorem(kinked, "additive") is None
    reason = refusals(kinked, "additive")[0].reason
    assert reason.startswith("DMJ10 Corollary 15 assumes that r is differentiable")


@pytest.mark.parametrize(
    ("name", "condition", "reason"),
    [
        ("difference-square", "acyclic", "DMJ13 §5.3 assumes that phi is nonincreasing"),
        ("difference-logistic", "any", "DMJ13 §5.3 assumes acyclic, which any does not imply"),
        ("linear", "acyclic", "DMJ10 Corollary 15 assumes low-noise, which acyclic does not imply"),
    ],
)
def test_refusals_say_why(name, condition, reason):
    assert refusals(surrogate(name), condition)[0].reason.startswith(reason)


def test_of_more_than_two_items_no_theorem_speaks_for_a_convex_edge_loss():
    said = [refusal.reason for refusal in refusals(surrogate("logistic"), "additive")]
    assert said[0] == "Two items covers only m = 2" and "Bounded stand-ins assumes" in said[1]
    with pytest.raises(InputError, match="did you mean 'acyclic'"):
        consistency_theorem(surrogate("linear"), "acylic")
    assert all(theorem.hypotheses for theorem in theorems())


SECTIONS = {
    "Balanced counts": "weighted-borda",
    "Bounded stand-ins": "bounded-stand-ins",
    "Components": "components",
    "Designs": "product-designs",
    "Exchangeable items": "exchangeable",
    "Orders by addition": "domination",
    "Two items": "forests",
}
"""Sections of docs/theory.md that a verdict cites, each with a statement of the book that proves it.

"Designs" are the theorems of the catalog, which name their own statements.
"""


@pytest.mark.long
@pytest.mark.parametrize("name", sorted({theorem.statement for theorem in theorems()}))
def test_a_verdict_rests_on_a_statement_that_the_book_proves(name):
    assert name in titles()
    row = statement(name)
    found = row.check()
    assert found.outcome is row.claimed is Outcome.HOLDS
    assert found.kind is not Kind.TEST
    assert row.variants


def test_sections_that_verdicts_cite_have_a_statement_of_the_book():
    package = Path(consistency_lab.__file__).parent
    files = [path for name in ("decide", "apps/audit") for path in (package / name).rglob("*.py")]
    cited = {
        match[1]
        for path in files
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        for match in re.finditer(r"[(,]? ?docs/theory\.md, ([A-Z][a-z -]+)\)?$", node.value.strip())
    }
    assert cited - {"Scores from features"} <= set(SECTIONS)
    assert {"Components", "Exchangeable items", "Two items"} <= cited
    assert set(SECTIONS.values()) <= set(titles())


@pytest.mark.parametrize("name", ["sigmoid", "ramp", "difference-sigmoid", "difference-ramp"])
def test_bounded_stand_ins_are_right_everywhere(name):
    evidence = consistency_theorem(surrogate(name), "any")
    assert evidence is not None and evidence.scope == "all m"
    assert evidence.citation == "ours (docs/theory.md, Bounded stand-ins)"


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("2/(1+exp(3*x))", True),
        ("max(0,min(1,2-x))", True),
        ("1/(1+exp(x-1))", False),  # not 1/2 at 0: no chances of orders
        ("1/(1+exp(-x))", False),  # it rises
        ("max(0,min(1,-x))", False),  # it has fallen to 0 at 0
        ("max(0,min(1,1-x)-max(0,x-2))", True),
        ("1/(2+exp(x))", False),
        ("max(0,1-x)", False),  # not bounded
    ],
)
def test_what_stands_in_for_the_target(text, right):
    assert (consistency_theorem(surrogate(phi=text), "any") is not None) is right


@pytest.mark.parametrize("name", ["logistic", "exponential", "hinge", "square", "difference-square"])
def test_two_items_are_right_for_every_convex_phi_that_falls_at_0(name):
    evidence = consistency_theorem(surrogate(name), "any", m=2)
    assert evidence is not None and evidence.scope == "m = 2"
    assert consistency_theorem(surrogate(name), "any", m=3) is None
    decision = decide(name, items=2)
    assert decision.verdict is Verdict.CONSISTENT and not decision.effort.distributions


@pytest.mark.parametrize(
    ("phi", "proved"),
    [("(1-x)**2", True), ("3*x**2-x/2+7", True), ("x**2", False), ("x**2+x", False), ("x**4-x", False)],
)
def test_parabolas_that_fall_at_zero_are_consistent_on_additive_differences(phi, proved):
    loss = surrogate(phi=phi, form="difference")
    assert (consistency_theorem(loss, "additive") is not None) is proved
    assert consistency_theorem(loss, "low-noise") is None


@pytest.mark.parametrize(
    ("condition", "a"),
    [
        ("acyclic", [[0, 4, 0, 4], [0, 0, 1, 0], [0, 0, 0, 4], [0, 0, 0, 0]]),  # a long way round
        ("low-noise", [[0, 9, 15, 72], [0, 0, 6, 7], [0, 0, 0, 1], [0, 0, 0, 0]]),
    ],
)
def test_the_square_loss_of_differences_fails_on_four_items(condition, a):
    found = decide_profile("difference-square", Distribution.from_aggregate(a))
    assert found.witness.fails_under(condition)


@pytest.mark.parametrize(
    ("form", "phi", "why"),
    [
        ("edge", "max(-x,-2*x)", "a kink at 0"),
        ("edge", "x**2", "no slope at 0"),
        ("margin", "log(1+exp(-x))", "weights are margins there"),
    ],
)
def test_two_items_fail_without_the_hypotheses(form, phi, why):
    phi = phi if "log" in phi else f"max({phi},0)"
    loss = surrogate(phi=phi, form=form)
    assert consistency_theorem(loss, "any", m=2) is None
    assert decide(loss, "any", items=2).verdict is Verdict.INCONSISTENT
