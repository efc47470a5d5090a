"""Systems of inequalities without a solution, and the claim about every convex phi that rests on them."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, permutations
from math import gcd
from typing import Any, Final

from flint import fmpz_mat

from consistency_lab.core.orders import Costs, cost
from consistency_lab.core.reading import Names, Reader, entries, fraction, many, row
from consistency_lab.core.risk import Atom, PhiAtom
from consistency_lab.errors import RejectedError
from consistency_lab.frozen import frozen
from consistency_lab.numbers.balls import shown
from consistency_lab.numbers.exact import ONE, ZERO

# --- Farkas multipliers: exact evidence that linear inequalities have no solution ------------------------

Row = Sequence[Fraction]


def check_farkas(
    rows: Sequence[Row],
    right: Row,
    equal_rows: Sequence[Row],
    equal_right: Row,
    y: Row,
    z: Row,
    unknowns: Sequence[str] | None = None,
) -> None:
    """Check that {x >= 0 : A x <= b, E x = f} is empty, or with names that {x : ...} is.

    The evidence is y >= 0 and z with y A + z E >= 0 and y b + z f < 0, for a solution x would give
    0 <= (y A + z E) x <= y b + z f < 0. If x may have any sign, y A + z E must be 0.

    Parameters
    ----------
    rows, right
        A and b.
    equal_rows, equal_right
        E and f.
    y, z
        One multiplier for each row of A, and of E.
    unknowns
        The names of unknowns that may have any sign; without names they are at least 0.

    RejectedError if the multipliers do not fit the system or do not prove it.

    Examples
    --------
    x_1 <= -1 has no nonnegative solution:

    >>> check_farkas([[Fraction(1)]], [Fraction(-1)], [], [], [Fraction(1)], [])
    """
    if not len(rows) == len(right) == len(y) or not len(equal_rows) == len(equal_right) == len(z):
        raise RejectedError("the system needs one right-hand side and one multiplier for each row")
    all_rows, multipliers = [*rows, *equal_rows], [*y, *z]
    if len({len(row) for row in all_rows}) > 1:
        raise RejectedError("the rows of the system differ in length")
    for number, multiplier in enumerate(y, start=1):
        if multiplier < 0:
            raise RejectedError(
                f"the multiplier of inequality {number} is {shown(multiplier)}; it must be at least 0"
            )
    for column, factors in enumerate(zip(*all_rows, strict=True)):
        total = _dot(multipliers, factors)
        if total < 0 or (unknowns is not None and total):
            name, must = (column + 1, "at least 0") if unknowns is None else (unknowns[column], "0")
            raise RejectedError(
                f"the multipliers give the unknown {name} the factor {shown(total)}; it must be {must}"
            )
    value = _dot(multipliers, [*right, *equal_right])
    if value >= 0:
        raise RejectedError(f"the multipliers give the right-hand side {shown(value)}; it must be negative")


@frozen
class System:
    """{x >= 0 : A x <= b, E x = f} with multipliers y of the rows of A and z of those of E."""

    rows: tuple[tuple[Fraction, ...], ...]
    right: tuple[Fraction, ...]
    equal_rows: tuple[tuple[Fraction, ...], ...]
    equal_right: tuple[Fraction, ...]
    y: tuple[Fraction, ...]
    z: tuple[Fraction, ...]


def read_system(value: object, where: str) -> System:
    """Read a system and its multipliers."""
    vector = many(fraction)
    matrix = many(vector)
    unequal: dict[str, Reader[Any]] = {"rows": matrix, "right": vector}
    equal: dict[str, Reader[Any]] = {"equal_rows": matrix, "equal_right": vector}
    return System(**entries(value, where, {**unequal, **equal, "y": vector, "z": vector}))


def _dot(left: Row, right: Row) -> Fraction:
    # Most factors are 0, and to see that is faster than to multiply.
    return sum((a * b for a, b in zip(left, right, strict=True) if a and b), Fraction(0))


# --- How the numbers delta_ij = alpha_i - alpha_j can be ordered when alpha_1 > ... > alpha_m ------------
# In the gaps x_k = alpha_k - alpha_{k+1} > 0 the comparisons delta_t < delta_u cut the cone x > 0 into the
# faces of a hyperplane arrangement. A face of dimension k contains the sum of k of its extreme rays, so the
# sums of at most m - 1 rays meet every face.

MAX_FACE_ITEMS: Final = 4
"""Most items: the number of faces grows faster than m!."""

Vector = tuple[int, ...]


@lru_cache(maxsize=MAX_FACE_ITEMS)
def face_points(m: int) -> tuple[Vector, ...]:
    """A vector alpha in every face of {alpha_1 > ... > alpha_m}, one a face.

    Examples
    --------
    Three items: the gaps are equal, the first is the larger, or the second is.

    >>> sorted(face_points(3))
    [(2, 1, 0), (3, 1, 0), (3, 2, 0)]
    """
    dimension = m - 1
    # delta_ij for i < j is the sum of the gaps between i and j. A comparison with 0 or with a negative delta
    # is settled on the open cone, and so is that of two deltas whose difference has only one sign.
    intervals = [tuple(int(i <= k < j) for k in range(dimension)) for i, j in combinations(range(m), 2)]
    differences = {tuple(x - y for x, y in zip(*two, strict=True)) for two in combinations(intervals, 2)}
    cuts = sorted(normal for normal in differences if min(normal) < 0 < max(normal))
    walls = [tuple(int(k == place) for k in range(dimension)) for place in range(dimension)]
    rays = sorted(
        {ray for normals in combinations([*walls, *cuts], dimension - 1) if (ray := _ray(normals, dimension))}
    )
    found: dict[Vector, Vector] = {}
    for number in range(1, dimension + 1):
        for some in combinations(rays, number):
            point = tuple(map(sum, zip(*some, strict=True)))
            if min(point) > 0:
                signs = tuple(_sign(sum(a * b for a, b in zip(cut, point, strict=True))) for cut in cuts)
                found.setdefault(signs, point)
    return tuple(tuple(sum(gaps[k:]) for k in range(m)) for gaps in found.values())


def _ray(normals: Sequence[Vector], dimension: int) -> Vector:
    """The primitive nonnegative vector orthogonal to the normals; () if there is none, or not just one."""
    basis, count = fmpz_mat(len(normals), dimension, [x for normal in normals for x in normal]).nullspace()
    line = [int(basis[k, 0]) for k in range(dimension)]
    if count > 1 or min(line) < 0 < max(line):
        return ()
    return tuple(abs(x) // gcd(*line) for x in line)


def _sign(value: int) -> int:
    return (value > 0) - (value < 0)


# --- The claim about every convex phi with phi'(0) < 0: no stationary point is right (DMJ10 Lemma 10) ----
# Let W(alpha) = sum h_ij phi(alpha_i - alpha_j). Let g_ij be a subgradient of phi at delta_ij = alpha_i -
# alpha_j and g_0 one at 0. If alpha is stationary, then sum_j (h_ij g_ij - h_ji g_ji) = 0 for every i; by
# monotonicity delta_t < delta_u implies g_t <= g_u. Multipliers y_i and z >= 0 with
#
#     sum_i y_i sum_j (h_ij g_ij - h_ji g_ji) + sum z (g_u - g_t) = g_0     (identically in g)
#
# make g_0 >= 0, a contradiction: they are Farkas multipliers of the system of these equations and
# inequalities and g_0 <= -1 in the unknown slopes g. If that happens on every face of the cone
# alpha_1 > ... > alpha_m, no minimizer lies in it. If the order of the items is the only optimal one, that
# cone is A(p); and minimizers exist where the support of h is strongly connected and phi satisfies
# Assumption A (as every phi that is bounded below does), which makes W coercive up to shifts.

Slot = tuple[int, int] | None
"""A slope g_ij, or g_0 (None)."""

Weights = dict[tuple[int, int], Fraction]


@frozen
class Face:
    """Farkas multipliers for the faces on which their comparisons hold."""

    balance: tuple[Fraction, ...]
    monotone: tuple[tuple[Slot, Slot, Fraction], ...]


def read_face(items: Names) -> Reader[Face]:
    """The reader of the multipliers of a face."""

    def slot(value: object, where: str) -> Slot:
        return None if value == "0" else items.pair(value, where)

    def comparison(value: object, where: str) -> tuple[Slot, Slot, Fraction]:
        lower, upper, z = row(value, where, 3)
        return slot(lower, where), slot(upper, where), fraction(z, where)

    keys: dict[str, Reader[Any]] = {"balance": items.each(fraction), "monotone": many(comparison)}
    return lambda value, where: Face(**entries(value, where, keys))


def check_universal(faces: Sequence[Face], atoms: Sequence[Atom], costs: Costs, names: Sequence[str]) -> None:
    """Check the multipliers on every face.

    RejectedError if the statement does not apply to this risk or these costs, or multipliers fail or are
    missing.
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

    RejectedError if multipliers fail or are missing, hold on no face, or the weights are not strongly
    connected.
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
        if not isinstance(atom, PhiAtom) or sorted(n for _, n in atom.v) != [-1, 1] or atom.b.sign() < 0:
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
    """Check that {g : sum_j (h_ji g_ji - h_ij g_ij) = 0, g_t - g_u <= 0, g_0 <= -1} is empty."""
    if len(face.balance) != len(names):
        raise RejectedError(f"face {number} needs one multiplier y for each item")
    compared = [slot for lower, upper, _ in face.monotone for slot in (lower, upper)]
    slots = list(dict.fromkeys([*weights, *compared, None]))

    def row(form: Mapping[Slot, Fraction]) -> Row:
        return [form.get(slot, ZERO) for slot in slots]

    m = len(names)
    balance = [row({(i, j): h * ((j == k) - (i == k)) for (i, j), h in weights.items()}) for k in range(m)]
    monotone = [row({} if t == u else {t: ONE, u: -ONE}) for t, u, _ in face.monotone]
    try:
        check_farkas(
            [*monotone, row({None: ONE})],
            [*(ZERO for _ in monotone), -ONE],
            balance,
            [ZERO] * m,
            [*(z for _, _, z in face.monotone), ONE],
            face.balance,
            ["g_0" if slot is None else f"g_{names[slot[0]]},{names[slot[1]]}" for slot in slots],
        )
    except RejectedError as error:
        raise RejectedError(f"face {number}: {error}") from None


def _holds_at(face: Face, point: Vector) -> bool:
    """Whether every comparison of the multipliers is true at this point, and so on its face."""
    return all(_delta(lower, point) < _delta(upper, point) for lower, upper, _ in face.monotone)


def _delta(slot: Slot, point: Vector) -> int:
    return 0 if slot is None else point[slot[0]] - point[slot[1]]
