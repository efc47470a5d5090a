"""What refutes the false variants of the page on edge and margin losses, and its distributions."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from consistency_lab.apps.book.risk import refuted_where_right, weighted
from consistency_lab.apps.book.statement import Refutation
from consistency_lab.model.conditions import condition, conditions_of
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.properties import ASSUMPTION_A, Status, properties
from consistency_lab.model.surrogates import surrogate
from consistency_lab.numbers.phi import parse

# --- DMJ10 Lemma 10: on four edges, two conditions on h under which no convex phi is right ---------------
# Three items, weights on 12, 13, 23 and 31 only. What is more is in `four-edges`: the conditions with <= are
# necessary as well.


def printed_conditions(p: Distribution) -> tuple[bool, bool]:
    """Conditions 1 and 2 at a p of three items, for h(a) = a."""
    (_, h12, h13), (_, _, h23), (h31, _, _) = p.aggregate
    return h23 * (h13 + h12) < h31 * h12, h12 * (h13 + h23) < h31 * h23


def reversed_conditions() -> Refutation:
    p = weighted("12:1 13:2 23:1 31:1")
    note = "h12, h13, h23, h31 = 1, 2, 1, 1: h23 = 1 > 1/3 = h31 h12/(h13+h12), and so for Condition 2"
    return refuted_where_right(p, surrogate("logistic"), note, not any(printed_conditions(p)))


RISING: Final = "91*max(0,2+x)+27*max(0,1+x)+61*max(0,x-1)+127*max(0,x-2)"
"""A convex phi that rises at 0: chi(-x) for a chi that is right at the next weights turned round."""


def rising_case() -> Distribution:
    """A distribution with Condition 1 for h = a**2: h12, h13, h23, h31 = 1/5, 2, 1/4, 5."""
    one = Fraction(1)
    return Distribution.single_edges(
        {
            (0, 1, one): Fraction(1, 5),
            (1, 2, one): Fraction(1, 4),
            (0, 2, 2 * one): Fraction(1, 2),
            (2, 0, 10 * one): Fraction(1, 20),
        },
        3,
    )


def rising() -> Refutation:
    note = "h(a) = a², h12, h13, h23, h31 = 1/5, 2, 1/4, 5, and a13 = 1 > a31 = 1/2; a phi with phi'(0) > 0"
    return refuted_where_right(rising_case(), surrogate(phi=RISING, h="a**2"), note)


def heavy_back_edge() -> Refutation:
    p = weighted("12:1 13:1 23:2 31:3")
    note = "h12, h13, h23, h31 = 1, 1, 2, 3, where 2, 3, 1 is the optimal order; Condition 2 is 1 < 2"
    return refuted_where_right(p, surrogate("logistic"), note, any(printed_conditions(p)))


# --- DMJ10 Theorem 11: edge losses with convex phi are inconsistent even under low noise -----------------

_HALF: Final = Fraction(1, 2)


def two_graphs(edges: Mapping[str, Fraction]) -> Distribution:
    """G1 = {12, 13} and G2 = {23, 31} with these weights and probability 1/2 each (proof of Theorem 11)."""
    first = {(0, 1): edges["12"], (0, 2): edges["13"]}
    second = {(1, 2): edges["23"], (2, 0): edges["31"]}
    return Distribution.of(3, [(_HALF, first), (_HALF, second)])


def _edges(a12: str, a13: str, a23: str, a31: str) -> dict[str, Fraction]:
    return {"12": Fraction(a12), "13": Fraction(a13), "23": Fraction(a23), "31": Fraction(a31)}


def heavy() -> Refutation:
    p = two_graphs(_edges("1", "9", "4", "1"))
    note = "h(a) = a, a12, a13, a23, a31 = 1, 9, 4, 1, low-noise, but a23 is not light"
    return refuted_where_right(p, surrogate("logistic"), note, condition("low-noise").holds(p.difference))


def printed_choice() -> dict[str, bool]:
    """The noise conditions at weights that the printed proof allows."""
    return conditions_of(two_graphs(_edges("2", "3", "1/4", "5/2")).difference)


def printed_weights() -> Refutation:
    held = printed_choice()
    return Refutation(
        not held["low-noise"] and held["acyclic"],
        "a12, a13, a23, a31 = 2, 3, 1/4, 5/2: a13 > a12, a13 > a31 and a23 <= (a13 − a12)/2, but "
        "d12 = 1, d23 = 1/8, d13 = 1/4, so d13 < d12 + d23",
    )


# --- DMJ10 Theorem 12: margin losses with convex phi are inconsistent even under low noise ---------------

PROBABILITIES: Final[Mapping[tuple[int, int], Fraction]] = {
    (0, 1): Fraction(25, 100),
    (1, 2): Fraction(1, 100),
    (0, 2): Fraction(50, 100),
    (2, 0): Fraction(24, 100),
}
"""p = (.25, .01, .5, .24) on the edges 12, 23, 13, 31."""


def single_edges(weight: Fraction, p: Mapping[tuple[int, int], Fraction] = PROBABILITIES) -> Distribution:
    """The four graphs, all edges of this weight."""
    return Distribution.single_edges({(i, j, weight): q for (i, j), q in p.items()}, 3)


def _with_chances(*percent: int) -> Distribution:
    """The four graphs with other probabilities of the edges 12, 23, 13, 31."""
    chances = (Fraction(n, 100) for n in percent)
    return single_edges(Fraction(1), dict(zip(PROBABILITIES, chances, strict=True)))


def as_printed() -> dict[str, bool]:
    """The noise conditions if .01 belongs to the edge 13 and .5 to the edge 23."""
    p = {**PROBABILITIES, (0, 2): PROBABILITIES[1, 2], (1, 2): PROBABILITIES[0, 2]}
    return conditions_of(single_edges(Fraction(1), p).difference)


def printed_edges() -> Refutation:
    held = as_printed()
    witness = "d12 = .25, d23 = .5, d31 = .24 − .01 = .23: the difference graph is the cycle 1 → 2 → 3 → 1"
    return Refutation(not held["acyclic"], witness)


def other_probabilities() -> Refutation:
    p, note = _with_chances(25, 25, 45, 5), "p = (.25, .25, .45, .05)"
    return refuted_where_right(p, surrogate("margin-logistic"), note)


# --- DMJ13's inconsistency theorems: DMJ10 Theorems 11 and 12 without Assumption A ------------------------


def convexity_is_not_enough() -> Refutation:
    phi = parse("max(0-x,0-2*x)")
    found = properties(phi)
    refuted = found[ASSUMPTION_A].status is Status.REFUTED and found["convex"].status is Status.PROVED
    return Refutation(refuted, f"phi = {phi} is convex, and {found[ASSUMPTION_A].value}")


# --- Ours: both already hold under additive noise, the smallest of the five conditions -------------------


def any_additive_edges() -> Refutation:
    p = Distribution.from_aggregate([[0, 3, 5], [0, 0, 1], [1, 0, 0]])
    note = "a12, a13, a23, a31 = 3, 5, 1, 1, additive"
    return refuted_where_right(p, surrogate("logistic"), note, condition("additive").holds(p.difference))


def any_additive_margins() -> Refutation:
    p, note = _with_chances(30, 10, 50, 10), "p = (.3, .1, .5, .1), additive"
    given = condition("additive").holds(p.difference)
    return refuted_where_right(p, surrogate("margin-logistic"), note, given)
