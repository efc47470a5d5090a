"""Run every benchmark, each in a process of its own: ``python -m benchmarks``."""

import subprocess
import sys
from pathlib import Path


def main() -> None:
    for script in sorted(Path(__file__).parent.glob("bench_*.py")):
        print(f"## {script.name}\n", flush=True)
        subprocess.run([sys.executable, str(script)], check=True)


if __name__ == "__main__":
    main()
