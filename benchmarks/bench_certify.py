"""Time to certify a leaderboard of many items in process, to verify the file, and the size of the file.

Run with ``python benchmarks/bench_certify.py [ITEMS ...]``. Every two items have met about 20 times.
Verifying is most of certifying: nothing is handed out that the core has not accepted. Times are of the
processor, the median of some runs; with 200 items one takes ten seconds, so there is one, of one loss.
With ``addition [ITEMS ...]``: the neighbors by net wins, of items that have all met 20 times, and all pairs,
as far as addition puts them in order; then both as a file.
"""

import json
import sys
from functools import partial
from itertools import pairwise

import numpy as np
from timing import cpu_of, load, once, print_table, single_threaded

from consistency_lab.certify.addition import proved_by_addition
from consistency_lab.certify.proofs.file import verify
from consistency_lab.certify.witness import Case, certify
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import surrogate
from consistency_lab.numbers.phi import named

LOSSES = {50: ("logistic", "squared-hinge", "linear"), 100: ("logistic", "linear"), 200: ("logistic",)}
FEW = 50
RUNS = 2
"""For so few items; else there is one."""


def leaderboard(m: int) -> Distribution:
    rng = np.random.default_rng(m)
    u = rng.normal(size=m)
    n = np.triu(rng.poisson(20, (m, m)), 1)
    won = rng.binomial(n, 1 / (1 + np.exp(u[None] - u[:, None])))
    return Distribution.from_aggregate((won + (n - won).T).tolist())


def measure(m: int, loss: str) -> list[str]:
    p = leaderboard(m)
    time = partial(cpu_of, RUNS) if m <= FEW else once
    made, found = time(partial(certify, loss, p))
    assert found is not None
    checked, _ = time(partial(verify, found.document))
    size = len(json.dumps(found.document)) / 1e6
    return [str(m), loss, found.verified.claim, f"{made:.2f} s", f"{checked:.2f} s", f"{size:.2f} MB"]


ADDED = (50, 300, 2000)
FILES = 100
"""Up to so many items a file is made of it, by both ways."""


def tournament(m: int) -> list[list[int]]:
    rng = np.random.default_rng(m)
    u = rng.normal(size=m)
    won = np.triu(rng.binomial(20, 1 / (1 + np.exp(u[None] - u[:, None]))), 1)
    return (won + np.tril(20 - won.T, -1)).tolist()


def added(m: int) -> list[str]:
    a, phi = tournament(m), named("logistic").expression
    net = [2 * sum(row) for row in a]  # all have played equally often
    order = sorted(range(m), key=lambda i: -net[i])
    neighbors = list(pairwise(order))
    near, few = cpu_of(RUNS, partial(proved_by_addition, phi, a, neighbors))
    row = [str(m), f"{len(few.pairs)} of {m - 1}", f"{near:.2f} s"]
    if m > ADDED[1]:
        return [*row, "", "", "", ""]
    whole, many = cpu_of(RUNS, partial(proved_by_addition, phi, a))
    row += [f"{len(many.pairs)} of {m * (m - 1) // 2}", f"{whole:.2f} s"]
    if m > FILES:
        return [*row, "", ""]
    p = Distribution.from_aggregate(a)
    case = Case(surrogate("logistic"), p)
    files = [once(work) for work in (case.by_addition, partial(certify, "logistic", p))]
    return [*row, *(f"{time:.2f} s{'' if found else ' (none)'}" for time, found in files)]


def main() -> None:
    if sys.argv[1:2] == ["addition"]:
        heads = ["items", "neighbors", "time", "pairs", "time", "file by addition", "by bounds"]
        rows = [added(int(word)) for word in sys.argv[2:] or ADDED]
        print_table(f"Orders by addition; {load()}", heads, rows)
        return
    sizes = [int(word) for word in sys.argv[1:]] or list(LOSSES)
    print_table(
        f"Any number of items: certify and verify in process; {load()}",
        ["items", "loss", "claim", "certify", "verify", "file"],
        [measure(m, loss) for m in sizes for loss in LOSSES[m]],
        texts=3,
    )


if __name__ == "__main__":
    single_threaded()
    main()
