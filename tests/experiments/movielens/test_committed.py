"""What docs/experiments.md says of MovieLens is what was measured, and what was measured adds up."""

import json
import re
from pathlib import Path

import pytest

from consistency_lab.experiments.movielens.document import document
from consistency_lab.experiments.movielens.ratings import SOURCE, Ratings
from consistency_lab.experiments.movielens.settings import METHODS, PAIRS, VARIANTS, Settings
from consistency_lab.report.experiments.movielens import movielens_report
from consistency_lab.report.text import rendered

DOCS = Path(__file__).parents[3] / "docs"
KEPT = json.loads((DOCS / "experiments" / "movielens.json").read_text(encoding="utf-8"))
OTHERS = json.loads((DOCS / "experiments" / "movielens-variants.json").read_text(encoding="utf-8"))
PAGE = (DOCS / "experiments.md").read_text(encoding="utf-8")


def test_it_is_the_whole_experiment() -> None:
    assert KEPT["data"] == {"source": SOURCE, "ratings": 100_000, "users": 943, "films": 1682}
    assert (KEPT["settings"]["runs"], KEPT["settings"]["pairs"]) == (15, list(PAIRS))
    assert KEPT["settings"]["variant"] == "plain"
    assert {(row["run"], row["method"], row["pairs"]) for row in KEPT["rows"]} == {
        (run, method, pairs) for run in range(15) for method in METHODS for pairs in PAIRS
    }


def test_the_table_is_that_of_the_rows(tiny: Ratings) -> None:
    """The numbers of the data alone are not checked here."""
    again = document(tiny, Settings(), KEPT["rows"])
    for name in ("table", "differences"):
        kept = [{**row, "paper": None} if "paper" in row else row for row in KEPT[name]]
        assert kept == again[name]
    assert KEPT["settings"].keys() == again["settings"].keys()


def test_the_page_shows_the_report() -> None:
    shown = "\n".join(line.rstrip() for line in rendered(movielens_report(KEPT)))
    assert shown in PAGE


def test_the_variants_are_those_of_the_table_and_on_the_page() -> None:
    assert [found["settings"]["variant"] for found in OTHERS] == list(VARIANTS)
    for found in OTHERS:
        rows = {row["method"]: row for row in found["table"] if row["pairs"] == 40_000}
        losses = " | ".join(f"{rows[method]['mean']:.4f}" for method in METHODS)
        variant = found["settings"]["variant"]
        assert found["settings"]["about"] == VARIANTS[variant].about
        assert found["settings"]["runs"] == 15
        row = f"| {variant} | {VARIANTS[variant].about} | {losses} | "
        (line,) = (line for line in PAGE.splitlines() if line.startswith(row))
        assert line.endswith(f" | {rows['linear']['lowest']} |")


@pytest.mark.parametrize("name", ["movielens.svg"])
def test_the_picture_of_the_page_is_there(name: str) -> None:
    assert re.search(rf"\(experiments/{name}\)", PAGE)
    assert (DOCS / "experiments" / name).stat().st_size > 10_000
