"""Least squares on a factor of the loss, decoded through the other factor (RAT13 Theorem 3)."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from itertools import combinations_with_replacement, permutations
from typing import Final

from consistency_lab.errors import InputError
from consistency_lab.frozen import frozen
from consistency_lab.model.labels import Label
from consistency_lab.model.surrogates.families import Family
from consistency_lab.model.surrogates.tasks.base import MeanSurrogate
from consistency_lab.model.tasks.construction import construct
from consistency_lab.model.tasks.discrete import Kendall, PairwiseDisagreement, matrix_of
from consistency_lab.model.tasks.positional import AveragePrecision
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


@frozen
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
    family = Family(
        "map-full", "sum_(i<=j) (u_ij - y_i y_j / sum y)^2", "RAT13 §6", targets=(AveragePrecision,)
    )

    def coordinates(self, task: Task) -> tuple[str, ...]:
        return tuple(f"{i + 1},{j + 1}" for i, j in _halves(task))

    def features(self, task: Task, label: Label) -> tuple[Fraction, ...]:
        return tuple(Fraction(label[i] * label[j], sum(label) or 1) for i, j in _halves(task))

    def column(self, task: Task, prediction: Prediction) -> tuple[tuple[Fraction, ...], Fraction]:
        place = {item: position for position, item in enumerate(prediction, start=1)}
        return tuple(-Fraction(1, max(place[i], place[j])) for i, j in _halves(task)), _ONE


def _halves(task: Task) -> Iterator[tuple[int, int]]:
    return combinations_with_replacement(range(task.space.m), 2)


@frozen
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
    family = Family(
        "pd-least-squares",
        "sum_(i!=j) (u_ij - y_ij)^2",
        "RAT13 Eq. 1",
        kinds=("grades", "rankings", "dags"),
        targets=(PairwiseDisagreement, Kendall),
    )

    def features(self, task: Task, label: Label) -> tuple[Fraction, ...]:
        weights = {(i, j): w for i, j, w in task.space.preferences(label)}
        return tuple(weights.get(pair, _ZERO) for pair in permutations(range(task.space.m), 2))


# --- The surrogate that RAT13 Theorem 3 constructs for any exact loss ------------------------------------

LARGEST: Final = 20_000
"""Losses, labels times predictions, up to which the factorization is made on the way."""


Rows = tuple[tuple[Fraction, ...], ...]


@frozen
class Constructed(FactorSurrogate):
    """Least squares on vectors alpha_y, decoded by the least <u, beta_t> + b_t.

    They are given, or else those of the factorization of least dimension, <alpha_y, beta_t> + b_t + c_y.

    Examples
    --------
    >>> from consistency_lab.model.labels import Rows
    >>> from consistency_lab.model.tasks.discrete import MatrixTask
    >>> rows = ((Fraction(0), Fraction(1)), (Fraction(3), Fraction(0)))
    >>> task = MatrixTask(Rows(("good", "bad")), ("keep", "drop"), rows)
    >>> Constructed().coordinates(task)
    ('1',)
    """

    name: str = "constructed"
    #: alpha_y by label, beta_t and b_t by prediction; all are empty where the loss is factored.
    alpha: Rows = ()
    beta: Rows = ()
    offset: tuple[Fraction, ...] = ()
    decoder = "linear"
    family = Family("factor", "sum_i (u_i - alpha_yi)^2", "RAT13 Theorem 3")

    @property
    def formula(self) -> str:
        return self.family.formula + ("" if self.alpha else ", loss = <alpha_y, beta_t> + b_t + c_y")

    def check(self, task: Task) -> None:
        labels, predictions = len(task.space.labels), len(task.predictions)
        if self.alpha:
            if (len(self.alpha), len(self.beta), len(self.offset)) != (labels, predictions, predictions):
                raise InputError("a factor needs one alpha a label, and one beta and one offset a prediction")
            if len({len(row) for row in (*self.alpha, *self.beta)}) != 1:
                raise InputError("the vectors alpha and beta of a factor differ in length")
        elif not task.rational:
            raise InputError(
                f"{self.name} factors exact losses, and those of {task.title} are irrational here; "
                "give a rational discount, such as j"
            )
        elif labels * predictions > LARGEST:
            raise InputError(
                f"{task.title} has {labels * predictions} losses here, and {self.name} factors up to "
                f"{LARGEST}; ask construct, which takes its time, or for fewer items or grades"
            )

    def coordinates(self, task: Task) -> tuple[str, ...]:
        return tuple(str(k + 1) for k in range(len(self._of(task).alpha[0])))

    def features(self, task: Task, label: Label) -> tuple[Fraction, ...]:
        return self._of(task).alpha[_numbers(task)[0][label]]

    def column(self, task: Task, prediction: Prediction) -> tuple[tuple[Fraction, ...], Fraction]:
        given, number = self._of(task), _numbers(task)[1][prediction]
        return given.beta[number], given.offset[number]

    def describe(self, task: Task) -> dict[str, object]:
        return {**FactorSurrogate.describe(self, task), **self._of(task).values()}

    def _of(self, task: Task) -> "Constructed":
        if self.alpha:
            return self
        self.check(task)
        return _factored(task)


@lru_cache(maxsize=4)
def _numbers(task: Task) -> tuple[Mapping[Label, int], Mapping[Prediction, int]]:
    """Where each label and each prediction stands."""
    labels, predictions = enumerate(task.space.labels), enumerate(task.predictions)
    return {label: k for k, label in labels}, {prediction: k for k, prediction in predictions}


@lru_cache(maxsize=4)
def _factored(task: Task) -> Constructed:
    found = construct(matrix_of(task))
    alpha, beta = (
        tuple(tuple(map(Fraction, row)) for row in rows) for rows in (found.factors.left, found.factors.right)
    )
    return Constructed("constructed", alpha, beta, found.prediction_offsets)
