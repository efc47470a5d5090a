"""A cell of an atlas: what it is, what is in its document, and what counts of a file on the disk."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from consistency_lab import ConsistencyLabError, Distribution, InputError, certify_at, surrogate, verify
from consistency_lab.apps.measure.atlas import folder
from consistency_lab.apps.measure.atlas.cell import PARTS, Asked, Cell, cells, conclusion, make
from consistency_lab.apps.measure.atlas.folder import Store, check_body, entries, read_cell
from consistency_lab.apps.measure.atlas.report import atlas_document, atlas_report, heat_map, page_text
from consistency_lab.certify.document import sealed
from consistency_lab.files import digest
from tests import trees

INVERSION = [[0, 1, 6], [0, 0, 2], [3, 0, 0]]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("surrogate", "no-such-loss"),
        ("surrogate", 3),
        ("condition", "no-such-condition"),
        ("items", 1),
        ("items", 7),
        ("items", "3"),
        ("budget", "soon"),
        ("budget", "-1"),
        ("budget", "inf"),
        ("samples", 0),
        ("seed", -1),
        ("parts", []),
        ("parts", ["everything"]),
        ("parts", "worst"),
    ],
)
def test_other_data_are_no_cell(whole, key, value):
    with pytest.raises(InputError):
        Cell.of({**whole.parameters(), key: value})


def test_a_product_has_each_cell_once_and_few_items_first():
    found = cells(["ranknet", "logistic", "hinge"], ["acyclic", "additive", "acyclic"], [4, 3, 3])
    assert [cell.name for cell in found] == [
        f"{name}-{condition}-{m}items"
        for m in (3, 4)
        for name in ("logistic", "hinge")
        for condition in ("additive", "acyclic")
    ]


def test_the_same_cell_has_the_same_digest(whole, document):
    assert document["digest"] == digest(document)
    assert make(whole.parameters()) == document


def test_a_cell_says_what_its_parts_have_found(whole, document):
    """Logistic at acyclic differences: proved by exhaustion to be wrong at total weight 5, a tie, and 6."""
    assert document["conclusion"] == {"verdict": "INCONSISTENT", "failure": "strict"}
    parts = document["parts"]
    assert list(parts) == sorted(["verdict", *PARTS])
    assert (parts["smallest"]["total"], parts["smallest"]["proved"]) == (5, True)
    assert (parts["smallest"]["strict_total"], parts["smallest"]["strict_proved"]) == (6, True)
    assert Fraction(parts["worst"]["lower"]) <= Fraction(1, 5) <= Fraction(parts["worst"]["upper"])
    assert parts["rate"]["overall"]["samples"] == whole.samples
    assert not any(part["budget_used_up"] for part in parts.values())


def test_the_kernel_accepts_all_witnesses_of_a_cell(document):
    assert document["witnesses"]
    for name, witness in document["witnesses"].items():
        verified = verify(witness)
        assert witness["digest"] == name
        assert verified.conditions["acyclic"]
        assert verified.m == 3


def test_a_theorem_makes_a_cell_without_witnesses(quick):
    """DMJ10 Theorem 13 and its Corollary 15; DMJ13 §5.3."""
    for cell in quick:
        found = make(cell.parameters())
        assert found["conclusion"] == {"verdict": "CONSISTENT", "failure": None}
        assert found["witnesses"] == {}


def test_a_part_that_is_not_supported_says_why():
    found = make(Cell("margin-square", "additive", 3, "4", parts=("worst",)).parameters())
    assert "margin-square" in found["parts"]["worst"]["unsupported"]


def test_a_proof_and_a_witness_cannot_both_be_right():
    witness = certify_at(surrogate("logistic"), Distribution.from_aggregate(INVERSION))
    asked = Asked(Cell("logistic", "additive", 3))
    assert asked.keep(witness) == witness.document["digest"]
    with pytest.raises(ConsistencyLabError, match="one of them is wrong"):
        conclusion(asked, {"verdict": {"verdict": "CONSISTENT"}})
    assert conclusion(asked, {}) == {"verdict": "INCONSISTENT", "failure": "strict"}


def test_a_witness_of_another_question_is_not_kept():
    """Another number of items, none at all, and scores that are right."""
    witness = certify_at(surrogate("logistic"), Distribution.from_aggregate(INVERSION))
    assert Asked(Cell("logistic", "acyclic", 4)).keep(witness) is None
    assert Asked(Cell("logistic", "acyclic", 3)).keep(None) is None
    right = certify_at(surrogate("logistic"), Distribution.from_aggregate([[0, 3], [1, 0]]))
    assert Asked(Cell("logistic", "acyclic", 2)).keep(right) is None


def test_a_stored_cell_is_read_again_as_it_was(stored, whole, document):
    store = Store(stored(document))
    assert store.has(whole, pytest.fail)
    assert read_cell(store.path(whole)) == document
    assert [path.name for path in store.folder.iterdir()] == ["logistic-acyclic-3items.json"]


@pytest.mark.parametrize(
    "other",
    [{"budget": "61"}, {"samples": 2001}, {"seed": 1}, {"parts": ("worst",)}],
    ids=lambda x: next(iter(x)),
)
def test_other_parameters_are_another_cell(stored, whole, document, other):
    store = Store(stored(document))
    assert not store.has(replace(whole, **other), pytest.fail)


DAMAGES = {
    "is not a JSON document": lambda content: content[: len(content) // 2],
    "is empty": lambda content: b"",
    "not UTF-8": lambda content: b"\xff\xfe" + content,
    "its digest does not match": lambda content: content.replace(b'"INCONSISTENT"', b'"CONSISTENT"'),
    "its format must be": lambda content: content.replace(b"atlas-cell/1", b"atlas-cell/2"),
    "is damaged": lambda content: content.replace(b'"total": 5', b'"total": 5.0'),
}


@pytest.mark.parametrize("words", DAMAGES)
def test_a_damaged_file_is_told_of_and_counts_as_missing(stored, whole, document, words):
    store, told = Store(stored(document)), list[str]()
    path = store.path(whole)
    path.write_bytes(DAMAGES[words](path.read_bytes()))
    assert not store.has(whole, told.append)
    (sentence,) = told
    assert words in sentence
    assert str(path) in sentence
    assert sentence.endswith("; computing it again")


def test_a_cell_under_the_name_of_another_is_refused(stored, whole, document):
    store = Store(stored(document))
    other = replace(whole, condition="additive")
    store.path(whole).rename(store.path(other))
    with pytest.raises(InputError, match="parameters belong to another cell"):
        read_cell(store.path(other))


def test_a_folder_that_cannot_be_is_named(tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(InputError, match="cannot hold an atlas"):
        Store(tmp_path / "file" / "inside").prepare()
    with pytest.raises(InputError, match="is not a folder"):
        list(Store(tmp_path / "nowhere").documents())


def test_a_folder_that_cannot_be_written_to_is_refused_before_the_work(tmp_path, monkeypatch):
    def refuse(**_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tempfile.TemporaryFile", refuse)
    with pytest.raises(InputError, match="cannot hold an atlas: permission denied; name another folder"):
        Store(tmp_path).prepare()


ODD = (None, True, -1, 10**30, "x", "1/0", "nan", "1e999", "7", [], {})


def places(value, at=()):
    """Every place in a document; of a list only the first entry, and nothing inside a witness."""
    yield at
    if len(at) == 2 and at[0] == "witnesses":
        return
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from places(inner, (*at, key))
    elif isinstance(value, list) and value:
        yield from places(value[0], (*at, 0))


def mutations(document):
    """Each place meets one of the odd values, in turns."""
    for number, at in enumerate(places(document)):
        if at and at[0] not in ("digest", "format", "parameters"):
            left_out = trees.replaced(document, at, None)
            del trees.at(left_out, at[:-1])[at[-1]]
            yield left_out
            yield trees.replaced(document, at, ODD[number % len(ODD)])
    yield trees.replaced(
        document, ("parts", "worst"), {"unsupported": "of a reason", "budget_used_up": False}
    )
    yield trees.replaced(document, ("parts", "worst", "unsupported"), "of a reason")
    for name in document["parts"]:
        yield trees.replaced(document, ("parts", name, "another"), 1)


def shown(folder):
    found = entries(folder)
    json.dumps(atlas_document(found))
    assert list(atlas_report(found))
    assert page_text(found, Path("atlas"), Path("page.md"))
    heat_map(found).draw(Figure())


@pytest.mark.long
def test_a_cell_with_an_edited_body_is_shown_or_refused(tmp_path, document, whole, monkeypatch):
    known = {}
    verify = folder.as_proof

    def remembered(witness):
        """The core does not change its mind."""
        key = json.dumps(witness, sort_keys=True)
        if key not in known:
            known[key] = verify(witness)
        return known[key]

    monkeypatch.setattr(folder, "as_proof", remembered)
    endings = {"shown": 0, "refused": 0}
    for mutation in mutations(document):
        Store(tmp_path).write(whole, sealed(mutation))
        try:
            shown(tmp_path)
        except ConsistencyLabError as error:
            assert "\n" not in str(error)
            endings["refused"] += 1
        else:
            endings["shown"] += 1
    assert endings["refused"] > 100
    assert endings["shown"] > 5


def test_what_is_made_has_the_form_that_is_read(document, quick):
    check_body(document)
    for cell in quick:
        check_body(make(cell.parameters()))
    for path in (Path(__file__).parents[2] / "docs" / "atlas").glob("*.json"):
        check_body(json.loads(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    ("at", "value", "words"),
    [
        (("conclusion", "verdict"), "MAYBE", "its conclusion has no valid 'verdict'"),
        (("parts", "worst", "lower"), "1/0", "its part 'worst' has no valid 'lower'"),
        (("parts", "rate", "overall", "samples"), -1, "its part 'rate' has no valid 'overall'"),
        (("parts", "other"), {}, "its parts must be some of verdict, smallest, rate, worst"),
        (("parts", "verdict", "other"), 1, "its part 'verdict' has an unknown entry 'other'"),
        (("witnesses", "other"), 1, "its witnesses must be an object of witness documents"),
    ],
)
def test_the_sentence_names_what_is_wrong(document, at, value, words):
    with pytest.raises(InputError) as caught:
        check_body(trees.replaced(document, at, value))
    assert str(caught.value) == words
