"""What would have been found in other data: votes drawn again, or games of a model that is taken for true."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.audits.findings import contradicted, heights
from consistency_lab.audits.losses import Rule
from consistency_lab.data.votes import Votes

Floats = NDArray[np.float64]

_AT_ONCE: Final = 4_000_000


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


@final
@dataclass(frozen=True, slots=True)
class Null:
    """How many majorities a model contradicts, and how many it would if it were true (`findings`).

    Parameters
    ----------
    found
        In the data.
    mean, low, high
        In simulated data: the mean, and the ends of the middle 95 %.
    share
        The share of simulations with at least as many as in the data; both are counted as one more.
    """

    found: int
    mean: float
    low: int
    high: int
    share: float

    @property
    def is_above(self) -> bool | None:
        """Whether there are more than in the middle 95 %; None if simulations are too few to tell at 5 %."""
        if self.found <= self.high:
            return False
        return True if self.share < 0.05 else None


def bradley_terry_null(rule: Rule, votes: Votes, simulations: int, seed: int) -> Null:
    """Fit Bradley-Terry, play the decided games again with its probabilities, fit again, and count.

    Ties stay where they are: the model tells who wins a game that is decided (R. Davidson, On extending the
    Bradley-Terry model to accommodate ties, 1970), so it is fitted to these. If ties were played to a
    decision, the simulated games would be noisier than the data.

    Parameters
    ----------
    rule
        The logistic loss.
    votes
        The games.
    simulations, seed
        How many times, and the seed of all.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    wins = votes.wins / votes.denominator
    decided = votes.decided
    shared = wins - decided
    found = int(contradicted(wins[None], heights(rule.scores(wins[None]))).sum())
    strengths = rule.scores(decided[None].astype(np.float64))[0]
    # Where no minimizer exists, what separates components is infinite: all of their games go one way.
    component = connected_components(csr_array(decided), connection="strong")[1]
    together = np.equal.outer(component, component)
    within = 0.5 * (1.0 + np.tanh((strengths[:, None] - strengths[None, :]) / 2))
    chances = np.where(together, within, decided > decided.T)
    counts: list[int] = []
    generator = np.random.default_rng(seed)
    m = votes.m
    rows, columns = np.triu_indices(m, 1)
    games = (decided + decided.T)[rows, columns]
    block = max(1, _AT_ONCE // (m * m))
    for start in range(0, simulations, block):
        size = min(block, simulations - start)
        upper = generator.binomial(games, chances[rows, columns], size=(size, len(games)))
        played = np.zeros((size, m, m))
        played[:, rows, columns], played[:, columns, rows] = upper, games - upper
        played += shared
        counts += contradicted(played, heights(rule.scores(played))).sum(axis=(1, 2)).tolist()
    drawn = np.array(counts)
    low, high = np.quantile(drawn, [0.025, 0.975], method="nearest")
    share = (1 + int((drawn >= found).sum())) / (1 + simulations)
    return Null(found, float(drawn.mean()), int(low), int(high), share)
