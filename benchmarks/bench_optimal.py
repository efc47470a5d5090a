"""Time to find all optimal orders by dynamic programming, against one minimum feedback arc set by igraph.

Run with ``python benchmarks/bench_optimal.py``. Both get the same dense random aggregates, and their optimal
values are checked to be equal.
"""

from fractions import Fraction

import igraph
import numpy as np
from timing import best_of, print_table

from consistency_lab.solve.optimal import optimal_orders

SIZES = range(6, 16)
REPEATS = 7
MATRICES = 3


def arcs_of(a: np.ndarray) -> tuple[list[tuple[int, int]], list[float]]:
    """The difference graph: what igraph is asked to make acyclic."""
    d = a - a.T
    arcs = [(int(i), int(j)) for i, j in np.argwhere(d > 0)]
    return arcs, [float(d[arc]) for arc in arcs]


def measure(m: int) -> list[str]:
    rng = np.random.default_rng(m)
    ours = theirs = counted = 0.0
    orders = []
    for _ in range(MATRICES):
        a = rng.integers(0, 10, (m, m))
        np.fill_diagonal(a, 0)
        matrix = [[Fraction(int(x)) for x in row] for row in a]
        arcs, weights = arcs_of(a)
        graph = igraph.Graph(n=m, edges=arcs, directed=True)
        found = optimal_orders(matrix)
        removed = graph.feedback_arc_set(weights=weights, method="ip_ti")
        shared = int(np.minimum(a, a.T).sum()) // 2
        assert found.loss == sum(int(weights[k]) for k in removed) + shared
        orders.append(found.count())
        ours += best_of(REPEATS, lambda matrix=matrix: optimal_orders(matrix))
        counted += best_of(REPEATS, lambda matrix=matrix: optimal_orders(matrix).count())
        theirs += best_of(REPEATS, lambda g=graph, w=weights: g.feedback_arc_set(weights=w, method="ip_ti"))
    return [
        str(m),
        f"{ours / MATRICES * 1e3:.2f} ms",
        f"{counted / MATRICES * 1e3:.2f} ms",
        f"{theirs / MATRICES * 1e3:.2f} ms",
        f"{theirs / counted:.1f}",
        f"{min(orders)}..{max(orders)}",
    ]


def main() -> None:
    print_table(
        "Optimal orders of dense random aggregates",
        ["m", "table of all", "and counted", "igraph ip_ti (one)", "igraph / ours", "optimal orders"],
        [measure(m) for m in SIZES],
    )


if __name__ == "__main__":
    main()
