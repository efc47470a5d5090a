"""A surrogate of a task from its description: the ``surrogate`` entry of a file, read back."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from types import MappingProxyType
from typing import ClassVar, Final, final

from consistency_lab.errors import InputError
from consistency_lab.model.surrogates.tasks.base import TaskSurrogate
from consistency_lab.model.surrogates.tasks.indicator import Indicator
from consistency_lab.model.surrogates.tasks.libraries.building import BUILDERS, Parameters
from consistency_lab.model.surrogates.tasks.low_rank import (
    FactorSurrogate,
    MapDiagonal,
    MapRegression,
    PairRegression,
)
from consistency_lab.model.surrogates.tasks.multiclass import CrammerSinger, LeeLinWahba, WestonWatkins
from consistency_lab.model.tasks.described import integer, matrix, text
from consistency_lab.model.tasks.labels import Label
from consistency_lab.model.tasks.task import Prediction, Task

Rows = tuple[tuple[Fraction, ...], ...]


@final
@dataclass(frozen=True)
class GivenFactor(FactorSurrogate):
    """Least squares on vectors alpha_y that are given, decoded by the least <u, beta_t> + b_t.

    Parameters
    ----------
    alpha, beta, offset
        alpha_y by label, beta_t and b_t by prediction.
    """

    alpha: Rows
    beta: Rows
    offset: tuple[Fraction, ...]
    name: str = "factor"
    decoder: str = "linear"
    family: ClassVar[str] = "factor"
    formula: ClassVar[str] = "sum_i (u_i - alpha_yi)^2"
    citation: ClassVar[str] = "RAT13 Theorem 3"

    def check(self, task: Task) -> None:
        count = len(task.predictions)
        sizes = (len(self.alpha), len(self.beta), len(self.offset))
        if sizes != (len(task.space.labels), count, count):
            raise InputError("a factor needs one alpha a label, and one beta and one offset a prediction")
        if len({len(row) for row in (*self.alpha, *self.beta)}) != 1:
            raise InputError("the vectors alpha and beta of a factor differ in length")

    def coordinates(self, task: Task) -> tuple[str, ...]:
        return tuple(str(k + 1) for k in range(len(self.alpha[0])))

    def features(self, task: Task, label: Label) -> tuple[Fraction, ...]:
        return self.alpha[task.space.labels.index(label)]

    def column(self, task: Task, prediction: Prediction) -> tuple[tuple[Fraction, ...], Fraction]:
        number = task.predictions.index(prediction)
        return self.beta[number], self.offset[number]

    def describe(self, task: Task) -> dict[str, object]:
        return {
            "family": self.family,
            "name": self.name,
            "alpha": [list(map(str, row)) for row in self.alpha],
            "beta": [list(map(str, row)) for row in self.beta],
            "offset": list(map(str, self.offset)),
        }


def described_surrogate(entry: object, decoder: str) -> TaskSurrogate | None:
    """The surrogate that describes itself so; None if its family, or a parameter of it, is not known here.

    Parameters
    ----------
    entry
        ``family``, ``name`` and the parameters.
    decoder
        How its scores are decoded.

    Raises
    ------
    InputError
        If it is known and a part of it is not right.

    Examples
    --------
    >>> entry = {"family": "softmax", "name": "listnet", "labels": "exp"}
    >>> described_surrogate(entry, "sort").formula
    '- sum_i P_i log(exp(u_i) / sum_j exp(u_j)), P_i = exp(y_i) / sum exp(y)'
    """
    if not isinstance(entry, Mapping) or not isinstance(entry.get("family"), str):
        raise InputError("a surrogate is an object with the texts 'family' and 'name', and its parameters")
    family, name = str(entry["family"]), text(entry.get("name"), "the name of a surrogate")
    given = {key: value for key, value in entry.items() if key not in ("family", "name")}
    if family in _FAMILIES:
        keys, build = _FAMILIES[family]
        if given.keys() != set(keys):
            return None
        found = build(name, given)
    elif family in BUILDERS:
        found = _built(family, name, given)
    else:
        return None
    if isinstance(found, MapRegression | PairRegression):
        return replace(found, decoder=decoder)
    return found


def _built(family: str, name: str, given: Mapping[str, object]) -> TaskSurrogate:
    parameters: dict[str, str | int | None] = {}
    for key, value in given.items():
        if isinstance(value, bool) or not isinstance(value, str | int | None):
            raise InputError(f"the parameter {key} of a surrogate must be a text or a whole number")
        parameters[key] = integer(value, key) if isinstance(value, int) else value
    build: Callable[[str, Parameters], TaskSurrogate] = BUILDERS[family]
    try:
        return build(name, parameters)
    except (KeyError, ValueError, ZeroDivisionError):
        raise InputError(f"the parameters {', '.join(given)} do not make a surrogate of {family}") from None


def _factor(name: str, given: Mapping[str, object]) -> TaskSurrogate:
    alpha, beta = (matrix(given[key], key) for key in ("alpha", "beta"))
    (offset,) = matrix([given["offset"]], "offset")
    return GivenFactor(alpha, beta, offset, name)


def _named(kind: Callable[[], TaskSurrogate]) -> Callable[[str, Mapping[str, object]], TaskSurrogate]:
    return lambda name, given: kind()


_FAMILIES: Final[
    Mapping[str, tuple[tuple[str, ...], Callable[[str, Mapping[str, object]], TaskSurrogate]]]
] = MappingProxyType(
    {
        "indicator": (("psi",), lambda name, given: Indicator(text(given["psi"], "psi"), name)),
        "factor": (("alpha", "beta", "offset"), _factor),
        "map-full": ((), lambda name, given: MapRegression(name)),
        "map-diagonal": ((), lambda name, given: MapDiagonal(name)),
        "pd-least-squares": ((), lambda name, given: PairRegression(name)),
        "crammer-singer": ((), _named(CrammerSinger)),
        "weston-watkins": ((), _named(WestonWatkins)),
        "lee-lin-wahba": ((), _named(LeeLinWahba)),
    }
)
"""Families that no library has: their parameters, and how one is built."""
