"""The gradient fields that the kernel knows: ranking objectives of libraries, read from a file.

The parameters carry the names and the meaning that the libraries give them (docs/fields.md).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Final, Protocol, final

from consistency_lab.core.numbers import same
from consistency_lab.core.reading import array, boolean, fraction, integer, one_of, record, text
from consistency_lab.errors import InputError, RejectedError
from consistency_lab.exact import Ball

from .field_pairs import PairField, Pull, Weight, average_precision, ndcg, one
from .field_shares import ShareField
from .field_smooth import LOSSES
from .labels import Label

Entry = Mapping[str, object]

_HIGHEST: Final = 30
_MOST: Final = 2**31 - 1


class Forces(Protocol):
    """What makes a gradient of a label, a strict ranking and scores that it sorts."""

    def pull(self, label: Label, ranking: Sequence[int], scores: Sequence[Ball]) -> Pull:
        """The gradient and its Jacobian, enclosed."""


@final
@dataclass(frozen=True, slots=True)
class Field:
    """A field and the highest grade that its objective takes."""

    forces: Forces
    highest: int

    def check_label(self, label: Label, m: int) -> None:
        """Refuse what is not m grades (InputError), or grades that it does not take (RejectedError)."""
        if len(label) != m:
            raise InputError(f"the label {label} must be {m} grades")
        if not all(0 <= grade <= self.highest for grade in label):
            raise RejectedError(f"the field takes grades from 0 to {self.highest}, not {label}")


def read_field(entry: Entry, where: str = "surrogate") -> Field:
    """The field of a ``surrogate`` entry.

    Raises
    ------
    InputError
        If the objective is not known, or its parameters are not right.
    RejectedError
        If it is called by the name of another one.
    """
    library = one_of(entry.get("library"), f"{where}.library", {name for name, _ in OBJECTIVES})
    known = [objective for name, objective in OBJECTIVES if name == library]
    objective = one_of(entry.get("objective"), f"{where}.objective", known)
    keys, highest, read = OBJECTIVES[library, objective]
    record(dict(entry), where, ("family", "name", "library", "objective", *keys))
    one_of(entry["family"], f"{where}.family", ("field",))
    same("the name of the field", text(entry["name"], f"{where}.name"), f"{library}:{objective}")
    forces, limit = read(entry, where)
    return Field(forces, highest if limit is None else limit)


Reader = Callable[[Entry, str], tuple[Forces, int | None]]
"""The forces, and the highest grade where the parameters limit it."""


def _xgboost(weight: Weight) -> Reader:
    def read(entry: Entry, where: str) -> tuple[Forces, None]:
        method = one_of(entry["lambdarank_pair_method"], f"{where}.lambdarank_pair_method", ("topk", "mean"))
        number = integer(
            entry["lambdarank_num_pair_per_sample"], f"{where}.lambdarank_num_pair_per_sample", 1, _MOST
        )
        normalized = boolean(entry["lambdarank_normalization"], f"{where}.lambdarank_normalization")
        powers = boolean(entry.get("ndcg_exp_gain", True), f"{where}.ndcg_exp_gain")
        sampled = method == "mean"
        forces = PairField(
            weight=weight,
            gain=_power if powers else Fraction,
            depth=None if sampled else number,
            ideal=_MOST if sampled else number,
            steepness=Fraction(1),
            by_score=boolean(
                entry["lambdarank_score_normalization"], f"{where}.lambdarank_score_normalization"
            ),
            by_sum=normalized and not sampled,
            # Each item draws `number` partners; the normalization divides by that number.
            factor=Fraction(number) if sampled and not normalized else Fraction(1),
        )
        return forces, None

    return read


def _lambdarank(entry: Entry, where: str) -> tuple[Forces, int | None]:
    gains = _gains(entry["label_gain"], f"{where}.label_gain")
    steepness = fraction(entry["sigmoid"], f"{where}.sigmoid")
    if steepness <= 0:
        raise InputError(f"{where}.sigmoid is {steepness}; it must be positive")
    depth = integer(entry["lambdarank_truncation_level"], f"{where}.lambdarank_truncation_level", 1, _MOST)
    normalized = boolean(entry["lambdarank_norm"], f"{where}.lambdarank_norm")
    forces = PairField(
        weight=ndcg,
        gain=_power if gains is None else gains.__getitem__,
        depth=depth,
        ideal=depth,
        steepness=steepness,
        by_score=normalized,
        by_sum=normalized,
        factor=Fraction(1),
    )
    return forces, None if gains is None else len(gains) - 1


def _xendcg(entry: Entry, where: str) -> tuple[Forces, None]:
    return ShareField(), None


def _gains(value: object, where: str) -> tuple[Fraction, ...] | None:
    """The gain of each grade; an empty list stands for 2^grade - 1, as it does for LightGBM."""
    gains = array(value, where, fraction)
    if not gains:
        return None
    if len(gains) < 2 or gains[0] < 0 or list(gains) != sorted(gains):
        raise InputError(f"{where} must be empty, or two or more numbers from 0 on that do not fall")
    return gains


def _power(grade: int) -> Fraction:
    return Fraction(2**grade - 1)


_XGBOOST: Final = (
    "lambdarank_pair_method",
    "lambdarank_num_pair_per_sample",
    "lambdarank_normalization",
    "lambdarank_score_normalization",
)

OBJECTIVES: Final[Mapping[tuple[str, str], tuple[tuple[str, ...], int, Reader]]] = MappingProxyType(
    {
        ("xgboost", "rank:pairwise"): (_XGBOOST, _HIGHEST, _xgboost(one)),
        ("xgboost", "rank:ndcg"): ((*_XGBOOST, "ndcg_exp_gain"), _HIGHEST, _xgboost(ndcg)),
        ("xgboost", "rank:map"): (_XGBOOST, 1, _xgboost(average_precision)),
        ("lightgbm", "lambdarank"): (
            ("sigmoid", "lambdarank_norm", "lambdarank_truncation_level", "label_gain"),
            _HIGHEST,
            _lambdarank,
        ),
        ("lightgbm", "rank_xendcg"): ((), _HIGHEST, _xendcg),
        **LOSSES,
    }
)
"""Objectives by library and name: the names of their parameters, the highest grade, the reader."""
