"""What believing a proof rests on."""

import subprocess
import sys

HEAVY = ("numpy", "sympy", "scipy", "cvxpy", "highspy", "networkx", "typer", "pydantic", "matplotlib")

SCRIPT = """
import sys
import consistency_lab.core
print(*sorted({name.partition(".")[0] for name in sys.modules} & set(sys.argv[1:])))
print(*sorted({name.split(".")[1] for name in sys.modules if name.startswith("consistency_lab.")}))
"""


def test_the_core_stands_on_scalar_functions_and_exact_numbers_alone() -> None:
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT, *HEAVY], capture_output=True, text=True, check=True, timeout=60
    )
    assert run.stdout.splitlines() == ["", "core errors exact frozen"]
