r"""DMJ13: what is calibrated for targets that sort the items by an average of their gains.

*The order.* For a loss offset - scale sum_k g_(t_k) D_k with D falling, exchanging two neighbors a above b at
positions k, k+1 costs (theta_a - theta_b)(D_k - D_(k+1)) more, theta = E[scale g]. So sorting by theta is
optimal, however ties are broken. With the cascade of ERR and independent grades the same exchange costs
P (theta_a - theta_b)(D_k - D_(k+1)), theta = E g, P the chance that the reader gets there (the statements
"dmj13-ndcg" and "dmj13-err" of the book check both).

*Zhang's loss.* W(u) = sum_j theta_j sum_l phi(u_j - u_l), theta >= 0. Its slope along u_i is theta_i A(u_i) -
B(u_i), A(x) = sum_l phi'(x - u_l), B(x) = sum_l theta_l phi'(u_l - x): for phi convex, A does not fall and B
does not rise. At a minimum theta_i A(u_i) = B(u_i) for all i. At the top item B <= phi'(0) sum theta < 0,
so A is negative there, and hence at every u_i. If theta_1 > theta_2 and u_1 <= u_2, then
theta_1 A(u_1) = B(u_1) >= B(u_2) = theta_2 A(u_2) >= theta_2 A(u_1), against A(u_1) < 0. The statement
"dmj13-zhang" carries this over to sequences. That phi is nonincreasing is not used.
"""

from typing import Final

from consistency_lab.model.surrogates.tasks.base import MeanSurrogate, TaskSurrogate
from consistency_lab.model.surrogates.tasks.pairs import PairsSurrogate
from consistency_lab.model.tasks.task import Task
from consistency_lab.phi import Expression
from consistency_lab.theorems.tasks.base import TaskHypothesis, TaskTheorem
from consistency_lab.theorems.tasks.matching import (
    AVERAGES_AT_EVERY_LABEL,
    AVERAGES_BY_DEFINITION,
    DISCOUNTS_FALL,
    FORCES_ORDER,
    IS_SORTED,
    gains,
)
from consistency_lab.theorems.tasks.scalar import classifying

_POSITIONAL: Final = ("ndcg", "precision", "eru")
_THESE_LABELS: Final = "these labels"


def _phi(surrogate: TaskSurrogate, task: Task) -> Expression | None:
    return surrogate.phi if isinstance(surrogate, PairsSurrogate) else None


def _zhang_weights(surrogate: TaskSurrogate, task: Task) -> str | None:
    if not isinstance(surrogate, PairsSurrogate) or surrogate.normalized != "none":
        return None
    normalized = task.normalized
    if surrogate.weights == "zhang":
        return "they are G/Z" if normalized else "they are the gains, and Z = 1"
    return "they are the gains, and Z = 1" if surrogate.weights == "zhang-gain" and not normalized else None


def _gains_nonnegative(surrogate: TaskSurrogate, task: Task) -> str | None:
    found = [gains(task, label) for label in task.space.labels]
    if any(values is None or min(values) < 0 for values in found):
        return None
    return f"compared at all {len(found)} labels of this task"


_ZHANG: Final = (
    IS_SORTED,
    DISCOUNTS_FALL,
    TaskHypothesis(
        r"every ordered pair \(j \ne l\) has the weight \(G(s_j)/Z(s)\), \(Z = 1\) where the target is not"
        " normalized",
        _zhang_weights,
    ),
    TaskHypothesis("no gain is negative", _gains_nonnegative),
    *classifying(_phi),
)

NDCG: Final = TaskTheorem(
    name="DMJ13 NDCG corollary",
    statement=(
        r"A surrogate whose minimizers order the items by \(\mathbf{E}[G(s_j)/Z(s)]\) is calibrated for the"
        r" NDCG family, and for precision@k and expected rank utility, where \(Z = 1\)."
    ),
    citation="DMJ13 (corollary on NDCG); Ravikumar, Tewari and Yang 2011",
    families=(MeanSurrogate,),
    targets=_POSITIONAL,
    conditions=("any",),
    hypotheses=(IS_SORTED, DISCOUNTS_FALL, AVERAGES_BY_DEFINITION, FORCES_ORDER),
)

NDCG_HERE: Final = TaskTheorem(
    name="DMJ13 NDCG corollary at these labels",
    statement=NDCG.statement,
    citation=NDCG.citation,
    families=(MeanSurrogate,),
    targets=_POSITIONAL,
    conditions=("any",),
    hypotheses=(IS_SORTED, DISCOUNTS_FALL, AVERAGES_AT_EVERY_LABEL, FORCES_ORDER),
    scope=_THESE_LABELS,
)

ERR: Final = TaskTheorem(
    name="DMJ13 ERR lemma",
    statement=(
        r"If the grades of the items are independent, sorting by \(\mathbf{E} G(s_i)\) minimizes the expected"
        r" ERR loss, so a surrogate whose minimizers are in that order is calibrated."
    ),
    citation="DMJ13 (lemma on ERR)",
    families=(MeanSurrogate,),
    targets=("err",),
    conditions=("independent",),
    hypotheses=(IS_SORTED, DISCOUNTS_FALL, AVERAGES_BY_DEFINITION, FORCES_ORDER),
)

ERR_HERE: Final = TaskTheorem(
    name="DMJ13 ERR lemma at these labels",
    statement=ERR.statement,
    citation=ERR.citation,
    families=(MeanSurrogate,),
    targets=("err",),
    conditions=("independent",),
    hypotheses=(IS_SORTED, DISCOUNTS_FALL, AVERAGES_AT_EVERY_LABEL, FORCES_ORDER),
    scope=_THESE_LABELS,
)

ZHANG: Final = TaskTheorem(
    name="DMJ13 Zhang's loss",
    statement=(
        r"\(\sum_j (G(s_j)/Z(s)) \sum_l \phi(u_j - u_l)\) is calibrated for the NDCG family when \(\phi\) is"
        r" convex, differentiable and bounded below with \(\phi'(0) < 0\); without \(Z\), for precision@k and"
        " expected rank utility."
    ),
    citation="DMJ13 (after Zhang 2004, Theorem 5); that phi need not be nonincreasing is ours",
    families=(PairsSurrogate,),
    targets=_POSITIONAL,
    conditions=("any",),
    hypotheses=_ZHANG,
)

ZHANG_ERR: Final = TaskTheorem(
    name="DMJ13 Zhang's loss for ERR",
    statement=(
        r"If the grades are independent, \(\sum_j G(s_j) \sum_l \phi(u_j - u_l)\) is calibrated for ERR when"
        r" \(\phi\) is convex, differentiable and bounded below with \(\phi'(0) < 0\)."
    ),
    citation="DMJ13 (lemma on ERR, after Zhang 2004, Theorem 5); that phi need not be nonincreasing is ours",
    families=(PairsSurrogate,),
    targets=("err",),
    conditions=("independent",),
    hypotheses=_ZHANG,
)

DMJ13_TASK_THEOREMS: Final = (NDCG, ZHANG, ERR, ZHANG_ERR, NDCG_HERE, ERR_HERE)
"""Statements for all m before those at the labels of one task."""
