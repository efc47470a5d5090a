r"""Where the minimum of W escapes to infinity, its strong components decide, exactly.

Let every term of W be c phi(alpha_i - alpha_j - b) with c > 0 and phi convex, growing without bound towards
minus infinity, and let a_ij > 0 (or d_ij > 0, if the difference graph is taken first) bring one or more such
terms, and nothing else. The support has the arc i → j then, and j → i too if phi also grows towards plus
infinity. Let
C_1, ..., C_k be the strong components, W_1, ..., W_k the terms inside them, and let each term from one
component to another never rise, be bounded below and fall strictly at alpha_i = alpha_j.

**Proposition.** Definition 2 of DMJ10 holds for W at p if and only if it holds for every W_c at p restricted
to C_c; in words: the order of the components is forced, and right.

*Proof.* Let S be the sum of the infima of the terms between components. Shifting the components apart along a
topological order of their condensation brings those terms to their infima and changes no W_c, so
W* = sum_c W_c* + S. If i → j is an arc between components, then alpha_i <= alpha_j gives
W(alpha) >= sum_c W_c* + S + c (phi(-b) - inf phi), which is more than W* by a constant: all orders that break
such an arc are far from optimal for W. Every edge of the difference graph between components is such an arc,
since a_ij > 0 there, and the loss is a sum over pairs, so an order is optimal if and only if it keeps these
edges and its restriction to each component is optimal there: each part is bounded below by its own least
loss, and all are attained at once. Hence the complement of A(p) is a union of sets on which an arc is broken
and of sets {alpha : alpha_C not in A(p|C)}; on the latter, again by shifting, the infimum of W is that of W_C
plus the other components' W_c* plus S. ∎

Inside a component all shifts are pinned by a cycle of arcs along which terms grow, so W_c is coercive up to
shifts and its minimum is attained.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.exact import LogRational, certainly_less, enclose
from consistency_lab.model.surrogates import Term
from consistency_lab.phi import enclose_slopes
from consistency_lab.search.reach import reachable
from consistency_lab.search.realize import TermTable
from consistency_lab.solve.growth import Trend, growth
from consistency_lab.solve.kinds import is_convex

Integers = NDArray[np.int64]
Booleans = NDArray[np.bool_]


@final
@dataclass(frozen=True)
class Support:
    """What the terms of a surrogate allow to be said of components.

    Parameters
    ----------
    table
        The surrogate's terms.
    pairs
        Whether all are convex functions of score differences that grow towards minus infinity: then strong
        components are meant, and inside one the minimum is attained.
    both_ways
        Whether they grow towards plus infinity too.
    """

    table: TermTable
    pairs: bool
    both_ways: bool

    @staticmethod
    def of(table: TermTable) -> "Support":
        """Find out, with proofs, how the terms grow; `pairs` is False if the proposition does not apply."""
        trends = [growth(term.phi) for term in table.terms]
        two = all(_is_difference(term) and is_convex(term.phi) for term in table.terms)
        steep = all(trend.behind is Trend.GROWS for trend in trends)
        rises = all(trend.ahead is Trend.GROWS for trend in trends)
        rests = all(trend.ahead in (Trend.RESTS, Trend.FADES) for trend in trends)
        falls = rests and all(_falls_at_tie(term) for term in table.terms)
        return Support(table, two and _own_terms(table) and steep and (rises or falls), rises)

    def together(self, a: NDArray[np.generic]) -> Booleans:
        """Entry [b, i, j]: items i and j lie in one strong component of the support of a[b].

        All are together where the proposition does not apply.
        """
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


def _is_difference(term: Term) -> bool:
    return sorted(n for _, n in term.v) == [-1, 1]


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


def _falls_at_tie(term: Term) -> bool:
    at = LogRational(-term.b.a, 1 / term.b.q)
    return certainly_less(enclose_slopes(term.phi, at)[1], enclose(Fraction(0)))
