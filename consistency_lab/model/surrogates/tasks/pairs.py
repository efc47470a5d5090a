"""Losses of the pairs of items that a label prefers."""

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from consistency_lab.errors import InputError, UnsupportedError
from consistency_lab.exact import LogRational
from consistency_lab.frozen import frozen
from consistency_lab.model.surrogates.families import Term, pair
from consistency_lab.model.surrogates.tasks.base import (
    FEATURES,
    NORMALIZED,
    WORTH,
    AtomSurrogate,
    Choice,
    Family,
    MeanSurrogate,
    gains,
)
from consistency_lab.model.tasks.labels import Label
from consistency_lab.model.tasks.task import Task
from consistency_lab.phi import Expression, convexity_proof, parse

# --- Losses of the pairs that a label prefers ------------------------------------------------------------
# RankNet, RankBoost and RankSVM on graded labels, Zhang's loss.

_Weighted = tuple[int, int, Fraction]
"""i, j and the factor of phi(u_i - u_j)."""


def _unit(task: Task, label: Label) -> list[_Weighted]:
    return sorted(task.space.preferences(label))


def _difference(task: Task, label: Label) -> list[_Weighted]:
    return [(i, j, Fraction(label[i] - label[j])) for i, j, _ in _unit(task, label)]


def _gain_difference(task: Task, label: Label) -> list[_Weighted]:
    worth = gains(task, label)
    return [(i, j, worth[i] - worth[j]) for i, j, _ in _unit(task, label) if worth[i] > worth[j]]


def _square_difference(task: Task, label: Label) -> list[_Weighted]:
    return [(i, j, Fraction(label[i] ** 2 - label[j] ** 2)) for i, j, _ in _unit(task, label)]


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
            "sum over s_i > s_j of (s_i - s_j) phi(u_i - u_j)", _difference, "DMJ10 §3.1; DMJ13"
        ),
        "gain-difference": Choice(
            "sum over s_i > s_j of (G(s_i) - G(s_j)) phi(u_i - u_j)", _gain_difference, "DMJ13"
        ),
        "square-difference": Choice(
            "sum over s_i > s_j of (s_i^2 - s_j^2) phi(u_i - u_j)", _square_difference, "allRank"
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
    """Weighted losses phi(u_i - u_j) of pairs of items.

    Examples
    --------
    >>> from consistency_lab.model.tasks.catalogue import target
    >>> from consistency_lab.phi import named
    >>> ranknet = PairsSurrogate("ranknet", named("logistic").expression, "difference")
    >>> [(term.v, int(term.c)) for term in ranknet.atoms(target("ndcg", items=2), (0, 2))]
    [(((0, -1), (1, 1)), 2)]
    """

    name: str  #: A short name.
    phi: Expression  #: A convex function of the difference of two scores.
    weights: str = "unit"  #: A name of `WEIGHTS`.
    normalized: str = "none"  #: "pairs" divides a label's sum by its number of pairs, "none" does not.
    family = Family(
        "pairs",
        "{weights}{normalized}, phi(x) = {phi}",
        "",
        {"weights": WEIGHTS, "normalized": NORMALIZED},
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
    """The sum over s_i > s_j of |(u_i - u_j) - (s_i - s_j)|.

    Examples
    --------
    >>> from consistency_lab.model.tasks.catalogue import target
    >>> [(term.v, str(term.b)) for term in PairAbsolute().atoms(target("ndcg", items=2), (2, 0))]
    [(((0, 1), (1, -1)), '2')]
    """

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


@frozen
class PairSquareSurrogate(MeanSurrogate):
    """sum_{i<j} ((f_i - f_j) - (u_i - u_j))^2, with f the grades or the gains.

    Completing the square pair by pair leaves sum_{i<j} ((E f_i - E f_j) - (u_i - u_j))^2, which is zero where
    u = E f up to a constant: sorted, the minimizers are those of regression on f.

    Examples
    --------
    >>> from consistency_lab.model.tasks.catalogue import target
    >>> PairSquareSurrogate(weights="gain").features(target("ndcg"), (2, 0, 1))
    (Fraction(3, 1), Fraction(0, 1), Fraction(1, 1))
    """

    name: str = "pair-square"
    weights: str = "grade"  #: "grade" or "gain".
    family = Family(
        "pair-square",
        "sum_(i<j) ((f_i - f_j) - (u_i - u_j))^2, f_i = {weights}",
        "Pahikkala et al. 2007 (pairwise regularized least squares)",
        {"weights": WORTH},
        risk="pair-squares",
    )

    def features(self, task: Task, label: Label) -> tuple[Fraction, ...]:
        return tuple(FEATURES[self.weights].values(task, label))
