"""The table of surrogate families. A new one is a reader and a line here."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from consistency_lab.core.reading import name, one_of, record
from consistency_lab.errors import InputError

from . import features, losses, relaxed
from .family import Family, FieldFamily, Reader
from .target import Target

FAMILIES: Final[Mapping[str, tuple[tuple[str, ...], Reader]]] = MappingProxyType(
    {
        "regression": (("f",), features.regression),
        "pair-square": (("weights",), features.pair_square),
        "ordinal": (("n",), features.ordinal),
        "softmax": (("labels",), features.softmax),
        "sigmoid": (("f",), features.sigmoid),
        "map-full": ((), features.map_full),
        "map-diagonal": ((), features.map_diagonal),
        "pd-least-squares": ((), features.pd_least_squares),
        "indicator": (("psi",), features.indicator),
        "smooth-positions": (("metric", "temperature"), relaxed.smooth_positions),
        "soft-pairs": (("normalized",), relaxed.soft_pairs),
        "factor": (("alpha", "beta", "offset"), features.factor),
        "pairs": (("phi", "weights", "normalized"), losses.pairs),
        "pair-absolute": (("normalized",), losses.pair_absolute),
        "list-mle": (("ties",), losses.list_mle),
        "unique-softmax": (("gain",), losses.unique_softmax),
        "crammer-singer": ((), losses.crammer_singer),
        "weston-watkins": ((), losses.weston_watkins),
        "lee-lin-wahba": ((), losses.lee_lin_wahba),
    }
)
"""Families by name: their keys apart from family and name, and the reader."""

FIELD: Final = "field"
"""The family of gradient fields; their keys are read where they are checked."""


def read_surrogate(value: object, where: str, target: Target) -> Family:
    """The ``surrogate`` entry; its name is free and stands for nothing.

    Raises
    ------
    InputError
        If the family is unknown or a parameter is not of the format.
    RejectedError
        If the family does not fit the target.

    Examples
    --------
    >>> from .targets import read_target
    >>> labels = {"kind": "grades", "items": 3, "grades": [0, 1, 2]}
    >>> task = read_target({"loss": "pairwise", "labels": labels}, "target")
    >>> entry = {"family": "softmax", "name": "listnet", "labels": "sum"}
    >>> list(map(str, read_surrogate(entry, "surrogate", task).features(task, (2, 0, 1))))
    ['2/3', '0', '1/3']
    """
    if not isinstance(value, dict) or "family" not in value:
        raise InputError(f"{where} must be an object with the key 'family'")
    family = one_of(value["family"], f"{where}.family", (*FAMILIES, FIELD))
    if family == FIELD:
        name(value.get("name"), f"{where}.name")
        return FieldFamily(value)
    keys, reader = FAMILIES[family]
    fields = record(value, where, ("family", "name", *keys))
    name(fields["name"], f"{where}.name")
    return reader(fields, target, where)
