"""Edge losses under designs of comparison: where all edges are dominated, or each pair is right alone.

W(alpha) = sum of a_ij phi(alpha_i - alpha_j), n_ij = a_ij + a_ji, P_ij = a_ij/n_ij where n_ij > 0, phi
*regular*: convex, differentiable, bounded below, phi'(0) < 0. Put u(x) = -phi'(x) - phi'(-x).

See docs/theory.md, Designs, for the statements and their proofs.
"""

from typing import Final

from consistency_lab.decide.theorems.base import (
    CLASSIFYING,
    HAS_NEGATIVE_SLOPE,
    IS_BOUNDED_BELOW,
    IS_CONVEX,
    IS_NONINCREASING,
    PIECES,
    Hypothesis,
    Theorem,
    differentiable,
    plain,
)
from consistency_lab.decide.theorems.linear import OWN_WEIGHTS
from consistency_lab.model.properties import BOUNDED_BELOW, NEGATIVE_SLOPE, Status, properties
from consistency_lab.model.surrogates import AnswerSurrogate, DifferenceSurrogate, EdgeSurrogate
from consistency_lab.numbers.phi import (
    Expression,
    PiecewisePolynomial,
    X,
    build,
    convexity_proof,
    number,
    parse,
)
from consistency_lab.numbers.reflection import Push, odd_slope, odds_rate, push
from consistency_lab.solve.connectivity import Trend, growth

_REGULAR: Final = (OWN_WEIGHTS, *CLASSIFYING)


def _u_is_nonnegative(loss: EdgeSurrogate, target: None) -> str | None:
    falls = IS_NONINCREASING.check(loss, target)
    return f"phi is nonincreasing, {falls}" if falls is not None else _constant(loss.phi, zero=True)


def _constant(phi: Expression, *, zero: bool = False) -> str | None:
    """The value of u, if it is constant and positive, or 0 with `zero`."""
    slope = odd_slope(phi)
    return None if slope is None or slope > 0 or not (slope or zero) else f"u(x) = {-slope}"


def _has_logistic_link(loss: EdgeSurrogate, target: None) -> str | None:
    rate = odds_rate(loss.phi)
    return None if rate is None or rate <= 0 else f"phi'(-x) = exp({rate} x) phi'(x)"


_U_NONNEGATIVE: Final = Hypothesis(r"\(u(x) = -\phi'(x) - \phi'(-x) \ge 0\)", _u_is_nonnegative)
_U_CONSTANT: Final = Hypothesis(
    r"\(u(x) = -\phi'(x) - \phi'(-x)\) is constant", lambda loss, _: _constant(loss.phi)
)
_U_LARGEST_AT_0: Final = plain(
    r"\(u(x) \le u(0)\) for every \(x > 0\) with \(\phi'(x) < 0\)",
    PIECES,
    lambda loss, _: push(loss.phi) is not Push.UNKNOWN,
)
_LOGISTIC_LINK: Final = Hypothesis(r"\(\phi'(-x) = e^{kx} \phi'(x)\) for some \(k > 0\)", _has_logistic_link)


def _theorem(
    name: str,
    statement: str,
    conditions: tuple[str, ...],
    design: str,
    *hypotheses: Hypothesis,
    items: tuple[int, ...] = (),
    asked: tuple[Hypothesis, ...] = _REGULAR,
    families: tuple[type, ...] = (EdgeSurrogate,),
) -> Theorem:
    return Theorem(
        name=name,
        statement=statement,
        citation=f"{name} (docs/theory.md, Designs)",
        families=families,
        conditions=conditions,
        design=design,
        hypotheses=(*asked, *hypotheses),
        scope=f"m = {items[0]}" if items else "all m",
        items=items,
    )


DESIGN_THEOREMS: Final = (
    _theorem(
        "Forests",
        "forests",
        ("any",),
        "forest",
        asked=(OWN_WEIGHTS, IS_CONVEX, IS_BOUNDED_BELOW, HAS_NEGATIVE_SLOPE),
        families=(EdgeSurrogate, DifferenceSurrogate),
    ),
    _theorem("Bradley-Terry", "bradley-terry", ("bradley-terry",), "any", _LOGISTIC_LINK),
    _theorem(
        "Product designs", "product-designs", ("strong-stochastic-transitivity",), "product", _U_NONNEGATIVE
    ),
    _theorem(
        "Three items",
        "product-designs",
        ("strong-stochastic-transitivity", "bradley-terry"),
        "any",
        _U_NONNEGATIVE,
        items=(3,),
    ),
    _theorem("Rows in order", "balanced-designs", ("row-dominated",), "balanced", _U_NONNEGATIVE),
    _theorem("Balanced counts", "weighted-borda", ("net-order",), "balanced", _U_CONSTANT),
    _theorem(
        "Balanced counts of three items",
        "balanced-three",
        ("net-order",),
        "balanced",
        IS_NONINCREASING,
        _U_LARGEST_AT_0,
        items=(3,),
    ),
    _theorem("AUC", "auc", ("auc",), "any", IS_NONINCREASING),
    _theorem("AUC where u is constant", "auc", ("auc",), "any", _U_CONSTANT),
)
"""Statements about a condition and a design; those for all m first."""


# --- Losses of single answers (docs/alignment.md, What is proved) -----------------------------------------

_NOTHING: Final = number(0)


def _parts_are_bounded(loss: AnswerSurrogate, target: None) -> str | None:
    every = (loss.phi, loss.lost, loss.each, parse(f"{loss.won}+{loss.each}"))
    fits = all(properties(part)[BOUNDED_BELOW].status is Status.PROVED for part in every if part != _NOTHING)
    return "each proved bounded below" if fits else None


def _reflected(e: Expression) -> Expression:
    """e(-x), simplified."""
    if e in (X, -X):
        return -X if e == X else X
    return build(e.op, *map(_reflected, e.args)) if e.args else e


def _winning_helps(loss: AnswerSurrogate, target: None) -> str | None:
    if loss.lost == loss.won:
        slope = odd_slope(loss.won)
        return None if slope is None or slope >= 0 else f"r(x) = {slope} x"
    if loss.lost == _NOTHING:
        form = PiecewisePolynomial.of(loss.won)
        line = None if form is None or len(form.pieces) > 1 else form.pieces[0]
        return f"r(x) = {loss.won}" if line is not None and len(line) == 2 and line[1] < 0 else None
    fades = loss.won == parse(f"log(1+exp(-x))+{_reflected(loss.lost)}")
    fades = fades and growth(loss.won).ahead is Trend.GROWS
    return "r(x) = log(1+exp(-x)), and won grows without bound" if fades else None


def _leans_by_the_majority(loss: AnswerSurrogate, target: None) -> str | None:
    falls = properties(loss.lost)[NEGATIVE_SLOPE].status is Status.PROVED
    same = loss.won == loss.lost or odd_slope(parse(f"{loss.won}-({loss.lost})")) == 0
    return "won - lost is even, and lost'(0) < 0" if falls and same else None


def _of_answers(name: str, condition: str, design: str, *hypotheses: Hypothesis) -> Theorem:
    citation = f"{name} (docs/alignment.md)"
    families, asked = (AnswerSurrogate,), (*_PARTS, *hypotheses)
    return Theorem(name, "single-answers", citation, families, (condition,), asked, design=design)


_PARTS: Final = (
    plain(
        "phi, won, lost and each are convex and differentiable",
        "composition rules",
        lambda loss, _: all(convexity_proof(part) and differentiable(part) for part in loss.functions),
    ),
    Hypothesis("phi, lost, each and won + each are bounded below", _parts_are_bounded),
)
_WINNING_HELPS: Final = Hypothesis(
    "r(x) = won(x) - lost(-x) is a decreasing line, or convex and decreasing while won grows without bound",
    _winning_helps,
)

SINGLE_ANSWERS: Final = (
    _of_answers(
        "Single answers, balanced counts",
        "net-order",
        "balanced",
        Hypothesis(
            r"\(-\phi'(x) - \phi'(-x) \ge 0\) is constant",
            lambda loss, _: "phi = 0" if loss.phi == _NOTHING else _constant(loss.phi, zero=True),
        ),
        _WINNING_HELPS,
    ),
    _of_answers(
        "Single answers, rows in order",
        "row-dominated",
        "balanced",
        Hypothesis(
            _U_NONNEGATIVE.statement,
            lambda loss, _: "phi = 0" if loss.phi == _NOTHING else _u_is_nonnegative(loss, None),
        ),
        _WINNING_HELPS,
    ),
    _of_answers(
        "Single answers, forests",
        "low-noise",
        "forest",
        plain("phi = each = 0", "by its parts", lambda loss, _: loss.phi == loss.each == _NOTHING),
        Hypothesis(r"\(won'(0) = lost'(0) < 0\)", _leans_by_the_majority),
    ),
)
