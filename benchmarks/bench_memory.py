"""Time and memory to read games as CSV, JSON lines and Parquet, against pandas and Polars counting them.

Run with ``python benchmarks/bench_memory.py [GAMES ...]``; by default it shows the growth from 10,000 to ten
million games, of which JSON lines take 1 GB in a temporary folder. Each seeded row has a number, two players
of 300, who won (one in ten is a tie) and a time. Each reader gets a process of its own and reads the file
once before, so that nothing is compiled; times are of the processor, the least of three. Memory is the most
that was resident (on Linux), and what there was after the imports is told apart.
"""

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from timing import load, print_table, single_threaded

ITEMS = 300
COLUMNS = ["model_a", "model_b", "winner"]

OURS = """
from consistency_lab.data.games import GameColumns, read_games
def work(path):
    read = read_games(path, GameColumns("winner", a="model_a", b="model_b"))
    return read.counts.total + read.ties.total
"""
PANDAS = """
import pandas as pd
read = {"csv": lambda path: pd.read_csv(path, usecols=columns),
        "jsonl": lambda path: pd.read_json(path, lines=True)[columns],
        "parquet": lambda path: pd.read_parquet(path, columns=columns)}
def work(path):
    return int(read[path.rpartition(".")[2]](path).groupby(columns).size().sum())
"""
POLARS = """
import polars as pl
read = {"csv": pl.read_csv, "jsonl": pl.read_ndjson, "parquet": pl.read_parquet}
def work(path):
    return read[path.rpartition(".")[2]](path).group_by(columns).len()["len"].sum()
"""
READERS = {"ours": OURS, "pandas": PANDAS, "Polars": POLARS}
FRAME = """
import sys
from time import process_time
def resident():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmHWM"))
before, times = resident(), []
work(path)
for _ in range(3):
    start = process_time()
    found = work(path)
    times.append(process_time() - start)
print(found, min(times), before, resident())
"""


def write(folder: Path, games: int) -> list[Path]:
    """The same games as CSV, JSON lines and Parquet."""
    import polars as pl

    rng = np.random.default_rng(0)
    u, i = rng.normal(size=ITEMS), rng.integers(0, ITEMS, games)
    j = (i + rng.integers(1, ITEMS, games)) % ITEMS
    won = np.where(rng.random(games) < 1 / (1 + np.exp(u[j] - u[i])), 0, 1)
    won[rng.random(games) < 0.1] = 2
    names, words = pl.Series([f"player {k}" for k in range(ITEMS)]), pl.Series([*COLUMNS[:2], "tie"])
    table = pl.DataFrame(
        {"id": np.arange(games), "model_a": names[i], "model_b": names[j], "winner": words[won]}
    )
    table = table.with_columns(time=1_700_000_000 + pl.col("id"))
    paths = [folder / f"{games}.{ending}" for ending in ("csv", "jsonl", "parquet")]
    for path, method in zip(paths, (table.write_csv, table.write_ndjson, table.write_parquet), strict=True):
        method(path)
    return paths


def measure(name: str, path: Path, games: int) -> tuple[float, float, float]:
    """Seconds, and megabytes after the imports and at most."""
    given = f"columns, path = {COLUMNS}, {json.dumps(str(path))}\n"
    code = given + READERS[name] + FRAME
    told = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    found, seconds, before, most = map(float, told.stdout.split())
    assert found == games, told
    return seconds, before, most


def main() -> None:
    sizes = [int(float(size)) for size in sys.argv[1:]] or [10**4, 10**5, 10**6, 10**7]
    rows = []
    with TemporaryDirectory() as name:
        for games in sizes:
            for path in write(Path(name), games):
                found = {reader: measure(reader, path, games) for reader in READERS}
                seconds, before, _ = found["ours"]
                rows.append(
                    [
                        f"{games:,} {path.suffix[1:]}",
                        *(f"{one[0]:.3f} s" for one in found.values()),
                        *(f"{seconds / found[peer][0]:.2f}" for peer in ("pandas", "Polars")),
                        f"{before:.0f} MB",
                        *(f"{one[2]:.0f} MB" for one in found.values()),
                    ]
                )
                path.unlink()
    headers = ["games", *READERS, "/ pandas", "/ Polars", "imports", *(f"most, {one}" for one in READERS)]
    print_table(load(), headers, rows)


if __name__ == "__main__":
    single_threaded()
    main()
