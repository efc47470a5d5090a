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
from consistency_lab.apps.learn import LOSSES, StructureRanker
from consistency_lab.apps.learn.aggregate import AverageAdjacency, Preferences
from consistency_lab.apps.learn.experiments.exact import expected_leads
from consistency_lab.apps.learn.experiments.judges import INSTANCES, learned
from consistency_lab.certify.witness import certify
from consistency_lab.decide.theorems.catalogue import consistency_theorem
from consistency_lab.search.size import KNOWN, realize

PAGE = (Path(__file__).parents[2] / "docs" / "learn.md").read_text(encoding="utf-8")
WORDS = " ".join(PAGE.split())
PROGRAMS = re.findall(r"```python\n(.*?)```", PAGE, re.S)


@pytest.mark.long
def test_the_programs_run(tmp_path):
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


@pytest.mark.parametrize(
    ("k", "regrets"), [(2, (6, 6)), (4, (6, 6)), (8, (6, 6)), (16, (6, 0)), (32, (0, 0)), (None, (0, 0))]
)
def test_few_labels_learn_the_wrong_order_and_all_of_them_the_right_one(k, regrets):
    judges = INSTANCES["features"]
    for seed, regret in enumerate(Fraction(x, 36) for x in regrets):
        said = Preferences.from_wins([judges.counts(20_000, np.random.default_rng(seed))])
        ranker = StructureRanker(k=k, random_state=seed).fit(judges.X, said)
        assert judges.regret(ranker.predict(judges.X)) == pytest.approx(float(Fraction(regret)), abs=1e-12)


def test_the_rule_for_k_is_on_the_safe_side():
    judges = INSTANCES["features"]
    lead, met = judges.a - judges.a.T, judges.a + judges.a.T
    rule = int(np.ceil((met[lead > 0] / lead[lead > 0] ** 2).max()))
    assert f"this gives k ≥ {rule};" in WORDS
    limits = [
        judges.regret(learned(judges, expected_leads(judges.a, k), 1e-6)) for k in (17, 18, rule, 4 * rule)
    ]
    assert limits == pytest.approx([1 / 6, 0, 0, 0], abs=1e-9)


def test_the_page_names_the_table_of_the_losses_and_each_has_what_stands_there():
    assert "<!-- table: learned losses -->" in PAGE
    for name, loss in LOSSES.items():
        assert loss.formula and loss.citation
        assert (loss.structure == AverageAdjacency()) is (loss.nonnegative or name == "linear")


@pytest.mark.parametrize("name", sorted(LOSSES.keys() - {"softmax"}))
def test_the_verdicts_are_those_of_theorems_and_certified_examples(name):
    right, loss = {"hinge": 0, "logistic": 0, "linear": 3, "regression": 3}.get(name, 4), lab.surrogate(name)
    conditions = ("additive", "low-noise", "net-order", "acyclic")
    assert [consistency_theorem(loss, one) is not None for one in conditions] == [n < right for n in range(4)]
    wrong = [witness for a in KNOWN if (witness := certify(loss, realize(loss, a))) is not None]
    for condition in conditions[right:]:
        assert any(witness.fails_under(condition) for witness in wrong)


def test_every_parameter_is_explained():
    told = (StructureRanker.__doc__ or "").partition("Parameters\n")[2].partition("Attributes\n")[0]
    assert re.findall(r"^    (\w+)$", told, re.MULTILINE) == list(signature(StructureRanker).parameters)
