"""Loss matrices in CSV files, and constructions as JSON documents."""

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Final, NamedTuple, final

from consistency_lab.core.reading import array, fraction, integer, one_of, record, row, text
from consistency_lab.data.text import csv_rows, located, read_text
from consistency_lab.errors import InputError, RejectedError
from consistency_lab.files import MAX_BYTES, digest, read_json
from consistency_lab.model.tasks.construction import Construction, Dimensions, Factors, Offsets
from consistency_lab.model.tasks.discrete import LossMatrix
from consistency_lab.numbers.exact import rational, rational_text

# --- Loss matrices in CSV files: one line a label, one column a prediction, exact numbers ----------------

MAX_SIDE: Final = 4096
"""The most labels, and the most predictions."""

MAX_CELLS: Final = 1_000_000
"""The most losses."""

MAX_NAME: Final = 200
"""The longest name."""

_CORNERS: Final = ("", "label")
"""Headings allowed above the names of the labels."""


@final
class _Line(NamedTuple):
    number: int
    cells: list[str]


def read_matrix(path: str | os.PathLike[str]) -> LossMatrix:
    """Read a loss matrix from a CSV file: a line for each label, perhaps named, of exact numbers."""
    name, lines = table_lines(path, "loss matrix")
    if len(lines[0].cells) == 1 and any(mark in lines[0].cells[0] for mark in ";\t"):
        raise InputError(f"{name}, line {lines[0].number}: there is no comma; separate cells by commas")
    first = lines[0].cells
    header = lines[0] if first[0].lower() in _CORNERS or not any(map(is_number, first)) else None
    body = lines[1:] if header else lines
    if not body:
        raise InputError(f"{name} has a line of names but no losses; add a line for each label")
    width = len(body[0].cells)
    named = _has_labels(header, body)
    if not header:
        predictions = tuple(f"t{k + 1}" for k in range(width - named))
    else:
        predictions = tuple(header.cells[len(header.cells) - width + 1 :] if named else header.cells)
    if not predictions:
        raise InputError(f"{name}, line {body[0].number}: there are no losses; each line needs at least one")
    sides = len(body), len(predictions)
    if max(sides) > MAX_SIDE or sides[0] * sides[1] > MAX_CELLS:
        raise InputError(
            f"{name} has {sides[0]} labels and {sides[1]} predictions; at most {MAX_SIDE} of each and "
            f"{MAX_CELLS:_} losses are allowed"
        )
    _check_width(name, header, body, named)
    labels = tuple(line.cells[0] if named else f"y{k + 1}" for k, line in enumerate(body))
    check_names(name, "labels", labels)
    check_names(name, "predictions", predictions)
    rows = tuple(
        tuple(
            rational(cell, f"{name}, line {line.number}, column {column}: the loss")
            for column, cell in enumerate(line.cells[named:], 1 + named)
        )
        for line in body
    )
    return LossMatrix(labels, predictions, rows)


def table_lines(path: str | os.PathLike[str], what: str) -> tuple[str, list[_Line]]:
    """The name of the file, and its lines, at least one."""
    name = os.fspath(path)
    lines = [_Line(*line) for line in csv_rows(name, read_text(path, what, MAX_BYTES))]
    if not lines:
        raise InputError(f"{name} is empty; expected a {what}")
    return name, lines


def is_number(cell: str) -> bool:
    """Whether a cell is a number."""
    try:
        rational(cell)
    except InputError:
        return False
    return True


def _has_labels(header: _Line | None, body: Sequence[_Line]) -> bool:
    """Whether the first cell of a line names its label."""
    if header and (header.cells[0].lower() in _CORNERS or len(header.cells) == len(body[0].cells) - 1):
        return True
    # One number among them is enough: then the other cells are not names, but losses with a mistake.
    return not any(is_number(line.cells[0]) for line in body)


def _check_width(name: str, header: _Line | None, body: Sequence[_Line], named: bool) -> None:
    width = len(body[0].cells)
    if header and len(header.cells) not in ((width - 1, width) if named else (width,)):
        raise InputError(
            f"{name}, line {header.number}: there are {len(header.cells)} names for lines of {width} "
            "cells; each prediction needs one name"
        )
    check_equal(name, body)


def check_equal(name: str, lines: Sequence[_Line]) -> None:
    """Refuse lines of different numbers of cells."""
    first = lines[0]
    for line in lines:
        if len(line.cells) != len(first.cells):
            raise InputError(
                f"{name}, line {line.number}: there are {len(line.cells)} cells, but {len(first.cells)} in "
                f"line {first.number}; all lines must have the same number"
            )


def check_names(name: str, what: str, names: Sequence[str]) -> None:
    """Refuse names that are missing, odd or not distinct."""
    with located(name):
        for number, one in enumerate(names, 1):
            if not one:
                raise InputError(f"number {number} of the {what} has no name; names must not be empty")
            if len(one) > MAX_NAME or not one.isprintable():
                raise InputError(
                    f"number {number} of the {what} is called {one[:40]!r}; a name must have at most "
                    f"{MAX_NAME} characters, all of them printable"
                )
        if len(set(names)) < len(names):
            twice = next(one for one, count in Counter(names).items() if count > 1)
            raise InputError(f"two {what} are called {twice[:40]!r}; names must differ")


# --- Constructions as JSON documents ---------------------------------------------------------------------
# Written with a digest, and read with everything in them checked again.

FORMAT: Final = "consistency-lab/construction/1"

_KEYS: Final = (
    *("format", "digest", "matrix", "offsets", "dimensions", "constant", "alpha", "beta"),
    *("label_offsets", "prediction_offsets", "bound", "provenance"),
)
_PROVENANCE: Final = ("source", "citation", "tool", "version", "command")
_MOST: Final = 10**6


def construction_document(construction: Construction, provenance: Mapping[str, str]) -> dict[str, object]:
    """The document of a construction; docs/construct.md describes it."""
    matrix = construction.matrix
    document: dict[str, object] = {
        "format": FORMAT,
        "matrix": {
            "labels": list(matrix.labels),
            "predictions": list(matrix.predictions),
            "rows": _texts(matrix.rows),
        },
        "offsets": str(construction.offsets),
        "dimensions": {str(kind): d for kind, d in construction.dimensions.of.items()},
        "constant": rational_text(construction.dimensions.constant),
        "alpha": [[str(x) for x in vector] for vector in construction.factors.left],
        "beta": _texts(construction.factors.right),
        "label_offsets": [rational_text(x) for x in construction.label_offsets],
        "prediction_offsets": [rational_text(x) for x in construction.prediction_offsets],
        "bound": {
            "squared_distance": rational_text(construction.squared_distance),
            "predictions": [matrix.predictions[t] for t in construction.farthest],
        },
        "provenance": {key: provenance.get(key, "") for key in _PROVENANCE},
    }
    return {**document, "digest": digest(document)}


def read_construction(path: str | os.PathLike[str]) -> Construction:
    """Read a construction and check all of it: the digest, the identity, the dimensions and the bound."""
    document = read_json(path)
    name = os.fspath(path)
    with located(name):
        if not isinstance(document, dict) or document.get("format") != FORMAT:
            raise InputError(f'this is not a construction: it lacks the entry "format": "{FORMAT}"')
        construction = _read(document)
    try:
        if document["digest"] != digest(document):
            raise RejectedError("the digest does not match the document; the file was changed")
        construction.recheck()
    except RejectedError as error:
        raise RejectedError(f"{name}: {error}") from None
    return construction


def _read(document: dict[str, object]) -> Construction:
    fields = record(document, "the construction", _KEYS)
    text(fields["digest"], "digest")
    matrix = _matrix(fields["matrix"])
    dimensions = record(fields["dimensions"], "dimensions", tuple(map(str, Offsets)))
    of = {kind: integer(dimensions[kind], f"dimensions.{kind}", 0, _MOST) for kind in Offsets}
    kind = Offsets(one_of(fields["offsets"], "offsets", tuple(map(str, Offsets))))
    bound = record(fields["bound"], "bound", ("squared_distance", "predictions"))
    numbers = {prediction: number for number, prediction in enumerate(matrix.predictions)}
    first, second = (
        numbers[one_of(one, "bound.predictions", numbers.keys())]
        for one in row(bound["predictions"], "bound.predictions", 2)
    )
    for key, value in record(fields["provenance"], "provenance", _PROVENANCE).items():
        text(value, f"provenance.{key}")
    n, k = len(matrix.labels), len(matrix.predictions)
    alpha = _table(fields["alpha"], "alpha", n, of[kind])
    if any(x.denominator > 1 for vector in alpha for x in vector):
        raise InputError("alpha has an entry that is not an integer")
    return Construction(
        matrix,
        kind,
        Dimensions(MappingProxyType(of), fraction(fields["constant"], "constant")),
        Factors(
            tuple(tuple(map(int, vector)) for vector in alpha), _table(fields["beta"], "beta", k, of[kind])
        ),
        _list(fields["label_offsets"], "label_offsets", n),
        _list(fields["prediction_offsets"], "prediction_offsets", k),
        fraction(bound["squared_distance"], "bound.squared_distance"),
        (first, second),
    )


def _matrix(value: object) -> LossMatrix:
    fields = record(value, "matrix", ("labels", "predictions", "rows"))
    labels, predictions = (array(fields[key], f"matrix.{key}", text) for key in ("labels", "predictions"))
    for what, names in (("labels", labels), ("predictions", predictions)):
        if not names or len(set(names)) < len(names):
            raise InputError(f"matrix.{what} must be a list of distinct names, at least one")
    rows = _table(fields["rows"], "matrix.rows", len(labels), len(predictions))
    return LossMatrix(labels, predictions, rows)


def _table(value: object, where: str, height: int, width: int) -> tuple[tuple[Fraction, ...], ...]:
    return tuple(_list(entry, f"{where}[{y}]", width) for y, entry in enumerate(row(value, where, height)))


def _list(value: object, where: str, length: int) -> tuple[Fraction, ...]:
    return array(row(value, where, length), where, fraction)


def _texts(rows: Sequence[Sequence[Fraction]]) -> list[list[str]]:
    return [[rational_text(x) for x in vector] for vector in rows]
