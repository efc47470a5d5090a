"""DMJ13 section 6: NDCG risk of three estimators on web search data, against k, n and lambda."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.apps.learn.aggregate import AverageAdjacency, BTLLogOdds, Preferences
from consistency_lab.apps.learn.aggregate.preferences import Query
from consistency_lab.apps.learn.experiments.exact import expected_scores, least_squares, pairwise_logistic
from consistency_lab.apps.learn.experiments.judges import Judged, check_ranges
from consistency_lab.data.letor import documents
from consistency_lab.data.text import located
from consistency_lab.errors import InputError, need
from consistency_lab.frozen import frozen
from consistency_lab.numbers.arrays import Floats, Whole

if TYPE_CHECKING:
    from consistency_lab.apps.learn import StructureRanker


# --- Judged documents as arrays --------------------------------------------------------------------------

_BLOCK: Final = 5_000
"""The number of lines held as text at a time; earlier ones are arrays."""


@final
@dataclass(frozen=True, eq=False)
class Letor:
    """Documents of queries, with their features and grades."""

    #: Shape (N, d); a feature that a line leaves out is 0, and one that it calls NULL is not a number.
    features: Floats
    grades: Floats  #: Shape (N,): the label of each document.
    #: Shape (N,): the number of each document's query, from 0 on; documents of a query stand together.
    queries: NDArray[np.int64]
    names: tuple[str, ...]  #: What the file calls the queries.


def read_letor(path: str | os.PathLike[str], queries: int | None = None) -> Letor:
    """Read a file of LETOR as arrays; `queries` is the most that are read."""
    name = os.fspath(path)
    blocks: list[Floats] = []
    grades: list[float] = []
    codes: list[int] = []
    names: dict[str, None] = {}
    rows: list[list[tuple[int, float]]] = []
    width = 0
    for line, code, query, grade, pairs in documents(name):
        if code == len(names):
            if code == queries:
                break
            if query in names:
                raise InputError(
                    f"{name}, line {line}: query {query[:40]} resumes here; keep its lines together"
                )
            names[query] = None
        grades.append(grade)
        codes.append(code)
        rows.append(pairs)
        width = max(width, pairs[-1][0]) if pairs else width
        if len(rows) == _BLOCK:
            blocks.append(_dense(rows, width))
            rows = []
    blocks.append(_dense(rows, width))
    if not grades:
        raise InputError(f"{name} is empty; expected lines such as 2 qid:10 1:0.5 2:0 # comment")
    wide = [np.pad(block, ((0, 0), (0, width - block.shape[1]))) for block in blocks]
    return Letor(np.concatenate(wide), np.array(grades), np.array(codes, dtype=np.int64), tuple(names))


def _dense(rows: Sequence[Sequence[tuple[int, float]]], width: int) -> Floats:
    matrix = np.zeros((len(rows), width))
    for row, pairs in zip(matrix, rows, strict=True):
        for k, value in pairs:
            row[k - 1] = value
    return matrix


# --- Means of repeated runs, with confidence bands -------------------------------------------------------


@final
class Band(NamedTuple):
    """A mean and the 90 % confidence interval around it."""

    mean: float
    low: float
    high: float


def band(values: Sequence[float]) -> Band:
    """The mean of independent runs with its interval by Student's t; for one run only the mean."""
    from scipy.special import stdtrit

    runs = np.asarray(values, dtype=np.float64)
    mean = float(runs.mean())
    if len(runs) < 2:
        return Band(mean, mean, mean)
    half = float(stdtrit(len(runs) - 1, 0.95)) * float(runs.std(ddof=1)) / len(runs) ** 0.5
    return Band(mean, mean - half, mean + half)


# --- The NDCG risk of scores -----------------------------------------------------------------------------
# The share of a perfect order's gain that is lost, averaged over queries.


def ndcg_losses(scores: Floats, relevance: Floats, queries: Whole, cutoff: int | None = None) -> Floats:
    r"""The loss 1 - NDCG of each query that has documents of different relevance.

    With gains G and the usual discount (the NDCG family of DMJ13 Section 3; Section 6.3 has the gains of
    the limiting scores),

    .. math:: 1 - \frac{1}{Z} \sum_j \frac{G_j}{\log_2(1 + \pi(j))}, \qquad G_j = 2^{r_j - \min_l r_l} - 1,

    where pi(j) is the rank of j by falling score and Z the largest value of the sum. Limiting scores are
    relevances up to a shift for each query, so G is a function of them alone; where the least relevance of a
    query is 0 it is the usual gain 2^r - 1. Documents of equal score share their gains: the loss is the
    expectation over the orders that break the ties.
    """
    _, places, sizes = np.unique(queries, return_inverse=True, return_counts=True)
    order = np.lexsort((-scores, places))
    least = np.full(len(sizes), np.inf)
    np.minimum.at(least, places, relevance)
    gains = np.exp2(relevance - least[places]) - 1.0
    ranks = np.arange(len(order)) - np.repeat(np.cumsum(sizes) - sizes, sizes) + 1
    discounts = 1.0 / np.log2(1.0 + ranks)
    if cutoff is not None:
        discounts[ranks > cutoff] = 0.0
    sorted_places, sorted_scores = places[order], scores[order]
    first = np.ones(len(order), dtype=bool)
    first[1:] = (sorted_places[1:] != sorted_places[:-1]) | (sorted_scores[1:] != sorted_scores[:-1])
    ties = np.cumsum(first) - 1
    shared = np.bincount(ties, discounts)[ties] / np.bincount(ties)[ties]
    gained = np.bincount(sorted_places, gains[order] * shared, len(sizes))
    perfect = np.lexsort((-gains, places))
    best = np.bincount(places[perfect], gains[perfect] * discounts, len(sizes))
    if not best.any():
        raise InputError("every query has documents of equal relevance only, so all orders are equally good")
    losses: Floats = 1.0 - gained[best > 0] / best[best > 0]
    return losses


def ndcg_risk(scores: Floats, relevance: Floats, queries: Whole, cutoff: int | None = None) -> float:
    """The mean of `ndcg_losses`: queries are equally likely."""
    return float(ndcg_losses(scores, relevance, queries, cutoff).mean())


# --- A stand-in for a web search collection --------------------------------------------------------------
# SYNTHETIC queries and documents in the shape of MSLR-WEB10K.

TITLE: Final = "SYNTHETIC stand-in for MSLR-WEB10K"

FEATURES: Final = 136
SHARES: Final = (0.52, 0.32, 0.13, 0.02, 0.01)
"""Shares of the labels 0 to 4: most documents are irrelevant, few are perfect."""

_FACTORS: Final = 8
_SIZES: Final = (80, 120)


def synthetic(queries: int, seed: int) -> Letor:
    r"""Draw documents whose labels depend on the features, but not linearly.

    Each document has 8 hidden factors z, standard normal, and the hidden relevance

    .. math:: z_1 + 0.7 z_2 1(z_3 > 0) + 0.8 \max(z_4, z_5) + 0.35 z_6^2 + 0.4 \epsilon + 0.6 \epsilon_q

    with independent noise for each document and each query; labels cut it at the quantiles of `SHARES`. A
    feature is a random combination of about a third of the factors, plus noise; a third of the features are
    exponentials of such combinations, and a third are cut off at 0, as counts are. So the relevance is not a
    linear function of the features.

    Parameters
    ----------
    queries
        How many; each has 80 to 120 documents.
    seed
        Of all draws.
    """
    rng = np.random.default_rng(seed)
    sizes = rng.integers(_SIZES[0], _SIZES[1] + 1, queries)
    numbers = np.repeat(np.arange(queries), sizes)
    n = len(numbers)
    z = rng.standard_normal((n, _FACTORS))
    hidden = z[:, 0] + 0.7 * z[:, 1] * (z[:, 2] > 0) + 0.8 * np.maximum(z[:, 3], z[:, 4])
    hidden += 0.35 * z[:, 5] ** 2
    hidden += 0.4 * rng.standard_normal(n) + 0.6 * rng.standard_normal(queries)[numbers]
    cuts = np.quantile(hidden, np.cumsum(SHARES)[:-1])
    mixing = rng.standard_normal((_FACTORS, FEATURES)) * (rng.random((_FACTORS, FEATURES)) < 1 / 3)
    features = z @ mixing + rng.standard_normal((n, FEATURES)) * rng.uniform(0.3, 2.0, FEATURES)
    kind = rng.integers(0, 3, FEATURES)
    features[:, kind == 1] = np.exp(0.7 * features[:, kind == 1])
    features[:, kind == 2] = np.maximum(features[:, kind == 2], 0.0)
    grades = np.searchsorted(cuts, hidden).astype(np.float64)
    return Letor(features, grades, numbers, tuple(f"synthetic-{q + 1}" for q in range(queries)))


# --- DMJ13 Section 6: NDCG risk of three estimators on web search data, against k, n and lambda ----------

Tell = Callable[[str], None]

STEPS: Final = "aggregated, steps"
EXACT: Final = "aggregated, exact"
LOGISTIC_STEPS: Final = "pairwise logistic, steps"
LOGISTIC: Final = "pairwise logistic, exact"
LIMIT: Final = "pairwise logistic, n infinite"
LIMITING: Final = "limiting scores, exact"
"""What is compared; the solver is named after the comma."""


@frozen
class WebPlan:
    """The settings of the experiment."""

    sizes: tuple[int, ...] = (10_000, 40_000, 160_000, 640_000)  #: Numbers n of pairs.
    orders: tuple[int, ...] = (1, 10, 100, 1_000, 10_000)  #: Orders k of the aggregation.
    #: Penalties lam |w|^2/2 for the second figure, on the last n but one.
    lambdas: tuple[float, ...] = (1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0)
    lam: float = 1e-3  #: The penalty elsewhere.
    runs: int = 10  #: How often pairs are drawn.
    steps: int = 10_000  #: Of stochastic gradient; 0 for the exact minimizers alone.
    seed: int = 0  #: Of the pairs; the stochastic gradient of run r has seed r.

    def __post_init__(self) -> None:
        check_ranges(self, ("sizes", "orders", "lambdas", "lam", "runs"), ("steps", "seed"))


@final
@dataclass(frozen=True, eq=False)
class Collection:
    """Queries with standardized features and true relevances."""

    X: Floats  #: Shape (N, d).
    judged: Judged  #: The relevances.

    @staticmethod
    def of(data: Letor) -> "Collection":
        """Features are shifted and scaled to mean 0 and standard deviation 1 over all documents."""
        if np.isnan(data.features).any():
            raise InputError("a feature is NULL; for rank lists use experiment judges --rank-lists")
        spread = data.features.std(axis=0)
        X = (data.features - data.features.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
        return Collection(X, Judged(data.grades, data.queries))

    def risk(self, theta: Floats) -> float:
        """The NDCG risk of the scores <x, theta>."""
        return ndcg_risk(self.X @ theta, self.judged.relevance, self.judged.queries)

    def logistic_limit(self, lam: float) -> Floats:
        """The limit of the pairwise logistic loss as n grows."""
        queries = [q for q, size in enumerate(self.judged.sizes) if size > 1]
        features = [self.X[self.judged.queries == q] for q in queries]
        return pairwise_logistic(features, [self.judged.btl_frequencies(q) for q in queries], lam)

    def limiting(self, lam: float) -> Floats:
        """Regression on the limiting scores, with equal weight for all queries."""
        sizes = self.judged.sizes
        weights = 1.0 / (len(sizes) * sizes[self.judged.queries])
        return least_squares(self.X, self.judged.limiting_scores(), weights, lam)


@final
@dataclass(frozen=True, eq=False)
class Sample:
    """Pairs drawn from a collection, and estimators learned from them."""

    source: Collection
    said: Preferences

    @cached_property
    def _queries(self) -> list[Query]:
        return list(self.said.by_query())

    @cached_property
    def weights(self) -> Floats:
        """Shape (N,): n_q / (n m_q), the weight of each document in the regression loss."""
        shares = [np.full(len(q.rows), q.total / len(q.rows)) for q in self._queries]
        return np.concatenate(shares) / len(self.said.winners)

    def minimizer(self, k: int | None, lam: float) -> Floats:
        """The minimizer of the regression loss of order k; without k, of the pairwise logistic risk."""
        X = self.source.X
        if k is None:
            return pairwise_logistic([X[q.rows] for q in self._queries], [q.wins for q in self._queries], lam)
        scores = [expected_scores(q.wins, int(q.total), k, 1.0 / k) for q in self._queries]
        return least_squares(X, np.concatenate(scores), self.weights, lam)

    def gap(self, theta: Floats, best: Floats, lam: float) -> float:
        """The excess of the regularized risk of order k over its minimum, relative to that of 0."""
        curvature = (self.source.X * self.weights[:, None]).T @ self.source.X + lam * np.eye(len(theta))
        return float((theta - best) @ curvature @ (theta - best) / (best @ curvature @ best))


def stochastic(k: int | None, lam: float, steps: int, seed: int) -> "StructureRanker":
    """A ranker by stochastic gradient: pairwise logistic loss, a pair a step, or regression of order k."""
    from consistency_lab.apps.learn import StructureRanker

    structure, loss = (AverageAdjacency(), "logistic") if k is None else (BTLLogOdds(c=1.0 / k), "regression")
    return StructureRanker(structure, loss, k=k or 1, lam=lam, steps=steps, random_state=seed)


def web(data: Letor, title: str, plan: WebPlan, tell: Tell = lambda _: None) -> dict[str, Any]:
    """Run the experiment: the NDCG loss of three estimators on simulated pairs.

    n pairs are drawn by Bradley and Terry's model from the labels. Three estimators are fitted: regression on
    the average log odds of k pairs, the pairwise logistic loss, and regression on the limiting scores, which
    no sample of pairs tells. Each is minimized exactly, the first two by stochastic gradient too, as the
    paper does. The risk is 1 - NDCG on the same queries, with gains of the limiting scores (`ndcg_losses`).
    """
    if plan.steps:
        need("sklearn", "the web experiment")
    with located(title):
        source = Collection.of(data)
    limits = {LIMIT: source.logistic_limit(plan.lam), LIMITING: source.limiting(plan.lam)}
    rows: list[dict[str, Any]] = []
    for n in plan.sizes:
        risks_of: dict[tuple[str, int | None], list[float]] = {}
        for run in range(plan.runs):
            tell(f"n = {n}, run {run + 1} of {plan.runs}")
            for key, theta in _estimates(_sample(source, n, run, plan), plan, run):
                risks_of.setdefault(key, []).append(source.risk(theta))
        rows += [{"estimator": name, "n": n, "k": k, "risks": risks} for (name, k), risks in risks_of.items()]
        rows += [
            {"estimator": name, "n": n, "k": None, "risks": [source.risk(one)]}
            for name, one in limits.items()
        ]
    tell("lambda")
    return {
        "experiment": "web",
        "data": {
            "title": title,
            "queries": len(data.names),
            "documents": len(data.grades),
            "features": data.features.shape[1],
            "labels": np.unique(data.grades, return_counts=True)[1].tolist(),
        },
        "settings": asdict(plan),
        "orders": rows,
        "lambdas": _by_lambda(source, plan),
        "gaps": _gaps(source, plan, tell) if plan.steps else [],
    }


def _sample(source: Collection, n: int, run: int, plan: WebPlan) -> Sample:
    return Sample(source, source.judged.btl_pairs(n, np.random.default_rng([plan.seed, n, run])))


def _estimates(sample: Sample, plan: WebPlan, run: int) -> Iterator[tuple[tuple[str, int | None], Floats]]:
    X, said, orders = sample.source.X, sample.said, (None, *plan.orders)
    for k in orders:
        yield (LOGISTIC if k is None else EXACT, k), sample.minimizer(k, plan.lam)
    for k in orders if plan.steps else ():
        name = LOGISTIC_STEPS if k is None else STEPS
        yield (name, k), stochastic(k, plan.lam, plan.steps, run).fit(X, said).coef_


def _by_lambda(source: Collection, plan: WebPlan) -> list[dict[str, Any]]:
    n = plan.sizes[max(0, len(plan.sizes) - 2)]
    samples = [_sample(source, n, run, plan) for run in range(plan.runs)]
    rows = []
    for lam in plan.lambdas:
        for k in (*(plan.orders[1::2] or plan.orders), None):
            fits = [one.minimizer(k, lam) for one in samples]
            name = LOGISTIC if k is None else EXACT
            rows.append(
                {"estimator": name, "n": n, "k": k, "lambda": lam, "risks": list(map(source.risk, fits))}
            )
    return rows


def _gaps(source: Collection, plan: WebPlan, tell: Tell) -> list[dict[str, Any]]:
    """The risk against the steps: for all k at the second largest n, and for all n at the middle k."""
    middle = plan.orders[len(plan.orders) // 2]
    n = plan.sizes[max(0, len(plan.sizes) - 2)]
    checked = sorted({round(plan.steps ** (t / 8)) for t in range(2, 9)})
    rows = []
    for size, k in dict.fromkeys([*((n, k) for k in plan.orders), *((size, middle) for size in plan.sizes)]):
        tell(f"optimality gap, n = {size}, k = {k}")
        gaps_at: list[list[float]] = [[] for _ in checked]
        for run in range(plan.runs):
            sample = _sample(source, size, run, plan)
            best, ranker, done = sample.minimizer(k, plan.lam), stochastic(k, plan.lam, 1, run), 0
            for place, steps in enumerate(checked):
                ranker.set_params(steps=steps - done).partial_fit(source.X, sample.said)
                gaps_at[place].append(sample.gap(ranker.coef_, best, plan.lam))
                done = steps
        rows += [
            {"n": size, "k": k, "steps": t, "gaps": gaps} for t, gaps in zip(checked, gaps_at, strict=True)
        ]
    return rows
