"""How much of the package must be believed, and how large it is: ``python benchmarks/bench_lines.py``.

Lines are those of the files, docstrings and blank lines included. What a command loads is what stands in
`sys.modules` when it has ended.
"""

import subprocess
import sys
from pathlib import Path

from timing import print_table

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "consistency_lab"
GALLERY = ROOT / "counterexamples"

LOADED = """
import os
import sys
sys.stdout = open(os.devnull, "w")
import runpy
sys.argv = ["consistency-lab", *sys.argv[1:]]
try:
    runpy.run_module("consistency_lab", run_name="__main__", alter_sys=False)
except SystemExit:
    pass
files = [getattr(module, "__file__", None) or "" for module in sys.modules.values()]
print(*sorted({file for file in files if file.endswith(".py")}), sep="\\n", file=sys.__stdout__)
"""


def lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def loaded(*command: str) -> list[Path]:
    """Our files that a command loads."""
    ran = subprocess.run([sys.executable, "-c", LOADED, *command], capture_output=True, text=True, check=True)
    return [path for path in map(Path, ran.stdout.splitlines()) if path.is_relative_to(PACKAGE)]


def part(path: Path) -> str:
    """The part of the package that a file belongs to."""
    found = path.relative_to(PACKAGE).parts
    return found[0] if len(found) > 1 else "(top)"


def sums(paths: list[Path]) -> dict[str, int]:
    found: dict[str, int] = {}
    for path in paths:
        found[part(path)] = found.get(part(path), 0) + lines(path)
    return found


def main() -> None:
    commands = {
        "verify, graphs": ["verify", str(min(GALLERY.glob("*.json")))],
        "verify, task": ["verify", str(min((GALLERY / "libraries").glob("*.json")))],
        "check logistic": ["check", "logistic", "--no-save"],
    }
    whole = sums(sorted(PACKAGE.rglob("*.py")))
    columns = {name: sums(loaded(*command)) for name, command in commands.items()}
    rows = [
        [name, str(count), *(str(column.get(name, 0)) for column in columns.values())]
        for name, count in sorted(whole.items())
    ]
    totals = ["all", *(str(sum(column.values())) for column in (whole, *columns.values()))]
    print_table("Lines", ["part", "there", *(f"loaded by {name}" for name in columns)], [*rows, totals])


if __name__ == "__main__":
    main()
