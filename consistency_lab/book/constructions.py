"""A convex phi that is right, written down: a sum of four hinges whose only minimizer is alpha = (2, 1, 0).

At alpha = (2, 1, 0) the arguments of phi are -2, -1, 1 and 2. Stationary slopes g with

    g_31 < g_21, g_32 < g0 < g_12, g_23 < g_13 < 0

fit into a sum of hinges phi(x) = c_4 [2-x]_+ + c_3 [1-x]_+ + c_2 [-1-x]_+ + c_1 [-2-x]_+ with c > 0, each
slope strictly inside the kink that it belongs to. As g solves the dual problem, alpha' is a minimizer if and
only if each g_ij is a slope of phi at alpha'_i - alpha'_j; that holds at the kinks only, so (2, 1, 0) is the
only minimizer up to shifts. W is convex, so its infimum outside A(p) is above W*(p). The slopes are
polynomials in h and a small number e > 0; that they are stationary and in order is an identity.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Final, final

from consistency_lab.book.polynomials import Formula, Polynomial
from consistency_lab.book.slopes import ITEMS, SIX_EDGES, backwards, compared, stationarity
from consistency_lab.book.stored import entries
from consistency_lab.errors import RejectedError
from consistency_lab.exact import integer_multiple, simplest_between

KNOTS: Final = (2, 1, -1, -2)
"""The arguments of phi at alpha = (2, 1, 0), other than 0."""

SIGNS: Final = ("> 0", ">= 0", "evident", "any")
"""What may be known of a quantity: positive or at least 0 in this case, positive by its form, nothing."""

Weights = Mapping[str, Fraction]
"""h by edge, such as {"12": 3}."""


@final
@dataclass(frozen=True, slots=True)
class Quantity:
    """A named quantity of a construction.

    Parameters
    ----------
    name
        What it is called.
    formula
        What it is, in h, e and the quantities before it.
    sign
        One of `SIGNS`.
    """

    name: str
    formula: Formula
    sign: str


@final
@dataclass(frozen=True, slots=True)
class Construction:
    """Stationary slopes in strict order, as polynomials in h and e.

    Parameters
    ----------
    name
        The case that it is about.
    edges
        The edges that may have weights.
    positive
        The weights that are positive in this case.
    quantities
        Named quantities; the slopes g0, g12, ... are the last of them.
    gaps
        (t, u, g_u - g_t) written so that its sign is evident.
    last
        -g13, written so that its sign is evident.
    """

    name: str
    edges: tuple[str, ...]
    positive: frozenset[str]
    quantities: tuple[Quantity, ...]
    gaps: tuple[tuple[str, str, Formula], ...]
    last: Formula

    def meaning(self) -> dict[str, Polynomial]:
        """Every quantity in h and e alone, by name."""
        found: dict[str, Polynomial] = {}
        for q in self.quantities:
            found[q.name] = q.formula.polynomial.at(found)
        return found

    def holds(self) -> bool:
        """Whether the slopes are stationary, in strict order and negative, all by identities."""
        means = self.meaning()
        slots = (*self.edges, "0")
        parts = [
            *((gap, means[f"g{u}"] - means[f"g{t}"]) for t, u, gap in self.gaps),
            (self.last, -means["g13"]),
        ]
        return (
            not any(stationarity(self.edges, item).at(means) for item in ITEMS)
            and all(self._is_positive(formula.polynomial) for formula, _ in parts)
            and all(formula.polynomial.at(means) == value for formula, value in parts)
            and all(self._is_positive(q.formula.polynomial) for q in self.quantities if q.sign == "evident")
            and self._chained() >= {(t, u) for t in slots for u in slots if compared(t, u)}
        )

    def lines(self) -> tuple[str, ...]:
        """The construction in readable mathematics."""
        shown = {"> 0": " > 0", ">= 0": " ≥ 0"}
        return (
            f"{self.name}. Let e > 0 be so small that the signs below are right.",
            *(f"    {q.name} = {q.formula.readable}{shown.get(q.sign, '')}" for q in self.quantities),
            "Then S1 = S2 = S3 = 0 identically in h and e, and the slopes are in strict order:",
            *(f"    g{u} − g{t} = {gap.readable} > 0" for t, u, gap in self.gaps),
            f"    −g13 = {self.last.readable} > 0",
        )

    def at(self, h: Weights) -> Mapping[str, Fraction] | None:
        """The slopes at these weights, by edge and "0"; None if the case does not apply."""
        values = {f"h{edge}": h[edge] for edge in SIX_EDGES}
        outside = [edge for edge in SIX_EDGES if edge not in self.edges]
        if any(h[edge] for edge in outside) or any(values[symbol] <= 0 for symbol in self.positive):
            return None
        means = self.meaning()
        e = Fraction(1)
        for name in (q.name for q in self.quantities if q.sign in (">= 0", "> 0")):
            start, end = (means[name].value({**values, "e": Fraction(x)}) for x in (0, 1))
            strict = any(q.name == name and q.sign == "> 0" for q in self.quantities)
            if start < 0 or end > start or (strict and not start):
                return None
            if end < start:  # linear in e: it stays positive up to e = start / (start - end)
                e = min(e, simplest_between(start / (start - end) / 3, start / (start - end) / 2))
        return {slot: means[f"g{slot}"].value({**values, "e": e}) for slot in (*self.edges, "0")}

    def _is_positive(self, p: Polynomial) -> bool:
        """Whether it is a sum of products of nonnegative symbols, at least one product being positive."""
        above = self.positive | {"e"} | {q.name for q in self.quantities if q.sign in ("> 0", "evident")}
        known = (
            above
            | {f"h{edge}" for edge in self.edges}
            | {q.name for q in self.quantities if q.sign == ">= 0"}
        )
        return (
            p.is_nonnegative()
            and p.symbols() <= known
            and any({name for name, _ in monomial} <= above for monomial, _ in p.terms)
        )

    def _chained(self) -> set[tuple[str, str]]:
        """All pairs (t, u) with g_t < g_u by a chain of gaps."""
        reach = {(t, u) for t, u, _ in self.gaps}
        slots = (*self.edges, "0")
        for middle in slots:
            reach |= {(t, u) for t in slots for u in slots if {(t, middle), (middle, u)} <= reach}
        return reach


def sum_of_hinges(h: Weights, cases: tuple[Construction, ...]) -> str | None:
    """A convex phi, as an expression in x, that has (2, 1, 0) as its only minimizer up to shifts.

    Parameters
    ----------
    h
        The six weights, 0 where there is no edge.
    cases
        The constructions; each is also tried with the order of the items read backwards.

    Returns
    -------
    str or None
        None if no case applies.
    """
    for turned in (False, True):
        weights = {backwards(edge): h[edge] for edge in SIX_EDGES} if turned else h
        for case in cases:
            slopes = case.at(weights)
            if slopes is not None:
                there = {(backwards(slot) if turned else slot): g for slot, g in slopes.items()}
                return _hinges(there)
    return None


def _hinges(g: Mapping[str, Fraction]) -> str:
    """The sum of hinges with slope g0 around 0 and every other g strictly inside the kink of its argument."""
    near, low = max(g["12"], g["23"]), min(g["21"], g["32"])
    lowest = g.get("31", 2 * low)
    slopes = (Fraction(0), (near + g["13"]) / 2, g["0"], (low + lowest) / 2, lowest + g["0"])
    counts, _ = integer_multiple([right - left for right, left in pairwise(slopes)])
    return "+".join(f"{c}*max(0,{knot}-x)" for c, knot in zip(counts, KNOTS, strict=True))


def constructions(document: Mapping[str, object]) -> tuple[Construction, ...]:
    """Read stored constructions.

    Raises
    ------
    InputError
        If a polynomial cannot be read.
    RejectedError
        If the document is not of the right form.
    """
    return tuple(_construction(entry) for entry in entries(document, "constructions"))


def _construction(entry: Mapping[str, object]) -> Construction:
    match entry:
        case {
            "name": str(name),
            "edges": list(edges),
            "positive": list(positive),
            "gaps": list(gaps),
            "last": str(last),
        } if set(edges) <= set(SIX_EDGES):
            quantities = tuple(
                Quantity(str(q["name"]), Formula(str(q["formula"])), str(q["sign"]))
                for q in entries(entry, "quantities")
            )
            wanted = {f"g{slot}" for slot in (*edges, "0")}
            known = {q.name for q in quantities}
            if (
                known >= wanted
                and all(q.sign in SIGNS for q in quantities)
                and all(len(gap) == 3 for gap in gaps)
            ):
                return Construction(
                    name,
                    tuple(edges),
                    frozenset(map(str, positive)),
                    quantities,
                    tuple((str(t), str(u), Formula(str(gap))) for t, u, gap in gaps),
                    Formula(last),
                )
    raise RejectedError("a stored construction is not of the right form")
