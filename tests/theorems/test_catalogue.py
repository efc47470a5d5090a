"""Which theorem proves which surrogate under which condition, and what it refuses."""

from fractions import Fraction

import pytest

from consistency_lab.errors import InputError
from consistency_lab.model.surrogates import LinearSurrogate, Surrogate, surrogate
from consistency_lab.phi import parse
from consistency_lab.theorems.base import THEOREM
from consistency_lab.theorems.catalogue import THEOREMS, consistency_theorem, refusals

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
        ("difference-square", ("additive",), "consistency_lab, theorems/square_difference.py (with proof)"),
    ],
)
def test_what_is_proved(name: str, proved: tuple[str, ...], citation: str) -> None:
    for condition in proved:
        evidence = consistency_theorem(surrogate(name), condition)
        assert evidence is not None
        assert (evidence.kind, evidence.citation, evidence.scope) == (THEOREM, citation, "all m")
        assert evidence.hypotheses
        assert all(statement and how for statement, how in evidence.hypotheses)


@pytest.mark.parametrize(
    ("name", "conditions"),
    [
        ("logistic", ALL),
        ("hinge", ALL),
        ("sigmoid", ALL),
        ("margin-logistic", ALL),
        ("linear", ("acyclic", "any")),
        ("regression", ("acyclic", "any")),
        ("difference-logistic", ("any",)),
        ("difference-square", ALL[1:]),
    ],
)
def test_what_is_not_proved(name: str, conditions: tuple[str, ...]) -> None:
    assert [consistency_theorem(surrogate(name), condition) for condition in conditions] == [None] * len(
        conditions
    )


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
def test_difference_losses_by_expression(phi: str, proved: bool) -> None:
    assert (consistency_theorem(surrogate(phi=phi, form="difference"), "acyclic") is not None) is proved


def _linear(r: str, nu: int = 1) -> Surrogate:
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
def test_regularizers(r: str, proved: bool) -> None:
    assert (consistency_theorem(_linear(r), "low-noise") is not None) is proved


def test_theorem_13_needs_a_differentiable_regularizer() -> None:
    # Strictly convex and 1-coercive, as the paper asks. Yet with d_12 = 1/2 the minimizer of
    # (alpha_2 - alpha_1)/2 + r(alpha_1) + r(alpha_2) is (0, 0), a tie on the edge 1 → 2: 0 lies in the
    # subdifferential there, -1/2 + [-1, 1] and 1/2 + [-1, 1], and r is strictly convex.
    kinked = _linear("x**2/2+abs(x)")
    assert consistency_theorem(kinked, "additive") is None
    assert refusals(kinked, "additive")[0].reason.startswith(
        "DMJ10 Corollary 15 assumes that r is differentiable"
    )


@pytest.mark.parametrize(
    ("name", "condition", "reason"),
    [
        ("difference-square", "acyclic", "DMJ13 §5.3 assumes that phi is nonincreasing"),
        ("difference-logistic", "any", "DMJ13 §5.3 assumes acyclic, which any does not imply"),
        ("linear", "acyclic", "DMJ10 Corollary 15 assumes low-noise, which acyclic does not imply"),
    ],
)
def test_refusals_say_why(name: str, condition: str, reason: str) -> None:
    assert refusals(surrogate(name), condition)[0].reason.startswith(reason)


def test_no_theorem_is_about_edge_losses() -> None:
    assert refusals(surrogate("logistic"), "additive") == ()


def test_unknown_conditions_are_refused() -> None:
    with pytest.raises(InputError, match="did you mean 'acyclic'"):
        consistency_theorem(surrogate("linear"), "acylic")


def test_the_table_is_complete() -> None:
    assert [theorem.name for theorem in THEOREMS] == [
        "DMJ10 Corollary 15",
        "DMJ10 Theorem 13",
        "RAT13 Theorem 6",
        "DMJ13 §5.3",
        "DMJ13 §5.3 without convexity",
        "Square loss on additive differences",
    ]
    assert all(theorem.statement and theorem.hypotheses for theorem in THEOREMS)
