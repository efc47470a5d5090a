from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HEAVY = ("numpy", "sympy", "scipy", "cvxpy", "highspy", "networkx", "typer", "pydantic", "matplotlib")


@pytest.mark.parametrize("place", ["README.md", "CONTRIBUTING.md", "consistency_lab/kernel/__init__.py"])
def test_what_the_kernel_shares_with_the_search_is_said(place: str) -> None:
    """It shares the mathematics of `exact` and `phi`, so "no code" would be false."""
    text = " ".join((ROOT / place).read_text(encoding="utf-8").split())
    assert "shares no code" not in text
    said = [sentence for sentence in text.split(". ") if "kernel" in sentence or "stands on" in sentence]
    assert any("`exact`" in sentence and "`phi`" in sentence for sentence in said)
