"""What is on the disk counts only if it is whole, and was made with the same parameters."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from consistency_lab.apps.measure.atlas.cell import Cell
from consistency_lab.apps.measure.atlas.folder import Store, read_cell
from consistency_lab.errors import InputError


def test_a_stored_cell_is_read_again_as_it_was(
    stored: Callable[[dict[str, Any]], Path], whole: Cell, document: dict[str, Any]
) -> None:
    store = Store(stored(document))
    assert store.has(whole, pytest.fail)
    assert read_cell(store.path(whole)) == document
    assert [path.name for path in store.folder.iterdir()] == ["logistic-acyclic-3items.json"]


@pytest.mark.parametrize(
    "other",
    [{"budget": "61"}, {"samples": 2001}, {"seed": 1}, {"parts": ("worst",)}],
    ids=lambda x: next(iter(x)),
)
def test_other_parameters_are_another_cell(
    stored: Callable[[dict[str, Any]], Path], whole: Cell, document: dict[str, Any], other: dict[str, Any]
) -> None:
    store = Store(stored(document))
    assert not store.has(replace(whole, **other), pytest.fail)


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "is not a JSON document": lambda content: content[: len(content) // 2],
    "is empty": lambda content: b"",
    "not UTF-8": lambda content: b"\xff\xfe" + content,
    "its digest does not match": lambda content: content.replace(b'"INCONSISTENT"', b'"CONSISTENT"'),
    "its format must be": lambda content: content.replace(b"atlas-cell/1", b"atlas-cell/2"),
    "is damaged": lambda content: content.replace(b'"total": 5', b'"total": 5.0'),
}


@pytest.mark.parametrize("words", DAMAGES)
def test_a_damaged_file_is_told_of_and_counts_as_missing(
    stored: Callable[[dict[str, Any]], Path], whole: Cell, document: dict[str, Any], words: str
) -> None:
    store, told = Store(stored(document)), list[str]()
    path = store.path(whole)
    path.write_bytes(DAMAGES[words](path.read_bytes()))
    assert not store.has(whole, told.append)
    (sentence,) = told
    assert words in sentence
    assert str(path) in sentence
    assert sentence.endswith("; computing it again")


def test_a_cell_under_the_name_of_another_is_refused(
    stored: Callable[[dict[str, Any]], Path], whole: Cell, document: dict[str, Any]
) -> None:
    store = Store(stored(document))
    other = replace(whole, condition="additive")
    store.path(whole).rename(store.path(other))
    with pytest.raises(InputError, match="parameters belong to another cell"):
        read_cell(store.path(other))


def test_a_folder_that_cannot_be_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(InputError, match="cannot hold an atlas"):
        Store(tmp_path / "file" / "inside").prepare()
    with pytest.raises(InputError, match="is not a folder"):
        list(Store(tmp_path / "nowhere").documents())


def test_a_folder_that_cannot_be_written_to_is_refused_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(**_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tempfile.TemporaryFile", refuse)
    with pytest.raises(InputError, match="cannot hold an atlas: permission denied; name another folder"):
        Store(tmp_path).prepare()
