"""Losses of TensorFlow Ranking."""

from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from types import MappingProxyType
from typing import Final

from consistency_lab.model.surrogates.tasks.libraries.entry import (
    HINGE_PAIRS,
    LIST_MLE,
    LOGISTIC_PAIRS,
    ORDINAL,
    SIGMOID,
    SOFT_PAIRS,
    SOFTMAX,
    SQUARED_PAIRS,
    SQUARES,
    UNIQUE_SOFTMAX,
    Entry,
    Release,
)
from consistency_lab.model.surrogates.tasks.pointwise import OrdinalSurrogate
from consistency_lab.model.surrogates.tasks.relaxed import SmoothPositions

RELEASE: Final = Release(
    "tf-ranking", "tensorflow/ranking", "0.5.5.dev", "5b1d1338c1cb76507466d062e2d48bae57b17ac4"
)
"""What was read."""

_KERAS: Final = "tensorflow_ranking/python/keras/losses.py"
_IMPLEMENTATION: Final = "tensorflow_ranking/python/losses_impl.py"
_POINTWISE: Final[Mapping[str, str]] = MappingProxyType({"reduction": "auto (sum over batch size)"})
_LIST: Final[Mapping[str, str]] = MappingProxyType(
    {**_POINTWISE, "lambda_weight": "None", "temperature": "1.0"}
)
_SMOOTH: Final[Mapping[str, str]] = MappingProxyType({**_LIST, "temperature": "0.1"})
_GUMBEL: Final[Mapping[str, str]] = MappingProxyType({"sample_size": "8", "gumbel_temperature": "1.0"})
_ESTIMATOR: Final[Mapping[str, str]] = MappingProxyType(
    {"reduction": "sum by nonzero weights", "lambda_weight": "None"}
)
_PAIRS: Final = (
    "Keras divides the sum over pairs by the number of items in the batch, not by the number of pairs, "
    "so lists of one length keep the plain loss; the estimator of the same name divides by the number "
    "of pairs in the batch."
)
_APPROXIMATE: Final = SmoothPositions("ndcg", Fraction(1, 10), "approx-ndcg-10")
_NOT_CONVEX: Final = (
    "It is not convex, and no infimum is known here, so it is looked at as a gradient field alone: descent "
    "may stand still in a wrong order, which need not be where the loss is least."
)
_FADES: Final = (
    "It is not convex, and its gradient fades as scores move apart, so descent may stop in a wrong order; as "
    "a loss it comes near its infimum far out, in the orders that {}, and in no others."
)

_entry: Final = partial(Entry, RELEASE, _KERAS)

# fmt: off
ENTRIES: Final = (
    _entry("pairwise_hinge_loss",
        "sum over s_i > s_j of max(0, 1 - (u_i - u_j))",
        HINGE_PAIRS, "same", _PAIRS, _LIST),
    _entry("pairwise_logistic_loss",
        "sum over s_i > s_j of log(1 + exp(-(u_i - u_j)))",
        LOGISTIC_PAIRS, "same", _PAIRS, _LIST),
    _entry("pairwise_soft_zero_one_loss",
        "sum over s_i > s_j of 1/(1 + exp(u_i - u_j))",
        SOFT_PAIRS, "descent", _FADES.format("have the fewest wrong pairs on average"), _LIST),
    _entry("pairwise_mse_loss",
        "sum over i != j of ((s_i - s_j) - (u_i - u_j))^2",
        SQUARED_PAIRS, "same",
        "All pairs count, also those of equal grades.",
        _LIST),
    _entry("yeti_logistic_loss",
        "sum over neighbors i, j in the ranking by u + Gumbel noise, s_i > s_j, of w_ij log(1 + exp(-(v_i - "
        "v_j)))",
        LOGISTIC_PAIRS, "unsupported",
        "Scores are perturbed at random and the weights depend on the perturbed ranking, through which no "
        "gradient flows, so no fixed loss is minimized; the plain loss is what is left without noise and "
        "weights.",
        {**_LIST, "lambda_weight": "YetiDCGLambdaWeight", **_GUMBEL}),
    _entry("softmax_loss", "- sum_i s_i log softmax_i(u)", SOFTMAX, "same",
        "The grades are divided by their sum and the list is then weighted by that sum, which leaves them "
        "as they are: lists with higher grades weigh more.",
        _LIST),
    _entry("calibrated_softmax_loss",
        "- sum_i s_i log softmax_i(u, 0), one more item with score 0 and grade virtual_label",
        SOFTMAX, "same",
        "With its default virtual_label = 0 the infimum lies at infinity, where the extra item has no "
        "share, and the scores on the way there are ordered by E s, as in the plain softmax loss.",
        {**_LIST, "virtual_label": "0.0"}),
    _entry("unique_softmax_loss",
        "sum_i (2^s_i - 1) (log(exp(u_i) + sum over s_j < s_i of exp(u_j)) - u_i)",
        UNIQUE_SOFTMAX, "same",
        "The gains 2^s - 1 belong to the loss, whatever gain the target has.",
        _LIST),
    _entry("sigmoid_cross_entropy_loss",
        "mean over i of -s_i log sigma(u_i) - (1 - s_i) log(1 - sigma(u_i))",
        SIGMOID, "same",
        "Grades are used as they are: an item with E s_i > 1 makes the loss unbounded below, so labels have "
        "to be 0 and 1, as its documentation says.",
        _POINTWISE, binary=True),
    _entry("mean_squared_loss", "mean over i of (s_i - u_i)^2", SQUARES, "same",
        "Pointwise: the lists play no part, and the grades themselves are fitted, not their gains.",
        _POINTWISE),
    _entry("ordinal_loss",
        "sum over k = 1..ordinal_size of the binary cross-entropy of 1(s_i >= k) and sigma(u_ik)",
        ORDINAL, "loss",
        "Its default ordinal_size = 1 only tells grade 0 from the others (the row of the default); with as "
        "many thresholds as the highest grade it is the plain loss, if items are ranked by the sum of their "
        "chances, which the library leaves to the user.",
        {**_POINTWISE, "ordinal_size": "1", "use_fraction_label": "False"}, OrdinalSurrogate("ordinal-1", 1)),
    _entry("list_mle_loss",
        "- log of the Plackett-Luce chance of the order of the grades, ties in a random order",
        LIST_MLE, "same",
        "Ties are shuffled in every step, so what is minimized is the average over the orders of tied items.",
        _LIST),
    _entry("approx_ndcg_loss",
        "- NDCG with the smooth positions 1 + sum_{j != i} sigma((u_j - u_i)/temperature)",
        _APPROXIMATE, "descent", _FADES.format("sort E[(2^s_i - 1)/Z], which is what NDCG asks for"),
        _SMOOTH),
    _entry("approx_mrr_loss",
        "- sum_i (s_i / sum s) / (1 + sum_{j != i} sigma((u_j - u_i)/temperature))",
        SmoothPositions("mrr", Fraction(1, 10), "approx-mrr-10"), "descent",
        _FADES.format("sort E[s_i / sum s]"), _SMOOTH),
    _entry("gumbel_approx_ndcg_loss",
        "approx_ndcg_loss at log softmax(u + Gumbel noise)",
        _APPROXIMATE, "unsupported",
        "Scores are perturbed at random, and what is averaged is not convex, so its infimum and its "
        "gradient are not looked at here; the plain loss is what is left without noise.",
        {**_SMOOTH, **_GUMBEL}),
    _entry("coupled_rankdistil_loss",
        "- log of the Plackett-Luce chance of an order drawn with scores s, over the first topk items",
        LIST_MLE, "unsupported",
        "The orders are drawn from a Plackett-Luce model of the grades, not from those that sort them, so "
        "its average has irrational weights; the plain loss draws among the orders that sort the grades.",
        {**_POINTWISE, "sample_size": "8", "topk": "None", "temperature": "1.0"}),
    Entry(RELEASE, _IMPLEMENTATION, "circle_loss",
        "log(1 + sum over s_i > s_j of exp(gamma (a_j (u_j - margin) - a_i (u_i - 1 + margin)))), a_i = [1 "
        "+ margin - u_i]_+, a_j = [u_j + margin]_+, scores cut to [0,1]",
        None, "unsupported",
        "No gradient flows through its weights a_i and a_j, and outside [0,1] the scores get none, so it is "
        "not the minimization of a fixed loss.",
        {**_ESTIMATOR, "gamma": "64", "margin": "0.25"}),
    Entry(RELEASE, _IMPLEMENTATION, "poly_one_softmax_loss",
        "- sum_i s_i (log softmax_i(u) + epsilon softmax_i(u))",
        SOFTMAX, "same",
        "It is convex in the softmax, whose minimizer a_i/(c - epsilon a_i), a = E s, rises with a_i: "
        "another loss than the plain softmax loss, with the same order of the scores.",
        {**_ESTIMATOR, "temperature": "1.0", "epsilon": "1.0"}),
    Entry(RELEASE, _IMPLEMENTATION, "neural_sort_cross_entropy_loss",
        "cross-entropy of the rows of the smooth permutation matrices of grades and of scores",
        None, "field", _NOT_CONVEX, {**_ESTIMATOR, "temperature": "1.0"}),
    Entry(RELEASE, _IMPLEMENTATION, "neural_sort_ndcg_loss",
        "- NDCG of the gains sorted by the smooth permutation matrix of the scores",
        None, "field", _NOT_CONVEX, {**_ESTIMATOR, "temperature": "1.0"}),
)
# fmt: on
"""Its losses."""
