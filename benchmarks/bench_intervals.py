"""How often the intervals of scores and ranks in an audit hold the truth, where the truth is known.

Run with ``python benchmarks/bench_intervals.py [DATA_SETS [RESAMPLES [WORDS]]]``; with words, of the rows
that have them alone. Bradley-Terry is true of every comparison; in clusters (a judge, a prompt) some of them
repeat what the cluster said of the pair first, or each item has its own strength in each cluster and the
truth is what infinitely many clusters give. Coverage is the share of items whose true score, or rank, lies in
its interval; its standard error is that of the data sets.
"""

import sys
from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray
from timing import print_table, single_threaded

from consistency_lab.apps.audit.board import board
from consistency_lab.apps.audit.losses import rule
from consistency_lab.apps.audit.noise import stability
from consistency_lab.data.votes import Games

Floats = NDArray[np.float64]
Draw = np.random.Generator


def chance(apart: Floats) -> Floats:
    return np.asarray(1.0 / (1.0 + np.exp(-apart)))


def strengths(rng: Draw, m: int, spread: float) -> Floats:
    return np.round(spread * rng.normal(size=m), 3) if spread else np.zeros(m)


def single(rng: Draw, m: int, games: int, spread: float = 1.0) -> tuple[Games, Floats]:
    """So many games of each pair."""
    u, (i, j) = strengths(rng, m, spread), np.triu_indices(m, 1)
    won = rng.binomial(games, chance(u[i] - u[j]))
    counts = np.concatenate([won, games - won])
    kept = counts > 0
    first, second = np.concatenate([i, j])[kept], np.concatenate([j, i])[kept]
    return Games(m, counts[kept], first, second, np.ones(kept.sum(), np.int64)), u


def clustered(
    rng: Draw, m: int, clusters: int, size: int, copied: float = 0.0, own: float = 0.0, uneven: float = 0.0
) -> tuple[Games, Floats]:
    """Clusters of so many games of random pairs; `uneven`: the deviation of the logarithm of their sizes."""
    u = strengths(rng, m, 1.0)
    games: dict[tuple[int, int, int], int] = {}
    sizes = np.exp(uneven * rng.normal(size=clusters)) if uneven else np.ones(clusters)
    for c, many in enumerate(np.ceil(size * clusters * sizes / sizes.sum()).astype(int)):
        v, said = u + own * rng.normal(size=m), dict[tuple[int, int], bool]()
        for _ in range(many):
            i, j = sorted(rng.choice(m, 2, replace=False).tolist())
            up = bool(rng.random() < chance(v[i] - v[j]))
            if (i, j) in said and rng.random() < copied:
                up = said[i, j]
            said.setdefault((i, j), up)
            key = (i, j, c) if up else (j, i, c)
            games[key] = games.get(key, 0) + 1
    first, second, cluster = np.array(list(games)).T
    counts = np.array(list(games.values()))
    votes = Games(m, counts, first, second, np.ones_like(counts), cluster=cluster)
    if not own:
        return votes, u
    # Scores of infinitely many clusters: the chances are averaged over the strengths (Gauss-Hermite).
    x, weights = np.polynomial.hermite_e.hermegauss(60)
    apart = (u[:, None] - u)[..., None] + np.sqrt(2.0) * own * x
    wins = chance(apart) @ (weights / weights.sum()) * (1 - np.eye(m))
    return votes, rule("logistic").scores(1000 * wins[None])[0]


def coverage(
    draw: Callable[[Draw], tuple[Games, Floats]], sets: int, resamples: int, blind: bool = False
) -> tuple[Floats, Floats, float]:
    """Shares of items whose score, and rank, is held, one of each data set; and without an interval."""
    logistic = rule("logistic")
    held, ranked, without = [], [], []
    for seed in range(sets):
        votes, truth = draw(np.random.default_rng(seed))
        wins = votes.wins.astype(float)
        scores = logistic.scores(wins[None])[0]
        seen = Games(votes.m, *merged(votes)) if blind else votes
        drawn = stability([logistic], seen, resamples, seed)[0].drawn
        found = board(logistic, range(votes.m), scores, wins, drawn)
        order = list(found.items)
        true = truth[order]
        rank = 1 + (true[None] > true[:, None]).sum(axis=1)
        bounded = np.isfinite(found.low)
        without.append(1 - bounded.mean())
        if bounded.any():
            true = (true - true[bounded].mean())[bounded]
            held.append(float(((found.low[bounded] <= true) & (true <= found.high[bounded])).mean()))
        ranked.append(float(((found.best <= rank) & (rank <= found.worst)).mean()))
    return np.array(held), np.array(ranked), float(np.mean(without))


def merged(votes: Games) -> tuple[NDArray[np.int64], ...]:
    """The same games, as if they were independent."""
    i, j = np.nonzero(votes.wins)
    counts = votes.wins[i, j]
    return counts, i, j, np.ones_like(counts)


ROWS: dict[str, partial[tuple[Games, Floats]]] = {
    "5 items, 4 games a pair": partial(single, m=5, games=4),
    "5 items, 20 games a pair": partial(single, m=5, games=20),
    "10 items, 3 games a pair": partial(single, m=10, games=3),
    "10 items, 10 games a pair": partial(single, m=10, games=10),
    "10 items, 50 games a pair": partial(single, m=10, games=50),
    "10 equal items, 10 games a pair": partial(single, m=10, games=10, spread=0.0),
    "20 items, 10 games a pair": partial(single, m=20, games=10),
    "8 items, 13 clusters of 40, copies": partial(clustered, m=8, clusters=13, size=40, copied=0.8),
    "8 items, 100 clusters of 10, copies": partial(clustered, m=8, clusters=100, size=10, copied=0.8),
    "8 items, 13 clusters of 40, own strengths": partial(clustered, m=8, clusters=13, size=40, own=0.7),
    "8 items, 60 clusters of 20, own strengths": partial(clustered, m=8, clusters=60, size=20, own=0.7),
    "8 items, 40 clusters of 50, own strengths": partial(clustered, m=8, clusters=40, size=50, own=0.7),
    "8 items, 40 uneven clusters of 50, own strengths": partial(
        clustered, m=8, clusters=40, size=50, own=0.7, uneven=1.0
    ),
    "8 items, 40 very uneven clusters of 50, own strengths": partial(
        clustered, m=8, clusters=40, size=50, own=0.7, uneven=2.0
    ),
    "8 items, 200 very uneven clusters of 20, own strengths": partial(
        clustered, m=8, clusters=200, size=20, own=0.7, uneven=2.0
    ),
}


def main(sets: int = 100, resamples: int = 500, only: str = "") -> None:
    single_threaded()
    rows = []
    for name, draw in ROWS.items():
        if only not in name:
            continue
        for blind in (False, True) if "clusters" in name else (False,):
            held, ranked, without = coverage(draw, sets, resamples, blind)
            called = f"{name}, clusters not told" if blind else name
            rows.append([called, *map(share, (held, ranked)), f"{without:.0%}"])
    print_table("95 % intervals, % that hold the truth", ["data", "score", "rank", "no interval"], rows)


def share(found: Floats) -> str:
    return (
        f"{100 * found.mean():.1f} ± {100 * found.std() / max(1, len(found)) ** 0.5:.1f}"
        if len(found)
        else "-"
    )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]), *sys.argv[3:])
