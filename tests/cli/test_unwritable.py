"""A file that cannot be written is refused before the work whose answer it is to hold."""

from pathlib import Path

import pytest

PLACES = ("nowhere/answer{}", "folder{}")


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    ("command", "suffix", "work"),
    [
        (("calibration", "hinge", "--plot"), ".svg", "consistency_lab.measure.calibration.calibration"),
        (("show", "witness.json", "--plot"), ".svg", "consistency_lab.files.read_json"),
        (("export", "witness.json", "--out"), ".v", "consistency_lab.files.read_json"),
        (("atlas", "cells", "--render"), ".md", "consistency_lab.atlas.folder.entries"),
    ],
    ids=lambda x: x[0] if isinstance(x, tuple) else "",
)
def test_it_is_refused_before_the_work(
    cli, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...], suffix: str, work: str, place: str
) -> None:
    def never(*_: object, **__: object) -> None:
        raise AssertionError("it worked")

    monkeypatch.setattr(work, never)
    path = Path(place.format(suffix))
    if "folder" in place:
        path.mkdir()
    ran = cli(*command, str(path))
    assert (ran.code, ran.out) == (2, "")
    assert " cannot be written: " in ran.err
    assert ran.err.count("\n") == 1
