"""How often the logistic loss is wrong, by design of the comparisons: random low noise, and elections.

Run with ``python benchmarks/bench_designs.py [FOLDER]``; FOLDER has files of PrefLib (.soc .soi .toc .toi):
those below 300 kB with 3 to 15 items and all pairs compared are decided. The core accepts every verdict.
"""

import sys
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from random import Random

from timing import print_table

from consistency_lab import ConsistencyLabError, Distribution, read_profile
from consistency_lab.certify.witness import Case, certify
from consistency_lab.decide.certified import pairs_by_addition
from consistency_lab.model.conditions import CONDITIONS
from consistency_lab.model.designs import described, schedule
from consistency_lab.model.surrogates import surrogate

SIZES = (3, 4, 5)
DESIGNS = {"any": None, "ratio 5": 5, "ratio 2": 2, "balanced": 1}
EACH = 100
MOST_BYTES, MOST_ITEMS = 300_000, 15
LOGISTIC, RIGHT = surrogate("logistic"), "consistent-at-p"


def low_noise(random: Random, m: int) -> list[list[int]]:
    """d_ij >= d_ik + d_kj for i < k < j: sums of random numbers over the intervals inside i to j."""
    parts = [[random.choice((1, 2, 5) if i == j else (0, 0, 1, 2)) for j in range(m)] for i in range(m)]
    upper = [
        [sum(parts[k][h] for k in range(i, j) for h in range(k, j)) if i < j else 0 for j in range(m)]
        for i in range(m)
    ]
    return [[upper[i][j] - upper[j][i] for j in range(m)] for i in range(m)]


def compared(random: Random, d: list[list[int]], ratio: int | None) -> Distribution:
    """Counts n_ij >= |d_ij|: log-uniform up to the ratio, or from |d_ij| to 20 times that."""
    m = len(d)
    a = [[Fraction(0)] * m for _ in range(m)]
    for i in range(m):
        for j in range(i):
            least = abs(d[i][j]) if ratio is None else max(map(max, d))
            n = least * Fraction(round(100 * (ratio or 20) ** random.random()), 100)
            a[i][j], a[j][i] = (n + d[i][j]) / 2, (n - d[i][j]) / 2
    return Distribution.from_aggregate(a)


def judged(name: str, p: Distribution) -> str:
    """The claim that the core accepts, or "open"."""
    loss = surrogate(name)
    try:
        found = Case(loss, p).by_addition() if loss == LOGISTIC else None
        found = found or certify(loss, p, quick=True)
    except ConsistencyLabError:
        return "open"
    return "open" if found is None else str(found.verified.claim)


def simulated() -> Iterator[list[str]]:
    for m in SIZES:
        row = [str(m)]
        for name, ratio in DESIGNS.items():
            random = Random(f"{m} {name}")
            ps = [compared(random, low_noise(random, m), ratio) for _ in range(EACH)]
            assert all(CONDITIONS["low-noise"].holds(p.aggregate) for p in ps)
            claims = Counter(judged("logistic", p) for p in ps)
            row.append(f"{claims['inconsistent']}" + (f" ({claims['open']} open)" if claims["open"] else ""))
        yield row


def elections(folder: Path) -> Iterator[list[str]]:
    found: Counter[str] = Counter()
    paths = sorted(path for kind in ("soc", "soi", "toc", "toi") for path in folder.rglob(f"*.{kind}"))
    for path in [path for path in paths if path.stat().st_size < MOST_BYTES]:
        try:
            p = read_profile(path).distribution
        except ConsistencyLabError:
            continue
        m, design = p.m, described(p.aggregate)
        if not 3 <= m <= MOST_ITEMS or "complete" not in design.names:
            continue
        added = pairs_by_addition(LOGISTIC, p.aggregate)
        proved = 0 if added is None else len(added.pairs)
        found.update({"files": 1, "pairs": m * (m - 1) // 2, "proved": proved})
        found["all pairs proved"] += proved == m * (m - 1) // 2
        found["balanced"] += "balanced" in design.names
        found["product"] += "product" in design.names
        found["P strongly transitive"] += CONDITIONS["strong-stochastic-transitivity"].holds(p.aggregate)
        claim = judged("logistic", p)
        found["open"] += claim == "open"
        if claim == "inconsistent":
            n = schedule(p.aggregate)
            even = [
                [a / n[i][j] if n[i][j] else a for j, a in enumerate(row)]
                for i, row in enumerate(p.aggregate)
            ]
            found["logistic wrong"] += 1
            found["of these right with weights 1/n"] += (
                judged("logistic", Distribution.from_aggregate(even)) == "consistent-at-p"
            )
            found["of these right with difference-logistic"] += (
                judged("difference-logistic", p) == "consistent-at-p"
            )
    yield from ([name, str(number)] for name, number in found.items())


def main() -> None:
    print(f"Certified wrong of {EACH} random low-noise distributions, logistic loss:\n")
    print_table("", ["items", *DESIGNS], list(simulated()))
    if len(sys.argv) > 1:
        print("\nFiles of PrefLib:\n")
        print_table("", ["", "number"], list(elections(Path(sys.argv[1]))))


if __name__ == "__main__":
    main()
