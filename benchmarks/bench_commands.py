"""Time of whole commands in a new process, what they load, and of verifying, searching and certifying here.

Run with ``python benchmarks/bench_commands.py``. A command's peer is a Python that starts and imports what a
direct script for the same job would need: nothing, python-flint, or cvxpy.
"""

import os
import subprocess
import sys
from pathlib import Path
from time import perf_counter

import numpy as np
from timing import best_of, print_table

from consistency_lab.certify.proofs.file import verify
from consistency_lab.certify.witness import certify
from consistency_lab.core.document import INCONSISTENT
from consistency_lab.files import read_json
from consistency_lab.model.surrogates import surrogate
from consistency_lab.search.effort import Effort
from consistency_lab.search.forward import space, suspects_of_weight
from consistency_lab.search.inverse import InversePrograms, shapes
from consistency_lab.search.size import TermTable, realize

GALLERY = Path(__file__).parent.parent / "counterexamples"
REPEATS = 5
TOOL = [sys.executable, "-m", "consistency_lab"]
COMMANDS = (
    ("--help", [*TOOL, "--help"], "0.30", "import nothing", "pass"),
    ("verify, one file", [*TOOL, "verify"], "0.25", "import flint", "import flint"),
    ("check logistic", [*TOOL, "check", "logistic", "--no-save"], "2.00", "import cvxpy", "import cvxpy"),
)


def run(command: list[str]) -> None:
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)


def measure_commands() -> list[list[str]]:
    first = str(sorted(GALLERY.glob("*.json"))[0])
    rows = []
    for name, command, target, peer, code in COMMANDS:
        whole = [*command, first] if "verify" in command else command
        ours = best_of(REPEATS, lambda whole=whole: run(whole))
        theirs = best_of(REPEATS, lambda code=code: run([sys.executable, "-c", code]))
        rows.append([name, peer, f"{ours:.3f} s", f"{theirs:.3f} s", f"{ours / theirs:.2f}", f"< {target} s"])
    return rows


COLD = (
    ("verify, one file", ["verify", str(sorted(GALLERY.glob("*.json"))[0])], "40"),
    ("check logistic", ["check", "logistic", "--no-save"], "120"),
    ("check softmax --target ndcg", ["check", "softmax", "--target", "ndcg", "--no-save"], ""),
    ("audit vermont.toc", ["audit", "vermont.toc"], ""),
)
LOADED = """
import sys
from consistency_lab.cli.running import run
run(sys.argv[1:])
print(sum(name.startswith("consistency_lab") for name in sys.modules), file=sys.stderr)
"""


def cpu_of_process(command: list[str]) -> float:
    """The seconds of a processor, of the user and the system, that a process took."""
    with (
        Path(os.devnull).open("w") as nowhere,
        subprocess.Popen(command, stdout=nowhere, stderr=nowhere) as process,
    ):
        _, _, used = os.wait4(process.pid, 0)
        process.returncode = 0
    return used.ru_utime + used.ru_stime


def measure_cold() -> list[list[str]]:
    """The least of several, all in turn, so that a busy machine slows each of them down."""
    processes = {name: [*TOOL, *words] for name, words, _ in COLD}
    processes["numpy"] = [sys.executable, "-c", "import numpy"]
    least = dict.fromkeys(processes, float("inf"))
    for _ in range(REPEATS):
        for name, command in processes.items():
            least[name] = min(least[name], cpu_of_process(command))
    rows = []
    for name, words, most in COLD:
        told = subprocess.run(
            [sys.executable, "-c", LOADED, *words], capture_output=True, text=True, check=False
        )
        loaded, ratio = told.stderr.split()[-1], least[name] / least["numpy"]
        rows.append([name, f"{least[name]:.3f} s", f"{ratio:.2f}", loaded, most])
    return rows


def measure_verify() -> list[list[str]]:
    rows = []
    for path in sorted(GALLERY.glob("*.json")):
        document = read_json(path)
        assert isinstance(document, dict)
        verify(document)
        seconds = best_of(20, lambda document=document: verify(document))
        rows.append([path.stem.rpartition("-")[0], f"{seconds * 1e3:.2f} ms"])
    return rows


def measure_search() -> list[list[str]]:
    """All suspects of total weight 20 with 3 items under additive differences, then certificates of some."""
    rows = []
    for name in ("logistic", "exponential", "squared-hinge"):
        loss, effort = surrogate(name), Effort(600)
        table, aggregates = TermTable(loss, 3), space("additive", 3, True)
        start = perf_counter()
        suspects = [s for total in range(2, 25) for s in suspects_of_weight(aggregates, total, table, effort)]
        screened = effort.distributions / (perf_counter() - start)
        start = perf_counter()
        accepted = 0
        for suspect in suspects[:100]:
            witness = certify(loss, realize(loss, suspect.a))
            accepted += witness is not None and witness.verified.claim == INCONSISTENT
        certified = accepted / (perf_counter() - start)
        rows.append([name, f"{effort.distributions:,}", f"{screened:,.0f}", f"{certified:.0f}"])
    return rows


def measure_inverse() -> list[list[str]]:
    """Random scores; the worst distribution for each is one program, built and solved."""
    rows = []
    for name in ("logistic", "exponential", "squared-hinge", "hinge"):
        for m, count in ((3, 50_000), (4, 10_000), (5, 2_000)):
            loss = surrogate(name)
            programs = InversePrograms(TermTable(loss, m), next(shapes(loss, "additive", m)))
            scores = np.random.default_rng(m).integers(0, 17, (count, m)) / 4
            few = scores[:200]
            known = programs.solve(few, ties=False, machine_code=False).regret
            assert np.allclose(known, programs.solve(few, ties=False, machine_code=True).regret, atol=1e-7)
            ours = best_of(REPEATS, lambda p=programs, s=scores: p.solve(s, ties=False, machine_code=True))
            theirs = best_of(REPEATS, lambda p=programs, s=few: p.solve(s, ties=False, machine_code=False))
            rows.append([name, str(m), f"{count / ours:,.0f}", f"{len(few) / theirs:,.0f}"])
    return rows


def main() -> None:
    print_table(
        "Commands in a new process",
        ["command", "peer: start Python and", "ours", "peer", "ours / peer", "target"],
        measure_commands(),
        texts=2,
    )
    print_table(
        "Processor time of commands in a new process, and how many modules of ours they load",
        ["command", "CPU", "CPU / import numpy", "modules", "aim"],
        measure_cold(),
    )
    print_table(
        "Verification in process, per witness of the gallery", ["witness", "verify"], measure_verify()
    )
    print_table(
        "Search with 3 items, additive differences",
        ["surrogate", "distributions", "screened a second", "certified a second"],
        measure_search(),
    )
    print_table(
        "Inverse programs a second, additive differences",
        ["surrogate", "m", "machine code", "HiGHS, one by one"],
        measure_inverse(),
    )


if __name__ == "__main__":
    main()
