"""The separation certificate: dual bounds on half-spaces, all above the value at the scores.

If sum_t c_t s_t v_t = λ w with λ >= 0, then on the half-space <w, alpha> >= 0

    W(alpha) >= D := -sum_t c_t (s_t b_t + phi_t^*(s_t)),

and phi^*(s) is bounded above by two tangents: if phi'(x_l) <= s <= phi'(x_r) for some x_l <= x_r, then
phi^*(s) <= s x_l - phi(x_l) + (s - phi'(x_l)) (x_r - x_l). A slope 0 may do without a bracket where phi is
proved to be bounded below, since phi^*(0) = -inf phi.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from consistency_lab.core.numbers import shown
from consistency_lab.core.risk import conjugate, value
from consistency_lab.errors import RejectedError
from consistency_lab.exact import (
    Ball,
    LogRational,
    certainly_positive,
    enclose,
    lower_decimal,
    working_precision,
)
from consistency_lab.proofs.format_1.document import CONSISTENT_AT_P, Bound, Separation
from consistency_lab.proofs.format_1.orders import Costs, Optimum
from consistency_lab.proofs.format_1.terms import Term

from .stationary import check_balance

_PRECISIONS: Final = (64, 128, 256, 512, 1024, 2048, 4096)
_SHARPNESS: Final = Fraction(99, 100)
_LEAST_GAP: Final = Fraction(1, 10**300)
"""Smaller gaps have no text in the format."""


def check_cover(
    claim: str,
    bounds: Sequence[Bound],
    costs: Costs,
    optimum: Optimum,
    levels: Sequence[int],
    names: Sequence[str],
) -> None:
    """Check that the half-spaces cover what they must, and leave the scores out.

    For an inconsistency these are {alpha_i >= alpha_j} and must contain A(p): every order with j above i for
    all the pairs is worse than optimal. For consistency at p these are {alpha_i <= alpha_j} and must contain
    the complement of A(p): every order with i above j for all the pairs is optimal.

    Raises
    ------
    RejectedError
        If they do not.
    """
    inside = claim == CONSISTENT_AT_P
    if not bounds:
        raise RejectedError("a separation certificate needs at least one bound")
    if len({bound.pair for bound in bounds}) < len(bounds):
        raise RejectedError("a separation certificate bounds W on one half-space twice")
    required = [0] * costs.m
    for bound in bounds:
        i, j = bound.pair
        above, below = (i, j) if inside else (j, i)
        if levels[above] >= levels[below]:
            raise RejectedError(
                f"the scores lie in the half-space of the pair ({names[i]}, {names[j]}); "
                f"{names[above]} must be strictly above {names[below]}"
            )
        required[below] |= 1 << above
    if inside:
        worst = costs.extreme(max, required)
        if worst != optimum.loss:
            raise RejectedError(
                f"an order outside all the half-spaces has loss {worst}, more than {optimum.loss}"
            )
    else:
        best = costs.extreme(min, required)
        if best == optimum.loss:
            raise RejectedError("an optimal order lies outside all the half-spaces")


def check_separation(
    claim: str, certificate: Separation, scores: Sequence[LogRational], names: Sequence[str]
) -> None:
    """Check every dual bound against the value of W at the scores, and that the gap is stated sharply.

    Raises
    ------
    RejectedError
        If a multiplier is negative, an identity fails, or a bound or the gap is not certain.
    """
    if certificate.gap <= 0:
        raise RejectedError(f"the gap is {shown(certificate.gap)}; it must be positive")
    for bound in certificate.bounds:
        i, j = bound.pair
        if bound.multiplier < 0:
            raise RejectedError(f"the multiplier of the pair ({names[i]}, {names[j]}) is negative")
        wanted = [Fraction(0)] * len(names)
        plus, minus = (j, i) if claim == CONSISTENT_AT_P else (i, j)
        wanted[plus], wanted[minus] = bound.multiplier, -bound.multiplier
        check_balance(certificate.terms, bound.slopes, wanted, names)
    failure = RejectedError("the gap is not certain")
    for bits in _PRECISIONS:
        try:
            with working_precision(bits):
                _check_gap(certificate, certificate.gap, _excess(certificate, scores, bits), names)
            return
        except RejectedError as error:
            failure = error
    raise failure


def largest_gap(certificate: Separation, scores: Sequence[LogRational]) -> Fraction | None:
    """A decimal of six digits that `check_separation` accepts as the gap, None if there is none."""
    names = [""] * len(scores)
    for bits in _PRECISIONS:
        try:
            with working_precision(bits):
                excess = _excess(certificate, scores, bits)
                if not all(certainly_positive(margin) and margin.is_finite() for margin in excess):
                    continue
                gap = min(lower_decimal(margin) for margin in excess)
                _check_gap(certificate, gap, excess, names)
            return gap if gap > _LEAST_GAP else None
        except RejectedError:
            continue
    return None


def _check_gap(certificate: Separation, gap: Fraction, excess: Sequence[Ball], names: Sequence[str]) -> None:
    """Every D - W(scores) >= gap, and gap >= 99/100 of one of them."""
    for bound, margin in zip(certificate.bounds, excess, strict=True):
        if not bool(margin >= enclose(gap)):
            i, j = bound.pair
            raise RejectedError(
                f"the bound of the pair ({names[i]}, {names[j]}) is above the value at the scores by "
                f"{margin.str(8)}, not certainly by the gap {_decimal(gap)}"
            )
    if not any(certainly_positive(enclose(gap / _SHARPNESS) - margin) for margin in excess):
        raise RejectedError(f"the gap is stated as {_decimal(gap)}, but is larger by more than 1%")


def _excess(certificate: Separation, scores: Sequence[LogRational], bits: int) -> list[Ball]:
    """D - W(scores) for each bound, at the working precision of `bits` bits."""
    at_scores = enclose(0)
    for term in certificate.terms:
        at_scores += enclose(term.c) * value(term.phi, term.at(scores), bits)
    return [_dual(certificate.terms, bound, bits) - at_scores for bound in certificate.bounds]


def _dual(terms: Sequence[Term], bound: Bound, bits: int) -> Ball:
    total = enclose(0)
    for term, slope, bracket in zip(terms, bound.slopes, bound.brackets, strict=True):
        upper = conjugate(term.phi, slope, bracket, bits)
        total -= enclose(term.c) * (enclose(slope) * term.b.ball() + upper)
    return total


def _decimal(gap: Fraction) -> str:
    return str(enclose(gap).str(8, radius=False))
