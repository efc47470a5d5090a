"""Gradient fields: what shipped ranking objectives really do, where that is not descent on a convex loss."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from fractions import Fraction
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, final

from consistency_lab.errors import InputError
from consistency_lab.frozen import frozen
from consistency_lab.model.labels import Grades, Label
from consistency_lab.model.surrogates.tasks.gradients import (
    LambdaRule,
    PairRule,
    Setting,
    Swap,
    average_precision_change,
    expected_gradient,
    ndcg_change,
    no_metric,
    poly_softmax,
    sampled_pairs,
    smooth_metric,
    soft_count,
    sorted_gains,
    sorted_rows,
    top_pairs,
)
from consistency_lab.model.surrogates.tasks.written import Gradient, Piece, Rule, SmoothPiece
from consistency_lab.model.tasks.task import PRECISION, Prediction, Task
from consistency_lab.numbers.exact import rational, rational_text, working_precision

if TYPE_CHECKING:
    from consistency_lab.model.surrogates.tasks.written import Array

__all__ = ["FIELDS", "GradientField", "Piece", "field"]

# --- The parameters of shipped objectives: their names, their defaults, and what a value may be ----------

Value = bool | int | str | tuple[str, ...]
"""A value as JSON has it; rationals are texts."""


@frozen
class Parameter:
    """One parameter of a library."""

    default: Value  #: What the library ships.
    wanted: str  #: What is right, in words.
    read: Callable[[object], Value | None]  #: The value in its one spelling, or None if it is not right.


def _truth(value: object) -> bool | None:
    return value if isinstance(value, bool) else None


def _count(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 1 <= value < 2**31 else None


def _method(value: object) -> str | None:
    return value if isinstance(value, str) and value in ("topk", "mean") else None


def _number(value: object) -> Fraction | None:
    if isinstance(value, bool) or not isinstance(value, int | str | Fraction):
        return None
    try:
        return rational(value)
    except InputError:
        return None


def _positive(value: object) -> str | None:
    number = _number(value)
    return rational_text(number) if number is not None and number > 0 else None


def _gains(value: object) -> tuple[str, ...] | None:
    if not isinstance(value, list | tuple):
        return None
    found = [number for number in map(_number, value) if number is not None]
    rising = found == sorted(found) and all(number >= 0 for number in found)
    return tuple(map(rational_text, found)) if rising and len(found) == len(value) != 1 else None


PARAMETERS: Final[Mapping[str, Parameter]] = MappingProxyType(
    {
        "lambdarank_pair_method": Parameter("topk", "'topk' or 'mean'", _method),
        "lambdarank_num_pair_per_sample": Parameter(32, "a positive integer", _count),
        "lambdarank_normalization": Parameter(True, "true or false", _truth),
        "lambdarank_score_normalization": Parameter(True, "true or false", _truth),
        "ndcg_exp_gain": Parameter(True, "true or false", _truth),
        "sigmoid": Parameter("1", "a positive rational", _positive),
        "temperature": Parameter("1", "a positive rational", _positive),
        "alpha": Parameter("1", "a positive rational", _positive),
        "epsilon": Parameter("1", "a positive rational", _positive),
        "lambdarank_norm": Parameter(True, "true or false", _truth),
        "norm": Parameter(True, "true or false", _truth),
        "sigma": Parameter("1", "a positive rational", _positive),
        "lambdarank_truncation_level": Parameter(30, "a positive integer", _count),
        "label_gain": Parameter((), "empty, or two or more rationals from 0 on that do not fall", _gains),
    }
)
"""Parameters by the names that their libraries use."""


def read_parameter(name: str, value: object) -> Value:
    """The value of a parameter in its one spelling.

    Examples
    --------
    >>> read_parameter("sigmoid", "4/2")
    '2'
    """
    found = PARAMETERS[name].read(value)
    if found is None:
        raise InputError(f"{name} is {str(value)[:60]!r}; it must be {PARAMETERS[name].wanted}")
    return found


# --- Gradient fields: the updates that a library really makes, where they come from no loss --------------


@final
@dataclass(frozen=True)
class GradientField:
    """A gradient g(y, u) for each label: training descends along sum_y p_y g(y, u).

    Where that sum is zero training stands still; no risk needs to have its minimum there. Fields are smooth
    inside every strict order of the scores, and jump between orders if their weights look at the ranking.

    Examples
    --------
    >>> from consistency_lab.model.surrogates.tasks.fields import field
    >>> import numpy as np
    >>> pairwise = field("xgboost:rank:pairwise", lambdarank_normalization=False)
    >>> up, down = pairwise.gradient((1, 0), np.array([0.5, 0]))
    >>> round(float(up), 6), round(float(down), 6)  # 1/(1 + exp(1/2)) / (1/2 + 1/100)
    (-0.740276, 0.740276)
    """

    name: str  #: Library and objective, "xgboost:rank:pairwise".
    version: str  #: The release it was read from.
    #: g(y, u), and the source.
    formula: str
    citation: str
    note: str  #: Why this is not the minimization of a fixed loss.
    highest: int  #: The highest grade the objective takes.
    parameters: Mapping[str, Value]  #: By the names that the library uses.
    build: Callable[[Mapping[str, Value]], Rule]  #: Makes the rule from the parameters.

    @property
    def library(self) -> str:
        """The library: the name up to its first colon."""
        return self.name.partition(":")[0]

    @property
    def objective(self) -> str:
        """What the library calls it."""
        return self.name.partition(":")[2]

    def with_parameters(self, **values: object) -> "GradientField":
        """The same objective with other parameters."""
        read = dict(self.parameters)
        for key, value in values.items():
            if key not in read:
                known = ", ".join(read) or "none"
                raise InputError(f"{self.name} has no parameter {key!r}; its parameters are: {known}")
            read[key] = read_parameter(key, value)
        return replace(self, parameters=read)

    @property
    def most(self) -> int:
        """The highest grade that it takes with these parameters."""
        gains = self.parameters.get("label_gain")
        return len(gains) - 1 if isinstance(gains, tuple) and gains else self.highest

    def check(self, task: Task) -> None:
        """Refuse a task that it does not fit."""
        if not isinstance(task.space, Grades):
            raise InputError(f"{self.name} needs graded labels, such as 0..2; these are {task.space.kind}")
        if task.space.grades[-1] > self.most:
            raise InputError(f"{self.name} takes grades up to {self.most}; there are {task.space.grades[-1]}")

    def describe(self) -> dict[str, object]:
        """The ``surrogate`` entry of a witness document: enough to derive the field again."""
        return {
            "family": "field",
            "name": self.name,
            "library": self.library,
            "objective": self.objective,
            **{
                key: list(value) if isinstance(value, tuple) else value
                for key, value in self.parameters.items()
            },
        }

    def piece(self, label: Label, ranking: Prediction) -> Piece:
        """The gradient of a label where `ranking` sorts the scores, from top to bottom."""
        return self.build(self.parameters)(label, ranking)

    def gradient(self, label: Label, scores: "Array") -> "Array":
        """g(y, u) in floats at scores of shape (..., m); equal scores rank in the order of the items."""
        import numpy as np

        rows = np.asarray(scores, dtype=float)
        flat = rows.reshape(-1, rows.shape[-1])
        orders, which = np.unique(np.argsort(-flat, axis=1, kind="stable"), axis=0, return_inverse=True)
        found = np.empty_like(flat)
        for k, order in enumerate(orders):
            mine = which.reshape(-1) == k
            found[mine] = self.piece(label, tuple(map(int, order))).floats(flat[mine])
        return found.reshape(rows.shape)


# --- The ranking objectives that XGBoost, LightGBM and CatBoost ship, with their default parameters --------

_PAIRS: Final[Mapping[str, PairRule]] = MappingProxyType({"topk": top_pairs, "mean": sampled_pairs})
_XGBOOST: Final = (
    "lambdarank_pair_method",
    "lambdarank_num_pair_per_sample",
    "lambdarank_normalization",
    "lambdarank_score_normalization",
)
_LIGHTGBM: Final = ("sigmoid", "lambdarank_norm", "lambdarank_truncation_level", "label_gain")
_EVERYWHERE: Final = 2**31
"""More positions than any ranking has."""

_XGBOOST_READ: Final = (
    "3.4.1",
    "XGBoost 3.4.1 (commit 6fe8c547b), src/objective/lambdarank_obj.{h,cc} and src/common/ranking_utils.h",
)
_LIGHTGBM_READ: Final = ("4.7.0", "LightGBM 4.7.0 (commit 8f7036f03), src/objective/rank_objective.hpp")
_CATBOOST_READ: Final = (
    "1.2.10",
    "CatBoost 1.2.10 (commit 460a799fb), catboost/private/libs/algo_helpers/error_functions.{h,cpp}",
)
"""The version, and what was read."""

_FORCE: Final = "1/(1 + exp(d)) / (|d| + 1/100), d = u_i - u_j, for each pair with s_i > s_j"
_SCALED: Final = "all times log2(1 + S)/S, S twice the sum of the query's forces"
_SUM_NOTE: Final = (
    "each query is rescaled by its own forces, so that the slopes of its gradient are not symmetric: "
    "it is the gradient of no loss"
)
_JUMP_NOTE: Final = "the weights jump when the ranking changes, and " + _SUM_NOTE


def _xgboost(values: Mapping[str, Value], swap: Swap) -> Rule:
    method, number = str(values["lambdarank_pair_method"]), _whole(values["lambdarank_num_pair_per_sample"])
    normalized, sampled = bool(values["lambdarank_normalization"]), method == "mean"
    gain = _powers if values.get("ndcg_exp_gain", True) else Fraction
    return LambdaRule(
        _PAIRS[method],
        number,
        swap,
        Setting(gain, _EVERYWHERE if sampled else number),
        by_score=bool(values["lambdarank_score_normalization"]),
        by_sum=normalized and not sampled,
        factor=Fraction(1, number) if normalized and sampled else Fraction(1),
    )


def _lambdarank(values: Mapping[str, Value]) -> Rule:
    gains = values["label_gain"]
    table = tuple(map(Fraction, gains)) if isinstance(gains, tuple) else ()
    number, normalized = _whole(values["lambdarank_truncation_level"]), bool(values["lambdarank_norm"])
    return LambdaRule(
        top_pairs,
        number,
        ndcg_change,
        Setting(table.__getitem__ if table else _powers, number),
        Fraction(str(values["sigmoid"])),
        by_score=normalized,
        by_sum=normalized,
    )


def _lambdamart(values: Mapping[str, Value]) -> Rule:
    sigma, norm = Fraction(str(values["sigma"])), bool(values["norm"])
    setting = Setting(Fraction, _EVERYWHERE)
    return LambdaRule(top_pairs, _EVERYWHERE, ndcg_change, setting, sigma, by_score=norm, by_sum=norm)


def _whole(value: Value) -> int:
    assert isinstance(value, int)
    return value


def _powers(grade: int) -> Fraction:
    return Fraction(2**grade - 1)


def _field(
    name: str,
    read: tuple[str, str],
    formula: str,
    note: str,
    parameters: tuple[str, ...],
    build: Callable[[Mapping[str, Value]], Rule],
    highest: int = 30,
) -> GradientField:
    defaults = {name: PARAMETERS[name].default for name in parameters}
    return GradientField(name, read[0], formula, read[1], note, highest, defaults, build)


# fmt: off
_SHIPPED: Final = (
    _field("xgboost:rank:pairwise", _XGBOOST_READ, f"-{_FORCE}; {_SCALED}", _SUM_NOTE,
        _XGBOOST, lambda values: _xgboost(values, no_metric)),
    _field("xgboost:rank:ndcg", _XGBOOST_READ, f"-|change of NDCG| {_FORCE}; {_SCALED}", _JUMP_NOTE,
        (*_XGBOOST, "ndcg_exp_gain"), lambda values: _xgboost(values, ndcg_change)),
    _field("xgboost:rank:map", _XGBOOST_READ, f"-|change of average precision| {_FORCE}; {_SCALED}",
        _JUMP_NOTE, _XGBOOST, lambda values: _xgboost(values, average_precision_change), highest=1),
    _field("lightgbm:lambdarank", _LIGHTGBM_READ, f"-|change of NDCG| {_FORCE}; {_SCALED}", _JUMP_NOTE,
        _LIGHTGBM, _lambdarank),
    _field("lightgbm:rank_xendcg", _LIGHTGBM_READ,
        "t + r (1t' - t') + r (1t'' - t''), t = r - E x/1x, r = softmax(u), t' = t/(1 - r), "
        "t'' = r (1t' - t')/(1 - r), x_i uniform in (2^s_i - 1, 2^s_i]",
        "its targets are drawn anew at each step (this is the expectation), and two more terms of a Newton "
        "step are added, so that the slopes are not symmetric: it is the gradient of no loss",
        (), lambda values: expected_gradient),
    _field("catboost:LambdaMart", _CATBOOST_READ, f"-|change of NDCG with gains s| {_FORCE}; {_SCALED}",
        _JUMP_NOTE, ("sigma", "norm"), _lambdamart),
)
# fmt: on


# --- Fixed losses that libraries ship, as fields ---------------------------------------------------------
# Those that are not convex, and one that no family holds.

_TF: Final = (
    "0.5.5.dev",
    "TensorFlow Ranking 0.5.5.dev (commit 5b1d1338c), tensorflow_ranking/python/losses_impl.py",
)
_RAX: Final = ("0.4.0", "Rax 0.4.0 (commit a0a3b334b), rax/_src/losses.py")
_ALLRANK: Final = ("1.4.3", "allRank 1.4.3 (commit c88475661), allrank/models/losses/approxNDCG.py")
_NOT_CONVEX: Final = (
    "it is the gradient of a fixed loss that is not convex: descent may stand still where the loss is not "
    "least"
)
_FADES: Final = f"{_NOT_CONVEX}; it also fades away as scores move apart"
_POSITIONS: Final = "r_i = 1 + sum over j != i of 1/(1 + exp((u_i - u_j)/T))"
_MATRIX: Final = "P_k = softmax((m + 1 - 2k) u_i - sum_j |u_i - u_j|)"
_HIGHEST: Final = 30


def _loss(
    name: str,
    source: tuple[str, str],
    formula: str,
    note: str,
    parameters: Mapping[str, str],
    gradient: Callable[..., Gradient],
) -> GradientField:
    def build(values: Mapping[str, Value]) -> Rule:
        exact = {key: Fraction(str(value)) for key, value in values.items()}

        def piece(label: Label, ranking: Prediction) -> SmoothPiece:
            with working_precision(PRECISION):
                return SmoothPiece(gradient(label, ranking, **exact))

        return piece

    version, citation = source
    defaults = dict(parameters)
    says = f"the gradient of {formula}"
    return GradientField(name, version, says, citation, note, _HIGHEST, defaults, build)


# fmt: off
LOSS_FIELDS: Final = (
    _loss("tf-ranking:pairwise_soft_zero_one_loss", _TF,
        "the sum over s_i > s_j of 1/(1 + exp((u_i - u_j)/T))",
        _FADES, {"temperature": "1"}, partial(soft_count, normalized="none")),
    _loss("tf-ranking:approx_ndcg_loss", _TF, f"- sum_i (2^s_i - 1)/Z / log2(1 + r_i), {_POSITIONS}",
        _FADES, {"temperature": "1/10"}, partial(smooth_metric, metric="ndcg")),
    _loss("tf-ranking:approx_mrr_loss", _TF, f"- sum_i (s_i / sum s) / r_i, {_POSITIONS}",
        _FADES, {"temperature": "1/10"}, partial(smooth_metric, metric="mrr")),
    _loss("tf-ranking:neural_sort_cross_entropy_loss", _TF,
        f"the mean over k of - sum_i P_ki(s) log P_ki(u/T), {_MATRIX}",
        _NOT_CONVEX, {"temperature": "1"}, sorted_rows),
    _loss("tf-ranking:neural_sort_ndcg_loss", _TF,
        f"- sum_k (1/log2(1 + k)) sum_i P_ki(u/T) (2^s_i - 1)/Z, {_MATRIX}",
        _FADES, {"temperature": "1"}, sorted_gains),
    _loss("rax:poly1_softmax_loss", _RAX,
        "- sum_i s_i log r_i + epsilon (1 - sum_i (s_i / sum s) r_i), r = softmax(u)",
        "it is the gradient of a fixed loss that is convex in the softmax, so that its mean vanishes only "
        "where that loss is least",
        {"epsilon": "1"}, poly_softmax),
    _loss("rax:pairwise_soft_zero_one_loss", _RAX, "the mean over s_i > s_j of 1/(1 + exp(u_i - u_j))",
        _FADES, {}, partial(soft_count, normalized="pairs")),
    _loss("allrank:approxNDCGLoss", _ALLRANK,
        "- sum_i (2^s_i - 1)/Z / log2(1 + r_i), r_i = 1 + sum over j != i of 1/(1 + exp(alpha (u_i - u_j)))",
        _FADES, {"alpha": "1"},
        lambda label, ranking, alpha: smooth_metric(label, ranking, "ndcg", 1 / alpha)),
)
# fmt: on
"""Losses by the names that their libraries use."""

FIELDS: Final[Mapping[str, GradientField]] = MappingProxyType(
    {entry.name: entry for entry in (*_SHIPPED, *LOSS_FIELDS)}
)
"""Shipped objectives by name."""


def field(name: str, **parameters: object) -> GradientField:
    """A shipped objective, with other parameters than its defaults if they are given.

    Examples
    --------
    >>> field("lightgbm:lambdarank").parameters["lambdarank_truncation_level"]
    30
    """
    found = FIELDS.get(name)
    if found is None:
        near = get_close_matches(name, FIELDS, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(FIELDS)}"
        raise InputError(f"there is no gradient field {name!r}; {hint}")
    return found.with_parameters(**parameters)
