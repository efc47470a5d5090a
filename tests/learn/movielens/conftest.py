"""A folder that is shaped as that of MovieLens 100k, of ratings that nobody gave."""

import numpy as np
import pytest

from consistency_lab.apps.learn.experiments.ratings import synthetic_ratings


def write(folder, data):
    """As u.data and u.item; ages are of whole days, and names are not ASCII."""
    day = np.datetime64("1998-04-22")
    released = [None if np.isnan(age) else day - round(age * 365.25) for age in data.ages]
    months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    films = []
    for number, (date, flags) in enumerate(zip(released, data.genres, strict=True), start=1):
        text = "" if date is None else "{2}-{1}-{0}".format(*str(date).split("-"))
        if text:
            text = text[:3] + months[int(text[3:5]) - 1] + text[5:]
        films.append("|".join([str(number), f"Amélie {number}", text, "", "", *(str(int(x)) for x in flags)]))
    given = zip(data.users + 1, data.films + 1, data.ratings.astype(int), strict=True)
    folder.mkdir(exist_ok=True)
    (folder / "u.item").write_text("\n".join(films) + "\n", encoding="latin-1")
    (folder / "u.data").write_text("".join(f"{u}\t{i}\t{r}\t881250949\n" for u, i, r in given))
    return folder


@pytest.fixture(scope="session")
def tiny():
    """1,200 ratings."""
    return synthetic_ratings(users=40, films=60, rated=30)


@pytest.fixture
def folder(tiny, tmp_path):
    return write(tmp_path / "ml", tiny)
