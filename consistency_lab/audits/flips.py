"""The fewest votes without which a rule would order two items the other way round.

Votes are removed in the order of their influence: one vote of a kind moves the scores by about H^-1 g, with
the Hessian H of the risk and the gradient g of what the vote adds to it. That proposes a set; the rule
itself, run on what is left, decides whether it suffices. That it does, and how many it takes at least, is
proved apart (`fewest`). For a rule that adds up votes, and for losses that rankings reduce to one, the
influence is exact, and no smaller set does.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.audits.fewest import at_least
from consistency_lab.audits.losses import EdgeRule, NetRule, Rule
from consistency_lab.data.votes import Orders, Votes, Whole
from consistency_lab.solve.edges import EdgeRisk
from consistency_lab.solve.numeric import raw
from consistency_lab.theorems.ordering import net_order

Floats = NDArray[np.float64]

_ROUNDS: Final = 6
"""How often influence is measured anew, each time from where the last removal ended."""


@final
@dataclass(frozen=True, eq=False, slots=True)
class Flip:
    """A set of votes without which the order of two items turns.

    Parameters
    ----------
    above, below
        The items: `above` has the higher score in the data, and not without these votes.
    removed
        Shape (K,): how many votes of each kind.
    size
        How many votes that is.
    fewest
        No set of fewer votes does it; None if nothing is proved. It may be less than `size`.
    sufficient
        It is proved that `below` is at least as high as `above` without these votes; else floats say so.
    """

    above: int
    below: int
    removed: Whole
    size: int
    fewest: int | None
    sufficient: bool


def smallest_flip(rule: Rule, votes: Votes, above: int, below: int) -> Flip | None:
    """A small set of votes without which `above` is no longer above `below`; None if none was found.

    Parameters
    ----------
    rule
        What orders the items: an edge loss without kinks, or one that adds up wins.
    votes
        The data.
    above, below
        Two items.

    Examples
    --------
    Two of three votes for the first item must go, of those that count for it alone:

    >>> from consistency_lab.audits.losses import rule
    >>> from consistency_lab.data.votes import Games
    >>> votes = Games(2, np.array([3, 1]), np.array([0, 1]), np.array([1, 0]), np.array([1, 1]))
    >>> found = smallest_flip(rule("borda"), votes, 0, 1)
    >>> found.size, found.fewest, found.removed.tolist()
    (2, 2, [2, 0])
    """
    if _adds_up(rule, votes):
        return _exactly(votes, above, below)
    if not isinstance(rule, EdgeRule) or rule.differences or rule.has_kinks:
        return None
    found = _by_influence(rule, votes, above, below)
    if found is None:
        return None
    left = replace(votes, counts=votes.counts - found.removed)
    turned = at_least(rule.phi, left, below, above) is not None
    return replace(found, fewest=at_least(rule.phi, votes, above, below), sufficient=turned)


def first_flip(rule: Rule, votes: Votes, order: Sequence[int]) -> Flip | None:
    """A small set of votes without which the first item is no longer above one of the others.

    For a rule that adds up wins this is the item that takes the fewest votes, so with fewer votes gone the
    first item is above all others; else it is the second item.

    Parameters
    ----------
    rule
        What orders the items.
    votes
        The data.
    order
        The items by falling score, the first one strictly above the others.

    Examples
    --------
    The third item draws level with fewer votes gone than the second, for they count for both of the two:

    >>> from consistency_lab.audits.losses import rule
    >>> from consistency_lab.data.votes import Games
    >>> votes = Games(3, np.array([3, 1]), np.array([0, 2]), np.array([2, 1]), np.array([1, 1]))
    >>> found = first_flip(rule("borda"), votes, (0, 1, 2))
    >>> found.below, found.size, smallest_flip(rule("borda"), votes, 0, 1).size
    (2, 3, 4)
    """
    first, *others = order
    if not _adds_up(rule, votes):
        return smallest_flip(rule, votes, first, others[0])
    found = [flip for below in others if (flip := _exactly(votes, first, below)) is not None]
    return min(found, key=lambda flip: flip.size, default=None)


def _adds_up(rule: Rule, votes: Votes) -> bool:
    """Whether the rule orders by wins less losses, whichever votes go."""
    if isinstance(rule, NetRule):
        return True
    if not isinstance(rule, EdgeRule) or rule.differences or not _is_complete(votes):
        return False
    return net_order(rule.surrogate, votes.aggregate) is not None


def _is_complete(votes: Votes) -> bool:
    """Whether each vote compares all pairs, so that all are compared equally often whichever votes go."""
    m = votes.m
    if m == 2:
        return True
    return isinstance(votes, Orders) and bool((votes.dot(1.0 - np.eye(m)) == m * (m - 1) / 2).all())


def _exactly(votes: Votes, above: int, below: int) -> Flip | None:
    """Those that add most to the difference of the wins less losses go first; ties are flips enough."""
    weights = np.zeros((votes.m, votes.m))
    weights[above, :] += 1
    weights[:, above] -= 1
    weights[below, :] -= 1
    weights[:, below] += 1
    gain = np.rint(votes.denominator * votes.dot(weights)).astype(np.int64)
    margin = int(votes.counts @ gain)
    removed = np.zeros_like(votes.counts)
    for kind in np.argsort(-gain, kind="stable"):
        if margin <= 0 or gain[kind] <= 0:
            break
        removed[kind] = min(int(votes.counts[kind]), -(-margin // int(gain[kind])))
        margin -= int(removed[kind] * gain[kind])
    if margin > 0:
        return None
    size = int(removed.sum())
    return Flip(above, below, removed, size, size, sufficient=True)


def _by_influence(rule: EdgeRule, votes: Votes, above: int, below: int) -> Flip | None:
    best: Flip | None = None
    left = votes.counts.copy()
    for _ in range(_ROUNDS):
        ranked = np.argsort(_influence(rule, votes, left, above, below), kind="stable")
        found = _first_enough(rule, votes, ranked, above, below, None if best is None else best.size)
        if found is None:
            return best
        best, left = found, votes.counts - found.removed
    return best


def _influence(rule: EdgeRule, votes: Votes, left: Whole, above: int, below: int) -> Floats:
    """By how much the difference of the two scores moves, to first order, if one vote of a kind goes."""
    wins = votes.added(left[None])[0] / votes.denominator
    i, j = np.nonzero(wins)
    risk = EdgeRisk.of(rule.phi, votes.m, i, j, wins[i, j])
    scores = risk.descend()
    hessian = risk.laplacian(risk.expand(scores)[2])
    apart = np.zeros(votes.m)
    apart[above], apart[below] = 1.0, -1.0
    # The Hessian is singular along shifts, to which the difference is orthogonal.
    direction = np.linalg.lstsq(hessian, apart, rcond=None)[0]
    # Of pairs that were not compared there is no vote, and their slopes may be beyond all floats.
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
        scores = rule.scores(wins)[0]
        return bool(scores[above] < scores[below])

    # Without nearly all votes nothing is ordered, so small sets are tried first.
    while high <= end and not suffices(high):
        low, high = high, min(2 * high, end) if high < end else end + 1
    if high > end:
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if suffices(middle) else (middle, high)
    return Flip(above, below, removed(high), high, None, sufficient=False)
