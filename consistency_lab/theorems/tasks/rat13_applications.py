"""RAT13 as theorems on tasks: factors of the loss, sorting for MAP and pairwise disagreement, Algorithm 1.

Each rests on one identity between the loss and what the surrogate regresses on, which is compared in exact
arithmetic on the task at hand. The proofs are the statements "rat13-theorem-3" to "rat13-theorem-7" of the
book.
"""

from typing import Final

from consistency_lab.model.surrogates.tasks.base import MeanSurrogate
from consistency_lab.model.surrogates.tasks.listwise import Softmax
from consistency_lab.model.surrogates.tasks.low_rank import (
    FactorSurrogate,
    MapDiagonal,
    MapRegression,
    PairRegression,
)
from consistency_lab.model.surrogates.tasks.regression import Regression
from consistency_lab.theorems.tasks.base import TaskHypothesis, TaskTheorem
from consistency_lab.theorems.tasks.matching import FORCES_ORDER, IS_SORTED
from consistency_lab.theorems.tasks.rat13_identities import (
    counts_pairs,
    diagonal_of_factor,
    factorizes,
    is_difference,
    is_difference_of_two_grades,
    is_net,
    is_net_by_definition,
    three_items,
)


def _decoded_by(*names: str) -> TaskHypothesis:
    return TaskHypothesis(
        f"its decoder is {' or '.join(names)}",
        lambda surrogate, task: f"it is {surrogate.decoder}" if surrogate.decoder in names else None,
    )


_SQUARES: Final = TaskHypothesis(
    r"the excess of \(u\) is \(|u - \mathbf{E} f|^2\)",
    lambda surrogate, task: (
        "least squares" if isinstance(surrogate, FactorSurrogate) and surrogate.link == "identity" else None
    ),
)


_FACTORIZES: Final = TaskHypothesis(
    r"\(\ell(y,t) = a (\langle f(y), \beta_t \rangle + b_t) + c(y)\), \(a > 0\)", factorizes
)
_COUNTS: Final = TaskHypothesis("the loss counts the preferences that are upside down", counts_pairs)
_PAIR_TARGETS: Final = ("pairwise", "kendall")

LOW_RANK_DEFINED: Final = TaskTheorem(
    name="RAT13 Theorem 3 for MAP and pairwise disagreement",
    statement=(
        r"Least squares on \(y_i y_j / \sum_\gamma y_\gamma\), and on \(y_{ij}\), with the decoder"
        r" \(\arg\min_t \langle u, \beta_t \rangle + b_t\), is calibrated with MAP, and with pairwise"
        r" disagreement."
    ),
    citation="RAT13 Theorem 3, §6 and §7",
    families=(MapRegression, PairRegression),
    targets=("map", *_PAIR_TARGETS),
    conditions=("any",),
    hypotheses=(_decoded_by("linear"), _SQUARES, _FACTORIZES),
)

LOW_RANK: Final = TaskTheorem(
    name="RAT13 Theorem 3",
    statement=(
        r"If \(\ell(y,t) = \langle \alpha_y, \beta_t \rangle + b_t + c(y)\), then"
        r" \(\sum_i (u_i - \alpha_{yi})^2\) with the decoder"
        r" \(\arg\min_t \langle u, \beta_t \rangle + b_t\) is calibrated for all p."
    ),
    citation="RAT13 Theorem 3 (there with b = 0 and one c)",
    families=(FactorSurrogate,),
    targets=(),
    conditions=("any",),
    hypotheses=(_decoded_by("linear"), _SQUARES, _FACTORIZES),
    scope="these labels",
)

MAP_SORTED: Final = TaskTheorem(
    name="RAT13 Theorem 4 and Corollary 5",
    statement=(
        r"Least squares on \(y_i / \sum_\gamma y_\gamma\), decoded by sorting, is calibrated with MAP over"
        r" \(P_{\mathrm{reinforce}}\), which holds all independent labels."
    ),
    citation="RAT13 Theorem 4 and Corollary 5; that it holds for independent labels is ours",
    families=(MapDiagonal, MapRegression, Softmax),
    targets=("map",),
    conditions=("reinforce", "independent"),
    hypotheses=(
        _decoded_by("sort", "diagonal"),
        TaskHypothesis(
            r"sorted scores are regressed on the diagonal of \(yy^\top / \sum y\)", diagonal_of_factor
        ),
        FORCES_ORDER,
    ),
)

SORTED_PAIRS: Final = TaskTheorem(
    name="RAT13 Theorem 6 on tasks",
    statement=(
        r"Least squares on the scores \(f\) of a label, decoded by sorting, is calibrated with"
        r" pairwise disagreement over \(P_f = \{p : d_{ij} > 0 \implies \mathbf{E} f_i > \mathbf{E} f_j\}\)."
    ),
    citation="RAT13 Theorem 6",
    families=(Regression,),
    targets=_PAIR_TARGETS,
    conditions=("p-f",),
    hypotheses=(IS_SORTED, _COUNTS, FORCES_ORDER),
)

NET_PAIRS: Final = TaskTheorem(
    name="RAT13 Theorem 6 for the net preference",
    statement=(r"With \(f_i = \sum_j (y_{ij} - y_{ji})\), \(P_f\) is the condition net-order."),
    citation="RAT13 Theorem 6; DMJ10 Theorem 13",
    families=(MeanSurrogate,),
    targets=_PAIR_TARGETS,
    conditions=("net-order",),
    hypotheses=(
        IS_SORTED,
        _COUNTS,
        FORCES_ORDER,
        TaskHypothesis(r"\(f_i - f_j = a (N_i - N_j)\) by definition, \(a > 0\)", is_net_by_definition),
    ),
)

NET_PAIRS_HERE: Final = TaskTheorem(
    name="RAT13 Theorem 6 for the net preference at these labels",
    statement=NET_PAIRS.statement,
    citation=NET_PAIRS.citation,
    families=(MeanSurrogate,),
    targets=_PAIR_TARGETS,
    conditions=("net-order",),
    hypotheses=(
        IS_SORTED,
        _COUNTS,
        FORCES_ORDER,
        TaskHypothesis(r"\(f_i - f_j = a (N_i - N_j)\) at every label, \(a > 0\)", is_net),
    ),
    scope="these labels",
)

TWO_GRADES: Final = TaskTheorem(
    name="RAT13 Theorem 6 for two grades",
    statement=(
        r"If labels have two grades and \(f_i\) rises with \(y_i\) and depends on nothing else, or is the net"
        r" preference, then \(f_i - f_j = a\, d_{ij}\), and \(P_f\) is everything."
    ),
    citation="RAT13 Theorem 6; the case is ours (see RAT13 P_f ⊊ P_DAG)",
    families=(MeanSurrogate,),
    targets=_PAIR_TARGETS,
    conditions=("any",),
    hypotheses=(
        IS_SORTED,
        _COUNTS,
        FORCES_ORDER,
        TaskHypothesis(r"\(f_i - f_j = a\, d_{ij}\) for two grades, \(a > 0\)", is_difference_of_two_grades),
    ),
)

ADDITIVE_PAIRS: Final = TaskTheorem(
    name="RAT13 Theorem 6 for additive labels",
    statement=(
        r"If \(f_i(y) - f_j(y) = a (y_{ij} - y_{ji})\), \(a > 0\), at every label, then \(P_f\) is"
        " everything."
    ),
    citation="RAT13 Theorem 6; the case is ours (see RAT13 P_f ⊊ P_DAG)",
    families=(MeanSurrogate,),
    targets=_PAIR_TARGETS,
    conditions=("any",),
    hypotheses=(
        IS_SORTED,
        _COUNTS,
        FORCES_ORDER,
        TaskHypothesis(r"\(f_i - f_j = a\, d_{ij}\) at every label, \(a > 0\)", is_difference),
    ),
    scope="these labels",
)

ALGORITHM_1: Final = TaskTheorem(
    name="RAT13 Theorem 7",
    statement=(
        r"\(\sum_{i \ne j} (u_{ij} - y_{ij})^2\) with Algorithm 1 is calibrated with pairwise disagreement"
        r" where \(\tilde G\) is a DAG."
    ),
    citation="RAT13 Theorem 7",
    families=(PairRegression,),
    targets=_PAIR_TARGETS,
    conditions=("acyclic",),
    hypotheses=(_decoded_by("algorithm-1"), _SQUARES, _FACTORIZES),
)

ALGORITHM_1_ON_THREE: Final = TaskTheorem(
    name="RAT13 Theorem 7 with three items",
    statement=r"With at most three items Algorithm 1 is right for all p, cycles and all.",
    citation="ours (see RAT13 Theorem 7)",
    families=(PairRegression,),
    targets=_PAIR_TARGETS,
    conditions=("any",),
    hypotheses=(
        _decoded_by("algorithm-1"),
        _SQUARES,
        _FACTORIZES,
        TaskHypothesis("there are at most three items", three_items),
    ),
    scope="m <= 3",
)

RAT13_TASK_THEOREMS: Final = (
    LOW_RANK_DEFINED,
    LOW_RANK,
    MAP_SORTED,
    SORTED_PAIRS,
    TWO_GRADES,
    NET_PAIRS,
    NET_PAIRS_HERE,
    ADDITIVE_PAIRS,
    ALGORITHM_1,
    ALGORITHM_1_ON_THREE,
)
"""Statements for all m before those at the labels of one task."""
