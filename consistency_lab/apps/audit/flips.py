"""The fewest votes whose removal makes a rule order two items the other way."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import permutations
from math import ceil, log2
from typing import Final, final

import numpy as np

from consistency_lab.apps.audit.findings import heights
from consistency_lab.apps.audit.losses import EdgeRule, FormulaRule, Rule, net
from consistency_lab.data.votes import Orders, Votes
from consistency_lab.decide.theorems.base import differentiable
from consistency_lab.decide.theorems.linear import net_order
from consistency_lab.numbers.arrays import Floats, Whole
from consistency_lab.numbers.exact import LogRational, enclose, working_precision
from consistency_lab.numbers.phi import Expression, enclose_slopes, facts
from consistency_lab.numbers.values import slopes_at_many
from consistency_lab.solve.edges import EdgeRisk
from consistency_lab.solve.kinds import is_convex
from consistency_lab.solve.numeric import raw

# --- A lower bound on the votes whose removal changes how an edge loss orders two items -----------------
# At given scores a vote for i over j pushes i up, and j down, by -phi'(alpha_i - alpha_j). Let a and b have
# equal scores, and the others any. If every set of items with a and without b is pushed up by the votes that
# are left, then W of these votes is certainly larger where a is not above b (docs/theory.md, Fewest votes).
# Proof: let u = beta - alpha, u_0 = (u_a + u_b)/2, let beta minimize W + eps sum (u_j - u_0)^2 where beta_a =
# beta_b, and let S be a and all j with u_j < u_0. Slopes do not fall, so at beta S is pushed up by at least
# c, the least push > 0 of a set; nothing in S but a is pushed, as beta is a minimizer. So the sum is not less
# where beta_a < beta_b, and falls where a is raised, by an amount that does not depend on eps. Let eps -> 0.
# The sets need not be gone through: what pushes a set is the sum of what pushes its items, and the most that
# one vote pushes any set is a sum of positive parts.


_BITS: Final = 32
_FINEST: Final = 40
_PRECISION: Final = 128
_EXACT: Final = 50
"""Sums of whole numbers below 2 to this power are exact in floats."""


def at_least(phi: Expression, votes: Votes, above: int, below: int) -> int | None:
    """A proved lower bound on the votes to remove until `above` is not certainly above `below`; else None."""
    if not is_convex(phi) or facts(phi).lower is None or differentiable(phi) is None:
        return None
    pushes = _Pushes.at(phi, _scores(phi, votes.wins / votes.denominator, above, below))
    if pushes is None:
        return None
    others = [j for j in range(votes.m) if j not in (above, below)]
    left = pushes.of_all(votes, above) + sum(min(0, pushes.of_all(votes, j)) for j in others)
    most = pushes.of_each(votes, above)
    for j in others:
        most = most + np.maximum(pushes.of_each(votes, j), 0.0)
    if left <= 0:
        return None
    gone = _fewest(votes.counts, most, left)
    return votes.total if gone is None else int(gone.sum())


def _fewest(counts: Whole, each: Floats | Whole, margin: int) -> Whole | None:
    """The fewest votes, of the counts of each kind, whose weight reaches a margin; None if all do not."""
    taken = np.zeros_like(counts)
    for kind in np.argsort(-each, kind="stable").tolist():
        weight = int(each[kind])
        if margin <= 0 or weight <= 0:
            break
        taken[kind] = min(int(counts[kind]), -(-margin // weight))
        margin -= int(taken[kind]) * weight
    return taken if margin <= 0 else None


def _scores(phi: Expression, wins: Floats, above: int, below: int) -> list[Fraction]:
    """Scores that about minimize W with the two items equal."""
    m = len(wins)
    place = np.arange(m)
    place[below] = above
    together = np.zeros((m, m))
    np.add.at(together, (place[:, None], place[None, :]), wins)
    np.fill_diagonal(together, 0.0)
    found = EdgeRisk.of(phi, together).descend()[place]
    return [Fraction(round(x * 2**_BITS), 2**_BITS) for x in found.tolist()]


@final
class _Pushes:
    """Bounds of -phi'(alpha_i - alpha_j), as whole numbers in floats, all in one unit."""

    def __init__(self, low: Floats, high: Floats) -> None:
        self._low = low
        self._high = high

    @staticmethod
    def at(phi: Expression, scores: Sequence[Fraction]) -> "_Pushes | None":
        """The bounds at these scores; None if they are too steep to be added exactly."""
        m = len(scores)
        ends = np.zeros((2, m, m))
        pairs = list(permutations(range(m), 2))
        with working_precision(_PRECISION):
            at = list(map(enclose, scores))
            slopes = slopes_at_many(phi, [at[i] - at[j] for i, j in pairs])
            for (i, j), slope in zip(pairs, slopes, strict=True):
                if not slope.is_finite():  # at a kink of its formula
                    slope = enclose_slopes(phi, LogRational(scores[i] - scores[j]))[0]
                ends[:, i, j] = -float(slope.upper()), -float(slope.lower())
        if not np.isfinite(ends).all():
            return None
        bits = min(_FINEST, _EXACT - ceil(log2(2 * m * (2 + float(np.abs(ends).max())))))
        if bits < 0:
            return None
        # The ends were rounded to floats, here to less than 1/4; one more on either side makes up for it.
        low, high = ends * 2.0**bits
        return _Pushes(np.floor(low) - 1, np.ceil(high) + 1)

    def of_all(self, votes: Votes, item: int) -> int:
        """A lower bound on the push of all votes on an item."""
        wins, low, high = votes.wins.tolist(), self._low, self._high
        return sum(
            wins[item][j] * int(low[item, j]) - wins[j][item] * int(high[j, item]) for j in range(votes.m)
        )

    def of_each(self, votes: Votes, item: int) -> Floats:
        """Upper bounds on the push of one vote of each kind, shape (K,); exact."""
        weights = np.zeros_like(self._low)
        weights[item, :] = self._high[item, :]
        weights[:, item] = -self._low[:, item]
        return votes.denominator * votes.dot(weights)


# --- The fewest votes without which a rule would order two items the other way round ---------------------
# Votes are removed in the order of their influence: one vote of a kind moves the scores by about H^-1 g, with
# the Hessian H of the risk and the gradient g of what the vote adds to it. That proposes a set; the rule
# itself, run on what is left, decides whether it suffices. That it does, and how many it takes at least, is
# proved apart (`fewest`). For a rule that adds up votes, and for losses that rankings reduce to one, the
# influence is exact, and no smaller set does.

_ROUNDS: Final = 6
"""How often influence is measured again, each time after the last removal."""


@final
@dataclass(frozen=True, eq=False, slots=True)
class Flip:
    """A set of votes whose removal reverses the order of two items."""

    #: The items: `above` has the higher score in the data, and not without these votes.
    above: int
    below: int
    removed: Whole  #: Shape (K,): how many votes of each kind.
    size: int  #: How many votes that is.
    #: No set of fewer votes does it; None if nothing is proved. It may be less than `size`.
    fewest: int | None
    #: Whether it is proved that `below` is at least as high as `above` without these votes.
    sufficient: bool


def smallest_flip(rule: Rule, votes: Votes, above: int, below: int) -> Flip | None:
    """A small set of votes whose removal puts `above` no longer above `below`; None if none was found."""
    if _adds_up(rule, votes):
        return _exactly(votes, above, below)
    if not isinstance(rule, EdgeRule) or rule.differences or rule.has_kinks:
        return None
    flip = _by_influence(rule, votes, above, below)
    if flip is None:
        return None
    left = replace(votes, counts=votes.counts - flip.removed)
    turned = at_least(rule.phi, left, below, above) is not None
    return replace(flip, fewest=at_least(rule.phi, votes, above, below), sufficient=turned)


def first_flip(rule: Rule, votes: Votes, order: Sequence[int]) -> Flip | None:
    """The smallest flip of the first item and another; of rules that do not add up, and the second one."""
    first, *others = order
    if not _adds_up(rule, votes):
        return smallest_flip(rule, votes, first, others[0])
    flips = [flip for below in others if (flip := _exactly(votes, first, below)) is not None]
    return min(flips, key=lambda flip: flip.size, default=None)


def _adds_up(rule: Rule, votes: Votes) -> bool:
    """Whether the rule orders by wins less losses, whichever votes are removed."""
    if isinstance(rule, FormulaRule):
        return rule.formula is net
    if not isinstance(rule, EdgeRule) or rule.differences or not _is_complete(votes):
        return False
    return net_order(rule.surrogate, votes.aggregate) is not None


def _is_complete(votes: Votes) -> bool:
    """Whether each vote compares all pairs, so that removals keep all pairs compared equally often."""
    m = votes.m
    if m == 2:
        return True
    return isinstance(votes, Orders) and bool((votes.dot(1.0 - np.eye(m)) == m * (m - 1) / 2).all())


def _exactly(votes: Votes, above: int, below: int) -> Flip | None:
    """Remove first the votes that add most to the difference of wins less losses; a tie is enough."""
    weights = np.zeros((votes.m, votes.m))
    weights[above, :] += 1
    weights[:, above] -= 1
    weights[below, :] -= 1
    weights[:, below] += 1
    gain = np.rint(votes.denominator * votes.dot(weights)).astype(np.int64)
    removed = _fewest(votes.counts, gain, int(votes.counts @ gain))
    if removed is None:
        return None
    size = int(removed.sum())
    return Flip(above, below, removed, size, size, sufficient=True)


def _by_influence(rule: EdgeRule, votes: Votes, above: int, below: int) -> Flip | None:
    best: Flip | None = None
    left = votes.counts.copy()
    for _ in range(_ROUNDS):
        ranked = np.argsort(_influence(rule, votes, left, above, below), kind="stable")
        flip = _first_enough(rule, votes, ranked, above, below, None if best is None else best.size)
        if flip is None:
            return best
        best, left = flip, votes.counts - flip.removed
    return best


def _influence(rule: EdgeRule, votes: Votes, left: Whole, above: int, below: int) -> Floats:
    """The first-order change of the score difference when one vote of a kind is removed."""
    wins = votes.added(left[None])[0] / votes.denominator
    risk = EdgeRisk.of(rule.phi, wins)
    scores = risk.descend()
    hessian = risk.laplacian(risk.expand(scores)[2])
    apart = np.zeros(votes.m)
    apart[above], apart[below] = 1.0, -1.0
    # The Hessian is singular along shifts, to which the difference is orthogonal.
    direction = np.linalg.lstsq(hessian, apart, rcond=None)[0]
    # Pairs that were not compared have no votes, and their slopes may overflow.
    slopes = np.where(wins > 0, raw(rule.phi)(scores[:, None] - scores[None, :])[1], 0.0)
    pull = slopes * (direction[:, None] - direction[None, :])
    return votes.dot(pull)


def _first_enough(
    rule: Rule, votes: Votes, ranked: Sequence[int] | Whole, above: int, below: int, most: int | None
) -> Flip | None:
    """The fewest votes of a ranked list that suffice, by doubling and bisection; None if `most` do not."""
    stock = votes.counts[ranked]
    after = np.cumsum(stock)
    end = int(after[-1]) - 1 if most is None else most - 1
    low, high = 0, 1

    def removed(size: int) -> Whole:
        taken = np.zeros_like(votes.counts)
        taken[ranked] = np.clip(size - (after - stock), 0, stock)
        return taken

    def suffices(size: int) -> bool:
        wins = votes.added((votes.counts - removed(size))[None]) / votes.denominator
        height = heights(rule.scores(wins))[0]
        return bool(height[above] <= height[below])

    # Removing nearly all votes leaves nothing ordered, so small sets are tried first.
    while high <= end and not suffices(high):
        low, high = high, min(2 * high, end) if high < end else end + 1
    if high > end:
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if suffices(middle) else (middle, high)
    return Flip(above, below, removed(high), high, None, sufficient=False)
