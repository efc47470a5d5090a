"""Time of audits in process: a leaderboard of 50 items, refits of resampled votes, small elections.

Run with ``python benchmarks/bench_audit.py [FOLDER]``; with a folder of PrefLib files the elections are those
of up to 10 items in it, reading included, and else seeded ones. All times are of the processor. The peer of
refits is choix, which gets the same resampled matrices of wins one by one.
"""

import sys
from collections import Counter
from collections.abc import Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from random import Random
from time import process_time

import numpy as np
from numpy.typing import NDArray
from timing import cpu_of, load, print_table, single_threaded

from consistency_lab.apps.audit.audit import Audit, audit, certified
from consistency_lab.apps.audit.losses import DEFAULT, rule
from consistency_lab.apps.audit.noise import stability
from consistency_lab.data.profile import Profile, read_profile
from consistency_lab.decide.answers import Verdict
from consistency_lab.errors import InputError
from consistency_lab.solve.kemeny import KemenyOrder

ITEMS = 50
GROWING = (50, 75, 100, 150)
WHOLE = (25, 50, 100, 300)
RUNS = 5
RESAMPLES = 1000
SOME = 100
"""So many resamples are fitted by the peer."""

ELECTIONS = 100
SMALL = 10
ENDINGS = {".soc", ".soi", ".toc", ".toi"}

PARTS = {
    "best order, scores, certificate, pair tests": {"resamples": 0, "simulations": 0, "flips": False},
    "and the smallest flip": {"resamples": 0, "simulations": 0},
    "and 200 simulations": {"resamples": 0},
    "and 1,000 resamples: the defaults": {},
}


def leaderboard(m: int) -> Profile:
    rng = np.random.default_rng(m)
    u = rng.normal(size=m)
    n = np.triu(rng.poisson(20, (m, m)), 1)
    won = rng.binomial(n, 1 / (1 + np.exp(u[None] - u[:, None])))
    return Profile.from_matrix((won + (n - won).T).tolist())


def audits() -> list[list[str]]:
    profile = leaderboard(ITEMS)

    def run(losses: tuple[str, ...], options: dict[str, object]) -> Audit:
        found = audit(profile, losses, **options)  # type: ignore[arg-type]
        assert all(finding.certified.verdict is Verdict.INCONSISTENT for finding in found.findings)
        return found

    start = process_time()
    run(("logistic",), PARTS["best order, scores, certificate, pair tests"])
    rows = [["logistic", "the same, first in the process", f"{process_time() - start:.2f} s"]]
    for said, options in PARTS.items():
        rows.append(["logistic", said, f"{cpu_of(RUNS, partial(run, ('logistic',), options))[0]:.2f} s"])
    all_of_it = cpu_of(RUNS, partial(run, DEFAULT, {}))[0]
    rows.append(["five losses", "the defaults", f"{all_of_it:.2f} s"])
    return rows


def whole() -> list[list[str]]:
    """Seconds for one audit of five losses, and for its parts; nobody else proves what a loss does."""
    rows = []
    for m in WHOLE:
        profile = leaderboard(m)
        best = audit(profile, ["borda"], resamples=0, simulations=0, flips=False).best

        def prove(profile: Profile = profile, best: KemenyOrder = best) -> None:
            for name in DEFAULT:
                assert certified(rule(name), profile, best).verdict is Verdict.INCONSISTENT

        order = cpu_of(1, partial(audit, profile, ["borda"], resamples=0, simulations=0, flips=False))[0]
        parts = (order, cpu_of(1, prove)[0], cpu_of(1, partial(audit, profile))[0])
        rows.append([str(m), *(f"{seconds:.2f} s" for seconds in parts)])
    return rows


def refits(m: int) -> list[list[str]]:
    votes = leaderboard(m).votes
    assert votes is not None
    rows = []
    for said, names in (("logistic", ("logistic",)), ("five losses", DEFAULT)):
        rules = [rule(name) for name in names]
        ours = cpu_of(RUNS, partial(stability, rules, votes, RESAMPLES, 0))[0]
        rows.append([str(m), said, f"{ours:.3f} s", "", ""])
    drawn = cpu_of(RUNS, lambda: [wins.sum() for wins in votes.resampled(RESAMPLES, 0)])[0]
    rows.append([str(m), "drawing the votes alone", f"{drawn:.3f} s", "", ""])
    if find_spec("choix"):
        import choix

        wins = np.concatenate(list(votes.resampled(SOME, 0)))
        theirs = RESAMPLES / SOME * cpu_of(2, lambda: [choix.ilsr_pairwise_dense(a) for a in wins])[0]
        ours = cpu_of(RUNS, lambda: rule("logistic").scores(np.repeat(wins, RESAMPLES // SOME, axis=0)))[0]
        scores = rule("logistic").scores(wins)
        assert np.allclose(scores, [choix.ilsr_pairwise_dense(a) for a in wins], rtol=0, atol=1e-6)
        rows.append([str(m), "the fits alone", f"{ours:.3f} s", f"{theirs:.3f} s", f"{theirs / ours:.1f}"])
    return rows


def growth() -> list[list[str]]:
    """Seconds for 1,000 resamples of each default loss, without those of drawing them."""
    rows = []
    for m in GROWING:
        votes = leaderboard(m).votes
        assert votes is not None
        blocks = list(votes.resampled(RESAMPLES, 0))

        def fit(name: str, blocks: list[NDArray[np.float64]] = blocks) -> None:
            for wins in blocks:
                rule(name).fitted(wins)

        rows.append([str(m), *(f"{cpu_of(1, partial(fit, name))[0]:.2f} s" for name in DEFAULT)])
    return rows


def seeded() -> Iterator[Profile]:
    """Elections of Mallows' model, 3 to 10 items and 20 to 500 voters; ballots end anywhere."""
    rng = Random(0)
    for _ in range(ELECTIONS):
        m, ballots = rng.randrange(3, SMALL + 1), []
        for _ in range(rng.randrange(20, 500)):
            order: list[str] = []
            for item in range(m):
                weights = [0.8 ** (item - place) for place in range(item + 1)]
                order.insert(rng.choices(range(item + 1), weights)[0], f"item {item}")
            ballots.append(order[: rng.randrange(1, m + 1)])
        yield Profile.from_rankings(ballots)


def files(folder: Path) -> Iterator[Profile]:
    for path in sorted(folder.rglob("*")):
        if path.suffix in ENDINGS:
            try:
                profile = read_profile(path)
            except InputError:
                continue
            if profile.m <= SMALL:
                yield profile


def elections(folder: Path | None) -> list[list[str]]:
    rows = []
    given = list(seeded()) if folder is None else None
    for name in ("logistic", "linear"):
        start, verdicts = process_time(), Counter[str]()
        for profile in files(folder) if folder is not None else given or ():
            found = audit(profile, [name], resamples=0, simulations=0, flips=False)
            verdicts[str(found.findings[0].certified.verdict)] += 1
        rate = verdicts.total() / (process_time() - start)
        said = ", ".join(f"{n} {verdict}" for verdict, n in sorted(verdicts.items()))
        rows.append([name, said, f"{rate:.0f}"])
    return rows


def main() -> None:
    print_table(
        f"A leaderboard of {ITEMS} items; {load()}", ["losses", "what is done", "time"], audits(), texts=2
    )
    print_table(
        f"An audit with the defaults; {load()}",
        ["items", "the best order", "five losses proved wrong", "all of it"],
        whole(),
    )
    print_table(
        f"{RESAMPLES} resamples; {load()}",
        ["items", "what is fitted", "ours", "choix", "ratio"],
        [row for m in (10, 50) for row in refits(m)],
        texts=2,
    )
    print_table(f"The fits of {RESAMPLES} resamples; {load()}", ["items", *DEFAULT], growth())
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    print_table(
        f"Elections of up to {SMALL} items, certified; {load()}",
        ["loss", "verdicts", "a second"],
        elections(folder),
        texts=2,
    )


if __name__ == "__main__":
    single_threaded()
    main()
