"""Ours: at which aggregates no convex phi is right, exactly for three items, and an example with four."""

from collections.abc import Mapping
from fractions import Fraction
from random import Random
from typing import Final

from consistency_lab.apps.book.polynomials import Polynomial, confirmed, question
from consistency_lab.apps.book.risk import scores_of
from consistency_lab.apps.book.slopes import FOUR_EDGES as EDGES
from consistency_lab.apps.book.slopes import SIX_EDGES as ALL_EDGES
from consistency_lab.apps.book.slopes import (
    Contradiction,
    contradictions,
    convex_names,
    every_phi_step,
    from_weights,
    named_step,
    refuted_where_right,
    wrong,
)
from consistency_lab.apps.book.statement import (
    Cases,
    Line,
    Refutation,
    Statement,
    Step,
    also,
    check,
    false,
    step,
    stored,
)
from consistency_lab.apps.book.statements.edge_losses import printed_conditions
from consistency_lab.apps.book.three_items import (
    DOMAIN,
    EXCESSES,
    STORED,
    TIE_LINES,
    Weights,
    construction_step,
    core_grid_step,
    covers_every_face,
    generators,
    grid,
    largest_excess,
    separation,
    smallest_faces,
    stored_cases,
    tie_question,
)
from consistency_lab.certify.universal import universal_proof
from consistency_lab.core.inequalities import face_points
from consistency_lab.model.conditions import CONDITIONS, net
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import surrogate
from consistency_lab.numbers.exact import LogRational
from consistency_lab.solve.stationary import stationary_slopes

# --- Multipliers that are polynomials in h, for DMJ10 Lemma 10, which is proved in Coq ------------------

MULTIPLIERS: Final = "lemma_10.json"
LEMMA_CONDITIONS: Final[Mapping[str, str]] = {
    "Condition 1": "h31*h12-h23*(h13+h12)",
    "Condition 2": "h31*h23-h12*(h13+h23)",
}
"""What each condition of the lemma says is positive."""

WITHOUT_QUESTION: Final = "assumption_a_without.smt2"


def proofs() -> tuple[Contradiction, ...]:
    """The stored multipliers, in the order of the conditions."""
    return contradictions(stored(MULTIPLIERS))


def are_about_the_lemma(found: tuple[Contradiction, ...]) -> bool:
    """Whether the multipliers are for the two conditions as the paper has them, without other assumptions."""
    return [proof.name for proof in found] == list(LEMMA_CONDITIONS) and all(
        proof.edges == EDGES
        and len(proof.assumptions) == 1
        and proof.factor == Polynomial.parse(LEMMA_CONDITIONS[proof.name])
        for proof in found
    )


def multipliers_step() -> Step:
    """The step that the stored multipliers, polynomials in h, prove the lemma where a minimizer exists."""
    found = proofs()
    return step(
        "Under Condition 1, or 2, no convex φ has a minimizer with α₁ > α₂ > α₃",
        "three items, every h, every convex φ with φ'(0) < 0",
        "two identities of polynomials, expanded exactly; the signs of all multipliers are evident",
        *(Line(first, proof.holds(), tuple(more)) for proof in found for first, *more in [proof.lines()]),
        "A minimizer exists (DMJ10 Lemma 9), so it lies outside A(p): W* = inf {W : α ∉ A(p)}.",
        are_about_the_lemma(found),
    )


def without_question() -> str:
    """The last line of the argument without Assumption A: Wa, Qa at alpha, Wb, Qb at beta, and 1/k = i."""
    return question(
        "Lemma 10 without Assumption A: W(alpha) <= W(beta) + 2 eta follows for phi + x^2/k",
        ["Qa >= 0", "i > 0", "i*Qb <= eta", "Wa+i*Qa <= Wb+i*Qb+eta"],
        none_of=["Wa <= Wb+2*eta"],
    )


def _sum(*parts: str) -> Polynomial:
    return sum(map(Polynomial.parse, parts), Polynomial.number(0))


def not_needed() -> Step:
    """The step that Lemma 10 and what follows from it hold without Assumption A."""
    identity = _sum("Wb+i*Qb+eta-Wa-i*Qa", "eta-i*Qb", "i*Qa") == Polynomial.parse("Wb+2*eta-Wa")
    return step(
        "Neither Assumption A nor boundedness is needed",
        "every convex φ with φ'(0) < 0",
        "φ + x²/k satisfies Assumption A, and k → ∞; the last inequality: z3 unsat, and an identity",
        "φ_k(x) = φ(x) + x²/k is convex, φ_k'(0) = φ'(0) < 0, φ_k'_∞(1) = ∞: the lemma holds for it.",
        "W_k = W + Q/k with Q(α) = Σ h_ij (α_i − α_j)² ≥ 0. Let β be any scores, η > 0, k ≥ Q(β)/η.",
        "The lemma gives α ∉ A(p) with W_k(α) ≤ W_k(β) + η, so",
        "    W(α) ≤ W_k(α) ≤ W(β) + Q(β)/k + η ≤ W(β) + 2η.",
        "So inf {W(α) : α ∉ A(p)} ≤ W(β) for every β: it is W*(p).",
        identity and confirmed(WITHOUT_QUESTION, without_question()),
    )


# --- Ours: the exact set of four-edge aggregates at which no convex phi is right -------------------------
# On the boundary, where a condition holds with =, every convex phi still has a minimizer outside A(p), a tie.

FOUR_EDGE_TIES: Final = {"Condition 1": "four_edges_tie_1.smt2", "Condition 2": "four_edges_tie_2.smt2"}
_FOUR_EDGES: Final = "three items, four edges, every h > 0"
_POSITIVE: Final = tuple(f"h{edge} > 0" for edge in ("12", "13", "23", "31"))
_GRID: Final = {"12": (1, 2, 3, 5), "13": (1, 4, 8), "23": (1, 2, 3), "31": (1, 3, 4, 5)}


def ties() -> list[tuple[str, str]]:
    """The questions about equality, with the names of their files."""
    return [(FOUR_EDGE_TIES[proof.name], tie_question(proof, _POSITIVE)) for proof in proofs()]


def boundary_step() -> Step:
    """The step that with equality every convex phi has a minimizer with a tie."""
    return step(
        "With equality in a condition every convex φ still has a minimizer outside A(p)",
        _FOUR_EDGES,
        "z3: the slopes that the tie needs are forced to be equal, two questions, both unsat",
        *TIE_LINES,
        all(proof.holds() for proof in proofs()) and all(confirmed(*one) for one in ties()),
    )


def nets_step() -> Step:
    """The step that the conditions are inequalities between net preferences."""
    zero = {"h21": Polynomial.number(0), "h32": Polynomial.number(0)}
    same = [
        Polynomial.parse(EXCESSES[name]).at(zero) == Polynomial.parse(LEMMA_CONDITIONS[name])
        for name in LEMMA_CONDITIONS
    ]
    return step(
        "The conditions say h13·N2 < h12·N3 and h13·N2 > h23·N1, with N_i = Σ_j (h_ij − h_ji)",
        _FOUR_EDGES,
        "two identities of polynomials",
        Line("h31·h12 − h23·(h13 + h12) = h12·N3 − h13·N2", same[0]),
        Line("h31·h23 − h12·(h13 + h23) = h13·N2 − h23·N1", same[1]),
        "So some convex φ is right if and only if h12·N3 < h13·N2 < h23·N1.",
    )


@false("Conditions 1 and 2 with < are necessary too.")
def _strictly_necessary() -> Refutation:
    """h12, h13, h23, h31 = 2, 8, 1, 5 has equality in Condition 1, and nowhere a right phi."""
    h = {"12": 2, "13": 8, "23": 1, "31": 5}
    p = from_weights(h)
    phi = surrogate(phi="max(0,3-2*x)+max(0,8-2*x)")
    inside = [LogRational.parse(score) for score in ("3", "1", "0")]
    a_minimizer = stationary_slopes(phi.risk_terms(p), 3, inside) is not None
    witness = wrong(p, phi)
    stands = boundary_step().stands and a_minimizer and witness is not None
    return Refutation(
        stands,
        "h12, h13, h23, h31 = 2, 8, 1, 5: h23 = 1 = h31 h12/(h13+h12), so neither condition holds, but every"
        f" convex phi has a minimizer outside A(p); {phi.name} has (3, 1, 0) in A(p) and"
        f" {scores_of(witness) if witness else '?'} outside it",
    )


@false("Where neither condition holds, every convex phi is right.")
def _every_phi_elsewhere() -> Refutation:
    p = from_weights({"12": 1, "13": 2, "23": 4, "31": 1})
    witness = wrong(p, surrogate("logistic"))
    if witness is None:
        return Refutation(False, "logistic was not certified to be wrong")
    return Refutation(
        True,
        "h12, h13, h23, h31 = 1, 2, 4, 1 fulfil neither condition, and logistic is wrong there:"
        f" scores {scores_of(witness)}, {witness.verified.failure}, accepted by the core",
    )


FOUR_EDGES: Final = Statement(
    latex=(
        r"Let \(h_{12}, h_{13}, h_{23}, h_{31} > 0\) be the only weights, and"
        r" \(A(p) = \{\alpha_1 > \alpha_2 > \alpha_3\}\). Then"
        r" \(W^*(p) = \inf_\alpha \{W(p,\alpha) : \alpha \notin A(p)\}\) for every convex \(\phi\) with"
        r" \(\phi'(0) < 0\) and Assumption A if and only if"
        r" \(h_{23} \le \frac{h_{31} h_{12}}{h_{13} + h_{12}}\) or"
        r" \(h_{12} \le \frac{h_{31} h_{23}}{h_{13} + h_{23}}\)."
    ),
    plain="Lemma 10's two conditions, with <= in place of <, are not only sufficient but necessary.",
    hypotheses=(r"the edges are 12, 13, 23, 31", r"\(A(p) = \{\alpha_1 > \alpha_2 > \alpha_3\}\)"),
    citation="ours (DMJ10 Lemma 10 is the part with < that says 'if')",
    check=check(
        f"{_FOUR_EDGES}, every convex φ with φ'(0) < 0",
        lambda: [
            multipliers_step(),
            boundary_step(),
            construction_step(tuple(case for case in stored_cases() if "31" in case.edges), _FOUR_EDGES),
            nets_step(),
            core_grid_step(_GRID, "four edges, whole numbers up to 8"),
        ],
        "Conditions 1 and 2 as printed, with <, say exactly that no convex φ has any minimizer in A(p).",
        "The φ that is right elsewhere is nonincreasing, nonnegative and satisfies Assumption A.",
    ),
    variants=(_strictly_necessary, _every_phi_elsewhere),
    files=(MULTIPLIERS, STORED, *FOUR_EDGE_TIES.values()),
)


# --- Ours: the exact set of three-item aggregates, on all six edges, at which no convex phi is right -----
# The two ways to fail are Conditions 1 and 2 of DMJ10 Lemma 10 for six edges, with <=:
#
#     Condition 1:  d23 (h12 + h13) <= h12 h31 - h13 h21,
#     Condition 2:  d12 (h23 + h13) <= h23 h31 - h13 h32.

SIX_EDGE_QUESTIONS: Final = {
    "Condition 1": "six_edges_condition_1.smt2",
    "Condition 2": "six_edges_condition_2.smt2",
}
SIX_EDGE_TIES: Final = {"Condition 1": "six_edges_tie_1.smt2", "Condition 2": "six_edges_tie_2.smt2"}
_SIX_EDGES: Final = "three items, every h with 1, 2, 3 the one optimal order"
_GENERAL: Final = {
    "12": (1, 2, 3, 5, 8),
    "13": (0, 1, 3, 8),
    "21": (0, 1, 2),
    "23": (1, 2, 3, 6),
    "31": (0, 1, 3, 5),
    "32": (0, 1, 2),
}
_CORE: Final = {"12": (1, 3, 4), "13": (0, 3, 8), "21": (0, 1), "23": (2, 3), "31": (0, 4, 6), "32": (0, 1)}
_SAMPLE: Final = 200


def six_edge_proofs() -> tuple[Contradiction, ...]:
    """The stored multipliers for six edges."""
    return contradictions(stored(STORED))


def are_about_six_edges(found: tuple[Contradiction, ...]) -> bool:
    """Whether the multipliers are for the two conditions, and assume only what the domain gives."""
    extra = {"Condition 1": "h23-h32", "Condition 2": "h12-h21"}
    return [proof.name for proof in found] == [f"{name} for six edges" for name in EXCESSES] and all(
        proof.edges == ALL_EDGES
        and proof.factor == Polynomial.parse(EXCESSES[name])
        and [a.formula.polynomial for a in proof.assumptions[1:]] == [Polynomial.parse(extra[name])]
        for name, proof in zip(EXCESSES, found, strict=True)
    )


def questions() -> list[tuple[str, str]]:
    """The questions for z3, with the names of their files."""
    asked = []
    for name, proof in zip(EXCESSES, six_edge_proofs(), strict=True):
        title = f"{proof.name}: slopes g of a convex phi at a minimizer alpha_1 > alpha_2 > alpha_3"
        asked += [
            (SIX_EDGE_QUESTIONS[name], question(title, proof.claims())),
            (SIX_EDGE_TIES[name], tie_question(proof, DOMAIN)),
        ]
    return asked


def _multipliers_step() -> Step:
    found = six_edge_proofs()
    return step(
        "Under Condition 1, or 2, for six edges no convex φ has a minimizer with α₁ > α₂ > α₃",
        _SIX_EDGES,
        "two identities of polynomials, expanded exactly; the signs of all multipliers are evident",
        *(Line(first, proof.holds(), tuple(more)) for proof in found for first, *more in [proof.lines()]),
        are_about_six_edges(found),
    )


def _smt_step() -> Step:
    return step(
        "The same by z3, and with equality every convex φ still has a minimizer with a tie",
        _SIX_EDGES,
        "four questions of real arithmetic with h unknown, all unsat",
        *TIE_LINES,
        are_about_six_edges(six_edge_proofs()) and all(confirmed(*one) for one in questions()),
    )


def _elimination_step() -> Step:
    """The cone of slopes, and a comparison with linear programs at random aggregates."""
    aggregates = sorted(Random(10).sample(list(grid(_GENERAL)), _SAMPLE), key=lambda h: list(h.values()))
    inside = [h for h in aggregates if largest_excess(h) > 0]
    agree = Cases(sum(map(_agrees, aggregates)), len(aggregates))
    return step(
        "The slopes eliminated: two generators of a cone decide",
        "three items, six edges, whole numbers up to 8",
        f"linear programs and generators agree at {{}} aggregates, {len(inside)} of them inside",
        *_ELIMINATION,
        agree,
        0 < len(inside) < len(aggregates),
    )


_ELIMINATION: Final = (
    "With g0 = −1 the slopes on the face δ12 = δ23 are −1 plus nonnegative multiples of",
    "    u1: 13     u2: 13, 12     u3: 13, 23     u4: 13, 12, 23     (slopes above g0),",
    "    l1: 31     l2: 31, 21     l3: 31, 32     l4: 31, 21, 32     (minus, slopes below g0).",
    "S1 = S2 = S3 = 0 says that (N1, −N3) is the same combination of the vectors",
    "    u1 = (h13, h13)   u2 = (h12+h13, h13)   u3 = (h13, h13+h23)   u4 = (h12+h13, h13+h23)",
    "    l1 = (h31, h31)   l2 = (h31+h21, h31)   l3 = (h31, h31+h32)   l4 = (h31+h21, h31+h32).",
    "So slopes exist if and only if",
    "    N1/(−N3) ≤ max(1 + h12/h13, 1 + h21/h31)  and  (−N3)/N1 ≤ max(1 + h23/h13, 1 + h32/h31),",
    "where, as d12, d23 > 0, the second term of each maximum never decides:",
    "h12·N3 ≤ h13·N2 ≤ h23·N1. Strict slopes exist, and a φ is right, if both are strict.",
)


def _agrees(h: Weights) -> bool:
    """Whether the exact set, the multipliers of a linear program and the generators say the same at h."""
    matrix = [[h[f"{i}{j}"] if i != j else h["12"] * 0 for j in range(1, 4)] for i in range(1, 4)]
    none = largest_excess(h) > 0
    separated = all(separation(matrix, point) is not None for point in smallest_faces(3))
    return none == separated == (universal_proof(matrix) is not None)


@false("Lemma 10's conditions as printed do for six edges.")
def _printed_conditions() -> Refutation:
    p = from_weights({"12": 2, "13": 3, "21": 1, "23": 1, "31": 3})
    note = "h12, h13, h23, h31 = 2, 3, 1, 3 and h21 = 1: Condition 1 as printed is 1 < 6/5"
    return refuted_where_right(p, surrogate("logistic"), note, printed_conditions(p)[0])


@false("No convex phi is right where h12 N3 < h13 N2 < h23 N1.")
def _reversed() -> Refutation:
    p = from_weights({"12": 3, "13": 4, "21": 1, "23": 3, "31": 1, "32": 1})
    note = "h12, h13, h23 = 3, 4, 3 and h21, h31, h32 = 1: N = (5, 0, −5), and −15 < 0 < 15"
    a, n = p.aggregate, net(p.difference)
    given = a[0][1] * n[2] < a[0][2] * n[1] < a[1][2] * n[0]
    return refuted_where_right(p, surrogate("logistic"), note, given)


SIX_EDGES: Final = Statement(
    latex=(
        r"Let \(1, 2, 3\) be the one optimal order of \(h\) and \(N_i = \sum_j (h_{ij} - h_{ji})\)."
        r" Some convex \(\phi\) with \(\phi'(0) < 0\) and Assumption A has"
        r" \(W^*(p) < \inf_\alpha \{W(p,\alpha) : \alpha \notin A(p)\}\) if and only if"
        r" \(h_{12} N_3 < h_{13} N_2 < h_{23} N_1\)."
    ),
    plain="For three items two inequalities between net preferences decide whether any convex phi is right.",
    hypotheses=(
        r"\(d_{12}, d_{23}, d_{12} + d_{13}, d_{13} + d_{23} > 0\) with \(d_{ij} = h_{ij} - h_{ji}\)",
        r"the support of \(h\) is strongly connected",
    ),
    citation="ours (DMJ10 Lemma 10 is a part of the case of four edges)",
    check=check(
        f"{_SIX_EDGES}; every convex φ with φ'(0) < 0",
        lambda: [
            _multipliers_step(),
            _smt_step(),
            construction_step(stored_cases(), _SIX_EDGES),
            also(_elimination_step()),
            core_grid_step(_CORE, "six edges, whole numbers up to 8"),
        ],
        "Differentiable φ do as well as convex ones: with α₁ − α₂ ≠ α₂ − α₃ the kinks can be rounded off.",
        "If 3 is never preferred to 1 (h31 = 0), some convex φ is right.",
    ),
    variants=(_printed_conditions, _reversed),
    files=(STORED, *SIX_EDGE_QUESTIONS.values(), *SIX_EDGE_TIES.values()),
)


# --- Ours: four items, the faces that suffice, and an additive aggregate at which no convex phi is right ---

_M: Final = 4
_FOUR_ITEMS: Final = "four items, this h, every convex φ with φ'(0) < 0"
AGGREGATE: Final = tuple(
    tuple(Fraction(x) for x in row) for row in ((0, 1, 3, 8), (0, 0, 2, 3), (0, 0, 0, 1), (4, 0, 0, 0))
)
"""y = (4, 3, 1, 0), and 4 more on the outermost pair in both directions."""

_FOUR: Final = Distribution.from_aggregate(AGGREGATE)


def _faces() -> Step:
    every, smallest = face_points(_M), smallest_faces(_M)
    line = "Points (α₁, …, α₄) on the faces with the fewest strict comparisons of the α_i − α_j:"
    return step(
        "Of the faces of α₁ > … > α₄, the smallest suffice",
        "four items",
        f"{len(every)} faces enumerated exactly; each holds all comparisons of one of {len(smallest)}",
        Line(line, covers_every_face(_M, smallest), tuple(f"    {point}" for point in smallest)),
    )


def _separated() -> Step:
    found = [(point, separation(AGGREGATE, point)) for point in smallest_faces(_M)]
    lines = [
        Line(
            f"at {point}: y = {s.y}, y·N > 0 ≥ y·v for {len(generators(AGGREGATE, point))} generators v",
            s.holds(AGGREGATE),
        )
        for point, s in found
        if s is not None
    ]
    return step(
        "On each of them no convex φ has a stationary point",
        _FOUR_ITEMS,
        "slopes eliminated: integers y that separate the net preferences N from a cone, checked exactly",
        *lines,
        all(s is not None for _, s in found),
    )


@false("The same holds for y = (4, 3, 1, 0) with 1 on the outermost pair.")
def _without_the_pair() -> Refutation:
    rows = [list(row) for row in AGGREGATE]
    rows[0][3], rows[3][0] = rows[0][3] - 3, rows[3][0] - 3
    note = "y = (4, 3, 1, 0) with 1 in place of 4 on the outermost pair"
    return refuted_where_right(Distribution.from_aggregate(rows), surrogate("logistic"), note)


FOUR_ITEMS: Final = Statement(
    latex=(
        r"With \(a_{12}, a_{13}, a_{14}, a_{23}, a_{24}, a_{34}, a_{41} = 1, 3, 8, 2, 3, 1, 4\), so that "
        r"\(d_{ij} = y_i - y_j\) for \(y = (4,3,1,0)\), "
        r"\(W^*(p) = \inf\{W(p,\alpha) : \alpha \notin A(p)\}\) for every convex "
        r"\(\phi\) with \(\phi'(0) < 0\)."
    ),
    plain="There is an additive distribution over four items at which no convex phi is right.",
    hypotheses=(r"\(\phi\) is convex, \(\phi'(0) < 0\)",),
    citation="ours",
    check=check(
        _FOUR_ITEMS,
        lambda: [
            _faces(),
            step(
                "The aggregate is additive",
                "this h",
                "y = (4, 3, 1, 0), decided exactly",
                CONDITIONS["additive"].holds(AGGREGATE),
            ),
            _separated(),
            every_phi_step(
                "The same by the core",
                _FOUR_ITEMS,
                [("y = (4, 3, 1, 0) and 4 on 14, 41", _FOUR, surrogate("logistic"))],
            ),
            named_step(
                "Each named convex φ is wrong there",
                f"{len(convex_names())} named φ",
                [(name, _FOUR, surrogate(name)) for name in convex_names()],
            ),
            not_needed(),
        ],
        "The set of all four-item aggregates of this kind is a union of cones; it is not listed here.",
    ),
    variants=(_without_the_pair,),
)
