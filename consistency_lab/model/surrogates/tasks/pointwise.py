"""Losses of one item at a time: regression, cross-entropy, ordinal thresholds."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Final, final

from consistency_lab.errors import InputError
from consistency_lab.model.surrogates.tasks.base import MeanSurrogate, check_grades, check_items, feature
from consistency_lab.model.tasks.labels import Grades, Label
from consistency_lab.model.tasks.task import Task

# --- Losses of one item at a time whose minimizer is a function of a mean --------------------------------

TARGETS: Final = ("grade", "gain")


@final
@dataclass(frozen=True)
class Sigmoid(MeanSurrogate):
    """Binary cross-entropy of sigmoid(u_i) against t_i = f_i / (largest f), item by item.

    Its minimizer is logit E t_i.

    Examples
    --------
    >>> from consistency_lab.model.tasks.catalogue import target
    >>> [str(x) for x in Sigmoid().features(target("ndcg"), (2, 0, 1))]
    ['1', '0', '1/2']
    """

    f: str = "grade"  #: "grade" or "gain".
    name: str = "sigmoid"
    decoder: str = "sort"
    family: ClassVar[str] = "sigmoid"
    link: ClassVar[str] = "logit"
    risk: ClassVar[str] = "sigmoids"
    citation: ClassVar[str] = "logistic regression, item by item"

    def __post_init__(self) -> None:
        if self.f not in TARGETS:
            raise InputError(f"sigmoid labels are {' or '.join(TARGETS)}, not {self.f!r}")

    @property
    def formula(self) -> str:
        """The loss."""
        return (
            f"- sum_i t_i log s(u_i) + (1 - t_i) log(1 - s(u_i)), t_i = {feature(self.f).formula} / largest"
        )

    def check(self, task: Task) -> None:
        check_grades(task, "the sigmoid loss")
        assert isinstance(task.space, Grades)
        if not any(feature(self.f).values(task, (task.space.grades[-1],) * task.space.m)):
            raise InputError(
                f"the sigmoid loss divides by the largest {self.f}, and that is 0 for {task.title}"
            )

    def features(self, task: Task, label: Label) -> tuple[Fraction, ...]:
        assert isinstance(task.space, Grades)
        values = feature(self.f).values
        largest = values(task, (task.space.grades[-1],) * task.space.m)[0]
        return tuple(x / largest for x in values(task, label))

    def describe(self, task: Task) -> dict[str, object]:
        return {"family": self.family, "name": self.name, "f": self.f}


# --- Least squares on a score of each item that the label gives (RAT13 Theorems 3 and 6) -----------------


@final
@dataclass(frozen=True)
class Regression(MeanSurrogate):
    """sum_i (u_i - f_i(y))^2; its minimizer is E f(y).

    Examples
    --------
    >>> from consistency_lab.model.tasks.catalogue import target
    >>> [str(x) for x in Regression("gain").features(target("ndcg"), (2, 0, 1))]
    ['3', '0', '1']
    """

    f: str = "gain"  #: A name of `features.FEATURES`.
    name: str = "regression"
    decoder: str = "sort"
    family: ClassVar[str] = "regression"
    citation: ClassVar[str] = "RAT13 Theorems 3 and 6; Cossock and Zhang 2008"

    def __post_init__(self) -> None:
        feature(self.f)

    @property
    def formula(self) -> str:
        """The loss."""
        return f"sum_i (u_i - f_i)^2, f_i = {feature(self.f).formula}"

    @property
    def scaled(self) -> bool:
        return feature(self.f).scaled

    def check(self, task: Task) -> None:
        chosen = feature(self.f)
        if chosen.graded:
            check_grades(task, f"regression on {self.f}")
        else:
            check_items(task, f"regression on {self.f}")

    def features(self, task: Task, label: Label) -> tuple[Fraction, ...]:
        return feature(self.f).values(task, label)

    def describe(self, task: Task) -> dict[str, object]:
        return {"family": self.family, "name": self.name, "f": self.f}


# --- Ordinal regression by thresholds: a chance of "grade at least k" for each k, added up to a score ----


@final
@dataclass(frozen=True)
class OrdinalSurrogate(MeanSurrogate):
    """Binary cross entropy of m K chances v_ik against 1(s_i >= k), items sorted by sum_k v_ik.

    Each chance is a head of the model behind a sigmoid, and the entropy is least at v_ik = P(s_i >= k) alone.
    The score is then sum_k P(s_i >= k) = E min(s_i, K): with K the largest grade it is the mean grade, so the
    surrogate is a mean family with f = grade.

    Examples
    --------
    >>> from consistency_lab.model.tasks.catalogue import target
    >>> OrdinalSurrogate().features(target("ndcg"), (2, 0, 1))
    (Fraction(2, 1), Fraction(0, 1), Fraction(1, 1))
    """

    name: str = "ordinal"  #: A short name.
    n: int | None = None  #: The number K of thresholds; the largest grade if None.
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
