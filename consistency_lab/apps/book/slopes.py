"""Slopes of a convex phi at three items, and what the core says about every convex phi at once."""

from collections.abc import Mapping, Sequence
from functools import cache
from textwrap import wrap
from typing import Final

from consistency_lab.apps.book.polynomials import Formula, Polynomial
from consistency_lab.apps.book.risk import counted, in_words, scores_of
from consistency_lab.apps.book.statement import Line, Refutation, entries
from consistency_lab.certify.witness import Witness, certify
from consistency_lab.core.document import CONSISTENT_AT_P, INCONSISTENT
from consistency_lab.errors import RejectedError
from consistency_lab.frozen import frozen
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import Surrogate, surrogate
from consistency_lab.numbers.phi import NAMED, convexity_proof

# --- Slopes of a convex phi at three items: what stationarity and monotonicity leave possible ------------
# If alpha_1 > alpha_2 > alpha_3 is a minimizer of W = sum h_ij phi(alpha_i - alpha_j), there are slopes g_ij
# of phi at alpha_i - alpha_j, and g0 = phi'(0), with
#
#     S_i = sum_j (h_ij g_ij - h_ji g_ji) = 0 for every i,      g_31 <= g_21, g_32 <= g0 <= g_12, g_23 <=
#     g_13.
#
# Elsewhere than at alpha_1 - alpha_2 = alpha_2 - alpha_3 more is known of them. A contradiction is made of
# multipliers that are polynomials in h: sum_i y_i S_i + sum z (g_u - g_t) = k g0 identically in g and h, with
# z >= 0 and k > 0, although phi'(0) < 0. See docs/theory.md, All convex functions at once.

FOUR_EDGES: Final = ("12", "13", "23", "31")
SIX_EDGES: Final = ("12", "13", "21", "23", "31", "32")
ITEMS: Final = ("1", "2", "3")

_LEVELS: Final[Mapping[str, int]] = {"31": -2, "21": -1, "32": -1, "0": 0, "12": 1, "23": 1, "13": 2}
"""Where the arguments lie if alpha_1 - alpha_2 = alpha_2 - alpha_3 > 0."""

_MIRROR: Final[Mapping[str, str]] = {
    "0": "0",
    "12": "23",
    "13": "13",
    "21": "32",
    "23": "12",
    "31": "31",
    "32": "21",
}
"""Edge ij of three items as edge (4-j)(4-i): the order 1, 2, 3 read backwards."""


def compared(t: str, u: str) -> bool:
    """Whether the argument of slope t is below that of slope u at every alpha_1 > alpha_2 > alpha_3."""
    return _LEVELS[t] < _LEVELS[u]


def stationarity(edges: Sequence[str], item: str) -> Polynomial:
    """S_i as a polynomial in h and g."""
    text = "".join(f"{'+' if edge[0] == item else '-'}h{edge}*g{edge}" for edge in edges if item in edge)
    return Polynomial.parse(text.removeprefix("+"))


def monotonicity(edges: Sequence[str]) -> tuple[str, ...]:
    """The inequalities between slopes, as claims."""
    slots = (*edges, "0")
    return tuple(f"g{t} <= g{u}" for t in slots for u in slots if compared(t, u))


def mirrored(p: Polynomial) -> Polynomial:
    """The polynomial for the order of the items read backwards."""
    names = {f"{letter}{edge}": f"{letter}{image}" for letter in "hg" for edge, image in _MIRROR.items()}
    return p.at({name: Polynomial.parse(image) for name, image in names.items()})


def backwards(edge: str) -> str:
    """The edge, or "0", for the order of the items read backwards."""
    return _MIRROR[edge]


@frozen
class Assumption:
    """A quantity that is assumed to be positive."""

    name: str  #: What it is called.
    formula: Formula  #: What it is, in h.


@frozen
class Contradiction:
    """Multipliers with which no slopes are possible under some assumptions on h >= 0."""

    name: str  #: The condition that it is about.
    edges: tuple[str, ...]  #: The edges that have weights.
    #: The quantities that are assumed to be positive; the first is the factor k of g0.
    assumptions: tuple[Assumption, ...]
    balance: Mapping[str, Formula]  #: The multiplier y_i of each S_i, in h.
    #: (t, u, z) for z (g_u - g_t) >= 0; z in h and the assumed quantities, with nonnegative coefficients.
    monotone: tuple[tuple[str, str, Formula], ...]

    @property
    def factor(self) -> Polynomial:
        """The factor k of g0."""
        return self.assumptions[0].formula.polynomial

    @property
    def assumed(self) -> Mapping[str, Polynomial]:
        """The assumed quantities by name."""
        return {a.name: a.formula.polynomial for a in self.assumptions}

    def sign_is_evident(self) -> bool:
        """Whether every z has nonnegative symbols and coefficients, and compares slopes that are in order."""
        known = {f"h{edge}" for edge in self.edges} | set(self.assumed)
        return all(
            compared(t, u) and z.polynomial.is_nonnegative() and z.polynomial.symbols() <= known
            for t, u, z in self.monotone
        )

    def identity_holds(self) -> bool:
        """Whether sum y S + sum z (g_u - g_t) = k g0, identically in g and h."""
        total = -(self.factor * Polynomial.parse("g0"))
        for item, y in self.balance.items():
            total = total + y.polynomial * stationarity(self.edges, item)
        for t, u, z in self.monotone:
            total = total + z.polynomial.at(self.assumed) * Polynomial.parse(f"g{u}-g{t}")
        return not total

    def holds(self) -> bool:
        """Whether the multipliers prove the contradiction."""
        return self.sign_is_evident() and self.identity_holds()

    def claims(self, relation: str = ">") -> tuple[str, ...]:
        """The system that has no solution, as claims; with "=" the one where k = 0."""
        signs = [f"h{edge} >= 0" for edge in self.edges]
        first, *others = self.assumptions
        assumed = [f"{first.formula.text} {relation} 0", *(f"{a.formula.text} > 0" for a in others)]
        balanced = [f"{stationarity(self.edges, item)} = 0" for item in ITEMS]
        return (*signs, *assumed, *balanced, *monotonicity(self.edges), "g0 < 0")

    def lines(self) -> tuple[str, ...]:
        """The contradiction in readable mathematics."""
        first, *others = self.assumptions
        return (
            "Let α₁ > α₂ > α₃ be a minimizer, g_ij a slope of φ at α_i − α_j, and g0 = φ'(0) < 0. Then",
            *(f"    S{i} = {Formula(str(stationarity(self.edges, i))).readable} = 0" for i in ITEMS),
            f"    {chain(self.edges)}   (slopes of a convex function do not decrease)",
            f"{self.name}:  {first.name} = {first.formula.readable} > 0",
            *(f"    with {a.name} = {a.formula.readable} > 0" for a in others),
            "Add up",
            *(f"    ({y.readable})·S{item}" for item, y in self.balance.items()),
            *(f"    + ({z.readable})·(g{u} − g{t}), which is ≥ 0" for t, u, z in self.monotone),
            f"This is {first.name}·g0, identically in g and h. So {first.name}·φ'(0) ≥ 0, a contradiction.",
        )


def chain(edges: Sequence[str]) -> str:
    """The order of the slopes in one line."""
    levels = sorted({_LEVELS[slot] for slot in (*edges, "0")})
    groups = [[f"g{slot}" for slot in (*edges, "0") if _LEVELS[slot] == level] for level in levels]
    return " ≤ ".join(", ".join(group) for group in groups)


def contradictions(document: Mapping[str, object]) -> tuple[Contradiction, ...]:
    """Read stored multipliers."""
    return tuple(_contradiction(entry) for entry in entries(document, "contradictions"))


def _contradiction(entry: Mapping[str, object]) -> Contradiction:
    match entry:
        case {
            "name": str(name),
            "edges": list(edges),
            "assumptions": [_, *_],
            "balance": dict(balance),
            "monotone": list(monotone),
        } if set(edges) <= set(SIX_EDGES) and set(balance) <= set(ITEMS):
            rows = [row for row in monotone if len(row) == len(ITEMS) and {row[0], row[1]} <= {*edges, "0"}]
            if len(rows) == len(monotone):
                return Contradiction(
                    name,
                    tuple(edges),
                    tuple(
                        Assumption(str(a["name"]), Formula(str(a["formula"])))
                        for a in entries(entry, "assumptions")
                    ),
                    {item: Formula(str(y)) for item, y in balance.items()},
                    tuple((t, u, Formula(str(z))) for t, u, z in rows),
                )
    raise RejectedError("a stored contradiction is not of the right form")


# --- What the core says at one distribution: about every convex phi at once, and about each named one ----

_SAMPLE: Final = "logistic"
"""The loss in whose document the multipliers for every phi are handed to the core."""

_WIDTH: Final = 96


@cache
def convex_names() -> tuple[str, ...]:
    """The named scalar losses that are proved convex."""
    return tuple(name for name, row in NAMED.items() if convexity_proof(row.expression))


def from_weights(h: Mapping[str, object]) -> Distribution:
    """The distribution of three items with these weights on edges such as "12" (DMJ10 Figure 1).

    Two graphs of probability 1/2: the edges 12, 13, 23 with twice their weights, and those against them.
    """
    return Distribution.from_aggregate([[h.get(f"{i}{j}", 0) for j in range(1, 4)] for i in range(1, 4)])


def universal(p: Distribution, loss: Surrogate | None = None) -> Witness | None:
    """A document with multipliers for every convex phi that the core accepts, or None."""
    witness = certify(loss or surrogate(_SAMPLE), p, universal=True)
    return witness if witness is not None and witness.verified.universal else None


def wrong(p: Distribution, loss: Surrogate) -> Witness | None:
    """A document that the core accepts and that shows the loss to be wrong at p, or None."""
    witness = certify(loss, p)
    return witness if witness is not None and witness.verified.claim == INCONSISTENT else None


def right(p: Distribution, loss: Surrogate) -> Witness | None:
    """A document that the core accepts and that shows the loss to be right at p, or None."""
    witness = certify(loss, p)
    return witness if witness is not None and witness.verified.claim == CONSISTENT_AT_P else None


def every_convex_phi(label: str, p: Distribution, loss: Surrogate) -> Line:
    """The multipliers with which no convex phi is right at p."""
    witness = universal(p, loss)
    if witness is None:
        return Line(f"{label}: not certified", False)
    lines: list[str] = []
    for face in witness.document["proof"]["universal"]:
        y = ", ".join(face["balance"])
        z = ", ".join(f"{z}·(g{_slot(u)} − g{_slot(t)})" for t, u, z in face["monotone"])
        lines += wrap(f"y = ({y}) and {z}", _WIDTH, initial_indent="    ", subsequent_indent="        ")
    return Line(f"{label}: accepted; Σ y_i S_i + Σ z (g_u − g_t) = g0 with", True, tuple(lines))


def _slot(slot: object) -> str:
    return "".join(slot) if isinstance(slot, list) else str(slot)


Cases = Sequence[tuple[str, Distribution, Surrogate]]
"""What each is called, a distribution, and a loss."""


def witnesses(cases: Cases) -> list[dict[str, str] | Line]:
    """A line for each case in which the loss is wrong, and how many there are."""
    found = [(label, wrong(p, loss)) for label, p, loss in cases]
    strict = sum(w is not None and w.verified.failure == "strict" for _, w in found)
    lines = [
        Line(f"{label}: scores {scores_of(w)}, {w.verified.failure}, regret {w.verified.regret}", True)
        if w is not None
        else Line(f"{label}: not certified", False)
        for label, w in found
    ]
    return [{"witnesses": str(len(cases)), "strict": str(strict)}, *lines]


def where_right(loss: str, counts: str, *note: str) -> Refutation:
    """The next one in words: "linear", "12:1 23:2", and what to say of them."""
    return refuted_where_right(Distribution.from_aggregate(counted(counts)), in_words(loss), ", ".join(note))


def refuted_where_right(p: Distribution, loss: Surrogate, note: str, given: bool = True) -> Refutation:
    """Refute "no convex phi is right" at p by one that is, if what the variant assumes is given there."""
    if not given:
        return Refutation(False, f"{note}: that is not so")
    witness = right(p, loss)
    if witness is None:
        return Refutation(False, f"{note}: {loss.name} was not certified to be right")
    return Refutation(
        True,
        f"{note}: {loss.name} is right there; scores {scores_of(witness)}, and W is at least "
        f"{witness.verified.gap} larger outside A(p), accepted by the core",
    )
