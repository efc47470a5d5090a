"""Every way to change one leaf of a witness document so that it says something else."""

import copy
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from consistency_lab.errors import InputError
from consistency_lab.exact import LogRational
from consistency_lab.proofs.format_1.document import STATEMENT

from .witnesses import HINGE, LOGISTIC, SQUARED_HINGE, Document, sealed

Path = tuple[str | int, ...]

WORDS: Final = (
    ("inconsistent", "consistent-at-p"),
    ("strict", "tie"),
    ("below", "equal"),
    ("stationary", "separation"),
    ("edge", "margin", "difference", "linear", "regression", "terms"),
    (LOGISTIC, HINGE, SQUARED_HINGE, "exp(-x)", "x**2", "x**2/2", "-x"),
    ("a", "sqrt(a)", "exp(a)", "2*a"),
    ("hinge", "logistic", "squared-hinge", "difference-hinge", "margin-hinge", "linear", "regression"),
)
"""Texts that stand for one of a few things; each is exchanged for each other one of its row."""


def leaves(node: object, path: Path = ()) -> Iterator[tuple[Path, object]]:
    """Every leaf of a JSON document with its path; empty lists and objects are leaves too."""
    children: list[tuple[str | int, object]] = []
    if isinstance(node, dict):
        children = list(node.items())
    elif isinstance(node, list):
        children = list(enumerate(node))
    if not children:
        yield path, node
    for key, child in children:
        yield from leaves(child, (*path, key))


def replaced(document: Document, path: Path, value: object) -> Document:
    """The document with one value replaced, sealed again."""
    changed = copy.deepcopy(document)
    node: object = changed
    for key in path[:-1]:
        node = node[key]  # type: ignore[index]
    node[path[-1]] = value  # type: ignore[index]
    return sealed(changed)


def edited(document: Document, edit: Callable[[Document], object]) -> Document:
    """The document after an edit in place, sealed again."""
    changed = copy.deepcopy(document)
    edit(changed)
    return sealed(changed)


def variants(path: Path, value: object, names: list[str]) -> Iterator[object]:
    """Other values that the leaf could have."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield from (-value, value + 1, 2 * value)
    elif value is None:
        yield from ("0", ["0", "0"], {"kind": "tie", "pairs": []})
    elif path[0] == "decimals":
        step = Decimal("0.000001")
        yield from (str(Decimal(str(value)) + step), str(Decimal(str(value)) - step))
    elif path[-1] == "gap":
        yield from (str(Decimal(str(value)) * Decimal(factor)) for factor in ("1.02", "0.98", "2", "0.5"))
    elif isinstance(value, str):
        yield from _other_texts(path, value, names)


def _other_texts(path: Path, value: str, names: list[str]) -> Iterator[str]:
    if value == STATEMENT:
        yield "inconsistent for every phi"
    if path[0] == "items":
        yield f"{value}'"
    if value in names:
        yield from (name for name in names if name != value)
    yield from other_words(value, WORDS)
    yield from other_numbers(value)


def other_words(value: str, rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """The other texts of each row that the text stands in."""
    for row in rows:
        if value in row:
            yield from (word for word in row if word != value)


def other_numbers(value: str) -> Iterator[str]:
    """Numbers near the one that the text is, if it is one."""
    try:
        number = LogRational.parse(value)
    except InputError:
        return
    one = LogRational(Fraction(1))
    others = {-number, number + one, number - one, number + number, number + LogRational(Fraction(1, 7))}
    yield from sorted(str(other) for other in others if other != number)


def mutations(document: Document) -> Iterator[tuple[Path, object, Document]]:
    """Path, new value and document, for every leaf but the digest."""
    items = document["items"]
    assert isinstance(items, list)
    for path, value in leaves(document):
        if path[0] == "digest":
            continue
        for other in variants(path, value, items):
            yield path, other, replaced(document, path, other)


def at(document: Document, path: Path) -> Any:
    """What stands in a document at a path."""
    node: Any = document
    for key in path:
        node = node[key]
    return node


def _objects(node: object, path: Path = ()) -> Iterator[Path]:
    children = list(node.items()) if isinstance(node, dict) else []
    children += list(enumerate(node)) if isinstance(node, list) else []
    if isinstance(node, dict):
        yield path
    for key, child in children:
        yield from _objects(child, (*path, key))


def without_a_key(document: Document) -> Iterator[tuple[Path, Document]]:
    """The path of each key, and the document without it, sealed again."""
    for path in _objects(document):
        for key in at(document, path):
            changed = copy.deepcopy(document)
            del at(changed, path)[key]
            yield (*path, key), changed if key == "digest" else sealed(changed)


def with_an_unknown_key(document: Document) -> Iterator[Document]:
    """The document with one key more in each of its objects."""
    for path in _objects(document):
        changed = copy.deepcopy(document)
        at(changed, path)["remark"] = "1"
        yield sealed(changed)


def with_another_length(document: Document) -> Iterator[tuple[Path, Document, Document]]:
    """The path of each list, the document with its last entry missing, and with that entry twice."""
    lists = {
        path[:k] for path, _ in leaves(document) for k in range(1, len(path)) if isinstance(path[k], int)
    }
    for path in sorted(lists, key=repr):
        shorter, longer = copy.deepcopy(document), copy.deepcopy(document)
        at(shorter, path).pop()
        at(longer, path).append(at(document, path)[-1])
        yield path, sealed(shorter), sealed(longer)
