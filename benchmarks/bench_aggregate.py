"""Aggregating a million pairwise judgments, against pandas counting them, and memory on a file of 100 MB.

Run with ``python benchmarks/bench_aggregate.py``. pandas reads the file and counts each pair of each query
with ``groupby(...).size()``; it makes no matrices, scores or labels of them. Processor seconds are compared.
"""

import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, process_time

import numpy as np
from timing import print_table, single_threaded

MILLION = 1_000_000
QUERIES, ITEMS = 10_000, 20
ROWS_OF_100_MB = 3_870_000
STRUCTURES = (
    "average-adjacency",
    "btl-log-odds",
    "thurstone-mosteller",
    "ammar-shah",
    "principal-eigenvector",
)
_TOLD = """
import time
peak = next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(time.process_time(), peak)
"""
"""What a process says of itself at its end: processor seconds, and its most kilobytes (on Linux)."""

COLUMNS = ("--query", "query", "--winner", "winner", "--loser", "loser")


def write(path: Path, rows: int, *, in_order: bool) -> None:
    rng = np.random.default_rng(0)
    query, first = rng.integers(0, QUERIES, rows), rng.integers(0, ITEMS, rows)
    if in_order:
        query.sort()
    second = (first + rng.integers(1, ITEMS, rows)) % ITEMS
    with path.open("w", encoding="utf-8") as file:
        file.write("query,winner,loser\n")
        file.writelines(
            f"query-{q},item-{i},item-{j}\n"
            for q, i, j in zip(query.tolist(), first.tolist(), second.tolist(), strict=True)
        )


def seconds(work: Callable[[], object]) -> float:
    best = float("inf")
    for _ in range(3):
        start = process_time()
        work()
        best = min(best, process_time() - start)
    return best


def measure_million(folder: Path) -> list[list[str]]:
    import pandas as pd

    from consistency_lab.apps.learn.aggregate import structure
    from consistency_lab.apps.learn.aggregate.judgments import read_pairs
    from consistency_lab.apps.learn.aggregate.labels import labels_of
    from consistency_lab.data.games import GameColumns

    found = []
    for order in ("by query", "shuffled"):
        path = folder / f"{order}.csv"
        write(path, MILLION, in_order=order == "by query")
        table = pd.read_csv(path)
        peer_read = seconds(lambda path=path: pd.read_csv(path))
        peer = seconds(lambda table=table: table.groupby(["query", "winner", "loser"], sort=False).size())
        columns = GameColumns("winner", loser="loser")
        read = seconds(lambda path=path, columns=columns: read_pairs(path, columns, "query"))
        found.append([f"read, {order}", f"{read:.2f} s", f"{peer_read:.2f} s", f"{read / peer_read:.1f}"])
        pairs = read_pairs(path, columns, "query")
        for name in STRUCTURES:
            made = structure(name)
            labels_of(pairs, made)
            ours = seconds(lambda pairs=pairs, made=made: labels_of(pairs, made))
            found.append([f"{name}, {order}", f"{ours:.2f} s", f"{peer:.2f} s", f"{ours / peer:.1f}"])
    return found


def measure_memory(folder: Path) -> list[list[str]]:
    path = folder / "large.csv"
    write(path, ROWS_OF_100_MB, in_order=False)
    words = ["aggregate", str(path), *COLUMNS, "--out", str(folder / "labels.csv")]
    counting = f"pd.read_csv({str(path)!r}).groupby(['query', 'winner', 'loser'], sort=False).size()"
    rows = []
    for name, code in (
        ("aggregate", f"from consistency_lab.cli.running import run; run({words})"),
        ("pandas, counting", f"import pandas as pd; {counting}"),
        ("import of what aggregate needs", "import consistency_lab.apps.learn.aggregate.labels"),
    ):
        start = perf_counter()
        said = subprocess.run(
            [sys.executable, "-c", code + _TOLD], capture_output=True, text=True, check=True
        )
        wall = perf_counter() - start
        used, peak = said.stdout.split()[-2:]
        rows.append([name, f"{float(used):.1f} s", f"{wall:.1f} s", f"{int(peak) / 1024:.0f} MB"])
    print(f"file: {path.stat().st_size / 1e6:.0f} MB, {ROWS_OF_100_MB:,} judgments\n")
    return rows


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        print_table(
            f"{MILLION:,} pairwise judgments of {QUERIES:,} queries with {ITEMS} items (processor time)",
            ("work", "aggregate", "pandas", "ratio"),
            measure_million(Path(folder)),
        )
        print_table(
            "A file of 100 MB, a process each",
            ("work", "processor", "wall", "peak memory"),
            measure_memory(Path(folder)),
        )


if __name__ == "__main__":
    single_threaded()
    main()
