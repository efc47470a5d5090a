"""Constructions as JSON documents: written with a digest, and read with everything in them checked again."""

import os
from collections.abc import Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from consistency_lab.core.fields import array, fraction, integer, one_of, record, row, text
from consistency_lab.data.text import located
from consistency_lab.errors import InputError, RejectedError
from consistency_lab.exact import rational_text
from consistency_lab.exact.factorization import Factors
from consistency_lab.files import digest, read_json
from consistency_lab.model.tasks.construction import Construction
from consistency_lab.model.tasks.dimension import Dimensions, Offsets
from consistency_lab.model.tasks.loss_matrix import LossMatrix

__all__ = ["FORMAT", "construction_document", "read_construction"]

FORMAT: Final = "consistency-lab/construction/1"

_KEYS: Final = (
    *("format", "digest", "matrix", "offsets", "dimensions", "constant", "alpha", "beta"),
    *("label_offsets", "prediction_offsets", "bound", "provenance"),
)
_PROVENANCE: Final = ("source", "citation", "tool", "version", "command")
_MOST: Final = 10**6


def construction_document(construction: Construction, provenance: Mapping[str, str]) -> dict[str, object]:
    """The document of a construction; docs/construct.md describes it.

    Parameters
    ----------
    construction
        What is written.
    provenance
        Texts for ``source``, ``citation``, ``tool``, ``version`` and ``command``; those left out are empty.
    """
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
    """Read a construction and check all of it: the digest, the identity, the dimensions and the bound.

    Raises
    ------
    InputError
        If the file is no document of this format.
    RejectedError
        If something that it says is false.
    """
    document = read_json(path)
    name = os.fspath(path)
    with located(name):
        if not isinstance(document, dict) or document.get("format") != FORMAT:
            raise InputError(f'this is not a construction: it lacks the entry "format": "{FORMAT}"')
        construction = _read(document)
    try:
        if document["digest"] != digest(document):
            raise RejectedError("the digest is not that of the document; the file was changed")
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
        raise InputError("alpha has an entry that is not an integer; all of its entries are integers")
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
            raise InputError(f"matrix.{what} must be a list of at least one name, all different")
    rows = _table(fields["rows"], "matrix.rows", len(labels), len(predictions))
    return LossMatrix(labels, predictions, rows)


def _table(value: object, where: str, height: int, width: int) -> tuple[tuple[Fraction, ...], ...]:
    return tuple(_list(entry, f"{where}[{y}]", width) for y, entry in enumerate(row(value, where, height)))


def _list(value: object, where: str, length: int) -> tuple[Fraction, ...]:
    return array(row(value, where, length), where, fraction)


def _texts(rows: Sequence[Sequence[Fraction]]) -> list[list[str]]:
    return [[rational_text(x) for x in vector] for vector in rows]
