"""The objectives that ranking libraries ship for labels, row by row, as their sources were read."""

from abc import ABC
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from types import MappingProxyType
from typing import Final, Literal

from consistency_lab.errors import InputError
from consistency_lab.frozen import frozen
from consistency_lab.model.labels import Grades
from consistency_lab.model.surrogates.tasks.atoms import (
    ListMleSurrogate,
    PairAbsolute,
    PairsSurrogate,
    UniqueSoftmax,
)
from consistency_lab.model.surrogates.tasks.base import TaskSurrogate
from consistency_lab.model.surrogates.tasks.fields import GradientField, field
from consistency_lab.model.surrogates.tasks.means import (
    OrdinalSurrogate,
    PairSquareSurrogate,
    Regression,
    Sigmoid,
    SmoothPositions,
    Softmax,
    SoftPairs,
)
from consistency_lab.model.tasks.positional import GAIN, Ndcg
from consistency_lab.model.tasks.task import Task
from consistency_lab.numbers.phi import parse

# --- What is known about one objective of a library ------------------------------------------------------

Shipped = Literal["same", "loss", "descent", "field", "unsupported"]
"""What the library minimizes by default, compared with the plain loss.

- "same": the plain loss, up to a positive factor and terms without scores, or one whose minimizers the note
  shows to order the items alike;
- "loss": another fixed loss, named by `LibraryLoss.default`;
- "descent": the plain loss, which is not convex, so that its gradient is looked at as a field too;
- "field": it follows a gradient field, and is not the minimization of the plain loss;
- "unsupported": nothing here decides it, and the note says what it is.
"""

SHIPPED: Final[Mapping[Shipped, str]] = MappingProxyType(
    {
        "same": "the plain loss",
        "loss": "another fixed loss",
        "descent": "the plain loss, not convex",
        "field": "a gradient field",
        "unsupported": "not decided here",
    }
)
"""Each word, as a table says it."""


@frozen
class Release:
    """A library as it was read."""

    library: str  #: What users type for it.
    #: Where its sources are, the version that they call themselves, and the commit.
    repository: str
    version: str
    commit: str
    wheel: str = ""  #: The SHA-256 of the wheel, where that was read, and the commit is not known.

    @property
    def text(self) -> str:
        """In one line."""
        read = f"commit {self.commit[:12]}" if self.commit else f"wheel sha256:{self.wheel[:12]}"
        return f"{self.repository} {self.version}, {read}"


class Objective(ABC):
    """What all objectives have, whatever they are trained on."""

    __slots__ = ()
    release: Release
    file: str
    objective: str
    defaults: Mapping[str, str]

    def __post_init__(self) -> None:
        object.__setattr__(self, "defaults", dict(self.defaults))

    @property
    def library(self) -> str:
        """The library."""
        return self.release.library

    @property
    def name(self) -> str:
        """What a user types."""
        return f"{self.library}:{self.objective}"

    @property
    def citation(self) -> str:
        """Library, version, commit or wheel, and file."""
        return f"{self.release.text}, {self.file}"


@frozen
class LibraryLoss(Objective):
    """One objective of a library."""

    release: Release  #: The library, as it was read.
    file: str  #: The file that was read, within the repository.
    objective: str  #: Its name there.
    formula: str  #: What the shipped default computes for one list of labels s and scores u.
    plain: TaskSurrogate | None  #: The loss underneath, as one of ours; None if there is none.
    shipped: Shipped  #: What the shipped default is, compared with it.
    note: str  #: One sentence that a user should read.
    defaults: Mapping[str, str]  #: The parameters that matter, with their defaults.
    default: TaskSurrogate | None = None  #: The shipped loss, where `shipped` is "loss".
    binary: bool = False  #: Whether the labels have to be 0 and 1.
    #: Whether the gains of the plain loss are 2^s - 1, so that it fits targets with this gain only.
    own_gain: bool = False

    @property
    def field(self) -> GradientField | None:
        """The gradient field that the shipped default follows, where it is looked at as one."""
        return field(self.name) if self.shipped in ("descent", "field") else None

    def check(self, task: Task) -> None:
        """Refuse a task that the library's loss does not fit."""
        if not isinstance(task.space, Grades):
            raise InputError(f"{self.name} needs labels that are grades; these are {task.space.kind}")
        if self.binary and task.space.grades != (0, 1):
            raise InputError(f"{self.name} is for labels 0 and 1; ask with --labels 0..1")
        if self.own_gain and not (isinstance(task, Ndcg) and task.gain == GAIN):
            raise InputError(f"{self.name} has gains of its own, 2**s-1, and {task.title} does not have them")


# --- The losses of ours that libraries share -------------------------------------------------------------

_LOGISTIC, _HINGE = parse("log(1+exp(-x))"), parse("max(0,1-x)")

# RankNet and RankSVM: every pair with different grades; and each list divided by the number of its pairs.
_LOGISTIC_PAIRS: Final = PairsSurrogate("logistic", _LOGISTIC)
_MEAN_LOGISTIC_PAIRS: Final = PairsSurrogate("logistic-mean", _LOGISTIC, normalized="pairs")
_HINGE_PAIRS: Final = PairsSurrogate("hinge", _HINGE)
_MEAN_HINGE_PAIRS: Final = PairsSurrogate("hinge-mean", _HINGE, normalized="pairs")
# A sigmoid for every such pair.
_SOFT_PAIRS: Final = SoftPairs()
_MEAN_SOFT_PAIRS: Final = SoftPairs("pairs", "soft-zero-one-mean")
# Squared differences between differences of scores and of grades; least squares on the grades.
_SQUARED_PAIRS: Final = PairSquareSurrogate()
_SQUARES: Final = Regression("grade", "regression-grade")
# Cross-entropy of the softmax with the grades as they are, and of each item alone.
_SOFTMAX: Final = Softmax("none", "softmax-none")
_SIGMOID: Final = Sigmoid()
# A chance for each threshold, as many as the highest grade, added up.
_ORDINAL: Final = OrdinalSurrogate()
# Plackett-Luce likelihood, averaged over the orders of tied items.
_LIST_MLE: Final = ListMleSurrogate()
# Each item against the items with lower grades, weighted by its gain.
_UNIQUE_SOFTMAX: Final = UniqueSoftmax()


# --- What each library ships ---

_POINTWISE_NOTE: Final = (
    "Each item is fitted alone, lists play no role, and the targets are grades, not gains."
)
_OWN_GAINS: Final = "The gains 2^s - 1 belong to the loss, whatever gain the target has."
_ZERO_ONE: Final = "Grades above 1 do not fit: an item with E s_i > 1 makes the loss unbounded below."
_NOT_CONVEX: Final = (
    "The loss is not convex and its infimum is not known here, so only its gradient is examined: descent may "
    "stop in a wrong order, which need not be where the loss is least."
)
_FADES: Final = (
    "The loss is not convex and its gradient fades as scores move apart, so descent may stop in a wrong "
    "order; the loss approaches its infimum only far out, in exactly the orders that {}."
)
_PER_LIST: Final = (
    "The mean runs over all pairs of a {}: for one list at a time, each list is divided by the number of its "
    "pairs (the shipped loss here); in large batches the divisor is nearly constant, and the loss is the "
    "plain one."
)
_MIXED_TIES: Final = (
    "Ties are shuffled at every step, so the loss is the average over the orders of tied items."
)

# fmt: off

# XGBoost

_XGBOOST: Final = Release("xgboost", "dmlc/xgboost", "3.4.1", "6fe8c547bdd21c73e4555d85b087d9260595d30d")
# lambdarank_num_pair_per_sample is unset in src/common/ranking_utils.h, which means 32 for topk.
_RANKING: Final = {
    "lambdarank_pair_method": "topk", "lambdarank_num_pair_per_sample": "32",
    "lambdarank_normalization": "true", "lambdarank_score_normalization": "true",
    "lambdarank_unbiased": "false",
}
_FIELD: Final = "gradient: log2(1+S)/S * sum over s_i > s_j of -D_ij sigma(u_j - u_i)/(|u_i - u_j| + 0.01)"
_SWAP: Final = "D_ij = |change of {} if i and j swap places in the current ranking|"
_SUM: Final = "S = twice the sum of the pairs' gradients"

_xgb: Final = partial(LibraryLoss, _XGBOOST, "src/objective/lambdarank_obj.cc")

_XGBOOST_ENTRIES: Final = (
    _xgb("rank:pairwise", f"{_FIELD}, D_ij = 1, {_SUM}", _LOGISTIC_PAIRS, "field",
        "By default each pair's gradient is divided by |u_i - u_j| + 0.01 and each list is rescaled by its "
        "own sum S, which even for one pair is the gradient of no convex loss; with both normalizations off, "
        "and lists of at most 33 items (topk forms pairs with the best 32), it is the plain loss.",
        _RANKING),
    _xgb("rank:ndcg", f"{_FIELD}, {_SWAP.format('NDCG@32')}", _LOGISTIC_PAIRS, "field",
        "The weight of a pair depends on the current ranking, so even with both normalizations off this is a "
        "gradient field with jumps that minimizes no fixed loss; the plain loss leaves the weights out.",
        {**_RANKING, "ndcg_exp_gain": "true"}),
    _xgb("rank:map", f"{_FIELD}, {_SWAP.format('average precision')}", _LOGISTIC_PAIRS, "field",
        "Like rank:ndcg, weighted by the change of average precision; only labels 0 and 1 are accepted.",
        _RANKING, binary=True),
    LibraryLoss(_XGBOOST, "src/objective/regression_loss.h", "reg:squarederror", "sum_i (u_i - s_i)^2 / 2",
        _SQUARES, "same", _POINTWISE_NOTE, {}),
)

# LightGBM

_LIGHTGBM: Final = Release(
    "lightgbm", "lightgbm-org/LightGBM", "4.7.0", "8f7036f03627054d5a54a6f965b13f4b9ff2cb63"
)

_lightgbm: Final = partial(LibraryLoss, _LIGHTGBM, "src/objective/rank_objective.hpp")

_LIGHTGBM_ENTRIES: Final = (
    _lightgbm("lambdarank",
        f"{_FIELD}, {_SWAP.format('NDCG@30')}, {_SUM}; sigma is read from a table of 2^20 steps on [-25, 25]",
        _LOGISTIC_PAIRS, "field",
        "The weight of a pair depends on the current ranking, and lambdarank_norm divides it by |u_i - u_j| "
        "+ 0.01 and rescales each list by its own sum S, so this is a gradient field with jumps that "
        "minimizes no fixed loss; the plain loss leaves weights and normalization out.",
        {"lambdarank_norm": "true", "lambdarank_truncation_level": "30", "sigmoid": "1.0",
         "label_gain": "0,1,3,7,15,31,63,...,2^30-1", "lambdarank_position_bias_regularization": "0.0"}),
    _lightgbm("rank_xendcg",
        "gradient: (I + B + B^2)(rho - P), rho = softmax(u), P = (2^s - g) divided by its sum, g_i uniform "
        "on [0,1) and drawn anew each step, B_ij = rho_i/(1 - rho_j) for i != j",
        Softmax("gain-sum", "softmax-gain-sum"), "field",
        "The matrix I + B + B^2 depends on the scores alone and is invertible (B is similar to a symmetric "
        "matrix), so the mean step is zero exactly where softmax(u) = E P, an irrational mean over g; the "
        "plain loss is the softmax cross-entropy at g = 1, the end of that range.",
        {"objective_seed": "5"}, own_gain=True),
    LibraryLoss(_LIGHTGBM, "src/objective/regression_objective.hpp", "regression", "sum_i (u_i - s_i)^2 / 2",
        _SQUARES, "same", _POINTWISE_NOTE, {"reg_sqrt": "false", "boost_from_average": "true"}),
)

# CatBoost: error_functions as of this commit, the other files as of earlier ones, the last to be had.
# tests/model/test_catboost.py compares every formula with the wheel of the version.

_CATBOOST: Final = Release(
    "catboost", "catboost/catboost", "1.2.10", "460a799fbb6f91736143eff4fc43f5e6149947e2"
)
_ALGO: Final = "catboost/private/libs/algo_helpers/error_functions"
_YETI: Final = {
    "mode": "Classic", "permutations": "10", "decay": "0.85", "noise": "Gumbel", "num_neighbors": "1"
}
_YETI_FORMULA: Final = (
    "sum over s_i > s_j of w_ij log(1 + exp(-(u_i - u_j))), w_ij the mean over 10 rankings by u + noise of "
    "0.15 * 0.85^(k-1) (s_i - s_j) if i and j are at positions k and k + 1, else 0"
)
_YETI_NOTE: Final = (
    "The weights are drawn again at every step, from rankings by scores with logistic noise (named Gumbel), "
    "and their mean is an integral that no certificate here evaluates; the modes DCG, NDCG, MRR and ERR "
    "weigh neighbors by the change of that metric, with gains s, and MAP weighs them by 1/k."
)

_catboost: Final = partial(LibraryLoss, _CATBOOST, f"{_ALGO}.h")

_CATBOOST_ENTRIES: Final = (
    _catboost("PairLogit", "sum over s_i > s_j of log(1 + exp(-(u_i - u_j)))", _LOGISTIC_PAIRS, "same",
        "Without pairs of your own, every pair of different grades in a list counts once.",
        {"max_pairs": "all"}),
    _catboost("PairLogitPairwise", "sum over s_i > s_j of log(1 + exp(-(u_i - u_j)))",
        _LOGISTIC_PAIRS, "same",
        "The loss of PairLogit; only the choice of splits and leaf values differs.", {"max_pairs": "all"}),
    LibraryLoss(_CATBOOST, f"{_ALGO}.cpp", "QuerySoftMax", "- sum_i s_i log softmax_i(u)", _SOFTMAX, "same",
        "The grades are not divided by their sum, so lists with higher grades weigh more; lambda only enters "
        "the second derivatives.", {"beta": "1", "lambda": "0.01"}),
    _catboost("QueryRMSE", "sum_i (r_i - mean r)^2, r = s - u", _SQUARED_PAIRS, "same",
        "A list of n items contributes the squares of all differences of pairs, divided by n.", {}),
    LibraryLoss(_CATBOOST, "catboost/libs/metrics/metric.cpp", "QueryCrossEntropy",
        "(1 - alpha) C(u) + alpha min over t of C(u + t), C the mean of -s_i log sigma(u_i) - (1 - s_i) "
        "log(1 - sigma(u_i)); the second term only for lists with two labels",
        _SIGMOID, "unsupported",
        "It trains on GPUs only, and the best shift t solves an equation for each label that no certificate "
        "here knows; the plain loss is alpha = 0.",
        {"alpha": "0.95"}, binary=True),
    *(LibraryLoss(_CATBOOST, "catboost/private/libs/algo/yetirank_helpers.cpp", name, _YETI_FORMULA,
        _LOGISTIC_PAIRS, "unsupported", _YETI_NOTE, _YETI) for name in ("YetiRank", "YetiRankPairwise")),
    LibraryLoss(_CATBOOST, f"{_ALGO}.cpp", "LambdaMart",
        f"{_FIELD}, {_SWAP.format('NDCG with gains s')}, {_SUM}", _LOGISTIC_PAIRS, "field",
        "Newton steps, the default, follow this field, a gradient field with jumps that minimizes no fixed "
        "loss; its derivatives have the wrong sign, so leaf_estimation_method=Gradient, or an l2_leaf_reg "
        "above the second derivatives of a leaf, trains the reverse order.",
        {"metric": "NDCG", "sigma": "1", "norm": "true", "top": "-1", "type": "Base"}),
    _catboost("StochasticFilter",
        "- E sum_i x_i s_i / (x_1 + ... + x_i), x_i = 1 with probability sigma(u_i), else 0",
        None, "unsupported",
        "It learns which items to keep, not an order: the kept items stay in the order of the input.",
        {"sigma": "1", "num_estimations": "1"}),
    LibraryLoss(_CATBOOST, f"{_ALGO}.cpp", "StochasticRank",
        "- E metric of the ranking by u - mu s + Gaussian noise, by its gradient without the part along u",
        None, "unsupported",
        "The metric is DCG, NDCG, PFound, FilteredDCG, ERR or MRR; the gradient is a sampled mean of normal "
        "densities, which no certificate here evaluates, and its part along u is removed.",
        {"metric": "(required)", "sigma": "1", "num_estimations": "1", "mu": "0", "nu": "0.01",
         "lambda": "1 (FilteredDCG: 0)"}),
    _catboost("GroupQuantile", "gradient: -sign(r_i - mean r) / 2, r = s - u", None, "unsupported",
        "This gradient only chooses the splits: by default the step of a leaf is the median of its s_i - "
        "u_i, which minimizes sum_i |s_i - u_i|, a loss that no family here holds.",
        {"alpha": "0.5", "delta": "1e-6"}),
    _catboost("RMSE", "sum_i (u_i - s_i)^2 / 2", _SQUARES, "same", _POINTWISE_NOTE, {}),
    LibraryLoss(_CATBOOST, f"{_ALGO}.cpp", "CrossEntropy",
        "sum_i -s_i log sigma(u_i) - (1 - s_i) log(1 - sigma(u_i))", _SIGMOID, "same",
        "Each item is fitted alone, and labels outside [0, 1] are refused.", {}, binary=True),
)

# TensorFlow Ranking

_TF: Final = Release(
    "tf-ranking", "tensorflow/ranking", "0.5.5.dev", "5b1d1338c1cb76507466d062e2d48bae57b17ac4"
)
_POINTWISE: Final = {"reduction": "auto (sum over batch size)"}
_LIST: Final = {**_POINTWISE, "lambda_weight": "None", "temperature": "1.0"}
_SMOOTH: Final = {**_LIST, "temperature": "0.1"}
_GUMBEL: Final = {"sample_size": "8", "gumbel_temperature": "1.0"}
_ESTIMATOR: Final = {"reduction": "sum by nonzero weights", "lambda_weight": "None"}
_PER_ITEM: Final = (
    "Keras divides the sum over pairs by the number of items in the batch, so for lists of one length it is "
    "the plain loss; the estimator of the same name divides by the number of pairs in the batch."
)
_APPROXIMATE: Final = SmoothPositions("ndcg", Fraction(1, 10), "approx-ndcg-10")

_tf_ranking: Final = partial(LibraryLoss, _TF, "tensorflow_ranking/python/keras/losses.py")
_tf_losses: Final = partial(LibraryLoss, _TF, "tensorflow_ranking/python/losses_impl.py")

_TF_ENTRIES: Final = (
    _tf_ranking("pairwise_hinge_loss", "sum over s_i > s_j of max(0, 1 - (u_i - u_j))",
        _HINGE_PAIRS, "same", _PER_ITEM, _LIST),
    _tf_ranking("pairwise_logistic_loss", "sum over s_i > s_j of log(1 + exp(-(u_i - u_j)))",
        _LOGISTIC_PAIRS, "same", _PER_ITEM, _LIST),
    _tf_ranking("pairwise_soft_zero_one_loss", "sum over s_i > s_j of 1/(1 + exp(u_i - u_j))",
        _SOFT_PAIRS, "descent", _FADES.format("have the fewest wrong pairs on average"), _LIST),
    _tf_ranking("pairwise_mse_loss", "sum over i != j of ((s_i - s_j) - (u_i - u_j))^2",
        _SQUARED_PAIRS, "same", "All pairs count, those of equal grades too.", _LIST),
    _tf_ranking("yeti_logistic_loss",
        "sum over neighbors i, j in the ranking by u + Gumbel noise, s_i > s_j, of w_ij log(1 + exp(-(v_i - "
        "v_j)))",
        _LOGISTIC_PAIRS, "unsupported",
        "The scores are perturbed at random, and no gradient flows through the weights, which depend on the "
        "perturbed ranking, so no fixed loss is minimized; the plain loss leaves noise and weights out.",
        {**_LIST, "lambda_weight": "YetiDCGLambdaWeight", **_GUMBEL}),
    _tf_ranking("softmax_loss", "- sum_i s_i log softmax_i(u)", _SOFTMAX, "same",
        "Dividing the grades by their sum and weighing the list by that sum cancel: lists with higher grades "
        "weigh more.", _LIST),
    _tf_ranking("calibrated_softmax_loss",
        "- sum_i s_i log softmax_i(u, 0), one more item with score 0 and grade virtual_label",
        _SOFTMAX, "same",
        "With the default virtual_label = 0 the infimum lies at infinity, where the extra item has no share "
        "and the scores are ordered by E s, as in the plain softmax loss.",
        {**_LIST, "virtual_label": "0.0"}),
    _tf_ranking("unique_softmax_loss",
        "sum_i (2^s_i - 1) (log(exp(u_i) + sum over s_j < s_i of exp(u_j)) - u_i)",
        _UNIQUE_SOFTMAX, "same", _OWN_GAINS, _LIST),
    _tf_ranking("sigmoid_cross_entropy_loss",
        "mean over i of -s_i log sigma(u_i) - (1 - s_i) log(1 - sigma(u_i))",
        _SIGMOID, "same", _ZERO_ONE, _POINTWISE, binary=True),
    _tf_ranking("mean_squared_loss", "mean over i of (s_i - u_i)^2", _SQUARES, "same", _POINTWISE_NOTE,
        _POINTWISE),
    _tf_ranking("ordinal_loss",
        "sum over k = 1..ordinal_size of the binary cross-entropy of 1(s_i >= k) and sigma(u_ik)",
        _ORDINAL, "loss",
        "The default ordinal_size = 1 only tells grade 0 from the others; the plain loss has as many "
        "thresholds as the highest grade and ranks by the sum of their probabilities, which the library "
        "leaves to the user.",
        {**_POINTWISE, "ordinal_size": "1", "use_fraction_label": "False"}, OrdinalSurrogate("ordinal-1", 1)),
    _tf_ranking("list_mle_loss",
        "- log of the Plackett-Luce probability of the order of the grades, ties in a random order",
        _LIST_MLE, "same", _MIXED_TIES, _LIST),
    _tf_ranking("approx_ndcg_loss",
        "- NDCG with the smooth positions 1 + sum_{j != i} sigma((u_j - u_i)/temperature)",
        _APPROXIMATE, "descent", _FADES.format("sort E[(2^s_i - 1)/Z], as NDCG asks"), _SMOOTH),
    _tf_ranking("approx_mrr_loss",
        "- sum_i (s_i / sum s) / (1 + sum_{j != i} sigma((u_j - u_i)/temperature))",
        SmoothPositions("mrr", Fraction(1, 10), "approx-mrr-10"), "descent",
        _FADES.format("sort E[s_i / sum s]"), _SMOOTH),
    _tf_ranking("gumbel_approx_ndcg_loss", "approx_ndcg_loss at log softmax(u + Gumbel noise)",
        _APPROXIMATE, "unsupported",
        "The average over the noise is not convex, and neither its infimum nor its gradient is examined "
        "here; the plain loss leaves the noise out.",
        {**_SMOOTH, **_GUMBEL}),
    _tf_ranking("coupled_rankdistil_loss",
        "- log of the Plackett-Luce probability of an order drawn with scores s, over the first topk items",
        _LIST_MLE, "unsupported",
        "The orders are drawn from a Plackett-Luce model of the grades, so the average has irrational "
        "weights; the plain loss draws among the orders that sort the grades.",
        {**_POINTWISE, "sample_size": "8", "topk": "None", "temperature": "1.0"}),
    _tf_losses("circle_loss",
        "log(1 + sum over s_i > s_j of exp(gamma (a_j (u_j - margin) - a_i (u_i - 1 + margin)))), a_i = [1 "
        "+ margin - u_i]_+, a_j = [u_j + margin]_+, scores cut to [0,1]",
        None, "unsupported",
        "No gradient flows through the weights a_i and a_j, and scores outside [0,1] get none, so no fixed "
        "loss is minimized.",
        {**_ESTIMATOR, "gamma": "64", "margin": "0.25"}),
    _tf_losses("poly_one_softmax_loss", "- sum_i s_i (log softmax_i(u) + epsilon softmax_i(u))",
        _SOFTMAX, "same",
        "The loss is convex in the softmax, whose minimizer a_i/(c - epsilon a_i), a = E s, rises with a_i: "
        "another loss than the plain softmax loss, with the same order.",
        {**_ESTIMATOR, "temperature": "1.0", "epsilon": "1.0"}),
    _tf_losses("neural_sort_cross_entropy_loss",
        "cross-entropy of the rows of the smooth permutation matrices of grades and of scores",
        None, "field", _NOT_CONVEX, {**_ESTIMATOR, "temperature": "1.0"}),
    _tf_losses("neural_sort_ndcg_loss",
        "- NDCG of the gains sorted by the smooth permutation matrix of the scores",
        None, "field", _NOT_CONVEX, {**_ESTIMATOR, "temperature": "1.0"}),
)

# Rax

_RAX: Final = Release("rax", "google/rax", "0.4.0", "a0a3b334bce3fb6a7fd7d1d5ab5eee578221db76")
_MEAN: Final = {"reduce_fn": "mean", "weights": "None"}
_PAIRS: Final = {**_MEAN, "lambdaweight_fn": "None"}
_PER_CALL: Final = _PER_LIST.format("call")

_rax: Final = partial(LibraryLoss, _RAX, "rax/_src/losses.py")

_RAX_ENTRIES: Final = (
    _rax("softmax_loss", "- sum_i s_i log softmax_i(u)", _SOFTMAX, "same",
        "Unless a label_fn divides the grades by their sum, lists with higher grades weigh more.",
        {**_MEAN, "label_fn": "identity"}),
    _rax("poly1_softmax_loss",
        "- sum_i s_i log softmax_i(u) + epsilon (1 - sum_i (s_i / sum s) softmax_i(u))",
        _SOFTMAX, "field",
        "The loss is convex in the softmax, so an equilibrium is its minimizer, softmax_i = a_i/(c - epsilon "
        "b_i) with a = E s and b = E (s / sum s), whose order may differ from that of the plain loss, "
        "epsilon = 0; no family here holds it, so it is examined as a gradient field.",
        {**_MEAN, "epsilon": "1.0"}),
    _rax("unique_softmax_loss",
        "sum_i (2^s_i - 1) (log(exp(u_i) + sum over s_j < s_i of exp(u_j)) - u_i)",
        _UNIQUE_SOFTMAX, "same", _OWN_GAINS, {**_MEAN, "gain_fn": "2^s - 1"}),
    _rax("listmle_loss",
        "- log of the Plackett-Luce probability of the order of the grades, ties in the order of the input",
        _LIST_MLE, "loss",
        "Without a key, ties count as ranked in the order of the input (the shipped loss here, for items "
        "that always come in one order); with a new key at every step, they are broken at random, which is "
        "the plain loss.",
        {"reduce_fn": "mean", "key": "None"}, ListMleSurrogate("list-mle-input", "input")),
    _rax("pairwise_hinge_loss", "mean over s_i > s_j of max(0, 1 - (u_i - u_j))",
        _HINGE_PAIRS, "loss", _PER_CALL, _PAIRS, _MEAN_HINGE_PAIRS),
    _rax("pairwise_logistic_loss", "mean over s_i > s_j of log(1 + exp(-(u_i - u_j)))",
        _LOGISTIC_PAIRS, "loss", _PER_CALL, _PAIRS, _MEAN_LOGISTIC_PAIRS),
    _rax("pairwise_soft_zero_one_loss", "mean over s_i > s_j of 1/(1 + exp(u_i - u_j))",
        _MEAN_SOFT_PAIRS, "descent", _FADES.format("have the least mean share of wrong pairs"), _PAIRS),
    _rax("pairwise_mse_loss", "mean over i, j of ((s_i - s_j) - (u_i - u_j))^2", _SQUARED_PAIRS, "same",
        "All pairs count, those of equal grades too, so lists of one length have one divisor.", _PAIRS),
    _rax("pairwise_qr_loss", "mean over s_i > s_j of |(s_i - s_j) - (u_i - u_j)| / 2",
        PairAbsolute(), "loss", _PER_CALL, {**_PAIRS, "tau": "0.5", "squared": "False"},
        PairAbsolute("pairs", "pair-absolute-mean")),
    _rax("pointwise_mse_loss", "mean over i of (s_i - u_i)^2", _SQUARES, "same", _POINTWISE_NOTE, _MEAN),
    _rax("pointwise_sigmoid_loss",
        "mean over i of -y_i log sigma(u_i) - (1 - y_i) log(1 - sigma(u_i)), y = min(s, 1)",
        _SIGMOID, "same", "Grades above 1 count as 1; for labels 0 and 1 it is the plain loss.",
        _MEAN, binary=True),
)

# allRank

_ALLRANK: Final = Release("allrank", "allegro/allRank", "1.4.3", "c88475661cb72db292d13283fdbc4f2ae6498ee4")
_FOLDER: Final = "allrank/models/losses"
_EPS: Final = {"eps": "1e-10"}
_NEURAL: Final = {"temperature": "1.0", "powered_relevancies": "True", "k": "None", "stochastic": "False"}
_DIFFERENCE: Final = PairsSurrogate("logistic-difference", _LOGISTIC_PAIRS.phi, "difference")
_MEAN_DIFFERENCE: Final = replace(_DIFFERENCE, name="logistic-difference-mean", normalized="pairs")
_SQUARED: Final = replace(_DIFFERENCE, name="logistic-square-difference", weights="square-difference")
_MEAN_SQUARED: Final = replace(_SQUARED, name="logistic-square-difference-mean", normalized="pairs")
_SINKHORN: Final = (
    "The loss is not convex, and it jumps, because a tolerance makes the number of its rescaling steps, up "
    "to 50, depend on the scores: no certificate here covers it."
)
_PER_BATCH: Final = _PER_LIST.format("batch")

_allrank: Final = partial(LibraryLoss, _ALLRANK)

_ALLRANK_ENTRIES: Final = (
    _allrank(f"{_FOLDER}/listNet.py", "listNet", "- sum_i softmax_i(s) log(softmax_i(u) + 1e-10)",
        Softmax("exp", "listnet"), "same",
        "The grades go through a softmax first, so a list without relevant items pulls all scores together; "
        "the 1e-10 shifts the minimizer but keeps its order while all means exceed it.",
        _EPS),
    _allrank(f"{_FOLDER}/binary_listNet.py", "binary_listNet",
        "- sum_i (s_i / sum s) log(softmax_i(u) + 1e-10)", Softmax(), "same",
        "The grades, which may exceed 1, are divided by their sum; a list without relevant items contributes "
        "nothing.",
        _EPS),
    _allrank(f"{_FOLDER}/listMLE.py", "listMLE",
        "- log of the Plackett-Luce probability of the order of the grades, ties in a random order",
        _LIST_MLE, "same", _MIXED_TIES, _EPS),
    _allrank(f"{_FOLDER}/rankNet.py", "rankNet", "mean over s_i > s_j of log(1 + exp(-(u_i - u_j)))",
        _LOGISTIC_PAIRS, "loss", _PER_BATCH, {"weight_by_diff": "False", "weight_by_diff_powed": "False"},
        _MEAN_LOGISTIC_PAIRS),
    _allrank(f"{_FOLDER}/rankNet.py", "rankNet_weightByGTDiff",
        "mean over s_i > s_j of (s_i - s_j) log(1 + exp(-(u_i - u_j)))",
        _DIFFERENCE, "loss", _PER_BATCH, {"weight_by_diff": "True"}, _MEAN_DIFFERENCE),
    _allrank(f"{_FOLDER}/rankNet.py", "rankNet_weightByGTDiff_pow",
        "mean over s_i > s_j of (s_i^2 - s_j^2) log(1 + exp(-(u_i - u_j)))",
        _SQUARED, "loss", _PER_BATCH, {"weight_by_diff_powed": "True"}, _MEAN_SQUARED),
    _allrank(f"{_FOLDER}/lambdaLoss.py", "lambdaLoss", "sum over s_i > s_j of log2(1 + exp(-(u_i - u_j)))",
        _LOGISTIC_PAIRS, "same",
        "Without a weighing_scheme it is RankNet, summed over pairs; the lambdaRank and ndcgLoss schemes "
        "weigh pairs by the current ranking and minimize no fixed loss.",
        {"weighing_scheme": "None", "k": "None", "sigma": "1.0", "mu": "10.0", "reduction": "sum",
         "reduction_log": "binary", **_EPS}),
    _allrank(f"{_FOLDER}/approxNDCG.py", "approxNDCGLoss",
        "- NDCG with the smooth positions 1 + sum_j sigma(u_j - u_i)",
        SmoothPositions(name="approx-ndcg-1"), "descent",
        _FADES.format("sort E[(2^s_i - 1)/Z] (up to the lower bound of 1e-10 on sigma)"),
        {**_EPS, "alpha": "1.0"}),
    _allrank(f"{_FOLDER}/neuralNDCG.py", "neuralNDCG",
        "- NDCG of the gains sorted by a smooth, rescaled permutation matrix of the scores",
        None, "unsupported", _SINKHORN, _NEURAL),
    _allrank(f"{_FOLDER}/neuralNDCG.py", "neuralNDCG_transposed",
        "- NDCG with the discounts spread by a smooth, rescaled permutation matrix of the scores",
        None, "unsupported", _SINKHORN, {**_NEURAL, "max_iter": "50", "tol": "1e-06"}),
    _allrank(f"{_FOLDER}/pointwise.py", "pointwise_rmse",
        "sqrt(mean over i of (s_i - n u_i)^2), then the mean over lists",
        _SQUARES, "unsupported",
        "The root is taken list by list, so the scores fit the spatial median of the labels, not their mean: "
        "a label with probability 1/2 or more is fitted whatever the others are; the plain loss has no root.",
        {"no_of_levels": "(required)"}),
    _allrank(f"{_FOLDER}/ordinal.py", "ordinal",
        "sum over i and k = 1..n of the binary cross-entropy of 1(s_i >= k) and the output p_ik",
        _ORDINAL, "same",
        "Its n outputs per item have the minimizers P(s_i >= k); their sum, by which the library ranks, is "
        "E s_i if n is at least the highest grade, so the order is that of least squares on the grades.",
        {"n": "(required)"}),
    _allrank(f"{_FOLDER}/bce.py", "bce",
        "sum_i -s_i log p_i - (1 - s_i) log(1 - p_i), p_i the output in (0,1)",
        _SIGMOID, "same", "The outputs are probabilities, after a sigmoid in the model; labels are 0 and 1.",
        {}, binary=True),
)

_ENTRIES: Final = (
    *_XGBOOST_ENTRIES, *_LIGHTGBM_ENTRIES, *_CATBOOST_ENTRIES, *_TF_ENTRIES, *_RAX_ENTRIES, *_ALLRANK_ENTRIES
)
# fmt: on

LIBRARIES: Final[Mapping[str, LibraryLoss]] = MappingProxyType({line.name: line for line in _ENTRIES})
"""Every objective, by library and name."""
