r"""Assumption A of DMJ10: it follows from "convex and bounded below", and Lemma 10 does not need it.

Assumption A asks for phi'_inf(1) >= 0 or phi'_inf(-1) = inf, with phi'_inf(1) = sup_t (phi(t) - phi(0)) / t.

Bounded below. Let phi >= L, and suppose that phi'_inf(1) = s < 0. Then phi(t) <= phi(0) + s t for t > 0, and
at t = (phi(0) - L + 1) / (-s) the right side is L - 1 < L. (A surrogate sum of h(a_ij) phi(alpha_i - alpha_j)
that is bounded below has a phi that is, as one graph with one edge shows.)

Without it. Let phi be convex with phi'(0) < 0. Then phi_k(x) = phi(x) + x^2/k has the same slope at 0 and
satisfies Assumption A, so inf W_k = inf {W_k : alpha not in A(p)} by the lemma. With Q = sum h_ij (alpha_i -
alpha_j)^2 >= 0, W_k = W + Q/k. For any beta and eta > 0 take k >= Q(beta)/eta and alpha outside A(p) with
W_k(alpha) <= W_k(beta) + eta; then W(alpha) <= W_k(alpha) <= W(beta) + Q(beta)/k + eta <= W(beta) + 2 eta. So
inf {W : alpha not in A(p)} <= W(beta) for every beta.
"""

from typing import Final

from consistency_lab.book.every_phi import convex_names
from consistency_lab.book.polynomials import Polynomial
from consistency_lab.book.smt import confirmed, question
from consistency_lab.book.statement import Finding, Kind, Refutation
from consistency_lab.book.steps import Step
from consistency_lab.model.properties import ASSUMPTION_A, BOUNDED_BELOW, Status, properties
from consistency_lab.phi import NAMED, parse

BOUNDED_QUESTION: Final = "assumption_a_bounded.smt2"
WITHOUT_QUESTION: Final = "assumption_a_without.smt2"


def bounded_question() -> str:
    """No phi >= L with phi'_inf(1) = s < 0: one t is enough. f0 = phi(0), ft = phi(t)."""
    return question(
        "Convex and bounded below implies Assumption A (DMJ13): no f0 = phi(0), ft = phi(t), L, s with",
        ["s < 0", "f0 >= L", "t*(0-s) = f0-L+1", "ft <= f0+s*t", "ft >= L"],
    )


def without_question() -> str:
    """The last line of the argument without Assumption A: Wa, Qa at alpha, Wb, Qb at beta, and 1/k = i."""
    return question(
        "Lemma 10 without Assumption A: W(alpha) <= W(beta) + 2 eta follows for phi + x^2/k",
        ["Qa >= 0", "i > 0", "i*Qb <= eta", "Wa+i*Qa <= Wb+i*Qb+eta"],
        none_of=["Wa <= Wb+2*eta"],
    )


def bounded_below_implies_it() -> Step:
    """The step that convex and bounded below implies Assumption A."""
    # What is at least 0, or is 0, adds up to -1.
    parts = ("f0+s*t-ft", "ft-L", "t*(0-s)-(f0-L+1)")
    total = sum(map(Polynomial.parse, parts), Polynomial.number(0))
    named = {name: properties(NAMED[name].expression) for name in convex_names()}
    agree = all(
        found[BOUNDED_BELOW].status is found[ASSUMPTION_A].status is Status.PROVED for found in named.values()
    )
    finding = Finding(
        "A convex φ that is bounded below satisfies Assumption A",
        Kind.PROOF_ALL_M,
        "every convex φ",
        f"z3: unsat; an identity with sum -1; and the {len(named)} named convex φ have both properties",
        (
            "Let φ ≥ L and suppose φ'_∞(1) = sup_t (φ(t) − φ(0))/t = s < 0, so φ(t) ≤ φ(0) + s·t for t > 0.",
            "At t = (φ(0) − L + 1)/(−s) > 0:   φ(0) + s·t = L − 1 < L ≤ φ(t), a contradiction.",
            "Hence φ'_∞(1) ≥ 0, which is Assumption A. (Convexity makes the supremum a limit; no more.)",
        ),
    )
    identity = total == Polynomial.number(-1)
    return Step(identity and agree and confirmed(BOUNDED_QUESTION, bounded_question()), finding)


def not_needed() -> Step:
    """The step that Lemma 10 and what follows from it hold without Assumption A."""
    finding = Finding(
        "Neither Assumption A nor boundedness is needed",
        Kind.PROOF_ALL_M,
        "every convex φ with φ'(0) < 0",
        "φ + x²/k satisfies Assumption A, and k → ∞; the last inequality: z3 unsat, and an identity",
        (
            "φ_k(x) = φ(x) + x²/k is convex, φ_k'(0) = φ'(0) < 0, φ_k'_∞(1) = ∞: the lemma holds for it.",
            "W_k = W + Q/k with Q(α) = Σ h_ij (α_i − α_j)² ≥ 0. Let β be any scores, η > 0, k ≥ Q(β)/η.",
            "The lemma gives α ∉ A(p) with W_k(α) ≤ W_k(β) + η, so",
            "    W(α) ≤ W_k(α) ≤ W(β) + Q(β)/k + η ≤ W(β) + 2η.",
            "So inf {W(α) : α ∉ A(p)} ≤ W(β) for every β: it is W*(p).",
        ),
    )
    parts = ("Wb+i*Qb+eta-Wa-i*Qa", "eta-i*Qb", "i*Qa")
    total = sum(map(Polynomial.parse, parts), Polynomial.number(0))
    identity = total == Polynomial.parse("Wb+2*eta-Wa")
    return Step(identity and confirmed(WITHOUT_QUESTION, without_question()), finding)


def convexity_is_not_enough() -> Refutation:
    """Refute "every convex phi satisfies Assumption A"."""
    phi = parse("max(0-x,0-2*x)")
    found = properties(phi)
    refuted = found[ASSUMPTION_A].status is Status.REFUTED and found["convex"].status is Status.PROVED
    return Refutation(refuted, f"phi = {phi} is convex, and {found[ASSUMPTION_A].value}")
