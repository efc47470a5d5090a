"""The files of MovieLens 100k are read, and what is wrong with them is said."""

from pathlib import Path

import numpy as np
import pytest

from consistency_lab.apps.learn.experiments.ratings import GENRES, Ratings, read_ratings
from consistency_lab.errors import InputError


def test_what_is_written_is_read(folder: Path, tiny: Ratings) -> None:
    found = read_ratings(folder)
    assert found.shape == (40, 60)
    assert found.source == "MovieLens 100k"
    for name in ("users", "films", "ratings", "genres"):
        assert np.array_equal(getattr(found, name), getattr(tiny, name))
    assert np.isnan(found.ages).tolist() == [True] + [False] * 59
    assert np.nanmax(abs(found.ages - tiny.ages)) < 1 / 365


def test_an_age_is_counted_to_the_last_day_of_the_ratings(folder: Path) -> None:
    lines = (folder / "u.item").read_text("latin-1").splitlines()
    lines[0] = "1|Toy Story (1995)|22-Apr-1994||" + "|0" * len(GENRES)
    (folder / "u.item").write_text("\n".join(lines), "latin-1")
    assert read_ratings(folder).ages[0] == 1461 / 365.25 == 4.0


@pytest.mark.parametrize(
    ("name", "line", "said"),
    [
        ("u.data", "1,2,3,4", "line 1 is '1,2,3,4'; it must be user, film, rating and time"),
        ("u.data", "1\t2\t4.5\t0", r"line 1 is '1\\t2\\t4.5\\t0'; it must be user"),
        ("u.data", "1\t2\t²\t0", "line 1 is .*; it must be user"),
        ("u.data", "1\t61\t3\t0", "line 1 gives film 61 the rating 3; films must be 1 to 60"),
        ("u.data", "1\t2\t6\t0", "line 1 gives film 2 the rating 6; .* ratings 1 to 5"),
        ("u.item", "7|" + "|".join(["", "", "", *"0" * 19]), "line 1 must be film 1: number, title"),
        ("u.item", "1|x|01-Jan-1995||u|" + "|".join("0" * 18), "line 1 must be film 1: .* 19 genres"),
        ("u.item", "1|x|01-Jan-1995||u|" + "|".join("2" * 19), "line 1 must be film 1: .* 19 genres"),
        ("u.item", "1|x|1995||u|" + "|".join("0" * 19), "line 1 has the date '1995'; it must be like"),
    ],
)
def test_a_bad_line_is_named(folder: Path, name: str, line: str, said: str) -> None:
    _, *others = (folder / name).read_text("latin-1").splitlines()
    (folder / name).write_text("\n".join([line, *others]), "latin-1")
    with pytest.raises(InputError, match=f"{name}, {said}"):
        read_ratings(folder)


def test_a_film_is_rated_once(folder: Path) -> None:
    text = (folder / "u.data").read_text()
    user, film, rating, _ = text.splitlines()[0].split("\t")
    (folder / "u.data").write_text(text + f"{user}\t{film}\t{rating}\t1\n")
    assert len(read_ratings(folder).ratings) == 1200
    (folder / "u.data").write_text(text + f"{user}\t{film}\t{int(rating) % 5 + 1}\t1\n")
    with pytest.raises(InputError, match=f"line 1201 rates film {film} again, differently; a user must"):
        read_ratings(folder)


def test_a_missing_file_is_named(folder: Path) -> None:
    (folder / "u.item").unlink()
    with pytest.raises(InputError, match=r"u\.item cannot be read: no such file"):
        read_ratings(folder)
    with pytest.raises(InputError, match="nowhere is not a folder; give the MovieLens 100k folder"):
        read_ratings("nowhere")


def test_an_empty_file_is_named(folder: Path) -> None:
    (folder / "u.data").write_bytes(b"")
    with pytest.raises(InputError, match=r"u\.data is empty; expected a file of MovieLens 100k"):
        read_ratings(folder)
