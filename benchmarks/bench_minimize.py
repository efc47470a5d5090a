"""Time to minimize one logistic risk: machine code and NumPy against cvxpy and SciPy, in one run.

Run with ``python benchmarks/bench_minimize.py``; with ``--plot docs/growth.svg`` a picture is drawn too. All
solvers get the same dense random risks and are checked to find the same minimizers, ours to a gradient norm
of 1e-10; times are for one risk, the best of a few runs. Ours use all processors, the others one.
"""

import argparse
import subprocess
import sys
import tracemalloc
import warnings
from fractions import Fraction
from itertools import islice, permutations
from pathlib import Path

import cvxpy as cp
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize as scipy_minimize
from timing import best_of, print_table, single_threaded

from consistency_lab.model.surrogates import pair, surrogate
from consistency_lab.numbers.phi import named
from consistency_lab.search.effort import Effort
from consistency_lab.search.forward import Space, space, suspects_of_weight
from consistency_lab.search.size import TermTable
from consistency_lab.solve.batch import minimize_batch
from consistency_lab.solve.numeric import RiskStructure

Array = NDArray[np.float64]

BATCH = 100_000
SIZES = (3, 5, 10)
TARGETS = {3: "<= 0.3 µs", 10: "<= 3 µs"}
LOSSES = ("squared-hinge", "square", "smoothed-hinge", "huberized-hinge", "logistic", "exponential")
GROWING = (3, 4, 5, 8, 10)
BATCHES = (10**3, 10**4, 10**5, 10**6)
LARGEST = 30_000_000
"""Coefficients of the largest batch: 240 MB."""
CLARABEL = {"solver": cp.CLARABEL, "tol_gap_abs": 1e-12, "tol_gap_rel": 1e-12, "tol_feas": 1e-12}


def structure_of(name: str, m: int) -> RiskStructure:
    phi = named(name).expression
    return RiskStructure.of([pair(Fraction(1), phi, i, j) for i, j in permutations(range(m), 2)], m)


def with_cvxpy(V: Array, c: Array) -> Array:
    alpha = cp.Variable(V.shape[1])
    risk = c @ cp.logistic(-V @ alpha)
    cp.Problem(cp.Minimize(risk), [cp.sum(alpha) == 0]).solve(**CLARABEL)
    return np.asarray(alpha.value)


class WithParameters:
    """cvxpy with the coefficients as parameters: canonicalized once, then only solved."""

    def __init__(self, V: Array) -> None:
        self.alpha = cp.Variable(V.shape[1])
        self.c = cp.Parameter(len(V), nonneg=True)
        risk = self.c @ cp.logistic(-V @ self.alpha)
        self.problem = cp.Problem(cp.Minimize(risk), [cp.sum(self.alpha) == 0])

    def solve(self, c: Array) -> Array:
        self.c.value = c
        self.problem.solve(**CLARABEL)
        return np.asarray(self.alpha.value)


def with_scipy(V: Array, c: Array, options: dict[str, float]) -> Array:
    def risk(alpha: Array) -> tuple[float, Array]:
        x = V @ alpha
        small = np.exp(-np.abs(x))
        value = np.maximum(-x, 0) + np.log1p(small)
        slope = -np.where(x > 0, small, 1.0) / (1 + small)
        return float(c @ value), V.T @ (c * slope)

    start = np.zeros(V.shape[1])
    found = scipy_minimize(risk, start, jac=True, method="L-BFGS-B", options=options).x
    return np.asarray(found - found.mean())


def risks(name: str, m: int, batch: int) -> tuple[RiskStructure, Array]:
    structure = structure_of(name, m)
    return structure, np.random.default_rng(m).uniform(0, 1, (batch, len(structure.V)))


def seconds(name: str, m: int, batch: int, *, compiled: bool, repeats: int = 7) -> float:
    """Seconds for one risk, the kept code being loaded before."""
    structure, C = risks(name, m, batch)
    found = minimize_batch(structure, C[:300], compiled=compiled)
    assert found.converged.all()
    return best_of(repeats, lambda: minimize_batch(structure, C, compiled=compiled)) / batch


def compare(m: int) -> list[list[str]]:
    structure, C = risks("logistic", m, BATCH)
    V = structure.V.astype(float)
    found = minimize_batch(structure, C, compiled=True)
    assert found.gradient_norm.max() <= 1e-10
    ours = seconds("logistic", m, BATCH, compiled=True, repeats=15)
    numpy_alone = seconds("logistic", m, BATCH // 5, compiled=False)
    difference = np.abs(
        minimize_batch(structure, C[:1000], compiled=False).scores - found.scores[:1000]
    ).max()
    parameters = WithParameters(V)
    parameters.solve(C[0])
    exact = {"ftol": 1e-15, "gtol": 1e-10}
    peers = [
        ("cvxpy + Clarabel 1e-12", 20, lambda c: with_cvxpy(V, c)),
        ("cvxpy with DPP parameters", 40, parameters.solve),
        ("SciPy L-BFGS-B, gradient 1e-10", 150, lambda c: with_scipy(V, c, exact)),
        ("SciPy L-BFGS-B, defaults", 150, lambda c: with_scipy(V, c, {})),
    ]
    target = TARGETS.get(m, "")
    rows = [
        [str(m), "machine code", f"{ours * 1e6:.3f} µs", "1", "", target],
        [
            str(m),
            "NumPy Newton",
            f"{numpy_alone * 1e6:.2f} µs",
            f"{numpy_alone / ours:.0f}",
            f"{difference:.0e}",
        ],
    ]
    for name, count, solve in peers:
        error = max(float(np.abs(solve(C[k]) - found.scores[k]).max()) for k in range(10))
        spent = best_of(3, lambda count=count, solve=solve: [solve(c) for c in C[:count]]) / count
        rows.append([str(m), name, f"{spent * 1e6:.0f} µs", f"{spent / ours:,.0f}", f"{error:.0e}"])
    return [[*row, ""][:6] for row in rows]


def of_all_kinds() -> list[list[str]]:
    rows = []
    for name in LOSSES:
        row = [name]
        for m in SIZES:
            both = [seconds(name, m, BATCH // 5, compiled=which, repeats=3) for which in (True, False)]
            row.append(" / ".join(f"{spent * 1e6:.2f}" for spent in both))
        rows.append(row)
    structure, C = risks("hinge", 3, BATCH // 5)
    spent = best_of(3, lambda: minimize_batch(structure, C)) / len(C)
    rows.append(["hinge (evaluated on its lattice)", f"{spent * 1e6:.2f}", *["" for _ in SIZES[1:]]])
    return rows


def growth() -> dict[int, list[tuple[int, float, float]]]:
    """For each number of items: batch, seconds for the batch, and bytes needed beside the risks."""
    measured: dict[int, list[tuple[int, float, float]]] = {}
    for m in GROWING:
        for batch in BATCHES:
            if batch * m * (m - 1) > LARGEST:
                continue
            structure, C = risks("logistic", m, batch)
            minimize_batch(structure, C[:300], compiled=True)
            spent = best_of(5, lambda s=structure, C=C: minimize_batch(s, C, compiled=True))
            tracemalloc.start()
            minimize_batch(structure, C, compiled=True)
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            measured.setdefault(m, []).append((batch, spent, peak))
    return measured


def growth_rows(measured: dict[int, list[tuple[int, float, float]]]) -> list[list[str]]:
    rows = []
    for m, line in measured.items():
        cells = [f"{spent / batch * 1e6:.3f}" for batch, spent, _ in line]
        batch, _, peak = line[-1]
        rows.append([str(m), *cells, *[""] * (len(BATCHES) - len(cells)), f"{peak / batch:.0f}"])
    return rows


def plot(measured: dict[int, list[tuple[int, float, float]]], path: Path) -> None:
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    mpl.rcParams["svg.hashsalt"] = "growth"
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    for m, line in measured.items():
        batches, spent, peaks = (np.array(column) for column in zip(*line, strict=True))
        left.loglog(batches, spent * 1e3, "o-", label=f"{m} items")
        right.loglog(batches, peaks / 1e6, "o-", label=f"{m} items")
    for axes, label in ((left, "milliseconds for the batch"), (right, "working memory, megabytes")):
        axes.set_xlabel("risks in the batch")
        axes.set_ylabel(label)
        axes.grid(which="major", alpha=0.3)
    left.legend(frameon=False)
    figure.savefig(path, metadata={"Date": None})


def forward() -> list[list[str]]:
    """Whole-number distributions of three items from their listing to the ranking of the suspects."""
    rows = []
    for name in ("logistic", "exponential", "squared-hinge"):
        table, aggregates = TermTable(surrogate(name), 3), space("additive", 3, True)

        def search(totals: range, table: TermTable = table, aggregates: Space = aggregates) -> int:
            effort = Effort(600, distributions=10**9)  # so much has been done that machine code is worth it
            for total in totals:
                list(islice(suspects_of_weight(aggregates, total, table, effort), 8))
            return effort.distributions - 10**9

        count = search(range(60, 80))
        spent = best_of(5, lambda search=search: search(range(60, 80)))
        rows.append([name, f"{count:,}", f"{count / spent:,.0f}", ">= 1,000,000"])
    return rows


def start() -> list[list[str]]:
    """What the first call costs in a new process, once the code is kept on disk."""
    code = (
        "import numpy as np\nfrom time import perf_counter\n"
        "from consistency_lab.model.surrogates import surrogate\n"
        "from consistency_lab.search.size import TermTable\n"
        "from consistency_lab.solve.batch import minimize_batch\n"
        "structure = TermTable(surrogate('logistic'), 3).structure\n"
        "begin = perf_counter()\nminimize_batch(structure, np.ones((1, 6)), compiled={})\n"
        "print(perf_counter() - begin)"
    )
    rows = []
    for name, which in (("machine code", True), ("NumPy", False)):
        spent = min(
            float(
                subprocess.run(
                    [sys.executable, "-c", code.format(which)], capture_output=True, check=True
                ).stdout
            )
            for _ in range(5)
        )
        rows.append([name, f"{spent * 1e3:.0f} ms"])
    return rows


def main() -> None:
    single_threaded()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plot", type=Path, help="also draw the growth of time and memory, as SVG")
    options = parser.parse_args()
    # At a tolerance of 1e-12 the conic solver often says that it came almost, not quite, that far.
    warnings.filterwarnings("ignore", message="Solution may be inaccurate")
    rows = [row for m in SIZES for row in compare(m)]
    headers = ["m", "solver", "a risk", "times ours", "differs by", "target"]
    print_table(f"Minimize one logistic risk (batches of {BATCH:,})", headers, rows, texts=2)
    headers = ["loss", *(f"m = {m}" for m in SIZES)]
    print_table("Other losses: machine code / NumPy, µs a risk", headers, of_all_kinds())
    measured = growth()
    headers = ["m", *(f"{batch:,}" for batch in BATCHES), "bytes a risk"]
    print_table("Growth with the batch, µs a risk", headers, growth_rows(measured))
    print_table("The first call in a new process", ["by", "takes"], start())
    headers = ["surrogate", "distributions", "screened a second", "target"]
    print_table("Forward search with 3 items, additive differences", headers, forward())
    if options.plot:
        plot(measured, options.plot)


if __name__ == "__main__":
    main()
