"""The claim about every convex phi with phi'(0) < 0: no stationary point orders the items rightly.

Let g_ij be a subgradient of phi at delta_ij = alpha_i - alpha_j and g_0 one at 0. If alpha is stationary,
then sum_j (h_ij g_ij - h_ji g_ji) = 0 for every i; by monotonicity delta_t < delta_u implies g_t <= g_u.
Multipliers y_i and z >= 0 with

    sum_i y_i sum_j (h_ij g_ij - h_ji g_ji) + sum z (g_u - g_t) = g_0     (identically in g)

make g_0 >= 0, a contradiction. If that happens on every face of the cone that A(p) is, no minimizer lies in
A(p); and minimizers exist, since the support of h is strongly connected and Assumption A makes W coercive up
to shifts.
"""

from collections.abc import Sequence
from fractions import Fraction

from consistency_lab.core.faces import MAX_FACE_ITEMS, Vector, face_points
from consistency_lab.core.messages import shown
from consistency_lab.errors import RejectedError
from consistency_lab.kernel.document import Face, Slot, Universal
from consistency_lab.kernel.families import Edge, Family, Margin
from consistency_lab.kernel.orders import Optimum
from consistency_lab.kernel.terms import Term

Weights = dict[tuple[int, int], Fraction]


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
    if not _strongly_connected(weights, m):
        raise RejectedError("a universal claim needs edges that lead from every item to every other one")
    for number, face in enumerate(universal.faces, start=1):
        _check_identity(face, weights, number, names)
    points = face_points(m)
    for point in points:
        if not any(_holds_at(face, point) for face in universal.faces):
            raise RejectedError(f"no multipliers are given for the face that contains alpha = {point}")
    for number, face in enumerate(universal.faces, start=1):
        if not any(_holds_at(face, point) for point in points):
            raise RejectedError(f"the multipliers of face {number} hold on no face")


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


def _strongly_connected(weights: Weights, m: int) -> bool:
    return all(len(_reached(edges)) == m for edges in (list(weights), [(j, i) for i, j in weights]))


def _reached(edges: Sequence[tuple[int, int]]) -> set[int]:
    """The items that the first one leads to."""
    seen, fresh = {0}, [0]
    while fresh:
        here = fresh.pop()
        new = {j for i, j in edges if i == here} - seen
        seen |= new
        fresh += new
    return seen


def _check_identity(face: Face, weights: Weights, number: int, names: Sequence[str]) -> None:
    """sum_i y_i sum_j (h_ij g_ij - h_ji g_ji) + sum z (g_u - g_t) - g_0 = 0 as a form in the slopes g."""
    y = face.balance
    form: dict[Slot, Fraction] = {(i, j): h * (y[i] - y[j]) for (i, j), h in weights.items()}
    form[None] = Fraction(-1)
    for lower, upper, z in face.monotone:
        if z < 0:
            raise RejectedError(f"face {number} has the multiplier {shown(z)}; it must be at least 0")
        form[upper] = form.get(upper, Fraction(0)) + z
        form[lower] = form.get(lower, Fraction(0)) - z
    for slot, coefficient in form.items():
        if coefficient:
            slope = "0" if slot is None else f"{names[slot[0]]},{names[slot[1]]}"
            raise RejectedError(
                f"in the identity of face {number} the slope g_{slope} keeps the factor {shown(coefficient)}"
            )


def _holds_at(face: Face, point: Vector) -> bool:
    """Whether every comparison of the multipliers is true at this point, and so on its face."""
    return all(_delta(lower, point) < _delta(upper, point) for lower, upper, _ in face.monotone)


def _delta(slot: Slot, point: Vector) -> int:
    return 0 if slot is None else point[slot[0]] - point[slot[1]]
