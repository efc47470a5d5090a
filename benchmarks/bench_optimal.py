"""Time to find all optimal orders by dynamic programming, against one minimum feedback arc set by igraph.

Run with ``python benchmarks/bench_optimal.py``. Both get the same dense random aggregates, and their optimal
values are checked to be equal. The compiler is loaded before anything is timed, as it is in a process that
has minimized a batch; for a few items the program in plain Python, which needs no compiler, stands beside it.
"""

from collections.abc import Callable
from fractions import Fraction
from time import perf_counter

import igraph
import numba  # loads the compiler: from then on `optimal_orders` uses it
import numpy as np
from timing import best_of, print_table

from consistency_lab.solve import optimal as plain
from consistency_lab.solve import order_kernels as compiled
from consistency_lab.solve.optimal import optimal_orders

SIZES = (3, 4, 6, 8, 10, 12, 15, 18, 20)
MATRICES = 3
PLAIN = 10
SECONDS = 0.3
"""Each time is the best of as many runs as fit into this, at least three."""


def arcs_of(a: np.ndarray) -> tuple[list[tuple[int, int]], list[float]]:
    """The difference graph: what igraph is asked to make acyclic."""
    d = a - a.T
    arcs = [(int(i), int(j)) for i, j in np.argwhere(d > 0)]
    return arcs, [float(d[arc]) for arc in arcs]


def quickest(work: Callable[[], object]) -> float:
    start = perf_counter()
    work()
    once = perf_counter() - start
    return best_of(max(3, min(500, int(SECONDS / once))), work)


def prices(a: np.ndarray) -> list[list[int]]:
    rest: list[list[int]] = np.maximum(a - a.T, 0).tolist()
    return rest


def measure(m: int) -> list[str]:
    rng = np.random.default_rng(m)
    ours = theirs = by_hand = 0.0
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
        ours += quickest(lambda matrix=matrix: optimal_orders(matrix).count())
        theirs += quickest(lambda g=graph, w=weights: g.feedback_arc_set(weights=w, method="ip_ti"))
        if m <= PLAIN:
            rest, free = prices(a), [0] * m
            dear = 1 + sum(map(sum, rest))
            assert plain.fill(rest, free, dear).count == compiled.fill(rest, free, dear)[1]
            by_hand += quickest(lambda rest=rest, free=free, dear=dear: plain.fill(rest, free, dear))
    return [
        str(m),
        f"{ours / MATRICES * 1e3:.3f} ms",
        f"{by_hand / MATRICES * 1e3:.3f} ms" if m <= PLAIN else "",
        f"{theirs / MATRICES * 1e3:.3f} ms",
        f"{theirs / ours:.1f}",
        f"{min(orders)}..{max(orders)}",
    ]


def main() -> None:
    print_table(
        f"Optimal orders of dense random aggregates, numba {numba.__version__}",
        ["m", "all, counted", "plain table", "igraph ip_ti (one)", "igraph / ours", "optimal orders"],
        [measure(m) for m in SIZES],
    )


if __name__ == "__main__":
    main()
