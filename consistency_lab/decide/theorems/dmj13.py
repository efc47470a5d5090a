"""DMJ13: what is calibrated for targets that sort the items by an average of their gains."""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from types import MappingProxyType
from typing import Final

from consistency_lab.decide.theorems.base import (
    CLASSIFYING,
    IS_SORTED,
    Hypothesis,
    Theorem,
    factor_at_all_labels,
    one_factor,
)
from consistency_lab.model.labels import Label
from consistency_lab.model.surrogates.tasks.atoms import PairsSurrogate
from consistency_lab.model.surrogates.tasks.base import MeanSurrogate, TaskSurrogate
from consistency_lab.model.tasks.positional import ExpectedReciprocalRank
from consistency_lab.model.tasks.task import PositionalTask, Task, certainly_above
from consistency_lab.numbers.tape import Real

# --- Hypotheses on what a surrogate averages: E f orders the items as the target wants them --------------
# A target that sorts by theta_i = E[scale(y) g_i(y)] is served by any f with f_i - f_j = a scale (g_i - g_j)
# at every label, for one a > 0: then E f_i - E f_j = a (theta_i - theta_j) for every distribution.

_FORCES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "regression": "W(u) - W* = |u - E f|^2",
        "map-diagonal": "W(u) - W* = |u - E f|^2",
        "map-full": "W(u) - W* = |u - E f|^2",
        "pair-square": "W(u) - W* = sum over i < j of ((E f_i - E f_j) - (u_i - u_j))^2",
        "softmax": "W(u) - W* = c KL(E f/c, softmax u), c the sum of E f (Gibbs)",
        "sigmoid": "W(u) - W* = sum of KL(E f_i, sigmoid u_i) (Gibbs)",
        "ordinal": "W(v) - W* = sum of KL(P(s_i >= k), v_ik), u_i = sum_k v_ik (Gibbs)",
    }
)
"""The excess by family: where it is small, u orders the items by E f, even if no minimum is attained."""

_PARAMETER: Final[Mapping[str, str]] = MappingProxyType(
    {"regression": "f", "pair-square": "weights", "softmax": "labels", "sigmoid": "f"}
)
"""The key of f in `describe`, by risk."""

_OF_GAINS: Final = (
    ("regression", "gain/Z"),
    ("regression", "gain"),
    ("pair-square", "gain"),
    ("softmax", "gain-none"),
    ("sigmoid", "gain"),
)
OF_ONE_GRADE: Final = (
    *_OF_GAINS,
    *((family, "grade") for family in ("regression", "pair-square", "sigmoid")),
    ("softmax", "none"),
    ("ordinal", ""),
)
"""Surrogates whose f_i increases with y_i and, apart from Z, depends on nothing else."""

_DEFINED: Final[Mapping[str, tuple[tuple[str, str], ...]]] = MappingProxyType(
    {"ndcg": _OF_GAINS[:1], "precision": OF_ONE_GRADE, "eru": _OF_GAINS, "err": _OF_GAINS}
)
"""Which f are a multiple of the target's gains (over Z if the target is normalized) for all m and labels."""


def kind(surrogate: TaskSurrogate, task: Task) -> tuple[str, str]:
    """The family, and the name of f; "" if the family determines it."""
    entry = surrogate.describe(task)
    family = str(entry["family"])
    return family, str(entry.get(_PARAMETER.get(family, ""), ""))


def gains(task: Task, label: Label) -> tuple[Fraction, ...] | None:
    """g(y), whose scaled mean the target sorts by; None if there is no such g."""
    if isinstance(task, PositionalTask):
        return task.gains(label)
    if isinstance(task, ExpectedReciprocalRank):
        return tuple(task.table[grade] for grade in label)
    return None


def _discounts_fall(surrogate: TaskSurrogate, task: Task) -> str | None:
    if isinstance(task, PositionalTask | ExpectedReciprocalRank):
        factors = [*task.discounts, Fraction(0)]
        if all(_same(x, y) or certainly_above(x, y) for x, y in pairwise(factors)):
            return "position factors compared"
    return None


def _same(left: Real, right: Real) -> bool:
    return isinstance(left, Fraction) and isinstance(right, Fraction) and left == right


def _defined(surrogate: TaskSurrogate, task: Task) -> str | None:
    family, f = kind(surrogate, task)
    if (family, f) not in _DEFINED.get(task.target, ()):
        return None
    known = _proportional(surrogate, task)
    return None if known is None else f"f = {f or 'grade'} by definition; {known}"


def _proportional(surrogate: TaskSurrogate, task: Task) -> str | None:
    known = factor_at_all_labels(common_factor(surrogate, task), task)
    return None if known is None else f"{known} of this task"


def common_factor(surrogate: TaskSurrogate, task: Task) -> Fraction | None:
    """The a > 0 with f_i - f_j = a scale (g_i - g_j) at every label; None if none is proved."""
    if not isinstance(surrogate, MeanSurrogate):
        return None
    pairs: list[tuple[Real, Real]] = []
    for label in task.space.labels:
        wanted = _wanted(surrogate, task, label)
        if wanted is None:
            return None
        (x, *xs), (y, *ys) = surrogate.features(task, label), wanted
        pairs += [(other - x, gap - y) for other, gap in zip(xs, ys, strict=True)]
    return one_factor(pairs)


def _wanted(surrogate: MeanSurrogate, task: Task, label: Label) -> tuple[Real, ...] | None:
    """What `features` must be proportional to, without the scale if the surrogate has it too."""
    values = gains(task, label)
    if values is None or surrogate.scaled or not task.normalized:
        return values
    scale = task.scale(label)
    if isinstance(scale, Fraction):
        return tuple(scale * value for value in values)
    return values if len(set(values)) == 1 else None


DISCOUNTS_FALL: Final = Hypothesis(r"\(F\) is positive and nondecreasing", _discounts_fall)
FORCES_ORDER: Final = Hypothesis(
    r"scores of small excess risk are in the order of \(\mathbf{E} f\)",
    lambda surrogate, task: _FORCES.get(str(surrogate.describe(task)["family"])),
)
AVERAGES_BY_DEFINITION: Final = Hypothesis(
    r"\(f\) is a positive multiple of the gains, over \(Z\) if the target is normalized", _defined
)
AVERAGES_AT_EVERY_LABEL: Final = Hypothesis(
    r"at every label \(f_i - f_j\) is the same positive multiple of the difference of the gains, over \(Z\)"
    " if the target is normalized",
    _proportional,
)


# --- DMJ13: what is calibrated for targets that sort the items by an average of their gains --------------
# Sorting by theta = E[scale g] is optimal by the exchange of two neighbors; for ERR, by theta = E g if grades
# are independent. At a minimum of Zhang's loss theta_i A(u_i) = B(u_i) with A rising and B falling, the same
# for every i, so u has the order of theta. The theorem book has the proofs: dmj13-ndcg, dmj13-err and
# dmj13-zhang.

_POSITIONAL: Final = ("ndcg", "precision", "eru")
_THESE_LABELS: Final = "these labels"


def _zhang_weights(surrogate: TaskSurrogate, task: Task) -> str | None:
    if not isinstance(surrogate, PairsSurrogate) or surrogate.normalized != "none":
        return None
    normalized = task.normalized
    if surrogate.weights == "zhang":
        return "the weights are G/Z" if normalized else "the weights are the gains, and Z = 1"
    gains_alone = surrogate.weights == "zhang-gain" and not normalized
    return "the weights are the gains, and Z = 1" if gains_alone else None


def _gains_nonnegative(surrogate: TaskSurrogate, task: Task) -> str | None:
    every = [gains(task, label) for label in task.space.labels]
    if any(values is None or min(values) < 0 for values in every):
        return None
    return f"compared at all {len(every)} labels of this task"


_ZHANG: Final = (
    IS_SORTED,
    DISCOUNTS_FALL,
    Hypothesis(
        r"every ordered pair \(j \ne l\) has the weight \(G(s_j)/Z(s)\), with \(Z = 1\) if the target is not"
        " normalized",
        _zhang_weights,
    ),
    Hypothesis("no gain is negative", _gains_nonnegative),
    *CLASSIFYING,
)

NDCG: Final = Theorem(
    name="DMJ13 NDCG corollary",
    statement="dmj13-ndcg",
    citation="DMJ13 (corollary on NDCG); Ravikumar, Tewari and Yang 2011",
    families=(MeanSurrogate,),
    targets=_POSITIONAL,
    conditions=("any",),
    hypotheses=(IS_SORTED, DISCOUNTS_FALL, AVERAGES_BY_DEFINITION, FORCES_ORDER),
)

NDCG_HERE: Final = replace(
    NDCG,
    name="DMJ13 NDCG corollary at these labels",
    hypotheses=(IS_SORTED, DISCOUNTS_FALL, AVERAGES_AT_EVERY_LABEL, FORCES_ORDER),
    scope=_THESE_LABELS,
)

ERR: Final = Theorem(
    name="DMJ13 ERR lemma",
    statement="dmj13-err",
    citation="DMJ13 (lemma on ERR)",
    families=(MeanSurrogate,),
    targets=("err",),
    conditions=("independent",),
    hypotheses=NDCG.hypotheses,
)

ERR_HERE: Final = replace(
    ERR, name="DMJ13 ERR lemma at these labels", hypotheses=NDCG_HERE.hypotheses, scope=_THESE_LABELS
)

ZHANG: Final = Theorem(
    name="DMJ13 Zhang's loss",
    statement="dmj13-zhang",
    citation="DMJ13 (after Zhang 2004, Theorem 5); that phi need not be nonincreasing is ours",
    families=(PairsSurrogate,),
    targets=_POSITIONAL,
    conditions=("any",),
    hypotheses=_ZHANG,
)

ZHANG_ERR: Final = replace(
    ZHANG,
    name="DMJ13 Zhang's loss for ERR",
    statement="zhang-err",
    citation="DMJ13 (lemma on ERR, after Zhang 2004, Theorem 5); that phi need not be nonincreasing is ours",
    targets=("err",),
    conditions=("independent",),
)

DMJ13_THEOREMS: Final = (NDCG, ZHANG, ERR, ZHANG_ERR, NDCG_HERE, ERR_HERE)
"""Statements for all m before those at the labels of one task."""
