"""What the benchmarks share: the best or the middle of a few runs, and a plain table."""

import os
import sys
from collections.abc import Callable, Sequence
from statistics import median
from time import perf_counter, process_time
from typing import TypeVar

T = TypeVar("T")

_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


def single_threaded() -> None:
    """Start the script again with one thread for linear algebra: on risks this small all solvers gain by it.

    The libraries read their environment when they are loaded, so it must be set before.
    """
    if any(os.environ.get(name) != value for name, value in _ONE_THREAD.items()):
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **_ONE_THREAD})


def best_of(repeats: int, work: Callable[[], object]) -> float:
    """Seconds of the quickest run."""
    times = []
    for _ in range(repeats):
        start = perf_counter()
        work()
        times.append(perf_counter() - start)
    return min(times)


def cpu_of(repeats: int, work: Callable[[], T]) -> tuple[float, T]:
    """Seconds of processor time, the median of some runs after one that warms up; and what came out."""
    found = work()
    return median(once(work)[0] for _ in range(repeats)), found


def once(work: Callable[[], T]) -> tuple[float, T]:
    """Seconds of processor time of one run, and what came out."""
    start = process_time()
    found = work()
    return process_time() - start, found


def load() -> str:
    """How busy the machine is, to be told beside the numbers."""
    return f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors"


def print_table(title: str, headers: Sequence[str], rows: Sequence[Sequence[str]], texts: int = 1) -> None:
    """Columns under their headers; the first `texts` of them stand to the left, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(headers, *rows, strict=True)]
    print(title)
    for row in (headers, ["-" * width for width in widths], *rows):
        cells = [
            cell.ljust(width) if k < texts else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        print("  ".join(cells).rstrip())
    print()
