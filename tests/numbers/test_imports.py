import subprocess
import sys

HEAVY = ["numpy", "scipy", "sympy", "cvxpy", "highspy", "networkx"]


def test_scalar_functions_are_pure_python_and_exact_arithmetic():
    code = (
        "import sys; from consistency_lab.numbers.phi import *; "
        "convexity_proof(named('logistic').expression); facts(parse('max(0,1-x)')); "
        f"sys.exit(any(name in sys.modules for name in {HEAVY}))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
