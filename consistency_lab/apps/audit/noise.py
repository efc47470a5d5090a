"""Is a finding noise? Exact tests, resamples, and games of a fitted model."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.apps.audit.board import KEPT, Drawn
from consistency_lab.apps.audit.findings import TIED, contradicted, heights, on_top
from consistency_lab.apps.audit.losses import Rule
from consistency_lab.data.draws import Stream
from consistency_lab.data.votes import UNKNOWN, Games, Orders, Votes
from consistency_lab.frozen import frozen
from consistency_lab.numbers.arrays import Floats, Whole

# --- Is a contradicted majority noise? That it is --------------------------------------------------------
# Is a contradicted majority noise? That it is a majority is tested, and that the loss contradicts it: the one
# by an exact test, the other by votes that are drawn again; each is corrected for all pairs that are in
# question. Only one side of the exact test can be claimed, so with half the level for each side, and for the
# other test, both together are wrong in 5 % of the data sets at most (`benchmarks/bench_level.py`).

Bits = NDArray[np.bool_]
Counts = NDArray[np.int64]

SIGNIFICANT: Final = 0.05
_ONE_SIDE: Final = SIGNIFICANT / 2
FEWEST: Final = 40
"""Fewer resamples find nothing: no p-value is less than 1 / (1 + resamples)."""

_IN_QUESTION: Final = 0.005
"""Where the scores are against a majority in fewer resamples than this, it needs no correction."""

_EXACT: Final = 4096
"""Sums over more games of clusters than this are treated as normal."""


@final
@dataclass(frozen=True, eq=False, slots=True)
class PairTests:
    """Two-sided tests of "i and j are preferred equally often", one for each ordered pair."""

    p: Floats  #: Shape (m, m): the exact binomial p-value, symmetric; 1 where nothing was compared.
    #: Shape (m, m): the same after the correction of Holm for all pairs that were compared.
    corrected: Floats


def pair_tests(wins: Counts, votes: Votes | None = None) -> PairTests:
    r"""Test for each pair that its majority is more than chance.

    Under the hypothesis that the n = k + l comparisons of a pair go either way with probability 1/2,

    .. math:: p = \min(1, 2 \Pr[\mathrm{Bin}(n, 1/2) \le \min(k, l)]),

    and Pr[Bin(n, 1/2) <= k] is the incomplete beta function I_1/2(n - k, k + 1) (DLMF 8.17.5); to import the
    distributions of SciPy would take longer than all tests. Of games in clusters the hypothesis is that what
    a cluster says of a pair it might as well have said the other way round, and p is the chance that the
    margins, with signs thrown for each cluster, add up to as much; of single games this is the same.
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
    """p-values corrected by Holm's step-down procedure (1979), which needs no independence."""
    rising = np.argsort(p, kind="stable")
    factors = np.arange(len(p), 0, -1)
    stepped = np.minimum(1.0, np.maximum.accumulate(p[rising] * factors))
    corrected = np.empty_like(stepped)
    corrected[rising] = stepped
    return corrected


def sign_flips(margins: Counts) -> float:
    """The probability that the numbers with random signs have a sum of at least the same size."""
    from scipy.special import erfc, gammaln

    observed = abs(int(margins.sum()))
    sizes, times = np.unique(np.abs(margins[margins != 0]), return_counts=True)
    total = int(sizes @ times)
    if total > _EXACT:
        return float(erfc(observed / np.sqrt(2.0 * float(sizes**2 @ times))))
    # Entry s: the probability that the positive ones sum to s.
    chances = np.ones(1)
    for size, n in zip(sizes.tolist(), times.tolist(), strict=True):
        k = np.arange(n + 1)
        one = np.zeros(n * size + 1)
        one[:: max(size, 1)] = np.exp(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1) - n * np.log(2.0))
        chances = np.convolve(chances, one)
    return min(1.0, float(chances[np.abs(2 * np.arange(total + 1) - total) >= observed].sum()))


@final
@dataclass(frozen=True, eq=False, slots=True)
class Stability:
    """How often findings persist in resampled votes."""

    resamples: int  #: How many there were.
    #: Shape (m, m): the share in which there is a majority for i over j and the scores say otherwise.
    pairs: Floats
    first: Floats  #: Shape (m,): the share in which an item is first; of those tied there each has a part.
    drawn: Drawn  #: The scores.

    def standing(self, majorities: Bits, scores: Floats) -> tuple[Bits, Bits]:
        r"""Which of these majorities the scores contradict beyond chance, and for which this stays open.

        Let :math:`d_{ij} = s_j - s_i`, with the error :math:`\sigma_{ij}` in resamples. A majority for i over
        j is contradicted beyond chance if :math:`d_{ij} / \sigma_{ij}` exceeds what 97.5 % of the resamples
        have as the largest :math:`(d_{kl} - d_{kl}^*) / \sigma_{kl}` of the majorities in question that were
        not found before (J. Romano and M. Wolf, Stepwise multiple testing as formalized data snooping,
        Econometrica 2005). Hence the resamples need not resolve a p-value divided by the number of pairs; for
        one pair they have to show the contradiction. Not in question is what they hardly ever contradict
        (J. Romano, A. Shaikh and M. Wolf, A practical two-step method for testing moment inequalities,
        Econometrica 2014). For few units :math:`d_{ij} / \sigma_{ij}` has Student's distribution.
        Open is what is not found, but might be with more resamples.
        """
        from scipy.special import bdtrc, ndtri, stdtr

        height, units, drawn = heights(self.drawn.scores), self.drawn.units, len(self.drawn.scores)

        def again(i: int, j: int) -> Floats:
            apart: Floats = self.drawn.scores[:, j] - self.drawn.scores[:, i]
            return np.where(height[:, j] > height[:, i], apart, np.minimum(apart, 0.0))

        asked = []
        for i, j in np.argwhere(majorities).tolist():
            apart, found = float(scores[j] - scores[i]), again(i, j)
            if (found > 0).mean() >= _IN_QUESTION:
                # Scores that no resample moves have no error, and their ratio must stay finite.
                least = np.finfo(np.float64).tiny * max(1.0, abs(apart))
                error = max(float(np.sqrt(((found - apart) ** 2).mean())), least)
                asked.append((apart / error, i, j, error))
        asked.sort()
        largest, missed = np.full(drawn, -np.inf), []
        for size, i, j, error in asked:
            largest = np.maximum(largest, (scores[j] - scores[i] - again(i, j)) / error)
            normal = -ndtri(stdtr(units - 1, -size * np.sqrt((units - 1) / units)))
            missed.append(int((~(largest < normal * (1 - np.copysign(TIED, normal)))).sum()))
        above, still_open = np.zeros_like(majorities), np.zeros_like(majorities)
        most = 0
        for (_, i, j, _), count in zip(reversed(asked), reversed(missed), strict=True):
            most = max(most, count)
            above[i, j] = (1 + most) / (1 + drawn) < _ONE_SIDE
            still_open[i, j] = not above[i, j] and bdtrc(most - 1, drawn, _ONE_SIDE) >= SIGNIFICANT
        return above, still_open


def stability(rules: Sequence[Rule], votes: Votes, resamples: int, seed: int) -> list[Stability]:
    """The stability of each rule, all of them on the same resampled votes."""
    m = votes.m
    pairs = np.zeros((len(rules), m, m))
    first = np.zeros((len(rules), m))
    kept: list[list[Floats]] = [[] for _ in rules]
    parts: list[list[Whole]] = [[] for _ in rules]
    left = KEPT
    for wins in votes.resampled(resamples, seed):
        for k, rule in enumerate(rules):
            scores, together = rule.fitted(wins)
            height = heights(scores)
            pairs[k] += contradicted(wins, height).sum(axis=0)
            first[k] += on_top(height).sum(axis=0)
            if left > 0:
                kept[k].append(scores[:left])
                parts[k].append(together[:left])
        left -= len(wins)
    return [
        Stability(
            resamples,
            pairs[k] / resamples,
            first[k] / resamples,
            Drawn(np.concatenate(kept[k]), np.concatenate(parts[k]), votes.units),
        )
        for k in range(len(rules))
    ]


# --- Does Bradley-Terry fit, and how many majorities would it contradict if it were true? ----------------
# A test of fit, whose distribution under the model is simulated, since sparse or dependent votes have none in
# tables. The number of contradicted majorities is described alone: it hardly grows with the misfit.
#
# The fitted strengths spread more than the true ones, by the errors of the fit, and strengths further apart
# contradict fewer majorities: played again as they are, they would find more than chance in data where there
# is nothing. So each simulation draws the strengths too, from a normal distribution about the fit that is
# pulled together by a prior; its variance is estimated from the data (empirical Bayes; D. MacKay, Bayesian
# interpolation, 1992). `benchmarks/bench_level.py` measures how often it is wrong; see docs/audit.md.
#
# Dependent comparisons are simulated together. A ballot is drawn whole, item by item from the top
# (R. Plackett, The analysis of permutations, 1975; R. Luce, Individual choice behavior, 1959), as long as it
# was: of two items of which one at least is ranked each comes first with its probability under Bradley-Terry,
# so the model of single comparisons is true of such ballots. It has no word for ties above the end of a
# ballot. In a cluster of comparisons each item has its own strength, and how far these vary is estimated.

_AT_ONCE: Final = 4_000_000
DEVIATION: Final = 0.5
"""The deviation of the log-odds of pairs of which the power is told: 62 : 38 instead of 50 : 50."""

_WIDEST: Final = 100.0
"""The largest variance of strengths: a difference of ten is won 22,000 times to 1."""

_CONVERGED: Final = 1e-3
_ROUNDS: Final = 100
_UPPER_TIES: Final = 0.05
"""With more ballots than this that tie items above their end, nothing is simulated."""

_TRIALS: Final = 12
_PLAYS: Final = 4
_LARGEST_SPREAD: Final = 4.0


@frozen
class Null:
    """How well a model fits, and what it contradicts, in the data and in data simulated from the model."""

    misfit: float  #: Of the data, in standard errors about: how far pairs are from their fitted chances.
    misfit_high: float  #: What 95 % of simulations do not exceed.
    share: float  #: The share of simulations with as much, the p-value; the data are counted as one more.
    #: In what share of such data a misfit is found if the log-odds of pairs deviate by N(0, `DEVIATION`^2);
    #: None where one was found, and for ballots.
    power: float | None
    found: int  #: How many majorities it contradicts in the data.
    #: How many in simulated data: the mean, and the ends of the middle 95 %.
    mean: float
    low: int
    high: int

    @property
    def is_above(self) -> bool | None:
        """Whether the misfit is more than chance explains; None if simulations are too few."""
        if self.misfit <= self.misfit_high:
            return False
        return True if self.share < SIGNIFICANT else None


def bradley_terry_null(rule: Rule, votes: Votes, simulations: int, seed: int) -> Null | None:
    r"""Fit Bradley-Terry, simulate with its probabilities, and fit again: misfit and contradicted majorities.

    Of pairs with k wins in n games and the fitted chance p the misfit is the sum of :math:`(k - np)^2` less
    its expectation, over the root of its variance: the score test of chances that vary by more than the model
    says (C. Dean, Testing for overdispersion in Poisson and binomial regression models, 1992). It is
    Pearson's statistic with weights np(1-p): pairs that nearly always end alike do not drown the others.

    Ties stay where they are: the model tells who wins a game that is decided (R. Davidson, On extending the
    Bradley-Terry model to accommodate ties, 1970), so it is fitted to these. If ties were played to a
    decision, the simulated games would be noisier than the data.

    None for ballots that tie items above their end, of which the model says nothing.
    """
    generator = Stream(seed)
    model = _model(votes, generator)
    if model is None:
        return None
    center, root = _posterior(model)

    def drawn(deviation: float) -> Iterator[Floats]:
        block = max(1, _AT_ONCE // votes.m**2)
        for start in range(0, simulations, block):
            noise = generator.normal(size=(min(block, simulations - start), votes.m))
            shape = (len(noise), votes.m, votes.m)
            bent = deviation * generator.normal(size=shape) if deviation else np.zeros(shape)
            yield model.played(center + noise @ root.T, bent, generator)

    def told(played: Floats) -> tuple[Whole, Floats]:
        """How many majorities it contradicts, and the misfit: of one fit where nothing is tied."""
        fitted, whole = rule.fitted(played), played + model.fixed
        scores = rule.scores(whole) if model.fixed.any() else fitted[0]
        return contradicted(whole, heights(scores)).sum(axis=(1, 2)), _misfit(played, *fitted)

    (wrong,), (misfit,) = (part.tolist() for part in told(votes.wins[None] / votes.denominator - model.fixed))
    numbers, misfits = zip(*map(told, drawn(0.0)), strict=True)
    number, chance = np.concatenate(numbers), np.concatenate(misfits)
    low, high = np.quantile(number, [0.025, 0.975], method="nearest")
    most = float(np.quantile(chance, 1 - SIGNIFICANT, method="nearest"))
    power = None
    if misfit <= most and model.bends:
        bent = [_misfit(played, *rule.fitted(played)) for played in drawn(DEVIATION)]
        power = float(np.mean(np.concatenate(bent) > most))
    share = (1 + int((chance >= misfit).sum())) / (1 + simulations)
    return Null(misfit, most, share, power, wrong, float(number.mean()), int(low), int(high))


def _misfit(wins: Floats, scores: Floats, part: Whole) -> Floats:
    """See `bradley_terry_null`; rounded, since equal games fitted in other company differ in last digits."""
    m = wins.shape[1]
    i, j = np.triu_indices(m, 1)
    won, joined = wins[:, i, j], part[:, i] == part[:, j]
    games = won + wins[:, j, i]
    # Who loses to none of another component has chance 1.
    chance = np.where(joined, _chance(scores[:, i] - scores[:, j]), won > 0)
    bend = chance * (1.0 - chance)
    spread = games * bend
    # What the fit leaves of the variance of a pair: nothing where no other pair says anything of it.
    same = part[:, :, None] == part[:, None, :]
    matrix = same / same.sum(axis=2, keepdims=True)
    matrix[:, i, j] -= spread
    matrix[:, j, i] -= spread
    # The rows of shares sum to 1, and with these diagonals those of spreads sum to 0.
    matrix[:, range(m), range(m)] += 1.0 - matrix.sum(axis=2)
    inverse = _inverses(matrix)
    own = np.diagonal(inverse, axis1=1, axis2=2)
    left = 1.0 - spread * (own[:, i] + own[:, j] - 2.0 * inverse[:, i, j])
    beyond = ((won - games * chance) ** 2 - spread * left).sum(axis=1)
    variance = (spread * (1.0 + 2.0 * spread - 6.0 * bend)).sum(axis=1)
    residuals: Floats = np.round(beyond / np.sqrt(np.where(variance > 0, variance, np.inf)), 6)
    return residuals


def _inverses(matrices: Floats) -> Floats:
    """Those of positive definite matrices (b, m, m)."""
    from scipy.linalg.lapack import dpotrf, dpotri

    inverses = np.empty_like(matrices)
    for matrix, inverse in zip(matrices, inverses, strict=True):
        factor, failed = dpotrf(matrix)
        inverse[:] = np.linalg.inv(matrix) if failed else np.triu(dpotri(factor)[0])
        if not failed:
            inverse += np.triu(inverse, 1).T
    return inverses


class _Model(ABC):
    """A model with a strength for each item."""

    m: int
    fixed: Floats
    bends: bool = True

    @abstractmethod
    def expanded(self, strengths: Floats) -> tuple[Floats, Floats]:
        """The gradient of the log-likelihood, and the Hessian's negative."""

    @abstractmethod
    def played(self, strengths: Floats, bent: Floats, generator: Stream) -> Floats:
        """Simulated wins (b, m, m), a row of strengths each; log-odds of i over j > i deviate by `bent`."""


def _model(votes: Votes, generator: Stream) -> _Model | None:
    if isinstance(votes, Orders):
        return _Rankings.of(votes)
    assert isinstance(votes, Games)
    return _Comparisons(votes) if votes.cluster is None else _Clusters(votes, generator)


def _posterior(model: _Model) -> tuple[Floats, Floats]:
    """The mean of the strengths, and a root of their covariance, under a normal prior fitted to the data."""
    strengths, variance = np.zeros(model.m), 1.0
    for _ in range(_ROUNDS):
        for _ in range(_ROUNDS):
            gradient, information = model.expanded(strengths)
            covariance = np.linalg.inv(information + np.eye(model.m) / variance)
            step = covariance @ (gradient - strengths / variance)
            length = float(np.abs(step).max())
            strengths = strengths + step / max(1.0, length)
            if length < _CONVERGED / 10:
                break
        # What the data determine of the m strengths; a shift of all they do not.
        determined = model.m - float(np.trace(covariance)) / variance
        new = min(float(strengths @ strengths) / max(determined, 1e-9), _WIDEST)
        if abs(new - variance) <= _CONVERGED * variance + 1e-6:
            break
        variance = max(new, 1e-9)
    return strengths, np.linalg.cholesky(covariance)


def _chance(difference: Floats) -> Floats:
    return np.asarray(0.5 * (1.0 + np.tanh(difference / 2)))


@final
class _Comparisons(_Model):
    """Independent games."""

    def __init__(self, votes: Games, weight: float = 1.0) -> None:
        self.m = votes.m
        self._wins = votes.decided.astype(np.float64)
        self.fixed = votes.wins / votes.denominator - self._wins
        self._weight = weight

    def expanded(self, strengths: Floats) -> tuple[Floats, Floats]:
        games = self._wins + self._wins.T
        chance = _chance(strengths[:, None] - strengths[None, :])
        bend = games * chance * (1.0 - chance)
        gradient = (self._wins - games * chance).sum(axis=1)
        return self._weight * gradient, self._weight * (np.diag(bend.sum(axis=1)) - bend)

    def played(self, strengths: Floats, bent: Floats, generator: Stream) -> Floats:
        i, j = np.triu_indices(self.m, 1)
        games = (self._wins + self._wins.T)[i, j].astype(np.int64)
        wins = np.zeros((len(strengths), self.m, self.m))
        wins[:, i, j] = generator.binomial(games, _chance(strengths[:, i] - strengths[:, j] + bent[:, i, j]))
        wins[:, j, i] = games - wins[:, i, j]
        return wins


@final
class _Clusters(_Model):
    """Games in clusters with strengths of their own, whose variance is estimated from residuals."""

    def __init__(self, votes: Games, generator: Stream) -> None:
        assert votes.cluster is not None
        self.m = votes.m
        decided = np.ones(len(votes.counts), dtype=bool) if votes.tied is None else ~votes.tied
        i, j = votes.first[decided], votes.second[decided]
        code = (votes.cluster[decided] * self.m + np.minimum(i, j)) * self.m + np.maximum(i, j)
        unit, place = np.unique(code, return_inverse=True)
        counts = votes.counts[decided].astype(np.float64)
        self._games = np.bincount(place, counts).astype(np.int64)
        self._won = np.bincount(place, counts * (i < j)).astype(np.float64)
        self._i, self._j = unit // self.m % self.m, unit % self.m
        cluster = unit // self.m**2
        known, member = np.unique(
            np.concatenate([cluster * self.m + self._i, cluster * self.m + self._j]), return_inverse=True
        )
        self._members, self._above, self._below = len(known), member[: len(unit)], member[len(unit) :]
        self._spread = 0.0
        single = _Comparisons(votes)
        self.fixed = single.fixed
        strengths, _ = _posterior(single)
        chance = _chance(strengths[self._i] - strengths[self._j])
        alone = 2.0 * float((self._games * chance * (1.0 - chance)).sum())
        found = self._scattered(self._won, chance)
        self._model = _Comparisons(votes, min(1.0, alone / max(found, 1e-300)))
        low, high = 0.0, _LARGEST_SPREAD
        for _ in range(_TRIALS):
            self._spread = (low + high) / 2
            apart = np.tile(strengths[self._i] - strengths[self._j], (_PLAYS, 1))
            seen = self._units(apart, Stream(0))
            above = np.mean([self._scattered(won, chance) for won in seen]) > found
            low, high = (low, self._spread) if above else (self._spread, high)
        self._spread = low

    def _scattered(self, won: Floats, chance: Floats) -> float:
        """The sum of squares of wins in clusters minus their expectation."""
        beyond = won - self._games * chance
        sums = np.bincount(self._above, beyond, self._members) - np.bincount(
            self._below, beyond, self._members
        )
        return float(sums @ sums)

    def _units(self, apart: Floats, generator: Stream) -> Floats:
        """The wins of the first item of each pair in each cluster, which the log-odds of all say."""
        # Averaged over clusters, probabilities are nearer to 1/2 (Demidenko, Mixed models, 2013, 7.1.2).
        stretch = np.sqrt(1.0 + (16 * np.sqrt(3) / (15 * np.pi)) ** 2 * 2 * self._spread**2)
        won = np.empty(apart.shape)
        for k, one in enumerate(apart):
            own = self._spread * generator.normal(size=self._members)
            beyond = own[self._above] - own[self._below]
            won[k] = generator.binomial(self._games, _chance(stretch * one + beyond))
        return won

    def expanded(self, strengths: Floats) -> tuple[Floats, Floats]:
        return self._model.expanded(strengths)

    def played(self, strengths: Floats, bent: Floats, generator: Stream) -> Floats:
        wins = np.zeros((len(strengths), self.m * self.m))
        apart = strengths[:, self._i] - strengths[:, self._j] + bent[:, self._i, self._j]
        for k, won in enumerate(self._units(apart, generator)):
            wins[k] += np.bincount(self._i * self.m + self._j, won, self.m**2)
            wins[k] += np.bincount(self._j * self.m + self._i, self._games - won, self.m**2)
        return wins.reshape(-1, self.m, self.m)


@final
class _Rankings(_Model):
    """Ballots that rank items one by one, with the remaining known items tied at the end."""

    bends = False

    def __init__(self, votes: Orders, plain: NDArray[np.bool_]) -> None:
        self.m = votes.m
        self._levels, self._counts = votes.levels[plain], votes.counts[plain]
        self.fixed = votes.added(np.where(plain, 0, votes.counts)[None])[0].astype(np.float64)
        self._known = self._levels != UNKNOWN
        # The last level is the rest, so there is one choice fewer than levels.
        self._choices = self._levels.max(axis=1, initial=0).astype(np.int64)

    @staticmethod
    def of(votes: Orders) -> "_Rankings | None":
        """None if too many ballots tie items above their end; the few that do are kept unchanged."""
        last = votes.levels.max(axis=1, keepdims=True, initial=0)
        ranked = (votes.levels != UNKNOWN) & (votes.levels < last)
        plain: NDArray[np.bool_] = ranked.sum(axis=1) == last[:, 0]
        tied = int(votes.counts[~plain].sum())
        return _Rankings(votes, plain) if tied <= _UPPER_TIES * votes.total else None

    def expanded(self, strengths: Floats) -> tuple[Floats, Floats]:
        gradient, information = np.zeros(self.m), np.zeros((self.m, self.m))
        for stage in range(int(self._choices.max(initial=0))):
            going = self._choices > stage
            levels, counts = self._levels[going], self._counts[going].astype(np.float64)
            share = np.exp(strengths - strengths.max()) * (levels >= stage)
            share /= share.sum(axis=1, keepdims=True)
            weighted = counts[:, None] * share
            gradient += counts @ (levels == stage) - weighted.sum(axis=0)
            information += np.diag(weighted.sum(axis=0)) - share.T @ weighted
        return gradient, information

    def played(self, strengths: Floats, bent: Floats, generator: Stream) -> Floats:
        # Ballots of one length with the same items left are drawn together; a random sum identifies the set.
        names = np.random.PCG64(0).random_raw(self.m)
        wins = np.zeros((len(strengths), self.m, self.m))
        for k, one in enumerate(strengths):
            left, counts, choices = _merged(self._known, self._counts, self._choices, names)
            weights = np.exp(one - one.max())
            while len(left):
                chosen = _chosen(weights * left, counts, generator)
                wins[k] += chosen.T.astype(np.float64) @ left
                row, item = np.nonzero(chosen)
                after = left[row]
                after[np.arange(len(row)), item] = False
                left, counts, choices = _merged(after, chosen[row, item], choices[row] - 1, names)
            np.fill_diagonal(wins[k], 0.0)
        return wins


def _chosen(weights: Floats, counts: Whole, generator: Stream) -> Whole:
    """How often each column is chosen in so many draws of a row, shape (n, m)."""
    chosen = np.zeros(weights.shape, dtype=np.int64)
    several = counts > 1
    shares = weights[several] / weights[several].sum(axis=1, keepdims=True)
    chosen[several] = generator.multinomial(counts[several], shares)
    # Most rows are drawn only once, for which this is much faster.
    reached = weights[~several].cumsum(axis=1)
    drawn = generator.random((len(reached), 1)) * reached[:, -1:]
    chosen[np.flatnonzero(~several), (drawn >= reached).sum(axis=1)] = 1
    return chosen


def _merged(
    left: NDArray[np.bool_], counts: Whole, choices: Whole, names: NDArray[np.uint64]
) -> tuple[NDArray[np.bool_], Whole, Whole]:
    """Merge equal rows and drop those with no choice left."""
    going = choices > 0
    left, counts, choices = left[going], counts[going], choices[going]
    key = left @ names + choices.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    _, first, place = np.unique(key, return_index=True, return_inverse=True)
    return left[first], np.bincount(place, counts, len(first)).astype(np.int64), choices[first]
