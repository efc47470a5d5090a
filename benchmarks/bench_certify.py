"""Time to certify a leaderboard of many items in process, to verify the file, and the size of the file.

Run with ``python benchmarks/bench_certify.py``. Every two items have met about 20 times. Verifying is most of
certifying: nothing is handed out that the core has not accepted.
"""

import json
from functools import partial

import numpy as np
from timing import best_of, print_table, single_threaded

from consistency_lab.certify.witness import certify
from consistency_lab.model.distribution import Distribution
from consistency_lab.proofs.verified import verify

SIZES = (50, 100, 200)
RUNS = 2
LOSSES = ("logistic", "squared-hinge", "linear")


def leaderboard(m: int) -> Distribution:
    rng = np.random.default_rng(m)
    u = rng.normal(size=m)
    n = np.triu(rng.poisson(20, (m, m)), 1)
    won = rng.binomial(n, 1 / (1 + np.exp(u[None] - u[:, None])))
    return Distribution.from_aggregate((won + (n - won).T).tolist())


def measure(m: int, loss: str) -> list[str]:
    p = leaderboard(m)
    found = certify(loss, p)
    assert found is not None
    made = best_of(RUNS, partial(certify, loss, p))
    checked = best_of(RUNS, lambda: verify(found.document))
    size = len(json.dumps(found.document)) / 1e6
    return [str(m), loss, found.verified.claim, f"{made:.2f} s", f"{checked:.2f} s", f"{size:.2f} MB"]


def main() -> None:
    print_table(
        "Any number of items: certify and verify in process",
        ["items", "loss", "claim", "certify", "verify", "file"],
        [measure(m, loss) for m in SIZES for loss in LOSSES],
        texts=3,
    )


if __name__ == "__main__":
    single_threaded()
    main()
