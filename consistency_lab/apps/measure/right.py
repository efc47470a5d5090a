"""Prove of many aggregates at once that the surrogate is right there."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise, permutations
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.certify.witness import certify
from consistency_lab.core.document import CONSISTENT_AT_P
from consistency_lab.core.orders import Pair, closure
from consistency_lab.errors import UnsupportedError
from consistency_lab.frozen import frozen
from consistency_lab.model.conditions import has_no_cycle
from consistency_lab.model.surrogates import Surrogate, Term
from consistency_lab.numbers.arrays import Booleans, Floats, Whole
from consistency_lab.numbers.exact import ZERO, Ball, LogRational, certainly_less, enclose
from consistency_lab.numbers.phi import Expression, enclose_slopes
from consistency_lab.search.effort import LARGEST, SINGLY, Effort
from consistency_lab.search.forward import TIE_GAP, Space, compare_with_optimum
from consistency_lab.search.size import TermTable, reachable, realize
from consistency_lab.solve.batch import minimize_batch
from consistency_lab.solve.connectivity import Trend, growth
from consistency_lab.solve.kinds import is_convex
from consistency_lab.solve.numeric import RiskStructure, compiled
from consistency_lab.solve.optimal import optimal_orders

# --- W is larger wherever alpha_i <= alpha_j: exact proofs from one rational point -----------------------
# The lemma of docs/theory.md, Glued items. Slopes are enclosed by balls.


_STEPS: Final = (8, 16, 24, 34)
"""Points are tried at these negative powers of two as distances, coarse ones first."""

_FINER: Final = 7
"""Binary digits beyond the distance to which they are rounded."""

_LEVENBERG: Final = 1e-12


@final
@dataclass(frozen=True, eq=False)
class Proposals:
    """Points below the minimizers of glued risks, in floats: for many risks and one pair (i, j)."""

    others: tuple[int, ...]  #: The items of the component but i and j.
    #: Shape (B, len(others)): the minimizer with i and j at zero, and u of largest entry 1.
    scores: Floats
    direction: Floats


def glued_minima(table: TermTable, C: Floats, part: Sequence[int], i: int, j: int) -> Proposals:
    """Minimize the risks of the terms inside `part`, a strong component, with its items i and j glued.

    The terms are functions of score differences, with coefficients C of shape (B, T).
    """
    others = tuple(k for k in part if k not in (i, j))
    place = {k: n + 1 for n, k in enumerate(others)} | {i: 0, j: 0}
    chosen: list[int] = []
    glued: list[Term] = []
    for t, term in enumerate(table.terms):
        if all(k in place for k, _ in term.v) and {k for k, _ in term.v} != {i, j}:
            v = tuple(sorted((place[k], n) for k, n in term.v))
            chosen.append(t)
            glued.append(Term(Fraction(1), term.phi, v, term.b))
    if not others or not glued:
        return Proposals(others, np.zeros((len(C), len(others))), np.zeros((len(C), len(others))))
    structure = RiskStructure.of(glued, len(others) + 1)
    # Gluing makes some terms equal; a structure lists them in order of first appearance.
    columns: dict[object, int] = {}
    for term in glued:
        columns.setdefault(term.key, len(columns))
    gather = np.zeros((len(chosen), len(columns)))
    gather[np.arange(len(chosen)), [columns[term.key] for term in glued]] = 1.0
    coefficients = C[:, chosen] @ gather
    minimizers = minimize_batch(structure, coefficients).scores
    scores = minimizers[:, 1:] - minimizers[:, :1]
    return Proposals(others, scores, _direction(structure, coefficients, scores))


def _direction(structure: RiskStructure, C: Floats, scores: Floats) -> Floats:
    """The solution u of (Hessian) u = 1 at each minimizer, scaled to a largest entry of 1."""
    n = scores.shape[1]
    at = np.concatenate([np.zeros((len(scores), 1)), scores], axis=1) @ structure.V.T - structure.b
    curvature = np.zeros_like(at)
    for k, phi in enumerate(structure.functions):
        mine = structure.function_index == k
        curvature[:, mine] = compiled(phi)(at[:, mine])[2]
    V = structure.V[:, 1:].astype(np.float64)
    hessian = np.einsum("bt,tk,tl->bkl", C * curvature, V, V)
    largest = np.abs(hessian).max(axis=(1, 2), keepdims=True)
    hessian += (_LEVENBERG * largest + np.finfo(float).tiny) * np.eye(n)
    u = np.linalg.solve(hessian, np.ones((len(scores), n, 1)))[:, :, 0]
    u = np.where(np.isfinite(u) & (u > 0), u, 1.0)
    return np.asarray(u / u.max(axis=1, keepdims=True))


def is_above(
    terms: Sequence[Term], i: int, j: int, others: Sequence[int], scores: Floats, direction: Floats
) -> bool:
    """Prove that inf {W : alpha_i <= alpha_j} > inf W by the lemma; False if that fails.

    The terms are proved convex, and W is coercive up to shifts. The scores are the glued minimizer in floats
    on the `others`, to be left in the given direction.
    """
    if not np.isfinite(scores).all():
        return False
    for step in _STEPS if len(others) else _STEPS[:1]:
        scale = 2 ** (step + _FINER)
        floats = scores - direction * 2.0**-step
        z = {k: Fraction(round(float(x) * scale), scale) for k, x in zip(others, floats, strict=True)}
        if _holds(terms, i, j, z):
            return True
    return False


def _holds(terms: Sequence[Term], i: int, j: int, z: dict[int, Fraction]) -> bool:
    """The two hypotheses of the lemma at z."""
    zero = enclose(0)
    at = {i: Fraction(0), j: Fraction(0), **z}
    gradient = dict.fromkeys(z, zero)
    rise = zero
    for term in terms:
        (u, n), (v, _) = term.v
        up, down = (u, v) if n > 0 else (v, u)
        left, right = _slopes(term.phi, at[up] - at[down], term.b)
        c = enclose(term.c)
        if up in z:
            gradient[up] += c * left
        if down in z:
            gradient[down] -= c * left
        if up == i:
            rise += c * right
        if down == i:
            rise -= c * left
    return certainly_less(rise, zero) and all(bool(g <= zero) for g in gradient.values())


@lru_cache(maxsize=1 << 16)
def _slopes(phi: Expression, x: Fraction, b: LogRational) -> tuple[Ball, Ball]:
    return enclose_slopes(phi, LogRational(x - b.a, 1 / b.q))


# --- Where the minimum of W escapes to infinity, its strong components decide, exactly -------------------
# The proposition of docs/theory.md, Components.


@frozen
class Support:
    """What the terms of a surrogate prove about components."""

    table: TermTable  #: The surrogate's terms.
    #: Whether all are convex functions of score differences that grow towards minus infinity: then strong
    #: components are meant, and inside one the minimum is attained.
    pairs: bool
    both_ways: bool  #: Whether they grow towards plus infinity too.

    @staticmethod
    def of(table: TermTable) -> "Support":
        """Prove how the terms grow; `pairs` is False if the proposition does not apply."""
        trends = [growth(term.phi) for term in table.terms]
        two = all(sorted(n for _, n in term.v) == [-1, 1] and is_convex(term.phi) for term in table.terms)
        steep = all(trend.behind is Trend.GROWS for trend in trends)
        rises = all(trend.ahead is Trend.GROWS for trend in trends)
        rests = all(trend.ahead in (Trend.RESTS, Trend.FADES) for trend in trends)
        ties = ((term.phi, LogRational(-term.b.a, 1 / term.b.q)) for term in table.terms)
        falls = rests and all(certainly_less(enclose_slopes(phi, at)[1], enclose(0)) for phi, at in ties)
        return Support(table, two and _own_terms(table) and steep and (rises or falls), rises)

    def together(self, a: NDArray[np.generic]) -> Booleans:
        """Entry [b, i, j]: i and j lie in one strong component of a[b], or the proposition does not apply."""
        m = self.table.m
        if not self.pairs:
            return np.ones((len(a), m, m), dtype=bool)
        used = np.asarray(a) > 0
        if self.table.difference:
            used = np.asarray(a) > np.asarray(a).transpose(0, 2, 1)
        if self.both_ways:
            used = used | used.transpose(0, 2, 1)
        reach = reachable(used)
        return np.asarray(reach & reach.transpose(0, 2, 1))


def _own_terms(table: TermTable) -> bool:
    """Whether each edge i → j brings terms of alpha_i - alpha_j, and no others."""
    for i in range(table.m):
        for j in range(table.m):
            row = table.exact[i * table.m + j]
            brought = [term for term, c in zip(table.terms, row, strict=True) if c]
            if i != j and not (
                brought and min(row) >= 0 and all((i, 1) in t.v and (j, -1) in t.v for t in brought)
            ):
                return False
    return True


# --- Whole-number aggregates of a condition by total weight, each once up to relabeling of the items -----


def orbits_of_weight(aggregates: Space, total: int) -> Whole:
    """One aggregate of each class and of this total weight, shape (B, m, m), in a fixed order.

    Multiples of smaller aggregates are the same distributions and are left out. A condition does not depend
    on the names of the items, and neither does what DMJ10 Definition 2 says of p: the closure of the
    complement of A(p) consists of the closed cones of the orders that are not optimal, however ties are
    broken.
    """
    blocks = [block for block in aggregates.of_weight(total) if len(block)]
    if not blocks:
        return np.zeros((0, aggregates.m, aggregates.m), dtype=np.int64)
    block = np.concatenate(blocks)
    _, first = np.unique(_representatives(block), axis=0, return_index=True)
    return np.asarray(block[np.sort(first)])


def relabeled(a: NDArray[Any], order: tuple[int, ...]) -> NDArray[Any]:
    """The aggregates (B, m, m) with item order[k] renamed to k."""
    where = np.array(order)
    return np.asarray(a[:, where[:, None], where])


@lru_cache(maxsize=LARGEST)
def relabelings(m: int) -> tuple[tuple[int, ...], ...]:
    """All orders of m items, m at most `LARGEST`."""
    return tuple(permutations(range(m)))


def _representatives(a: Whole) -> Whole:
    """The lexicographically least relabeling of each, shape (B, m * m)."""
    best = a.reshape(len(a), -1)
    for order in relabelings(a.shape[1])[1:]:
        trial = relabeled(a, order).reshape(len(a), -1)
        differs = trial != best
        first = differs.argmax(axis=1)
        rows = np.arange(len(a))
        smaller = differs[rows, first] & (trial[rows, first] < best[rows, first])
        best = np.where(smaller[:, None], trial, best)
    return best


# --- Floats propose: which aggregates look wrong, under the unluckiest numbering of the items ------------

Aggregates = NDArray[Any]

NEARLY_TIED: Final = TIE_GAP
"""Scores closer than this may be tied; exact arithmetic decides."""

SURELY_TIED: Final = 1e-12
"""For samples that nothing checks again: piecewise linear risks tie exactly, others with probability 0."""


@final
@dataclass(frozen=True, eq=False)
class Screened:
    """Aggregates with their minimizers in floats, and whether these look wrong."""

    a: Aggregates  #: Shape (B, m, m): the aggregates, their items renumbered where ties are wrong only then.
    #: Shape (B, m): minimizers; each strong component has its own where the minimum is not attained.
    scores: Floats
    #: Shape (B,): wrong when ties are broken badly; wrong however they are broken.
    wrong: Booleans
    strict: Booleans
    regret: Floats  #: Shape (B,): what the order costs, as a share of the total weight.


def screened(support: Support, a: Aggregates, effort: Effort, tie: float = NEARLY_TIED) -> Screened:
    """Minimize W for every aggregate and compare the orders; edges between components are right anyway."""
    table = support.table
    together = support.together(a)
    inside = a * together
    if not len(a):
        none = np.zeros(0, dtype=bool)
        return Screened(a, np.zeros((0, table.m)), none, none, np.zeros(0))
    # The comparison has one tolerance: scores are scaled to have another.
    scores = minimize_batch(table.structure, table.coefficients(inside)).scores * (TIE_GAP / tie)
    effort.count(distributions=len(a), each=1 if table.batched else SINGLY)
    first = compare_with_optimum(inside, scores)
    wrong, regret = first.wrong.copy(), first.regret.copy()
    numbered, scored = a.copy(), scores.copy()
    numbering = _numbering_matters(inside, together, scores)
    for order in relabelings(table.m)[1:]:
        rows = np.flatnonzero(~wrong & numbering)
        if not len(rows):
            break
        again = compare_with_optimum(relabeled(inside[rows], order), scores[rows][:, order])
        worse = rows[again.wrong]
        wrong[worse] = True
        regret[worse] = again.regret[again.wrong]
        numbered[worse] = relabeled(a[worse], order)
        scored[worse] = scores[worse][:, order]
    share = regret / np.maximum(a.sum(axis=(1, 2)), np.finfo(float).tiny)
    return Screened(numbered, scored * (tie / TIE_GAP), wrong, first.strict, share)


def _numbering_matters(inside: Aggregates, together: Booleans, scores: Floats) -> Booleans:
    """Where a tie may be wrong under another numbering only: it is broken for the worse along the edges."""
    along = (np.triu(inside - inside.transpose(0, 2, 1)) >= 0).all(axis=(1, 2))
    gaps = np.abs(scores[:, :, None] - scores[:, None, :])
    pairs = together & ~np.eye(scores.shape[1], dtype=bool)
    return np.asarray(~along & (pairs & (gaps <= TIE_GAP)).any(axis=(1, 2)))


# --- Proofs for many aggregates at once that DMJ10 Definition 2 holds ------------------------------------
# The complement of A(p) is covered by half-spaces {alpha_i <= alpha_j}, and W is proved to be larger on each
# of them than its infimum: between strong components as in docs/theory.md, Components, inside one as
# in Glued items. What these do not reach goes to the core, one aggregate at a time.

Component = tuple[int, ...]

_ARGUMENT: Final = 1_000
"""Steps that it takes to check the lemma once."""


def where_proved_right(
    surrogate: Surrogate, support: Support, a: Whole, scores: Floats, effort: Effort
) -> Booleans:
    """Where the surrogate is proved to be right, shape (B,).

    The scores, minimizers in floats, only choose what is tried. When the effort has expired, what is left is
    not proved.
    """
    proved = _by_argument(support, a, scores, effort) if support.pairs else np.zeros(len(a), dtype=bool)
    for b in np.flatnonzero(~proved):
        if effort.expired:
            break
        proved[b] = _by_core(surrogate, a[b], effort)
    return proved


def _by_argument(support: Support, a: Whole, scores: Floats, effort: Effort) -> Booleans:
    together = support.together(a)
    proved = np.ones(len(a), dtype=bool)
    tasks: defaultdict[tuple[Component, Pair], list[int]] = defaultdict(list)
    for b in range(len(a)):
        for part in components(together[b]):
            pairs = _pairs_to_prove(a[b], part, scores[b])
            if pairs is None:
                proved[b] = False
            for pair in pairs or ():
                tasks[part, pair].append(b)
    for (part, (i, j)), rows in tasks.items():
        minima = glued_minima(support.table, support.table.coefficients(a[rows]), part, i, j)
        for n, b in enumerate(rows):
            if proved[b]:
                terms = _terms(support, a[b], part)
                ended = effort.expired
                effort.count(steps=_ARGUMENT)
                proved[b] = not ended and is_above(
                    terms, i, j, minima.others, minima.scores[n], minima.direction[n]
                )
    return proved


def _by_core(surrogate: Surrogate, a: Whole, effort: Effort) -> bool:
    """Whether the core accepts a certificate; trivially so if no order is wrong."""
    if (a == a.T).all():
        return True
    effort.count(certificates=1)
    try:
        witness = certify(surrogate, realize(surrogate, rationals(a)))
    except UnsupportedError:
        return False
    return witness is not None and witness.verified.claim == CONSISTENT_AT_P


def rationals(a: Whole) -> tuple[tuple[Fraction, ...], ...]:
    """One aggregate in rationals."""
    return tuple(tuple(Fraction(int(x)) for x in row) for row in a)


def components(together: Booleans) -> list[Component]:
    """The strong components of more than one item, from `Support.together`."""
    rows = {tuple(int(k) for k in np.flatnonzero(row)) for row in together}
    return sorted(part for part in rows if len(part) > 1)


def _pairs_to_prove(a: Whole, part: Component, scores: Floats) -> list[Pair] | None:
    """Pairs (i, j) such that every order of the part with all i above their j is optimal there."""
    inside = [[a[i, j] for j in part] for i in part]
    d = [[row[j] - inside[j][i] for j in range(len(part))] for i, row in enumerate(inside)]
    edges = {(i, j) for i, row in enumerate(d) for j, x in enumerate(row) if x > 0}
    if not has_no_cycle(d):
        best = optimal_orders([[Fraction(int(x)) for x in row] for row in inside])
        edges = {(i, j) for i in range(len(part)) for j in range(len(part)) if best.forced(i, j)}
        nothing = [[ZERO] * len(part) for _ in part]
        if optimal_orders(nothing, edges).count() > best.count():
            order = sorted(range(len(part)), key=lambda k: -float(scores[part[k]]))
            if not best.contains(order):
                return None
            edges = set(pairwise(order))
    return [(part[i], part[j]) for i, j in covering(edges)]


def covering(edges: Iterable[Pair]) -> list[Pair]:
    """The edges of an acyclic graph that no longer path replaces."""
    kept = sorted(edges)
    below = closure(1 + max((max(edge) for edge in kept), default=-1), kept)
    return [(i, j) for i, j in kept if not any(below[i] >> k & below[k] >> j & 1 for k in range(len(below)))]


def _terms(support: Support, a: Whole, part: Sequence[int]) -> list[Term]:
    """The terms of W inside a component, exactly."""
    table, m = support.table, support.table.m
    used = np.maximum(a - a.T, 0) if table.difference else a
    weights = [(row, int(used[row // m, row % m])) for row in range(m * m) if used[row // m, row % m]]
    terms = []
    for t, term in enumerate(table.terms):
        if all(k in part for k, _ in term.v):
            c = sum((x * table.exact[row][t] for row, x in weights), ZERO)
            if c:
                terms.append(Term(c, *term.key))
    return terms
