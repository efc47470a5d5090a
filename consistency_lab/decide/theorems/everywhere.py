"""What is right at every distribution: two items, stand-ins for the target, and losses of several classes.

See docs/theory.md, Two items, and Bounded stand-ins, for the statements and their proofs.
"""

from dataclasses import replace
from fractions import Fraction
from typing import Final

from consistency_lab.decide.theorems.base import (
    CLASSIFYING,
    HAS_NEGATIVE_SLOPE,
    IS_CONVEX,
    PIECES,
    Hypothesis,
    Theorem,
    decoded_by,
    phi_of,
    plain,
    psi,
)
from consistency_lab.decide.theorems.linear import OWN_WEIGHTS
from consistency_lab.model.labels import Grades
from consistency_lab.model.properties import BOUNDED_BELOW, NONINCREASING, Status, properties
from consistency_lab.model.surrogates import AnswerSurrogate, DifferenceSurrogate, EdgeSurrogate, Term
from consistency_lab.model.surrogates.tasks.atoms import LeeLinWahba
from consistency_lab.model.surrogates.tasks.base import MeanSurrogate, TaskSurrogate
from consistency_lab.model.surrogates.tasks.means import SmoothPositions, SoftPairs
from consistency_lab.model.tasks.positional import DISCOUNT, GAIN, Ndcg
from consistency_lab.model.tasks.task import Task
from consistency_lab.numbers.exact import LogRational
from consistency_lab.numbers.phi import PiecewisePolynomial, number, parse

# --- Edge and difference losses of preference graphs -----------------------------------------------------

_SUMS: Final = ((EdgeSurrogate, (OWN_WEIGHTS,)), (DifferenceSurrogate, ()))
_PIECES: Final = f"{PIECES}: nonincreasing, constant for x <= 0 and for large x"


def _stands_in(surrogate: EdgeSurrogate | DifferenceSurrogate, target: None) -> str | None:
    """How `_STANDS_IN` was checked, None if it is not proved."""
    phi = surrogate.functions[0]
    form = PiecewisePolynomial.of(phi)
    if form is not None:
        high, low = form.pieces[0], form.pieces[-1]
        falls = high != low and max(len(high), len(low)) <= 1 and form.breakpoints[0] >= 0
        return _PIECES if falls and form.is_nonincreasing() else None
    while phi.op in ("multiply", "divide"):
        first, last = ((part.value or 0) > 0 for part in phi.args)
        if not last and not (first and phi.op == "multiply"):
            break
        phi = phi.args[0 if last else 1]
    if phi.op != "divide" or phi.args[1].op != "add" or not (phi.args[0].value or 0) > 0:
        return None
    one, power = sorted(phi.args[1].args, key=lambda part: part.op == "exp")
    inner = PiecewisePolynomial.of(power.args[0]) if power.op == "exp" else None
    if one.value != 1 or inner is None or len(inner.pieces) != 1:
        return None
    line = inner.pieces[0]
    return "it has the form c/(1 + exp(k x))" if len(line) == 2 and line[0] == 0 < line[1] else None


_STANDS_IN: Final = Hypothesis(
    r"\(\phi(x) = c/(1 + e^{kx})\) with c, k > 0, or \(\phi\) is nonincreasing, bounded below, constant for"
    r" \(x \le 0\) and not constant",
    _stands_in,
)

GRAPHS_EVERYWHERE: Final = (
    *(
        Theorem(
            name="Two items",
            statement="forests",
            citation="ours (docs/theory.md, Two items)",
            families=(family,),
            conditions=("any",),
            hypotheses=(*own, IS_CONVEX, HAS_NEGATIVE_SLOPE),
            scope="m = 2",
            items=(2,),
        )
        for family, own in _SUMS
    ),
    *(
        Theorem(
            name="Bounded stand-ins",
            statement="bounded-stand-ins",
            citation="ours (docs/theory.md, Bounded stand-ins)",
            families=(family,),
            conditions=("any",),
            hypotheses=(*own, _STANDS_IN),
        )
        for family, own in _SUMS
    ),
)


def _won_rises(loss: AnswerSurrogate, target: None) -> str | None:
    falling = properties(parse(loss.won.text("(-x)")))
    proved = (falling[name].status is Status.PROVED for name in (NONINCREASING, BOUNDED_BELOW))
    return "properties of won(-x)" if all(proved) else None


WON_BESIDE_PAIRS: Final = Theorem(
    name="Bounded stand-ins beside single answers",
    statement="bounded-stand-ins",
    citation="Bounded stand-ins beside single answers (docs/alignment.md)",
    families=(AnswerSurrogate,),
    conditions=("any",),
    hypotheses=(
        plain("lost and each are 0", "its parts", lambda loss, _: loss.lost == loss.each == number(0)),
        _STANDS_IN,
        Hypothesis("won is nondecreasing and bounded below", _won_rises),
    ),
)


# --- Surrogates of the 0-1 loss of several classes k of probability p_k, decoded by argmax ---------------
# The statements softmax, one-against-all and lee-lin-wahba of the book prove them.


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
    statement="softmax",
    citation="Zhang 2004; Tewari and Bartlett 2007",
    families=(MeanSurrogate,),
    targets=("zero-one",),
    conditions=("any",),
    hypotheses=(
        _IS_ARGMAX,
        plain(
            "the loss of class k is the negative logarithm of its softmax",
            "its definition",
            lambda surrogate, task: psi(surrogate, task) == "softmax",
        ),
        _AVERAGES_CLASSES,
    ),
    scope="all numbers of classes",
)

ONE_VS_ALL: Final = replace(
    SOFTMAX,
    name="One against all for the 0-1 loss",
    statement="one-against-all",
    hypotheses=(
        _IS_ARGMAX,
        Hypothesis(
            r"the loss is \(\phi(u_y) + \sum_{k \ne y} \phi(-u_k)\)",
            lambda loss, task: (phi := phi_of(loss, task)) and f"its definition, phi(x) = {phi}",
        ),
        _AVERAGES_CLASSES,
        *CLASSIFYING,
    ),
)

LEE_LIN_WAHBA: Final = replace(
    SOFTMAX,
    name="Lee, Lin and Wahba",
    statement="lee-lin-wahba",
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
# The statements smooth-positions and soft-pairs of the book prove it.


SMOOTH_NDCG: Final = Theorem(
    name="smooth positions",
    statement="smooth-positions",
    citation="ours, by Jensen's inequality over Plackett-Luce rankings",
    families=(SmoothPositions,),
    targets=("ndcg",),
    conditions=("any",),
    hypotheses=(
        plain("the surrogate smooths NDCG", "its metric", lambda smooth, _: smooth.metric == "ndcg"),
        plain(
            r"\(G(s) = 2^s - 1\), \(F(j) = \log_2(1 + j)\)",
            "gain and discount compared",
            lambda _, task: isinstance(task, Ndcg) and task.gain == GAIN and task.discount == DISCOUNT,
        ),
        plain("every position counts", "no k", lambda _, task: isinstance(task, Ndcg) and task.k is None),
    ),
)

SMOOTH_NDCG_AT_K: Final = replace(
    SMOOTH_NDCG,
    name="smooth positions, at most k items",
    hypotheses=(
        *SMOOTH_NDCG.hypotheses[:2],
        Hypothesis(
            "every position counts",
            lambda _, task: (
                f"k is at least {task.space.m}" if isinstance(task, Ndcg) and task.complete else None
            ),
        ),
    ),
    scope="m <= k",
)

SOFT_PAIRS: Final = Theorem(
    name="soft pairs",
    statement="soft-pairs",
    citation="ours, by the mean over Plackett-Luce rankings",
    families=(SoftPairs,),
    targets=("pairwise",),
    conditions=("any",),
    hypotheses=(
        plain(
            "labels are grades, and each pair has the same weight",
            "each pair has the weight 1",
            lambda soft, task: soft.normalized == "none" and isinstance(task.space, Grades),
        ),
    ),
)

RELAXED_THEOREMS: Final = (SMOOTH_NDCG, SMOOTH_NDCG_AT_K, SOFT_PAIRS)
"""Statements for all m before those for some."""
