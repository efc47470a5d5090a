"""A file that cannot be written is refused before the work whose answer it is to hold."""

from pathlib import Path

import pytest

PLACES = ("nowhere/answer{}", "folder{}")


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    ("command", "suffix", "work"),
    [
        (("calibration", "hinge", "--plot"), ".svg", "consistency_lab.apps.measure.calibration.calibration"),
        (("show", "witness.json", "--plot"), ".svg", "consistency_lab.files.read_json"),
        (("export", "witness.json", "--out"), ".v", "consistency_lab.files.read_json"),
        (("atlas", "cells", "--render"), ".md", "consistency_lab.apps.measure.atlas.folder.entries"),
    ],
    ids=lambda x: x[0] if isinstance(x, tuple) else "",
)
def test_it_is_refused_before_the_work(refused, monkeypatch, command, suffix, work, place):
    def never(*_, **__):
        raise AssertionError("it worked")

    monkeypatch.setattr(work, never)
    path = Path(place.format(suffix))
    if "folder" in place:
        path.mkdir()
    assert " cannot be written: " in refused(*command, str(path))


LOOPED = "audit vermont.toc --csv; audit vermont.toc --html; explore --out; calibration hinge --plot; "
LOOPED += "aggregate vermont.csv --winner w --loser l --out"


@pytest.mark.parametrize("command", LOOPED.split("; "))
def test_links_that_form_a_loop_are_one_sentence(refused, command):
    Path("one.svg").symlink_to("two.svg")
    Path("two.svg").symlink_to("one.svg")
    said = refused(*command.split(), "one.svg")
    assert said == "one.svg cannot be written: too many levels of symbolic links\n"
    assert Path("one.svg").is_symlink()


def test_a_link_stays_and_leads_to_what_is_written(cli):
    Path("folder").mkdir()
    Path("page.html").symlink_to("folder/page.html")
    assert cli("explore --out page.html").code == 0
    assert Path("page.html").is_symlink()
    assert [path.name for path in Path("folder").iterdir()] == ["page.html"]


def test_a_link_to_an_input_is_one(refused):
    Path("pairs.csv").write_text("winner,loser\nA,B\n", encoding="utf-8")
    Path("link.csv").symlink_to("pairs.csv")
    assert refused("audit pairs.csv --csv link.csv") == "--csv link.csv is an input file; name another file\n"
