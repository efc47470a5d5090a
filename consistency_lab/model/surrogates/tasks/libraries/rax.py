"""Losses of Rax."""

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import Final

from consistency_lab.model.surrogates.tasks.libraries.entry import (
    HINGE_PAIRS,
    LIST_MLE,
    LOGISTIC_PAIRS,
    MEAN_HINGE_PAIRS,
    MEAN_LOGISTIC_PAIRS,
    MEAN_SOFT_PAIRS,
    SIGMOID,
    SOFTMAX,
    SQUARED_PAIRS,
    SQUARES,
    UNIQUE_SOFTMAX,
    Entry,
    Release,
)
from consistency_lab.model.surrogates.tasks.listwise import ListMleSurrogate
from consistency_lab.model.surrogates.tasks.pairs import PairAbsolute

RELEASE: Final = Release("rax", "google/rax", "0.4.0", "a0a3b334bce3fb6a7fd7d1d5ab5eee578221db76")
"""What was read."""

_FILE: Final = "rax/_src/losses.py"
_MEAN: Final[Mapping[str, str]] = MappingProxyType({"reduce_fn": "mean", "weights": "None"})
_PAIRS: Final[Mapping[str, str]] = MappingProxyType({**_MEAN, "lambdaweight_fn": "None"})
_PER_LIST: Final = (
    "The mean is over all valid pairs of one call: called list by list, each list is divided by the "
    "number of its pairs, which is another loss (the row of the default); in large batches the divisor "
    "is nearly constant, which leaves the plain one."
)

_entry: Final = partial(Entry, RELEASE, _FILE)

# fmt: off
ENTRIES: Final = (
    _entry("softmax_loss", "- sum_i s_i log softmax_i(u)", SOFTMAX, "same",
        "The grades are not divided by their sum unless a label_fn does it, so lists with higher grades "
        "weigh more.",
        {**_MEAN, "label_fn": "identity"}),
    _entry("poly1_softmax_loss",
        "- sum_i s_i log softmax_i(u) + epsilon (1 - sum_i (s_i / sum s) softmax_i(u))",
        SOFTMAX, "field",
        "It is convex in the softmax, so an equilibrium is its minimizer, softmax_i = a_i/(c - epsilon b_i) "
        "with a = E s and b = E (s / sum s), whose order may differ from that of the plain softmax loss, "
        "which is epsilon = 0; no family here holds it, so it is looked at as a gradient field.",
        {**_MEAN, "epsilon": "1.0"}),
    _entry("unique_softmax_loss",
        "sum_i (2^s_i - 1) (log(exp(u_i) + sum over s_j < s_i of exp(u_j)) - u_i)",
        UNIQUE_SOFTMAX, "same",
        "The gains 2^s - 1 belong to the loss, whatever gain the target has.",
        {**_MEAN, "gain_fn": "2^s - 1"}),
    _entry("listmle_loss",
        "- log of the Plackett-Luce chance of the order of the grades, equal grades in the order of the "
        "input",
        LIST_MLE, "loss",
        "Without a key, items with equal grades count as ranked in the order of the input, so the loss "
        "depends on it (the row of the default, for items that always come in the same order); with a new "
        "key for each step, ties are broken at random and the plain loss is what is minimized.",
        {"reduce_fn": "mean", "key": "None"}, ListMleSurrogate("list-mle-input", "input")),
    _entry("pairwise_hinge_loss",
        "mean over s_i > s_j of max(0, 1 - (u_i - u_j))",
        HINGE_PAIRS, "loss", _PER_LIST, _PAIRS, MEAN_HINGE_PAIRS),
    _entry("pairwise_logistic_loss",
        "mean over s_i > s_j of log(1 + exp(-(u_i - u_j)))",
        LOGISTIC_PAIRS, "loss", _PER_LIST, _PAIRS, MEAN_LOGISTIC_PAIRS),
    _entry("pairwise_soft_zero_one_loss",
        "mean over s_i > s_j of 1/(1 + exp(u_i - u_j))",
        MEAN_SOFT_PAIRS, "descent",
        "Called list by list, each list is divided by the number of its pairs; it is not convex, and its "
        "gradient fades as scores move apart, so descent may stop in a wrong order, while as a loss it "
        "comes near its infimum far out, in the orders with the least mean share of wrong pairs and in no "
        "others.",
        _PAIRS),
    _entry("pairwise_mse_loss",
        "mean over i, j of ((s_i - s_j) - (u_i - u_j))^2",
        SQUARED_PAIRS, "same",
        "All pairs count, also those of equal grades, so the divisor is the same for all lists of one "
        "length.",
        _PAIRS),
    _entry("pairwise_qr_loss",
        "mean over s_i > s_j of |(s_i - s_j) - (u_i - u_j)| / 2",
        PairAbsolute(), "loss", _PER_LIST, {**_PAIRS, "tau": "0.5", "squared": "False"},
        PairAbsolute("pairs", "pair-absolute-mean")),
    _entry("pointwise_mse_loss", "mean over i of (s_i - u_i)^2", SQUARES, "same",
        "Pointwise: the lists play no part, and the grades themselves are fitted, not their gains.",
        _MEAN),
    _entry("pointwise_sigmoid_loss",
        "mean over i of -y_i log sigma(u_i) - (1 - y_i) log(1 - sigma(u_i)), y = min(s, 1)",
        SIGMOID, "same",
        "Grades are cut off at 1, so it cannot tell grades above 1 apart; for labels 0 and 1 it is the "
        "plain loss.",
        _MEAN, binary=True),
)
# fmt: on
"""Its losses."""
