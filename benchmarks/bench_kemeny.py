"""Time to order many items at least cost, with evidence, against igraph and a plain mixed-integer program.

Run with ``python benchmarks/bench_kemeny.py [clear] [close] [none]``. All get the same tournaments of
Bradley-Terry strengths: 20 games a pair, strengths of standard deviation 1 (clear) or 0.3 (close), or no
strengths at all and weights 0 to 9 (none). Where all end their optima are checked to be equal. Times are of
the processor, the mean of some seeds. The peers run in a process of their own, and are stopped after so many
seconds; then the mean is at least what is told. igraph solves its program ``ip_ti`` with GLPK; the plain
program is given to HiGHS whole, all triangles and whole-numbered variables.
"""

import sys
from collections.abc import Callable
from fractions import Fraction
from multiprocessing import Pipe, Process
from multiprocessing.connection import Connection
from resource import RLIMIT_CPU, setrlimit
from statistics import mean
from time import process_time

import highspy
import igraph
import numpy as np
from numpy.typing import NDArray
from timing import load, print_table, single_threaded

from consistency_lab.solve.kemeny import kemeny

SEEDS = {20: 3, 40: 3, 60: 1}
"""How many tournaments of each size that have strengths."""

SPREADS = {"clear": 1.0, "close": 0.3, "none": 0.0}
PATIENCE = 60
GAMES = 20

Counts = NDArray[np.int64]
Peer = Callable[[Counts], int]


def tournament(m: int, spread: float, seed: int) -> Counts:
    rng = np.random.default_rng(m if seed == 0 else [m, seed])
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
    start = process_time()
    setrlimit(RLIMIT_CPU, (int(start) + PATIENCE, int(start) + PATIENCE))
    value = work(a)
    out.send((value, process_time() - start))


def peer(work: Peer, a: Counts) -> tuple[int, float] | None:
    """Its optimum and its time; None if it did not end in time."""
    inward, outward = Pipe(duplex=False)
    process = Process(target=timed, args=(work, a, outward))
    process.start()
    outward.close()
    try:
        answer: tuple[int, float] | None = inward.recv()
    except EOFError:  # the system has ended it
        answer = None
    process.join()
    return answer


def measure(m: int, kind: str) -> list[str]:
    ours, gaps = [], []
    theirs: dict[Peer, list[float]] = {with_igraph: [], with_highs: []}
    stopped = dict.fromkeys(theirs, False)
    seeds = SEEDS[m] if SPREADS[kind] else 1
    for seed in range(seeds):
        a = tournament(m, SPREADS[kind], seed)
        matrix = [[Fraction(x) for x in row] for row in a.tolist()]
        start = process_time()
        found = kemeny(matrix)
        ours.append(process_time() - start)
        gaps.append("optimal" if found.is_optimal else f"{float(found.lower):.1f} .. {found.cost}")
        for work, times in theirs.items():
            answer = peer(work, a)
            assert answer is None or found.lower <= answer[0] <= found.cost
            times.append(PATIENCE if answer is None else answer[1])
            stopped[work] |= answer is None
    cells = [f"{m} {kind}", str(seeds), f"{mean(ours):.3f} s"]
    for work, times in theirs.items():
        more = "> " * stopped[work]
        cells += [f"{more}{mean(times):.3f} s", f"{more}{mean(times) / mean(ours):.1f}"]
    cells.append(", ".join(dict.fromkeys(gaps)))
    print(*cells, sep="  ", file=sys.stderr, flush=True)
    return cells


def main() -> None:
    kinds = sys.argv[1:] or list(SPREADS)
    kemeny([[Fraction(x) for x in row] for row in tournament(12, 0.0, 0).tolist()])  # imports what it needs
    print_table(
        f"One least costly order, igraph {igraph.__version__}; {load()}",
        ["items", "seeds", "ours", "igraph", "ratio", "HiGHS", "ratio", "result"],
        [measure(m, kind) for m in SEEDS for kind in kinds],
    )


if __name__ == "__main__":
    single_threaded()
    main()
