"""How often an audit claims what is not so, and how often it finds what is: data sets with a known truth.

Run with ``python benchmarks/bench_level.py [DATA_SETS [SIMULATIONS [KIND,KIND]]]``; the kinds are those of
`KINDS`. Each row is a kind of data with a known truth. Shares are of data sets in which something is said,
with their standard errors; where nothing is to be found they should not be above 5 %.

Strengths are simulated as they were fitted (what an audit must not do), pulled together by the prior, or
drawn anew each time from the posterior, as audits do. The power that audits tell is that of pairs that
deviate by 0.5.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from timing import load, print_table, single_threaded

from consistency_lab.apps.audit import noise as nulls
from consistency_lab.apps.audit.findings import contradicted, heights
from consistency_lab.apps.audit.losses import rule
from consistency_lab.apps.audit.noise import SIGNIFICANT, bradley_terry_null, pair_tests, stability
from consistency_lab.data.votes import Games, Orders, Votes

Floats = NDArray[np.float64]
Bits = NDArray[np.bool_]
Draw = np.random.Generator

LOGISTIC, LINEAR = rule("logistic"), rule("linear")
RESAMPLES = 500


def games_of(wins: NDArray[np.int64], clusters: list[tuple[int, int, int]] | None = None) -> Games:
    """Games i over j, one kind each; or listed as (i, j, cluster)."""
    m = len(wins)
    if clusters is not None:
        i, j, c = np.array(clusters).T
        return Games(m, np.ones(len(i), dtype=np.int64), i, j, np.ones(len(i), dtype=np.int64), cluster=c)
    i, j = np.nonzero(wins)
    return Games(m, wins[i, j], i, j, np.ones(len(i), dtype=np.int64))


def strengths(shape: str, m: int, rng: Draw) -> Floats:
    if shape == "normal":
        return rng.normal(size=m)
    if shape == "uniform":
        return rng.uniform(-1.7, 1.7, m)
    if shape == "three groups":
        return np.repeat([-1.5, 0.0, 1.5], -(-m // 3))[:m]
    if shape == "equal":
        return np.zeros(m)
    return 0.6 * rng.standard_t(2, m)


def pairs(rng: Draw, m: int, games: float, shape: str = "normal", bent: float = 0.0) -> Votes:
    """Games of each pair, Poisson for fewer than 3; `bent` is what the pairs deviate from the strengths."""
    u, (i, j) = strengths(shape, m, rng), np.triu_indices(m, 1)
    n = rng.poisson(games, len(i)) if games < 3 else np.full(len(i), round(games))
    chance = 1 / (1 + np.exp(-(u[i] - u[j] + bent * rng.normal(size=len(i)))))
    wins = np.zeros((m, m), dtype=np.int64)
    wins[i, j] = rng.binomial(n, chance)
    wins[j, i] = n - wins[i, j]
    return games_of(wins)


def ballots(rng: Draw, m: int, voters: int, longest: int, groups: int = 1, spread: float = 1.0) -> Votes:
    """Ballots of 1 to `longest` items, the rest tied at the end, of groups of voters that differ."""
    u = spread * rng.normal(size=(groups, m))
    keys = u[rng.integers(groups, size=voters)] + rng.gumbel(size=(voters, m))
    place = np.argsort(np.argsort(-keys, axis=1), axis=1)
    length = rng.integers(1, longest + 1, size=(voters, 1))
    return Orders(m, np.ones(voters, dtype=np.int64), np.minimum(place, length).astype(np.int32))


def clustered(
    rng: Draw, m: int, clusters: int, each: int, own: float, told: bool, same: bool = False, bent: float = 0.0
) -> Votes:
    """Clusters of games in which items have strengths of their own; `same`: all of one pair.

    In all of them the pairs deviate by `bent` from what the strengths say.
    """
    off = bent * rng.normal(size=(m, m)) if bent else np.zeros((m, m))
    off = off - off.T
    u, listed = rng.normal(size=m), []
    wins = np.zeros((m, m), dtype=np.int64)
    for c in range(clusters):
        here, pair = u + own * rng.normal(size=m), rng.choice(m, 2, replace=False)
        for _ in range(each):
            i, j = pair if same else rng.choice(m, 2, replace=False)
            if rng.random() > 1 / (1 + np.exp(here[j] - here[i] - off[i, j] / np.sqrt(2))):
                i, j = j, i
            wins[i, j] += 1
            listed.append((int(i), int(j), c))
    return games_of(wins, listed if told else None)


def around(m: int, lift: float = 0.0) -> Floats:
    """Chances of items in a circle, each beating the next half: a loss ties all unless some are lifted."""
    ahead = (np.arange(m)[None] - np.arange(m)[:, None]) % m
    u = lift * np.linspace(-0.5, 0.5, m)
    return 0.5 + np.where(ahead == 0, 0, np.where(ahead <= m // 2, 0.1, -0.1)) + u[:, None] - u


def one(lift: float = 0.0) -> Floats:
    """Chances of three items: the first one beats the second, which has as many net wins, or more."""
    return 0.5 + np.array([[0, 0.1, 0.1], [-0.1, 0, 0.3 + lift], [-0.1, -0.3 - lift, 0]])


def beside(m: int) -> Floats:
    """Items in a circle, and as many that are even with each other and far apart beside these."""
    chance = np.full((2 * m, 2 * m), 0.5)
    chance[:m, :m] = around(m)
    chance[m:, :m] = np.linspace(0.1, 0.9, m)[:, None]
    chance[:m, m:] = 1 - chance[m:, :m].T
    return chance


def drawn(rng: Draw, chance: Floats, games: int, clusters: int = 0) -> Votes:
    """So many games a pair; in clusters, items have luck of their own that leaves the chances as they are."""
    from scipy.special import ndtr, ndtri

    m = len(chance)
    i, j = np.triu_indices(m, 1)
    if not clusters:
        wins = np.zeros((m, m), dtype=np.int64)
        wins[i, j] = rng.binomial(games, chance[i, j])
        wins[j, i] = games - wins[i, j]
        return games_of(wins)
    luck = rng.normal(size=(clusters, m))
    shifted = (ndtri(chance[i, j]) + np.sqrt(0.15) * (luck[:, i] - luck[:, j])) / np.sqrt(0.7)
    won = rng.binomial(games // clusters, ndtr(shifted))
    counts = np.stack([won, games // clusters - won]).ravel()
    kept = counts > 0
    first = np.concatenate([np.tile(i, clusters), np.tile(j, clusters)])[kept]
    second = np.concatenate([np.tile(j, clusters), np.tile(i, clusters)])[kept]
    of = np.tile(np.repeat(np.arange(clusters), len(i)), 2)[kept]
    return Games(m, counts[kept], first, second, np.ones(len(first), dtype=np.int64), cluster=of)


def turned(rng: Draw, m: int, voters: int) -> Votes:
    """Ballots that each start an alphabet elsewhere; of three items such that two are level as in `one`."""
    if m == 3:
        orders, shares = [[0, 1, 2], [1, 0, 2], [1, 2, 0], [0, 2, 1], [2, 0, 1]], [0.4, 0.1, 0.3, 0.1, 0.1]
    else:
        orders, shares = [np.roll(np.arange(m), k).tolist() for k in range(m)], [1 / m] * m
    counts = rng.multinomial(voters, shares).tolist()
    return Orders.of(m, [(n, [[x] for x in order]) for n, order in zip(counts, orders, strict=True) if n])


def as_fitted(model: Any) -> tuple[Floats, Floats]:
    wins = model._wins if hasattr(model, "_wins") else None
    assert wins is not None
    return LOGISTIC.scores(wins[None])[0], np.zeros((model.m, model.m))


def pulled(model: Any) -> tuple[Floats, Floats]:
    center, root = POSTERIOR(model)
    return center, 0 * root


POSTERIOR = nulls._posterior
TOLD = "power told"
WAYS = {"as fitted": as_fitted, "pulled together": pulled, "drawn": POSTERIOR}


def said(rng: Draw, make: Callable[[Draw], Votes], simulations: int, ways: list[str]) -> dict[str, float]:
    """Whether each way says that it is more than chance; and the power that the last one tells, or NaN."""
    votes, found = make(rng), dict[str, float]()
    for way in ways:
        nulls._posterior = WAYS[way]
        result = bradley_terry_null(LOGISTIC, votes, simulations, int(rng.integers(2**31)))
        found[way] = result is not None and result.is_above is True
        found[TOLD] = np.nan if result is None or result.power is None else result.power
    nulls._posterior = POSTERIOR
    return found


def claims(rng: Draw, make: Callable[[Draw], Votes], truth: Bits | None) -> tuple[int, bool, bool, float]:
    """How many majorities are in question, whether one is called above noise as in audits, or that is open.

    The last number is the share of the majorities of `truth` that are called so.
    """
    votes = make(rng)
    wins = votes.wins[None] / votes.denominator
    scores = LINEAR.scores(wins)
    (stable,) = stability([LINEAR], votes, RESAMPLES, int(rng.integers(2**31)))
    real = pair_tests(votes.decided, votes).corrected < SIGNIFICANT
    there = contradicted(wins, heights(scores))[0]
    above, still_open = (there & one for one in stable.standing(real, scores[0]))
    found = np.nan if truth is None else float(above[truth].mean())
    asked = int((real & (stable.pairs >= nulls._IN_QUESTION)).sum())
    return asked, bool(above.any()), bool(still_open.any() and not above.any()), found


def share(found: Sequence[float]) -> str:
    p = float(np.mean(found))
    return f"{100 * p:.1f} ± {100 * np.sqrt(p * (1 - p) / len(found)):.1f}"


Cell = tuple[str, Callable[[Draw], Votes]]


def level() -> Iterator[Cell]:
    for m, games in ((10, 1), (30, 1), (50, 1), (30, 2), (15, 3), (10, 10), (6, 80), (12, 20), (24, 5)):
        yield (
            f"{m} items, {'Poisson(' if games < 3 else ''}{games}{')' if games < 3 else ''} games a pair",
            (lambda rng, m=m, games=games: pairs(rng, m, games)),
        )
    for shape in ("uniform", "three groups", "equal", "heavy tails"):
        yield f"15 items, 3 games, {shape}", lambda rng, shape=shape: pairs(rng, 15, 3, shape)


def power() -> Iterator[Cell]:
    for m, games, bent in (
        (6, 80, 0.5),
        (12, 20, 0.5),
        (24, 5, 0.5),
        (30, 1, 1.0),
        (30, 2, 1.0),
        (15, 3, 1.0),
        (10, 10, 0.5),
        (15, 3, 0.5),
        (30, 2, 0.5),
        (30, 10, 0.3),
        (30, 10, 0.5),
    ):
        yield (
            f"{m} items, {games} games, pairs deviate by {bent}",
            (lambda rng, m=m, games=games, bent=bent: pairs(rng, m, games, bent=bent)),
        )


def whole() -> Iterator[Cell]:
    for m, voters, longest in ((20, 30, 19), (10, 300, 9), (10, 300, 4), (8, 3000, 3)):
        yield (
            f"{m} items, {voters} ballots of up to {longest}",
            (lambda rng, m=m, voters=voters, longest=longest: ballots(rng, m, voters, longest)),
        )
    yield "10 items, 300 ballots, two groups of voters", lambda rng: ballots(rng, 10, 300, 9, 2, 2.0)
    yield "10 items, 3000 ballots, two groups of voters", lambda rng: ballots(rng, 10, 3000, 9, 2, 2.0)


JUDGES: dict[str, Any] = {"m": 10, "clusters": 40, "each": 50, "own": 0.7, "told": True, "bent": 0.5}


def together() -> Iterator[Cell]:
    for said_, clusters, each, own, same in (
        ("10 items, 300 clusters of 4 of one pair", 300, 4, 1.5, True),
        ("10 items, 60 clusters of 20", 60, 20, 1.0, False),
        ("10 items, 40 clusters of 50", 40, 50, 0.7, False),
        ("10 items, 1200 single games", 1200, 1, 0.0, False),
    ):
        for told in (False, True):
            yield (
                f"{said_}{'' if told else ', not told'}",
                (
                    lambda rng, clusters=clusters, each=each, own=own, same=same, told=told: clustered(
                        rng, 10, clusters, each, own, told, same
                    )
                ),
            )
    yield "40 clusters of 50, pairs deviate by 0.5", partial(clustered, **JUDGES)


def question() -> Iterator[tuple[str, Callable[[Draw], Votes], Bits | None]]:
    """Where a loss ties what majorities tell apart; then where it contradicts them."""
    for name, chance in (
        ("1", one()),
        ("55", around(11)),
        ("300", around(25)),
        ("55, and 55 even pairs", beside(11)),
    ):
        yield f"{name} in question, 1,000 games a pair", partial(drawn, chance=chance, games=1000), None
    for name, chance, clusters, games in (
        ("1", one(), 40, 400),
        ("55", around(11), 100, 2000),
        ("300", around(25), 100, 2000),
    ):
        make = partial(drawn, chance=chance, games=games, clusters=clusters)
        yield f"{name} in question, {clusters} clusters", make, None
    for name, m in (("1", 3), ("55", 11), ("300", 25)):
        yield f"{name} in question, 1,000 ballots", partial(turned, m=m, voters=1000), None
    for chance in (one(0.02), one(0.04), one(0.08), *(around(m, x) for m in (11, 25) for x in (0.03, 0.1))):
        net = chance.sum(axis=1)
        truth = (chance > 0.5) & (net[:, None] < net - 1e-9)
        apart = (net - net[:, None])[truth].mean() / (len(chance) - 1)
        name = f"{truth.sum()} contradicted, shares of wins {apart:.3f} apart on average"
        yield name, partial(drawn, chance=chance, games=1000), truth


def main() -> None:
    # Once the machine code is there it is used for batches of any size, and there are thousands to come.

    sets = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    simulations = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    wanted = sys.argv[3].split(",") if len(sys.argv) > 3 else list(KINDS)
    for kind in wanted:
        if kind == "question":
            rows = []
            for name, make, truth in question():
                rng = np.random.default_rng(1)
                asked, above, still_open, found = zip(
                    *(claims(rng, make, truth) for _ in range(sets)), strict=True
                )
                told = "-" if truth is None else f"{100 * np.mean(found):.0f}"
                rows.append([name, f"{np.mean(asked):.0f}", share(above), share(still_open), told])
                print(rows[-1], file=sys.stderr, flush=True)
            title = f"Above noise ({sets} data sets, {RESAMPLES} resamples, %; {load()})"
            print_table(title, ["data", "in question", "said", "open", "of these found"], rows)
            continue
        title, cells, ways = KINDS[kind]
        rows = []
        for name, make in cells():
            rng = np.random.default_rng(1)
            found = [said(rng, make, simulations, ways) for _ in range(sets)]
            told = [one[TOLD] for one in found if not np.isnan(one[TOLD])]
            rows.append([name, *(share([one[way] for one in found]) for way in ways)])
            rows[-1].append(f"{100 * np.mean(told):.0f}" if told else "-")
            print(rows[-1], file=sys.stderr, flush=True)
        print_table(
            f"{title} ({sets} data sets, {simulations} simulations, %; {load()})", ["data", *ways, TOLD], rows
        )


KINDS: dict[str, Any] = {
    "level": ("Misfit more than chance explains, and Bradley-Terry is true", level, ["drawn"]),
    "power": ("Misfit more than chance explains, and it does", power, ["drawn"]),
    "ways": ("The level, in three ways", level, list(WAYS)),
    "ballots": ("The same of ballots; of the last two it is not true", whole, ["drawn"]),
    "clusters": ("The same of games in clusters; in the last it is not true", together, ["drawn"]),
    "question": None,
}


if __name__ == "__main__":
    single_threaded()
    main()
