"""Losses of allRank."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Final

from consistency_lab.model.surrogates.tasks.libraries.entry import (
    LIST_MLE,
    LOGISTIC_PAIRS,
    MEAN_LOGISTIC_PAIRS,
    ORDINAL,
    SIGMOID,
    SQUARES,
    Entry,
    Release,
)
from consistency_lab.model.surrogates.tasks.listwise import Softmax
from consistency_lab.model.surrogates.tasks.pairs import PairsSurrogate
from consistency_lab.model.surrogates.tasks.relaxed import SmoothPositions

RELEASE: Final = Release("allrank", "allegro/allRank", "1.4.3", "c88475661cb72db292d13283fdbc4f2ae6498ee4")
"""What was read."""

_FOLDER: Final = "allrank/models/losses"
_EPS: Final[Mapping[str, str]] = MappingProxyType({"eps": "1e-10"})
_NEURAL: Final[Mapping[str, str]] = MappingProxyType(
    {"temperature": "1.0", "powered_relevancies": "True", "k": "None", "stochastic": "False"}
)
_DIFFERENCE: Final = PairsSurrogate("logistic-difference", LOGISTIC_PAIRS.phi, "difference")
_MEAN_DIFFERENCE: Final = replace(_DIFFERENCE, name="logistic-difference-mean", normalized="pairs")
_SQUARED: Final = replace(_DIFFERENCE, name="logistic-square-difference", weights="square-difference")
_MEAN_SQUARED: Final = replace(_SQUARED, name="logistic-square-difference-mean", normalized="pairs")
_SINKHORN: Final = (
    "It is not convex, and the number of its rescaling steps, up to 50, depends on the scores through a "
    "tolerance, so that it jumps: nothing here is a certificate for it."
)
_PER_BATCH: Final = (
    "The mean is over all pairs of a batch: with one list a batch, each list is divided by the number "
    "of its pairs, which is another loss (the row of the default); in large batches the divisor is "
    "nearly constant, which leaves the plain one."
)

_entry: Final = partial(Entry, RELEASE)

# fmt: off
ENTRIES: Final = (
    _entry(f"{_FOLDER}/listNet.py", "listNet",
        "- sum_i softmax_i(s) log(softmax_i(u) + 1e-10)",
        Softmax("exp", "listnet"), "same",
        "The grades pass through a softmax first, so a list without relevant items pulls all scores "
        "together; the 1e-10 shifts the minimizer without changing its order as long as all means are above "
        "it.",
        _EPS),
    _entry(f"{_FOLDER}/binary_listNet.py", "binary_listNet",
        "- sum_i (s_i / sum s) log(softmax_i(u) + 1e-10)",
        Softmax(), "same",
        "The grades are divided by their sum, and a list whose grades are all 0 contributes nothing; it "
        "accepts graded labels as well.",
        _EPS),
    _entry(f"{_FOLDER}/listMLE.py", "listMLE",
        "- log of the Plackett-Luce chance of the order of the grades, ties in a random order",
        LIST_MLE, "same",
        "Ties are broken by a random permutation, drawn anew for each batch, so what is minimized is the "
        "average over the orders of tied items (up to the 1e-10 in its logarithms).",
        _EPS),
    _entry(f"{_FOLDER}/rankNet.py", "rankNet",
        "mean over s_i > s_j of log(1 + exp(-(u_i - u_j)))",
        LOGISTIC_PAIRS, "loss", _PER_BATCH, {"weight_by_diff": "False", "weight_by_diff_powed": "False"},
        MEAN_LOGISTIC_PAIRS),
    _entry(f"{_FOLDER}/rankNet.py", "rankNet_weightByGTDiff",
        "mean over s_i > s_j of (s_i - s_j) log(1 + exp(-(u_i - u_j)))",
        _DIFFERENCE, "loss", _PER_BATCH, {"weight_by_diff": "True"}, _MEAN_DIFFERENCE),
    _entry(f"{_FOLDER}/rankNet.py", "rankNet_weightByGTDiff_pow",
        "mean over s_i > s_j of (s_i^2 - s_j^2) log(1 + exp(-(u_i - u_j)))",
        _SQUARED, "loss", _PER_BATCH, {"weight_by_diff_powed": "True"}, _MEAN_SQUARED),
    _entry(f"{_FOLDER}/lambdaLoss.py", "lambdaLoss",
        "sum over s_i > s_j of log2(1 + exp(-(u_i - u_j)))",
        LOGISTIC_PAIRS, "same",
        "Without a weighing_scheme it is RankNet, a sum and not a mean over pairs; its lambdaRank and "
        "ndcgLoss schemes weigh pairs by the present ranking, and then no fixed loss is minimized.",
        {"weighing_scheme": "None", "k": "None", "sigma": "1.0", "mu": "10.0", "reduction": "sum",
         "reduction_log": "binary", **_EPS}),
    _entry(f"{_FOLDER}/approxNDCG.py", "approxNDCGLoss",
        "- NDCG with the smooth positions 1 + sum_j sigma(u_j - u_i)",
        SmoothPositions(name="approx-ndcg-1"), "descent",
        "It is not convex, and its gradient fades as scores move apart, so descent may stop in a wrong "
        "order; as a loss it comes near its infimum far out, in the orders that sort E[(2^s_i - 1)/Z] and "
        "in no others, up to the 1e-10 below which it cuts off sigma.",
        {**_EPS, "alpha": "1.0"}),
    _entry(f"{_FOLDER}/neuralNDCG.py", "neuralNDCG",
        "- NDCG of the gains sorted by a smooth, rescaled permutation matrix of the scores",
        None, "unsupported", _SINKHORN, _NEURAL),
    _entry(f"{_FOLDER}/neuralNDCG.py", "neuralNDCG_transposed",
        "- NDCG with the discounts spread by a smooth, rescaled permutation matrix of the scores",
        None, "unsupported", _SINKHORN, {**_NEURAL, "max_iter": "50", "tol": "1e-06"}),
    _entry(f"{_FOLDER}/pointwise.py", "pointwise_rmse",
        "sqrt(mean over i of (s_i - n u_i)^2), then the mean over lists",
        SQUARES, "unsupported",
        "The root is taken list by list, so the scores aim at the spatial median of the labels and not at "
        "their mean: a label with probability 1/2 or more is fitted whatever the others are; the plain loss "
        "leaves the root out.",
        {"no_of_levels": "(required)"}),
    _entry(f"{_FOLDER}/ordinal.py", "ordinal",
        "sum over i and k = 1..n of the binary cross-entropy of 1(s_i >= k) and the output p_ik",
        ORDINAL, "same",
        "It has n outputs an item, whose minimizers are P(s_i >= k); the library ranks by their sum, which "
        "for n at least the highest grade is E s_i, so it orders items as least squares on the grades does.",
        {"n": "(required)"}),
    _entry(f"{_FOLDER}/bce.py", "bce",
        "sum_i -s_i log p_i - (1 - s_i) log(1 - p_i), p_i the output in (0,1)",
        SIGMOID, "same",
        "Its outputs are chances, after a sigmoid in the model; labels other than 0 and 1 do not fit.",
        {}, binary=True),
)
# fmt: on
"""Its losses."""
