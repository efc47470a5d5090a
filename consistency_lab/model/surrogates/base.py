"""What a surrogate is to the rest of the project: a sum of scalar convex terms.

Every conditional risk here reads (docs/theory.md, Surrogate risks)

    W(p, alpha) = sum_t c_t phi_t(<v_t, alpha> - b_t),   c_t > 0,

so minimizing, certifying and checking are written once, for terms.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, final

from consistency_lab.checked import checked, fitting
from consistency_lab.exact import LogRational
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.graph import PreferenceGraph
from consistency_lab.phi import Expression

ZERO: Final = LogRational(Fraction(0))


@final
@dataclass(frozen=True, slots=True)
class Term:
    """One summand ``c * phi(<v, alpha> - b)`` of a risk.

    Parameters
    ----------
    c
        Its coefficient, at least 0.
    phi
        The scalar function.
    v
        ``((item, integer), ...)`` sorted by item: the direction v, without zeros.
    b
        The offset.

    Examples
    --------
    >>> from consistency_lab.phi import parse
    >>> pair(Fraction(2), parse("exp(-x)"), 1, 0).v
    ((0, -1), (1, 1))
    """

    c: Fraction
    phi: Expression
    v: tuple[tuple[int, int], ...]
    b: LogRational = ZERO

    @property
    def key(self) -> tuple[Expression, tuple[tuple[int, int], ...], LogRational]:
        """What two terms must share to be added up."""
        return self.phi, self.v, self.b


def pair(c: Fraction, phi: Expression, i: int, j: int, b: LogRational = ZERO) -> Term:
    """The term ``c * phi(alpha_i - alpha_j - b)``."""
    if not (type(i) is type(j) is int):
        i, j = fitting(i, "i", int), fitting(j, "j", int)
    return Term(c, phi, ((i, 1), (j, -1)) if i < j else ((j, -1), (i, 1)), b)


def merged(terms: Iterable[Term]) -> tuple[Term, ...]:
    """Add up the coefficients of equal terms, drop zeros; the order of first appearance is kept."""
    total: dict[tuple[Expression, tuple[tuple[int, int], ...], LogRational], Fraction] = {}
    for term in terms:
        total[term.key] = total.get(term.key, Fraction(0)) + term.c
    return tuple(Term(c, *key) for key, c in total.items() if c)


class Surrogate(ABC):
    """A surrogate loss, known by the terms of its conditional risk.

    Write your own by deriving from `GraphSurrogate`.

    Attributes
    ----------
    name
        A short name, used in tables and in the names of witness files.
    """

    __slots__ = ()

    name: str

    @property
    def of_aggregate(self) -> bool:
        """Whether W(p, .) depends on p through its aggregate alone, but for a constant.

        Then which scores are best is told by the aggregate, and ballots can be added up before anything is
        minimized.
        """
        return False

    @property
    @abstractmethod
    def functions(self) -> tuple[Expression, ...]:
        """The scalar functions that its terms may use."""

    @abstractmethod
    def risk_terms(self, distribution: Distribution) -> tuple[Term, ...]:
        """The merged terms of W(p, .), in a canonical order."""

    @abstractmethod
    def describe(self, distribution: Distribution) -> dict[str, object]:
        """The ``surrogate`` entry of a witness file: enough to derive W(p, .) again."""


class GraphSurrogate(Surrogate):
    """A surrogate phi(alpha, G) that is given graph by graph, so W is linear in p.

    Examples
    --------
    A loss of one's own: hinge on every edge, twice as heavy on the first item.

    >>> from consistency_lab.phi import parse
    >>> class TopHeavy(GraphSurrogate):
    ...     name = "top-heavy"
    ...     functions = (parse("max(0, 1-x)"),)
    ...     def graph_terms(self, graph, m):
    ...         return [pair(w * (2 if i == 0 else 1), self.functions[0], i, j) for i, j, w in graph]
    >>> p = Distribution.of(2, [(1, {(0, 1): 3})])
    >>> TopHeavy().risk_terms(p)[0].c
    Fraction(6, 1)
    """

    __slots__ = ()

    @abstractmethod
    def graph_terms(self, graph: PreferenceGraph, m: int) -> Iterable[Term]:
        """The terms of phi(alpha, G) for one graph over m items."""

    @final
    @checked
    def risk_terms(self, distribution: Distribution) -> tuple[Term, ...]:
        return merged(
            Term(p * term.c, *term.key)
            for p, graph in zip(distribution.probabilities, distribution.graphs, strict=True)
            for term in self.graph_terms(graph, distribution.m)
        )

    @checked
    def describe(self, distribution: Distribution) -> dict[str, object]:
        entries = [merged(self.graph_terms(graph, distribution.m)) for graph in distribution.graphs]
        return graph_entries(self.name, entries, distribution.items)


def graph_entries(name: str, entries: Iterable[Iterable[Term]], items: tuple[str, ...]) -> dict[str, object]:
    """The ``surrogate`` entry of a witness file that lists the terms of each graph."""
    return {
        "family": "terms",
        "name": name,
        "terms": [
            [
                {
                    "coefficient": str(term.c),
                    "phi": str(term.phi),
                    "along": {items[i]: n for i, n in term.v},
                    "offset": str(term.b),
                }
                for term in terms
            ]
            for terms in entries
        ],
    }
