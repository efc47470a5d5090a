"""Time to certify a leaderboard of many items in process, to verify the file, and the size of the file.

Run with ``python benchmarks/bench_certify.py [ITEMS ...]``. Every two items have met about 20 times.
Verifying is most of certifying: nothing is handed out that the core has not accepted. Times are of the
processor, the median of some runs; with 200 items one takes ten seconds, so there is one, of one loss.
"""

import json
import sys
from functools import partial

import numpy as np
from timing import cpu_of, load, once, print_table, single_threaded

from consistency_lab.certify.witness import certify
from consistency_lab.model.distribution import Distribution
from consistency_lab.proofs.file import verify

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


def main() -> None:
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
