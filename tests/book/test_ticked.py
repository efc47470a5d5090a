"""A tick stands for what its line says: it is parsed from what is shown, and nothing else is given."""

import ast
from pathlib import Path

import pytest

from consistency_lab.apps.book import statements
from consistency_lab.apps.book.book import statement
from consistency_lab.apps.book.ticked import ticked

FILES = sorted(Path(statements.__path__[0]).glob("*.py"))


@pytest.mark.parametrize(
    "line",
    [
        *("a(b + c) = ab + ac", "−½(x − y)² = xy − ½x² − ½y²", "x < y for y = x + d, d > 0"),
        *("φ'(−x) + P u(x) − φ'(−x) = P u(x)", "f(x, y) − f(y, x) = −(f(y, x) − f(x, y))"),
        *("a + b = c = 2a for c = 2b, b = a", "∂/∂x (x³) = 3x²", "√x √x = x^(1/2 + 1/2) for x > 0"),
        *("max(x, 0) − max(−x, 0) = x", "|x|² = x²"),
    ],
)
def test_a_true_line_is_ticked(line):
    assert str(ticked(line)) == f"✓ {line}"


@pytest.mark.parametrize(
    "line",
    [
        *("(G_i − G_j) x ≥ 0", "w_ik p + w_jk q − w_ik q − w_jk p = (w_ik − w_jk)(p − q) ≥ 0"),
        *("κ − D = κ/(1 + Δ) > 0 for D = κΔ/(1 + Δ)", "(b − a)s = bs − as < 0 for s > 0", "a = a = b"),
        *("φ(2x) = 2φ(x)", "φ'(−x) = −φ'(x)", "u(x) = u(y)", "x² > 0", "√(x²) = x", "1 = 1 < 1"),
    ],
)
def test_a_line_that_says_more_than_is_true_is_not_ticked(line):
    assert not ticked(line).holds


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("a + b", "has no relation"),
        ("Σ x = Σ x", "is no algebra from 'Σ x"),
        ("a + = b", "stands where 'a term' is due"),
        ("(a = a", "stands where"),
        ("a = a, as is known", "is no algebra"),
        ("a = a for b", "nothing is said of 'b'"),
        ("a = a for b > 1", "nothing is said of 'b > 1'"),
        ("__import__('os') = 0", "is no algebra"),
    ],
)
def test_what_is_not_all_algebra_has_no_tick(line, said):
    with pytest.raises(ValueError, match=said.replace("(", r"\(")):
        ticked(line)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_who_ticks_algebra_gives_the_line_and_nothing_beside_it(path):
    for call in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name):
            assert call.func.id not in ("vanishes", "is_positive")
            if call.func.id == "ticked":
                assert not call.keywords and all(
                    isinstance(x, ast.Constant | ast.JoinedStr) for x in call.args
                )


def test_the_lines_of_a_row_are_shown_with_ticks():
    shown = [line for one in statement("theorem-13").check().findings for line in one.details]
    assert sum(line.startswith("✓") for line in shown) >= 3
