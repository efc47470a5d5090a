"""Ranking objectives of XGBoost."""

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import Final

from consistency_lab.model.surrogates.tasks.libraries.entry import LOGISTIC_PAIRS, SQUARES, Entry, Release

RELEASE: Final = Release("xgboost", "dmlc/xgboost", "3.4.1", "6fe8c547bdd21c73e4555d85b087d9260595d30d")
"""What was read."""

# lambdarank_num_pair_per_sample is unset in src/common/ranking_utils.h, which means 32 for topk.
_RANKING: Final[Mapping[str, str]] = MappingProxyType(
    {
        "lambdarank_pair_method": "topk",
        "lambdarank_num_pair_per_sample": "32",
        "lambdarank_normalization": "true",
        "lambdarank_score_normalization": "true",
        "lambdarank_unbiased": "false",
    }
)
_FILE: Final = "src/objective/lambdarank_obj.cc"
_FIELD: Final = "gradient: log2(1+S)/S * sum over s_i > s_j of -D_ij sigma(u_j - u_i)/(|u_i - u_j| + 0.01)"

_entry: Final = partial(Entry, RELEASE, _FILE)

# fmt: off
ENTRIES: Final = (
    _entry("rank:pairwise", f"{_FIELD}, D_ij = 1, S = twice the sum of the pairs' gradients", LOGISTIC_PAIRS,
        "field",
        "By default each pair's gradient is divided by |u_i - u_j| + 0.01 and each list's is rescaled by "
        "its own sum S, which already for one pair is the gradient of no convex loss; with both "
        "normalizations off, and at most 33 items a list (topk pairs start at the 32 best), it is the plain "
        "loss.",
        _RANKING),
    _entry("rank:ndcg", f"{_FIELD}, D_ij = |change of NDCG@32 if i and j swap places in the present ranking|",
        LOGISTIC_PAIRS, "field",
        "The weight of a pair depends on the present ranking, so that even with both normalizations off "
        "this is a gradient field with jumps and not the minimization of a fixed loss; the plain loss is "
        "what is left without these weights.",
        {**_RANKING, "ndcg_exp_gain": "true"}),
    _entry("rank:map",
        f"{_FIELD}, D_ij = |change of average precision if i and j swap places in the present ranking|",
        LOGISTIC_PAIRS, "field",
        "As rank:ndcg with the change of average precision as the weight; labels other than 0 and 1 are "
        "refused.",
        _RANKING, binary=True),
    Entry(RELEASE, "src/objective/regression_loss.h", "reg:squarederror", "sum_i (u_i - s_i)^2 / 2", SQUARES,
        "same",
        "Pointwise: the lists play no part, and the grades themselves are fitted, not their gains.",
        {}),
)
# fmt: on
"""Its objectives."""
