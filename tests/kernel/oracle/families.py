"""The families of surrogates: how each is read from a file, what it must be called, and its risk W(p, .).

A new family is one class and one line in `FAMILIES`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from types import MappingProxyType
from typing import Final, final

from consistency_lab.core.numbers import shown
from consistency_lab.core.reading import expression, fraction, name, one_of, record
from consistency_lab.errors import InputError, RejectedError
from consistency_lab.exact import LogRational, certainly_positive
from consistency_lab.phi import NAMED, Expression, enclose_value, exact_value, parse
from consistency_lab.proofs.format_1.distribution import Graph, Items, Matrix, difference
from consistency_lab.proofs.format_1.terms import ZERO, Term, merged, read_terms

NEGATIVE_SLOPE: Final = parse("-x")
SQUARE: Final = parse("x**2")
DEFAULT_R: Final = parse("x**2/2")
PREFIXES: Final = ("margin-", "difference-", "linear", "regression")
"""How the names of families other than edge begin; a surrogate of another kind must not be called so."""


def pair(c: Fraction, phi: Expression, i: int, j: int, b: LogRational = ZERO) -> Term:
    """``c * phi(alpha_i - alpha_j - b)``."""
    return Term(c, phi, ((i, 1), (j, -1)) if i < j else ((j, -1), (i, 1)), b)


class Family(ABC):
    """A surrogate as the file describes it."""

    name: str

    @abstractmethod
    def check_name(self) -> None:
        """Refuse a name that stands for something else (RejectedError)."""

    @abstractmethod
    def terms(self, graphs: tuple[Graph, ...], a: Matrix) -> tuple[Term, ...]:
        """The merged terms of the conditional risk, in the order of the format."""


@final
@dataclass(frozen=True, slots=True)
class Edge(Family):
    """sum over edges of h(a^G_ij) phi(alpha_i - alpha_j) (DMJ10 Eq. 9)."""

    name: str
    phi: Expression
    h: Expression

    def check_name(self) -> None:
        _same_name(self.name, _scalar_name(self.phi) + _h_suffix(self.h))

    def terms(self, graphs: tuple[Graph, ...], a: Matrix) -> tuple[Term, ...]:
        counts = _edge_counts(self.h, graphs)
        return merged(
            pair(graph.probability * counts[w], self.phi, i, j) for graph in graphs for i, j, w in graph.edges
        )


@final
@dataclass(frozen=True, slots=True)
class Margin(Family):
    """sum over edges of phi(alpha_i - alpha_j - h(a^G_ij)) (DMJ10 Eq. 13)."""

    name: str
    phi: Expression
    h: Expression

    def check_name(self) -> None:
        _same_name(self.name, "margin-" + _scalar_name(self.phi) + _h_suffix(self.h))

    def terms(self, graphs: tuple[Graph, ...], a: Matrix) -> tuple[Term, ...]:
        return merged(
            pair(graph.probability, self.phi, i, j, self._margin(w))
            for graph in graphs
            for i, j, w in graph.edges
        )

    def _margin(self, weight: Fraction) -> LogRational:
        value = exact_value(self.h, LogRational(weight))
        if value is None:
            raise RejectedError(f"h({shown(weight)}) is not known exactly")
        return value


@final
@dataclass(frozen=True, slots=True)
class Linear(Family):
    """sum over edges of a^G_ij (alpha_j - alpha_i), and nu sum_i r(alpha_i) (DMJ10 Eq. 14)."""

    name: str
    r: Expression
    nu: Fraction

    def check_name(self) -> None:
        plain = self.r == DEFAULT_R and self.nu == 1
        _same_name(self.name, "linear" if plain else f"linear with r={self.r} nu={self.nu}")

    def terms(self, graphs: tuple[Graph, ...], a: Matrix) -> tuple[Term, ...]:
        if self.nu <= 0:
            raise RejectedError(f"nu is {shown(self.nu)}; it must be positive")
        pairs = [pair(x, NEGATIVE_SLOPE, i, j) for i, line in enumerate(a) for j, x in enumerate(line) if x]
        values = [Term(self.nu, self.r, ((i, 1),), LogRational(Fraction(0))) for i in range(len(a))]
        return merged([*pairs, *values])


@final
@dataclass(frozen=True, slots=True)
class Difference(Family):
    """sum of [d_ij]_+ phi(alpha_i - alpha_j) (DMJ13)."""

    name: str
    phi: Expression

    def check_name(self) -> None:
        _same_name(self.name, "difference-" + _scalar_name(self.phi))

    def terms(self, graphs: tuple[Graph, ...], a: Matrix) -> tuple[Term, ...]:
        d = difference(a)
        return tuple(pair(x, self.phi, i, j) for i, line in enumerate(d) for j, x in enumerate(line) if x > 0)


@final
@dataclass(frozen=True, slots=True)
class Regression(Family):
    """sum_i (alpha_i - f_i(G))^2 with f_i(G) = sum_j (a^G_ij - a^G_ji) (RAT13 Theorem 6)."""

    name: str

    def check_name(self) -> None:
        _same_name(self.name, "regression")

    def terms(self, graphs: tuple[Graph, ...], a: Matrix) -> tuple[Term, ...]:
        found = []
        for graph in graphs:
            net = [Fraction(0)] * len(a)
            for i, j, weight in graph.edges:
                net[i] += weight
                net[j] -= weight
            found += [Term(graph.probability, SQUARE, ((i, 1),), LogRational(f)) for i, f in enumerate(net)]
        return merged(found)


@final
@dataclass(frozen=True, slots=True)
class Explicit(Family):
    """Terms written out graph by graph: a loss that the format has no name for."""

    name: str
    graph_terms: tuple[tuple[Term, ...], ...]

    def check_name(self) -> None:
        """Any name but one that says something."""
        if self.name.startswith(PREFIXES) or self.name in _table_names():
            raise RejectedError(
                f"the surrogate is called {shown(repr(self.name))}, but is not of that family"
            )

    def terms(self, graphs: tuple[Graph, ...], a: Matrix) -> tuple[Term, ...]:
        if len(self.graph_terms) != len(graphs):
            raise RejectedError(
                f"terms are given for {len(self.graph_terms)} graphs, but there are {len(graphs)}"
            )
        for term in (term for entry in self.graph_terms for term in entry):
            if term.c < 0:
                raise RejectedError(f"the term {shown(term)} has a negative coefficient")
        return merged(
            Term(graph.probability * term.c, term.phi, term.v, term.b)
            for graph, entry in zip(graphs, self.graph_terms, strict=True)
            for term in entry
        )


Fields = Mapping[str, object]


def _edge(fields: Fields, where: str, items: Items) -> Family:
    return Edge(name(fields["name"], f"{where}.name"), _phi(fields, where), _h(fields, where))


def _margin(fields: Fields, where: str, items: Items) -> Family:
    return Margin(name(fields["name"], f"{where}.name"), _phi(fields, where), _h(fields, where))


def _linear(fields: Fields, where: str, items: Items) -> Family:
    r, nu = expression(fields["r"], f"{where}.r"), fraction(fields["nu"], f"{where}.nu")
    return Linear(name(fields["name"], f"{where}.name"), r, nu)


def _difference(fields: Fields, where: str, items: Items) -> Family:
    return Difference(name(fields["name"], f"{where}.name"), _phi(fields, where))


def _regression(fields: Fields, where: str, items: Items) -> Family:
    one_of(fields["f"], f"{where}.f", ("net",))
    return Regression(name(fields["name"], f"{where}.name"))


def _explicit(fields: Fields, where: str, items: Items) -> Family:
    entries = fields["terms"]
    if not isinstance(entries, list):
        raise InputError(f"{where}.terms must be a list with an entry for each graph")
    terms = tuple(
        read_terms(entry, f"{where}.terms[{number}]", items) for number, entry in enumerate(entries)
    )
    return Explicit(name(fields["name"], f"{where}.name"), terms)


def _phi(fields: Fields, where: str) -> Expression:
    return expression(fields["phi"], f"{where}.phi")


def _h(fields: Fields, where: str) -> Expression:
    return expression(fields["h"], f"{where}.h", "a")


FAMILIES: Final[Mapping[str, tuple[tuple[str, ...], Callable[[Fields, str, Items], Family]]]] = (
    MappingProxyType(
        {
            "edge": (("phi", "h"), _edge),
            "margin": (("phi", "h"), _margin),
            "linear": (("r", "nu"), _linear),
            "difference": (("phi",), _difference),
            "regression": (("f",), _regression),
            "terms": (("terms",), _explicit),
        }
    )
)
"""Families by name: their keys apart from family and name, and the reader."""


def read_surrogate(value: object, where: str, items: Items) -> Family:
    """The ``surrogate`` entry."""
    family = value.get("family") if isinstance(value, dict) else None
    if isinstance(value, dict) and "family" in value:
        one_of(family, f"{where}.family", FAMILIES)
    keys, reader = FAMILIES.get(str(family), ((), _explicit))
    return reader(record(value, where, ("family", "name", *keys)), where, items)


def _edge_counts(h: Expression, graphs: tuple[Graph, ...]) -> dict[Fraction, Fraction]:
    """h(w) for each edge weight w.

    A positive factor that all edges share changes no minimizer, so where all weights are equal and h of them
    is certainly positive but not known to be rational, 1 takes its place.
    """
    weights = {w for graph in graphs for *_, w in graph.edges}
    counts: dict[Fraction, Fraction] = {}
    for w in weights:
        exact = exact_value(h, LogRational(w))
        value = None if exact is None else exact.as_rational()
        if value is None and len(weights) == 1 and certainly_positive(enclose_value(h, LogRational(w))):
            value = Fraction(1)
        if value is None:
            raise RejectedError(f"h({shown(w)}) is not known to be rational")
        if value < 0:
            raise RejectedError(f"h({shown(w)}) is {shown(value)}; it must be at least 0")
        counts[w] = value
    return counts


@lru_cache(maxsize=1)
def _table_names() -> Mapping[str, Expression]:
    """The scalar functions with a name, by name and by alias."""
    return {word: parse(entry.text) for entry in NAMED.values() for word in (entry.name, *entry.aliases)}


def _scalar_name(phi: Expression) -> str:
    """The name of a function in the table, and else its text."""
    return next((name for name in NAMED if _table_names()[name] == phi), str(phi))


def _h_suffix(h: Expression) -> str:
    text = h.text("a")
    return "" if text == "a" else f" with h={text}"


def _same_name(given: str, derived: str) -> None:
    if given != derived:
        called, right = shown(repr(given)), shown(repr(derived))
        raise RejectedError(f"the surrogate is called {called}, but by its parts it is {right}")
