"""Losses of other packages: found by name and listed, imported only then; a broken one is one sentence."""

import json
import sys

import pytest

import consistency_lab as lab
from consistency_lab.cli.running import run

POINTS = """[consistency_lab.surrogates]
steep = throwaway_losses:steep
heavy = throwaway_losses:Heavy
hinge = throwaway_losses:steep
gone = throwaway_losses:gone
broken = throwaway_broken:loss
"""
CODE = """
from consistency_lab import GraphSurrogate, pair, parse

def steep(x): return max(0, 2 - 3 * x)

class Heavy(GraphSurrogate):
    name = "heavy"
    functions = (parse("max(0,1-x)"),)
    def graph_terms(self, graph, m):
        return [pair(2 * w, self.functions[0], i, j) for i, j, w in graph]
"""
MODULES = ("throwaway_losses", "throwaway_broken")


@pytest.fixture
def package(tmp_path, monkeypatch):
    """An installed package, as an installer leaves it."""
    installed = tmp_path / "throwaway-1.2.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: throwaway\nVersion: 1.2\n")
    (installed / "entry_points.txt").write_text(POINTS)
    (tmp_path / "throwaway_losses.py").write_text(CODE)
    (tmp_path / "throwaway_broken.py").write_text("1 / 0\n")
    monkeypatch.syspath_prepend(tmp_path)
    for name in MODULES:
        monkeypatch.delitem(sys.modules, name, raising=False)


@pytest.mark.usefixtures("package")
def test_nothing_is_imported_before():
    assert lab.load_surrogate("hinge") == lab.surrogate("hinge")
    with pytest.raises(lab.InputError, match="no surrogate called 'stepe'"):
        lab.load_surrogate("stepe")
    assert not set(MODULES) & set(sys.modules)


@pytest.mark.usefixtures("package")
def test_they_are_listed_and_a_broken_one_says_why(capsys):
    assert run(["list", "surrogates", "--json"]) == 0
    listed = [row for row in json.loads(capsys.readouterr().out)["surrogates"] if "throw" in row["citation"]]
    said = {row["name"]: row["formula"] for row in listed}
    assert said["heavy"] == "terms given by the class Heavy"
    assert said["steep"].startswith("sum over i→j")
    assert said["hinge"] == "throwaway 1.2 calls a loss 'hinge', which is the name of a built-in one"
    assert said["gone"] == (
        "the loss 'gone' of throwaway 1.2 cannot be used: the module 'throwaway_losses' has no 'gone'"
    )
    assert said["broken"] == (
        "the loss 'broken' of throwaway 1.2 cannot be used: the module 'throwaway_broken' cannot be "
        "imported: ZeroDivisionError: division by zero"
    )


@pytest.mark.usefixtures("package")
def test_the_command_takes_the_name(capsys):
    assert lab.load_surrogate("steep") == lab.surrogate(phi="max(0,2-3*x)")
    assert (
        run(["check", "heavy", "--condition", "additive", "--items", "3", "--no-save", "--budget", "2"]) == 1
    )
    assert "heavy" in capsys.readouterr().out
    assert run(["check", "broken"]) == 2
    assert "cannot be used" in capsys.readouterr().err
