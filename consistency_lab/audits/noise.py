"""Is a contradicted majority noise? That it is a majority is tested, and that the loss contradicts it.

The one by an exact test, the other by votes that are drawn again; each is corrected for all pairs that are in
question.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.audits.findings import contradicted, heights
from consistency_lab.audits.losses import Rule
from consistency_lab.data.votes import Games, Votes

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

SIGNIFICANT: Final = 0.05
_IN_QUESTION: Final = 0.005
"""A majority that is contradicted in fewer resamples than this needs no correction for it."""

_EXACT: Final = 4096
"""Sums of more games of clusters than this are taken to be normal."""


@final
@dataclass(frozen=True, eq=False, slots=True)
class PairTests:
    """Two-sided tests of "i and j are preferred equally often", one for each ordered pair.

    Parameters
    ----------
    p
        Shape (m, m): the exact binomial p-value, symmetric; 1 where nothing was compared.
    corrected
        Shape (m, m): the same after the correction of Holm for all pairs that were compared.
    """

    p: Floats
    corrected: Floats


def pair_tests(wins: Counts, votes: Votes | None = None) -> PairTests:
    r"""Test for each pair that its majority is more than chance.

    Under the hypothesis that the n = k + l comparisons of a pair go either way with probability 1/2,

    .. math:: p = \min(1, 2 \Pr[\mathrm{Bin}(n, 1/2) \le \min(k, l)]),

    and Pr[Bin(n, 1/2) <= k] is the incomplete beta function I_1/2(n - k, k + 1) (DLMF 8.17.5); to import the
    distributions of SciPy would take longer than all tests. Of games in clusters the hypothesis is that what
    a cluster says of a pair it might as well have said the other way round, and p is the chance that the
    margins, with signs thrown for each cluster, add up to as much; of single games this is the same.

    Parameters
    ----------
    wins
        Shape (m, m): how often i was preferred to j, whole numbers; ties, which say nothing of it, left out.
    votes
        Where they come from, if they may be in clusters.

    Examples
    --------
    >>> found = pair_tests(np.array([[0, 9, 5], [1, 0, 5], [5, 5, 0]]))
    >>> float(found.p[0, 1]), float(found.p[0, 2])  # 22/1024
    (0.021484375, 1.0)
    >>> float(found.corrected[0, 1])  # three pairs
    0.064453125
    """
    from scipy.special import betainc

    wins = np.asarray(wins, dtype=np.int64)
    total, fewer = wins + wins.T, np.minimum(wins, wins.T)
    p = np.where(total > 0, np.minimum(1.0, 2.0 * betainc(np.maximum(total - fewer, 1), fewer + 1, 0.5)), 1.0)
    if isinstance(votes, Games) and votes.cluster is not None:
        for i, j, margins in votes.margins():
            p[i, j] = p[j, i] = sign_flips(margins)
    rows, columns = np.triu_indices(len(wins), 1)
    compared = total[rows, columns] > 0
    rows, columns = rows[compared], columns[compared]
    corrected = np.ones_like(p)
    corrected[rows, columns] = corrected[columns, rows] = holm(p[rows, columns])
    return PairTests(p, corrected)


def holm(p: Floats) -> Floats:
    """p-values corrected by Holm's step-down procedure (1979), which needs no independence.

    The k-th smallest of n is multiplied by n - k + 1; none becomes smaller than one before it, or larger than
    1.

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, 0.03])).tolist()
    [0.03, 0.06, 0.06]
    """
    rising = np.argsort(p, kind="stable")
    factors = np.arange(len(p), 0, -1)
    stepped = np.minimum(1.0, np.maximum.accumulate(p[rising] * factors))
    corrected = np.empty_like(stepped)
    corrected[rising] = stepped
    return corrected


def sign_flips(margins: Counts) -> float:
    """The chance that whole numbers with signs thrown anew add up to at least as much, up or down.

    Examples
    --------
    >>> [round(sign_flips(np.array(margins)), 12) for margins in ([1, 1, 1, -1], [4], [3, 3, 1])]
    [0.625, 1.0, 0.25]
    """
    from scipy.special import erfc, gammaln

    found = abs(int(margins.sum()))
    sizes, times = np.unique(np.abs(margins[margins != 0]), return_counts=True)
    total = int(sizes @ times)
    if total > _EXACT:
        return float(erfc(found / np.sqrt(2.0 * float(sizes**2 @ times))))
    # Entry s: the chance that s is the sum of those that are thrown upwards.
    chances = np.ones(1)
    for size, n in zip(sizes.tolist(), times.tolist(), strict=True):
        k = np.arange(n + 1)
        one = np.zeros(n * size + 1)
        one[:: max(size, 1)] = np.exp(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1) - n * np.log(2.0))
        chances = np.convolve(chances, one)
    return min(1.0, float(chances[np.abs(2 * np.arange(total + 1) - total) >= found].sum()))


@final
@dataclass(frozen=True, eq=False, slots=True)
class Stability:
    """How often findings stand in votes that are drawn again.

    Parameters
    ----------
    resamples
        How many there were.
    pairs
        Shape (m, m): the share in which there is a majority for i over j and the scores say otherwise.
    first
        Shape (m,): the share in which no item is above an item.
    """

    resamples: int
    pairs: Floats
    first: Floats

    def standing(self, majorities: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which of these majorities the scores contradict beyond chance, at 5 % for all of them together.

        The share of resamples without the contradiction is the p-value of one. Holm's correction is for
        those that may be contradicted: of the others none will be claimed (as J. Romano, A. Shaikh and
        M. Wolf, A practical two-step method for testing moment inequalities, Econometrica 2014).

        Parameters
        ----------
        majorities
            Shape (m, m): where there is a majority for i over j beyond chance.
        """
        asked = majorities & (self.pairs >= _IN_QUESTION)
        missed = np.rint((1.0 - self.pairs[asked]) * self.resamples)
        found = np.zeros_like(majorities)
        found[asked] = holm((1.0 + missed) / (1.0 + self.resamples)) < SIGNIFICANT
        return found


def stability(rules: Sequence[Rule], votes: Votes, resamples: int, seed: int) -> list[Stability]:
    """The stability of each rule, all of them on the same resampled votes.

    Parameters
    ----------
    rules
        What orders the items.
    votes
        What is drawn from.
    resamples, seed
        How many times, and the seed of all.
    """
    m = votes.m
    pairs = np.zeros((len(rules), m, m))
    first = np.zeros((len(rules), m))
    for wins in votes.resampled(resamples, seed):
        for k, rule in enumerate(rules):
            height = heights(rule.scores(wins))
            pairs[k] += contradicted(wins, height).sum(axis=0)
            first[k] += (height == height.max(axis=1, keepdims=True)).sum(axis=0)
    return [Stability(resamples, p / resamples, f / resamples) for p, f in zip(pairs, first, strict=True)]
