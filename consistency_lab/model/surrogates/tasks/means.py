"""Families with a known minimizer: a strictly increasing function of each coordinate of E f(y)."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations_with_replacement, permutations
from types import MappingProxyType
from typing import Final

from consistency_lab.errors import InputError
from consistency_lab.frozen import frozen
from consistency_lab.model.labels import Grades, Label
from consistency_lab.model.surrogates.families import Choice, Family
from consistency_lab.model.surrogates.tasks.base import (
    FEATURES,
    NORMALIZED,
    WORTH,
    MeanSurrogate,
    gains,
    grades,
)
from consistency_lab.model.tasks.discrete import Kendall, PairwiseDisagreement, Rows, matrix_of
from consistency_lab.model.tasks.positional import DISCOUNT, AveragePrecision, discounts_of
from consistency_lab.model.tasks.task import PRECISION, Prediction, Task, combination
from consistency_lab.numbers.exact import ONE, ZERO, working_precision
from consistency_lab.numbers.phi import build, number
from consistency_lab.numbers.tape import Number, Real

# --- One item, or one pair of items, at a time ---


@frozen
class Regression(MeanSurrogate):
    """sum_i (u_i - f_i(y))^2; its minimizer is E f(y)."""

    f: str = "gain"  #: A name of `base.FEATURES`.
    name: str = "regression"
    family = Family(
        "regression",
        "sum_i (u_i - f_i)^2, f_i = {f}",
        "RAT13 Theorems 3 and 6; Cossock and Zhang 2008",
        {"f": FEATURES},
    )


@frozen
class Sigmoid(MeanSurrogate):
    """Cross-entropies of sigmoid(u_i) and t_i = f_i / (largest f); the minimizer is logit E t_i."""

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
    """Cross entropies of chances v_ik and 1(s_i >= k), k <= K; the scores sum_k v_ik become E min(s_i, K)."""

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


@frozen
class PairSquareSurrogate(MeanSurrogate):
    """sum_{i<j} ((f_i - f_j) - (u_i - u_j))^2, least where u = E f up to a constant."""

    name: str = "pair-square"
    weights: str = "grade"  #: "grade" or "gain".
    family = Family(
        "pair-square",
        "sum_(i<j) ((f_i - f_j) - (u_i - u_j))^2, f_i = {weights}",
        "Pahikkala et al. 2007 (pairwise regularized least squares)",
        {"weights": WORTH},
        risk="pair-squares",
    )


@frozen
class MapDiagonal(MeanSurrogate):
    """sum_i (u_i - y_i / sum y)^2, sorted (RAT13 Corollary 5); y = 0 is regressed on 0."""

    name: str = "map-diagonal"
    family = Family(
        "map-diagonal", "sum_i (u_i - y_i / sum y)^2", "RAT13 Corollary 5", targets=(AveragePrecision,)
    )

    def features(self, task: Task, label: Label) -> tuple[Real, ...]:
        return _shares(grades(task, label))


# --- Softmax cross-entropy over the items of a list (ListNet and its relatives) --------------------------


def _shares(values: Sequence[Fraction]) -> tuple[Real, ...]:
    total = sum(values)
    return tuple(x / total if total else Fraction(0) for x in values)


def _exponential(task: Task, label: Label) -> tuple[Real, ...]:
    if len(set(label)) == 1:
        return (Fraction(1, len(label)),) * len(label)
    with working_precision(PRECISION):
        powers = [Number.of(build("exp", number(x))) if x else Fraction(1) for x in grades(task, label)]
        total = sum(powers, Fraction(0))
        return tuple(x / total for x in powers)


NORMALIZATIONS: Final[Mapping[str, Choice]] = MappingProxyType(
    {
        "sum": Choice("y_i / sum y", lambda task, y: _shares(grades(task, y))),
        "exp": Choice("exp(y_i) / sum exp(y)", _exponential),
        "none": Choice("y_i", grades),
        "gain-sum": Choice("G(y_i) / sum G(y)", lambda task, y: _shares(gains(task, y))),
        "gain-none": Choice("G(y_i)", gains),
    }
)
"""The weights P_i(y)."""


@frozen
class Softmax(MeanSurrogate):
    """- sum_i P_i(y) log softmax_i(u); its minimizer is log E P up to a constant, perhaps -infinity."""

    labels: str = "sum"  #: A name of `NORMALIZATIONS`.
    name: str = "softmax"
    family = Family(
        "softmax",
        "- sum_i P_i log(exp(u_i) / sum_j exp(u_j)), P_i = {labels}",
        "Cao, Qin, Liu, Tsai and Li 2007 (ListNet)",
        {"labels": NORMALIZATIONS},
        link="log",
        risk="softmax",
        by_grades=True,
    )


# --- Multiclass losses that estimate the probabilities of the classes ---


def _indicator(task: Task, label: Label) -> tuple[Fraction, ...]:
    return tuple(Fraction(label == (k,)) for k in range(task.space.m))


def _loss(formula: str, link: str, risk: str, citation: str = "Zhang 2004, one versus all") -> Choice:
    return Choice(formula, _indicator, citation, link=link, risk=risk)


MULTICLASS: Final[Mapping[str, Choice]] = MappingProxyType(
    {
        "softmax": _loss(
            "- log(exp(u_y) / sum_k exp(u_k))", "log", "softmax", "multinomial logistic regression"
        ),
        "ova-logistic": _loss("log(1+exp(-u_y)) + sum_(k!=y) log(1+exp(u_k))", "logit", "sigmoids"),
        "ova-square": _loss("(1-u_y)^2 + sum_(k!=y) (1+u_k)^2", "2x-1", "signed"),
        "ova-squared-hinge": _loss("max(0,1-u_y)^2 + sum_(k!=y) max(0,1+u_k)^2", "2x-1", "signed"),
    }
)
"""Each is minimized at a strictly increasing function of p_k, the same for all classes."""


@frozen
class Indicator(MeanSurrogate):
    """A multiclass loss that estimates the probabilities of the classes."""

    psi: str = "softmax"  #: A name of `MULTICLASS`.
    name: str = "multiclass-softmax"
    decoder = "argmax"
    family = Family("indicator", "{psi}", "", {"psi": MULTICLASS}, ("classes",))


# --- Least squares on a factor of the loss, decoded through the other factor (RAT13 Theorem 3) -----------


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
        return tuple(ONE if place[i] > place[j] else ZERO for i, j in pairs), ZERO


@frozen
class MapRegression(FactorSurrogate):
    """sum over i <= j of (u_ij - y_i y_j / sum y)^2 (RAT13 §6); decoded by linear or diagonal."""

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
        return tuple(-Fraction(1, max(place[i], place[j])) for i, j in _halves(task)), ONE


def _halves(task: Task) -> Iterator[tuple[int, int]]:
    return combinations_with_replacement(range(task.space.m), 2)


@frozen
class PairRegression(PairFactor):
    """sum over i != j of (u_ij - y_ij)^2 (RAT13 Eq. 1), decoded by linear or algorithm-1."""

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
        return tuple(weights.get(pair, ZERO) for pair in permutations(range(task.space.m), 2))


# --- The surrogate that RAT13 Theorem 3 constructs for any exact loss ------------------------------------

MAX_FACTORED: Final = 20_000
"""Losses, labels times predictions, up to which the factorization is made on the way."""


@frozen
class Constructed(FactorSurrogate):
    """Least squares on vectors alpha_y, given or from the loss; decoded by the least <u, beta_t> + b_t."""

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
        elif labels * predictions > MAX_FACTORED:
            raise InputError(
                f"{task.title} has {labels * predictions} losses here, and {self.name} factors up to "
                f"{MAX_FACTORED}; ask construct, which takes its time, or for fewer items or grades"
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
    from consistency_lab.model.tasks.construction import construct

    found = construct(matrix_of(task))
    alpha, beta = (
        tuple(tuple(map(Fraction, row)) for row in rows) for rows in (found.factors.left, found.factors.right)
    )
    return Constructed("constructed", alpha, beta, found.prediction_offsets)


# --- Smooth stand-ins for a ranking loss itself: approximate NDCG and MRR, soft zero-one loss of pairs ---
# Draw a ranking from the Plackett-Luce model with the weights exp(u_i/T): the soft count of wrong pairs is
# the expected number of wrong pairs, 1 + sum_j sigma((u_j - u_i)/T) the expected position of item i. The
# statements smooth-positions and soft-pairs of the book say what follows.
# They are not convex: descent may stop elsewhere.


def _ndcg(task: Task, label: Label) -> tuple[Real, ...]:
    gains = [Fraction(2**grade - 1) for grade in label]
    if not any(gains):
        return tuple(gains)
    with working_precision(PRECISION):
        discounts = discounts_of(DISCOUNT, len(label), None)
        scale = 1 / combination(zip(sorted(gains, reverse=True), discounts, strict=True))
        return tuple(gain * scale for gain in gains)


METRICS: Final[Mapping[str, Choice]] = MappingProxyType(
    {
        "ndcg": Choice("sum_i (2^s_i - 1)/Z / log2(1 + r_i)", _ndcg),
        "mrr": Choice("sum_i (s_i / sum s) / r_i", NORMALIZATIONS["sum"].values),
    }
)
"""What is smoothed, and what weighs the discount of each item. Both discounts are convex."""


@frozen
class SmoothPositions(MeanSurrogate):
    """A metric at smooth positions r_i = 1 + sum_{j != i} sigma((u_j - u_i)/T); its infimum lies far out."""

    metric: str = "ndcg"  #: A name of `METRICS`.
    temperature: Fraction = Fraction(1)  #: T, positive; what is approached does not depend on it.
    name: str = "approx-ndcg"
    family = Family(
        "smooth-positions",
        "- {metric}, r_i = 1 + sum over j != i of 1/(1 + exp((u_i - u_j)/T)), T = {temperature}",
        "Qin, Liu and Li 2010; its limit orders are ours",
        {"metric": METRICS},
        link="limit",
        risk="positions",
        by_grades=True,
    )

    def __post_init__(self) -> None:
        MeanSurrogate.__post_init__(self)
        if self.temperature <= 0:
            raise InputError(f"the temperature is {self.temperature}; it must be positive")


@frozen
class SoftPairs(PairFactor):
    """The sum over preferred pairs i, j of 1/(1 + exp(u_i - u_j)); its infimum lies far out."""

    normalized: str = "none"  #: "pairs" divides a label's sum by its number of pairs, "none" does not.
    name: str = "soft-zero-one"
    decoder = "linear"
    family = Family(
        "soft-pairs",
        "sum over s_i > s_j of 1/(1 + exp(u_i - u_j)){normalized}",
        "libraries call it the pairwise soft zero-one loss; its limit orders are ours",
        {"normalized": NORMALIZED},
        link="limit",
        risk="soft-pairs",
    )

    def features(self, task: Task, label: Label) -> tuple[Fraction, ...]:
        edges = {(i, j) for i, j, _ in task.space.preferences(label)}
        share = Fraction(1, len(edges) or 1) if self.normalized == "pairs" else Fraction(1)
        return tuple(share if pair in edges else ZERO for pair in permutations(range(task.space.m), 2))
