"""Which share of random profiles stays undecided, and how many are decided a second.

``python benchmarks/bench_profiles.py [PROFILES]``
"""

import json
import sys
from collections import Counter
from fractions import Fraction
from itertools import combinations
from random import Random
from time import process_time

from consistency_lab.decide.answers import Verdict
from consistency_lab.decide.profile import decide_profile
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import surrogate, surrogate_names

CONVEX = [name for name in surrogate_names() if not name.endswith(("sigmoid", "ramp"))]


def random_profile(rng: Random, m: int) -> Distribution:
    """Small counts of every ordered pair, as in a table of games."""
    return Distribution.from_aggregate(
        [[0 if i == j else rng.randrange(6) for j in range(m)] for i in range(m)]
    )


def undecided(profiles: int) -> None:
    """Random profiles of 3 to 5 items, a random convex surrogate each."""
    rng = Random(0)
    asked: Counter[str] = Counter()
    left: Counter[str] = Counter()
    for _ in range(profiles):
        name, p = rng.choice(CONVEX), random_profile(rng, rng.randrange(3, 6))
        asked[name] += 1
        left[name] += decide_profile(surrogate(name), p).verdict is Verdict.UNDECIDED
    print(f"{left.total()} of {asked.total()} random profiles of 3 to 5 items stay undecided")
    for name in sorted(asked, key=lambda name: (-left[name] / asked[name], name)):
        if left[name]:
            print(f"  {name}: {left[name]} of {asked[name]} ({left[name] / asked[name]:.1%})")


def speed(name: str, m: int, profiles: int) -> None:
    """Profiles decided a second of processor time, and how many were not."""
    rng = Random(m)
    chosen = [random_profile(rng, m) for _ in range(profiles)]
    start = process_time()
    verdicts = Counter(str(decide_profile(surrogate(name), p).verdict) for p in chosen)
    rate = profiles / (process_time() - start)
    print(f"{name}, {m} items: {rate:.3g} profiles a second of processor time; {dict(verdicts)}")


def ballots(name: str, m: int, voters: int) -> None:
    """Rankings drawn from Mallows' model, each voter a graph: what a profile of that size takes."""
    rng = Random(m)
    counts: Counter[tuple[int, ...]] = Counter()
    for _ in range(voters):
        order: list[int] = []
        for item in range(m):
            order.insert(
                rng.choices(range(item + 1), [0.8 ** (item - place) for place in range(item + 1)])[0], item
            )
        counts[tuple(order)] += 1
    p = Distribution.of(
        m,
        [
            (Fraction(count, voters), dict.fromkeys(combinations(order, 2), 1))
            for order, count in counts.items()
        ],
    )
    start = process_time()
    decision = decide_profile(surrogate(name), p)
    evidence = decision.witness or decision.proven
    size = 0 if evidence is None else len(json.dumps(evidence.document))
    seconds = process_time() - start
    print(f"{name}, {m} items, {voters} ballots: {decision.verdict} in {seconds:.1f} s, {size:,} bytes")


if __name__ == "__main__":
    undecided(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
    for items, number in ((5, 100), (10, 20), (15, 4)):
        for loss in ("logistic", "hinge"):
            speed(loss, items, number)
    for items, number in ((12, 19_297), (15, 5_000)):
        ballots("logistic", items, number)
