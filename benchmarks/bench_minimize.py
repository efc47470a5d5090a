"""Time to minimize one logistic risk: the batched Newton method against cvxpy and SciPy, in one run.

Run with ``python benchmarks/bench_minimize.py``. All solvers get the same dense random risks and are checked
to find the same minimizers; times are for one risk, the best of a few runs.
"""

import warnings
from fractions import Fraction
from itertools import permutations

import cvxpy as cp
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize as scipy_minimize
from timing import best_of, print_table, single_threaded

from consistency_lab.model.surrogates import pair
from consistency_lab.phi import named
from consistency_lab.solve.batch import minimize_batch
from consistency_lab.solve.structure import RiskStructure

Array = NDArray[np.float64]

BATCH = 4000
SIZES = (3, 5, 10)
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


def compare(m: int) -> list[list[str]]:
    structure = structure_of("logistic", m)
    V = structure.V.astype(float)
    C = np.random.default_rng(m).uniform(0, 1, (BATCH, len(V)))
    scores = minimize_batch(structure, C).scores
    ours = best_of(7, lambda: minimize_batch(structure, C)) / BATCH
    parameters = WithParameters(V)
    parameters.solve(C[0])
    exact = {"ftol": 1e-15, "gtol": 1e-10}
    peers = [
        ("cvxpy + Clarabel 1e-12", 20, lambda c: with_cvxpy(V, c)),
        ("cvxpy with DPP parameters", 40, parameters.solve),
        ("SciPy L-BFGS-B, gradient 1e-10", 150, lambda c: with_scipy(V, c, exact)),
        ("SciPy L-BFGS-B, defaults", 150, lambda c: with_scipy(V, c, {})),
    ]
    rows = [[str(m), "batched Newton", f"{ours * 1e6:.2f} µs", "1", ""]]
    for name, count, solve in peers:
        error = max(float(np.abs(solve(C[k]) - scores[k]).max()) for k in range(10))
        spent = best_of(3, lambda count=count, solve=solve: [solve(c) for c in C[:count]]) / count
        rows.append([str(m), name, f"{spent * 1e6:.0f} µs", f"{spent / ours:.0f}", f"{error:.0e}"])
    return rows


def of_all_kinds() -> list[list[str]]:
    rows = []
    for name in ("hinge", "squared-hinge", "square", "smoothed-hinge", "logistic", "exponential"):
        row = [name]
        for m in SIZES:
            if name == "hinge" and m > 6:
                row.append("(one linear program each)")
                continue
            structure = structure_of(name, m)
            C = np.random.default_rng(m).uniform(0, 1, (BATCH, len(structure.V)))
            row.append(f"{best_of(3, lambda s=structure, C=C: minimize_batch(s, C)) / BATCH * 1e6:.2f} µs")
        rows.append(row)
    return rows


def main() -> None:
    single_threaded()
    # At a tolerance of 1e-12 the conic solver often says that it came almost, not quite, that far.
    warnings.filterwarnings("ignore", message="Solution may be inaccurate")
    rows = [row for m in SIZES for row in compare(m)]
    print_table(
        f"Minimize one logistic risk (batches of {BATCH})",
        ["m", "solver", "a risk", "times ours", "differs by"],
        rows,
        texts=2,
    )
    print_table(
        f"Batched minimization of other losses (batches of {BATCH}), a risk",
        ["loss", *(f"m = {m}" for m in SIZES)],
        of_all_kinds(),
    )


if __name__ == "__main__":
    main()
