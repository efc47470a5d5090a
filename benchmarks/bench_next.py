"""How often the comparisons that an audit asks for show a majority, and how often they show one of nothing.

Run with ``python benchmarks/bench_next.py [DATA_SETS]``. Data of two items are drawn, `more_needed` asks for
more, and as many in all are drawn anew: with the share in the data, as the advice supposes, with the true
share, and with 1/2. In clusters some games repeat what the cluster said first.
"""

import sys

import numpy as np
from timing import print_table

from consistency_lab.apps.audit.noise import SIGNIFICANT, pair_tests
from consistency_lab.apps.audit.screen import more_needed
from consistency_lab.data.votes import Games

SETTINGS = [
    (share, games, size) for size in (1, 5) for share, games in ((0.6, 100), (0.55, 400), (0.52, 1000))
]
COPIED = 0.5


def drawn(rng: np.random.Generator, share: float, games: int, size: int) -> Games:
    """So many games in clusters of a size."""
    if size == 1:
        won = rng.binomial(games, share)
        counts, above, cluster = np.array([won, games - won]), np.array([0, 1]), None
    else:
        said = rng.random((-(-games // size), size)) < share
        said = np.where(rng.random(said.shape) < COPIED, said[:, :1], said)
        many = said.sum(axis=1)
        up, down = np.flatnonzero(many), np.flatnonzero(size - many)
        counts, cluster = np.concatenate([many[up], size - many[down]]), np.concatenate([up, down])
        above = np.repeat([0, 1], [len(up), len(down)])
    return Games(2, counts, above, 1 - above, np.ones_like(counts), cluster=cluster)


def shown(rng: np.random.Generator, share: float, games: int, size: int) -> bool:
    votes = drawn(rng, share, games, size)
    return bool(pair_tests(votes.decided, votes).p[0, 1] < SIGNIFICANT)


def main() -> None:
    sets = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    rows = []
    for share, games, size in SETTINGS:
        rng, asked, found = np.random.default_rng(1), list[int](), list[tuple[bool, ...]]()
        while len(found) < sets:
            votes = drawn(rng, share, games, size)
            advice = more_needed(votes, 0, 1)
            if advice is None:  # the majority is shown already, or too small for an advice
                continue
            seen = advice.share if advice.above == 0 else 1 - advice.share
            asked.append(advice.more)
            total = games + advice.more
            found.append(tuple(shown(rng, truth, total, size) for truth in (seen, share, 0.5)))
        parts = [f"{100 * x:.1f}" for x in np.mean(found, axis=0)]
        rows.append([f"{share}, {games} games", str(size), f"{np.median(asked):,.0f}", *parts])
    heads = ["true share", "cluster", "median asked", "share in the data", "true share", "level (1/2)"]
    print_table(f"A majority is shown ({sets} data sets, %)", heads, rows)


if __name__ == "__main__":
    main()
