"""Least squares on a factor of the loss, decoded through the other factor (RAT13 Theorem 3, §6 and §7)."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from typing import ClassVar, Final, final

from consistency_lab.errors import InputError
from consistency_lab.model.surrogates.tasks.base import MeanSurrogate
from consistency_lab.model.tasks.average_precision import AveragePrecision
from consistency_lab.model.tasks.kendall import Kendall
from consistency_lab.model.tasks.labels import Label
from consistency_lab.model.tasks.pairwise import PairwiseDisagreement
from consistency_lab.model.tasks.task import Prediction, Task

_ZERO: Final = Fraction(0)
_ONE: Final = Fraction(1)


class FactorSurrogate(MeanSurrogate):
    """A regression on vectors alpha_y with a decoder that may minimize <u, beta_t> + b_t."""

    @abstractmethod
    def column(self, task: Task, prediction: Prediction) -> tuple[tuple[Fraction, ...], Fraction]:
        """beta_t and b_t."""


class PairFactor(FactorSurrogate, ABC):
    """One u_ij for each i != j: a ranking costs the sum of the u_ij of which it puts j first."""

    def coordinates(self, task: Task) -> tuple[str, ...]:
        return tuple(f"{i + 1},{j + 1}" for i, j in permutations(range(task.space.m), 2))

    def column(self, task: Task, prediction: Prediction) -> tuple[tuple[Fraction, ...], Fraction]:
        place = {item: position for position, item in enumerate(prediction)}
        pairs = permutations(range(task.space.m), 2)
        return tuple(_ONE if place[i] > place[j] else _ZERO for i, j in pairs), _ZERO


@final
@dataclass(frozen=True)
class MapRegression(FactorSurrogate):
    """sum over i <= j of (u_ij - y_i y_j / sum y)^2 (RAT13 §6); y = 0 is regressed on 0.

    The decoder "linear" solves the quadratic assignment max over rankings of sum_{i<=j} u_ij / max(positions)
    by listing the rankings; "diagonal" sorts u_ii (RAT13's predMAP).

    Examples
    --------
    >>> from consistency_lab.model.tasks.catalogue import target
    >>> [str(x) for x in MapRegression().features(target("map", items=2), (1, 1))]
    ['1/2', '1/2', '1/2']
    """

    name: str = "map-full"
    decoder: str = "linear"
    family: ClassVar[str] = "map-full"
    formula: ClassVar[str] = "sum_{i<=j} (u_ij - y_i y_j / sum y)^2"
    citation: ClassVar[str] = "RAT13 §6"

    def check(self, task: Task) -> None:
        _check_map(task, self.name)

    def coordinates(self, task: Task) -> tuple[str, ...]:
        m = task.space.m
        return tuple(f"{i + 1},{j + 1}" for i in range(m) for j in range(i, m))

    def features(self, task: Task, label: Label) -> tuple[Fraction, ...]:
        m, total = task.space.m, sum(label)
        return tuple(
            Fraction(label[i] * label[j], total) if total else _ZERO for i in range(m) for j in range(i, m)
        )

    def column(self, task: Task, prediction: Prediction) -> tuple[tuple[Fraction, ...], Fraction]:
        m = task.space.m
        place = {item: position for position, item in enumerate(prediction, start=1)}
        return tuple(-Fraction(1, max(place[i], place[j])) for i in range(m) for j in range(i, m)), _ONE

    def describe(self, task: Task) -> dict[str, object]:
        return {"family": self.family, "name": self.name}


@final
@dataclass(frozen=True)
class MapDiagonal(MeanSurrogate):
    """sum_i (u_i - y_i / sum y)^2, sorted (RAT13 Corollary 5); y = 0 is regressed on 0.

    Examples
    --------
    >>> from consistency_lab.model.tasks.catalogue import target
    >>> [str(x) for x in MapDiagonal().features(target("map"), (1, 0, 1))]
    ['1/2', '0', '1/2']
    """

    name: str = "map-diagonal"
    decoder: str = "sort"
    family: ClassVar[str] = "map-diagonal"
    formula: ClassVar[str] = "sum_i (u_i - y_i / sum y)^2"
    citation: ClassVar[str] = "RAT13 Corollary 5"

    def check(self, task: Task) -> None:
        _check_map(task, self.name)

    def features(self, task: Task, label: Label) -> tuple[Fraction, ...]:
        total = sum(label)
        return tuple(Fraction(y, total) if total else _ZERO for y in label)

    def describe(self, task: Task) -> dict[str, object]:
        return {"family": self.family, "name": self.name}


@final
@dataclass(frozen=True)
class PairRegression(PairFactor):
    """sum over i != j of (u_ij - y_ij)^2 (RAT13 Eq. 1).

    The decoder "linear" solves the minimum feedback arc set by listing the rankings; "algorithm-1" drops the
    lightest edges until the rest is acyclic.

    Examples
    --------
    >>> from consistency_lab.model.tasks.catalogue import target
    >>> [str(x) for x in PairRegression().features(target("pairwise", items=2), (0, 2))]
    ['0', '1']
    """

    name: str = "pd-least-squares"
    decoder: str = "linear"
    family: ClassVar[str] = "pd-least-squares"
    formula: ClassVar[str] = "sum_{i!=j} (u_ij - y_ij)^2"
    citation: ClassVar[str] = "RAT13 Eq. 1"

    def check(self, task: Task) -> None:
        if not isinstance(task, PairwiseDisagreement | Kendall):
            raise InputError(f"{self.name} regresses on preferences between items; its target is pairwise")

    def features(self, task: Task, label: Label) -> tuple[Fraction, ...]:
        weights = {(i, j): w for i, j, w in task.space.preferences(label)}
        return tuple(weights.get(pair, _ZERO) for pair in permutations(range(task.space.m), 2))

    def describe(self, task: Task) -> dict[str, object]:
        return {"family": self.family, "name": self.name}


def _check_map(task: Task, name: str) -> None:
    if not isinstance(task, AveragePrecision):
        raise InputError(f"{name} regresses on y_i y_j / sum y for labels of 0 and 1; its target is map")
