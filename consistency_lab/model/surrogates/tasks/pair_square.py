"""Squared error of score differences over all pairs of items."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Final, final

from consistency_lab.errors import InputError
from consistency_lab.model.surrogates.tasks.base import MeanSurrogate
from consistency_lab.model.surrogates.tasks.features import check_grades, feature
from consistency_lab.model.tasks.labels import Label
from consistency_lab.model.tasks.task import Task

_WEIGHTS: Final = ("grade", "gain")


@final
@dataclass(frozen=True)
class PairSquareSurrogate(MeanSurrogate):
    """sum_{i<j} ((f_i - f_j) - (u_i - u_j))^2, with f the grades or the gains.

    Completing the square pair by pair leaves sum_{i<j} ((E f_i - E f_j) - (u_i - u_j))^2, which is zero where
    u = E f up to a constant: sorted, the minimizers are those of regression on f.

    Parameters
    ----------
    name
        A short name.
    weights
        "grade" or "gain".

    Raises
    ------
    InputError
        If `weights` is neither.

    Examples
    --------
    >>> from consistency_lab.model.tasks.catalogue import target
    >>> PairSquareSurrogate(weights="gain").features(target("ndcg"), (2, 0, 1))
    (Fraction(3, 1), Fraction(0, 1), Fraction(1, 1))
    """

    name: str = "pair-square"
    weights: str = "grade"
    formula = "sum_{i<j} ((f_i - f_j) - (u_i - u_j))^2"
    citation = "Pahikkala et al. 2007 (pairwise regularized least squares)"
    decoder = "sort"
    risk = "pair-squares"

    def __post_init__(self) -> None:
        if self.weights not in _WEIGHTS:
            raise InputError(
                f"the weights {self.weights!r} of {self.name} are not known; they are {' or '.join(_WEIGHTS)}"
            )

    def check(self, task: Task) -> None:
        check_grades(task, f"the surrogate {self.name}")

    def features(self, task: Task, label: Label) -> tuple[Fraction, ...]:
        return feature(self.weights).values(task, label)

    def describe(self, task: Task) -> dict[str, object]:
        return {"family": "pair-square", "name": self.name, "weights": self.weights}
