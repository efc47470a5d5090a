"""The evidence for DMJ10 Lemma 10, which Theorems 11 and 12 rest on."""

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Final

from consistency_lab.book.polynomials import Polynomial, confirmed, question
from consistency_lab.book.slopes import (
    FOUR_EDGES,
    Contradiction,
    contradictions,
    convex_names,
    every_phi_step,
    from_weights,
    named_step,
)
from consistency_lab.book.statement import (
    FOLDER,
    Line,
    Refutation,
    Step,
    false,
    step,
    stored,
)
from consistency_lab.exact import LogRational
from consistency_lab.model.conditions import CONDITIONS
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.properties import ASSUMPTION_A, BOUNDED_BELOW, Status, properties
from consistency_lab.model.surrogates import surrogate
from consistency_lab.phi import NAMED, exact_value, parse

# --- The evidence for DMJ10 Lemma 10, which Theorems 11 and 12 and their stronger forms use again --------

MULTIPLIERS: Final = "lemma_10.json"
QUESTIONS: Final[Mapping[str, str]] = {
    "Condition 1": "lemma_10_condition_1.smt2",
    "Condition 2": "lemma_10_condition_2.smt2",
}
LEMMA_CONDITIONS: Final[Mapping[str, str]] = {
    "Condition 1": "h31*h12-h23*(h13+h12)",
    "Condition 2": "h31*h23-h12*(h13+h23)",
}
"""What each condition of the lemma says is positive."""

EVERY_H: Final = "three items, every h > 0, every convex φ with φ'(0) < 0"

_EXAMPLES: Final[tuple[Mapping[str, int | str], ...]] = (
    {"12": 3, "13": 8, "23": 1, "31": 4},
    {"12": 1, "13": 8, "23": 3, "31": 4},
    {"12": 25, "13": 50, "23": 1, "31": 24},
    {"12": 1000, "13": 2000, "23": 249, "31": 750},
    {"12": 2, "13": 1, "23": 1, "31": "8/5"},
    {"12": 10, "13": 11, "23": 9, "31": 19},
)
"""Weights with a13 > a31 or a31 < a13 + min(a12, a23); the last three are close to the boundary."""


def proofs(folder: Path = FOLDER) -> tuple[Contradiction, ...]:
    """The stored multipliers, in the order of the conditions."""
    return contradictions(stored(MULTIPLIERS, folder))


def derived_question(proof: Contradiction) -> str:
    """The system that the multipliers contradict, as a question in SMT-LIB."""
    return question(
        f"DMJ10 Lemma 10, {proof.name}: slopes g of a convex phi at a minimizer alpha_1 > alpha_2 > alpha_3\n"
        "of W, the sum of h_ij phi(alpha_i - alpha_j) over the edges 12, 13, 23, 31; g0 = phi'(0)",
        proof.claims(),
    )


def are_about_the_lemma(found: tuple[Contradiction, ...]) -> bool:
    """Whether the multipliers are for the two conditions as the paper has them, without other assumptions."""
    return [proof.name for proof in found] == list(LEMMA_CONDITIONS) and all(
        proof.edges == FOUR_EDGES
        and len(proof.assumptions) == 1
        and proof.factor == Polynomial.parse(LEMMA_CONDITIONS[proof.name])
        for proof in found
    )


def smt_step(folder: Path = FOLDER) -> Step:
    """The step that z3 finds no slopes under either condition."""
    found = proofs(folder)
    lines = [
        Line(
            f"{proof.name}, {QUESTIONS[proof.name]}: no real numbers with",
            confirmed(QUESTIONS[proof.name], derived_question(proof), folder=folder),
            tuple(f"    {claim}" for claim in proof.claims()),
        )
        for proof in found
        if proof.name in QUESTIONS
    ]
    return step(
        "Under Condition 1, or 2, no convex φ has a minimizer with α₁ > α₂ > α₃",
        EVERY_H,
        "z3: two questions of real arithmetic with h unknown, both unsat",
        *lines,
        are_about_the_lemma(found),
    )


def multipliers_step(folder: Path = FOLDER) -> Step:
    """The step that the stored multipliers, polynomials in h, prove the same without z3."""
    found = proofs(folder)
    return step(
        "The same by multipliers that are polynomials in h",
        EVERY_H,
        "two identities of polynomials, expanded exactly; the signs of all multipliers are evident",
        *(Line(first, proof.holds(), tuple(more)) for proof in found for first, *more in [proof.lines()]),
        "A minimizer exists (DMJ10 Lemma 9). Where A(p) is α₁ > α₂ > α₃, as it is if a13 > a31, it lies",
        "outside: W* = inf {W : α ∉ A(p)}.",
        are_about_the_lemma(found),
    )


def accepted_step() -> Step:
    """The step that the core accepts Farkas multipliers at some rational h."""
    cases = [
        (", ".join(f"h{edge} = {value}" for edge, value in h.items()), from_weights(h), surrogate("logistic"))
        for h in _EXAMPLES
    ]
    return every_phi_step(
        "At given rational h, by the core", f"{len(cases)} rational h, every convex φ with φ'(0) < 0", cases
    )


def core_steps() -> tuple[Step, Step]:
    """The two independent proofs of the lemma, for statements that rest on it."""
    return smt_step(), multipliers_step()


# --- The construction behind DMJ10 Theorem 11 ------------------------------------------------------------
# Three edges fixed, the fourth so light that Condition 1 holds.

FUNCTIONS: Final = ("a", "a**2", "sqrt(a)", "a/(1+a)", "a+a**3")
"""Continuous increasing h with h(0) = 0; rational at the weights below."""

_LIGHT: Final = tuple(Fraction(1, 4**n) for n in range(1, 12))
_HALF: Final = Fraction(1, 2)


def weight(h: str, a: Fraction) -> Fraction:
    """h(a) where it is rational, as it is at squares for all of `FUNCTIONS`."""
    value = exact_value(parse(h, "a"), LogRational(a))
    rational = None if value is None else value.as_rational()
    assert rational is not None
    return rational


def light_edge(h: str, edges: Mapping[str, Fraction]) -> Fraction:
    """The first a23 = 4^-n with h23 < h31 h12 / (h13 + h12), all h_ij = h(a_ij) / 2."""
    h12, h13, h31 = (weight(h, edges[e]) / 2 for e in ("12", "13", "31"))
    return next(a for a in _LIGHT if weight(h, a) / 2 < h31 * h12 / (h13 + h12))


def two_graphs(edges: Mapping[str, Fraction]) -> Distribution:
    """G1 = {12, 13} and G2 = {23, 31} with these weights and probability 1/2 each (proof of Theorem 11)."""
    first = {(0, 1): edges["12"], (0, 2): edges["13"]}
    second = {(1, 2): edges["23"], (2, 0): edges["31"]}
    return Distribution.of(3, [(_HALF, first), (_HALF, second)])


def low_noise_case(h: str) -> Distribution:
    """a12 = a31 = 1, a13 = 9 and a light a23: low noise with room, for every h of `FUNCTIONS`."""
    edges = {"12": Fraction(1), "13": Fraction(9), "31": Fraction(1)}
    return two_graphs({**edges, "23": min(light_edge(h, edges), Fraction(1))})


def additive_case() -> Distribution:
    """Condition 1 with d13 = d12 + d23 exactly, the same for every h.

    Graphs of one edge of weight 1, so that h(1) is a common factor; probabilities 3, 8, 1, 4 of 16.
    """
    one = Fraction(1)
    counts = {(0, 1, one): 3, (0, 2, one): 8, (1, 2, one): 1, (2, 0, one): 4}
    return Distribution.single_edges({edge: Fraction(n, 16) for edge, n in counts.items()}, 3)


def given_h_steps(cases: Mapping[str, Distribution], condition: str) -> tuple[Step, Step, Step]:
    """For each h: the condition holds, no convex phi is right, and each named convex phi is wrong."""
    differences = {h: p.difference for h, p in cases.items()}
    lines = [f"h(a) = {h}: d12 = {d[0][1]}, d23 = {d[1][2]}, d13 = {d[0][2]}" for h, d in differences.items()]
    first = step(
        f"The constructed distributions satisfy {condition}",
        f"{len(cases)} functions h",
        "decided exactly on the differences",
        *lines,
        all(map(CONDITIONS[condition].holds, differences.values())),
    )
    every = every_phi_step(
        "No convex φ with φ'(0) < 0 is right there",
        f"{len(cases)} functions h, every convex φ with φ'(0) < 0",
        [(f"h(a) = {h}", p, surrogate("logistic", h=h)) for h, p in cases.items()],
    )
    named = named_step(
        "Each named convex φ is wrong there",
        f"{len(convex_names())} named φ, h(a) = a",
        [(name, cases["a"], surrogate(name, h="a")) for name in convex_names()],
    )
    return first, every, named


def two_items_step() -> Step:
    """The step that phi'(0) < 0 can be taken for granted: two items settle the other convex phi."""
    p = Distribution.from_aggregate([[0, 2], [1, 0]])
    cases = [(text, p, surrogate(phi=text)) for text in ("x**2", "abs(x)", "exp(x)", "1")]
    checked = named_step("", "", cases)
    return step(
        "A convex φ without φ'(0) < 0 already fails with two items",
        "two items, every convex φ whose right slope at 0 is not negative",
        f"by hand; and {len(cases)} such φ have witnesses that the core accepts",
        "Let the right slope of φ at 0 be ≥ 0. One graph with the edge 1 → 2 gives W(α) = h φ(α₁ − α₂),",
        "and by convexity φ(x) ≥ φ(0) for x > 0: so inf {W : α₁ ≤ α₂} = W*, and α₁ ≤ α₂ is wrong.",
        "If the right slope is negative, so is every slope at 0, which is all that the proofs use.",
        *checked.finding.details,
        checked.stands,
    )


# --- The distribution of DMJ10 Theorem 12: four graphs of one edge each ----------------------------------

PROBABILITIES: Final[Mapping[tuple[int, int], Fraction]] = {
    (0, 1): Fraction(25, 100),
    (1, 2): Fraction(1, 100),
    (0, 2): Fraction(50, 100),
    (2, 0): Fraction(24, 100),
}
"""p = (.25, .01, .5, .24) on the edges 12, 23, 13, 31."""

MARGINS: Final = (("a", "1"), ("a", "1/2"), ("a", "5"), ("a**2", "3"), ("sqrt(a)", "4"), ("log(1+a)", "1"))
"""h, and the weight at which c = h(weight) is the margin."""

SCOPE: Final = "three items, every h with h(a) >= 0 for some a > 0, every convex φ with φ'(0) < 0"


def single_edges(weight: Fraction, p: Mapping[tuple[int, int], Fraction] = PROBABILITIES) -> Distribution:
    """The four graphs, all edges of this weight."""
    return Distribution.single_edges({(i, j, weight): q for (i, j), q in p.items()}, 3)


def substitution_step() -> Step:
    """The step from the margin loss to Lemma 10, for every h and every margin."""
    p = PROBABILITIES
    p12, p23, p13, p31 = (p[e] for e in ((0, 1), (1, 2), (0, 2), (2, 0)))
    return step(
        "One distribution does for every margin",
        SCOPE,
        "exact arithmetic, and Lemma 10 for the shifted function",
        "All edges have one weight a with c = h(a) ≥ 0, so W(α) = Σ p_ij ψ(α_i − α_j), ψ(x) = φ(x − c).",
        "ψ is convex, and by monotonicity every slope of ψ at 0, one of φ at −c ≤ 0, is negative.",
        f"d12 = {p12}a, d23 = {p23}a, d13 = ({p13} − {p31})a = {p13 - p31}a = d12 + d23: additive.",
        f"Condition 1: p23 = {p23} < p31 p12/(p13 + p12) = {p31 * p12 / (p13 + p12)}.",
        p23 < p31 * p12 / (p13 + p12) and p13 - p31 == p12 + p23,
    )


def margin_steps(condition: str) -> tuple[Step, Step, Step]:
    """The condition holds, no convex phi is right at several margins, each named phi is wrong at margin 1."""
    one = single_edges(Fraction(1))
    holds = step(
        f"The distribution satisfies {condition}",
        "every weight",
        "decided exactly",
        CONDITIONS[condition].holds(one.difference),
    )
    every = every_phi_step(
        "No convex φ with φ'(0) < 0 is right there",
        f"{len(MARGINS)} margins, every convex φ with φ'(0) < 0",
        [
            (f"h(a) = {h}, a = {a}", single_edges(Fraction(a)), surrogate("margin-logistic", h=h))
            for h, a in MARGINS
        ],
    )
    named = named_step(
        "Each named convex φ is wrong there",
        f"{len(convex_names())} named φ, c = 1",
        [(name, one, surrogate(f"margin-{name}")) for name in convex_names()],
    )
    return holds, every, named


# --- Assumption A of DMJ10: it follows from "convex and bounded below", and Lemma 10 does not need it ----
# It asks for phi'_inf(1) >= 0 or phi'_inf(-1) = inf, with phi'_inf(1) = sup_t (phi(t) - phi(0)) / t. A
# surrogate that is bounded below has such a phi, as one graph with one edge shows.

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


def _sum(*parts: str) -> Polynomial:
    return sum(map(Polynomial.parse, parts), Polynomial.number(0))


def bounded_below_implies_it() -> Step:
    """The step that convex and bounded below implies Assumption A."""
    # What is at least 0, or is 0, adds up to -1.
    identity = _sum("f0+s*t-ft", "ft-L", "t*(0-s)-(f0-L+1)") == Polynomial.number(-1)
    named = {name: properties(NAMED[name].expression) for name in convex_names()}
    agree = all(
        found[BOUNDED_BELOW].status is found[ASSUMPTION_A].status is Status.PROVED for found in named.values()
    )
    return step(
        "A convex φ that is bounded below satisfies Assumption A",
        "every convex φ",
        f"z3: unsat; an identity with sum -1; and the {len(named)} named convex φ have both properties",
        "Let φ ≥ L and suppose φ'_∞(1) = sup_t (φ(t) − φ(0))/t = s < 0, so φ(t) ≤ φ(0) + s·t for t > 0.",
        "At t = (φ(0) − L + 1)/(−s) > 0:   φ(0) + s·t = L − 1 < L ≤ φ(t), a contradiction.",
        "Hence φ'_∞(1) ≥ 0, which is Assumption A. (Convexity makes the supremum a limit; no more.)",
        identity and agree and confirmed(BOUNDED_QUESTION, bounded_question()),
    )


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


@false("Every convex phi satisfies Assumption A, bounded below or not.")
def convexity_is_not_enough() -> Refutation:
    """Refute "every convex phi satisfies Assumption A"."""
    phi = parse("max(0-x,0-2*x)")
    found = properties(phi)
    refuted = found[ASSUMPTION_A].status is Status.REFUTED and found["convex"].status is Status.PROVED
    return Refutation(refuted, f"phi = {phi} is convex, and {found[ASSUMPTION_A].value}")
