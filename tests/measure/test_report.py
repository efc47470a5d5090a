"""What is shown of an atlas is what the core accepts."""

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from consistency_lab import Distribution, certify_at, surrogate
from consistency_lab.apps.measure.atlas.cell import Cell, make
from consistency_lab.apps.measure.atlas.folder import Store, entries, entry
from consistency_lab.apps.measure.atlas.report import (
    atlas_document,
    heat_map,
    page_text,
    picture_of,
    rate_words,
    smallest_words,
    worst_words,
    write_page,
)
from consistency_lab.certify.document import sealed
from consistency_lab.errors import InputError, RejectedError
from docs.tables import TABLES

ROOT = Path(__file__).parent.parent.parent
FOLDER = Path("docs/atlas")

Change = Callable[[dict[str, Any]], None]


def test_a_cell_is_shown_in_a_few_words(document: dict[str, Any]) -> None:
    found = entry(document)
    assert (found.verdict, found.failure) == ("INCONSISTENT", "strict")
    assert smallest_words(found) == "5 (tie), strict 6"
    lower, upper = map(Fraction, worst_words(found).split(" to "))
    part = document["parts"]["worst"]
    assert lower <= Fraction(part["lower"]) <= Fraction(part["upper"]) <= upper
    assert rate_words(found).endswith(")")


def test_a_proof_is_shown_as_one(quick: tuple[Cell, ...]) -> None:
    found = entry(make(quick[0].parameters()))
    assert (found.verdict, smallest_words(found), worst_words(found)) == ("CONSISTENT", "none, proved", "–")


def tie_as_an_inversion(found: dict[str, Any]) -> None:
    part = found["parts"]["smallest"]
    part["strict_witness"], part["strict_total"] = part["witness"], part["total"]


def consistent_without_a_theorem(found: dict[str, Any]) -> None:
    found["conclusion"] = {"verdict": "CONSISTENT", "failure": None}
    found["witnesses"], found["parts"] = {}, {}


def changed_witness(found: dict[str, Any]) -> None:
    witness = next(iter(found["witnesses"].values()))
    witness["proof"]["regret"] = "7"
    witness["digest"] = sealed(witness)["digest"]


def another_witness(name: str, a: list[list[int]]) -> Change:
    """Of another loss, or of scores that are right."""
    witness = dict(certify_at(surrogate(name), Distribution.from_aggregate(a)).document)
    return lambda found: found["witnesses"].update(other=witness)


CHANGES: list[Change] = [
    lambda found: found["parts"]["worst"].update(lower="1/4"),
    lambda found: found["parts"]["worst"].update(witness=None),
    lambda found: found["parts"]["smallest"].update(total=4),
    lambda found: found["conclusion"].update(verdict="CONSISTENT"),
    lambda found: found["conclusion"].update(failure="tie"),
    lambda found: found.update(witnesses={}),
    tie_as_an_inversion,
    consistent_without_a_theorem,
    changed_witness,
    another_witness("exponential", [[0, 1, 6], [0, 0, 2], [3, 0, 0]]),
    another_witness("square", [[0, 9, 9], [0, 0, 9], [0, 0, 0]]),
]


@pytest.mark.parametrize("change", CHANGES)
def test_a_cell_that_claims_more_than_its_witnesses_prove_is_rejected(
    stored: Callable[[dict[str, Any]], Path], copy: dict[str, Any], change: Change
) -> None:
    """Its digest is right, so that only the claim is wrong."""
    change(copy)
    with pytest.raises(RejectedError, match="logistic, acyclic, 3 items"):
        entries(stored(copy))


@pytest.mark.parametrize("key", ["conclusion", "parts", "witnesses"])
def test_a_cell_without_its_fields_is_refused(
    stored: Callable[[dict[str, Any]], Path], copy: dict[str, Any], key: str
) -> None:
    del copy[key]
    with pytest.raises(
        InputError, match=rf"logistic-acyclic-3items.json is not a cell of an atlas: its {key}"
    ):
        entries(stored(copy))


def test_an_empty_folder_is_no_atlas(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="contains no cells"):
        entries(tmp_path)


def test_a_page_and_its_picture_are_the_same_each_time(
    stored: Callable[[dict[str, Any]], Path], document: dict[str, Any]
) -> None:
    folder = stored(document)
    found = entries(folder)
    page = folder / "page.md"
    picture = write_page(found, folder, page)
    first = page.read_bytes(), picture.read_bytes()
    write_page(found, folder, page)
    assert (page.read_bytes(), picture.read_bytes()) == first
    assert "![Heat map of the atlas](page.svg)" in page.read_text(encoding="utf-8")
    with pytest.raises(InputError, match=r"must end in \.md"):
        picture_of(folder / "page.txt")


def test_a_picture_has_room_for_all_numbers_of_items(
    document: dict[str, Any], quick: tuple[Cell, ...]
) -> None:
    found = [entry(document), *(entry(make(cell.parameters())) for cell in quick)]
    assert heat_map(found).content("svg").startswith(b"<?xml")
    lines = page_text(found, Path("cells"), Path("page.md")).splitlines()
    sizes = len({one.cell.m for one in found})
    assert sum(line.startswith("|") for line in lines) == len(found) + 2 * sizes
    assert [one["verdict"] for one in atlas_document(found)["cells"]] == [
        "INCONSISTENT",
        *["CONSISTENT"] * len(quick),
    ]


def test_the_committed_page_says_what_the_committed_cells_say() -> None:
    found = entries(ROOT / FOLDER)
    assert TABLES["atlas"]().strip() in page_text(found, FOLDER, Path("page.md"))
    said = (ROOT / "docs" / "research.md").read_text(encoding="utf-8")
    assert "  --items 3 --budget 60 --samples 100000 --seed 0 --out docs/atlas" in said
    assert len(found) == 12
    assert all(one.verdict == "INCONSISTENT" for one in found)


def test_the_committed_cells_say_what_the_papers_say() -> None:
    """Losses of edges are wrong under low noise (DMJ10 Theorem 11); of three items the hinge by ties."""
    for one in entries(ROOT / FOLDER):
        assert one.failure == ("tie" if one.cell.surrogate == "hinge" else "strict")
        part = one.part("worst")
        assert part is not None
        assert Fraction(0) < Fraction(part["lower"]) <= Fraction(part["upper"])
        assert part["finished"]


def test_a_folder_of_other_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text("{}", encoding="utf-8")
    with pytest.raises(InputError, match="is not a cell of an atlas"):
        list(Store(tmp_path).documents())
