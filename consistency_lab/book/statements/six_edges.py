r"""Ours: the exact set of three-item aggregates, on all six edges, at which no convex phi is right.

Let 1, 2, 3 be the one optimal order, d_ij = h_ij - h_ji, and N_i = sum_j d_ij. Some convex phi is right if
and only if h12 N3 < h13 N2 < h23 N1. The two ways to fail are Conditions 1 and 2 of DMJ10 Lemma 10 for six
edges, with <=:

    Condition 1:  d23 (h12 + h13) <= h12 h31 - h13 h21,
    Condition 2:  d12 (h23 + h13) <= h23 h31 - h13 h32.

How the slopes are eliminated: with g0 = -1 the slopes that are monotone are -1 plus nonnegative multiples of
eight vectors (`order_cones`), so stationary ones exist if and only if (N1, -N3) lies in a cone in the plane
that eight vectors span; only the steepest and the flattest matter.
"""

from random import Random
from typing import Final

from consistency_lab.book.polynomials import Polynomial, all_confirmed, question
from consistency_lab.book.slopes import (
    SIX_EDGES,
    Contradiction,
    contradictions,
    from_weights,
    refuted_where_right,
)
from consistency_lab.book.statement import (
    Checked,
    FalseVariant,
    Finding,
    Kind,
    Refutation,
    Statement,
    Step,
    concluded,
    stored,
)
from consistency_lab.book.three_items import (
    DOMAIN,
    EXCESSES,
    STORED,
    TIE_LINES,
    Weights,
    construction_step,
    core_grid_step,
    grid,
    largest_excess,
    separation,
    smallest_faces,
    stored_cases,
    tie_question,
)
from consistency_lab.certify.universal import universal_proof
from consistency_lab.model.surrogates import surrogate

QUESTIONS: Final = {"Condition 1": "six_edges_condition_1.smt2", "Condition 2": "six_edges_condition_2.smt2"}
TIES: Final = {"Condition 1": "six_edges_tie_1.smt2", "Condition 2": "six_edges_tie_2.smt2"}
_SCOPE: Final = "three items, every h with 1, 2, 3 the one optimal order"
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


def proofs() -> tuple[Contradiction, ...]:
    """The stored multipliers for six edges."""
    return contradictions(stored(STORED))


def are_about_six_edges(found: tuple[Contradiction, ...]) -> bool:
    """Whether the multipliers are for the two conditions, and assume only what the domain gives."""
    extra = {"Condition 1": "h23-h32", "Condition 2": "h12-h21"}
    return [proof.name for proof in found] == [f"{name} for six edges" for name in EXCESSES] and all(
        proof.edges == SIX_EDGES
        and proof.factor == Polynomial.parse(EXCESSES[name])
        and [a.formula.polynomial for a in proof.assumptions[1:]] == [Polynomial.parse(extra[name])]
        for name, proof in zip(EXCESSES, found, strict=True)
    )


def questions() -> list[tuple[str, str]]:
    """The questions for z3, with the names of their files."""
    asked = []
    for name, proof in zip(EXCESSES, proofs(), strict=True):
        title = f"{proof.name}: slopes g of a convex phi at a minimizer alpha_1 > alpha_2 > alpha_3"
        asked += [
            (QUESTIONS[name], question(title, proof.claims())),
            (TIES[name], tie_question(proof, DOMAIN)),
        ]
    return asked


def _multipliers_step() -> Step:
    found = proofs()
    return Step(
        are_about_six_edges(found) and all(proof.holds() for proof in found),
        Finding(
            "Under Condition 1, or 2, for six edges no convex φ has a minimizer with α₁ > α₂ > α₃",
            Kind.PROOF_THIS_M,
            _SCOPE,
            "two identities of polynomials, expanded exactly; the signs of all multipliers are evident",
            tuple(line for proof in found for line in proof.lines()),
        ),
    )


def _smt_step() -> Step:
    return Step(
        are_about_six_edges(proofs()) and all_confirmed(questions()),
        Finding(
            "The same by z3, and with equality every convex φ still has a minimizer with a tie",
            Kind.PROOF_THIS_M,
            _SCOPE,
            "four questions of real arithmetic with h unknown, all unsat",
            TIE_LINES,
        ),
    )


def _elimination_step() -> Step:
    """The cone of slopes, and a comparison with linear programs at random aggregates."""
    aggregates = sorted(Random(10).sample(list(grid(_GENERAL)), _SAMPLE), key=lambda h: list(h.values()))
    inside = [h for h in aggregates if largest_excess(h) > 0]
    agree = all(_agrees(h) for h in aggregates)
    return Step(
        agree and 0 < len(inside) < len(aggregates),
        Finding(
            "The slopes eliminated: two generators of a cone decide",
            Kind.TEST,
            "three items, six edges, whole numbers up to 8",
            f"{len(aggregates)} aggregates, {len(inside)} inside: linear programs and generators agree",
            _ELIMINATION,
        ),
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


def _check() -> Checked:
    steps = [
        _multipliers_step(),
        _smt_step(),
        construction_step(stored_cases(), _SCOPE),
        _elimination_step(),
        core_grid_step(_CORE, "six edges, whole numbers up to 8"),
    ]
    remarks = (
        "Differentiable φ do as well as convex ones: with α₁ − α₂ ≠ α₂ − α₃ the kinks can be rounded off.",
        "If 3 is never preferred to 1 (h31 = 0), some convex φ is right.",
    )
    return concluded(Kind.PROOF_THIS_M, f"{_SCOPE}; every convex φ with φ'(0) < 0", steps, remarks)


def _printed_conditions() -> Refutation:
    p = from_weights({"12": 2, "13": 3, "21": 1, "23": 1, "31": 3})
    note = "h12, h13, h23, h31 = 2, 3, 1, 3 and h21 = 1: Condition 1 as printed is 1 < 6/5"
    return refuted_where_right(p, surrogate("logistic"), note)


def _reversed() -> Refutation:
    p = from_weights({"12": 3, "13": 4, "21": 1, "23": 3, "31": 1, "32": 1})
    note = "h12, h13, h23 = 3, 4, 3 and h21, h31, h32 = 1: N = (5, 0, −5), and −15 < 0 < 15"
    return refuted_where_right(p, surrogate("logistic"), note)


STATEMENT: Final = Statement(
    name="six-edges",
    title="Three items: the exact set",
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
    check=_check,
    variants=(
        FalseVariant("Lemma 10's conditions as printed do for six edges.", _printed_conditions),
        FalseVariant("No convex phi is right where h12 N3 < h13 N2 < h23 N1.", _reversed),
    ),
    files=(STORED, *QUESTIONS.values(), *TIES.values()),
)
