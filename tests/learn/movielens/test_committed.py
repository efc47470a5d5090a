"""What docs/research.md says of MovieLens is what was measured, and what was measured adds up."""

import json
from pathlib import Path

import pytest

from consistency_lab.apps.learn.experiments.movielens import document
from consistency_lab.apps.learn.experiments.ratings import METHODS, PAIRS, SOURCE, VARIANTS, Settings
from docs.tables import TABLES

DOCS = Path(__file__).parents[3] / "docs"
KEPT = json.loads((DOCS / "experiments" / "movielens.json").read_text(encoding="utf-8"))
OTHERS = json.loads((DOCS / "experiments" / "movielens-variants.json").read_text(encoding="utf-8"))
PAGE = "\n".join(
    [
        (DOCS / "research.md").read_text(encoding="utf-8"),
        TABLES["movielens"](),
        TABLES["movielens variants"](),
    ]
)


def table(found):
    return {
        pairs: [row for row in found["table"] if row["pairs"] == pairs]
        for pairs in found["settings"]["pairs"]
    }


@pytest.mark.parametrize("found", KEPT, ids=lambda found: found["settings"]["variant"])
def test_the_table_is_that_of_the_rows(found, tiny):
    assert found["data"] == {"source": SOURCE, "ratings": 100_000, "users": 943, "films": 1682}
    asked = Settings(
        tuple(found["settings"]["pairs"]), found["settings"]["runs"], 0, found["settings"]["variant"]
    )
    if "rows" not in found:
        return  # of a -wide one, whose fits are those of the other
    assert {(row["run"], row["method"], row["pairs"]) for row in found["rows"]} == {
        (run, method, pairs) for run in range(asked.runs) for method in METHODS for pairs in asked.pairs
    }
    again = document(tiny, asked, found["rows"])
    for name in ("table", "differences"):
        kept = [{**row, "paper": None} if "paper" in row else row for row in found[name]]
        assert kept == again[name]
    assert found["settings"] == json.loads(json.dumps(again["settings"]))


def test_the_page_compares_all_five_sizes_with_the_paper():
    assert (KEPT[0]["settings"]["variant"], KEPT[0]["settings"]["pairs"]) == ("grouplens", list(PAIRS))
    for pairs, rows in table(KEPT[0]).items():
        shown = " | ".join(f"{row['mean']:.4f} | {row['paper']['mean']:.3f}" for row in rows)
        assert f"| {pairs} | {shown} |" in PAGE.splitlines()
        assert rows[-1]["lowest"] == KEPT[0]["settings"]["runs"] == 5
        assert {0.0039 < row["standard_error"] < 0.0075 for row in rows} == {True}


def test_the_page_tells_how_far_apart_two_losses_are_at_five_sizes():
    for name in ("leave-one-out", "grouplens-wide", "leave-one-out-wide"):
        (found,) = (one for one in KEPT if (one["settings"]["variant"], one["settings"]["runs"]) == (name, 5))
        apart = sorted(abs(row["mean"]) for row in found["differences"] if row["than"] == "logistic")
        told = f"{apart[0]:.4f} to {apart[-1]:.4f} with *{name}*".replace("0.", ".")
        assert told in " ".join(PAGE.split())


@pytest.mark.parametrize(
    "found",
    [found for found in (*KEPT, *OTHERS) if found["settings"]["runs"] == 15],
    ids=lambda found: found["settings"]["variant"],
)
def test_every_measurement_of_fifteen_runs_is_on_the_page(found):
    variant = found["settings"]["variant"]
    assert variant in VARIANTS
    apart = {row["pairs"]: row for row in found["differences"] if row["than"] == "logistic"}
    if found in KEPT:
        rows, row = table(found)[20_000], apart[20_000]
        means = " | ".join(f"{row['mean']:.4f}" for row in rows)
        difference = f"{row['mean']:+.4f} ({row['standard_error']:.4f})"
        assert f"| {variant} | {means} | {difference} | {rows[-1]['lowest']} |" in PAGE.splitlines()
    elif variant == "plain":
        ends = (f"{end([row['mean'] for row in apart.values()]):.4f}"[1:] for end in (min, max))
        assert "{} to {} in *plain* at all five sizes".format(*ends) in " ".join(PAGE.split())
    else:
        assert f"{apart[40_000]['mean']:.4f} (*{variant}*"[1:] in " ".join(PAGE.split())


def test_the_order_of_the_table_comes_back_under_small_penalties_alone():
    """What README and page say: linear is lowest with leave-one-out features and λ ≤ 10, and not else."""
    for found in KEPT:
        variant = found["settings"]["variant"]
        for hinge, logistic, linear in table(found).values():
            ahead = min(hinge["mean"], logistic["mean"]) - linear["mean"]
            assert ahead > 0.004 if variant in ("grouplens", "leave-one-out") else ahead < 0.001
            if variant.endswith("-wide"):  # under the largest λ all three are one
                last = [row["by_lambda"][-1] for row in (hinge, logistic, linear)]
                assert max(last) - min(last) < 0.002
