"""Preferences as weak orders are read as they were written; compressed files as what they hold."""

import gzip
import io
import json
import zipfile
from collections import Counter
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory

import polars
import pyarrow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consistency_lab import InputError, Reading, UnsupportedError
from consistency_lab.apps.audit.many import files_of
from consistency_lab.data import packed
from consistency_lab.data.profile import read_profile

GAMES = "winner,loser\nÉva,Bob\nBob,Éva\nÉva,Cy\n"
LISTED = json.dumps([{"winner": "Éva", "loser": "Bob"}, {"winner": "Bob", "loser": "Éva"}])


def zipped(content, *names):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("folder/", *names) if names else ("folder/", "folder/t.csv", "__MACOSX/._t.csv"):
            archive.writestr(name, content)
    return file.getvalue()


def zstd(content):
    return pyarrow.compress(content, codec="zstd", asbytes=True)


PACKERS = [("gz", gzip.compress), ("zip", zipped), ("zst", zstd)]


@pytest.mark.parametrize(("ending", "pack"), PACKERS)
@pytest.mark.parametrize(
    ("name", "text", "first"),
    [
        ("t.csv", GAMES, 1),
        ("t.jsonl", json.dumps({"winner": "Éva", "loser": "Bob"}), 1),
        ("t.json", LISTED, 1),
        ("t.toc", "# ALTERNATIVE NAME 1: Éva\n# ALTERNATIVE NAME 2: Bob\n2: 1,2\n", 2),
        ("t.json", '{"items": ["A", "B"], "graphs": [{"probability": "1", "edges": [["A","B","3"]]}]}', 3),
        ("votes", "2: Éva > Bob\n", 2),
    ],
)
def test_what_is_packed_is_read(tmp_path, ending, pack, name, text, first):
    path = tmp_path / f"{name}.{ending}"
    path.write_bytes(pack(text.encode()))
    (found,) = Reading().profiles(path)
    assert found.wins[0][1] == read_profile(path).wins[0][1] == Fraction(first)
    assert found.title == Path(name).stem


@pytest.mark.long
def test_a_long_packed_table_is_read_in_blocks(tmp_path):
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(b"winner,loser\n" + b"A,B\n" * 300_000))  # more than a block of 2^20
    (found,) = Reading().profiles(path)
    assert found.voters == 300_000


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("t.zip", zipped(b"x", "a.csv", "b.csv"), r"t.zip holds 2 files \(a.csv, b.csv\); unpack it, or"),
        ("t.zip", zipped(b"x", "inner/"), r"t.zip holds 0 files; unpack it"),
        ("t.xlsx", zipped(b"x", "xl/workbook.xml", "b.xml"), "t.xlsx is a spreadsheet; save"),
        ("t.csv.gz", gzip.compress(GAMES.encode() * 99, mtime=0)[:-12], "t.csv.gz cannot be unpacked"),
        ("t.csv.zip", zipped(GAMES.encode())[:-30], "t.csv.zip cannot be unpacked"),
        ("t.csv.zst", zstd(GAMES.encode() * 99)[:-9], "t.csv.zst cannot be unpacked"),
        ("t.csv.zst", zstd(b"winner,loser\n\xe9,A\n"), "t.csv.zst cannot be unpacked"),
    ],
)
def test_what_cannot_be_unpacked(tmp_path, name, content, said):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=said):
        list(Reading().profiles(tmp_path / name))


def test_a_packed_file_has_a_limit(tmp_path, monkeypatch):
    monkeypatch.setattr(packed, "MAX_UNPACKED", 100_000)
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(b"winner,loser\n" + b"A,B\n" * 99_000))
    with pytest.raises(InputError, match="holds more than 100_000 bytes; unpack it"):
        list(Reading().profiles(tmp_path / "t.csv.gz"))


def test_zstd_needs_polars(tmp_path, monkeypatch):
    (tmp_path / "t.csv.zst").write_bytes(zstd(GAMES.encode()))
    monkeypatch.setattr("consistency_lab.errors.find_spec", lambda name: None)
    with pytest.raises(UnsupportedError, match=r"t.csv.zst, compressed by zstd, needs Polars"):
        list(Reading().profiles(tmp_path / "t.csv.zst"))


def test_a_folder_stands_for_its_profiles_also_packed_and_in_folders(tmp_path):
    (tmp_path / "in").mkdir()
    for name, text in (("t.csv.gz", GAMES), ("readme.gz", "no data"), ("in/a.csv.gz", GAMES)):
        (tmp_path / name).write_bytes(gzip.compress(text.encode()))
    (tmp_path / "notes.txt").write_text("no profile", encoding="utf-8")
    assert files_of([str(tmp_path)]) == [str(tmp_path / name) for name in ("in/a.csv.gz", "t.csv.gz")]


def test_parquet_may_be_packed(tmp_path):
    polars.DataFrame({"winner": ["A", "B"], "loser": ["B", "A"]}).write_parquet(tmp_path / "t.parquet")
    path = tmp_path / "t.parquet.gz"
    path.write_bytes(gzip.compress((tmp_path / "t.parquet").read_bytes()))
    (found,) = Reading().profiles(path)
    assert found.voters == 2


@st.composite
def profiles(draw):
    """Weak orders, some of them incomplete, with counts."""
    m = draw(st.integers(2, 6))

    def levels(items, cuts):
        found = [[items[0]]]
        for item, cut in zip(items[1:], cuts, strict=False):
            if cut:
                found.append([item])
            else:
                found[-1].append(item)
        return found

    ballot = st.builds(
        levels,
        st.lists(st.integers(0, m - 1), min_size=1, max_size=m, unique=True),
        st.lists(st.booleans(), min_size=m - 1, max_size=m - 1),
    )
    return m, draw(st.lists(st.tuples(st.integers(1, 10**6), ballot), min_size=1, max_size=8))


def order_text(ballot):
    levels = [",".join(str(item + 1) for item in level) for level in ballot]
    return ",".join(f"{{{text}}}" if "," in text else text for text in levels)


def present(m, ballots):
    voters = sum(count for count, _ in ballots)
    names = "".join(f"# ALTERNATIVE NAME {i + 1}: item {i}\n" for i in range(m))
    header = (
        f"# NUMBER ALTERNATIVES: {m}\n# NUMBER VOTERS: {voters}\n# NUMBER UNIQUE ORDERS: {len(ballots)}\n"
    )
    return header + names + "".join(f"{count}: {order_text(ballot)}\n" for count, ballot in ballots)


def older(m, ballots):
    voters = sum(count for count, _ in ballots)
    names = "".join(f"{i + 1},item {i}\n" for i in range(m))
    body = "".join(f"{count},{order_text(ballot)}\n" for count, ballot in ballots)
    return f"{m}\n{names}{voters},{voters},{len(ballots)}\n{body}"


def expected(m, ballots, unranked):
    """Pair counts from the level numbers, item by item."""
    found = Counter()
    for count, ballot in ballots:
        depth = {item: place for place, level in enumerate(ballot) for item in level}
        if unranked == "last":
            depth |= {item: len(ballot) for item in range(m) if item not in depth}
        found.update({(i, j): count for i in depth for j in depth if depth[i] < depth[j]})
    return found


def written(name, text, unranked="last"):
    with TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_text(text, encoding="utf-8")
        return read_profile(path, unranked)


def found_counts(profile):
    a = profile.distribution.aggregate
    return {(i, j): x * profile.voters for i, row in enumerate(a) for j, x in enumerate(row) if x}


@pytest.mark.parametrize("write", [present, older])
@pytest.mark.parametrize("unranked", ["last", "unknown"])
@settings(max_examples=15)
@given(case=profiles())
def test_ballots(write, unranked, case):
    m, ballots = case
    profile = written("v.toi", write(m, ballots), unranked)
    assert found_counts(profile) == expected(m, ballots, unranked)
    assert profile.voters == sum(count for count, _ in ballots)
    assert sum(profile.distribution.probabilities) == 1
    assert profile.distribution.items == tuple(f"item {i}" for i in range(m))
