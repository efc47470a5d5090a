"""The items of an audit with scores, ranks, and 95 % intervals from resampled votes.

`benchmarks/bench_intervals.py` measures how often the intervals contain the truth; see docs/audit.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.audits.findings import heights
from consistency_lab.audits.losses import Rule

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]

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
    units: int  #: How many independent votes or clusters were drawn each time.


@final
@dataclass(frozen=True, eq=False, slots=True)
class Board:
    """Items linked by comparisons, the best first, with scores and ranks."""

    items: tuple[int, ...]  #: By falling score.
    #: Shape (k,), like all that follow: the score less the mean of all; NaN where none exists.
    scores: Floats
    #: The ends of its interval; infinite where too many resamples have no finite score, NaN without them.
    low: Floats
    high: Floats
    ranks: Whole  #: 1, and 1 for each item with a larger score.
    best: Whole  #: The ends of the interval of the rank.
    worst: Whole
    first: Floats  #: The share of resamples in which no item is above it; NaN without them.


def board(rule: Rule, group: Sequence[int], scores: Floats, wins: Floats, drawn: Drawn | None) -> Board:
    r"""Scores and ranks of the items of a group.

    The interval of a score is :math:`s_i \pm q t`, where 95 % of the resamples have
    :math:`|s_i^* - s_i| \le q`. The rank of i counts the items that are certainly above and below it: those
    with :math:`|s_i - s_j| > c t \sigma_{ij}`, where 95 % of the resamples have :math:`\max_j
    |s_i^* - s_j^* - (s_i - s_j)| / \sigma_{ij} \le c`, and sigma is their standard deviation (M. Mogstad,
    J. Romano, A. Shaikh and D. Wilhelm, Inference for ranks, Review of Economic Studies 2024). This holds for
    each item alone: all intervals of twelve equal items hold together in about 80 % of the data sets. The
    factor t, of Student's distribution, is for few units: :math:`t_{n-1} / t_\infty \sqrt{n / (n-1)}`.

    Parameters
    ----------
    rule
        What scores.
    group
        Items that comparisons link.
    scores, wins
        Shapes (m,) and (m, m): all scores, and the votes.
    drawn
        The same of votes that were drawn again; None if there are none.
    """
    chosen = sorted(group, key=lambda item: -scores[item])
    own = scores[chosen] - scores[chosen].mean()
    together = rule.together(wins[None])[0][chosen]
    finite = bool((together == together[0]).all())
    height = heights(scores[None])[0][chosen]  # what is tied is told by the spread of all
    ranks = 1 + (height[None, :] > height[:, None]).sum(axis=1)
    nothing = np.full(len(chosen), np.nan)
    shown = own if finite else nothing
    if drawn is None or drawn.units < 2:
        return Board(tuple(chosen), shown, nothing, nothing, ranks, *_unknown(ranks), nothing)
    again = drawn.scores[:, chosen]
    again = again - again.mean(axis=1, keepdims=True)
    parts = drawn.parts[:, chosen]
    off = np.abs(again - own)
    off[(parts != parts[:, :1]).any(axis=1)] = np.inf
    factor = _factor(drawn.units)
    reach = factor * np.quantile(off, LEVEL, axis=0, method="higher")
    best, worst = _ranks(own, again, factor, together)
    tops = heights(drawn.scores)[:, chosen]
    first = (tops == tops.max(axis=1, keepdims=True)).mean(axis=0)
    return Board(tuple(chosen), shown, shown - reach, shown + reach, ranks, best, worst, first)


def _unknown(ranks: Whole) -> tuple[Whole, Whole]:
    return np.ones_like(ranks), np.full_like(ranks, len(ranks))


def _factor(units: int) -> float:
    """The factor by which intervals widen for few units."""
    from scipy.special import ndtri, stdtrit

    end = (1 + LEVEL) / 2
    return float(stdtrit(units - 1, end) / ndtri(end) * np.sqrt(units / (units - 1)))


def _ranks(own: Floats, again: Floats, factor: float, together: Whole) -> tuple[Whole, Whole]:
    """The ends; an item that never loses never loses in resamples either, so this alone proves nothing."""
    best, worst = np.empty(len(own), np.int64), np.empty(len(own), np.int64)
    for i, mine in enumerate(own):
        apart = mine - own
        beyond = again[:, i, None] - again - apart
        errors = np.sqrt((beyond**2).mean(axis=0))
        scaled = np.abs(beyond) / np.where(errors > 0, errors, 1.0)
        reach = factor * np.quantile(scaled.max(axis=1), LEVEL, method="higher") * errors
        certain = together == together[i]
        best[i] = 1 + (certain & (apart < -reach)).sum()
        worst[i] = len(own) - (certain & (apart > reach)).sum()
    return best, worst
