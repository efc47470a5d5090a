"""Smooth stand-ins for a loss are calibrated for that loss, though they are not convex.

The proof is that of `model.surrogates.tasks.relaxed`: at scores u the risk is at least the mean of the target
loss over a random ranking that is sorted by u with a chance of at least 1/m!, and it tends to the target loss
of an order far out in that order. So for every order t that sorts u

    E psi(y, u) - inf >= (E l(y, t) - min over t' of E l(y, t')) / m!.
"""

from typing import Final

from consistency_lab.model.surrogates.tasks.base import TaskSurrogate
from consistency_lab.model.surrogates.tasks.relaxed import SmoothPositions, SoftPairs
from consistency_lab.model.tasks.labels import Grades
from consistency_lab.model.tasks.ndcg import DISCOUNT, GAIN, Ndcg
from consistency_lab.model.tasks.task import Task
from consistency_lab.theorems.tasks.base import TaskHypothesis, TaskTheorem


def _smooths_ndcg(surrogate: TaskSurrogate, task: Task) -> str | None:
    fits = isinstance(surrogate, SmoothPositions) and surrogate.metric == "ndcg"
    return "its metric" if fits else None


def _same_formulas(surrogate: TaskSurrogate, task: Task) -> str | None:
    fits = isinstance(task, Ndcg) and task.gain == GAIN and task.discount == DISCOUNT
    return "gain and discount compared" if fits else None


def _not_truncated(surrogate: TaskSurrogate, task: Task) -> str | None:
    return "there is no k" if isinstance(task, Ndcg) and task.k is None else None


def _complete(surrogate: TaskSurrogate, task: Task) -> str | None:
    return f"k is at least {task.space.m}" if isinstance(task, Ndcg) and task.complete else None


def _counts_pairs(surrogate: TaskSurrogate, task: Task) -> str | None:
    fits = isinstance(surrogate, SoftPairs) and surrogate.normalized == "none"
    return "each pair has the weight 1" if fits and isinstance(task.space, Grades) else None


SMOOTH_NDCG: Final = TaskTheorem(
    name="smooth positions",
    statement=(
        r"\(-\sum_i (G(s_i)/Z(s)) / \log_2(1 + r_i)\), \(r_i = 1 + \sum_{j \ne i} \sigma((u_j - u_i)/T)\), is"
        r" calibrated for NDCG with the same \(G\) and the discount \(\log_2(1 + j)\), for every \(T > 0\)."
    ),
    citation="ours, by Jensen's inequality over Plackett-Luce rankings",
    families=(SmoothPositions,),
    targets=("ndcg",),
    conditions=("any",),
    hypotheses=(
        TaskHypothesis("the surrogate smooths NDCG", _smooths_ndcg),
        TaskHypothesis(r"\(G(s) = 2^s - 1\), \(F(j) = \log_2(1 + j)\)", _same_formulas),
        TaskHypothesis("every position counts", _not_truncated),
    ),
)

SMOOTH_NDCG_AT_K: Final = TaskTheorem(
    name="smooth positions, at most k items",
    statement=SMOOTH_NDCG.statement,
    citation=SMOOTH_NDCG.citation,
    families=SMOOTH_NDCG.families,
    targets=SMOOTH_NDCG.targets,
    conditions=SMOOTH_NDCG.conditions,
    hypotheses=(*SMOOTH_NDCG.hypotheses[:2], TaskHypothesis("every position counts", _complete)),
    scope="m <= k",
)

SOFT_PAIRS: Final = TaskTheorem(
    name="soft pairs",
    statement=(
        r"\(\sum_{s_i > s_j} \sigma(u_j - u_i)\) is calibrated for pairwise disagreement: it is its mean over"
        " Plackett-Luce rankings."
    ),
    citation="ours, by the mean over Plackett-Luce rankings",
    families=(SoftPairs,),
    targets=("pairwise",),
    conditions=("any",),
    hypotheses=(TaskHypothesis("labels are grades, and each pair has the same weight", _counts_pairs),),
)

RELAXED_THEOREMS: Final = (SMOOTH_NDCG, SMOOTH_NDCG_AT_K, SOFT_PAIRS)
"""Statements for all m before those for some."""
