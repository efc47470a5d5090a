"""Slopes of a convex phi at three items: what stationarity and monotonicity leave possible.

If alpha_1 > alpha_2 > alpha_3 is a minimizer of W = sum h_ij phi(alpha_i - alpha_j), there are slopes g_ij of
phi at alpha_i - alpha_j, and g0 = phi'(0), with

    S_i = sum_j (h_ij g_ij - h_ji g_ji) = 0 for every i,      g_31 <= g_21, g_32 <= g0 <= g_12, g_23 <= g_13.

Where alpha_1 - alpha_2 = alpha_2 - alpha_3 nothing else is known (phi may have kinks there); elsewhere more
is. So what contradicts these inequalities contradicts the minimizer wherever it lies. A contradiction is
made of multipliers that are polynomials in h: y_i for the equations and z >= 0 for the inequalities, with

    sum_i y_i S_i + sum z (g_u - g_t) = k g0      identically in g and h, and k > 0.

Then k g0 >= 0, but phi'(0) < 0.

See docs/theory.md, All convex functions at once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, final

from consistency_lab.book.polynomials import Formula, Polynomial
from consistency_lab.book.stored import entries
from consistency_lab.errors import RejectedError

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
    """Whether the argument of slope t is below that of slope u at every alpha_1 > alpha_2 > alpha_3.

    Examples
    --------
    >>> compared("31", "0"), compared("12", "23")
    (True, False)
    """
    return _LEVELS[t] < _LEVELS[u]


def stationarity(edges: Sequence[str], item: str) -> Polynomial:
    """S_i as a polynomial in h and g.

    Examples
    --------
    >>> str(stationarity(FOUR_EDGES, "1"))
    'g12*h12+g13*h13-g31*h31'
    """
    text = "".join(f"{'+' if edge[0] == item else '-'}h{edge}*g{edge}" for edge in edges if item in edge)
    return Polynomial.parse(text.removeprefix("+"))


def monotonicity(edges: Sequence[str]) -> tuple[str, ...]:
    """The inequalities between slopes, as claims."""
    slots = (*edges, "0")
    return tuple(f"g{t} <= g{u}" for t in slots for u in slots if compared(t, u))


def mirrored(p: Polynomial) -> Polynomial:
    """The polynomial for the order of the items read backwards.

    Examples
    --------
    >>> str(mirrored(Polynomial.parse("h12*g31+h21")))
    'g31*h23+h32'
    """
    names = {f"{letter}{edge}": f"{letter}{image}" for letter in "hg" for edge, image in _MIRROR.items()}
    return p.at({name: Polynomial.parse(image) for name, image in names.items()})


def backwards(edge: str) -> str:
    """The edge, or "0", for the order of the items read backwards."""
    return _MIRROR[edge]


@final
@dataclass(frozen=True, slots=True)
class Assumption:
    """A quantity that is assumed to be positive.

    Parameters
    ----------
    name
        What it is called.
    formula
        What it is, in h.
    """

    name: str
    formula: Formula


@final
@dataclass(frozen=True, slots=True)
class Contradiction:
    """Multipliers with which no slopes are possible under some assumptions on h >= 0.

    Parameters
    ----------
    name
        The condition that it is about.
    edges
        The edges that have weights.
    assumptions
        The quantities that are assumed to be positive; the first is the factor k of g0.
    balance
        The multiplier y_i of each S_i, in h.
    monotone
        (t, u, z) for z (g_u - g_t) >= 0; z in h and the assumed quantities, with nonnegative coefficients.
    """

    name: str
    edges: tuple[str, ...]
    assumptions: tuple[Assumption, ...]
    balance: Mapping[str, Formula]
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
    """The order of the slopes in one line.

    Examples
    --------
    >>> chain(FOUR_EDGES)
    'g31 ≤ g0 ≤ g12, g23 ≤ g13'
    """
    levels = sorted({_LEVELS[slot] for slot in (*edges, "0")})
    groups = [[f"g{slot}" for slot in (*edges, "0") if _LEVELS[slot] == level] for level in levels]
    return " ≤ ".join(", ".join(group) for group in groups)


def contradictions(document: Mapping[str, object]) -> tuple[Contradiction, ...]:
    """Read stored multipliers.

    Raises
    ------
    InputError
        If a polynomial cannot be read.
    RejectedError
        If the document is not of the right form.
    """
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
