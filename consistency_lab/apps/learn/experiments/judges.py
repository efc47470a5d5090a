"""Consistency made visible: what losses learn from n simulated judges with known preferences."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, permutations
from math import inf
from types import MappingProxyType
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.apps.learn.aggregate import CascadeMLE, Clicks, Preferences
from consistency_lab.apps.learn.experiments.exact import disagreement, expected_leads, pairwise_logistic
from consistency_lab.certify.proofs.file import sealed, verify
from consistency_lab.certify.proofs.orders import OrderQuestion
from consistency_lab.certify.separation import separation_proofs
from consistency_lab.certify.witness import certify
from consistency_lab.errors import InputError, RejectedError
from consistency_lab.frozen import frozen, frozen_with_cache
from consistency_lab.model.distribution import Distribution, loss, total_weight
from consistency_lab.model.surrogates import Term
from consistency_lab.numbers.arrays import Floats, Whole
from consistency_lab.numbers.exact import LogRational, Matrix, integer_multiple
from consistency_lab.numbers.phi import named
from consistency_lab.solve.minimize import minimize
from consistency_lab.solve.optimal import optimal_orders

# --- Checks that the numbers of a plan are in range ---------------------------------------------------------


def check_ranges(plan: object, above: Iterable[str], least: Iterable[str]) -> None:
    """Refuse a plan with a number out of range."""
    for name in above:
        value = getattr(plan, name)
        for one in value if isinstance(value, tuple) else (value,):
            if not 0 < one < inf:
                raise InputError(f"{name} is {one}; it must be finite and above 0")
    for name in least:
        if getattr(plan, name) < 0:
            raise InputError(f"{name} is {getattr(plan, name)}; it must be at least 0")


# --- Judges whose preferences are known: how often they prefer each item, and which order is right -------


_SAME: Final = 1e-9
"""Scores closer than this are tied."""


@frozen
class Limit:
    """The result of the pairwise logistic loss on infinitely many judgments."""

    order: tuple[int, ...]  #: The items by falling score.
    regret: Fraction  #: Of that order, as a share of all preferences; exact.
    certified: str  #: What is proved about the order, in words; empty if nothing is.


@frozen_with_cache
class Instance:
    """A population of judges, each comparing two items."""

    #: Its name, and a title that says what it shows.
    name: str
    title: str
    items: tuple[str, ...]  #: Names.
    wins: Matrix  #: A judge says "i before j" with a chance proportional to this.
    #: A row of whole numbers for each item; None for one weight an item.
    features: tuple[tuple[int, ...], ...] | None
    source: str  #: Where it comes from.

    @cached_property
    def a(self) -> Floats:
        """How often one judge says "i before j"; the entries sum to 1."""
        counts = np.array(self.wins, dtype=np.float64)
        return np.asarray(counts / counts.sum())

    @cached_property
    def X(self) -> Floats:
        return np.eye(len(self.items)) if self.features is None else np.array(self.features, dtype=np.float64)

    @cached_property
    def best(self) -> tuple[int, ...]:
        """An order of least pairwise disagreement."""
        return next(iter(optimal_orders(self.wins).orders(1)))

    @cached_property
    def _whole(self) -> tuple[Floats, float]:
        """The wins as whole numbers, which floats add up exactly, and what the best order contradicts."""
        numbers, scale = integer_multiple(x for row in self.wins for x in row)
        wins = np.array(numbers, dtype=np.float64).reshape(len(self.wins), -1)
        return wins, float(scale * loss(self.wins, self.best))

    def exact_regret(self, order: tuple[int, ...]) -> Fraction:
        """The excess cost of an order over the best one, as a share of all preferences (DMJ10 Eq. 7)."""
        return (loss(self.wins, order) - loss(self.wins, self.best)) / total_weight(self.wins)

    def regret(self, scores: Floats) -> float:
        """`exact_regret` of scores, 0 exactly if it is; tied items count half for either order."""
        wins, least = self._whole
        return (disagreement(wins, scores, _SAME) - least) / float(wins.sum())

    def counts(self, n: int, rng: np.random.Generator) -> Floats:
        """The judgments of n judges: how often "i before j", shape (m, m)."""
        return np.asarray(rng.multinomial(n, self.a.ravel()).reshape(self.a.shape), dtype=np.float64)

    @cached_property
    def limit(self) -> Limit:
        """The limit of the pairwise logistic loss; the core accepts a proof of `certified`."""
        if self.features is not None:
            return _with_features(self, self.features)
        p = Distribution.from_aggregate(self.wins, self.items)
        witness = certify("logistic", p)
        scores = minimize("logistic", p).scores if witness is None else [float(x) for x in witness.scores]
        said = "" if witness is None else f"the order is {'wrong' if witness.inconsistent else 'optimal'}"
        return _limit(self, np.array(scores), said)

    def regret_bound(self, n: int) -> float:
        r"""What n judges lose at most in expectation, by the aggregated loss.

        .. math:: \min(1, \sum_{i,j: a_{ij} > a_{ji}} e^{-n (\sqrt{a_{ij}} - \sqrt{a_{ji}})^2})
                  \sum_{i,j} [a_{ij} - a_{ji}]_+

        The first factor bounds the chance that a majority is false or tied (Chernoff, for N_ji - N_ij >= 0);
        the second what any order contradicts beyond the best one. Without a false majority all of them agree
        with the best order, if each pair has a majority, and the difference-graph loss falls to its infimum
        only where the scores agree with them all.
        """
        roots, pairs = np.sqrt(self.a), list(combinations(self.best, 2))
        chance = sum(float(np.exp(-n * (roots[i, j] - roots[j, i]) ** 2)) for i, j in pairs)
        return min(1.0, chance) * sum(float(self.a[i, j] - self.a[j, i]) for i, j in pairs)


def _limit(instance: Instance, scores: Floats, certified: str) -> Limit:
    order = tuple(int(k) for k in np.argsort(-scores, kind="stable"))
    return Limit(order, instance.exact_regret(order), certified)


def _with_features(instance: Instance, features: tuple[tuple[int, ...], ...]) -> Limit:
    """The minimizer within linear scores; certified is one pair that it has the wrong way round."""
    phi, nothing, d = named("logistic").expression, LogRational(Fraction(0)), len(features[0])
    terms = []
    for i, j in permutations(range(len(features)), 2):
        v = tuple((k, x - y) for k, (x, y) in enumerate(zip(features[i], features[j], strict=True)) if x != y)
        if instance.wins[i][j]:
            terms.append(Term(instance.wins[i][j], phi, v, nothing))
    weights = minimize(terms, d).scores
    names = tuple(f"w{k + 1}" for k in range(d))
    for i, j in combinations(instance.best, 2):
        apart = np.subtract(features[i], features[j])
        if (apart @ weights) >= 0 or np.count_nonzero(apart) != 2 or apart.sum() != 0:
            continue
        p, q = int(apart.argmax()), int(apart.argmin())
        better = (p, q, *(k for k in range(d) if k not in (p, q)))
        costs = {(p, q): instance.wins[i][j] - instance.wins[j][i]}
        question = OrderQuestion(terms, costs, names, better)
        for proof in separation_proofs(question, weights.tolist(), [(q, p)]):
            try:
                verify(sealed(proof, {}, {}))
            except RejectedError:
                continue
            said = f"{instance.items[j]} stands above {instance.items[i]}"
            return _limit(instance, instance.X @ weights, said)
    return _limit(instance, instance.X @ weights, "")


def _matrix(rows: tuple[tuple[int, ...], ...]) -> Matrix:
    return tuple(tuple(map(Fraction, row)) for row in rows)


def _bradley_terry(strengths: tuple[int, ...]) -> Matrix:
    return tuple(
        tuple(Fraction(x, x + y) if i != j else Fraction(0) for j, y in enumerate(strengths))
        for i, x in enumerate(strengths)
    )


INSTANCES: Final[Mapping[str, Instance]] = MappingProxyType(
    {
        instance.name: instance
        for instance in (
            Instance(
                "lemma-10",
                "logistic is wrong",
                ("1", "2", "3"),
                _matrix(((0, 3, 8), (0, 0, 1), (4, 0, 0))),
                None,
                "counterexamples/logistic-additive-3items-ca20d338.json, after DMJ10 Lemma 10",
            ),
            Instance(
                "features",
                "logistic is wrong, scores from features",
                ("A", "B", "C", "D"),
                _matrix(((0, 1, 3, 3), (3, 0, 3, 3), (1, 1, 0, 0), (1, 1, 4, 0))),
                ((0, 0), (0, -3), (2, -1), (3, -2)),
                "pairs of three rankings B > A > D > C and one D > C > A > B: all prefer D to C",
            ),
            Instance(
                "bradley-terry",
                "logistic is right",
                ("1", "2", "3", "4", "5", "6"),
                _bradley_terry((6, 5, 4, 3, 2, 1)),
                None,
                "Bradley and Terry's model with strengths 6, 5, 4, 3, 2, 1, all pairs equally often",
            ),
        )
    }
)


# --- Simulated judges, with a known best order -----------------------------------------------------------
# Bradley-Terry pairs, and clicks of the cascade model.


@final
@dataclass(frozen=True, eq=False)
class Judged:
    """Rows of a feature matrix, grouped into queries, each with its relevance."""

    relevance: Floats  #: Shape (N,): r, the larger the better.
    queries: Whole  #: Shape (N,): the number of each row's query, 0 to Q - 1; rows of a query stand together.

    def __post_init__(self) -> None:
        steps = np.diff(self.queries, prepend=-1)
        if self.relevance.shape != self.queries.shape or not np.isin(steps, (0, 1)).all():
            raise InputError(
                "the queries must be numbered 0, 1, ... in the order of the rows, one number per row"
            )

    @property
    def sizes(self) -> Whole:
        """Shape (Q,): the rows of each query."""
        return np.bincount(self.queries)

    @property
    def starts(self) -> Whole:
        """Shape (Q,): the first row of each query."""
        starts: Whole = np.cumsum(self.sizes) - self.sizes
        return starts

    def limiting_scores(self) -> Floats:
        """The score to which the average log odds converge, s_i = r_i - mean of r over the query.

        With P(i preferred to j) = 1 / (1 + exp(r_j - r_i)) the log odds are r_i - r_j, and their average over
        all j of the query, i itself among them, is this (DMJ13 Section 6.3).
        """
        means = np.add.reduceat(self.relevance, self.starts) / self.sizes
        scores: Floats = self.relevance - means[self.queries]
        return scores

    def btl_frequencies(self, query: int) -> Floats:
        """The probability that one comparison within a query says "i before j", shape (m, m), of sum 1."""
        r = self.relevance[self.queries == query]
        chances = _logistic(r[:, None] - r[None, :]) * 2.0 / (len(r) * (len(r) - 1))
        np.fill_diagonal(chances, 0.0)
        return chances

    def btl_pairs(self, n: int, rng: np.random.Generator) -> Preferences:
        """Draw n comparisons: a query uniformly, two of its rows uniformly, the winner by Bradley and Terry.

        The first row of a pair wins with probability 1 / (1 + exp(r_second - r_first)) (DMJ13 Section 6.3).
        Queries with one row are never drawn.
        """
        able = np.flatnonzero(self.sizes > 1)
        if not len(able):
            raise InputError("every query has only one row; a comparison needs two")
        query = able[rng.integers(0, len(able), n)]
        sizes, starts = self.sizes[query], self.starts[query]
        first = rng.integers(0, sizes)
        second = rng.integers(0, sizes - 1)
        second += second >= first
        first, second = starts + first, starts + second
        wins = rng.random(n) < _logistic(self.relevance[first] - self.relevance[second])
        return Preferences(np.where(wins, first, second), np.where(wins, second, first), self.queries)


def click_chances(satisfies: Floats, shown: Whole) -> Floats:
    r"""The probability of a click at each position of a list, in the cascade model.

    A reader starts at the top and clicks the first row that satisfies, so the chance at position t is

    .. math:: p_{\sigma(t)} \prod_{u < t} (1 - p_{\sigma(u)}).
    """
    p = satisfies[shown]
    reaches = np.concatenate([[1.0], np.cumprod(1.0 - p)])
    return np.append(p * reaches[:-1], reaches[-1])


def cascade_sessions(
    satisfies: Floats, lists: Sequence[Whole], chances: Floats, n: int, rng: np.random.Generator
) -> Clicks:
    """Draw n sessions of one query in the cascade model (DMJ13 Section 4.2)."""
    if not ((satisfies >= 0) & (satisfies <= 1)).all():
        raise InputError("the chance that a row satisfies must be from 0 to 1")
    which = rng.choice(len(lists), size=n, p=chances)
    ends = [np.cumsum(click_chances(satisfies, one))[:-1] for one in lists]
    draws = rng.random(n)
    at = [int(np.searchsorted(ends[one], draw, side="right")) for one, draw in zip(which, draws, strict=True)]
    clicked = [None if t == len(lists[one]) else t for one, t in zip(which, at, strict=True)]
    return Clicks([lists[one] for one in which], clicked, np.zeros(len(satisfies), dtype=np.int64))


def _logistic(x: Floats) -> Floats:
    chances: Floats = 1.0 / (1.0 + np.exp(-x))
    return chances


# --- Consistency made visible ----------------------------------------------------------------------------
# What losses learn from n simulated judges whose best order is known.

Tell = Callable[[str], None]

PAIRWISE: Final = "pairwise logistic"
AGGREGATED: Final = "aggregated, k = n"
ORDER_K: Final = "order k"
CASCADE: Final = "cascade model"

SATISFIES: Final = (0.5, 0.4, 0.3)
LISTS: Final = ((0, 1, 2), (2, 1, 0))
CHANCES: Final = (0.9, 0.1)
"""Clicks: how often each row satisfies, the lists that are shown, and how often."""


@frozen
class JudgesPlan:
    """The settings of the experiment."""

    #: Numbers n of judges.
    sizes: tuple[int, ...] = (10, 15, 20, 30, 50, 70, 100, 200, 500, 1000, 2000, 5000)
    orders: tuple[int, ...] = (1, 2, 3, 5, 8, 12, 20, 32, 50)  #: Orders k of the aggregation.
    runs: int = 100  #: Number of draws of the judges.
    lam: float = 1e-6  #: Of the penalty lam |w|^2/2, so small that it only chooses among minimizers.
    seed: int = 0  #: Of all draws.

    def __post_init__(self) -> None:
        check_ranges(self, ("sizes", "orders", "runs", "lam"), ("seed",))


def judges(plan: JudgesPlan, tell: Tell = lambda _: None) -> dict[str, Any]:
    """Measure what losses learn from simulated judges.

    For each of `INSTANCES` n judges are drawn, and the order is that of the minimizer of the pairwise
    logistic risk, and of the U-statistic of order k with the difference-graph loss, neither of them sampled.
    For clicks, the pairwise logistic risk of "clicked over passed by", and estimates of the cascade model.
    """
    return {
        "experiment": "judges",
        "settings": asdict(plan),
        "instances": [_compared(instance, plan, tell) for instance in INSTANCES.values()],
        "clicks": _clicked(plan, tell),
    }


def learned(instance: Instance, weights: Floats, lam: float) -> Floats:
    """The scores that minimize the logistic loss with these weights of pairs."""
    return np.asarray(instance.X @ pairwise_logistic([instance.X], [weights], lam))


def _compared(instance: Instance, plan: JudgesPlan, tell: Tell) -> dict[str, Any]:
    rows: list[dict[str, Any]] = []
    for n in plan.sizes:
        tell(f"{instance.name}, {n} judges")
        orders = [k for k in plan.orders if k < n]
        found: dict[tuple[str, int], list[float]] = {}
        for run in range(plan.runs):
            counts = instance.counts(n, np.random.default_rng([plan.seed, n, run]))
            weights = {(PAIRWISE, 1): counts, (AGGREGATED, n): np.maximum(counts - counts.T, 0.0)}
            weights |= {(ORDER_K, k): expected_leads(counts, k, n) for k in orders}
            for key, one in weights.items():
                found.setdefault(key, []).append(instance.regret(learned(instance, one, plan.lam)))
        rows += [{"loss": loss, "n": n, "k": k, "regrets": regrets} for (loss, k), regrets in found.items()]
    limits = {
        k: instance.regret(learned(instance, expected_leads(instance.a, k), plan.lam)) for k in plan.orders
    }
    return {
        "name": instance.name,
        "title": instance.title,
        "source": instance.source,
        "best": [instance.items[k] for k in instance.best],
        "logistic_limit": {
            "order": [instance.items[k] for k in instance.limit.order],
            "regret": str(instance.limit.regret),
            "certified": instance.limit.certified,
        },
        "limits_by_k": [{"k": k, "regret": regret} for k, regret in limits.items()],
        "bounds": [{"n": n, "regret": instance.regret_bound(n)} for n in plan.sizes],
        "measured": rows,
    }


def _clicked(plan: JudgesPlan, tell: Tell) -> dict[str, Any]:
    p, lists, chances = np.array(SATISFIES), [np.array(one) for one in LISTS], np.array(CHANCES)
    worse = np.maximum(p[:, None] - p[None, :], 0.0)  # what it costs to have i below j

    def regret(scores: Floats) -> float:
        return disagreement(worse, scores) / float(worse.sum())

    def pairwise(wins: Floats) -> Floats:
        return pairwise_logistic([np.eye(len(p))], [wins], plan.lam)

    rows = []
    for n in plan.sizes:
        tell(f"clicks, {n} sessions")
        found: dict[str, list[float]] = {PAIRWISE: [], CASCADE: []}
        for run in range(plan.runs):
            clicks = cascade_sessions(p, lists, chances, n, np.random.default_rng([plan.seed, n, run]))
            found[PAIRWISE].append(regret(pairwise(passed_by(clicks))))
            found[CASCADE].append(regret(CascadeMLE().scores(*clicks.counts())))
        rows += [{"loss": loss, "n": n, "k": n, "regrets": regrets} for loss, regrets in found.items()]
    return {
        "name": "clicks",
        "title": "majorities of pairs are wrong",
        "satisfies": SATISFIES,
        "lists": LISTS,
        "chances": CHANCES,
        "logistic_limit": {"regret": regret(pairwise(expected_pairs(p, lists, chances)))},
        "measured": rows,
    }


def passed_by(clicks: Clicks) -> Floats:
    """How often row i was clicked, and row j above it was not: a pair for every such j."""
    pairs = np.zeros((len(clicks), len(clicks)))
    np.add.at(pairs, clicks.passed_by(), 1.0)
    return pairs


def expected_pairs(satisfies: Floats, lists: Sequence[NDArray[np.int64]], chances: Floats) -> Floats:
    """How often a session gives each pair of `passed_by`, in expectation."""
    pairs = np.zeros((len(satisfies), len(satisfies)))
    for shown, weight in zip(lists, chances, strict=True):
        for place, chance in enumerate(click_chances(satisfies, shown)[:-1]):
            pairs[shown[place], shown[:place]] += weight * chance
    return pairs
