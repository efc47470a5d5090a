"""Compressed files are read as what they hold."""

import gzip
import io
import json
import zipfile
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import polars
import pyarrow
import pytest

from consistency_lab import InputError, Reading, UnsupportedError, read_profile
from consistency_lab.apps.audit.many import files_of
from consistency_lab.data import packed

GAMES = "winner,loser\nÉva,Bob\nBob,Éva\nÉva,Cy\n"
LISTED = json.dumps([{"winner": "Éva", "loser": "Bob"}, {"winner": "Bob", "loser": "Éva"}])


def zipped(content: bytes, *names: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("folder/", *names) if names else ("folder/", "folder/t.csv", "__MACOSX/._t.csv"):
            archive.writestr(name, content)
    return file.getvalue()


def zstd(content: bytes) -> bytes:
    found: bytes = pyarrow.compress(content, codec="zstd", asbytes=True)
    return found


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
def test_what_is_packed_is_read(
    tmp_path: Path, ending: str, pack: Callable[[bytes], bytes], name: str, text: str, first: int
) -> None:
    path = tmp_path / f"{name}.{ending}"
    path.write_bytes(pack(text.encode()))
    (found,) = Reading().profiles(path)
    assert found.wins[0][1] == read_profile(path).wins[0][1] == Fraction(first)
    assert found.title == Path(name).stem


def test_a_long_packed_table_is_read_in_blocks(tmp_path: Path) -> None:
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(b"winner,loser\n" + b"A,B\n" * 2_000_000))
    (found,) = Reading().profiles(path)
    assert found.voters == 2_000_000


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("t.zip", zipped(b"x", "a.csv", "b.csv"), r"t.zip holds 2 files \(a.csv, b.csv\); unpack it, or"),
        ("t.zip", zipped(b"x", "inner/"), r"t.zip holds 0 files; unpack it"),
        (
            "t.xlsx",
            zipped(b"x", "xl/workbook.xml", "b.xml"),
            "t.xlsx is a spreadsheet; save",
        ),
        ("t.csv.gz", gzip.compress(GAMES.encode() * 99, mtime=0)[:-12], "t.csv.gz cannot be unpacked"),
        ("t.csv.zip", zipped(GAMES.encode())[:-30], "t.csv.zip cannot be unpacked"),
        ("t.csv.zst", zstd(GAMES.encode() * 99)[:-9], "t.csv.zst cannot be unpacked"),
        ("t.csv.zst", zstd(b"winner,loser\n\xe9,A\n"), "t.csv.zst cannot be unpacked"),
    ],
)
def test_what_cannot_be_unpacked(tmp_path: Path, name: str, content: bytes, said: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=said):
        list(Reading().profiles(tmp_path / name))


def test_a_packed_file_has_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed, "MAX_UNPACKED", 100_000)
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(b"winner,loser\n" + b"A,B\n" * 99_000))
    with pytest.raises(InputError, match="holds more than 100_000 bytes; unpack it"):
        list(Reading().profiles(tmp_path / "t.csv.gz"))


def test_zstd_needs_polars(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "t.csv.zst").write_bytes(zstd(GAMES.encode()))
    monkeypatch.setattr("consistency_lab.errors.find_spec", lambda name: None)
    with pytest.raises(UnsupportedError, match=r"t.csv.zst, compressed by zstd, needs Polars"):
        list(Reading().profiles(tmp_path / "t.csv.zst"))


def test_a_folder_holds_packed_files(tmp_path: Path) -> None:
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(GAMES.encode()))
    (tmp_path / "readme.gz").write_bytes(gzip.compress(b"no data"))
    assert files_of([str(tmp_path)]) == [str(tmp_path / "t.csv.gz")]


def test_parquet_may_be_packed(tmp_path: Path) -> None:
    polars.DataFrame({"winner": ["A", "B"], "loser": ["B", "A"]}).write_parquet(tmp_path / "t.parquet")
    path = tmp_path / "t.parquet.gz"
    path.write_bytes(gzip.compress((tmp_path / "t.parquet").read_bytes()))
    (found,) = Reading().profiles(path)
    assert found.voters == 2
