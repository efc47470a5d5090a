"""Ranking objectives of LightGBM."""

from functools import partial
from typing import Final

from consistency_lab.model.surrogates.tasks.libraries.entry import (
    LOGISTIC_PAIRS,
    SQUARES,
    Entry,
    Release,
)
from consistency_lab.model.surrogates.tasks.listwise import Softmax

RELEASE: Final = Release(
    "lightgbm", "lightgbm-org/LightGBM", "4.7.0", "8f7036f03627054d5a54a6f965b13f4b9ff2cb63"
)
"""What was read."""

_FILE: Final = "src/objective/rank_objective.hpp"

_entry: Final = partial(Entry, RELEASE, _FILE)

# fmt: off
ENTRIES: Final = (
    _entry("lambdarank",
        "gradient: log2(1+S)/S * sum over s_i > s_j of -D_ij sigma(u_j - u_i)/(|u_i - u_j| + 0.01), D_ij = "
        "|change of NDCG@30 if i and j swap places in the present ranking|, S = twice the sum of the pairs' "
        "gradients; sigma is read from a table of 2^20 steps on [-25, 25]",
        LOGISTIC_PAIRS, "field",
        "The weight of a pair depends on the present ranking, and lambdarank_norm divides it by |u_i - u_j| "
        "+ 0.01 and rescales each list by its own sum S, so this is a gradient field with jumps and not the "
        "minimization of a fixed loss; the plain loss is what is left without weights and normalization.",
        {"lambdarank_norm": "true", "lambdarank_truncation_level": "30", "sigmoid": "1.0",
         "label_gain": "0,1,3,7,15,31,63,...,2^30-1", "lambdarank_position_bias_regularization": "0.0"}),
    _entry("rank_xendcg",
        "gradient: (I + B + B^2)(rho - P), rho = softmax(u), P = (2^s - g) divided by its sum, g_i uniform "
        "on [0,1) and drawn anew each step, B_ij = rho_i/(1 - rho_j) for i != j",
        Softmax("gain-sum", "softmax-gain-sum"), "field",
        "The matrix I + B + B^2 depends on the scores alone and is invertible (B is similar to a symmetric "
        "matrix), so on average the steps stop exactly where softmax(u) = E P, with an irrational mean over "
        "g; the plain loss is the softmax cross-entropy at g = 1, the far end of that range.",
        {"objective_seed": "5"}, own_gain=True),
    Entry(RELEASE,
        "src/objective/regression_objective.hpp",
        "regression", "sum_i (u_i - s_i)^2 / 2", SQUARES, "same",
        "Pointwise: the lists play no part, and the grades themselves are fitted, not their gains.",
        {"reg_sqrt": "false", "boost_from_average": "true"}),
)
# fmt: on
"""Its objectives."""
