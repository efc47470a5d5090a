"""Ordinal regression by thresholds: a chance of "grade at least k" for each k, added up to a score."""

from dataclasses import dataclass
from fractions import Fraction
from typing import final

from consistency_lab.errors import InputError
from consistency_lab.model.surrogates.tasks.base import MeanSurrogate
from consistency_lab.model.surrogates.tasks.features import check_grades
from consistency_lab.model.tasks.labels import Label
from consistency_lab.model.tasks.task import Task


@final
@dataclass(frozen=True)
class OrdinalSurrogate(MeanSurrogate):
    """Binary cross entropy of m K chances v_ik against 1(s_i >= k), items sorted by sum_k v_ik.

    Each chance is a head of the model behind a sigmoid, and the entropy is least at v_ik = P(s_i >= k) alone.
    The score is then sum_k P(s_i >= k) = E min(s_i, K): with K the largest grade it is the mean grade, so the
    surrogate is a mean family with f = grade.

    Parameters
    ----------
    name
        A short name.
    n
        The number K of thresholds; the largest grade if None.

    Examples
    --------
    >>> from consistency_lab.model.tasks.catalogue import target
    >>> OrdinalSurrogate().features(target("ndcg"), (2, 0, 1))
    (Fraction(2, 1), Fraction(0, 1), Fraction(1, 1))
    """

    name: str = "ordinal"
    n: int | None = None
    formula = "- sum_i sum_k 1(s_i >= k) log v_ik + 1(s_i < k) log(1 - v_ik), scores sum_k v_ik"
    citation = "Niu et al. 2016; Pobrotyn et al. 2020 (allRank)"
    decoder = "sort"
    risk = "chances"

    def check(self, task: Task) -> None:
        check_grades(task, f"the surrogate {self.name}")
        if self.n is not None and self.n < 1:
            raise InputError(f"the surrogate {self.name} has {self.n} thresholds; it must have at least 1")

    def features(self, task: Task, label: Label) -> tuple[Fraction, ...]:
        top = self.thresholds(task)
        return tuple(Fraction(min(grade, top)) for grade in label)

    def thresholds(self, task: Task) -> int:
        """K."""
        return max(map(max, task.space.labels)) if self.n is None else self.n

    def describe(self, task: Task) -> dict[str, object]:
        return {"family": "ordinal", "name": self.name, "n": self.thresholds(task)}
