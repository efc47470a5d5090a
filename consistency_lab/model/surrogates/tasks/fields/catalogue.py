"""The ranking objectives that XGBoost and LightGBM ship, with their default parameters."""

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from consistency_lab.errors import InputError
from consistency_lab.model.surrogates.tasks.fields.lambdas import (
    LambdaRule,
    PairRule,
    Setting,
    Swap,
    average_precision_change,
    expected_gradient,
    ndcg_change,
    no_metric,
    sampled_pairs,
    top_pairs,
)
from consistency_lab.model.surrogates.tasks.fields.losses import LOSS_FIELDS
from consistency_lab.model.surrogates.tasks.fields.written import PARAMETERS, GradientField, Rule, Value

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
    defaults = MappingProxyType({name: PARAMETERS[name].default for name in parameters})
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
)
# fmt: on

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
