"""What "smaller" means for a witness, how an aggregate becomes the shortest distribution, and small ones."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.certify.witness import Witness
from consistency_lab.errors import InputError, UnsupportedError
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import Surrogate, Term, family_of
from consistency_lab.model.surrogates.own import OwnSurrogate
from consistency_lab.numbers.arrays import Booleans
from consistency_lab.numbers.exact import integer_multiple
from consistency_lab.solve.kinds import Kind, kind_of
from consistency_lab.solve.numeric import RiskStructure
from consistency_lab.solve.straight import lattice_of

# --- What "smaller" means for a witness, in one place ----------------------------------------------------
# The *total weight* of a distribution is the sum of its aggregate a_ij in the smallest whole numbers with the
# same proportions: how many preferences a person has to write down. Of two witnesses the smaller one
#
# 1. has fewer items;
# 2. is a strict inversion, where the other is a tie (an inversion is wrong under every tie rule);
# 3. has the smaller total weight;
# 4. has fewer edges, that is pairs (i, j) with a_ij > 0, counted once for each graph;
# 5. has fewer graphs;
# 6. has the larger certified gap.
#
# The search keeps the smaller of two witnesses, shrinking goes on while it finds a smaller one, and
# `measure.smallest` goes through all total weights in turn, for ties and inversions alike.


@final
@dataclass(frozen=True, order=True)
class Size:
    """The size of a witness; smaller compares less, in the order of the fields."""

    items: int  #: How many items.
    tie: bool  #: Whether it is only a tie.
    weight: int  #: The total weight.
    #: How many there are.
    edges: int
    graphs: int
    minus_gap: Fraction  #: Minus the certified gap, 0 where there is none.


def size(witness: Witness) -> Size:
    """The size of a witness."""
    p = witness.distribution
    return Size(
        items=p.m,
        tie=witness.verified.failure == "tie",
        weight=total_weight(p.aggregate),
        edges=sum(len(tuple(graph)) for graph in p.graphs),
        graphs=len(p.graphs),
        minus_gap=-(witness.verified.gap or Fraction(0)),
    )


def total_weight(a: Sequence[Sequence[Fraction]]) -> int:
    """The sum of an aggregate in the smallest whole numbers with the same proportions."""
    return sum(integer_multiple(x for row in a for x in row)[0])


# --- An aggregate as the shortest distribution that a surrogate can be asked about, and as terms ---------

_WEIGHTS: Final = tuple(map(Fraction, ("1", "4", "2", "3", "9", "16", "8", "5", "10", "100", "1/4", "1/2")))


def sees_difference_only(surrogate: Surrogate) -> bool:
    """Whether opposite edges of equal weight cancel in W, up to a constant."""
    return family_of(surrogate).differences_only


def treats_items_alike(surrogate: Surrogate, m: int) -> bool:
    """Whether renaming items renames the terms of W; a user's class is compared at single edges."""
    if type(surrogate) is not OwnSurrogate:
        return True
    if not surrogate.by_graphs:
        return False
    weight = edge_weight(surrogate)
    terms = {
        (i, j): surrogate.risk_terms(Distribution.single_edges({(i, j, weight): Fraction(1)}, m))
        for i, j in permutations(range(m), 2)
    }
    for k in range(m - 1):
        name = [*range(m)]
        name[k], name[k + 1] = k + 1, k
        for (i, j), found in terms.items():
            renamed = {
                Term(term.c, term.phi, tuple(sorted((name[item], n) for item, n in term.v)), term.b)
                for term in found
            }
            if renamed != {*terms[name[i], name[j]]}:
                return False
    return True


def refuse_unequal(surrogate: Surrogate, m: int) -> None:
    """Refuse a class that aggregates up to renaming, and the terms of single edges, do not determine."""
    if type(surrogate) is OwnSurrogate and not surrogate.by_graphs:
        raise UnsupportedError(
            f"{surrogate.kind} defines its own risk_terms, so W is unknown between the distributions tried; "
            "derive from GraphSurrogate and define graph_terms"
        )
    if not treats_items_alike(surrogate, m):
        raise UnsupportedError(
            f"{surrogate.name} treats the items unequally, but this search tries distributions only up to "
            "renaming items; use check, which tries all"
        )


def edge_weight(surrogate: Surrogate) -> Fraction:
    """The weight of the single edges on which the surrogate is searched: the first that is exact for it."""
    if type(surrogate) is OwnSurrogate:
        nothing = f"{surrogate.kind} gives no terms for a graph of one edge, at any weight tried"
    else:
        nothing = f"{surrogate.name} gives every edge the weight 0; h must be positive somewhere"
    empty = 0
    for weight in _WEIGHTS:
        try:
            if surrogate.risk_terms(Distribution.single_edges({(0, 1, weight): Fraction(1)}, 2)):
                return weight
            empty += 1
        except UnsupportedError:
            continue
    if empty == len(_WEIGHTS):
        raise InputError(nothing)
    raise UnsupportedError(
        f"{surrogate.name} is not exact at any edge weight of {', '.join(map(str, _WEIGHTS))}; "
        "choose an h with rational values"
    )


def realize(surrogate: Surrogate, a: Sequence[Sequence[Fraction | int]]) -> Distribution:
    """A distribution with an aggregate proportional to `a`: two graphs, or single edges where h matters."""
    if surrogate.of_aggregate:
        return Distribution.from_aggregate(a)
    weight = edge_weight(surrogate)
    return Distribution.single_edges(
        {(i, j, weight): Fraction(x) for i, row in enumerate(a) for j, x in enumerate(row) if x}, len(a)
    )


@final
class TermTable:
    """The terms of W for aggregates over m items: coefficients C = U M, linear in the edges U."""

    def __init__(self, surrogate: Surrogate, m: int) -> None:
        weight = Fraction(1) if surrogate.of_aggregate else edge_weight(surrogate)
        self.m = m
        self.difference = family_of(surrogate).takes_differences
        columns: dict[tuple[object, ...], int] = {}
        self.terms: list[Term] = []  # with coefficient 1
        entries: list[tuple[int, int, Fraction]] = []
        for i in range(m):
            for j in range(m):
                if i == j:
                    continue
                atom = Distribution.single_edges({(i, j, weight): Fraction(1)}, m)
                for term in surrogate.risk_terms(atom):
                    if term.key not in columns:
                        columns[term.key] = len(self.terms)
                        self.terms.append(Term(Fraction(1), *term.key))
                    entries.append((i * m + j, columns[term.key], term.c))
        # M in floats and in rationals; row i * m + j belongs to the edge i → j.
        self.matrix = np.zeros((m * m, len(self.terms)))
        self.exact: list[list[Fraction]] = [[Fraction(0)] * len(self.terms) for _ in range(m * m)]
        for row, column, c in entries:
            self.matrix[row, column] += float(c)
            self.exact[row][column] += c
        self.structure = RiskStructure.of(self.terms, m)
        kinds = {kind_of(term.phi) for term in self.terms}
        # Whether thousands can be minimized at once; else each takes milliseconds.
        self.batched = kinds <= {Kind.SMOOTH, Kind.STRAIGHT} or lattice_of(self.structure) is not None

    def coefficients(self, a: NDArray[np.generic]) -> NDArray[np.float64]:
        """C of shape (B, T) for aggregates (B, m, m)."""
        u = np.asarray(a, dtype=float)
        if self.difference:
            u = np.maximum(u - u.transpose(0, 2, 1), 0.0)
        return np.asarray(u.reshape(len(u), -1) @ self.matrix)


# --- Small distributions that fool losses: these are tried before any search -----------------------------

UNIVERSAL_AGGREGATE: Final[tuple[tuple[Fraction, ...], ...]] = tuple(
    tuple(Fraction(x) for x in row) for row in ((0, 3, 8), (0, 0, 1), (4, 0, 0))
)
"""Additive differences (d = 3, 1, 4) that satisfy Condition 1 of DMJ10 Lemma 10, 1 < 4 * 3 / (8 + 3):
every convex edge loss fails there."""

# fmt: off
KNOWN: Final[tuple[tuple[tuple[int, ...], ...], ...]] = (
    ((0, 1, 0), (0, 0, 1), (1, 0, 0)),
    ((0, 0, 1), (0, 0, 3), (0, 2, 0)),
    ((0, 2, 0), (1, 0, 4), (0, 1, 0)),
    ((0, 2, 3), (1, 0, 1), (1, 0, 0)),
    ((0, 2, 1), (1, 0, 3), (2, 0, 0)),
    ((0, 1, 5), (0, 0, 2), (2, 0, 0)),
    ((0, 2, 0), (1, 0, 6), (0, 1, 0)),
    ((0, 3, 5), (0, 0, 1), (1, 0, 0)),
    ((0, 6, 1), (0, 0, 2), (0, 1, 0)),
    ((0, 1, 6), (0, 0, 2), (3, 0, 0)),
    ((0, 2, 6), (0, 0, 1), (3, 0, 0)),
    ((0, 3, 6), (0, 0, 1), (2, 0, 0)),
    ((0, 1, 7), (0, 0, 3), (3, 0, 0)),
    ((0, 5, 3), (0, 0, 3), (2, 2, 0)),
    ((0, 1, 8), (0, 0, 3), (4, 0, 0)),
    ((0, 3, 8), (0, 0, 1), (4, 0, 0)),
    ((0, 3, 3), (2, 0, 8), (1, 4, 0)),
    ((0, 5, 6), (3, 0, 5), (2, 3, 0)),
    ((0, 5, 7), (3, 0, 8), (1, 0, 0)),
    ((0, 36, 45), (24, 0, 40), (15, 20, 0)),
    ((0, 80, 84), (60, 0, 315), (21, 105, 0)),
    ((0, 2, 6, 3), (1, 0, 2, 9), (3, 1, 0, 6), (0, 0, 3, 0)),
    ((0, 7, 7, 12), (6, 0, 11, 8), (6, 2, 0, 13), (1, 5, 0, 0)),
    ((0, 4, 4, 24), (3, 0, 18, 9), (1, 6, 0, 18), (2, 1, 6, 0)),
    ((0, 24, 3, 36), (10, 0, 5, 5), (1, 4, 0, 28), (3, 1, 7, 0)),
    ((0, 12, 12, 23), (11, 0, 20, 15), (11, 3, 0, 23), (0, 8, 0, 0)),
    ((0, 12, 4, 48), (11, 0, 44, 11), (1, 12, 0, 42), (4, 1, 14, 0)),
    ((0, 38, 72, 67), (36, 0, 66, 74), (2, 8, 0, 74), (7, 0, 0, 0)),
    ((0, 12, 4, 192), (11, 0, 165, 11), (1, 45, 0, 153), (16, 1, 51, 0)),
    ((0, 68, 74, 134), (66, 0, 73, 96), (60, 61, 0, 86), (0, 38, 48, 0)),
)
# fmt: on
"""For each loss with a name, and each of the narrowest pairs of a condition and a design under which it
fails, the lightest aggregate that was found, the best item first; what fools one loss often fools another."""

# Two items whose edges have different weights show what no distribution on equal weights shows.
# An edge loss with another h than a weighs p h(v) against (1 - p) h(w) where the target weighs p v against
# (1 - p) w; the signs differ for some p unless h(v)/v = h(w)/w.

_UNEQUAL: Final = (1, 2, 4, 9)
_SHARES: Final = tuple(Fraction(k, 8) for k in range(1, 8))


def two_items() -> Iterator[Distribution]:
    """Distributions on an edge of weight v from the first item and one of weight w != v from the second."""
    for v, w in permutations(_UNEQUAL, 2):
        for p in _SHARES:
            if p * v != (1 - p) * w:
                yield Distribution.of(2, [(p, {(0, 1): v}), (1 - p, {(1, 0): w})])


# --- Which vertices of many small graphs are joined by paths ---------------------------------------------


def reachable(arcs: Booleans) -> Booleans:
    """Entry [b, i, j]: in graph b a path leads from i to j; one of no arcs leads from i to i."""
    m = arcs.shape[1]
    reach = arcs | np.eye(m, dtype=bool)
    for _ in range(m.bit_length()):
        reach = np.matmul(reach.astype(np.uint8), reach.astype(np.uint8)) > 0
    return np.asarray(reach)
