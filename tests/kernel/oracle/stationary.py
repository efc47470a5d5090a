"""The stationary certificate: slopes at the scores that balance exactly.

If s_t is a subgradient of the convex phi_t at <v_t, alpha> - b_t and sum_t c_t s_t v_t = 0, then alpha
minimizes sum_t c_t phi_t(<v_t, alpha> - b_t).
"""

from collections.abc import Sequence
from fractions import Fraction

from consistency_lab.core.numbers import shown
from consistency_lab.core.risk import rational_slopes
from consistency_lab.errors import RejectedError
from consistency_lab.exact import LogRational
from consistency_lab.proofs.format_1.document import Stationary
from consistency_lab.proofs.format_1.terms import Term


def check_stationary(certificate: Stationary, scores: Sequence[LogRational], names: Sequence[str]) -> None:
    """Check that the scores minimize the sum of the certificate's terms, which are known to be convex.

    Raises
    ------
    RejectedError
        If a slope is no subgradient, or the slopes do not balance.
    """
    for number, (term, slope) in enumerate(zip(certificate.terms, certificate.slopes, strict=True), start=1):
        point = term.at(scores)
        left, right = rational_slopes(term.phi, point)
        if left is None or right is None:
            raise RejectedError(
                f"the slopes of term {number}, {term.phi} at {shown(point)}, are not known to be rational"
            )
        if not left <= slope <= right:
            allowed = (
                f"is {shown(left)}" if left == right else f"lies between {shown(left)} and {shown(right)}"
            )
            raise RejectedError(
                f"the slope of term {number} is stated as {shown(slope)}, "
                f"but that of {term.phi} at {shown(point)} {allowed}"
            )
    check_balance(certificate.terms, certificate.slopes, [Fraction(0)] * len(scores), names)


def check_balance(
    terms: Sequence[Term], slopes: Sequence[Fraction], wanted: Sequence[Fraction], names: Sequence[str]
) -> None:
    """Check sum_t c_t s_t v_t = wanted, exactly.

    Raises
    ------
    RejectedError
        If it is not so; the message names the first item where the sum is another.
    """
    total = [Fraction(0)] * len(wanted)
    for term, slope in zip(terms, slopes, strict=True):
        for item, factor in term.v:
            total[item] += term.c * slope * factor
    for name, found, right in zip(names, total, wanted, strict=True):
        if found != right:
            raise RejectedError(f"the slopes sum to {shown(found)} at item {name}, not to {shown(right)}")
