"""The claim about every convex phi with phi'(0) < 0: no stationary point is right (DMJ10 Lemma 10).

Let W(alpha) = sum h_ij phi(alpha_i - alpha_j). Let g_ij be a subgradient of phi at delta_ij = alpha_i -
alpha_j and g_0 one at 0. If alpha is stationary, then sum_j (h_ij g_ij - h_ji g_ji) = 0 for every i; by
monotonicity delta_t < delta_u implies g_t <= g_u. Multipliers y_i and z >= 0 with

    sum_i y_i sum_j (h_ij g_ij - h_ji g_ji) + sum z (g_u - g_t) = g_0     (identically in g)

make g_0 >= 0, a contradiction. If that happens on every face of the cone alpha_1 > ... > alpha_m, no
minimizer lies in it. If the order of the items is the only optimal one, that cone is A(p); and minimizers
exist where the support of h is strongly connected and phi satisfies Assumption A (as every phi that is
bounded below does), which makes W coercive up to shifts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from typing import final

from consistency_lab.core.faces import MAX_FACE_ITEMS, Vector, face_points
from consistency_lab.core.messages import shown
from consistency_lab.core.orders import Costs, cost
from consistency_lab.core.risk import Atom, Term
from consistency_lab.errors import RejectedError

Slot = tuple[int, int] | None
"""A slope g_ij, or g_0 (None)."""

Weights = dict[tuple[int, int], Fraction]


@final
@dataclass(frozen=True, slots=True)
class Face:
    """Farkas multipliers for the faces on which their comparisons hold."""

    balance: tuple[Fraction, ...]
    monotone: tuple[tuple[Slot, Slot, Fraction], ...]


def check_universal(faces: Sequence[Face], atoms: Sequence[Atom], costs: Costs, names: Sequence[str]) -> None:
    """Check the multipliers on every face.

    Raises
    ------
    RejectedError
        If the statement does not apply to this risk or these costs, or multipliers fail or are missing.
    """
    m = len(names)
    if m > MAX_FACE_ITEMS:
        raise RejectedError(f"a universal claim is checked for at most {MAX_FACE_ITEMS} items, not {m}")
    first, *others = permutations(range(m))
    if any(cost(costs, order) <= cost(costs, first) for order in others):
        raise RejectedError("a universal claim needs the order of the items to be the only optimal one")
    check_faces(faces, _weights(atoms), names)


def check_faces(faces: Sequence[Face], weights: Weights, names: Sequence[str]) -> None:
    """Check that no slopes balance the weights h_ij on any face of the cone.

    Raises
    ------
    RejectedError
        If multipliers fail or are missing, hold on no face, or the weights are not strongly connected.
    """
    m = len(names)
    if not _strongly_connected(weights, m):
        raise RejectedError("a universal claim needs edges that lead from every item to every other one")
    for number, face in enumerate(faces, start=1):
        _check_identity(face, weights, number, names)
    points = face_points(m)
    for point in points:
        if not any(_holds_at(face, point) for face in faces):
            raise RejectedError(f"no multipliers are given for the face that contains alpha = {point}")
    for number, face in enumerate(faces, start=1):
        if not any(_holds_at(face, point) for point in points):
            raise RejectedError(f"the multipliers of face {number} hold on no face")


def _weights(atoms: Sequence[Atom]) -> Weights:
    """h_ij, if W(alpha) = sum h_ij phi(alpha_i - alpha_j - b) with one phi and one b >= 0.

    For b > 0 the statement is applied to x -> phi(x - b), whose slope at 0 is phi'(-b) <= phi'(0) < 0.
    """
    found: Weights = {}
    kinds = set()
    for atom in atoms:
        if not isinstance(atom, Term) or sorted(n for _, n in atom.v) != [-1, 1] or atom.b.sign() < 0:
            raise RejectedError(
                "a universal claim needs a risk of terms h_ij phi(alpha_i - alpha_j - b), b >= 0"
            )
        kinds.add((atom.phi, atom.b))
        (k, n), (other, _) = atom.v
        found[(k, other) if n > 0 else (other, k)] = atom.c
    if len(kinds) != 1:
        raise RejectedError("a universal claim needs one phi and one margin b for all pairs")
    return found


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
    if len(y) != len(names):
        raise RejectedError(f"face {number} needs one multiplier y for each item")
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
