"""Why the scores are a minimizer, or why W is larger on a half-space: the certificate in words."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final

from consistency_lab.exact import Ball, LogRational, enclose, working_precision
from consistency_lab.kernel.document import Bound, Bracket, Separation, Stationary
from consistency_lab.phi import Expression, enclose_slopes, enclose_value, exact_slopes, facts
from consistency_lab.report.proof.case import SLOPE, Case
from consistency_lab.report.text import Line, columns, listed, paragraph, short

_BITS: Final = 256
_DIGITS: Final = 12
_GAP_DIGITS: Final = 6
_LONGEST: Final = 12


def minimum(case: Case) -> Iterator[Line]:
    """The section."""
    certificate = case.witness.certificate
    if isinstance(certificate, Stationary):
        yield from _stationary(case, certificate)
    else:
        yield from _separation(case, certificate)


def _stationary(case: Case, certificate: Stationary) -> Iterator[Line]:
    yield from paragraph(
        "W is convex, so it is least where 0 is one of its subgradients. The slopes at the scores are:"
    )
    yield from _about_slopes(case)
    rows = [["term", "its argument", "slope there", "slope × coefficient"]]
    for term, slope in zip(certificate.terms, certificate.slopes, strict=True):
        at = term.at(case.witness.scores)
        left, right = exact_slopes(term.phi, at)
        chosen = str(slope) if left == right else f"{slope}, chosen in [{left}, {right}]"
        rows.append([case.weighted(term), short(at), chosen, str(term.c * slope)])
    yield from columns(rows, indent=5)
    yield from paragraph("The derivative of W along each score is then exactly zero:")
    yield from _balance(case, certificate.slopes)
    yield from paragraph("So the scores minimize W.")


def _separation(case: Case, certificate: Separation) -> Iterator[Line]:
    pairs = [bound.pair for bound in certificate.bounds]
    halves = [_half(case, bound) for bound in certificate.bounds]
    where = f"in the half-space {halves[0]}" if len(pairs) == 1 else f"in the union of {listed(halves)}"
    ranked = [f"{case.names[i]} above {case.names[j]}" for i, j in pairs]
    if case.inconsistent:
        yield from paragraph(f"Every optimal order ranks {listed(ranked, 'or')}, so A(p) lies {where}.")
    else:
        yield from paragraph(
            f"Every order that ranks {listed(ranked)} is optimal, so scores outside A(p) lie {where}."
        )
    yield from paragraph(
        "If slopes s_t satisfy sum_t c_t s_t v_t = λ w with λ ≥ 0, then by convexity "
        "W(α) ≥ D := -sum_t c_t (s_t b_t + φ*(s_t)) wherever ⟨w, α⟩ ≥ 0. Two points x_l ≤ x_r whose slopes "
        "enclose s bound the conjugate: φ*(s) ≤ s x_l - φ(x_l) + (s - φ'(x_l)) (x_r - x_l)."
    )
    yield from _about_slopes(case)
    with working_precision(_BITS):
        at_scores = enclose(0)
        for term in case.terms:
            at_scores += enclose(term.c) * enclose_value(term.phi, term.at(case.witness.scores))
        for half, bound in zip(halves, certificate.bounds, strict=True):
            yield from _bound(case, half, bound, at_scores)
    gap = case.document["certificate"]["gap"]
    yield from paragraph(f"So W is larger there than at the scores, by at least {gap} (the gap).")


def _about_slopes(case: Case) -> Iterator[Line]:
    if any(term.phi == SLOPE for term in case.terms):
        yield from paragraph("A term (α_j - α_i) is φ(x) = -x at x = α_i - α_j: slope -1, and φ*(-1) = 0.")


def _half(case: Case, bound: Bound) -> str:
    i, j = bound.pair
    return f"{{{case.score(i)} {'≥' if case.inconsistent else '≤'} {case.score(j)}}}"


def _bound(case: Case, half: str, bound: Bound, at_scores: Ball) -> Iterator[Line]:
    yield from paragraph(f"On {half}, with λ = {short(bound.multiplier)}:")
    rows = [["term", "slope s", "x_l", "x_r"]]
    dual = enclose(0)
    for term, slope, bracket in zip(case.terms, bound.slopes, bound.brackets, strict=True):
        ends = ("", "") if bracket is None or term.phi == SLOPE else (short(bracket[0]), short(bracket[1]))
        rows.append([case.weighted(term), short(slope), *ends])
        conjugate = _conjugate(term.phi, slope, bracket)
        dual -= enclose(term.c) * (enclose(slope) * term.b.ball() + conjugate)
    yield from columns(rows, indent=5, right=[1, 2, 3])
    yield from _balance(case, bound.slopes)
    yield from paragraph(
        f"D ≈ {_shown(dual, _DIGITS)} and W(scores) ≈ {_shown(at_scores, _DIGITS)}, "
        f"so D - W(scores) ≈ {_shown(dual - at_scores, _GAP_DIGITS)}.",
        5,
        2,
    )


def _conjugate(phi: Expression, slope: Fraction, bracket: Bracket) -> Ball:
    """The upper bound of phi^*(slope); without a bracket the slope is 0 and phi bounded below."""
    if phi == SLOPE:
        return enclose(0)
    if bracket is None:
        return -enclose(facts(phi).lower or Fraction(0))
    left, right = bracket
    lowest, low = enclose_slopes(phi, LogRational(left))
    tangent = low if bool(low <= enclose(slope)) else lowest
    at_left = enclose(slope * left) - enclose_value(phi, LogRational(left))
    # A bracket of one point needs no tangent: where phi has a kink, its slope there need not be known.
    return at_left if left == right else at_left + (enclose(slope) - tangent) * enclose(right - left)


def _shown(value: Ball, digits: int) -> str:
    return str(value.mid().str(digits, radius=False))


def _balance(case: Case, slopes: Sequence[Fraction]) -> Iterator[Line]:
    """The sum of c s v at each item, entry by entry."""
    rows = []
    for item, name in enumerate(case.names):
        entries = [
            term.c * slope * n
            for term, slope in zip(case.terms, slopes, strict=True)
            for place, n in term.v
            if place == item
        ]
        rows.append((name, entries))
    long = any(len(short(x)) > _LONGEST for _, entries in rows for x in entries)
    width = max(len(name) for name, _ in rows)
    for name, entries in rows:
        text = f"{len(entries)} terms, exactly" if long else f"{_sum(entries)} ="
        text += f" {short(sum(entries, Fraction(0)))}"
        yield from paragraph(f"at {name.ljust(width)}  {text}", 5, width + 5)


def _sum(entries: Sequence[Fraction]) -> str:
    text = ""
    for x in entries:
        size = short(abs(x))
        text = f"{text} {'-' if x < 0 else '+'} {size}" if text else f"{'-' if x < 0 else ''}{size}"
    return text or "0"
