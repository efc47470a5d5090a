"""Names of files, and folders that cannot hold them."""

import json

import pytest

from consistency_lab import InputError
from consistency_lab.certify.proofs.file import file_name, save, slug
from consistency_lab.files import check_file, check_writable

DOCUMENT = {
    "named": {
        "surrogate": {"name": "margin-log(1+exp(-2*x)) with h=a**2"},
        "conditions": {
            "additive": False,
            "low-noise": False,
            "net-order": False,
            "acyclic": True,
            "any": True,
        },
    },
    "proof": {"coordinates": ["A", "ü", "東"]},
    "digest": "sha256:89abcdef01234567",
}


def test_the_name_says_what_is_inside():
    assert file_name(DOCUMENT) == "margin-log-1-exp-2-x-with-h-a-2-acyclic-3items-89abcdef.json"


@pytest.mark.parametrize("name", ["../../etc/passwd", "a/b", "", "..", "-rf", "x" * 500, "東京", "a\0b"])
def test_a_slug_is_a_harmless_part_of_a_name(name):
    found = slug(name)
    assert 0 < len(found) <= 60
    assert set(found) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
    assert not found.startswith("-")


def test_a_saved_document_is_read_back(tmp_path):
    path = save(DOCUMENT, tmp_path / "new" / "folder")
    assert json.loads(path.read_text(encoding="utf-8")) == DOCUMENT
    assert [entry.name for entry in path.parent.iterdir()] == [file_name(DOCUMENT)]


def test_asking_leaves_nothing_behind(tmp_path):
    check_writable(tmp_path / "new" / "folder")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("place", ["file", "file/below", "nul\0byte"])
def test_a_place_that_can_hold_no_files(tmp_path, place):
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(InputError):
        check_writable(tmp_path / place)
    with pytest.raises(InputError):
        save(DOCUMENT, tmp_path / place)


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("folder", "is a directory"),
        ("nowhere/plane.svg", "no such file or directory"),
        ("file/plane.svg", "not a directory"),
        ("nul\0byte", "null"),
    ],
)
def test_a_file_that_cannot_be_written(tmp_path, place, words):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match=rf"cannot be written: .*{words}"):
        check_file(tmp_path / place)
    check_file(tmp_path / "plane.svg")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder"]


def test_what_could_not_be_read_again_is_not_written(tmp_path):
    with pytest.raises(InputError, match="at most 20_000_000 bytes are read"):
        save({**DOCUMENT, "long": "x" * 20_000_000}, tmp_path / "new")
    with pytest.raises(InputError, match="more than 1_500_000 values"):
        save({**DOCUMENT, "many": [0] * 1_500_000}, tmp_path / "new")
    assert not (tmp_path / "new").exists()
