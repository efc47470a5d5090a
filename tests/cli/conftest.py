"""Run the command line in this process, and a few witness files to run it on."""

import json
import shlex
from pathlib import Path
from typing import NamedTuple

import pytest

from consistency_lab import Distribution, certify_at, surrogate
from consistency_lab.certify.proofs.file import save
from consistency_lab.cli.running import run
from consistency_lab.show.text import cells


class Ran(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def said(self):
        """All that is printed in one line, wherever the page ends."""
        return " ".join(self.out.split())

    @property
    def screen(self):
        lines = self.out.splitlines()
        assert len(lines) <= 24 and max(map(cells, lines)) <= 80, self.out
        return lines

    @property
    def document(self):
        return json.loads(self.out)


@pytest.fixture
def cli(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def call(line="", *words):
        """Run a line as it is typed in a shell, and words after it as they are."""
        code = run((*shlex.split(line), *words))
        return Ran(code, *capsys.readouterr())

    return call


@pytest.fixture
def refused(cli):
    """The one sentence in which a question is refused, at the exit code 2; nothing is written."""

    def call(*arguments):
        before = sorted(Path().iterdir())
        ran = cli(*arguments)
        assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1), ran
        assert sorted(Path().iterdir()) == before
        return ran.err

    return call


@pytest.fixture
def in_process(monkeypatch):
    """Several audits are made here, one after the other: a new process imports for two seconds."""

    def one_by_one(work, messages, _jobs, attempts):
        yield from enumerate(map(work, messages))

    monkeypatch.setattr("consistency_lab.apps.audit.many.at_once", one_by_one)


AGGREGATES = {
    "hinge": [[0, 1, 4], [0, 0, 1], [2, 0, 0]],
    "logistic": [[0, 1, 6], [0, 0, 2], [3, 0, 0]],
    "linear": [[0, 1, 0], [0, 0, 3], [0, 0, 0]],
    "difference-logistic": [[0, 0, 1], [1, 0, 0], [0, 2, 0]],
    "margin-exponential": [[0, 1, 5], [0, 0, 2], [2, 0, 0]],
}


@pytest.fixture(scope="session")
def witnesses():
    """Accepted documents: one for each of a few families, a right order, a universal proof."""
    found = {}
    for name, a in AGGREGATES.items():
        p = Distribution.from_aggregate(a)
        if name.startswith("margin"):
            edges = {(i, j, 1): x for i, row in enumerate(a) for j, x in enumerate(row) if x}
            p = Distribution.single_edges(edges, 3)
        found[name] = dict(certify_at(surrogate(name), p).document)
    right = Distribution.from_aggregate([[0, 3], [1, 0]], ["Ann", "Bob"])
    found["right"] = dict(certify_at(surrogate("logistic"), right).document)
    universal = Distribution.from_aggregate([[0, 3, 8], [0, 0, 1], [4, 0, 0]])
    found["universal"] = dict(certify_at(surrogate("logistic"), universal, universal=True).document)
    return found


@pytest.fixture
def files(witnesses, tmp_path):
    return {name: str(save(document, tmp_path / "files")) for name, document in witnesses.items()}
