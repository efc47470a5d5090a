"""What is right at every distribution: two items, stand-ins for the target, and losses of several classes.

See docs/theory.md, Two items, and Bounded stand-ins, for the statements and their proofs.
"""

from dataclasses import replace
from fractions import Fraction
from typing import Final

from consistency_lab.exact import LogRational
from consistency_lab.model.labels import Grades
from consistency_lab.model.properties import BOUNDED_BELOW, NONINCREASING, Status, properties
from consistency_lab.model.surrogates import AnswerSurrogate, DifferenceSurrogate, EdgeSurrogate, Term
from consistency_lab.model.surrogates.tasks.atoms import LeeLinWahba
from consistency_lab.model.surrogates.tasks.base import MeanSurrogate, TaskSurrogate
from consistency_lab.model.surrogates.tasks.means import SmoothPositions, SoftPairs
from consistency_lab.model.tasks.positional import DISCOUNT, GAIN, Ndcg
from consistency_lab.model.tasks.task import Task
from consistency_lab.phi import PiecewisePolynomial, number, parse
from consistency_lab.theorems.base import (
    CLASSIFYING,
    HAS_NEGATIVE_SLOPE,
    IS_CONVEX,
    Hypothesis,
    Theorem,
    decoded_by,
    phi_of,
    psi,
)
from consistency_lab.theorems.linear import OWN_WEIGHTS

# --- Edge and difference losses of preference graphs -----------------------------------------------------

_SUMS: Final = (
    (EdgeSurrogate, r"\(\sum_{i,j} a_{ij} \phi(\alpha_i - \alpha_j)\)", (OWN_WEIGHTS,)),
    (DifferenceSurrogate, r"\(\sum_{i,j} [d_{ij}]_+ \phi(\alpha_i - \alpha_j)\)", ()),
)
_PIECES: Final = "decided on its polynomial pieces: it is nonincreasing, and constant up to 0 and far out"


def _stands_in(surrogate: EdgeSurrogate | DifferenceSurrogate, target: None) -> str | None:
    """How it is seen that phi falls from all of its height at 0, or is that of a random order."""
    phi = surrogate.functions[0]
    form = PiecewisePolynomial.of(phi)
    if form is not None:
        high, low = form.pieces[0], form.pieces[-1]
        falls = high != low and max(len(high), len(low)) <= 1 and form.breakpoints[0] >= 0
        return _PIECES if falls and form.is_nonincreasing() else None
    if phi.op != "divide" or phi.args[1].op != "add" or not (phi.args[0].value or 0) > 0:
        return None
    one, power = sorted(phi.args[1].args, key=lambda part: part.op == "exp")
    inner = PiecewisePolynomial.of(power.args[0]) if power.op == "exp" else None
    if one.value != 1 or inner is None or len(inner.pieces) != 1:
        return None
    line = inner.pieces[0]
    return "by its form c/(1 + exp(k x))" if len(line) == 2 and line[0] == 0 < line[1] else None


_STANDS_IN: Final = Hypothesis(
    r"\(\phi(x) = c/(1 + e^{kx})\) with c, k > 0, or \(\phi\) falls from all of its height at 0 or later",
    _stands_in,
)

GRAPHS_EVERYWHERE: Final = (
    *(
        Theorem(
            name="Two items",
            statement=(
                rf"If \(m = 2\), then {loss} is consistent at every p when \(\phi\) is convex with"
                r" \(\phi'(0) < 0\)."
            ),
            citation="docs/theory.md, Two items",
            families=(family,),
            conditions=("any",),
            hypotheses=(*own, IS_CONVEX, HAS_NEGATIVE_SLOPE),
            scope="m = 2",
            items=(2,),
        )
        for family, loss, own in _SUMS
    ),
    *(
        Theorem(
            name="Bounded stand-ins",
            statement=f"{loss} is consistent at every p when phi stands in for the target.",
            citation="docs/theory.md, Bounded stand-ins",
            families=(family,),
            conditions=("any",),
            hypotheses=(*own, _STANDS_IN),
        )
        for family, loss, own in _SUMS
    ),
)


def _won_rises(loss: AnswerSurrogate, target: None) -> str | None:
    falling = properties(parse(loss.won.text("(-x)")))
    proved = (falling[name].status is Status.PROVED for name in (NONINCREASING, BOUNDED_BELOW))
    return "properties of won(-x)" if all(proved) else None


WON_BESIDE_PAIRS: Final = Theorem(
    name="Bounded stand-ins beside single answers",
    statement=(
        r"\(\sum_{i,j} a_{ij} (\phi(\alpha_i - \alpha_j) + w(\alpha_i))\) is consistent at every p when phi"
        r" stands in for the target and \(w\) never falls: a shift of all scores makes its part as small as"
        " it can be, and leaves the other as it is."
    ),
    citation="Bounded stand-ins beside single answers (docs/alignment.md)",
    families=(AnswerSurrogate,),
    conditions=("any",),
    hypotheses=(
        Hypothesis(
            "lost and each are 0", lambda x, _: "its parts" if x.lost == x.each == number(0) else None
        ),
        _STANDS_IN,
        Hypothesis("won is nondecreasing and bounded below", _won_rises),
    ),
)


# --- Surrogates of the 0-1 loss of several classes k of probability p_k, decoded by argmax ---------------
# *Softmax.* The excess of the cross-entropy is KL(p, softmax u) >= |p - softmax u|_1^2/2 (Pinsker), so a
# nearly minimal u has its largest score at a class of the largest probability.
#
# *One against all.* W(u) = sum_k [p_k phi(u_k) + (1-p_k) phi(-u_k)] is a sum of functions of one score. Let
# p < q, phi convex and differentiable with phi'(0) < 0, and let u minimize p phi(u) + (1-p) phi(-u). Then
# p phi'(u) = (1-p) phi'(-u), and s = phi'(u) + phi'(-u) < 0: if 0 < p, both slopes have one sign, the one at
# min(u,-u) is at most phi'(0) < 0, and so both are at most 0; if p = 0, then phi'(-u) = 0, so u < 0 and
# phi'(u) <= phi'(0). At u the function for q has slope (q-p) s < 0, so all its minimizers are above u. Where
# there is none (p = 0 or q = 1) scores that come near the infimum tend to -inf or inf, which only helps.
#
# *Lee, Lin and Wahba.* Let v_j = 1 + u_j, sum_j v_j = m, W = sum_j (1-p_j) [v_j]_+, P = max_j p_j. Scores
# v = m e_k at a class k with p_k = P give W* <= (1-P) m, and if t has the largest score, then v_t >= 1 and
#
#     W - W* >= sum_j (P - p_j) [v_j]_+ + (1-P) (sum_j [v_j]_+ - m) >= (P - p_t) v_t >= P - p_t,
#
# which is the 0-1 regret of predicting t. So the excess bounds the regret, for every p.


def _is_softmax(surrogate: TaskSurrogate, task: Task) -> str | None:
    return "its definition" if psi(surrogate, task) == "softmax" else None


def _is_one_vs_all(surrogate: TaskSurrogate, task: Task) -> str | None:
    phi = phi_of(surrogate, task)
    return None if phi is None else f"its definition, phi(x) = {phi}"


def _averages_classes(surrogate: TaskSurrogate, task: Task) -> str | None:
    if not isinstance(surrogate, MeanSurrogate) or surrogate.scaled:
        return None
    labels = task.space.labels
    if any(surrogate.features(task, y) != tuple(Fraction(y == t) for t in labels) for y in labels):
        return None
    return f"compared at all {len(labels)} classes"


def _centered_hinges(surrogate: TaskSurrogate, task: Task) -> str | None:
    if not isinstance(surrogate, LeeLinWahba):
        return None
    m = task.space.m
    hinge, offset = parse("max(0,x)"), LogRational(Fraction(-m))
    for (y,) in task.space.labels:
        expected = tuple(
            Term(Fraction(1, m), hinge, tuple((i, m - 1 if i == j else -1) for i in range(m)), offset)
            for j in range(m)
            if j != y
        )
        if surrogate.atoms(task, (y,)) != expected:
            return None
    return f"its terms at all {m} classes are (1/m) max(0, m + m u_j - sum of u)"


_IS_ARGMAX: Final = decoded_by("the class of the largest score is predicted", "argmax")
_AVERAGES_CLASSES: Final = Hypothesis(r"\(f_k(y) = 1(y = k)\)", _averages_classes)

SOFTMAX: Final = Theorem(
    name="Softmax for the 0-1 loss",
    statement=r"The cross-entropy of softmax is calibrated for the 0-1 loss: its excess is KL(p, softmax u).",
    citation="Zhang 2004; Tewari and Bartlett 2007",
    families=(MeanSurrogate,),
    targets=("zero-one",),
    conditions=("any",),
    hypotheses=(
        _IS_ARGMAX,
        Hypothesis("the loss of class k is the negative logarithm of its softmax", _is_softmax),
        _AVERAGES_CLASSES,
    ),
    scope="all numbers of classes",
)

ONE_VS_ALL: Final = replace(
    SOFTMAX,
    name="One against all for the 0-1 loss",
    statement=(
        r"\(\phi(u_y) + \sum_{k \ne y} \phi(-u_k)\) is calibrated for the 0-1 loss when \(\phi\) is convex,"
        r" differentiable and bounded below with \(\phi'(0) < 0\)."
    ),
    hypotheses=(
        _IS_ARGMAX,
        Hypothesis(r"the loss is \(\phi(u_y) + \sum_{k \ne y} \phi(-u_k)\)", _is_one_vs_all),
        _AVERAGES_CLASSES,
        *CLASSIFYING,
    ),
)

LEE_LIN_WAHBA: Final = replace(
    SOFTMAX,
    name="Lee, Lin and Wahba",
    statement=(
        r"\(\sum_{j \ne y} \max(0, 1 + u_j)\) under \(\sum_j u_j = 0\) is calibrated for the 0-1 loss: its"
        r" excess is at least the regret \(\max_j p_j - p_t\)."
    ),
    citation="Lee, Lin and Wahba 2004; Tewari and Bartlett 2007; the bound on the excess is ours",
    families=(LeeLinWahba,),
    hypotheses=(
        _IS_ARGMAX,
        Hypothesis(r"the loss is \(\sum_{j \ne y} \max(0, 1 + u_j - \bar u)\)", _centered_hinges),
    ),
)

MULTICLASS_THEOREMS: Final = (SOFTMAX, ONE_VS_ALL, LEE_LIN_WAHBA)
"""In the order in which they are tried."""


# --- Smooth stand-ins for a loss are calibrated for that loss, though they are not convex ----------------
# The proof is that of `model.surrogates.tasks.means`: at scores u the risk is at least the mean of the
# target loss over a random ranking that is sorted by u with a chance of at least 1/m!, and it tends to the
# target loss of an order far out in that order. So for every order t that sorts u
#
#     E psi(y, u) - inf >= (E l(y, t) - min over t' of E l(y, t')) / m!.


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


SMOOTH_NDCG: Final = Theorem(
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
        Hypothesis("the surrogate smooths NDCG", _smooths_ndcg),
        Hypothesis(r"\(G(s) = 2^s - 1\), \(F(j) = \log_2(1 + j)\)", _same_formulas),
        Hypothesis("every position counts", _not_truncated),
    ),
)

SMOOTH_NDCG_AT_K: Final = replace(
    SMOOTH_NDCG,
    name="smooth positions, at most k items",
    hypotheses=(*SMOOTH_NDCG.hypotheses[:2], Hypothesis("every position counts", _complete)),
    scope="m <= k",
)

SOFT_PAIRS: Final = Theorem(
    name="soft pairs",
    statement=(
        r"\(\sum_{s_i > s_j} \sigma(u_j - u_i)\) is calibrated for pairwise disagreement: it is its mean over"
        " Plackett-Luce rankings."
    ),
    citation="ours, by the mean over Plackett-Luce rankings",
    families=(SoftPairs,),
    targets=("pairwise",),
    conditions=("any",),
    hypotheses=(Hypothesis("labels are grades, and each pair has the same weight", _counts_pairs),),
)

RELAXED_THEOREMS: Final = (SMOOTH_NDCG, SMOOTH_NDCG_AT_K, SOFT_PAIRS)
"""Statements for all m before those for some."""
