"""Families that are sums of convex atoms, label by label: losses of pairs, of lists and of classes."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from math import comb
from types import MappingProxyType
from typing import Final

from consistency_lab.core.risk import Linear, LogSumExp, Max
from consistency_lab.errors import InputError, UnsupportedError
from consistency_lab.frozen import frozen
from consistency_lab.model.labels import Grades, Label
from consistency_lab.model.surrogates.families import Choice, Family, Term, pair
from consistency_lab.model.surrogates.tasks.base import NORMALIZED, AtomSurrogate, LossAtom, gains, grades
from consistency_lab.model.tasks.positional import GAIN, gains_of
from consistency_lab.model.tasks.task import Task
from consistency_lab.numbers.exact import LogRational
from consistency_lab.numbers.phi import Expression, convexity_proof, parse

# --- Losses of the pairs that a label prefers ------------------------------------------------------------
# RankNet, RankBoost and RankSVM on graded labels, Zhang's loss.

_Weighted = tuple[int, int, Fraction]
"""i, j and the factor of phi(u_i - u_j)."""


def _unit(task: Task, label: Label) -> list[_Weighted]:
    return sorted(task.space.preferences(label))


def _by_difference(task: Task, label: Label, worth: Sequence[Fraction]) -> list[_Weighted]:
    return [(i, j, worth[i] - worth[j]) for i, j, _ in _unit(task, label) if worth[i] > worth[j]]


def _zhang_gain(task: Task, label: Label) -> list[_Weighted]:
    worth = enumerate(gains(task, label))
    return [(i, j, gain) for i, gain in worth if gain for j in range(task.space.m) if j != i]


def _zhang(task: Task, label: Label) -> list[_Weighted]:
    scale = task.scale(label)
    if not isinstance(scale, Fraction):
        raise UnsupportedError(
            "the weights G/Z of Zhang's loss are irrational for this discount, so it has no exact terms; "
            "a discount such as j has rational ones"
        )
    return [(i, j, gain * scale) for i, j, gain in _zhang_gain(task, label)]


WEIGHTS: Final[Mapping[str, Choice]] = MappingProxyType(
    {
        "unit": Choice(
            "sum over s_i > s_j of phi(u_i - u_j)",
            _unit,
            "Herbrich et al. 2000; Freund et al. 2003; Burges et al. 2005",
            ("grades", "rankings", "dags"),
        ),
        "difference": Choice(
            "sum over s_i > s_j of (s_i - s_j) phi(u_i - u_j)",
            lambda task, y: _by_difference(task, y, grades(task, y)),
            "DMJ10 §3.1; DMJ13",
        ),
        "gain-difference": Choice(
            "sum over s_i > s_j of (G(s_i) - G(s_j)) phi(u_i - u_j)",
            lambda task, y: _by_difference(task, y, gains(task, y)),
            "DMJ13",
        ),
        "square-difference": Choice(
            "sum over s_i > s_j of (s_i^2 - s_j^2) phi(u_i - u_j)",
            lambda task, y: _by_difference(task, y, [s**2 for s in grades(task, y)]),
            "allRank",
        ),
        "zhang": Choice(
            "sum_j G(s_j)/Z(s) sum_{l != j} phi(u_j - u_l), Z = 1 unless the target is NDCG",
            _zhang,
            "DMJ13 (after Zhang 2004)",
        ),
        "zhang-gain": Choice(
            "sum_j G(s_j) sum_{l != j} phi(u_j - u_l)", _zhang_gain, "DMJ13 (after Zhang 2004), without 1/Z"
        ),
    }
)
"""Ways of weighing the pairs of a label, in the order of i and then of j, by name."""


@frozen
class PairsSurrogate(AtomSurrogate):
    """Weighted losses phi(u_i - u_j) of pairs of items."""

    name: str  #: A short name.
    phi: Expression  #: A convex function of the difference of two scores.
    weights: str = "unit"  #: A name of `WEIGHTS`.
    normalized: str = "none"  #: "pairs" divides a label's sum by its number of pairs, "none" does not.
    family = Family(
        "pairs", "{weights}{normalized}, phi(x) = {phi}", "", {"weights": WEIGHTS, "normalized": NORMALIZED}
    )

    def __post_init__(self) -> None:
        AtomSurrogate.__post_init__(self)
        if convexity_proof(self.phi) is None:
            raise InputError(f"phi = {self.phi} is not proved convex; a loss of pairs needs a convex phi")

    def check(self, task: Task) -> None:
        AtomSurrogate.check(self, task)
        if not any(self._weighs(task, label) for label in task.space.labels):
            raise InputError(
                f"the surrogate {self.name} with weights {self.weights} is 0 for every label of this target; "
                "give other weights, or a gain that rises"
            )

    def _weighs(self, task: Task, label: Label) -> bool:
        try:
            return bool(self.atoms(task, label))
        except UnsupportedError:  # an irrational weight is not 0
            return True

    def atoms(self, task: Task, label: Label) -> tuple[Term, ...]:
        pairs = WEIGHTS[self.weights].values(task, label)
        share = Fraction(1, len(pairs)) if self.normalized == "pairs" and pairs else Fraction(1)
        return tuple(pair(share * weight, self.phi, i, j) for i, j, weight in pairs)


# --- Absolute differences between differences of scores and of grades: a median regression on pairs ------

_ABSOLUTE: Final = parse("abs(x)")


@frozen
class PairAbsolute(AtomSurrogate):
    """The sum over s_i > s_j of |(u_i - u_j) - (s_i - s_j)|."""

    normalized: str = "none"  #: "pairs" divides a label's sum by its number of pairs, "none" does not.
    name: str = "pair-absolute"
    family = Family(
        "pair-absolute",
        "sum over s_i > s_j of |(s_i - s_j) - (u_i - u_j)|{normalized}",
        "Koenker and Bassett 1978 (median regression)",
        {"normalized": NORMALIZED},
    )

    def atoms(self, task: Task, label: Label) -> tuple[Term, ...]:
        pairs = sorted((i, j) for i, j, _ in task.space.preferences(label))
        share = Fraction(1, len(pairs) or 1) if self.normalized == "pairs" else Fraction(1)
        gaps = (LogRational(Fraction(label[i] - label[j])) for i, j in pairs)
        return tuple(pair(share, _ABSOLUTE, i, j, gap) for (i, j), gap in zip(pairs, gaps, strict=True))


# --- Likelihoods of a whole list ---


@frozen
class ListMleSurrogate(AtomSurrogate):
    """- log of the Plackett–Luce chance of the label's order, averaged over all orders of tied items."""

    name: str = "list-mle"
    #: "average", or "input": an item counts as above those of its grade that come after it.
    ties: str = "average"
    family = Family(
        "list-mle",
        "- log of the Plackett-Luce chance prod_k exp(u at k) / sum over items not above k of exp(u), "
        "ties {ties}",
        "Xia, Liu, Wang, Zhang and Li 2008",
        {"ties": {"average": "averaged", "input": "in the order of the input"}},
        ("grades", "rankings"),
    )

    def atoms(self, task: Task, label: Label) -> tuple[LossAtom, ...]:
        tiers: list[tuple[int, ...]] = [(item,) for item in label]
        if task.space.kind != "rankings":  # the items of each grade, the highest grade first
            grades = sorted(set(label), reverse=True)
            tiers = [tuple(i for i, s in enumerate(label) if s == grade) for grade in grades]
        if self.ties == "input":
            tiers = [(item,) for tier in tiers for item in tier]
        below: tuple[int, ...] = ()
        sums: list[LossAtom] = []
        linear = [Fraction(-1)] * len(label)
        for tier in reversed(tiers):
            # Every set of r items of a tier is the one left over in equally many orders.
            for r in range(1, len(tier) + 1):
                share = Fraction(1, comb(len(tier), r))
                for left in combinations(tier, r):
                    rest = tuple(sorted((*left, *below)))
                    if len(rest) > 1:
                        sums.append(LogSumExp(share, rest))
                    else:
                        linear[rest[0]] += share
            below = (*below, *tier)
        return (*sums, Linear(Fraction(1), tuple((i, c) for i, c in enumerate(linear) if c)))


@frozen
class UniqueSoftmax(AtomSurrogate):
    """Sum over i of G(s_i) (log(exp(u_i) + sum over s_j < s_i of exp(u_j)) - u_i), with gains of its own."""

    gain: Expression = GAIN  #: G, an expression in s that does not fall, at least 0 on the grades.
    name: str = "unique-softmax"
    family = Family(
        "unique-softmax",
        "sum_i G(s_i) (log(exp(u_i) + sum over s_j < s_i of exp(u_j)) - u_i), G(s) = {gain}",
        "Zhu and Klabjan 2020",
    )

    def atoms(self, task: Task, label: Label) -> tuple[LossAtom, ...]:
        assert isinstance(task.space, Grades)
        gains = gains_of(self.gain, task.space.grades)
        sums: list[LossAtom] = []
        linear: list[tuple[int, Fraction]] = []
        for i, grade in enumerate(label):
            over = tuple(j for j, other in enumerate(label) if j == i or other < grade)
            if gains[grade] and len(over) > 1:
                sums.append(LogSumExp(gains[grade], over))
                linear.append((i, -gains[grade]))
        return (*sums, Linear(Fraction(1), tuple(linear))) if linear else ()


# --- Hinge losses of classes: the class with the largest score is predicted ---

_HINGE: Final = parse("max(0,1-x)")
_POSITIVE: Final = parse("max(0,x)")
_CLASSES: Final = ("classes",)


@frozen
class CrammerSinger(AtomSurrogate):
    """max(0, 1 + max_{j != y} u_j - u_y): without a majority its minimizers do not tell the classes apart."""

    name: str = "crammer-singer"
    decoder = "argmax"
    family = Family(
        "crammer-singer",
        "max(0, 1 + max_(j != y) u_j - u_y)",
        "Crammer and Singer 2001; Tewari and Bartlett 2007",
        kinds=_CLASSES,
    )

    def atoms(self, task: Task, label: Label) -> tuple[Max]:
        one = Fraction(1)
        (y,) = label
        rivals = (tuple(sorted(((j, one), (y, -one)))) for j in range(task.space.m) if j != y)
        return (Max(one, (((), Fraction(0)), *((v, one) for v in rivals))),)


@frozen
class WestonWatkins(AtomSurrogate):
    """sum_{j != y} max(0, 1 - (u_y - u_j))."""

    name: str = "weston-watkins"
    decoder = "argmax"
    family = Family(
        "weston-watkins",
        "sum_(j != y) max(0, 1 - (u_y - u_j))",
        "Weston and Watkins 1999; Tewari and Bartlett 2007",
        kinds=_CLASSES,
    )

    def atoms(self, task: Task, label: Label) -> tuple[Term, ...]:
        (y,) = label
        return tuple(pair(Fraction(1), _HINGE, y, j) for j in range(task.space.m) if j != y)


@frozen
class LeeLinWahba(AtomSurrogate):
    """sum_{j != y} max(0, 1 + u_j) for scores that sum to zero: u_j stands for u_j minus their mean."""

    name: str = "lee-lin-wahba"
    decoder = "argmax"
    family = Family(
        "lee-lin-wahba",
        "sum_(j != y) max(0, 1 + u_j), where sum_j u_j = 0",
        "Lee, Lin and Wahba 2004; Tewari and Bartlett 2007",
        kinds=_CLASSES,
    )

    def atoms(self, task: Task, label: Label) -> tuple[Term, ...]:
        m, (y,) = task.space.m, label
        along = (tuple((i, m - 1 if i == j else -1) for i in range(m)) for j in range(m) if j != y)
        return tuple(Term(Fraction(1, m), _POSITIVE, v, LogRational(Fraction(-m))) for v in along)
