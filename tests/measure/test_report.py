"""What is shown of an atlas is what the core accepts."""

from fractions import Fraction
from pathlib import Path

import pytest

from consistency_lab import Distribution, InputError, RejectedError, certify_at, surrogate
from consistency_lab.apps.measure.atlas import report
from consistency_lab.apps.measure.atlas.cell import make
from consistency_lab.apps.measure.atlas.folder import entries, entry
from consistency_lab.files import with_digest
from docs.tables import TABLES

ROOT = Path(__file__).parent.parent.parent
FOLDER = Path("docs/atlas")


def test_a_cell_is_shown_in_a_few_words(document):
    found = entry(document)
    assert (found.verdict, found.failure) == ("INCONSISTENT", "strict")
    assert report.smallest_words(found) == "5 (tie), strict 6"
    lower, upper = map(Fraction, report.worst_words(found).split(" to "))
    part = document["parts"]["worst"]
    assert lower <= Fraction(part["lower"]) <= Fraction(part["upper"]) <= upper
    assert report.rate_words(found).endswith(")")


def test_a_proof_is_shown_as_one(quick):
    found = entry(make(quick[0].parameters()))
    assert (found.verdict, report.smallest_words(found), report.worst_words(found)) == (
        "CONSISTENT",
        "none, proved",
        "–",
    )


def tie_as_an_inversion(found):
    part = found["parts"]["smallest"]
    part["strict_witness"], part["strict_total"] = part["witness"], part["total"]


def consistent_without_a_theorem(found):
    found["conclusion"] = {"verdict": "CONSISTENT", "failure": None}
    found["witnesses"], found["parts"] = {}, {}


def changed_witness(found):
    witness = next(iter(found["witnesses"].values()))
    witness["proof"]["regret"] = "7"
    witness["digest"] = with_digest(witness)["digest"]


def another_witness(name, a):
    """Of another loss, or of scores that are right."""
    witness = dict(certify_at(surrogate(name), Distribution.from_aggregate(a)).document)
    return lambda found: found["witnesses"].update(other=witness)


CHANGES = [
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
def test_a_cell_that_claims_more_than_its_witnesses_prove_is_rejected(stored, copy, change):
    """Its digest is right, so that only the claim is wrong."""
    change(copy)
    with pytest.raises(RejectedError, match="logistic, acyclic, 3 items"):
        entries(stored(copy))


def test_an_empty_folder_is_no_atlas(tmp_path):
    with pytest.raises(InputError, match="contains no cells"):
        entries(tmp_path)


def test_a_page_and_its_picture_are_the_same_each_time(stored, document):
    folder = stored(document)
    found = entries(folder)
    page = folder / "page.md"
    picture = report.write_page(found, folder, page)
    first = page.read_bytes(), picture.read_bytes()
    report.write_page(found, folder, page)
    assert (page.read_bytes(), picture.read_bytes()) == first
    assert "![Heat map of the atlas](page.svg)" in page.read_text(encoding="utf-8")
    with pytest.raises(InputError, match=r"must end in \.md"):
        report.picture_of(folder / "page.txt")


def test_a_picture_has_room_for_all_numbers_of_items(document, quick):
    found = [entry(document), *(entry(make(cell.parameters())) for cell in quick)]
    assert report.heat_map(found).content("svg").startswith(b"<?xml")
    lines = report.page_text(found, Path("cells"), Path("page.md")).splitlines()
    sizes = len({one.cell.m for one in found})
    assert sum(line.startswith("|") for line in lines) == len(found) + 2 * sizes
    assert [one["verdict"] for one in report.atlas_document(found)["cells"]] == [
        "INCONSISTENT",
        *["CONSISTENT"] * len(quick),
    ]


def test_the_committed_page_says_what_the_committed_cells_say():
    found = entries(ROOT / FOLDER)
    assert TABLES["atlas"]().strip() in report.page_text(found, FOLDER, Path("page.md"))
    said = (ROOT / "docs" / "research.md").read_text(encoding="utf-8")
    assert "  --items 3 --budget 60 --samples 100000 --seed 0 --out docs/atlas" in said
    assert len(found) == 12
    assert all(one.verdict == "INCONSISTENT" for one in found)


def test_the_committed_cells_say_what_the_papers_say():
    """Losses of edges are wrong under low noise (DMJ10 Theorem 11); of three items the hinge by ties."""
    for one in entries(ROOT / FOLDER):
        assert one.failure == ("tie" if one.cell.surrogate == "hinge" else "strict")
        part = one.part("worst")
        assert Fraction(0) < Fraction(part["lower"]) <= Fraction(part["upper"])
        assert part["finished"]
