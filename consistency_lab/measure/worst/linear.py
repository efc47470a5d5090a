"""Surrogates whose minimizer orders the items by their net preference sum_j d_ij: the worst case is exact.

The value-regularized linear loss (DMJ10 Eq. 15: alpha_i = (r')^{-1}(sum_j d_ij / nu), r' increasing) and the
regression on the net preference (RAT13 Theorem 6). On one shape and one order of the net preferences, the
regret is linear in a: one exact linear program.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Final, final

from consistency_lab.certify.witness import Witness, certify
from consistency_lab.exact import integer_multiple
from consistency_lab.measure.worst.pieces import Form, Order, Piece, pieces
from consistency_lab.model.cones import net_gap
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import Surrogate
from consistency_lab.search.effort import EXACT, Effort
from consistency_lab.solve.exact_lp import LPStatus, solve_lp

_APART: Final = Fraction(1, 10**4)


@final
@dataclass(frozen=True, slots=True)
class NetWorst:
    """The largest regret of an order by net preference, exactly, and an aggregate at which it occurs.

    Parameters
    ----------
    regret
        The supremum; it is attained at `a`, at a tie perhaps.
    a
        The aggregate in whole numbers, so named that ties are broken for the worst; empty if the regret is 0.
    strict
        The same with net preferences at least 10^-4 apart in that order, so without ties.
    programs
        How many programs were solved.
    complete
        Whether all of them were.
    """

    regret: Fraction
    a: tuple[tuple[Fraction, ...], ...]
    strict: Fraction
    programs: int
    complete: bool


def worst_net_order(condition: str, m: int, effort: Effort) -> NetWorst:
    """Go through all shapes and orders.

    Examples
    --------
    >>> worst_net_order("low-noise", 3, Effort()).regret
    Fraction(0, 1)
    >>> worst_net_order("acyclic", 3, Effort()).regret
    Fraction(1, 3)
    """
    best = NetWorst(Fraction(0), (), Fraction(0), 0, True)
    for piece in pieces(condition, m, differences=True):
        for order in piece.orders():
            solution = None if effort.expired else _program(piece, order)
            effort.count(programs=1, each=EXACT)
            if solution is None:
                return replace(best, complete=False)
            best = replace(best, programs=best.programs + 1)
            if solution[1] > best.regret:
                apart = _program(piece, order, _APART)
                strict = Fraction(0) if apart is None else apart[1]
                best = replace(best, regret=solution[1], a=_named(piece, order, solution[0]), strict=strict)
    return best


def certified(
    surrogate: Surrogate, condition: str, a: Sequence[Sequence[Fraction]], provenance: dict[str, str]
) -> Witness | None:
    """A witness at the aggregate that the core accepts and that has the condition, or None."""
    witness = certify(surrogate, Distribution.from_aggregate(a), provenance=provenance)
    return witness if witness is not None and witness.fails_under(condition) else None


def _program(
    piece: Piece, order: Order, apart: Fraction = Fraction(0)
) -> tuple[tuple[Fraction, ...], Fraction] | None:
    """The worst aggregate and its regret; (0, 0) where the order occurs nowhere; None if undecided."""
    gaps = [_gap(i, k, piece.m) for i, k in pairwise(order)]
    least = [*((form, Fraction(0)) for form in piece.least), *((form, apart) for form in gaps)]
    # Where the condition asks for net_i > net_k on an edge i → k, an order with k first leaves d_ik = 0.
    cost = {pair: c for pair, c in piece.regret(order).items() if net_gap(*pair, piece.m) not in piece.strict}
    one, zero = Fraction(1), Fraction(0)
    solution = solve_lp(
        [-x for x in piece.on_pairs(cost)],
        [[one] * len(piece.pairs), *map(piece.on_pairs, piece.equal)],
        [one, *(zero for _ in piece.equal)],
        [[-x for x in piece.on_pairs(form)] for form, _ in least],
        [-bound for _, bound in least],
    )
    if solution.status is LPStatus.INFEASIBLE:
        return (zero,) * len(piece.pairs), zero
    if solution.status is not LPStatus.OPTIMAL or solution.value is None:
        return None
    return solution.x, -solution.value


def _gap(i: int, k: int, m: int) -> Form:
    """net_i - net_k for any i and k."""
    return net_gap(i, k, m) if i < k else {pair: -c for pair, c in net_gap(k, i, m).items()}


def _named(piece: Piece, order: Order, x: Sequence[Fraction]) -> tuple[tuple[Fraction, ...], ...]:
    """The aggregate in whole numbers, items named from the lowest place up: ties put higher names first."""
    a = [[Fraction(0)] * piece.m for _ in range(piece.m)]
    for (i, j), value in zip(piece.pairs, integer_multiple(x)[0], strict=True):
        a[i][j] = Fraction(value)
    names = tuple(reversed(order))
    return tuple(tuple(a[i][j] for j in names) for i in names)
