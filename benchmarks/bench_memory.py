"""Memory and time to read 100 MB of games, against pandas reading and grouping the same file.

Run with ``python benchmarks/bench_memory.py [MEGABYTES]``. The seeded file, in a temporary folder, has
a number, two players of 300, who won (one in ten is a tie) and a time in each row. Each reader gets a process
of its own; memory is the most that was resident, and what there was after the imports is told apart.
"""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from timing import load, print_table, single_threaded

ITEMS = 300
ROWS_AT_ONCE = 100_000

OURS = """
from consistency_lab.data.games import GameColumns, read_games
from consistency_lab.data.profile import Profile
def work(path):
    profile = Profile.of(read_games(path, GameColumns("winner", a="model_a", b="model_b")))
    return str(sum(sum(row) for row in profile.wins))
"""
PANDAS = """
import pandas as pd
def work(path):
    columns = ["model_a", "model_b", "winner"]
    return str(int(pd.read_csv(path, usecols=columns).groupby(columns).size().sum()))
"""
FRAME = """
import sys
from resource import RUSAGE_SELF, getrusage
from time import process_time
before, start = getrusage(RUSAGE_SELF).ru_maxrss, process_time()
found = work(sys.argv[1])
print(found, process_time() - start, before / 1024, getrusage(RUSAGE_SELF).ru_maxrss / 1024)
"""


def write(path: Path, size: float) -> int:
    """Rows until the file has so many bytes; how many games."""
    rng = np.random.default_rng(0)
    u, games = rng.normal(size=ITEMS), 0
    with path.open("w", encoding="utf-8") as file:
        file.write("id,model_a,model_b,winner,time\n")
        while file.tell() < size:
            i = rng.integers(0, ITEMS, ROWS_AT_ONCE)
            j = (i + rng.integers(1, ITEMS, ROWS_AT_ONCE)) % ITEMS
            won = np.where(rng.random(ROWS_AT_ONCE) < 1 / (1 + np.exp(u[j] - u[i])), "a", "b")
            won[rng.random(ROWS_AT_ONCE) < 0.1] = "t"
            words = {"a": "model_a", "b": "model_b", "t": "tie"}
            file.writelines(
                f"{games + k},player {x},player {y},{words[w]},{1.7e9 + games + k:.0f}\n"
                for k, (x, y, w) in enumerate(zip(i.tolist(), j.tolist(), won.tolist(), strict=True))
            )
            games += ROWS_AT_ONCE
    return games


def measure(name: str, work: str, path: Path, games: int) -> tuple[float, list[str]]:
    told = subprocess.run(
        [sys.executable, "-c", work + FRAME, str(path)], check=True, capture_output=True, text=True
    ).stdout.split()
    assert float(told[0]) == games, told
    seconds, before, most = map(float, told[1:])
    return seconds, [
        name,
        f"{seconds:.1f} s",
        f"{before:.0f} MB",
        f"{most:.0f} MB",
        f"{most - before:.0f} MB",
    ]


def main() -> None:
    megabytes = float(sys.argv[1]) if len(sys.argv) > 1 else 100.0
    with TemporaryDirectory() as folder:
        path = Path(folder) / "games.csv"
        games = write(path, megabytes * 1e6)
        ours, row = measure("ours", OURS, path, games)
        rows = [[*row, "1.0"]]
        if find_spec("pandas"):
            theirs, row = measure("pandas", PANDAS, path, games)
            rows.append([*row, f"{theirs / ours:.2f}"])
    print_table(
        f"{megabytes:.0f} MB, {games:,} games; {load()}",
        ["reader", "time", "after imports", "peak", "more", "ratio of times"],
        rows,
    )


if __name__ == "__main__":
    single_threaded()
    main()
