"""Why some mutants may survive: `survivors.txt`, kept by hand.

A line that ends with ``.py`` names a file; that of a mutant is as the tool prints it, behind the line number;
the indented line below it says why no test can or need tell it apart.
"""

from pathlib import Path


def explained(file: str) -> dict[str, str]:
    """The reason for each mutant of a file that is known to survive."""
    found: dict[str, str] = {}
    here = key = ""
    for line in Path(__file__).with_name("survivors.txt").read_text(encoding="utf-8").splitlines():
        if line.endswith(".py"):
            here = line
        elif line.startswith("    "):
            if here == file:
                found[key] = line.strip()
        elif line:
            key = line
    return found
