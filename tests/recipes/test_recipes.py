"""CONTRIBUTING's recipes, carried out on a copy: commands know the new thing, and old files verify."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import consistency_lab
from consistency_lab.certify.witness import certify
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import surrogate

PACKAGE = Path(consistency_lab.__file__).parent
ROOT = PACKAGE.parent

CONDITION = """# --- One-way preferences: no pair of items is compared both ways ---


def _one_way(a):
    return every(a[i][j] * a[j][i] == 0 for i, j in combinations(range(len(a)), 2))


ONE_WAY = Condition(
    "one-way",
    "one-way preferences",
    r"a_{ij} a_{ji} = 0",
    "a_ij a_ji = 0",
    "a test",
    ("any",),
    _one_way,
)


"""

TARGET = '''"""Missed: whether the item at the top has not the highest grade of all."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from consistency_lab.model.labels import Grades
from consistency_lab.model.tasks.task import EXCHANGE, Remedy, Target
from consistency_lab.model.tasks.task import Task


@dataclass(frozen=True)
class Missed(Task):
    space: Grades
    target: ClassVar[str] = "missed"
    citation: ClassVar[str] = "a test"

    def loss(self, label, prediction):
        return Fraction(label[prediction[0]] < self.space.grades[-1])

    def describe(self):
        return {"loss": self.target, "labels": self.space.describe()}


MISSED = Target(
    "missed",
    "missed item",
    Missed,
    "1(the top item has not the highest grade)",
    "1 if the item at the top has not the highest grade",
    ("labels",),
    lambda given: Missed(given.grades((0, 1, 2))),
    EXCHANGE,
    (Remedy("constructed"),),
)
'''

FAMILY = '''"""Counting losses: an edge counts once, whatever its weight."""

from dataclasses import dataclass
from fractions import Fraction

from consistency_lab.model.surrogates.families import Family, GraphSurrogate, pair
from consistency_lab.numbers.phi import Expression


@dataclass(frozen=True, slots=True)
class CountingSurrogate(GraphSurrogate):
    name: str
    phi: Expression
    family = Family("counting", "sum over i→j of phi(alpha_i - alpha_j)", "a test", prefix="counting-")

    @property
    def functions(self):
        return (self.phi,)

    def graph_terms(self, graph, m):
        return [pair(Fraction(1), self.phi, i, j) for i, j, w in graph]
'''

TASK_FAMILY = '''"""Least squares on the grades, all of them halved."""

from fractions import Fraction

from consistency_lab.frozen import frozen
from consistency_lab.model.surrogates.families import Family
from consistency_lab.model.surrogates.tasks.base import MeanSurrogate


@frozen
class Halved(MeanSurrogate):
    by: str = "2"
    name: str = "halved"
    family = Family("halved", "sum_i (u_i - y_i/{by})^2", "a test", {"by": {"2": "2", "3": "3"}})

    def features(self, task, label):
        return tuple(Fraction(grade, int(self.by)) for grade in label)
'''

SCALAR = '    NamedFunction("cubed-hinge", "max(0,1-x)**3", "cube of the hinge", (), "a test"),\n'


def insert(path, before, text):
    """Put a text before the first place where another stands."""
    whole = path.read_text(encoding="utf-8")
    assert before in whole
    path.write_text(whole.replace(before, text + before, 1), encoding="utf-8")


@pytest.fixture(scope="module")
def grown(tmp_path_factory):
    """A folder with a copy of the package in which all the tables have grown."""
    folder = tmp_path_factory.mktemp("grown")
    copy = folder / "consistency_lab"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    conditions, tasks = copy / "model" / "conditions.py", copy / "model" / "tasks"
    insert(conditions, "# --- The table of noise conditions", CONDITION)
    insert(conditions, "ACYCLIC),", "ONE_WAY, ")
    (tasks / "missed.py").write_text(TARGET, encoding="utf-8")
    insert(
        tasks / "catalogue.py", "\nTARGETS: Final", "from consistency_lab.model.tasks.missed import MISSED\n"
    )
    insert(tasks / "catalogue.py", "KENDALL, ZERO_ONE)", "MISSED, ")
    (copy / "model" / "surrogates" / "counting.py").write_text(FAMILY, encoding="utf-8")
    surrogates = copy / "model" / "surrogates" / "catalogue.py"
    found = "from consistency_lab.model.surrogates.counting import CountingSurrogate\n"
    insert(surrogates, "from consistency_lab.model.surrogates.families", found)
    insert(
        surrogates,
        "            LinearSurrogate,\n            RegressionSurrogate",
        "            CountingSurrogate,\n",
    )
    losses = copy / "model" / "surrogates" / "tasks"
    (losses / "halved.py").write_text(TASK_FAMILY, encoding="utf-8")
    found = "from consistency_lab.model.surrogates.tasks.halved import Halved\n"
    insert(losses / "catalogue.py", "from consistency_lab.model.surrogates.tasks.libraries", found)
    line = '            Line("halved", Halved),\n'
    insert(losses / "catalogue.py", '            Line("list-mle",', line)
    insert(copy / "numbers" / "phi" / "table.py", '    NamedFunction("smoothed-hinge"', SCALAR)
    return folder


#: One process of the copy answers all the commands, which it reads as lines of JSON.
SERVER = """
import contextlib, io, json, sys
from consistency_lab.cli.running import run
for line in sys.stdin:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(json.loads(line))
    print(json.dumps([code, out.getvalue() + err.getvalue()]), flush=True)
"""


@pytest.fixture(scope="module")
def run(grown):
    given = {**os.environ, "PYTHONPATH": str(grown)}
    piped = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", SERVER], cwd=grown, env=given, **piped) as process:

        def run(*words):
            print(json.dumps(words), file=process.stdin, flush=True)
            code, said = json.loads(process.stdout.readline())
            assert code != 70, said
            return code, said

        yield run
        process.stdin.close()


def test_the_gallery_verifies_after_every_table_has_grown(run):
    files = sorted(map(str, (ROOT / "counterexamples").glob("*.json")))
    code, said = run("verify", *files)
    assert code == 0, said
    assert len(files) > 20


def test_a_proof_named_by_the_text_of_a_function_keeps_its_name(run, tmp_path):
    p = Distribution.from_aggregate([[0, 1, 3], [0, 0, 2], [2, 0, 0]])
    proven = certify(surrogate(phi="max(0,1-x)**3"), p)
    assert proven.verified.surrogate == "max(0,1-x)**3"
    path = tmp_path / "proof.json"
    path.write_text(json.dumps(proven.document), encoding="utf-8")
    code, said = run("verify", str(path))
    assert code == 0, said


def test_the_lists_have_the_new_names(run):
    for kind, name in (
        ("conditions", "one-way"),
        ("targets", "missed"),
        ("surrogates", "margin-cubed-hinge"),
        ("surrogates", "counting-hinge"),
    ):
        code, said = run("list", kind, "--json")
        assert code == 0 and name in {row["name"] for row in json.loads(said)[kind]}


def test_a_new_condition_is_decided_by_every_command(run, tmp_path):
    code, said = run("check", "hinge", "--condition", "one-way", "--json", "--out", str(tmp_path))
    answer = json.loads(said[: said.rindex("}") + 1])
    assert (code, answer["answers"][0]["verdict"]) == (1, "INCONSISTENT"), said
    code, said = run("verify", *map(str, tmp_path.glob("*.json")))
    assert code == 0, said
    words = ("hinge", "--condition", "one-way", "--items", "3")
    code, said = run("measure", *words, "--smallest", "--rate", "--samples", "100", "--no-save")
    assert code == 1 and "under one-way" in said
    words_of_cycles = ("difference-logistic", "--condition", "one-way", "--items", "3")
    code, said = run("measure", *words_of_cycles, "--smallest", "--no-save", "--json")
    assert (code, json.loads(said[: said.rindex("}") + 1])["smallest"]["total"]) == (1, 3), said
    code, said = run("calibration", *words)
    assert code == 2 and "one-way depends on more" in said
    code, said = run("check", "difference-hinge", "--no-save", "--budget", "3")
    assert code == 1 and "one-way" in said


def test_a_new_target_is_known_to_the_commands(run):
    code, said = run("construct", "--target", "missed", "--no-save")
    assert code == 0, said
    code, said = run("check", "constructed", "--target", "missed", "--no-save")
    assert code == 0 and "constructed is right for missed whatever the labels" in said, said
    code, said = run("check", "constructed", "--target", "mised", "--no-save")
    assert code == 2 and "did you mean 'missed'?" in said


def test_a_new_scalar_loss_is_known_in_every_form(run, tmp_path):
    for name, verdict in (("cubed-hinge", 1), ("difference-cubed-hinge", 0)):
        code, said = run("check", name, "--condition", "acyclic", "--out", str(tmp_path))
        assert code == verdict, said
    code, said = run("verify", *map(str, tmp_path.glob("*.json")))
    assert code == 0, said


def test_a_new_family_is_known_to_every_command(run, tmp_path):
    code, said = run("check", "counting-logistic", "--condition", "any", "--json", "--out", str(tmp_path))
    answer = json.loads(said[: said.rindex("}") + 1])
    assert (code, answer["answers"][0]["verdict"]) == (1, "INCONSISTENT"), said
    files = sorted(map(str, tmp_path.glob("*.json")))
    code, said = run("verify", "--details", *files)
    assert code == 0 and "counting-logistic" in said, said
    code, said = run("show", files[0])
    assert code == 0 and "counting-logistic" in said, said


@pytest.mark.long
def test_a_new_surrogate_of_a_task_is_known_to_every_command(run, tmp_path):
    code, said = run("check", "halved", "--target", "ndcg", "--condition", "any", "--out", str(tmp_path))
    assert code == 1 and "halved can be wrong for NDCG." in said, said
    files = sorted(map(str, tmp_path.glob("*.json")))
    code, said = run("verify", "--details", *files)
    assert code == 0 and "halved" in said and "recomputed and equal" in said, said
    code, said = run("show", files[0], "--details")
    assert code == 0 and "sum_i (u_i - y_i/2)^2" in said, said
