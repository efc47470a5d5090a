"""The construction behind DMJ10 Theorem 11: three edges fixed, the fourth so light that Condition 1 holds."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from consistency_lab.book.every_phi import convex_names, every_phi_step, named_step
from consistency_lab.book.statement import Finding, Kind
from consistency_lab.book.steps import Step
from consistency_lab.exact import LogRational
from consistency_lab.model.conditions import CONDITIONS
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import Surrogate, surrogate
from consistency_lab.phi import exact_value, parse

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


def edge_loss(phi: str, h: str) -> Surrogate:
    """The edge loss with a named phi."""
    return surrogate(phi, h=h)


def given_h_steps(cases: Mapping[str, Distribution], condition: str) -> tuple[Step, Step, Step]:
    """For each h: the condition holds, no convex phi is right, and each named convex phi is wrong."""
    holds = {h: CONDITIONS[condition].holds(p.difference) for h, p in cases.items()}
    lines = []
    for h, p in cases.items():
        d = p.difference
        lines.append(f"h(a) = {h}: d12 = {d[0][1]}, d23 = {d[1][2]}, d13 = {d[0][2]}")
    first = Step(
        all(holds.values()),
        Finding(
            f"The constructed distributions satisfy {condition}",
            Kind.CERTIFICATE,
            f"{len(cases)} functions h",
            "decided exactly on the differences",
            tuple(lines),
        ),
    )
    every = every_phi_step(
        "No convex φ with φ'(0) < 0 is right there",
        f"{len(cases)} functions h, every convex φ with φ'(0) < 0",
        [(f"h(a) = {h}", p, edge_loss("logistic", h)) for h, p in cases.items()],
    )
    named = named_step(
        "Each named convex φ is wrong there",
        f"{len(convex_names())} named φ, h(a) = a",
        [(name, cases["a"], edge_loss(name, "a")) for name in convex_names()],
    )
    return first, every, named


def two_items_step() -> Step:
    """The step that phi'(0) < 0 can be taken for granted: two items settle the other convex phi."""
    p = Distribution.from_aggregate([[0, 2], [1, 0]])
    cases = [(text, p, surrogate(phi=text)) for text in ("x**2", "abs(x)", "exp(x)", "1")]
    checked = named_step("", "", cases)
    finding = Finding(
        "A convex φ without φ'(0) < 0 already fails with two items",
        Kind.PROOF_THIS_M,
        "two items, every convex φ whose right slope at 0 is not negative",
        f"by hand; and {len(cases)} such φ have witnesses that the core accepts",
        (
            "Let the right slope of φ at 0 be ≥ 0. One graph with the edge 1 → 2 gives W(α) = h φ(α₁ − α₂),",
            "and by convexity φ(x) ≥ φ(0) for x > 0: so inf {W : α₁ ≤ α₂} = W*, and α₁ ≤ α₂ is wrong.",
            "If the right slope is negative, so is every slope at 0, which is all that the proofs use.",
            *checked.finding.details,
        ),
    )
    return Step(checked.stands, finding)
