import csv
import hashlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from decimal import Decimal
from fractions import Fraction
from io import StringIO
from itertools import chain
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consistency_lab import files
from consistency_lab.errors import InputError
from consistency_lab.files import (
    MAX_BYTES,
    MAX_DEPTH,
    canonical,
    csv_text,
    digest,
    read_bytes,
    read_json,
    write_atomic,
)

documents = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner),
    max_leaves=20,
)


@pytest.fixture
def write(tmp_path):
    def make(content):
        path = tmp_path / "file.json"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return make


def refusal(path):
    with pytest.raises(InputError) as caught:
        read_json(path)
    message = str(caught.value)
    assert os.fspath(path) in message
    assert "\n" not in message
    return message


# Canonical JSON and its digest


def test_canonical_json_has_one_spelling():
    one = {"b": ["1/2", None], "a": {"ä": True, "Z": 1}}
    other = {"a": {"Z": 1, "ä": True}, "b": ("1/2", None)}
    assert canonical(one) == canonical(other) == '{"a":{"Z":1,"ä":true},"b":["1/2",null]}'.encode()


@pytest.mark.parametrize("value", [0.5, float("nan"), Decimal("0.1"), b"bytes", {1, 2}, {1: "one"}, "\ud800"])
def test_what_has_no_canonical_json(value):
    with pytest.raises(InputError):
        canonical({"entry": [value]})
    circle = []
    circle.append(circle)
    with pytest.raises(InputError):
        canonical(circle)


def test_the_digest_is_sha_256_of_the_canonical_content():
    content = {"b": 1, "a": "½"}
    expected = "sha256:" + hashlib.sha256('{"a":"½","b":1}'.encode()).hexdigest()
    assert digest(content) == digest({**content, "digest": "sha256:0"}) == expected


# Bounded reading


def test_numbers_are_not_rounded(write):
    path = write('{"x": 0.1, "y": 1e-400, "z": 123456789012345678901234567890, "w": -2}')
    found = read_json(path)
    whole = {"z": 123456789012345678901234567890, "w": -2}
    assert found == {"x": Decimal("0.1"), "y": Decimal("1e-400"), **whole}
    assert isinstance(found["x"], Decimal)
    assert read_json(write(b'\xef\xbb\xbf{"a": 1}')) == {"a": 1}  # a byte order mark is no mistake


@given(documents)
def test_what_was_written_is_read(document):
    assert json.loads(canonical(document)) == document
    assert canonical(json.loads(canonical(document))) == canonical(document)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file.json"
        write_atomic(path, canonical(document).decode())
        assert read_json(path) == document


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty"),
        (" \n\t", "is empty"),
        ('{"a": [1, 2', "ends too early"),
        ('{"a"', "ends too early"),
        ('{"a": "x', "is not a JSON document"),
        ("{'a': 1}", "is not a JSON document"),
        ("a,b\n1,2\n", "is not a JSON document"),
        ("<html></html>", "is not a JSON document"),
        ('{"a": 1} {"b": 2}', "is not a JSON document"),
        ('{"a": 1, "b": 2, "a": 3}', "the key 'a' twice"),
        ('[{"x": {"k": 0, "k": 0}}]', "the key 'k' twice"),
        ('{"a": NaN}', "holds NaN; numbers must be finite"),
        ("[Infinity]", "holds Infinity"),
        ("[-Infinity]", "holds -Infinity"),
        ("[1e99999999999999999999]", "out of range"),
        ("[" + "9" * 5000 + "]", "an integer of 5000 digits"),
        (b"\xff\xfe[\x001\x00]\x00", "is not UTF-8 text"),
        ('{"name": "Ä"}'.encode("latin-1"), "is not UTF-8 text .byte 10."),
    ],
)
def test_what_is_not_read(write, content, message):
    path = write(content)
    with pytest.raises(InputError, match=message):
        read_json(path)
    refusal(path)


def test_what_is_no_file(tmp_path):
    assert "no such file" in refusal(tmp_path / "missing.json")
    assert "is a directory" in refusal(tmp_path)
    with pytest.raises(InputError):
        read_json("a\0b")


def test_a_long_file_is_refused_by_its_size(tmp_path):
    path = tmp_path / "long.json"
    with path.open("wb") as file:
        file.truncate(100_000_000)  # a hole: nothing is stored, and nothing must be read
    assert f"is 100_000_000 bytes long; at most {MAX_BYTES:_} bytes are read" in refusal(path)


def test_a_device_without_end_is_refused():
    with pytest.raises(InputError, match="is too long; at most 1_000 bytes"):
        read_bytes("/dev/zero", limit=1000)


@pytest.mark.parametrize("content", ["[" * 100_000, '{"a":' * 100_000, "[" * 60 + "]" * 60])
def test_deep_nesting_is_refused_before_parsing(write, content):
    assert f"nests more than {MAX_DEPTH}" in refusal(write(content))
    assert read_json(write("[" * MAX_DEPTH + "]" * MAX_DEPTH))
    refusal(write("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1)))


@pytest.mark.parametrize(
    "entry", ["0.125,", "[],", '"",', '{"a":1},'], ids=["numbers", "arrays", "texts", "objects"]
)
def test_too_many_values_are_refused_before_parsing(write, entry, monkeypatch):
    def parse(*_, **__):
        raise AssertionError("parsing begins before the values are counted")

    monkeypatch.setattr("consistency_lab.files.MAX_VALUES", 15_000)
    assert len(read_json(write(f"[{'1,' * 14_998}1]"))) == 14_999
    monkeypatch.setattr("consistency_lab.files.json.loads", parse)
    number = 15_001 if entry[0] != "{" else 7_501
    with pytest.raises(InputError, match="has more than 15_000 values; no file of this tool has so many"):
        read_json(write(f"[{entry * number}0]"))


def test_separators_in_texts_are_no_values(write):
    text = ',[{"' * 400_000
    assert read_json(write(json.dumps([text]))) == [text]


def test_brackets_in_texts_are_no_nesting(write):
    text = '"' + "[{" * 60 + '\\" [ \\\\'
    assert read_json(write(json.dumps([text, text]))) == [text, text]


# Atomic writing


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_file_is_written_and_replaced(tmp_path):
    path = tmp_path / "out.json"
    write_atomic(path, "first\n")
    write_atomic(str(path), "ä\n")
    assert path.read_bytes() == "ä\n".encode()
    write_atomic(path, b"\xff")
    assert path.read_bytes() == b"\xff"
    assert names(tmp_path) == ["out.json"]


def test_others_may_read_what_the_mask_lets_them(tmp_path):
    before = os.umask(0o027)
    try:
        write_atomic(tmp_path / "out.json", "{}")
    finally:
        os.umask(before)
    assert (tmp_path / "out.json").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize(
    ("place", "text", "said"),
    [
        ("missing/out.json", "{}", "no such file or directory"),
        ("file/out.json", "{}", "not a directory"),
        ("folder", "{}", ""),
        ("out.json", "\ud800", ""),
    ],
)
def test_what_cannot_be_written_leaves_nothing(tmp_path, place, text, said):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match=f"cannot be written: .*{said}"):
        write_atomic(tmp_path / place, text)
    assert names(tmp_path) == ["file", "folder"]


@pytest.mark.parametrize(
    ("error", "raised"),
    [(PermissionError(13, "Permission denied"), InputError), (KeyboardInterrupt(), KeyboardInterrupt)],
)
@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_failure_leaves_nothing_behind(tmp_path, monkeypatch, step, error, raised):
    path = tmp_path / "out.json"
    path.write_text("before")

    def fail(*_):
        raise error

    monkeypatch.setattr(*((os, "fsync", fail) if step == "fsync" else (Path, "replace", fail)))
    with pytest.raises(raised):
        write_atomic(path, "after")
    monkeypatch.undo()
    assert names(tmp_path) == ["out.json"]
    assert path.read_text() == "before"


KILLED = """
import os, signal, sys
from consistency_lab.files import write_atomic
os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)
write_atomic(sys.argv[1], "half")
"""

WAITING = """
import os, sys
from consistency_lab.files import write_atomic
os.fsync = lambda _: (print("writing", flush=True), sys.stdin.readline())
write_atomic(sys.argv[1], "theirs")
"""


def test_what_a_killed_run_left_is_removed_by_the_next(tmp_path):
    killed = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path / "out.json")], check=False)
    assert killed.returncode == -signal.SIGKILL
    (left,) = names(tmp_path)
    assert left.endswith(".tmp")
    (tmp_path / ".another.tmp").touch()
    write_atomic(tmp_path / "other.json", "whole")
    assert names(tmp_path) == [".another.tmp", "other.json"]


def test_two_processes_may_write_the_same_file_at_once(tmp_path):
    """What the other is writing is not removed, and whoever ends last has the file."""
    path = tmp_path / "out.json"
    with subprocess.Popen(
        [sys.executable, "-c", WAITING, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout.readline() == "writing\n"
        write_atomic(path, "ours")
        assert path.read_text() == "ours"
        assert len(names(tmp_path)) == 2
        other.communicate("\n")
    assert other.returncode == 0
    assert path.read_text() == "theirs"
    assert names(tmp_path) == ["out.json"]


def test_a_file_that_is_lost_before_it_is_locked_is_made_again(tmp_path, monkeypatch):
    lock, lost = files._lock, list[str]()

    def too_late(descriptor, *, wait):
        if not lost:
            lost.extend(names(tmp_path))
            (tmp_path / lost[0]).unlink()
        return lock(descriptor, wait=wait)

    monkeypatch.setattr(files, "_lock", too_late)
    write_atomic(tmp_path / "out.json", "whole")
    assert len(lost) == 1
    assert names(tmp_path) == ["out.json"]
    assert (tmp_path / "out.json").read_text() == "whole"


def test_an_exact_number_is_no_formula():
    assert csv_text([(Fraction(-1, 2), -3, None)], pytest.fail) == "-1/2,-3,\n"


def test_of_formulas_the_reader_is_told(capsys):
    assert csv_text([("=1+1", -1), ("-2", "A,B")], print) == '\'=1+1,-1\n-2,"A,B"\n'
    assert "'=1+1'" in capsys.readouterr().out


@given(st.lists(st.lists(st.text(st.characters(codec="utf-8")) | st.floats() | st.none(), min_size=2)))
def test_csv_reads_back_what_was_written_but_for_formulas(rows):
    read = csv.reader(StringIO(csv_text(rows, lambda why: None), newline=""))
    for cell, back in zip(chain(*rows), chain(*read), strict=True):
        text = "" if cell is None else str(cell)
        assert back in (text, f"'{text}") and (back == text or text[0] in "=+-@")
