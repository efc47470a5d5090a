"""Run the notebooks from top to bottom, and keep or compare what they show.

``python notebooks/run.py`` stores the outputs in the notebooks, without the time, the machine or random ids,
so that running again changes nothing. With ``--check`` it changes nothing, and ends with exit code 1 if a
notebook fails or its text differs from what is stored; pictures are made again but not compared.
"""

import sys
from argparse import ArgumentParser
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

FOLDER = Path(__file__).parent
SECONDS = 120
LANGUAGE = {"name": "python"}
FORMAT = 4  # of nbformat 4; from 5 on, cells have random ids


def executed(path: Path) -> nbformat.NotebookNode:
    """The notebook with fresh outputs."""
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook,
        timeout=SECONDS,
        kernel_name="python3",
        record_timing=False,
        coalesce_streams=True,
        resources={"metadata": {"path": str(FOLDER)}},
    )
    client.execute()
    notebook.metadata.language_info = LANGUAGE
    notebook.nbformat_minor = FORMAT
    for cell in notebook.cells:
        cell.metadata = {}
        cell.pop("id", None)
    return notebook


def texts(notebook: nbformat.NotebookNode) -> list[str]:
    """What each cell shows as text."""
    return [
        "".join(
            output.get("text", "") or output.get("data", {}).get("text/plain", "") for output in cell.outputs
        )
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


def differences(path: Path) -> list[str]:
    """What is not as it is stored."""
    stored = texts(nbformat.read(path, as_version=4))
    try:
        fresh = texts(executed(path))
    except CellExecutionError as error:
        return [f"{path.name} fails: {error}"]
    return [
        f"{path.name}, code cell {number} shows\n{new}\nbut stored is\n{old}\nrun: make notebooks"
        for number, (old, new) in enumerate(zip(stored, fresh, strict=True), start=1)
        if old != new
    ]


def main() -> int:
    """Run those that are named, or all."""
    parser = ArgumentParser(description="Run the notebooks and store their outputs.")
    parser.add_argument("names", nargs="*", type=Path, help="notebooks; all without one")
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 if the text differs")
    asked = parser.parse_args()
    paths = asked.names or sorted(FOLDER.glob("*.ipynb"))
    if asked.check:
        found = [line for path in paths for line in differences(path)]
        print("\n".join(found or ["every notebook shows what is stored"]))
        return 1 if found else 0
    for path in paths:
        nbformat.write(executed(path), path)
        print(f"{path.name} written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
