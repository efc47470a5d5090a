r"""Ours: the exact set of four-edge aggregates at which no convex phi is right.

It is given by Conditions 1 and 2 of DMJ10 Lemma 10 with <= in place of <. So the conditions are necessary
but for the boundary, where every convex phi still has a minimizer outside A(p), with a tie. In terms of net
preferences N_i = sum_j (h_ij - h_ji), some convex phi is right if and only if h12 N3 < h13 N2 < h23 N1.
"""

from typing import Final

from consistency_lab.book.lemma_10 import LEMMA_CONDITIONS as CONDITIONS
from consistency_lab.book.lemma_10 import MULTIPLIERS, QUESTIONS, core_steps, proofs
from consistency_lab.book.polynomials import Polynomial, all_confirmed
from consistency_lab.book.slopes import from_weights, wrong
from consistency_lab.book.statement import (
    Checked,
    FalseVariant,
    Finding,
    Kind,
    Refutation,
    Statement,
    Step,
    concluded,
)
from consistency_lab.book.three_items import (
    EXCESSES,
    STORED,
    TIE_LINES,
    construction_step,
    core_grid_step,
    stored_cases,
    tie_question,
)
from consistency_lab.exact import LogRational
from consistency_lab.model.surrogates import surrogate
from consistency_lab.solve.stationary import stationary_slopes

TIES: Final = {"Condition 1": "four_edges_tie_1.smt2", "Condition 2": "four_edges_tie_2.smt2"}
_SCOPE: Final = "three items, four edges, every h > 0"
_POSITIVE: Final = tuple(f"h{edge} > 0" for edge in ("12", "13", "23", "31"))
_GRID: Final = {"12": (1, 2, 3, 5), "13": (1, 4, 8), "23": (1, 2, 3), "31": (1, 3, 4, 5)}


def ties() -> list[tuple[str, str]]:
    """The questions about equality, with the names of their files."""
    return [(TIES[proof.name], tie_question(proof, _POSITIVE)) for proof in proofs()]


def boundary_step() -> Step:
    """The step that with equality every convex phi has a minimizer with a tie."""
    return Step(
        all(proof.holds() for proof in proofs()) and all_confirmed(ties()),
        Finding(
            "With equality in a condition every convex φ still has a minimizer outside A(p)",
            Kind.PROOF_THIS_M,
            _SCOPE,
            "z3: the slopes that the tie needs are forced to be equal, two questions, both unsat",
            TIE_LINES,
        ),
    )


def nets_step() -> Step:
    """The step that the conditions are inequalities between net preferences."""
    zero = {"h21": Polynomial.number(0), "h32": Polynomial.number(0)}
    same = all(
        Polynomial.parse(EXCESSES[name]).at(zero) == Polynomial.parse(CONDITIONS[name]) for name in CONDITIONS
    )
    return Step(
        same,
        Finding(
            "The conditions say h13·N2 < h12·N3 and h13·N2 > h23·N1, with N_i = Σ_j (h_ij − h_ji)",
            Kind.PROOF_THIS_M,
            _SCOPE,
            "two identities of polynomials",
            (
                "h31·h12 − h23·(h13 + h12) = h12·N3 − h13·N2",
                "h31·h23 − h12·(h13 + h23) = h13·N2 − h23·N1",
                "So some convex φ is right if and only if h12·N3 < h13·N2 < h23·N1.",
            ),
        ),
    )


def _check() -> Checked:
    steps = [
        *core_steps(),
        boundary_step(),
        construction_step(tuple(case for case in stored_cases() if "31" in case.edges), _SCOPE),
        nets_step(),
        core_grid_step(_GRID, "four edges, whole numbers up to 8"),
    ]
    remarks = (
        "Conditions 1 and 2 as printed, with <, say exactly that no convex φ has any minimizer in A(p).",
        "The φ that is right elsewhere is nonincreasing, nonnegative and satisfies Assumption A.",
    )
    return concluded(Kind.PROOF_THIS_M, f"{_SCOPE}, every convex φ with φ'(0) < 0", steps, remarks)


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
        f" ({', '.join(map(str, witness.scores)) if witness else '?'}) outside it",
    )


def _every_phi_elsewhere() -> Refutation:
    p = from_weights({"12": 1, "13": 2, "23": 4, "31": 1})
    witness = wrong(p, surrogate("logistic"))
    if witness is None:
        return Refutation(False, "logistic was not certified to be wrong")
    scores = ", ".join(map(str, witness.scores))
    return Refutation(
        True,
        "h12, h13, h23, h31 = 1, 2, 4, 1 fulfil neither condition, and logistic is wrong there:"
        f" scores ({scores}), {witness.verified.failure}, accepted by the core",
    )


STATEMENT: Final = Statement(
    name="four-edges",
    title="Four edges: the exact set",
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
    check=_check,
    variants=(
        FalseVariant("Conditions 1 and 2 with < are necessary too.", _strictly_necessary),
        FalseVariant("Where neither condition holds, every convex phi is right.", _every_phi_elsewhere),
    ),
    files=(MULTIPLIERS, STORED, *QUESTIONS.values(), *TIES.values()),
)
