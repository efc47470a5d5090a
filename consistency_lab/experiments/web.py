"""DMJ13 Section 6: NDCG risk of three estimators on web search data, against k, n and lambda."""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.aggregate import AverageAdjacency, BTLLogOdds, Preferences
from consistency_lab.aggregate.preferences import Query
from consistency_lab.data.letor import Letor
from consistency_lab.data.text import located
from consistency_lab.errors import InputError
from consistency_lab.experiments.exact import expected_scores, least_squares, pairwise_logistic
from consistency_lab.experiments.ndcg import ndcg_risk
from consistency_lab.experiments.ranges import check_ranges
from consistency_lab.experiments.simulate import Judged
from consistency_lab.extras import need

if TYPE_CHECKING:
    from consistency_lab.learn import StructureRanker

Floats = NDArray[np.float64]
Tell = Callable[[str], None]

STEPS: Final = "aggregated, steps"
EXACT: Final = "aggregated, exact"
LOGISTIC_STEPS: Final = "pairwise logistic, steps"
LOGISTIC: Final = "pairwise logistic, exact"
LIMIT: Final = "pairwise logistic, n infinite"
LIMITING: Final = "limiting scores, exact"
"""What is compared: how it is minimized stands behind the comma."""


@final
@dataclass(frozen=True)
class WebPlan:
    """What is measured.

    Parameters
    ----------
    sizes
        Numbers n of pairs.
    orders
        Orders k of the aggregation.
    lambdas
        Penalties lam |w|^2/2 for the second figure, on the last n but one.
    lam
        The penalty elsewhere.
    runs
        How often pairs are drawn.
    steps
        Of stochastic gradient; 0 for the exact minimizers alone.
    seed
        Of the pairs; the stochastic gradient of run r has seed r.

    Raises
    ------
    InputError
        If a number is out of range.
    """

    sizes: tuple[int, ...] = (10_000, 40_000, 160_000, 640_000)
    orders: tuple[int, ...] = (1, 10, 100, 1_000, 10_000)
    lambdas: tuple[float, ...] = (1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0)
    lam: float = 1e-3
    runs: int = 10
    steps: int = 10_000
    seed: int = 0

    def __post_init__(self) -> None:
        check_ranges(self, ("sizes", "orders", "lambdas", "lam", "runs"), ("steps", "seed"))


@final
@dataclass(frozen=True, eq=False)
class Collection:
    """Queries with standardized features and true relevances.

    Parameters
    ----------
    X
        Shape (N, d).
    judged
        The relevances.
    """

    X: Floats
    judged: Judged

    @staticmethod
    def of(data: Letor) -> "Collection":
        """Features are shifted and scaled to mean 0 and standard deviation 1 over all documents.

        Raises
        ------
        InputError
            If a feature is NULL, or no query has two documents.
        """
        if np.isnan(data.features).any():
            raise InputError("a feature is NULL; these are rank lists, for: experiment judges --rank-lists")
        spread = data.features.std(axis=0)
        X = (data.features - data.features.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
        return Collection(X, Judged(data.grades, data.queries))

    def risk(self, theta: Floats) -> float:
        """The NDCG risk of the scores <x, theta>."""
        return ndcg_risk(self.X @ theta, self.judged.relevance, self.judged.queries)

    def logistic_limit(self, lam: float) -> Floats:
        """What the pairwise logistic loss tends to as n grows."""
        queries = [q for q, size in enumerate(self.judged.sizes) if size > 1]
        features = [self.X[self.judged.queries == q] for q in queries]
        return pairwise_logistic(features, [self.judged.btl_frequencies(q) for q in queries], lam)

    def limiting(self, lam: float) -> Floats:
        """Regression on the limiting scores, all queries alike."""
        sizes = self.judged.sizes
        weights = 1.0 / (len(sizes) * sizes[self.judged.queries])
        return least_squares(self.X, self.judged.limiting_scores(), weights, lam)


@final
@dataclass(frozen=True, eq=False)
class Sample:
    """Pairs that were drawn from a collection, and what is learned from them."""

    source: Collection
    said: Preferences

    @cached_property
    def _queries(self) -> list[Query]:
        return list(self.said.by_query())

    @cached_property
    def weights(self) -> Floats:
        """Shape (N,): n_q / (n m_q), by which the regression loss weighs each document."""
        shares = [np.full(len(q.rows), q.total / len(q.rows)) for q in self._queries]
        return np.concatenate(shares) / len(self.said.winners)

    def aggregated(self, k: int, lam: float) -> Floats:
        """The minimizer of the U-statistic of order k with the regression loss."""
        scores = [expected_scores(q.wins, int(q.total), k, 1.0 / k) for q in self._queries]
        return least_squares(self.source.X, np.concatenate(scores), self.weights, lam)

    def logistic(self, lam: float) -> Floats:
        """The minimizer of the pairwise logistic risk."""
        features = [self.source.X[q.rows] for q in self._queries]
        return pairwise_logistic(features, [q.wins for q in self._queries], lam)

    def gap(self, theta: Floats, best: Floats, lam: float) -> float:
        """How far the regularized risk of order k lies above its minimum, as a share of what 0 has."""
        curvature = (self.source.X * self.weights[:, None]).T @ self.source.X + lam * np.eye(len(theta))
        return float((theta - best) @ curvature @ (theta - best) / (best @ curvature @ best))


def regression_steps(k: int, lam: float, steps: int, seed: int) -> "StructureRanker":
    """The aggregated estimator by stochastic gradient: one imagined win each way smooths a pair."""
    from consistency_lab.learn import StructureRanker

    return StructureRanker(BTLLogOdds(c=1.0 / k), "regression", k=k, lam=lam, steps=steps, random_state=seed)


def logistic_steps(lam: float, steps: int, seed: int) -> "StructureRanker":
    """The pairwise logistic loss by stochastic gradient, a pair a step."""
    from consistency_lab.learn import StructureRanker

    return StructureRanker(AverageAdjacency(), "logistic", k=1, lam=lam, steps=steps, random_state=seed)


def web(data: Letor, title: str, plan: WebPlan, tell: Tell = lambda _: None) -> dict[str, Any]:
    """Run the experiment: what three estimators lose in NDCG on pairs that are simulated.

    n pairs are drawn by Bradley and Terry's model from the labels. Three estimators are fitted: regression on
    the average log odds of k pairs, the pairwise logistic loss, and regression on the limiting scores, which
    no sample of pairs tells. Each is minimized exactly, the first two by stochastic gradient too, as the
    paper does. The risk is 1 - NDCG on the same queries, with gains of the limiting scores (`ndcg_losses`).

    Parameters
    ----------
    data, title
        Documents with labels, and what they are.
    plan
        What is measured.
    tell
        Is told what begins.

    Returns
    -------
    A document: for each n and estimator the risk of each run; the same against lambda; and the optimality gap
    of the stochastic gradient against the number of steps.
    """
    if plan.steps:
        need("sklearn", "the web experiment")
    with located(title):
        source = Collection.of(data)
    limits = {LIMIT: source.logistic_limit(plan.lam), LIMITING: source.limiting(plan.lam)}
    rows: list[dict[str, Any]] = []
    for n in plan.sizes:
        found: dict[tuple[str, int | None], list[float]] = {}
        for run in range(plan.runs):
            tell(f"n = {n}, run {run + 1} of {plan.runs}")
            for key, theta in _estimates(_sample(source, n, run, plan), plan, run):
                found.setdefault(key, []).append(source.risk(theta))
        rows += [{"estimator": name, "n": n, "k": k, "risks": risks} for (name, k), risks in found.items()]
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
    yield (LOGISTIC, None), sample.logistic(plan.lam)
    for k in plan.orders:
        yield (EXACT, k), sample.aggregated(k, plan.lam)
    if plan.steps:
        X, said = sample.source.X, sample.said
        yield (LOGISTIC_STEPS, None), logistic_steps(plan.lam, plan.steps, run).fit(X, said).coef_
        for k in plan.orders:
            yield (STEPS, k), regression_steps(k, plan.lam, plan.steps, run).fit(X, said).coef_


def _by_lambda(source: Collection, plan: WebPlan) -> list[dict[str, Any]]:
    n = plan.sizes[max(0, len(plan.sizes) - 2)]
    samples = [_sample(source, n, run, plan) for run in range(plan.runs)]
    rows = []
    for lam in plan.lambdas:
        for k in (*(plan.orders[1::2] or plan.orders), None):
            fits = [one.logistic(lam) if k is None else one.aggregated(k, lam) for one in samples]
            name = LOGISTIC if k is None else EXACT
            rows.append(
                {"estimator": name, "n": n, "k": k, "lambda": lam, "risks": list(map(source.risk, fits))}
            )
    return rows


def _gaps(source: Collection, plan: WebPlan, tell: Tell) -> list[dict[str, Any]]:
    """Against the steps: all k at the last n but one, and all n at the middle k."""
    middle = plan.orders[len(plan.orders) // 2]
    n = plan.sizes[max(0, len(plan.sizes) - 2)]
    checked = sorted({round(plan.steps ** (t / 8)) for t in range(2, 9)})
    rows = []
    for size, k in dict.fromkeys([*((n, k) for k in plan.orders), *((size, middle) for size in plan.sizes)]):
        tell(f"optimality gap, n = {size}, k = {k}")
        found: list[list[float]] = [[] for _ in checked]
        for run in range(plan.runs):
            sample = _sample(source, size, run, plan)
            best, ranker, done = sample.aggregated(k, plan.lam), regression_steps(k, plan.lam, 1, run), 0
            for place, steps in enumerate(checked):
                ranker.set_params(steps=steps - done).partial_fit(source.X, sample.said)
                found[place].append(sample.gap(ranker.coef_, best, plan.lam))
                done = steps
        rows += [
            {"n": size, "k": k, "steps": t, "gaps": gaps} for t, gaps in zip(checked, found, strict=True)
        ]
    return rows
