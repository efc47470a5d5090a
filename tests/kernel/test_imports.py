import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SHARED = ("core", "phi", "exact", "files", "errors")

HEAVY = ("numpy", "sympy", "scipy", "cvxpy", "highspy", "networkx", "typer", "pydantic", "matplotlib")
SCRIPT = """
import sys
import consistency_lab.kernel
print(*sorted({name.partition(".")[0] for name in sys.modules} & set(sys.argv[1:])))
print(*sorted(name for name in sys.modules if name.startswith("consistency_lab.")))
"""


def test_the_kernel_stands_on_exact_arithmetic_alone() -> None:
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT, *HEAVY], capture_output=True, text=True, check=True, timeout=60
    )
    heavy, ours = run.stdout.splitlines()
    assert heavy == ""
    layers = {name.split(".")[1] for name in ours.split()}
    assert layers == {"kernel", *SHARED}


@pytest.mark.parametrize("place", ["README.md", "CONTRIBUTING.md", "consistency_lab/kernel/__init__.py"])
def test_what_the_kernel_shares_with_the_search_is_said(place: str) -> None:
    """It shares the mathematics of `exact` and `phi`, so "no code" would be false."""
    text = " ".join((ROOT / place).read_text(encoding="utf-8").split())
    assert "shares no code" not in text
    said = [sentence for sentence in text.split(". ") if "kernel" in sentence or "stands on" in sentence]
    assert any("`exact`" in sentence and "`phi`" in sentence for sentence in said)
