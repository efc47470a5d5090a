"""What checking a file loads: nothing heavy, and nothing of tasks for a file about preference graphs."""

import subprocess
import sys

from ..test_imports import HEAVY

SCRIPT = """
import sys
import consistency_lab.kernel
print(*(name for name in sys.modules if name.startswith("consistency_lab.kernel.tasks")))
import consistency_lab.kernel.tasks.verify
import consistency_lab.kernel.tasks.equilibrium
print(*sorted({name.partition(".")[0] for name in sys.modules} & set(sys.argv[1:])))
print(*sorted(name for name in sys.modules if name.startswith("consistency_lab.")))
"""


def test_the_checker_of_tasks_is_loaded_on_demand_and_stands_on_exact_arithmetic_alone() -> None:
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT, *HEAVY], capture_output=True, text=True, check=True, timeout=60
    )
    early, heavy, ours = run.stdout.splitlines()
    assert (early, heavy) == ("", "")
    layers = {name.split(".")[1] for name in ours.split()}
    assert layers == {"core", "kernel", "phi", "exact", "files", "errors"}
