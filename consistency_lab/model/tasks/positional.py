"""Target losses that sum over positions: NDCG, precision, MAP, ERR, MRR, ERU."""

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import ClassVar, Final

from consistency_lab.errors import InputError, UnsupportedError
from consistency_lab.frozen import frozen_with_cache
from consistency_lab.model.labels import Grades, Label, LabelSpace
from consistency_lab.model.tasks.task import (
    EXCHANGE,
    PRECISION,
    PositionalTask,
    Prediction,
    Remedy,
    Target,
    Task,
    certainly_above,
    combination,
)
from consistency_lab.numbers.exact import LogRational, working_precision
from consistency_lab.numbers.phi import Expression, build, exact_value, number, parse
from consistency_lab.numbers.tape import Number, Real

# --- The gain and discount formulas that a user types ----------------------------------------------------
# Read once, evaluated exactly where that is possible.


def gains_of(gain: Expression, grades: Iterable[int]) -> dict[int, Fraction]:
    """G(s) for each grade."""
    found: dict[int, Fraction] = {}
    for grade in grades:
        exact = exact_value(gain, LogRational(Fraction(grade)))
        value = None if exact is None else exact.as_rational()
        if value is None:
            raise UnsupportedError(
                f"the gain {gain.text('s')} is not known to be rational at the grade {grade}; "
                "use a gain such as 2**s-1 or s"
            )
        if value < 0:
            raise InputError(
                f"the gain {gain.text('s')} is {value} at the grade {grade}; it must be at least 0"
            )
        found[grade] = value
    for low, high in pairwise(found):
        if found[low] > found[high]:
            raise InputError(
                f"the gain {gain.text('s')} falls from grade {low} to grade {high}; it must not fall"
            )
    return found


def discounts_of(discount: Expression, positions: int, k: int | None = None) -> tuple[Real, ...]:
    """1/F(j) for the positions j = 1..positions, 0 after position k."""
    counted = positions if k is None else min(k, positions)
    # Positions that do not count are looked at too: a discount that falls there is 1/F, typed for F.
    found: list[Real] = []
    with working_precision(PRECISION):
        for j in range(1, positions + 1):
            exact = exact_value(discount, LogRational(Fraction(j)))
            value = None if exact is None else exact.as_rational()
            number: Real = Number.of(_at(discount, j)) if value is None else value
            if not number > 0:
                raise InputError(f"the discount {discount.text('j')} must be positive at position {j}")
            found.append(1 / number)
        for j, (high, low) in enumerate(pairwise(found), start=1):
            if certainly_above(low, high):
                raise InputError(
                    f"the discount {discount.text('j')} falls from position {j} to position {j + 1}; "
                    "it must not fall"
                )
    return (*found[:counted], *(Fraction(0) for _ in range(positions - counted)))


def _at(e: Expression, j: int) -> Expression:
    """The expression with the number j for its variable."""
    if e.op == "variable":
        return number(j)
    return e if e.value is not None else build(e.op, *(_at(child, j) for child in e.args))


def check_counted(k: int | None) -> None:
    """Refuse a number of positions that count."""
    if k is not None and k < 1:
        raise InputError(f"the number k of positions is {k}; it must be at least 1")


def _counted(name: str, k: int | None, m: int) -> str:
    """The title of a target that counts the first k positions."""
    if k is None:
        return name
    return f"{name}@{k}" + (f" ({name} for {m} items)" if k > m else "")


# --- The NDCG family: gains of grades, discounted by position, divided by the best attainable sum --------

GAIN: Final = parse("2**s-1", "s")
DISCOUNT: Final = parse("log2(1+j)", "j")


@frozen_with_cache
class Ndcg(PositionalTask):
    """1 - (1/Z(s)) sum_j G(s_j)/F(position of j), Z(s) that of the best order; 0 without gain (DMJ13)."""

    space: Grades  #: Relevance vectors.
    gain: Expression = GAIN  #: G, an expression in s that does not fall.
    discount: Expression = DISCOUNT  #: F, an expression in j, positive, that does not fall.
    #: How many positions count; all if None. More than there are items is the same as None.
    k: int | None = None
    target: ClassVar[str] = "ndcg"
    citation: ClassVar[str] = "DMJ13 (NDCG family); Järvelin and Kekäläinen 2002"

    def __post_init__(self) -> None:
        check_counted(self.k)
        _ = self.table, self.discounts

    @property
    def complete(self) -> bool:
        """Whether every position counts."""
        return self.k is None or self.k >= self.space.m

    @cached_property
    def table(self) -> dict[int, Fraction]:
        """G of each grade."""
        return gains_of(self.gain, self.space.grades)

    @cached_property
    def discounts(self) -> tuple[Real, ...]:
        return discounts_of(self.discount, self.space.m, self.k)

    @property
    def normalized(self) -> bool:
        return True

    def gains(self, label: Label) -> tuple[Fraction, ...]:
        return tuple(self.table[grade] for grade in label)

    def scale(self, label: Label) -> Real:
        return self._scales[tuple(sorted(label))]

    @cached_property
    def _scales(self) -> dict[Label, Real]:
        found: dict[Label, Real] = {}
        with working_precision(PRECISION):
            for label in self.space.labels:
                grades = tuple(sorted(label))
                if grades not in found:
                    best = sorted(self.gains(grades), reverse=True)
                    ideal = combination(zip(best, self.discounts, strict=True))
                    found[grades] = 1 / ideal if best[0] else Fraction(1)
        return found

    def offset(self, label: Label) -> Real:
        return Fraction(1 if any(self.gains(label)) else 0)

    @property
    def title(self) -> str:
        return _counted("NDCG", self.k, self.space.m)


NDCG: Final = Target(
    "ndcg",
    "NDCG",
    Ndcg,
    "1 - (1/Z(s)) sum_j G(s_j)/F(position of j)",
    "1 - (1/Z(y)) sum_j G(y_j)/F(position of j), G(s) = {gain}, F(j) = {discount}, Z(y) the sum in the best "
    "order",
    ("labels", "gain", "discount", "k"),
    lambda given: Ndcg(given.grades((0, 1, 2)), k=given.k, **given.formulas()),
    EXCHANGE,
    (Remedy("regression", on="gain/Z"), Remedy("zhang")),
)


@frozen_with_cache
class Precision(PositionalTask):
    """1 - (1/q) sum_i y_i 1(position of i <= q), for labels of 0 and 1 (RAT13 §4)."""

    space: Grades  #: Relevance vectors of 0 and 1.
    q: int = 1  #: How many positions count; winner-takes-all is q = 1.
    target: ClassVar[str] = "precision"
    citation: ClassVar[str] = "RAT13 §4"

    def __post_init__(self) -> None:
        check_binary(self.space, "precision@q")
        check_counted(self.q)

    def check(self) -> None:
        """Refuse to count so many positions that all orders are alike: a question about no distribution."""
        if self.q >= self.space.m:
            raise InputError(
                f"precision@{self.q} of {self.space.m} items is 1 - (relevant items)/{self.q} whatever the "
                "ranking, so nothing can be ranked wrongly; ask for a k below the number of items"
            )

    @cached_property
    def discounts(self) -> tuple[Fraction, ...]:
        return tuple(Fraction(1 if k < self.q else 0, self.q) for k in range(self.space.m))

    def gains(self, label: Label) -> tuple[Fraction, ...]:
        return tuple(Fraction(y) for y in label)

    def offset(self, label: Label) -> Fraction:
        return Fraction(1)

    @property
    def title(self) -> str:
        return f"precision@{self.q}"


def check_binary(space: Grades, what: str) -> None:
    """Refuse grades other than 0 and 1."""
    if space.grades != (0, 1):
        raise InputError(
            f"{what} is about relevant and irrelevant items; its labels are 0..1, not "
            f"{space.grades[0]}..{space.grades[-1]}"
        )


PRECISION_AT_K: Final = Target(
    "precision",
    "precision@k",
    Precision,
    "1 - (1/k) sum_i y_i 1(position of i <= k)",
    "1 - (1/q) sum_i y_i 1(position of i ≤ q), q = {q}",
    ("labels", "k"),
    lambda given: Precision(given.grades((0, 1)), 1 if given.k is None else given.k),
    EXCHANGE,
    (Remedy("regression", on="gain"),),
)

WINNER: Final = Target(
    "wta",
    "winner takes all",
    Precision,
    "precision@1",
    "1 - y_i for the item i at the top",
    ("labels",),
    lambda given: Precision(given.grades((0, 1)), 1),
    EXCHANGE,
    PRECISION_AT_K.remedies,
)


@frozen_with_cache
class AveragePrecision(Task):
    """1 - (1/sum y) sum_i sum_{j<=i} y_i y_j / max(position of i, position of j) (RAT13 §6); 0 for y = 0."""

    space: Grades
    target: ClassVar[str] = "map"
    citation: ClassVar[str] = "RAT13 §6"
    title = "MAP"

    def __post_init__(self) -> None:
        check_binary(self.space, "mean average precision")

    def loss(self, label: Label, prediction: Prediction) -> Fraction:
        found, earned = 0, Fraction(0)
        for position, item in enumerate(prediction, start=1):
            if label[item]:
                found += 1
                earned += Fraction(found, position)
        return 1 - earned / found if found else Fraction(0)


MAP: Final = Target(
    "map",
    "mean average precision",
    AveragePrecision,
    "1 - (1/sum y) sum_{j<=i} y_i y_j / max(position of i, position of j)",
    "1 - (1/sum y) sum_i sum_(j≤i) y_i y_j / max(position of i, position of j)",
    ("labels",),
    lambda given: AveragePrecision(given.grades((0, 1))),
    ("reinforce", "rank-differentiable", "any"),
    (Remedy("map-diagonal"), Remedy("map-full")),
)


# --- Expected reciprocal rank: a reader stops at an item with a chance that depends on its grade ---------

POSITION: Final = parse("j", "j")


@frozen_with_cache
class ExpectedReciprocalRank(Task):
    """1 - sum_i (1/F(i)) G(s at i) prod_{k<i} (1 - G(s at k)) (Chapelle et al. 2009; DMJ13)."""

    space: Grades  #: Relevance vectors.
    #: G, a chance: between 0 and 1. Unless given, (2**s - 1)/2**S with S the largest grade.
    gain: Expression | None = None
    discount: Expression = POSITION  #: F, rational at every position.
    target: ClassVar[str] = "err"
    citation: ClassVar[str] = "DMJ13; Chapelle, Metzler, Zhang and Grinspan 2009"
    title = "ERR"

    def __post_init__(self) -> None:
        for grade, chance in self.table.items():
            if chance > 1:
                raise InputError(
                    f"the gain {self.chance.text('s')} is {chance} at the grade {grade}; for ERR it is a "
                    "chance, at most 1"
                )
        _ = self.discounts

    def on(self, space: LabelSpace) -> "ExpectedReciprocalRank":
        # The usual gain is divided by that of the largest grade, which other labels need not have.
        assert isinstance(space, Grades)
        return replace(self, space=space, gain=self.chance)

    @property
    def chance(self) -> Expression:
        """G."""
        return self.gain or parse(f"(2**s-1)/{2 ** self.space.grades[-1]}", "s")

    @cached_property
    def table(self) -> dict[int, Fraction]:
        """G of each grade."""
        return gains_of(self.chance, self.space.grades)

    @cached_property
    def discounts(self) -> tuple[Fraction, ...]:
        """1/F of each position."""
        found = discounts_of(self.discount, self.space.m)
        rational = tuple(x for x in found if isinstance(x, Fraction))
        if len(rational) < len(found):
            raise UnsupportedError(
                f"the discount {self.discount.text('j')} is not known to be rational; ERR needs one such as j"
            )
        return rational

    def loss(self, label: Label, prediction: Prediction) -> Fraction:
        stopped, going = Fraction(0), Fraction(1)
        for item, factor in zip(prediction, self.discounts, strict=True):
            chance = self.table[label[item]]
            stopped += factor * going * chance
            going *= 1 - chance
        return 1 - stopped

    def describe(self) -> dict[str, object]:
        return Task.describe(replace(self, gain=self.chance)) if self.gain is None else Task.describe(self)


ERR: Final = Target(
    "err",
    "expected reciprocal rank",
    ExpectedReciprocalRank,
    "1 - sum_i (1/F(i)) G(s at i) prod_{k<i} (1 - G(s at k))",
    "1 - sum over positions i of (1/F(i)) G(y at i) prod_(k<i) (1 - G(y at k)), G(s) = {gain}, "
    "F(i) = {discount}",
    ("labels", "gain", "discount"),
    lambda given: ExpectedReciprocalRank(given.grades((0, 1, 2)), **given.formulas()),
    ("independent", "rank-differentiable", "any"),
    (Remedy("regression", on="gain"), Remedy("constructed")),
)


@frozen_with_cache
class ExpectedRankUtility(PositionalTask):
    """- sum_i max(y_i - v, 0) 2^((1 - position of i)/(w - 1)): RAT13's loss without its constant z."""

    space: Grades  #: Relevance vectors.
    v: Fraction = Fraction(0)  #: The neutral grade.
    w: Fraction = Fraction(2)  #: The half-life: after w - 1 positions the utility has halved.
    target: ClassVar[str] = "eru"
    citation: ClassVar[str] = "RAT13 §5"
    title = "expected rank utility"

    def __post_init__(self) -> None:
        if self.w <= 1:
            raise InputError(f"the half-life w of the rank utility is {self.w}; it must be above 1")
        if self.v < 0:
            raise InputError(f"the neutral grade v of the rank utility is {self.v}; it must be at least 0")

    @cached_property
    def discounts(self) -> tuple[Real, ...]:
        return discounts_of(parse(f"2**((j-1)/({self.w - 1}))", "j"), self.space.m)

    def gains(self, label: Label) -> tuple[Fraction, ...]:
        return tuple(max(y - self.v, Fraction(0)) for y in label)


ERU: Final = Target(
    "eru",
    "expected rank utility",
    ExpectedRankUtility,
    "- sum_i max(y_i - v, 0) 2^((1 - position of i)/(w - 1))",
    "-sum_i max(y_i - v, 0) 2^((1 - position of i)/(w - 1)), v = {v}, w = {w}",
    ("labels", "v", "w"),
    lambda given: ExpectedRankUtility(given.grades((0, 1, 2)), **given.given("v", "w")),
    EXCHANGE,
    (Remedy("regression", on="gain"),),
)


@frozen_with_cache
class ReciprocalRank(Task):
    """1 - 1/(position of the first grade above v), 1 if none is among the first k (Voorhees 1999)."""

    space: Grades  #: Relevance vectors.
    k: int | None = None  #: How many positions count; all if None.
    v: Fraction = Fraction(0)  #: The largest grade that is not relevant.
    target: ClassVar[str] = "mrr"
    citation: ClassVar[str] = "Voorhees 1999"

    def __post_init__(self) -> None:
        check_counted(self.k)
        if not self.space.grades[0] <= self.v < self.space.grades[-1]:
            raise InputError(
                f"for MRR grades above v = {self.v} are relevant, and the labels are {self.space.grades[0]}.."
                f"{self.space.grades[-1]}; choose a v that parts them"
            )

    def loss(self, label: Label, prediction: Prediction) -> Fraction:
        for position, item in enumerate(prediction[: self.k], start=1):
            if label[item] > self.v:
                return 1 - Fraction(1, position)
        return Fraction(1)

    @property
    def title(self) -> str:
        return _counted("MRR", self.k, self.space.m)


RECIPROCAL_RANK: Final = Target(
    "mrr",
    "mean reciprocal rank",
    ReciprocalRank,
    "1 - 1/(position of the first i with y_i > v), 1 if there is none among the first k",
    "1 - 1/(position of the first i with y_i > v), 1 if there is none among the first k; v = {v}, k = {k} "
    "(None: all positions)",
    ("labels", "k", "v"),
    lambda given: ReciprocalRank(given.grades((0, 1)), **given.given("k", "v")),
    EXCHANGE,
    (Remedy("constructed"),),
)
