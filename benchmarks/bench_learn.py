"""Steps of the composite stochastic gradient, against scikit-learn and PyTorch on the same pairs.

Run with ``python benchmarks/bench_learn.py``. All three minimize the logistic loss of x_winner - x_loser with
an l2 penalty, one pair a step, without an intercept. scikit-learn and PyTorch get the differences, made
before; ours sorts the judgments, and in each step draws a label, aggregates, and reads both rows. Times are
of the processor, of one run each, compiled before. Then: what a step costs as the number of judgments grows
tenfold twice, the items staying what they are.
"""

from collections.abc import Callable
from time import process_time

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.linear_model import SGDClassifier
from timing import print_table, single_threaded

from consistency_lab.apps.learn import StructureRanker
from consistency_lab.apps.learn.aggregate import BTLLogOdds, Preferences

QUERIES, ITEMS, LAM = 500, 10, 1e-3
Array = NDArray[np.float64]


def judged(n: int, width: int) -> tuple[Array, Preferences]:
    """n comparisons of the Bradley-Terry-Luce model, each a label."""
    rng = np.random.default_rng(0)
    X, true = rng.normal(size=(QUERIES * ITEMS, width)), rng.normal(size=width)
    start = ITEMS * rng.integers(0, QUERIES, n)
    i = rng.integers(0, ITEMS, n)
    j = (i + rng.integers(1, ITEMS, n)) % ITEMS
    won = rng.random(n) < 1 / (1 + np.exp((X[start + j] - X[start + i]) @ true))
    query = np.repeat(np.arange(QUERIES), ITEMS)
    return X, Preferences(start + np.where(won, i, j), start + np.where(won, j, i), query)


def seconds(work: Callable[[], object]) -> float:
    start = process_time()
    work()
    return process_time() - start


def by_torch(differences: Array, steps: int) -> Array:
    pairs = torch.from_numpy(differences)
    weights = torch.zeros(pairs.shape[1], dtype=torch.float64, requires_grad=True)
    descent = torch.optim.SGD([weights], lr=0.01, weight_decay=LAM)
    for pair in torch.randint(len(pairs), (steps,), generator=torch.Generator().manual_seed(0)).tolist():
        descent.zero_grad()
        torch.nn.functional.softplus(-(pairs[pair] @ weights)).backward()
        descent.step()
    return weights.detach().numpy()


def against_others(n: int, width: int) -> list[str]:
    X, said = judged(n, width)
    ours = StructureRanker(loss="logistic", k=1, lam=LAM, steps=n, random_state=0)
    ours.fit(X, said)
    sides = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    differences = (X[said.winners] - X[said.losers]) * sides[:, None]
    theirs = SGDClassifier(
        loss="log_loss", alpha=LAM, fit_intercept=False, average=True, max_iter=1, tol=None, random_state=0
    )
    few = n // 20
    times = (
        seconds(lambda: ours.fit(X, said)) / n,
        seconds(lambda: theirs.fit(differences, sides)) / n,
        seconds(lambda: by_torch(differences * sides[:, None], few)) / few,
    )
    agree = ours.score(X, said), np.mean(np.sign(differences @ theirs.coef_[0]) == sides)
    return [
        str(width),
        *(f"{1 / time:,.0f}" for time in times),
        f"{times[1] / times[0]:.2f}",
        f"{times[2] / times[0]:.0f}",
        *(f"{share:.3f}" for share in agree),
    ]


def step_time(loss: str, k: int, n: int) -> float:
    """Seconds of a step: what a hundred thousand more of them take."""
    X, said = judged(n, 20)
    ranker = StructureRanker(None if loss == "logistic" else BTLLogOdds(c=1), loss, k, random_state=0)
    ranker.set_params(steps=1000).fit(X, said)
    few = seconds(lambda: ranker.fit(X, said))
    ranker.set_params(steps=101_000)
    return (seconds(lambda: ranker.fit(X, said)) - few) / 100_000


def as_judgments_grow(loss: str, k: int) -> list[str]:
    times = [step_time(loss, k, n) for n in (10_000, 100_000, 1_000_000)]
    ratios = (times[1] / times[0], times[2] / times[1])
    return [
        f"{loss}, k = {k}",
        *(f"{time * 1e6:.2f} µs" for time in times),
        *(f"{ratio:.2f}" for ratio in ratios),
    ]


def main() -> None:
    print_table(
        "Steps a second, 200,000 pairs",
        ["features", "ours", "scikit-learn", "PyTorch", "ours / sk", "ours / torch", "right", "right, sk"],
        [against_others(200_000, width) for width in (10, 50, 136)],
    )
    print_table(
        "Time of a step, 5,000 items of 20 features",
        ["loss", "n = 10,000", "100,000", "1,000,000", "ratio", "ratio"],
        [as_judgments_grow(*row) for row in (("logistic", 1), ("difference-logistic", 8), ("regression", 8))],
    )


if __name__ == "__main__":
    single_threaded()
    main()
