"""Fixed losses that libraries ship, as fields: those that are not convex, and one that no family holds."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from consistency_lab.model.surrogates.tasks.fields.base import GradientField
from consistency_lab.model.surrogates.tasks.fields.parameters import Value
from consistency_lab.model.surrogates.tasks.fields.permutations import SortedGains, SortedRows
from consistency_lab.model.surrogates.tasks.fields.poly import PolySoftmax
from consistency_lab.model.surrogates.tasks.fields.positions import SmoothMetric, SoftCount
from consistency_lab.model.surrogates.tasks.fields.smooth import Formula, SmoothRule

_TF_VERSION: Final = "0.5.5.dev"
_TF_SOURCE: Final = (
    "TensorFlow Ranking 0.5.5.dev (commit 5b1d1338c), tensorflow_ranking/python/losses_impl.py"
)
_RAX_VERSION: Final = "0.4.0"
_RAX_SOURCE: Final = "Rax 0.4.0 (commit a0a3b334b), rax/_src/losses.py"
_ALLRANK_VERSION: Final = "1.4.3"
_ALLRANK_SOURCE: Final = "allRank 1.4.3 (commit c88475661), allrank/models/losses/approxNDCG.py"
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
    build: Callable[[Mapping[str, Fraction]], Formula],
) -> GradientField:
    def rule(values: Mapping[str, Value]) -> SmoothRule:
        return SmoothRule(build({key: Fraction(str(value)) for key, value in values.items()}))

    version, citation = source
    return GradientField(
        name=name,
        version=version,
        formula=f"the gradient of {formula}",
        citation=citation,
        note=note,
        highest=_HIGHEST,
        parameters=MappingProxyType(dict(parameters)),
        build=rule,
    )


_TF: Final = (_TF_VERSION, _TF_SOURCE)
_RAX: Final = (_RAX_VERSION, _RAX_SOURCE)

LOSS_FIELDS: Final = (
    _loss(
        "tf-ranking:pairwise_soft_zero_one_loss",
        _TF,
        "the sum over s_i > s_j of 1/(1 + exp((u_i - u_j)/T))",
        _FADES,
        {"temperature": "1"},
        lambda values: SoftCount(values["temperature"], "none"),
    ),
    _loss(
        "tf-ranking:approx_ndcg_loss",
        _TF,
        f"- sum_i (2^s_i - 1)/Z / log2(1 + r_i), {_POSITIONS}",
        _FADES,
        {"temperature": "1/10"},
        lambda values: SmoothMetric("ndcg", values["temperature"]),
    ),
    _loss(
        "tf-ranking:approx_mrr_loss",
        _TF,
        f"- sum_i (s_i / sum s) / r_i, {_POSITIONS}",
        _FADES,
        {"temperature": "1/10"},
        lambda values: SmoothMetric("mrr", values["temperature"]),
    ),
    _loss(
        "tf-ranking:neural_sort_cross_entropy_loss",
        _TF,
        f"the mean over k of - sum_i P_ki(s) log P_ki(u/T), {_MATRIX}",
        _NOT_CONVEX,
        {"temperature": "1"},
        lambda values: SortedRows(values["temperature"]),
    ),
    _loss(
        "tf-ranking:neural_sort_ndcg_loss",
        _TF,
        f"- sum_k (1/log2(1 + k)) sum_i P_ki(u/T) (2^s_i - 1)/Z, {_MATRIX}",
        _FADES,
        {"temperature": "1"},
        lambda values: SortedGains(values["temperature"]),
    ),
    _loss(
        "rax:poly1_softmax_loss",
        _RAX,
        "- sum_i s_i log r_i + epsilon (1 - sum_i (s_i / sum s) r_i), r = softmax(u)",
        "it is the gradient of a fixed loss that is convex in the softmax, so that its mean vanishes only "
        "where that loss is least",
        {"epsilon": "1"},
        lambda values: PolySoftmax(values["epsilon"]),
    ),
    _loss(
        "rax:pairwise_soft_zero_one_loss",
        _RAX,
        "the mean over s_i > s_j of 1/(1 + exp(u_i - u_j))",
        _FADES,
        {},
        lambda values: SoftCount(Fraction(1), "pairs"),
    ),
    _loss(
        "allrank:approxNDCGLoss",
        (_ALLRANK_VERSION, _ALLRANK_SOURCE),
        "- sum_i (2^s_i - 1)/Z / log2(1 + r_i), r_i = 1 + sum over j != i of 1/(1 + exp(alpha (u_i - u_j)))",
        _FADES,
        {"alpha": "1"},
        lambda values: SmoothMetric("ndcg", 1 / values["alpha"]),
    ),
)
"""Losses by the names that their libraries use."""
