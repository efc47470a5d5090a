"""Losses of one item at a time whose minimizer is a function of a mean."""

from fractions import Fraction

from consistency_lab.errors import InputError
from consistency_lab.frozen import frozen
from consistency_lab.model.surrogates.tasks.base import FEATURES, WORTH, Family, MeanSurrogate
from consistency_lab.model.tasks.labels import Grades, Label
from consistency_lab.model.tasks.task import Task


@frozen
class Regression(MeanSurrogate):
    """sum_i (u_i - f_i(y))^2; its minimizer is E f(y).

    Examples
    --------
    >>> from consistency_lab.model.tasks.catalogue import target
    >>> [str(x) for x in Regression("gain").features(target("ndcg"), (2, 0, 1))]
    ['3', '0', '1']
    """

    f: str = "gain"  #: A name of `base.FEATURES`.
    name: str = "regression"
    family = Family(
        "regression",
        "sum_i (u_i - f_i)^2, f_i = {f}",
        "RAT13 Theorems 3 and 6; Cossock and Zhang 2008",
        {"f": FEATURES},
    )

    def features(self, task: Task, label: Label) -> tuple[Fraction, ...]:
        return tuple(FEATURES[self.f].values(task, label))


@frozen
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
    family = Family(
        "sigmoid",
        "- sum_i t_i log s(u_i) + (1 - t_i) log(1 - s(u_i)), t_i = {f} / largest",
        "logistic regression, item by item",
        {"f": WORTH},
        link="logit",
        risk="sigmoids",
    )

    def check(self, task: Task) -> None:
        MeanSurrogate.check(self, task)
        if not self._largest(task):
            raise InputError(
                f"the sigmoid loss divides by the largest {self.f}, and that is 0 for {task.title}"
            )

    def features(self, task: Task, label: Label) -> tuple[Fraction, ...]:
        largest = self._largest(task)
        return tuple(x / largest for x in FEATURES[self.f].values(task, label))

    def _largest(self, task: Task) -> Fraction:
        assert isinstance(task.space, Grades)
        return Fraction(FEATURES[self.f].values(task, (task.space.grades[-1],) * task.space.m)[0])


@frozen
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

    name: str = "ordinal"
    n: int | None = None  #: The number K of thresholds; the largest grade if None.
    family = Family(
        "ordinal",
        "- sum_i sum_k 1(s_i >= k) log v_ik + 1(s_i < k) log(1 - v_ik), scores sum_k v_ik",
        "Niu et al. 2016; Pobrotyn et al. 2020 (allRank)",
        risk="chances",
    )

    def check(self, task: Task) -> None:
        MeanSurrogate.check(self, task)
        if self.n is not None and self.n < 1:
            raise InputError(f"the surrogate {self.name} has {self.n} thresholds; it must have at least 1")

    def features(self, task: Task, label: Label) -> tuple[Fraction, ...]:
        return tuple(Fraction(min(grade, self.thresholds(task))) for grade in label)

    def thresholds(self, task: Task) -> int:
        """K."""
        return max(map(max, task.space.labels)) if self.n is None else self.n

    def describe(self, task: Task) -> dict[str, object]:
        return {"family": self.family.name, "name": self.name, "n": self.thresholds(task)}
