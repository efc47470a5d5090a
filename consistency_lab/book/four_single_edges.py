"""The distribution of DMJ10 Theorem 12: four graphs of one edge each."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from consistency_lab.book.every_phi import convex_names, every_phi_step, named_step
from consistency_lab.book.statement import Finding, Kind
from consistency_lab.book.steps import Step
from consistency_lab.model.conditions import CONDITIONS
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import surrogate

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
    finding = Finding(
        "One distribution does for every margin",
        Kind.PROOF_THIS_M,
        SCOPE,
        "exact arithmetic, and Lemma 10 for the shifted function",
        (
            "All edges have one weight a with c = h(a) ≥ 0, so W(α) = Σ p_ij ψ(α_i − α_j), ψ(x) = φ(x − c).",
            "ψ is convex, and by monotonicity every slope of ψ at 0, one of φ at −c ≤ 0, is negative.",
            f"d12 = {p12}a, d23 = {p23}a, d13 = ({p13} − {p31})a = {p13 - p31}a = d12 + d23: additive.",
            f"Condition 1: p23 = {p23} < p31 p12/(p13 + p12) = {p31 * p12 / (p13 + p12)}.",
        ),
    )
    return Step(p23 < p31 * p12 / (p13 + p12) and p13 - p31 == p12 + p23, finding)


def margin_steps(condition: str) -> tuple[Step, Step, Step]:
    """The condition holds, no convex phi is right at several margins, each named phi is wrong at margin 1."""
    one = single_edges(Fraction(1))
    holds = Step(
        CONDITIONS[condition].holds(one.difference),
        Finding(
            f"The distribution satisfies {condition}", Kind.CERTIFICATE, "every weight", "decided exactly"
        ),
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
