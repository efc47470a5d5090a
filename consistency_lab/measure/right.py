"""Prove of many aggregates at once that the surrogate is right there: DMJ10 Definition 2 holds at p.

The complement of A(p) is covered by half-spaces {alpha_i <= alpha_j}, and W is proved to be larger on each of
them than its infimum: between strong components by the proposition of `components`, inside one by the lemma
of `ascent`. What these do not reach goes to the core, one aggregate at a time.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.certify.witness import certify
from consistency_lab.core.document import CONSISTENT_AT_P
from consistency_lab.errors import UnsupportedError
from consistency_lab.measure.ascent import is_above, propose
from consistency_lab.measure.components import Support
from consistency_lab.model.conditions.differences import has_no_cycle
from consistency_lab.model.surrogates import Surrogate, Term
from consistency_lab.search.effort import Effort
from consistency_lab.search.realize import realize
from consistency_lab.solve.optimal import optimal_orders

Integers = NDArray[np.int64]
Booleans = NDArray[np.bool_]
Floats = NDArray[np.float64]
Pair = tuple[int, int]
Part = tuple[int, ...]

_ZERO: Final = Fraction(0)
_ARGUMENT: Final = 1_000
"""Steps that it takes to check the lemma once."""


def proved_right(
    surrogate: Surrogate, support: Support, a: Integers, scores: Floats, effort: Effort
) -> Booleans:
    """Where the surrogate is proved to be right, shape (B,).

    Parameters
    ----------
    surrogate, support
        The surrogate and what is known of its terms.
    a
        Aggregates, shape (B, m, m).
    scores
        Minimizers in floats, shape (B, m); they only choose what is tried.
    effort
        Proofs stop when it has expired; what is left is not proved.

    Examples
    --------
    >>> from consistency_lab.model.surrogates import surrogate
    >>> from consistency_lab.search.realize import TermTable
    >>> s, a = surrogate("logistic"), np.array([[[0, 3, 4], [2, 0, 2], [2, 1, 0]]])
    >>> support = Support.of(TermTable(s, 3))
    >>> proved_right(s, support, a, np.array([[1.0, 0.0, -1.0]]), Effort())
    array([ True])
    """
    proved = _by_argument(support, a, scores, effort) if support.pairs else np.zeros(len(a), dtype=bool)
    for b in np.flatnonzero(~proved):
        if effort.expired:
            break
        proved[b] = _by_core(surrogate, a[b], effort)
    return proved


def _by_argument(support: Support, a: Integers, scores: Floats, effort: Effort) -> Booleans:
    together = support.together(a)
    proved = np.ones(len(a), dtype=bool)
    tasks: defaultdict[tuple[Part, Pair], list[int]] = defaultdict(list)
    for b in range(len(a)):
        for part in components(together[b]):
            pairs = _pairs_to_prove(a[b], part, scores[b])
            if pairs is None:
                proved[b] = False
            for pair in pairs or ():
                tasks[part, pair].append(b)
    for (part, (i, j)), rows in tasks.items():
        found = propose(support.table, support.table.coefficients(a[rows]), part, i, j)
        for n, b in enumerate(rows):
            if proved[b]:
                terms = _terms(support, a[b], part)
                ended = effort.expired
                effort.count(steps=_ARGUMENT)
                proved[b] = not ended and is_above(
                    terms, i, j, found.others, found.scores[n], found.direction[n]
                )
    return proved


def _by_core(surrogate: Surrogate, a: Integers, effort: Effort) -> bool:
    """Whether a certificate is found that the core accepts; trivially so where no order is wrong."""
    if (a == a.T).all():
        return True
    effort.count(certificates=1)
    try:
        found = certify(surrogate, realize(surrogate, rationals(a)))
    except UnsupportedError:
        return False
    return found is not None and found.verified.claim == CONSISTENT_AT_P


def rationals(a: Integers) -> tuple[tuple[Fraction, ...], ...]:
    """One aggregate in rationals."""
    return tuple(tuple(Fraction(int(x)) for x in row) for row in a)


def components(together: Booleans) -> list[Part]:
    """The strong components of more than one item, from `Support.together`."""
    rows = {tuple(int(k) for k in np.flatnonzero(row)) for row in together}
    return sorted(part for part in rows if len(part) > 1)


def _pairs_to_prove(a: Integers, part: Part, scores: Floats) -> list[Pair] | None:
    """Pairs (i, j) such that every order of the part with all i above their j is optimal there.

    None if the order of the scores is not optimal, so that no such pairs can be proved.
    """
    inside = [[a[i, j] for j in part] for i in part]
    d = [[row[j] - inside[j][i] for j in range(len(part))] for i, row in enumerate(inside)]
    edges = {(i, j) for i, row in enumerate(d) for j, x in enumerate(row) if x > 0}
    if not has_no_cycle(d):
        best = optimal_orders([[Fraction(int(x)) for x in row] for row in inside])
        edges = {(i, j) for i in range(len(part)) for j in range(len(part)) if best.forced(i, j)}
        nothing = [[_ZERO] * len(part) for _ in part]
        if optimal_orders(nothing, edges).count() > best.count():
            order = sorted(range(len(part)), key=lambda k: -float(scores[part[k]]))
            if not best.contains(order):
                return None
            edges = set(pairwise(order))
    return [(part[i], part[j]) for i, j in covering(edges)]


def covering(edges: Iterable[Pair]) -> list[Pair]:
    """The edges of an acyclic graph that no longer path replaces.

    Examples
    --------
    >>> covering({(0, 1), (1, 2), (0, 2)})
    [(0, 1), (1, 2)]
    """
    kept = set(edges)
    below: defaultdict[int, set[int]] = defaultdict(set)
    for i, j in kept:
        below[i].add(j)
    return sorted((i, j) for i, j in kept if not any(_reaches(below, k, j) for k in below[i] - {j}))


def _reaches(below: defaultdict[int, set[int]], i: int, j: int) -> bool:
    return i == j or any(_reaches(below, k, j) for k in tuple(below.get(i, ())))


def _terms(support: Support, a: Integers, part: Sequence[int]) -> list[Term]:
    """The terms of W inside a component, exactly."""
    table, m = support.table, support.table.m
    used = np.maximum(a - a.T, 0) if table.difference else a
    weights = [(row, int(used[row // m, row % m])) for row in range(m * m) if used[row // m, row % m]]
    found = []
    for t, term in enumerate(table.terms):
        if all(k in part for k, _ in term.v):
            c = sum((x * table.exact[row][t] for row, x in weights), _ZERO)
            if c:
                found.append(Term(c, *term.key))
    return found
