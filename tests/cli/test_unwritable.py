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
def test_it_is_refused_before_the_work(
    refused, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...], suffix: str, work: str, place: str
) -> None:
    def never(*_: object, **__: object) -> None:
        raise AssertionError("it worked")

    monkeypatch.setattr(work, never)
    path = Path(place.format(suffix))
    if "folder" in place:
        path.mkdir()
    assert " cannot be written: " in refused(*command, str(path))


@pytest.mark.parametrize(
    "command",
    [
        ("audit", "vermont.toc", "--csv"),
        ("audit", "vermont.toc", "--html"),
        ("explore", "--out"),
        ("calibration", "hinge", "--plot"),
        ("aggregate", "vermont.csv", "--winner", "w", "--loser", "l", "--out"),
    ],
    ids=" ".join,
)
def test_links_that_form_a_loop_are_one_sentence(cli, command: tuple[str, ...]) -> None:
    Path("one.svg").symlink_to("two.svg")
    Path("two.svg").symlink_to("one.svg")
    ran = cli(*command, "one.svg")
    assert (ran.code, ran.out, ran.err) == (
        2,
        "",
        "one.svg cannot be written: too many levels of symbolic links\n",
    )
    assert Path("one.svg").is_symlink()


def test_a_link_stays_and_leads_to_what_is_written(cli) -> None:
    Path("folder").mkdir()
    Path("page.html").symlink_to("folder/page.html")
    assert cli("explore", "--out", "page.html").code == 0
    assert Path("page.html").is_symlink()
    assert [path.name for path in Path("folder").iterdir()] == ["page.html"]


def test_a_link_to_an_input_is_one(refused) -> None:
    Path("pairs.csv").write_text("winner,loser\nA,B\n", encoding="utf-8")
    Path("link.csv").symlink_to("pairs.csv")
    assert (
        refused("audit", "pairs.csv", "--csv", "link.csv")
        == "--csv link.csv is an input file; name another file\n"
    )
