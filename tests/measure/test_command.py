"""Several searches at once from the command line."""

import json

import pytest

from consistency_lab.apps.measure.atlas import folder as run
from consistency_lab.apps.measure.atlas.cell import Failed, make
from consistency_lab.apps.measure.atlas.folder import Store
from consistency_lab.apps.measure.command import Atlas
from consistency_lab.cli.running import run as cli

NAMES = ["linear", "difference-logistic"]


def command(folder, *more):
    conditions = ("--condition", "additive", "--condition", "low-noise")
    question = ("measure", "--surrogates", ",".join(NAMES), *conditions, "--items", "3", "--smallest")
    return cli([*question, "--out", str(folder), *more])


@pytest.fixture
def there(tmp_path, quick):
    store = Store(tmp_path / "cells")
    store.prepare()
    for cell in quick:
        store.write(cell, make(cell.parameters()))
    return store.folder


def test_an_atlas_that_is_there_is_shown(there, capsys):
    assert command(there) == 0
    out, err = capsys.readouterr()
    assert out.startswith("Of 4 cells, ")
    assert out.partition("items")[2].count("CONSISTENT") == 4
    assert err.splitlines() == ["4 of 4 cells are already stored", "0 cells made, 4 already there, 0 missing"]


def test_what_cannot_be_made_is_said_and_is_not_there(there, capsys, monkeypatch, quick):
    Store(there).path(quick[2]).unlink()
    monkeypatch.setattr(run, "make_cells", lambda *_: (Failed(cell, "why") for cell in quick[2:3]))
    assert command(there, "--json") == 3
    out, err = capsys.readouterr()
    document = json.loads(out)
    assert (len(document["cells"]), document["missing"]) == (3, 1)
    assert document["failed"] == [{**quick[2].parameters(), "reason": "why"}]
    assert f"{quick[2].title}: not made: why" in err


def test_an_interrupted_run_ends_with_its_own_code(there, capsys, monkeypatch, quick):
    def interrupted(*_):
        raise KeyboardInterrupt
        yield

    Store(there).path(quick[2]).unlink()
    monkeypatch.setattr(run, "make_cells", interrupted)
    assert command(there) == 130
    assert "run the same command to go on" in capsys.readouterr().err


def test_the_page_is_written(there, capsys):
    page = there.parent / "page.md"
    assert Atlas(folder=there, render=page, details=True).run() == 0
    assert capsys.readouterr().out.partition("items")[2].count("CONSISTENT") == 4
    assert "| linear | additive | CONSISTENT |" in page.read_text(encoding="utf-8")
    assert page.with_suffix(".svg").exists()
