"""Time to minimize an edge loss of many items, against Newton in plain NumPy, and to propose its certificate.

Run with ``python benchmarks/bench_edges.py``. Both fit the same Bradley-Terry tournaments, in which all pairs
meet or one in ten, to a gradient of rounding; the plain one knows that its loss is the logistic one, and asks
nothing of the data. The last column is the time in which `order_bounds` finds bounds for all neighbors.
"""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from timing import best_of, print_table, single_threaded

from consistency_lab.numbers.phi import named
from consistency_lab.solve.edges import minimize_edges
from consistency_lab.solve.order_bounds import order_bounds

SIZES = (50, 150, 300)
SHARES = (1.0, 0.1)
LOSSES = ("logistic", "exponential", "squared-hinge", "square")
RUNS = 5

Array = NDArray[np.float64]


def tournament(m: int, share: float) -> Array:
    rng = np.random.default_rng(m)
    u = rng.normal(size=m)
    n = np.triu(rng.poisson(20, (m, m)) * (rng.random((m, m)) < share), 1)
    won = rng.binomial(n, 1 / (1 + np.exp(u[None] - u[:, None])))
    return np.asarray(won + (n - won).T, dtype=np.float64)


def plain(a: Array) -> Array:
    scores = np.zeros(len(a))
    for _ in range(50):
        below = 1 / (1 + np.exp(scores[:, None] - scores))
        flow = a * below
        bend = flow * (1 - below)
        bend += bend.T
        hessian = np.diag(bend.sum(axis=1)) - bend + 1 / len(a)
        step = np.linalg.solve(hessian, flow.sum(axis=1) - flow.sum(axis=0))
        scores += step
        if np.abs(step).max() < 1e-8:
            break
    return scores - scores.mean()


def measure(m: int, share: float, loss: str) -> list[str]:
    a, phi = tournament(m, share), named(loss).expression
    h = [[Fraction(int(x)) for x in row] for row in a]
    found = minimize_edges(phi, a)
    ours = best_of(RUNS, lambda: minimize_edges(phi, a))
    cells = [f"{m}, {share:.0%}", loss, f"{ours * 1e3:.1f} ms", "", ""]
    if loss == "logistic":
        assert np.allclose(found.scores, plain(a), rtol=0, atol=1e-12)
        theirs = best_of(RUNS, lambda: plain(a))
        cells[3:] = [f"{theirs * 1e3:.1f} ms", f"{theirs / ours:.1f}"]
    proposal = best_of(2, lambda: order_bounds(phi, h, found))
    return [*cells, f"{proposal * 1e3:.0f} ms"]


def main() -> None:
    print_table(
        "One edge loss of many items",
        ["items, pairs", "loss", "ours", "plain NumPy", "plain / ours", "order bounds"],
        [measure(m, share, loss) for m in SIZES for share in SHARES for loss in LOSSES],
        texts=2,
    )


if __name__ == "__main__":
    single_threaded()
    main()
