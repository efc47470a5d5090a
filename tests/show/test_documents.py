"""Documents: exact numbers are texts, shapes name their keys, and every object says its format."""

import json
from enum import Enum
from fractions import Fraction
from pathlib import Path, PurePosixPath

import jsonschema
import pytest

from consistency_lab.cli.known import published
from consistency_lab.cli.running import run
from consistency_lab.frozen import frozen
from consistency_lab.numbers.exact import LogRational
from consistency_lab.show.documents import Record, as_json


class Word(Enum):
    HELD = "held"


@frozen
class Inner:
    share: Fraction
    names: tuple[str, ...]


@frozen
class Outer:
    word: Word
    inner: Inner
    nothing: Inner | None = None


OUTER = Outer(Word.HELD, Inner(Fraction(1, 3), ("A", "B")))


def test_records_are_objects_of_their_fields_and_exact_numbers_are_texts():
    assert as_json(OUTER) == {"word": "held", "inner": {"share": "1/3", "names": ["A", "B"]}, "nothing": None}
    exact = LogRational(Fraction(1), Fraction(2))
    assert as_json([exact, PurePosixPath("a/b"), True, 2, 0.5]) == [str(exact), "a/b", True, 2, 0.5]


def test_a_shape_names_keys_in_their_order_and_what_is_given_stands_first():
    shape = Record(
        Outer, "share=inner.share word extra=. lost=nothing.share", extra=(list[int], lambda _: (1, 2))
    )
    found = shape(OUTER)
    assert list(found.items()) == [("share", "1/3"), ("word", "held"), ("extra", [1, 2]), ("lost", None)]
    assert shape(None) is None
    assert [one["share"] for one in shape((OUTER, OUTER))] == ["1/3", "1/3"]
    with pytest.raises(AttributeError):
        Record(Outer, "unknown")(OUTER)
    with pytest.raises(TypeError, match="unknown"):
        Record(Outer, "word", unknown=shape)


def test_the_schema_is_that_of_the_annotations():
    shape = Record(Outer, "word inner lost=nothing.names", format="a/1", may={"more": int})
    known = {"format": "a/1", "word": "held", "inner": {"share": "1/3", "names": ["A"]}, "lost": None}
    valid = jsonschema.Draft202012Validator(shape.schema).is_valid
    assert valid(shape(OUTER)) and valid(known) and valid({**known, "more": 1})
    for wrong in ({"word": "other"}, {"inner": {"share": 0.5, "names": []}}, {"lost": [1]}, {"other": 1}):
        assert not valid({**known, **wrong})
    assert not valid({key: value for key, value in known.items() if key != "word"})


SCHEMAS = json.loads((Path(__file__).parents[2] / "docs" / "schemas.json").read_text("utf-8"))


def test_the_published_schemas_are_those_of_the_records():
    """If not, docs/make_schemas.py writes them anew."""
    assert json.loads(json.dumps(published())) == SCHEMAS
    jsonschema.Draft202012Validator.check_schema(SCHEMAS)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("check", "check linear --condition low-noise --no-save"),
        ("check", "check hinge --condition low-noise --items 3 --no-save"),
        ("check", "check regression --target ndcg --items 2 --no-save"),
        ("check", "check ranknet --target ndcg --items 2 --no-save"),
        ("check-profile", "check linear --profile vermont.toc --no-save"),
        ("check-profile", "check logistic --profile vermont.toc --no-save"),
        ("check-library", "check xgboost:rank:pairwise --target ndcg --items 2 --budget 1 --no-save"),
        ("measure", "measure hinge --condition low-noise --items 3 --no-save --samples 20 --rate"),
        ("calibration", "calibration linear --condition additive --items 3"),
        ("audit", "audit vermont.toc --loss logistic,linear --resamples 40 --simulations 4"),
        ("audits", "audit vermont.toc vermont.toc --loss linear --jobs 1 --resamples 0 --simulations 0"),
        ("construct", "construct --target zero-one --items 3 --no-save"),
        ("reproduce", "reproduce lemma-7 --explain"),
        ("list", "list"),
        ("list", "list libraries"),
        ("atlas", "atlas {root}/docs/atlas"),
        ("verify", "verify {hinge} missing.json"),
        ("show", "show {hinge}"),
        ("experiment", "experiment judges --sizes 2 --orders 1 --runs 1"),
    ],
)
def test_answers_fit_the_published_schema_of_their_format(capsys, monkeypatch, name, words):
    def alone(work, messages, _jobs, attempts):
        yield from enumerate(map(work, messages))  # a process would import for two seconds

    monkeypatch.setattr("consistency_lab.apps.audit.many.at_once", alone)
    root = Path(__file__).parents[2]
    hinge = next((root / "counterexamples").glob("hinge-*.json"))
    run([*words.format(root=root, hinge=hinge).split(), "--json"])
    document = json.loads(capsys.readouterr().out)
    version = 2 if name in ("reproduce", "calibration") else 1
    assert next(iter(document.items())) == ("format", f"consistency-lab/{name}/{version}")
    own = {**SCHEMAS, "oneOf": [{"$ref": f"#/$defs/consistency-lab~1{name}~1{version}"}]}
    jsonschema.Draft202012Validator(own).validate(document)


def test_no_document_tells_how_long_it_took():
    assert '"seconds"' not in json.dumps(SCHEMAS)
