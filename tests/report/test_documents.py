"""Documents: exact numbers are texts, shapes name their keys, and every object says its format."""

import json
from enum import Enum
from fractions import Fraction
from pathlib import PurePosixPath

import pytest

from consistency_lab import surrogate
from consistency_lab.book.book import examine
from consistency_lab.decide import decide
from consistency_lab.exact import LogRational
from consistency_lab.frozen import as_json, frozen, record
from consistency_lab.report.answer import decision_document
from consistency_lab.report.measure import search_document
from consistency_lab.report.theorem_book import book_document


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


def test_records_are_objects_of_their_fields_and_exact_numbers_are_texts() -> None:
    assert as_json(OUTER) == {"word": "held", "inner": {"share": "1/3", "names": ["A", "B"]}, "nothing": None}
    exact = LogRational(Fraction(1), Fraction(2))
    assert as_json([exact, PurePosixPath("a/b"), True, 2, 0.5]) == [str(exact), "a/b", True, 2, 0.5]


def test_a_shape_names_keys_in_their_order_and_what_is_given_stands_first() -> None:
    found = record(OUTER, "share=inner.share word extra", extra=(1, 2))
    assert list(found.items()) == [("share", "1/3"), ("word", "held"), ("extra", [1, 2])]
    assert record(OUTER.nothing, "share") is None
    with pytest.raises(AttributeError):
        record(OUTER, "unknown")


def test_documents_begin_with_their_format() -> None:
    linear = surrogate("linear")
    documents = [
        decision_document(decide(linear, ["additive"], items=[3]), {}, {}),
        search_document(linear, "additive", 3),
        book_document([examine("lemma-7")], 1, 0.0),
    ]
    names = [f"consistency-lab/{name}/1" for name in ("check", "measure", "reproduce")]
    assert [next(iter(json.loads(json.dumps(one)).items())) for one in documents] == [
        ("format", name) for name in names
    ]
