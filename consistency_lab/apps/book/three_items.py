"""The exact sets of aggregates at which no convex phi is right."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, pairwise, product
from pathlib import Path
from typing import Final

from consistency_lab.apps.book.polynomials import Formula, Polynomial, question
from consistency_lab.apps.book.slopes import (
    ITEMS,
    SIX_EDGES,
    Contradiction,
    backwards,
    compared,
    stationarity,
)
from consistency_lab.apps.book.statement import FOLDER, entries, stored
from consistency_lab.core.inequalities import face_points
from consistency_lab.core.orders import Pair
from consistency_lab.errors import RejectedError
from consistency_lab.frozen import frozen
from consistency_lab.model.conditions import net
from consistency_lab.model.distribution import difference
from consistency_lab.numbers.exact import Matrix, integer_multiple, simplest_between
from consistency_lab.solve.lp import LPStatus, solve_lp

# --- A convex phi that is right, written down ------------------------------------------------------------
# A sum of four hinges whose only minimizer is alpha = (2, 1, 0).
#
# Stationary slopes g with g_31 < g_21, g_32 < g0 < g_12, g_23 < g_13 < 0 fit into a sum of hinges c_4 [2-x]_+
# + c_3 [1-x]_+ + c_2 [-1-x]_+ + c_1 [-2-x]_+ with c > 0, each strictly inside the kink that it belongs to. As
# g solves the dual problem, every minimizer has its differences at these kinks: there is one up to shifts.
# The slopes are polynomials in h and a small e > 0; that they are stationary and in order is an identity.

KNOTS: Final = (2, 1, -1, -2)
"""The arguments of phi at alpha = (2, 1, 0), other than 0."""

SIGNS: Final = ("> 0", ">= 0", "evident", "any")
"""What may be known of a quantity: positive or at least 0 in this case, positive by its form, nothing."""

Weights = Mapping[str, Fraction]
"""h by edge, such as {"12": 3}."""


@frozen
class Quantity:
    """A named quantity of a construction."""

    name: str  #: What it is called.
    formula: Formula  #: What it is, in h, e and the quantities before it.
    sign: str  #: One of `SIGNS`.


@frozen
class Construction:
    """Stationary slopes in strict order, as polynomials in h and e."""

    name: str  #: The case that it is about.
    edges: tuple[str, ...]  #: The edges that may have weights.
    positive: frozenset[str]  #: The weights that are positive in this case.
    quantities: tuple[Quantity, ...]  #: Named quantities; the slopes g0, g12, ... are the last of them.
    gaps: tuple[tuple[str, str, Formula], ...]  #: (t, u, g_u - g_t) written so that its sign is evident.
    last: Formula  #: -g13, written so that its sign is evident.

    def meaning(self) -> dict[str, Polynomial]:
        """Every quantity in h and e alone, by name."""
        found: dict[str, Polynomial] = {}
        for q in self.quantities:
            found[q.name] = q.formula.polynomial.at(found)
        return found

    def holds(self) -> bool:
        """Whether the slopes are stationary, in strict order and negative, all by identities."""
        means = self.meaning()
        slots = (*self.edges, "0")
        parts = [
            *((gap, means[f"g{u}"] - means[f"g{t}"]) for t, u, gap in self.gaps),
            (self.last, -means["g13"]),
        ]
        return (
            not any(stationarity(self.edges, item).at(means) for item in ITEMS)
            and all(self._is_positive(formula.polynomial) for formula, _ in parts)
            and all(formula.polynomial.at(means) == value for formula, value in parts)
            and all(self._is_positive(q.formula.polynomial) for q in self.quantities if q.sign == "evident")
            and self._chained() >= {(t, u) for t in slots for u in slots if compared(t, u)}
        )

    def lines(self) -> tuple[str, ...]:
        """The construction in readable mathematics."""
        shown = {"> 0": " > 0", ">= 0": " ≥ 0"}
        return (
            f"{self.name}. Let e > 0 be so small that the signs below are right.",
            *(f"    {q.name} = {q.formula.readable}{shown.get(q.sign, '')}" for q in self.quantities),
            "Then S1 = S2 = S3 = 0 identically in h and e, and the slopes are in strict order:",
            *(f"    g{u} − g{t} = {gap.readable} > 0" for t, u, gap in self.gaps),
            f"    −g13 = {self.last.readable} > 0",
        )

    def at(self, h: Weights) -> Mapping[str, Fraction] | None:
        """The slopes at these weights, by edge and "0"; None if the case does not apply."""
        values = {f"h{edge}": h[edge] for edge in SIX_EDGES}
        outside = [edge for edge in SIX_EDGES if edge not in self.edges]
        if any(h[edge] for edge in outside) or any(values[symbol] <= 0 for symbol in self.positive):
            return None
        means = self.meaning()
        e = Fraction(1)
        for name in (q.name for q in self.quantities if q.sign in (">= 0", "> 0")):
            start, end = (means[name].value({**values, "e": Fraction(x)}) for x in (0, 1))
            strict = any(q.name == name and q.sign == "> 0" for q in self.quantities)
            if start < 0 or end > start or (strict and not start):
                return None
            if end < start:  # linear in e: it stays positive up to e = start / (start - end)
                e = min(e, simplest_between(start / (start - end) / 3, start / (start - end) / 2))
        return {slot: means[f"g{slot}"].value({**values, "e": e}) for slot in (*self.edges, "0")}

    def _is_positive(self, p: Polynomial) -> bool:
        """Whether it is a sum of products of nonnegative symbols, at least one product being positive."""
        above = self.positive | {"e"} | {q.name for q in self.quantities if q.sign in ("> 0", "evident")}
        known = (
            above
            | {f"h{edge}" for edge in self.edges}
            | {q.name for q in self.quantities if q.sign == ">= 0"}
        )
        return (
            p.is_nonnegative()
            and p.symbols() <= known
            and any({name for name, _ in monomial} <= above for monomial, _ in p.terms)
        )

    def _chained(self) -> set[tuple[str, str]]:
        """All pairs (t, u) with g_t < g_u by a chain of gaps."""
        reach = {(t, u) for t, u, _ in self.gaps}
        slots = (*self.edges, "0")
        for middle in slots:
            reach |= {(t, u) for t in slots for u in slots if {(t, middle), (middle, u)} <= reach}
        return reach


def sum_of_hinges(h: Weights, cases: tuple[Construction, ...]) -> str | None:
    """A convex phi, as an expression in x, that has (2, 1, 0) as its only minimizer up to shifts."""
    for turned in (False, True):
        weights = {backwards(edge): h[edge] for edge in SIX_EDGES} if turned else h
        for case in cases:
            slopes = case.at(weights)
            if slopes is not None:
                there = {(backwards(slot) if turned else slot): g for slot, g in slopes.items()}
                return _hinges(there)
    return None


def _hinges(g: Mapping[str, Fraction]) -> str:
    """The sum of hinges with slope g0 around 0 and every other g strictly inside the kink of its argument."""
    near, low = max(g["12"], g["23"]), min(g["21"], g["32"])
    lowest = g.get("31", 2 * low)
    slopes = (Fraction(0), (near + g["13"]) / 2, g["0"], (low + lowest) / 2, lowest + g["0"])
    counts, _ = integer_multiple([right - left for right, left in pairwise(slopes)])
    return "+".join(f"{c}*max(0,{knot}-x)" for c, knot in zip(counts, KNOTS, strict=True))


def constructions(document: Mapping[str, object]) -> tuple[Construction, ...]:
    """Read stored constructions."""
    return tuple(_construction(entry) for entry in entries(document, "constructions"))


def _construction(entry: Mapping[str, object]) -> Construction:
    match entry:
        case {
            "name": str(name),
            "edges": list(edges),
            "positive": list(positive),
            "gaps": list(gaps),
            "last": str(last),
        } if set(edges) <= set(SIX_EDGES):
            quantities = tuple(
                Quantity(str(q["name"]), Formula(str(q["formula"])), str(q["sign"]))
                for q in entries(entry, "quantities")
            )
            wanted = {f"g{slot}" for slot in (*edges, "0")}
            known = {q.name for q in quantities}
            if (
                known >= wanted
                and all(q.sign in SIGNS for q in quantities)
                and all(len(gap) == 3 for gap in gaps)
            ):
                return Construction(
                    name,
                    tuple(edges),
                    frozenset(map(str, positive)),
                    quantities,
                    tuple((str(t), str(u), Formula(str(gap))) for t, u, gap in gaps),
                    Formula(last),
                )
    raise RejectedError("a stored construction is not of the right form")


# --- The exact set of three-item aggregates at which no convex phi is right ------------------------------

STORED: Final = "six_edges.json"

NETS: Final[Mapping[str, str]] = {"1": "h12+h13-h21-h31", "2": "h21+h23-h12-h32", "3": "h31+h32-h13-h23"}
"""N_i = sum_j (h_ij - h_ji)."""

EXCESSES: Final[Mapping[str, str]] = {
    "Condition 1": f"h12*({NETS['3']})-h13*({NETS['2']})",
    "Condition 2": f"h13*({NETS['2']})-h23*({NETS['1']})",
}
"""What each condition says is positive (DMJ10), or at least 0 (exactly)."""

_NET: Final = {item: Formula(text) for item, text in NETS.items()}
_EXCESS: Final = {name: Formula(text) for name, text in EXCESSES.items()}

DOMAIN: Final = ("h12-h21 > 0", "h23-h32 > 0", f"{NETS['1']} > 0", f"{NETS['3']} < 0")
"""1, 2, 3 is the one optimal order: against 213, 132, 231 and 312; 321 is worse than one of these."""

NOT_NECESSARILY: Final = {"Condition 1": ("23", "32"), "Condition 2": ("12", "21")}
"""The pair that ties at the other minimizer if the condition holds with equality."""

Cases = tuple[Construction, ...]


def excess(h: Weights, condition: str) -> Fraction:
    """How far a condition is exceeded at some weights."""
    return _EXCESS[condition].polynomial.value({f"h{edge}": h[edge] for edge in SIX_EDGES})


def largest_excess(h: Weights) -> Fraction:
    """Positive or 0: no convex phi is right; negative: some sum of hinges is."""
    return max(excess(h, condition) for condition in EXCESSES)


def in_domain(h: Weights) -> bool:
    """Whether 1, 2, 3 is the one optimal order, and each item can be reached from each other."""
    values = {f"h{edge}": h[edge] for edge in SIX_EDGES}
    n1, n3 = (_NET[item].polynomial.value(values) for item in "13")
    ordered = h["12"] > h["21"] and h["23"] > h["32"] and n1 > 0 > n3
    # 1 beats 2 beats 3; so all is connected if 3 beats 1, or 3 beats 2 and 2 beats 1.
    return ordered and bool(h["31"] or (h["32"] and h["21"]))


def grid(values: Mapping[str, Sequence[int]]) -> Iterator[Weights]:
    """All weights in the domain with these values on the edges; 0 on the others."""
    edges = list(values)
    for chosen in product(*values.values()):
        h = dict.fromkeys(SIX_EDGES, Fraction(0)) | dict(zip(edges, map(Fraction, chosen), strict=True))
        if in_domain(h):
            yield h


def stored_cases(folder: Path = FOLDER) -> Cases:
    """The stored constructions of a convex phi that is right."""
    return constructions(stored(STORED, folder))


def tie_question(proof: Contradiction, extra: Sequence[str]) -> str:
    """With equality in a condition, the slopes that are forced to be equal, as a question in SMT-LIB."""
    down, up = NOT_NECESSARILY[proof.name.split(" for ")[0]]
    far = "12" if down == "23" else "23"
    back = up if up in proof.edges else None
    other = "21" if back == "32" else "32"
    equal = [f"g13 = g{far}", f"g{down} = g0", "g31 = g0"]
    if back is not None:
        equal += [f"h{back}*g{back} = h{back}*g0", f"h{other}*g{other} = h{other}*g0"]
    return question(
        f"{proof.name} with equality: slopes at a minimizer alpha_1 > alpha_2 > alpha_3 are equal as listed",
        [*proof.claims("="), *extra],
        none_of=equal,
    )


# --- For which h some convex phi has a minimizer in the order 1, ..., m ----------------------------------
# The slopes eliminated, for any m.
#
# Fix a face of the cone alpha_1 > ... > alpha_m, that is, an order of the numbers delta_ij = alpha_i -
# alpha_j, and scale slopes so that g_0 = -1. Monotone slopes on the face are -1 everywhere, plus nonnegative
# multiples of the indicators of sets U of positive delta with everything above each member, minus such
# multiples for sets of negative delta with everything below each member. So stationary slopes exist if and
# only if
#
#     N = sum_U lambda_U v_U  with all lambda_U >= 0,      N_i = sum_j (h_ij - h_ji),
#
#     v_U = sum over ij in U of h_ij (e_i - e_j), turned round for the negative ones:
#
# N lies in a cone with finitely many generators. If it does, a sum of hinges with these slopes has a
# minimizer there; if it does not, there are integers y with y·N > 0 >= y·v_U for every U, and no convex phi
# with phi'(0) < 0 has one. The smallest faces (fewest strict comparisons) have the largest cones, so they
# suffice.

Point = tuple[int, ...]

_ZERO: Final = Fraction(0)


def smallest_faces(m: int) -> tuple[Point, ...]:
    """A point alpha on each face of alpha_1 > ... > alpha_m that has no smaller face in its closure."""
    points = face_points(m)
    known = {point: _comparisons(point) for point in points}
    return tuple(p for p in points if not any(known[q] < known[p] for q in points))


def covers_every_face(m: int, points: Sequence[Point]) -> bool:
    """Whether what holds between the delta at one of these points holds on every face for one of them."""
    known = [_comparisons(point) for point in points]
    return all(any(few <= _comparisons(point) for few in known) for point in face_points(m))


def generators(h: Matrix, point: Point) -> list[tuple[Fraction, ...]]:
    """The vectors v_U of the face of a point, nonzero ones, each once."""
    found: dict[tuple[Fraction, ...], None] = {}
    for sign in (1, -1):
        for chosen in closed_sets(point):
            v = generator(h, sign, chosen, len(point))
            if any(v):
                found[v] = None
    return list(found)


def generator(h: Matrix, sign: int, chosen: Sequence[Pair], m: int) -> tuple[Fraction, ...]:
    """v_U of the pairs i < j in U, or of the pairs ji if the sign is negative."""
    v = [_ZERO] * m
    for i, j in chosen:
        weight = h[i][j] if sign > 0 else h[j][i]
        v[i] += weight
        v[j] -= weight
    return tuple(v)


@frozen
class Separation:
    """Why no convex phi has a minimizer on a face: y·N > 0 >= y·v for every generator v."""

    point: Point  #: A point of the face.
    y: tuple[int, ...]  #: Integers.

    def holds(self, h: Matrix) -> bool:
        """Check it in exact arithmetic."""
        return dot(self.y, net(difference(h))) > 0 and all(
            dot(self.y, v) <= 0 for v in generators(h, self.point)
        )


def separation(h: Matrix, point: Point) -> Separation | None:
    """Integers y that separate N from the generators; None if N lies in their cone."""
    vectors = generators(h, point)
    n = net(difference(h))
    size = len(point)
    # y = p - q with p, q >= 0: least p + q with y·v <= 0 and y·N >= 1.
    rows = [[*v, *(-x for x in v)] for v in vectors] + [[*(-x for x in n), *n]]
    right = [_ZERO] * len(vectors) + [Fraction(-1)]
    solution = solve_lp([Fraction(1)] * (2 * size), A_ub=rows, b_ub=right)
    if solution.status is not LPStatus.OPTIMAL:
        return None
    y, _ = integer_multiple([solution.x[i] - solution.x[size + i] for i in range(size)])
    low = min(y)
    found = Separation(point, tuple(value - low for value in y))
    return found if found.holds(h) else None


def dot(y: Sequence[int], v: Sequence[Fraction]) -> Fraction:
    """The inner product."""
    return sum((a * b for a, b in zip(y, v, strict=True)), _ZERO)


def closed_sets(point: Point) -> Iterator[tuple[Pair, ...]]:
    """Nonempty sets of pairs i < j that contain every pair of larger delta than one of them.

    Equal delta are not compared, so such a set is all pairs above some value and any pairs at that value.
    """
    pairs = [(i, j) for i in range(len(point)) for j in range(i + 1, len(point))]
    values = sorted({point[i] - point[j] for i, j in pairs}, reverse=True)
    above: tuple[Pair, ...] = ()
    for value in values:
        level = [(i, j) for i, j in pairs if point[i] - point[j] == value]
        for size in range(1, len(level) + 1):
            for some in combinations(level, size):
                yield (*above, *some)
        above = (*above, *level)


def _comparisons(point: Point) -> frozenset[tuple[Pair, Pair]]:
    """The strict comparisons between positive delta at a point; the negative ones mirror them."""
    pairs = [(i, j) for i in range(len(point)) for j in range(i + 1, len(point))]
    return frozenset(
        (t, u) for t in pairs for u in pairs if point[t[0]] - point[t[1]] < point[u[0]] - point[u[1]]
    )


# --- A convex phi that is right at given h, for any number of items --------------------------------------
# Hinges with slopes in strict order.
#
# If N = sum lambda_U v_U with every lambda_U > 0 (see `order_cones`), the slopes are strictly in order, each
# fits strictly inside a kink of a piecewise linear phi, and the point of the face is the only minimizer.

_NO_HINGE = Fraction(0)


def strict_slopes(h: Matrix, point: Point) -> Mapping[Pair, Fraction] | None:
    """Stationary slopes in strict order with g_0 = -1, as far apart as can be; None if there are none."""
    sets = [(sign, chosen) for sign in (1, -1) for chosen in closed_sets(point)]
    columns = [generator(h, sign, chosen, len(point)) for sign, chosen in sets]
    # Unknowns: lambda_U - gap >= 0 for every set U, and the gap, which is made as large as it can be.
    total = [sum((column[i] for column in columns), _NO_HINGE) for i in range(len(point))]
    rows = [[*(column[i] for column in columns), total[i]] for i in range(len(point))]
    costs = [_NO_HINGE] * len(sets) + [Fraction(-1)]
    bound = [[*([_NO_HINGE] * len(sets)), Fraction(1)]]
    solution = solve_lp(costs, rows, net(difference(h)), bound, [Fraction(1)])
    if solution.status is not LPStatus.OPTIMAL or not solution.x[-1]:
        return None
    slopes: dict[Pair, Fraction] = {}
    for (sign, chosen), extra in zip(sets, solution.x[:-1], strict=True):
        for i, j in chosen:
            slot = (i, j) if sign > 0 else (j, i)
            slopes[slot] = slopes.get(slot, Fraction(-1)) + sign * (extra + solution.x[-1])
    return slopes


def hinges(h: Matrix, point: Point) -> str | None:
    """A convex phi, as an expression in x, with `point` as its only minimizer up to shifts, or None."""
    slopes = strict_slopes(h, point)
    if slopes is None:
        return None
    at: dict[int, list[Fraction]] = {0: [Fraction(-1)]}
    for (i, j), slope in slopes.items():
        at.setdefault(point[i] - point[j], []).append(slope)
    knots = sorted(at, reverse=True)
    top, bottom = max(at[knots[0]]), min(at[knots[-1]])
    between = [(min(at[right]) + max(at[left])) / 2 for right, left in pairwise(knots)]
    # phi has the slope -1 around 0, so that it is differentiable there; 0 is no kink.
    place = knots.index(0)
    between[place - 1] = between[place] = Fraction(-1)
    ends = (top + 1 if top >= 0 else _NO_HINGE, *between, bottom - 1)
    drops = [right - left for right, left in pairwise(ends)]
    counts, _ = integer_multiple([*drops, ends[0]])
    parts = [f"{c}*max(0,{knot}-x)" for c, knot in zip(counts, knots, strict=False) if c]
    return "+".join([*parts, *([f"{counts[-1]}*x"] if counts[-1] else [])])
