"""The items of an audit with scores, ranks, and 95 % intervals from resampled votes.

`benchmarks/bench_intervals.py` measures how often the intervals contain the truth; see docs/audit.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.apps.audit.findings import heights, on_top
from consistency_lab.apps.audit.losses import EdgeRule, Rule
from consistency_lab.numbers.arrays import Floats, Whole

LEVEL: Final = 0.95
KEPT: Final = 20_000
"""At most this many resamples give intervals and p-values, the first ones."""


@final
@dataclass(frozen=True, eq=False, slots=True)
class Drawn:
    """The scores of a rule in resampled votes."""

    scores: Floats  #: Shape (b, m).
    #: Shape (b, m): the number of an item's strong component, within which scores are finite.
    parts: Whole
    units: float  #: How many independent votes or clusters were drawn each time, see `Votes.units`.


@final
@dataclass(frozen=True, eq=False, slots=True)
class Board:
    """Items linked by comparisons, the best first, with scores and ranks."""

    items: tuple[int, ...]  #: By falling score.
    #: Shape (k,), like all that follow: the score less the mean of those with an interval; NaN where none
    #: exists.
    scores: Floats
    #: The ends of its interval; infinite where too many resamples have no finite score, NaN without them.
    low: Floats
    high: Floats
    away: Floats  #: The share of resamples without a finite score; NaN without them.
    ranks: Whole  #: 1, and 1 for each item with a larger score.
    best: Whole  #: The ends of the interval of the rank.
    worst: Whole
    #: The share of resamples in which it is first, tied items a part each; NaN without them.
    first: Floats


def board(
    rule: Rule,
    group: Sequence[int],
    scores: Floats,
    wins: Floats,
    drawn: Drawn | None,
    certain: NDArray[np.bool_] | None = None,
) -> Board:
    r"""Scores and ranks of the items of a group.

    Scores are finite within a strong component, so those of one component are shown: of the item that most
    others are together with, in the votes and in resamples. The interval of a score is :math:`s_i \pm q t`,
    where 95 % of the resamples have :math:`|s_i^* - s_i| \le q`, less the mean of the items that are in
    its component in 95 % of the resamples; of these the ones that are there count in a resample.

    The rank of i counts the items that are certainly above and below it: those with :math:`|s_i - s_j| > c t
    \sigma_{ij}`, where in 97.5 % of the resamples no difference of i is nearer to 0, or beyond it, by more
    than :math:`c \sigma_{ij}`, and sigma is its standard deviation where it is finite (after M. Mogstad, J.
    Romano, A. Shaikh and D. Wilhelm, Inference for ranks, Review of Economic Studies 2024). This holds for
    each item alone: all intervals of twelve equal items hold together in about 80 % of the data sets. The
    factor t, of Student's distribution, is for few units: :math:`t_{n-1} / t_\infty \sqrt{n / (n-1)}`. Of
    clusters of sizes :math:`k_c` there are :math:`n = (\sum k_c)^2 / \sum k_c^2`, fewer if they are uneven.
    """
    chosen = sorted(group, key=lambda item: -scores[item])
    together = rule.together(wins[None])[0][chosen]
    height = heights(scores[None])[0][chosen]  # what is tied is told by the spread of all
    ranks = 1 + (height[None, :] > height[:, None]).sum(axis=1)
    known = drawn is not None and drawn.units >= 2
    parts = drawn.parts[:, chosen] if drawn is not None and known else together[None]
    mates = np.array(
        [(parts == parts[:, [i]]).mean(axis=0) * (together == together[i]) for i in range(len(chosen))]
    )
    anchor = int(mates.sum(axis=1).argmax())
    near = together == together[anchor]
    held = mates[anchor] >= LEVEL
    held = held if held.sum() > 1 else near
    own = scores[chosen] - scores[chosen][held].mean()
    nothing = np.full(len(chosen), np.nan)
    shown = np.where(near, own, np.nan) if near.sum() > 1 else nothing
    if drawn is None or not known:
        return Board(tuple(chosen), shown, nothing, nothing, nothing, ranks, *_unknown(ranks), nothing)
    again = drawn.scores[:, chosen]
    stays = parts == parts[:, [anchor]]
    stays &= (stays & held).sum(axis=1, keepdims=True) > 1  # of an item alone a resample says nothing
    center = ((again - own) * (stays & held)).sum(axis=1) / np.maximum((stays & held).sum(axis=1), 1)
    off = np.where(stays, np.abs(again - own - center[:, None]), np.inf)
    factor = _factor(drawn.units)
    reach = factor * np.quantile(off, LEVEL, axis=0, method="higher")
    if certain is not None and isinstance(rule, EdgeRule) and rule.differences and near.sum() == 1:
        above = certain[np.ix_(chosen, chosen)]
        best, worst = 1 + above.sum(axis=0), len(chosen) - above.sum(axis=1)
    else:
        best, worst = _ranks(own, again, parts, factor, together)
    first = on_top(heights(drawn.scores)[:, chosen]).mean(axis=0)
    away = 1 - stays.mean(axis=0)
    return Board(tuple(chosen), shown, shown - reach, shown + reach, away, ranks, best, worst, first)


def certain_majorities(wins: Floats, real: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which item is above which, whatever the majorities that are not real turn out to be.

    One is above another if a chain of majorities leads to it, and none can lead back: if the real ones are as
    they seem, together in 95 % of the data sets, so is this.
    """
    from scipy.sparse.csgraph import connected_components

    sure = real & (wins > wins.T)
    possible = (wins + wins.T > 0) & ~sure.T
    part = connected_components(possible, connection="strong")[1]
    certain: NDArray[np.bool_] = sure.copy()
    for k in range(len(wins)):
        certain |= np.outer(certain[:, k], certain[k])
    certain &= part[:, None] != part
    return certain


def _unknown(ranks: Whole) -> tuple[Whole, Whole]:
    return np.ones_like(ranks), np.full_like(ranks, len(ranks))


def _factor(units: float) -> float:
    """The factor by which intervals widen for few units."""
    from scipy.special import ndtri, stdtrit

    end = (1 + LEVEL) / 2
    return float(stdtrit(units - 1, end) / ndtri(end) * np.sqrt(units / (units - 1)))


def _ranks(own: Floats, again: Floats, parts: Whole, factor: float, together: Whole) -> tuple[Whole, Whole]:
    """The ends; an item that never loses never loses in resamples either, so this alone proves nothing."""
    best, worst = np.empty(len(own), np.int64), np.empty(len(own), np.int64)
    for i, mine in enumerate(own):
        apart, again_apart = mine - own, again[:, [i]] - again
        finite = parts == parts[:, [i]]
        squares = np.where(finite, (again_apart - apart) ** 2, 0.0).sum(axis=0)
        errors = np.sqrt(squares / np.maximum(finite.sum(axis=0), 1))
        errors = np.where(errors > 0, errors, 1.0)
        sign = np.sign(apart)
        nearer = np.where(finite, (apart - again_apart) * sign, np.copysign(np.inf, -again_apart * sign))
        certain = together == together[i]
        scaled = np.where(certain & (sign != 0), nearer / errors, 0.0)
        reach = factor * np.quantile(scaled.max(axis=1), (1 + LEVEL) / 2, method="higher") * errors
        best[i] = 1 + (certain & (apart < -reach)).sum()
        worst[i] = len(own) - (certain & (apart > reach)).sum()
    return best, worst
