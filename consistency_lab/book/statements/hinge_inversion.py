"""Ours: under additive differences the hinge can invert an edge strictly."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import permutations, product
from typing import Final

from consistency_lab.book.risk import refuted_by_core, score_orders, weights
from consistency_lab.book.statement import (
    FalseVariant,
    Line,
    Refutation,
    Statement,
    Step,
    check,
    entries,
    excluded,
    false,
    fractions,
    step,
    stored,
)
from consistency_lab.errors import InputError, RejectedError
from consistency_lab.frozen import frozen
from consistency_lab.model.conditions import cone, orientations_for
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.posets import LinearForm, Relation
from consistency_lab.model.surrogates import surrogate
from consistency_lab.solve.lp import FloatSolver, LPSolution, LPStatus, solve_lp

# --- Where the hinge's minimizers can invert an edge strictly --------------------------------------------
# One linear program for each order of the scores.
#
# Let W(alpha) = sum a_ij max(0, 1 - alpha_i + alpha_j). Scores minimize W if and only if there are flows
# f_ij, equal to a_ij where alpha_i - alpha_j < 1, between 0 and a_ij where it is 1, and 0 where it is more,
# that balance at every item. For fixed scores this is linear in (a, f), and so is a noise condition once the
# shape of the difference graph is fixed; so "can these scores be minimal although alpha_i < alpha_j on an
# edge i → j" is a linear program.
#
# The reduction to integral scores. Let alpha minimize W with alpha_i < alpha_j on an edge i → j, so that
# a_ij > 0. Let P be the polyhedron of all beta with beta_k - beta_l <= 1, = 1 or >= 1, for a_kl > 0, as alpha
# has it < 1, = 1 or > 1. W is affine on P and least at alpha, inside P relative to its dimension, so W is
# constant on P. Fix one score in each component of the graph of a. P then contains no line; at a vertex, the
# tight constraints join each component by differences of 1, so its vertices are integral, with consecutive
# levels in each component. Along a direction r of P, W is constant, so r_k = r_l where alpha_k - alpha_l < 1,
# in particular r_i = r_j. So alpha_i - alpha_j < 0 is a mean of the differences at vertices, and is negative
# at one of them: a minimizer with integral scores. The components can be shifted to have their lowest score
# at 0.

Vector = Sequence[Fraction]
Edge = tuple[int, int]

_ZERO: Final = Fraction(0)
_ONE: Final = Fraction(1)


@frozen
class Face:
    """A shape of the difference graph, and scores that are to minimize W there and invert an edge of it."""

    condition: str  #: The noise condition.
    relation: Relation  #: The shape, naturally labeled.
    scores: tuple[Fraction, ...]  #: The scores.

    @property
    def m(self) -> int:
        """The number of items."""
        return len(self.scores)

    @property
    def name(self) -> str:
        """The edges of the shape, items from 1, and the scores."""
        edges = " ".join(f"{i + 1}{j + 1}" for i, j in sorted(self.relation))
        return f"{edges}: {' '.join(map(str, self.scores))}"

    @property
    def inverted(self) -> tuple[Edge, ...]:
        """The edges i → j with alpha_i < alpha_j."""
        return tuple((i, j) for i, j in sorted(self.relation) if self.scores[i] < self.scores[j])

    @property
    def pairs(self) -> tuple[Edge, ...]:
        """The unknowns a_ij, which come first."""
        return tuple(permutations(range(self.m), 2))

    @property
    def kinks(self) -> tuple[Edge, ...]:
        """The pairs with alpha_i - alpha_j = 1: their flows are the other unknowns."""
        return tuple((i, j) for i, j in self.pairs if self.scores[i] - self.scores[j] == 1)

    def solve(self, solver: FloatSolver) -> LPSolution:
        """The least total weight at which the inverted edges have differences that sum to 1."""
        rows, right, equal = self._system()
        cost = [_ONE] * len(self.pairs) + [_ZERO] * len(self.kinks)
        return solve_lp(cost, equal, [_ZERO] * len(equal), rows, right, solver)

    def excluded_by(self, y: Vector, z: Vector) -> bool:
        """Whether the core accepts Farkas multipliers: these scores are never minimal and wrong there."""
        rows, right, equal = self._system()
        return excluded(rows, right, y, equal, z)

    def excluded(self, solver: FloatSolver) -> tuple[tuple[Fraction, ...], tuple[Fraction, ...]] | None:
        """Farkas multipliers (y, z) that the core accepts, or None if there are none."""
        solution = self.solve(solver)
        if solution.status is not LPStatus.INFEASIBLE:
            return None
        y, z = solution.dual_ub, tuple(-u for u in solution.dual_eq)
        return (y, z) if self.excluded_by(y, z) else None

    def _system(self) -> tuple[list[list[Fraction]], list[Fraction], list[list[Fraction]]]:
        """A x <= b, and rows of E x = 0, in x = (a, f) >= 0."""
        place = {pair: n for n, pair in enumerate(self.pairs)}
        flow = {pair: len(place) + n for n, pair in enumerate(self.kinks)}
        width = len(place) + len(flow)

        def row(entries: dict[int, Fraction]) -> list[Fraction]:
            return [entries.get(n, _ZERO) for n in range(width)]

        def on_differences(linear: LinearForm, sign: int) -> list[Fraction]:
            entries: dict[int, Fraction] = {}
            for (i, j), c in linear.items():
                entries[place[i, j]] = entries.get(place[i, j], _ZERO) + sign * c
                entries[place[j, i]] = entries.get(place[j, i], _ZERO) - sign * c
            return row(entries)

        known = cone(self.condition, self.relation, self.m)
        balance = []
        for item in range(self.m):
            entries = {}
            for pair in self.pairs:
                if item in pair and self.scores[pair[0]] - self.scores[pair[1]] <= 1:
                    entries[flow.get(pair, place[pair])] = _ONE if pair[0] == item else -_ONE
            balance.append(row(entries))
        capacity = [row({flow[pair]: _ONE, place[pair]: -_ONE}) for pair in self.kinks]
        inside = [on_differences(linear, -1) for linear in known.inequalities]
        wrong = on_differences(dict.fromkeys(self.inverted, _ONE), -1)
        equal = [*balance, *(on_differences(linear, 1) for linear in known.equalities)]
        return [*capacity, *inside, wrong], [*[_ZERO] * (len(capacity) + len(inside)), -_ONE], equal


def integral_faces(condition: str, m: int) -> Iterator[Face]:
    """Every shape with every integral score vector that inverts one of its edges.

    Examples
    --------
    >>> len(list(integral_faces("acyclic", 3)))
    37
    """
    return _inverting(condition, m, [tuple(map(Fraction, scores)) for scores in score_orders(m)])


def three_item_faces(condition: str) -> Iterator[Face]:
    """Every shape on three items with a score vector from every face of the lines alpha_i - alpha_j = 0, 1.

    Sorted scores have gaps u and v, and a face is given by how u, v and u + v compare with 0 and 1.

    Examples
    --------
    >>> len(list(three_item_faces("acyclic")))
    279
    """
    third, half = Fraction(1, 3), Fraction(1, 2)
    gaps = (_ZERO, third, half, 2 * third, _ONE, 3 * half)
    found: dict[tuple[tuple[bool, ...], ...], tuple[Fraction, ...]] = {}
    for order, u, v in product(permutations(range(3)), gaps, gaps):
        scores = [_ZERO] * 3
        scores[order[1]], scores[order[0]] = v, u + v
        deltas = [scores[i] - scores[j] for i, j in permutations(range(3), 2)]
        found.setdefault(tuple((d < 0, d < 1, d == 1) for d in deltas), tuple(scores))
    return _inverting(condition, 3, list(found.values()))


def _inverting(condition: str, m: int, vectors: Sequence[tuple[Fraction, ...]]) -> Iterator[Face]:
    shapes = orientations_for(condition, m)
    assert shapes is not None  # every condition but "any" is a union of shapes
    for relation in shapes:
        for scores in vectors:
            face = Face(condition, relation, scores)
            if face.inverted:
                yield face


def flows(a: Sequence[Sequence[Fraction]], scores: Vector, on: dict[Edge, Fraction]) -> bool:
    """Whether flows with these values on the pairs with difference 1 show that the scores minimize W.

    Examples
    --------
    >>> one, zero = Fraction(1), Fraction(0)
    >>> flows([[zero, one], [zero, zero]], [one, zero], {(0, 1): zero})
    True
    """
    m = range(len(a))
    flow = {}
    for i, j in permutations(m, 2):
        difference = scores[i] - scores[j]
        flow[i, j] = a[i][j] if difference < 1 else on.get((i, j), _ZERO) if difference == 1 else _ZERO
    within = all(0 <= flow[pair] <= a[pair[0]][pair[1]] for pair in flow)
    return within and all(sum((flow[i, j] - flow[j, i] for j in m if j != i), _ZERO) == 0 for i in m)


# --- Ours ------------------------------------------------------------------------------------------------
# Under additive differences the hinge can invert an edge strictly from four items on, not before.

FILE: Final = "hinge_inversion.json"

LIGHTEST: Final = weights(4, {(1, 2): 1, (1, 3): 2, (1, 4): 8, (2, 3): 1, (2, 4): 4, (3, 4): 3, (4, 1): 3})
"""The least weight of all: 22 times that of the inverted edge."""

UNIQUE: Final = weights(4, {(1, 2): 1, (1, 3): 3, (1, 4): 13, (2, 3): 2, (2, 4): 7, (3, 4): 5, (4, 1): 5})
"""Additive, y = (8, 7, 5, 0); here the minimizer is unique up to shifts."""

SCORES: Final = (1, 2, 1, 0)
"""They minimize W at both."""

GRADES: Final = (8, 7, 5, 0)
FLOWS: Final = {(0, 3): Fraction(1), (1, 2): Fraction(1), (2, 3): Fraction(4)}
"""At UNIQUE, on the pairs with difference 1; each is strictly between 0 and its weight."""

Document = Mapping[str, object]


def hinge_inversion_steps(document: Document) -> list[Step]:
    """The steps of the check, with this stored evidence."""
    return [three_items(document), _without_reduction(), _four_items(), unique(), _more_items()]


def three_items(document: Document) -> Step:
    """Stored multipliers for every shape and every integral score vector."""
    expected = list(integral_faces("acyclic", 3))
    found = entries(document, "acyclic-3-items")
    complete = [entry.get("case") for entry in found] == [face.name for face in expected]
    accepted = sum(map(_accepts, expected, found)) if complete else 0
    return step(
        "With three items no minimizer inverts an edge strictly, if G̃ is acyclic",
        "m ≤ 3, all acyclic G̃",
        f"{accepted} of {len(expected)} linear systems have Farkas multipliers that the core accepts",
        "α minimizes W(α) = Σ a_ij max(0, 1 − α_i + α_j) if and only if there are flows f_ij, equal to",
        "a_ij where α_i − α_j < 1, in [0, a_ij] where it is 1, and 0 where it is more, with equal inflow",
        "and outflow at every item. If a minimizer has α_i < α_j on an edge i → j, then so has one with",
        "integral scores: W is constant on the polyhedron P of all β whose differences compare with 1 as",
        "those of α do; P is cut out by differences, so its vertices are integral (total unimodularity),",
        "α_i − α_j is a mean of the differences at vertices, and the recession of P does not change it.",
        "So for each shape of an acyclic G̃ on three items and each integral score vector that inverts an",
        "edge, the flows, d ≥ 0 on the edges and Σ (inverted edges) d_ij ≥ 1 must exclude each other.",
        "(Two items are three of which one has no weights.)",
        complete,
        accepted == len(expected),
    )


def _accepts(face: Face, entry: Mapping[str, object]) -> bool:
    try:
        return face.excluded_by(fractions(entry, "y"), fractions(entry, "z"))
    except (InputError, RejectedError):
        return False


def _without_reduction() -> Step:
    """The same at every face of the arrangement, so that integral scores need not be enough."""
    solver = FloatSolver()
    faces = list(three_item_faces("acyclic"))
    excluded = sum(face.excluded(solver) is not None for face in faces)
    return step(
        "The same without the reduction to integral scores",
        "m = 3, all acyclic G̃",
        f"{excluded} of {len(faces)} systems, for all ways that differences compare with 0 and 1",
        excluded == len(faces),
    )


def _four_items() -> Step:
    """Which score vectors can be minimal and strictly wrong with four items, and at what price."""
    solver = FloatSolver()
    faces = list(integral_faces("low-noise", 4))
    left = [face for face in faces if face.excluded(solver) is None]
    prices = [face.solve(solver).value for face in left]
    lines = [
        Line(
            f"scores ({', '.join(map(str, face.scores))}), on a chain: Σ a_ij ≥ {price} d_ij on the "
            "inverted edge",
            price == 22,
        )
        for face, price in zip(left, prices, strict=True)
    ]
    return step(
        "With four items and low noise only the scores (1, 2, 1, 0) and their mirror image are left",
        "m = 4, low noise",
        f"{len(faces) - len(left)} of {len(faces)} systems have Farkas multipliers that the core accepts; "
        "on the others an inverted edge weighs at most 1/22 of all, by exact duality",
        *lines,
        [tuple(map(int, face.scores)) for face in left] == [SCORES, (2, 1, 0, 1)],
    )


def unique() -> Step:
    """With four items every minimizer can be strictly wrong, at additive differences."""
    found = refuted_by_core(surrogate("hinge"), UNIQUE, "additive", strict=True, scores=SCORES)
    a = Distribution.from_aggregate(UNIQUE).aggregate
    balanced = flows(a, tuple(map(Fraction, SCORES)), FLOWS)
    inner = all(0 < value < a[i][j] for (i, j), value in FLOWS.items())
    return step(
        "With four items and additive differences all minimizers can be strictly wrong",
        "m = 4, y = (8, 7, 5, 0)",
        "an exact stationary point, accepted by the core; unique by complementary slackness",
        "a_12 = 1, a_13 = 3, a_14 = 13, a_23 = 2, a_24 = 7, a_34 = 5, a_41 = 5: d_ij = y_i − y_j with",
        "y = (8, 7, 5, 0). W is least at α = (1, 2, 1, 0), which ranks 2 above 1. The flows f_14 = 1,",
        "f_23 = 1, f_34 = 4 lie strictly between 0 and a_ij, so every minimizer has α_1 − α_4 =",
        "α_2 − α_3 = α_3 − α_4 = 1, that is α_2 − α_1 = 1: there is no other up to shifts.",
        found.refuted,
        balanced,
        inner,
    )


def extended(m: int) -> tuple[list[list[object]], tuple[int, ...]]:
    """The four items of UNIQUE with more items below them, and scores.

    Examples
    --------
    >>> extended(5)[0][3], extended(5)[1]
    ([5, 0, 0, 0, 1], (1, 2, 1, 0, -1))
    """
    grades = [*GRADES, *range(-1, 3 - m, -1)]
    a = [
        [UNIQUE[i][j] if max(i, j) < 4 else max(grades[i] - grades[j], 0) for j in range(m)] for i in range(m)
    ]
    return a, (*SCORES, *range(-1, 3 - m, -1))


def _more_items() -> Step:
    """The same for every larger number of items."""
    confirmed = []
    for m in (5, 6, 7):
        a, scores = extended(m)
        found = refuted_by_core(surrogate("hinge"), a, "additive", strict=True, scores=scores)
        aggregate = Distribution.from_aggregate(a).aggregate
        confirmed.append(found.refuted and flows(aggregate, tuple(map(Fraction, scores)), FLOWS))
    return step(
        "The same with every number of items from four on",
        "all m ≥ 4",
        "by hand; the core has accepted m = 5, 6, 7",
        "Add items n = 5, 6, … with y_n = y_{n−1} − 1, α_n = α_{n−1} − 1, a_in = y_i − y_n, a_ni = 0.",
        "The differences stay additive. As α_i − α_n ≥ 1 for the old items, no flow need reach n, so",
        "the old flows show that α is minimal, and every minimizer has α_2 − α_1 = 1 as before.",
        all(confirmed),
    )


@false("With five items no minimizer inverts an edge strictly, under low noise.")
def _five() -> Refutation:
    a, scores = extended(5)
    return refuted_by_core(surrogate("hinge"), a, "low-noise", strict=True, scores=scores)


@false("With three items the hinge is never strictly wrong, with cycles too.")
def _cycle() -> Refutation:
    third = Fraction(1, 3)
    a = weights(3, {(1, 2): 1, (2, 3): 1, (3, 1): 1})
    return refuted_by_core(surrogate("hinge"), a, "any", strict=True, scores=(0, third, 2 * third))


HINGE_INVERSION: Final = Statement(
    latex=(
        r"For \(\phi(x) = \max(0, 1-x)\), \(h(a) = a\) and \(m \le 3\), no minimizer of \(W(p,\cdot)\)"
        r" has \(\alpha_i < \alpha_j\) with \(d_{ij} > 0\) if the difference graph is acyclic; for every"
        r" \(m \ge 4\) there are additive differences for which every minimizer has."
    ),
    plain=(
        "Under low noise the hinge is never strictly wrong with three items, and can be with any larger "
        "number, even for additive differences."
    ),
    hypotheses=(r"\(\phi(x) = \max(0, 1-x)\), \(h(a) = a\)", r"\(m \le 3\): \(\tilde G\) is a DAG"),
    citation="ours",
    check=check(
        "m ≤ 3 (never), all m ≥ 4 (possible); h(a) = a",
        lambda: hinge_inversion_steps(stored(FILE)),
        "With three items the hinge fails by ties only, wherever the difference graph is acyclic; low "
        "noise is not needed for that.",
        "With three items in a majority cycle it can be strictly wrong.",
    ),
    variants=(
        FalseVariant(
            "With four items no minimizer inverts an edge strictly, if d is additive.",
            lambda: refuted_by_core(surrogate("hinge"), LIGHTEST, "additive", strict=True, scores=SCORES),
        ),
        _five,
        _cycle,
        FalseVariant(
            "With three items the hinge is never wrong where d is additive, not by ties either.",
            lambda: refuted_by_core(
                surrogate("hinge"), weights(3, {(1, 2): 1, (1, 3): 4, (2, 3): 1, (3, 1): 2}), "additive"
            ),
        ),
    ),
    files=(FILE,),
)
