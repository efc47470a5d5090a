"""What counts as a refutation by the core, and what does not."""

from sympy import symbols

from consistency_lab.book.polynomials import vanishes
from consistency_lab.book.risk import refuted_by_core, weights
from consistency_lab.book.statement import Line, step
from consistency_lab.model.surrogates import surrogate

WRONG = weights(3, {(1, 2): 1, (2, 3): 3})
TIED = weights(3, {(1, 2): 1, (2, 3): 2})
RIGHT = weights(3, {(1, 2): 1, (2, 3): 1, (1, 3): 2})


def test_a_strict_failure() -> None:
    assert refuted_by_core(surrogate("linear"), WRONG, "acyclic", strict=True).refuted


def test_the_condition_has_to_hold() -> None:
    found = refuted_by_core(surrogate("linear"), WRONG, "low-noise")
    assert not found.refuted
    assert "low-noise does not hold" in found.witness


def test_a_tie_is_not_strict() -> None:
    assert refuted_by_core(surrogate("linear"), TIED, "acyclic").refuted
    assert not refuted_by_core(surrogate("linear"), TIED, "acyclic", strict=True).refuted


def test_where_the_surrogate_is_right_nothing_is_refuted() -> None:
    found = refuted_by_core(surrogate("linear"), RIGHT, "additive")
    assert not found.refuted
    assert "no failure of linear was certified" in found.witness


def test_one_false_line_lets_a_step_fall() -> None:
    x = symbols("x", real=True)
    lines = [Line("1 = 1", True), "text", vanishes("x = 2x", x - 2 * x)]
    fallen = step("claim", "m = 2", "by looking", *lines)
    assert not fallen.stands
    assert fallen.finding.details == ("✓ 1 = 1", "text", "✗ x = 2x")
    assert step("claim", "m = 2", "by looking", *lines[:2]).stands
    assert not step("claim", "m = 2", "by looking", *lines[:2], False).stands
