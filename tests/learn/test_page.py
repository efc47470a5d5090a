"""docs/learn.md: its programs run, and its tables say what the package does."""

import csv
import re
import subprocess
import sys
from fractions import Fraction
from inspect import signature
from pathlib import Path

import numpy as np
import pytest

import consistency_lab as lab
from consistency_lab.aggregate import Preferences
from consistency_lab.experiments.exact import expected_leads
from consistency_lab.experiments.judges import INSTANCES, learned
from consistency_lab.learn import LOSSES, StructureRanker

PAGE = (Path(__file__).parents[2] / "docs" / "learn.md").read_text(encoding="utf-8")
PROGRAMS = re.findall(r"```python\n(.*?)```", PAGE, re.S)


def table(header: str) -> list[list[str]]:
    """The cells of a table of the page, without the marks of code."""
    lines = PAGE[PAGE.index(header) :].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip().replace("`", "") for cell in line.strip("|").split("|")] for line in lines]


def test_the_programs_run(tmp_path: Path) -> None:
    rng, weights = np.random.default_rng(0), np.array([-1.0, 2.0])
    with (
        (tmp_path / "items.csv").open("w", newline="") as items,
        (tmp_path / "judgments.csv").open("w", newline="") as judgments,
    ):
        of_item, of_pair = csv.writer(items), csv.writer(judgments)
        of_item.writerow(["query", "item", "price", "rating"])
        of_pair.writerow(["query", "winner", "loser"])
        for query in range(20):
            X = rng.normal(size=(5, 2))
            of_item.writerows([f"q{query}", f"d{i}", *row] for i, row in enumerate(X))
            for _ in range(20):
                i, j = rng.choice(5, 2, replace=False)
                if rng.random() > 1 / (1 + np.exp((X[j] - X[i]) @ weights)):
                    i, j = j, i
                of_pair.writerow([f"q{query}", f"d{i}", f"d{j}"])
    (tmp_path / "tutorial.py").write_text("\n".join(PROGRAMS), encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "tutorial.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert re.match(r"\{'structureranker__k': (8|64|None)\} \[", ran.stdout)
    assert len(PROGRAMS) == 2
    assert len([line for line in PROGRAMS[0].splitlines() if line]) <= 20


@pytest.mark.parametrize("row", table("| k | seed 0"), ids=lambda row: f"k={row[0]}")
def test_few_labels_learn_the_wrong_order_and_all_of_them_the_right_one(row: list[str]) -> None:
    judges, k = INSTANCES["features"], None if row[0] == "None" else int(row[0])
    for seed, regret in enumerate(row[1:]):
        said = Preferences.from_wins([judges.counts(20_000, np.random.default_rng(seed))])
        ranker = StructureRanker(k=k, random_state=seed).fit(judges.X, said)
        assert judges.regret(ranker.predict(judges.X)) == pytest.approx(float(Fraction(regret)), abs=1e-12)


def test_the_rule_for_k_is_on_the_safe_side() -> None:
    judges = INSTANCES["features"]
    lead, met = judges.a - judges.a.T, judges.a + judges.a.T
    rule = int(np.ceil((met[lead > 0] / lead[lead > 0] ** 2).max()))
    assert f"it says k ≥ {rule};" in PAGE
    limits = [
        judges.regret(learned(judges, expected_leads(judges.a, k), 1e-6)) for k in (17, 18, rule, 4 * rule)
    ]
    assert limits == pytest.approx([1 / 6, 0, 0, 0], abs=1e-9)


def test_the_losses_are_these() -> None:
    rows = {name: (formula, structure) for name, formula, _, structure in table("| loss | formula")}
    assert {name: formula for name, (formula, _) in rows.items()} == {
        loss.name: loss.formula for loss in LOSSES.values()
    }
    for name, (_, structure) in rows.items():
        given = structure.partition(",")[0]
        assert repr(LOSSES[name].structure) in (given, given.replace("c=1", "c=1.0"))
        assert structure.endswith("no other") is LOSSES[name].nonnegative


@pytest.mark.parametrize("row", table("| loss | additive"), ids=lambda row: row[0])
def test_the_verdicts_are_those_of_the_command(row: list[str]) -> None:
    for condition, verdict in zip(("additive", "low-noise", "net-order", "acyclic"), row[1:], strict=True):
        assert lab.check(row[0], condition, items=3, effort=30).verdict.name == verdict


def test_the_parameters_are_these() -> None:
    defaults = {name: one.default for name, one in signature(StructureRanker).parameters.items()}
    assert [row[:2] for row in table("| name | default")] == [
        [name, f'"{value}"' if isinstance(value, str) else str(value)] for name, value in defaults.items()
    ]
