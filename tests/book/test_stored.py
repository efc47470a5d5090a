"""Stored evidence is read strictly."""

from pathlib import Path

import pytest

from consistency_lab.apps.book.statement import entries, stored
from consistency_lab.errors import InputError, RejectedError


def test_what_is_stored_comes_back(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"cases": [{"y": ["1/2", "-3"]}]}')
    (entry,) = entries(stored("a.json", tmp_path), "cases")
    assert entry == {"y": ["1/2", "-3"]}


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        stored("a.json", tmp_path)


def test_a_file_that_is_not_an_object(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("[]")
    with pytest.raises(RejectedError, match=r"a\.json is not a JSON object"):
        stored("a.json", tmp_path)


@pytest.mark.parametrize("found", [{}, {"cases": {}}, {"cases": ["one"]}])
def test_entries_that_are_not_objects(found: dict[str, object]) -> None:
    with pytest.raises(RejectedError, match="no list of objects called 'cases'"):
        entries(found, "cases")
