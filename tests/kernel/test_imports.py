import subprocess
import sys

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
    assert layers == {"core", "kernel", "phi", "exact", "files", "errors"}
