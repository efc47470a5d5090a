"""Ours: under additive differences the hinge can invert an edge strictly from four items on, not before."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from consistency_lab.book.algebra import Lines, step
from consistency_lab.book.hinge_faces import Face, flows, integral_faces, three_item_faces
from consistency_lab.book.refuting import refuted_by_core, weights
from consistency_lab.book.statement import Checked, FalseVariant, Kind, Refutation, Statement
from consistency_lab.book.steps import Step, concluded
from consistency_lab.book.stored import entries, fractions, stored
from consistency_lab.errors import InputError, RejectedError
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import surrogate
from consistency_lab.solve.exact_lp import FloatSolver, LPStatus

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


def check() -> Checked:
    """Check the statement."""
    return checked(stored(FILE))


def checked(document: Document) -> Checked:
    """Check the statement with this stored evidence."""
    return concluded(
        Kind.PROOF_ALL_M,
        "m ≤ 3 (never), all m ≥ 4 (possible); h(a) = a",
        [three_items(document), _without_reduction(), _four_items(), unique(), _more_items()],
        (
            "With three items the hinge fails by ties only, wherever the difference graph is acyclic; low "
            "noise is not needed for that.",
            "With three items in a majority cycle it can be strictly wrong.",
        ),
    )


def three_items(document: Document) -> Step:
    """Stored multipliers for every shape and every integral score vector."""
    expected = list(integral_faces("acyclic", 3))
    found = entries(document, "acyclic-3-items")
    complete = [entry.get("case") for entry in found] == [face.name for face in expected]
    accepted = sum(map(_accepts, expected, found)) if complete else 0
    lines: Lines = [
        "α minimizes W(α) = Σ a_ij max(0, 1 − α_i + α_j) if and only if there are flows f_ij, equal to",
        "a_ij where α_i − α_j < 1, in [0, a_ij] where it is 1, and 0 where it is more, with equal inflow",
        "and outflow at every item. If a minimizer has α_i < α_j on an edge i → j, then so has one with",
        "integral scores: W is constant on the polyhedron P of all β whose differences compare with 1 as",
        "those of α do; P is cut out by differences, so its vertices are integral (total unimodularity),",
        "α_i − α_j is a mean of the differences at vertices, and the recession of P does not change it.",
        "So for each shape of an acyclic G̃ on three items and each integral score vector that inverts an",
        "edge, the flows, d ≥ 0 on the edges and Σ (inverted edges) d_ij ≥ 1 must exclude each other.",
        "(Two items are three of which one has no weights.)",
    ]
    return step(
        "With three items no minimizer inverts an edge strictly, if G̃ is acyclic",
        Kind.PROOF_THIS_M,
        "m ≤ 3, all acyclic G̃",
        f"{accepted} of {len(expected)} linear systems have Farkas multipliers that the core accepts",
        lines,
        complete,
        accepted == len(expected),
    )


def _accepts(face: Face, entry: Mapping[str, object]) -> bool:
    try:
        face.check(fractions(entry, "y"), fractions(entry, "z"))
    except (InputError, RejectedError):
        return False
    return True


def _without_reduction() -> Step:
    """The same at every face of the arrangement, so that integral scores need not be enough."""
    solver = FloatSolver()
    faces = list(three_item_faces("acyclic"))
    excluded = sum(face.excluded(solver) is not None for face in faces)
    return step(
        "The same without the reduction to integral scores",
        Kind.PROOF_THIS_M,
        "m = 3, all acyclic G̃",
        f"{excluded} of {len(faces)} systems, for all ways that differences compare with 0 and 1",
        [],
        excluded == len(faces),
    )


def _four_items() -> Step:
    """Which score vectors can be minimal and strictly wrong with four items, and at what price."""
    solver = FloatSolver()
    faces = list(integral_faces("low-noise", 4))
    left = [face for face in faces if face.excluded(solver) is None]
    lines: Lines = []
    prices = []
    for face in left:
        solution = face.solve(solver)
        if solution.status is LPStatus.OPTIMAL and solution.value is not None:
            prices.append(solution.value)
        shown = ", ".join(map(str, face.scores))
        lines.append(f"scores ({shown}), on a chain: Σ a_ij ≥ {solution.value} d_ij on the inverted edge")
    return step(
        "With four items and low noise only the scores (1, 2, 1, 0) and their mirror image are left",
        Kind.PROOF_THIS_M,
        "m = 4, low noise",
        f"{len(faces) - len(left)} of {len(faces)} systems have Farkas multipliers that the core accepts; "
        "on the others an inverted edge weighs at most 1/22 of all, by exact duality",
        lines,
        [tuple(map(int, face.scores)) for face in left] == [SCORES, (2, 1, 0, 1)],
        prices == [22, 22],
    )


def unique() -> Step:
    """With four items every minimizer can be strictly wrong, at additive differences."""
    found = refuted_by_core(surrogate("hinge"), UNIQUE, "additive", strict=True, scores=SCORES)
    a = Distribution.from_aggregate(UNIQUE).aggregate
    balanced = flows(a, tuple(map(Fraction, SCORES)), FLOWS)
    inner = all(0 < value < a[i][j] for (i, j), value in FLOWS.items())
    return step(
        "With four items and additive differences all minimizers can be strictly wrong",
        Kind.CERTIFICATE,
        "m = 4, y = (8, 7, 5, 0)",
        "an exact stationary point, accepted by the core; unique by complementary slackness",
        [
            "a_12 = 1, a_13 = 3, a_14 = 13, a_23 = 2, a_24 = 7, a_34 = 5, a_41 = 5: d_ij = y_i − y_j with",
            "y = (8, 7, 5, 0). W is least at α = (1, 2, 1, 0), which ranks 2 above 1. The flows f_14 = 1,",
            "f_23 = 1, f_34 = 4 lie strictly between 0 and a_ij, so every minimizer has α_1 − α_4 =",
            "α_2 − α_3 = α_3 − α_4 = 1, that is α_2 − α_1 = 1: there is no other up to shifts.",
        ],
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
        Kind.PROOF_ALL_M,
        "all m ≥ 4",
        "by hand; the core has accepted m = 5, 6, 7",
        [
            "Add items n = 5, 6, … with y_n = y_{n−1} − 1, α_n = α_{n−1} − 1, a_in = y_i − y_n, a_ni = 0.",
            "The differences stay additive. As α_i − α_n ≥ 1 for the old items, no flow need reach n, so",
            "the old flows show that α is minimal, and every minimizer has α_2 − α_1 = 1 as before.",
        ],
        all(confirmed),
    )


def _four() -> Refutation:
    return refuted_by_core(surrogate("hinge"), LIGHTEST, "additive", strict=True, scores=SCORES)


def _five() -> Refutation:
    a, scores = extended(5)
    return refuted_by_core(surrogate("hinge"), a, "low-noise", strict=True, scores=scores)


def _cycle() -> Refutation:
    third = Fraction(1, 3)
    a = weights(3, {(1, 2): 1, (2, 3): 1, (3, 1): 1})
    return refuted_by_core(surrogate("hinge"), a, "any", strict=True, scores=(0, third, 2 * third))


def _tie() -> Refutation:
    return refuted_by_core(
        surrogate("hinge"), weights(3, {(1, 2): 1, (1, 3): 4, (2, 3): 1, (3, 1): 2}), "additive"
    )


STATEMENT: Final = Statement(
    name="hinge-inversion",
    title="Hinge inversion",
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
    check=check,
    variants=(
        FalseVariant("With four items no minimizer inverts an edge strictly, if d is additive.", _four),
        FalseVariant("With five items no minimizer inverts an edge strictly, under low noise.", _five),
        FalseVariant("With three items the hinge is never strictly wrong, with cycles too.", _cycle),
        FalseVariant(
            "With three items the hinge is never wrong where d is additive, not by ties either.", _tie
        ),
    ),
    files=(FILE,),
)
