"""What believing a proof rests on."""

import subprocess
import sys
from pathlib import Path

HEAVY = ("numpy", "sympy", "scipy", "cvxpy", "highspy", "networkx", "typer", "pydantic", "matplotlib")

SCRIPT = """
import sys
import consistency_lab.core
print(*sorted({name.partition(".")[0] for name in sys.modules} & set(sys.argv[1:])))
print(*sorted({name.split(".")[1] for name in sys.modules if name.startswith("consistency_lab.")}))
"""


def test_the_core_stands_on_scalar_functions_and_exact_numbers_alone():
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT, *HEAVY], capture_output=True, text=True, check=True, timeout=60
    )
    assert run.stdout.splitlines() == ["", "core errors frozen numbers shown"]  # shown: at the door


def test_the_core_decides_files_by_itself(tmp_path):
    good = Path(__file__).parents[1] / "fixtures" / "by_hand" / "hinge-tie.json"
    text = good.read_text(encoding="utf-8")
    changes = {
        "false": text.replace('"regret": "1"', '"regret": "2"'),
        "twice": text.replace('"claim"', '"claim": "inconsistent", "claim"', 1),
        "other": "[]",
    }
    for name, changed in changes.items():
        assert changed != text
        (tmp_path / name).write_text(changed, encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-m", "consistency_lab.core", good, *(tmp_path / name for name in changes)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    accepted, *refused = run.stdout.splitlines()
    assert "claim='inconsistent', failure='tie', regret=Fraction(1, 1)" in accepted
    assert [line.partition(": ")[2] for line in refused] == [
        "REFUSED, the regret is stated as 2, but is 1",
        "REFUSED, a key appears twice in an object",
        "REFUSED, it has no entry 'proof'",
    ]
    assert run.returncode == 1
