"""Which pairs of items a loss certainly orders, by adding up comparisons alone.

Floats propose the factor of each pair, `core.addition` decides. See docs/theory.md, Orders by addition.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import permutations
from math import inf
from typing import Final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.core.addition import DOMINATION, GAP, Above, Counts, Factor, Rule, lacking
from consistency_lab.core.orders import Pair
from consistency_lab.exact import rational_text
from consistency_lab.frozen import frozen
from consistency_lab.phi import Expression
from consistency_lab.proofs.record import Entry

Matrix = Sequence[Sequence[Fraction | int]]

_ONE: Final = Fraction(1)
_NEAR: Final = 1e-9
"""Inequalities that fail by less than this share in floats are left to exact arithmetic."""


@frozen
class ByAddition:
    """What is proved of the order of the scores wherever the risk is near its infimum."""

    pairs: tuple[Above, ...]  #: The pairs that a rule puts in order, the upper item first.
    slack: tuple[Fraction, ...]  #: By how much the rule of each pair holds, in comparisons.

    def certificate(self, names: Sequence[str]) -> Entry:
        """The entry of a proof file."""
        return {
            "kind": "addition",
            "pairs": [
                {
                    "above": names[pair.above],
                    "below": names[pair.below],
                    "rule": pair.rule,
                    "factor": "infinity" if pair.factor == inf else rational_text(Fraction(pair.factor)),
                }
                for pair in self.pairs
            ],
        }

    def radius(self, number: int) -> Fraction:
        """How many comparisons may be removed, at least, before the rule of a pair fails.

        A comparison that involves neither of the two items changes nothing. Any other one changes the slack
        of a gap by at most max(2 factor, 2), and that of an infinite factor by at most 2. A domination
        asks for exact inequalities, so its radius is 0.
        """
        pair = self.pairs[number]
        if pair.rule == DOMINATION:
            return Fraction(0)
        step = Fraction(2) if pair.factor == inf else max(2 * Fraction(pair.factor), Fraction(2))
        return self.slack[number] / step


def proved_by_addition(phi: Expression, a: Matrix, pairs: Sequence[Pair] | None = None) -> ByAddition:
    """The pairs that the logistic loss, or another edge loss, certainly puts in order.

    Parameters
    ----------
    phi
        Of the loss sum of a_ij phi(u_i - u_j).
    a
        The weights a_ij, such as numbers of wins.
    pairs
        Which pairs to try, the upper item first; all, if not given.

    Examples
    --------
    >>> from consistency_lab.phi import parse
    >>> found = proved_by_addition(parse("log(1+exp(-x))"), [[0, 3, 3], [2, 0, 2], [1, 1, 0]])
    >>> [(pair.above, pair.below, pair.rule) for pair in found.pairs]
    [(0, 1, 'domination'), (0, 2, 'domination'), (1, 2, 'domination')]
    """
    rules = [rule for rule in _RULES if rule not in lacking(phi)]
    m = len(a)
    exact = {(i, j): Fraction(x) for i, row in enumerate(a) for j, x in enumerate(row) if x}
    counts, most = Counts(exact, m), max(exact.values(), default=_ONE)
    floats = np.array([[float(Fraction(x) / most) for x in row] for row in a])
    found = []
    for i, j in permutations(range(m), 2) if pairs is None else pairs:
        tried = (Above(i, j, rule, factor) for rule in rules for factor in _FACTORS[rule](floats, a, i, j))
        proved = next(((pair, slack) for pair in tried if (slack := counts.slack(pair)) > 0), None)
        if proved is not None:
            found.append(proved)
    return ByAddition(tuple(pair for pair, _ in found), tuple(slack for _, slack in found))


_RULES: Final[tuple[Rule, ...]] = (DOMINATION, GAP)

Floats = NDArray[np.float64]


def _dominating(a: Floats, exact: Matrix, i: int, j: int) -> Iterator[Factor]:
    """max a_jk/a_ik if it is at most min a_kj/a_ki; 0/0 is 0 in the first and infinity in the second."""
    if not a[i, j] > a[j, i]:
        return
    others = np.ones(len(a), dtype=bool)
    others[[i, j]] = False
    if not others.any():
        yield _ONE
        return
    ours, theirs, against_us, against_them = a[i, others], a[j, others], a[others, i], a[others, j]
    with np.errstate(divide="ignore", invalid="ignore"):
        low = np.where(theirs == 0, 0, theirs / ours)
        high = np.where(against_us == 0, inf, against_them / against_us)
    least, most = low.max(), high.min()
    if least > most * (1 + _NEAR):
        return
    if least <= 1 <= most:
        yield _ONE
    elif least == inf:
        yield inf
    else:
        k = np.flatnonzero(others)[low.argmax()]
        yield Fraction(exact[j][k]) / Fraction(exact[i][k]) if exact[i][k] else Fraction(0)


def _gaps(a: Floats, exact: Matrix, i: int, j: int) -> Iterator[Factor]:
    """1 if that is seen to do, else of 0, infinity and the breakpoints n_jk/n_ik the one of most slack.

    The slack is concave and piecewise linear in the factor.
    """
    n_i, n_j = a[i] + a[:, i], a[j] + a[:, j]
    net_i, net_j = 2 * a[i].sum() - n_i.sum(), 2 * a[j].sum() - n_j.sum()
    others = np.ones(len(a), dtype=bool)
    others[[i, j]] = False
    x, y = n_i[others], n_j[others]
    if net_i - net_j > np.abs(x - y).sum():
        yield _ONE  # and go on: where the slack is 0 rounding may make it seem positive
    least = -_NEAR * (x.sum() + y.sum())
    if -net_j - y.sum() > least:
        yield Fraction(0)
    if net_i - x.sum() > least:
        yield inf
    both = np.flatnonzero((x > 0) & (y > 0))
    if not both.size:
        return
    both = both[np.argsort(y[both] / x[both], kind="stable")]
    factors = y[both] / x[both]
    # Up to its breakpoint a term is y - factor x, beyond it factor x - y; y = 0 is passed from the start.
    passed_x, passed_y = np.cumsum(x[both]) + x[y == 0].sum(), np.cumsum(y[both])
    apart = factors * (2 * passed_x - x.sum()) - (2 * passed_y - y.sum())
    slack = (factors * net_i - net_j - apart) / np.maximum(factors, 1)
    best = int(slack.argmax())
    if slack[best] > least:
        k = np.flatnonzero(others)[both[best]]
        yield Fraction(exact[j][k] + exact[k][j]) / Fraction(exact[i][k] + exact[k][i])


_FACTORS: Final = {DOMINATION: _dominating, GAP: _gaps}
