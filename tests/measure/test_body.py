"""A cell whose digest is right may still hold anything: it is shown, or refused with one sentence."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from matplotlib.figure import Figure

from consistency_lab.apps.measure.atlas import folder
from consistency_lab.apps.measure.atlas.cell import Cell, make
from consistency_lab.apps.measure.atlas.folder import Store, check_body, entries
from consistency_lab.apps.measure.atlas.report import atlas_document, atlas_report, heat_map, page_text
from consistency_lab.certify.document import sealed
from consistency_lab.errors import ConsistencyLabError, InputError

ODD = (None, True, -1, 10**30, "x", "1/0", "nan", "1e999", "7", [], {})

Place = tuple[str | int, ...]


def places(value: object, at: Place = ()) -> Iterator[Place]:
    """Every place in a document; of a list only the first entry, and nothing inside a witness."""
    yield at
    if len(at) == 2 and at[0] == "witnesses":
        return
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from places(inner, (*at, key))
    elif isinstance(value, list) and value:
        yield from places(value[0], (*at, 0))


def changed(document: dict[str, Any], at: Place, value: object, *, remove: bool = False) -> dict[str, Any]:
    copy: dict[str, Any] = json.loads(json.dumps(document))
    inner: Any = copy
    for key in at[:-1]:
        inner = inner[key]
    if remove:
        del inner[at[-1]]
    else:
        inner[at[-1]] = value
    return copy


def mutations(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for at in places(document):
        if at and at[0] not in ("digest", "format", "parameters"):
            yield changed(document, at, None, remove=True)
            for value in ODD:
                yield changed(document, at, value)
    yield changed(document, ("parts", "worst"), {"unsupported": "of a reason", "budget_used_up": False})
    yield changed(document, ("parts", "worst", "unsupported"), "of a reason")
    for name in document["parts"]:
        yield changed(document, ("parts", name, "another"), 1)


def shown(folder: Path) -> None:
    found = entries(folder)
    json.dumps(atlas_document(found))
    assert list(atlas_report(found))
    assert page_text(found, Path("atlas"), Path("page.md"))
    heat_map(found).draw(Figure())


def test_a_cell_with_an_edited_body_is_shown_or_refused(
    tmp_path: Path, document: dict[str, Any], whole: Cell, monkeypatch: pytest.MonkeyPatch
) -> None:
    known: dict[str, Any] = {}
    verify = folder.as_proof

    def remembered(witness: dict[str, Any]) -> object:
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
    assert endings["refused"] > 400
    assert endings["shown"] > 30


def test_what_is_made_has_the_form_that_is_read(document: dict[str, Any], quick: tuple[Cell, ...]) -> None:
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
def test_the_sentence_names_what_is_wrong(
    document: dict[str, Any], at: Place, value: object, words: str
) -> None:
    with pytest.raises(InputError) as caught:
        check_body(changed(document, at, value))
    assert str(caught.value) == words


def test_an_edited_cell_is_made_again(tmp_path: Path, document: dict[str, Any], whole: Cell) -> None:
    store, told = Store(tmp_path), list[str]()
    store.write(whole, sealed(changed(document, ("parts", "worst", "lower"), "1/0")))
    assert not store.has(whole, told.append)
    assert told[0].endswith("its part 'worst' has no valid 'lower'; computing it again")
