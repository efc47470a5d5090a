"""The claim about every convex phi, for the families that it speaks of; see `core.inequalities`."""

from collections.abc import Sequence

from consistency_lab.core.inequalities import MAX_FACE_ITEMS, Weights, check_faces
from consistency_lab.errors import RejectedError
from consistency_lab.proofs.format_1.document import Universal
from consistency_lab.proofs.format_1.orders import Optimum
from consistency_lab.proofs.format_1.terms import Term

from .families import Edge, Family, Margin


def check_universal(
    universal: Universal, surrogate: Family, terms: Sequence[Term], optimum: Optimum, names: Sequence[str]
) -> None:
    """Check the multipliers on every face.

    Raises
    ------
    RejectedError
        If the statement does not apply to this surrogate or distribution, or multipliers fail or are missing.
    """
    m = len(names)
    if m > MAX_FACE_ITEMS:
        raise RejectedError(
            f"a universal claim is checked for at most {MAX_FACE_ITEMS} items, and there are {m}"
        )
    if universal.order != tuple(range(m)):
        raise RejectedError("a universal claim needs the items in the optimal order")
    if optimum.count != 1 or not all(optimum.forced(i, i + 1) for i in range(m - 1)):
        raise RejectedError("a universal claim needs the order of the items to be the only optimal one")
    weights = _weights(surrogate, terms)
    check_faces(universal.faces, weights, names)


def _weights(surrogate: Family, terms: Sequence[Term]) -> Weights:
    """h_ij, if W(alpha) = sum h_ij phi(alpha_i - alpha_j - b) with one b >= 0.

    For b > 0 the statement is applied to x -> phi(x - b), whose slope at 0 is phi'(-b) <= phi'(0) < 0.
    """
    if not isinstance(surrogate, Edge | Margin):
        raise RejectedError("a universal claim is about the families edge and margin only")
    offsets = {term.b for term in terms}
    if len(offsets) != 1 or any(b.sign() < 0 for b in offsets):
        raise RejectedError("a universal claim needs one margin for all edges, which is at least 0")
    return {_ends(term): term.c for term in terms}


def _ends(term: Term) -> tuple[int, int]:
    """(i, j) of v = e_i - e_j."""
    (first, sign), (second, _) = term.v
    return (first, second) if sign > 0 else (second, first)
