"""What is not installed with the plain package: who needs it says how to get it, and nobody else needs it."""

import re
import subprocess
import sys
import tomllib
from fractions import Fraction
from pathlib import Path

import pytest

from consistency_lab import Distribution, certify_at, surrogate
from consistency_lab.certify.proofs.file import save
from consistency_lab.cli.running import run
from consistency_lab.errors import EXTRAS, UnsupportedError, need
from consistency_lab.model.surrogates import pair
from consistency_lab.numbers.phi import parse
from consistency_lab.solve.minimize import minimize

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
DISTRIBUTIONS = {"sklearn": "scikit-learn", "pref_voting": "pref-voting"}
"""What is installed, where it is not called as it is imported."""

APART = "pref_voting"
"""It needs an older NumPy; `make elections` tests it."""
ALONE = {"torch", EXTRAS[APART][1]}
"""Extras that are too large to be part of `all`, or move other packages."""


def distributions(requirements):
    return {re.split(r"[>=\[]", one)[0] for one in requirements}


@pytest.mark.parametrize("package", EXTRAS)
def test_the_extra_that_is_named_installs_the_package(package):
    extras = PROJECT["optional-dependencies"]
    _, extra = EXTRAS[package]
    assert DISTRIBUTIONS.get(package, package) in distributions(extras[extra])
    assert DISTRIBUTIONS.get(package, package) not in distributions(PROJECT["dependencies"])
    assert (extra in re.split(r"[\[\],]", extras["all"][0])) is (extra not in ALONE)


@pytest.fixture
def witness(tmp_path):
    p = Distribution.from_aggregate([[0, 1, 6], [0, 0, 2], [3, 0, 0]])
    return str(save(certify_at(surrogate("logistic"), p).document, tmp_path))


@pytest.mark.parametrize(
    ("package", "line"),
    [
        ("matplotlib", "show WITNESS --plot plane.svg"),
        ("matplotlib", "calibration linear --plot h.png"),
        ("matplotlib", "atlas --render page.md"),
        ("distributed", "measure --surrogates hinge --scheduler tcp://127.0.0.1:8786"),
        ("clarabel", "calibration linear"),
        ("sklearn", "experiment movielens --synthetic"),
        ("matplotlib", "experiment movielens --synthetic --svg t.svg"),
    ],
)
def test_one_sentence_says_what_to_install(package, line, witness, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, package, None)
    assert run(line.replace("WITNESS", witness).split()) == 2
    said = capsys.readouterr()
    _, extra = EXTRAS[package]
    assert said.out == ""
    assert said.err.splitlines()[-1].endswith(f"install it with: pip install 'consistency-lab[{extra}]'")
    assert said.err.count("install") == 3  # "... is not installed here; install it with: pip install ..."


def test_a_loss_that_is_neither_smooth_nor_piecewise_linear(monkeypatch):
    monkeypatch.setitem(sys.modules, "cvxpy", None)
    terms = [pair(Fraction(1), parse("exp(-x)+max(0,1-x)"), i, j) for i, j in ((0, 1), (1, 0))]
    with pytest.raises(UnsupportedError, match=r"needs cvxpy, .* pip install 'consistency-lab\[convex\]'"):
        minimize(terms, 2)


def test_the_python_interface_says_it_too(monkeypatch):
    monkeypatch.setitem(sys.modules, "networkx", None)
    p = Distribution.from_aggregate([[0, 3], [1, 0]])
    with pytest.raises(UnsupportedError, match=r"^difference_graph needs networkx, .*\[graphs\]'$"):
        p.difference_graph()


def test_what_is_installed_is_not_asked_for():
    for package in {*EXTRAS} - {APART}:
        need(package, "this")


COMMANDS = {
    "check logistic --no-save --budget 1": 1,
    "check linear --condition low-noise --no-save": 0,
    "check regression --target ndcg --on gain/Z --no-save": 0,
    "check logistic --profile vermont.toc --no-save": 1,
    "verify WITNESS": 0,
    "show WITNESS": 0,
    "list": 0,
    "reproduce theorem-11 lemma-16 --jobs 1": 0,
    "audit vermont.toc --loss linear --resamples 0 --simulations 0": 0,
}


def test_the_commands_of_the_plain_package_import_none_of_them(witness):
    script = (
        "import sys\n"
        f"for name in {list(EXTRAS)}: sys.modules[name] = None\n"
        "from consistency_lab.cli.running import run\n"
        "for line in sys.stdin.read().splitlines():\n"
        "    print(f'code {run(line.split())}')\n"
    )
    asked = "\n".join(COMMANDS).replace("WITNESS", witness)
    ran = subprocess.run(
        [sys.executable, "-c", script], input=asked, capture_output=True, text=True, check=False
    )
    assert re.findall(r"^code (\d)$", ran.stdout, re.MULTILINE) == [str(code) for code in COMMANDS.values()]
    assert "Traceback" not in ran.stderr
