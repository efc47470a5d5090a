"""Time to order many items at least cost, with evidence, against igraph and a plain mixed-integer program.

Run with ``python benchmarks/bench_kemeny.py``. All get the same tournaments of Bradley-Terry strengths: 20
games a pair, strengths of standard deviation 1 (clear) or 0.3 (close), or no strengths at all and weights 0
to 9 (none). Where all end their optima are checked to be equal. The peers run in a process of their own, and
are stopped after a minute. igraph solves its program ``ip_ti`` with GLPK; the plain program is given to HiGHS
whole, all triangles and whole-numbered variables.
"""

import sys
from collections.abc import Callable
from fractions import Fraction
from multiprocessing import Pipe, Process
from multiprocessing.connection import Connection
from time import perf_counter

import highspy
import igraph
import numpy as np
from numpy.typing import NDArray
from timing import print_table, single_threaded

from consistency_lab.solve.ordering.kemeny import kemeny

SIZES = (20, 40, 60)
SPREADS = {"clear": 1.0, "close": 0.3, "none": 0.0}
PATIENCE = 60.0
GAMES = 20

Counts = NDArray[np.int64]
Peer = Callable[[Counts], int]


def tournament(m: int, spread: float) -> Counts:
    rng = np.random.default_rng(m)
    if not spread:
        a: Counts = rng.integers(0, 10, (m, m))
        np.fill_diagonal(a, 0)
        return a
    u = spread * rng.normal(size=m)
    n = np.triu(rng.poisson(GAMES, (m, m)), 1)
    won = rng.binomial(n, 1 / (1 + np.exp(u[None] - u[:, None])))
    return np.asarray(won + (n - won).T)


def with_igraph(a: Counts) -> int:
    d = a - a.T
    arcs = [(int(i), int(j)) for i, j in np.argwhere(d > 0)]
    weights = [float(d[arc]) for arc in arcs]
    graph = igraph.Graph(n=len(a), edges=arcs, directed=True)
    removed = graph.feedback_arc_set(weights=weights, method="ip_ti")
    return sum(round(weights[k]) for k in removed) + int(np.minimum(a, a.T).sum()) // 2


def with_highs(a: Counts) -> int:
    m, d = len(a), (a - a.T).astype(np.float64)
    pairs = np.triu_indices(m, 1)
    column = np.zeros((m, m), dtype=np.int32)
    column[pairs] = np.arange(len(pairs[0]))
    triples = np.array([(i, j, k) for i in range(m) for j in range(i + 1, m) for k in range(j + 1, m)])
    i, j, k = triples.T
    count, n = len(triples), len(pairs[0])
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("threads", 1)
    highs.addVars(n, np.zeros(n), np.ones(n))
    highs.changeColsCost(n, np.arange(n, dtype=np.int32), -d[pairs])
    highs.changeColsIntegrality(n, np.arange(n, dtype=np.int32), np.ones(n, dtype=np.uint8))
    columns = np.stack((column[i, j], column[j, k], column[i, k]), axis=1).ravel()
    starts = 3 * np.arange(count, dtype=np.int32)
    values = np.tile([1.0, 1.0, -1.0], count)
    highs.addRows(count, np.zeros(count), np.ones(count), 3 * count, starts, columns, values)
    highs.setOptionValue("mip_rel_gap", 0.0)
    highs.run()
    return round(highs.getInfo().objective_function_value) + int(a[pairs].sum())


def timed(work: Peer, a: Counts, out: Connection) -> None:
    start = perf_counter()
    value = work(a)
    out.send((value, perf_counter() - start))


def peer(work: Peer, a: Counts) -> tuple[int, float] | None:
    """Its optimum and its time; None if it did not end in time."""
    inward, outward = Pipe(duplex=False)
    process = Process(target=timed, args=(work, a, outward))
    process.start()
    answer = inward.recv() if inward.poll(PATIENCE) else None
    process.kill()
    process.join()
    return answer


def measure(m: int, kind: str) -> list[str]:
    a = tournament(m, SPREADS[kind])
    matrix = [[Fraction(x) for x in row] for row in a.tolist()]
    start = perf_counter()
    found = kemeny(matrix)
    ours = perf_counter() - start
    cells = [f"{m} {kind}", f"{ours:.2f} s"]
    for work in (with_igraph, with_highs):
        answer = peer(work, a)
        if answer is None:
            cells += [f"> {PATIENCE:.0f} s", f"> {PATIENCE / ours:.0f}"]
            continue
        assert found.lower <= answer[0] <= found.cost
        cells += [f"{answer[1]:.2f} s", f"{answer[1] / ours:.1f}"]
    gap = "optimal, proved" if found.is_optimal else f"{float(found.lower):.1f} .. {found.cost}"
    return [*cells, gap]


def main() -> None:
    kinds = sys.argv[1:] or list(SPREADS)
    print_table(
        f"One least costly order, igraph {igraph.__version__}",
        ["items", "ours", "igraph", "ratio", "HiGHS", "ratio", "result"],
        [measure(m, kind) for kind in kinds for m in SIZES],
    )


if __name__ == "__main__":
    single_threaded()
    main()
