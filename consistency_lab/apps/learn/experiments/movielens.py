"""DMJ10 section 4: hinge, logistic and value-regularized linear loss on the ratings of MovieLens."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict
from math import sqrt
from statistics import fmean, stdev
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.apps.learn.experiments.ratings import (
    FEATURES,
    METHODS,
    PAPER,
    PARTS,
    SOURCE,
    VARIANTS,
    Pairs,
    Ratings,
    Settings,
    described,
    features,
    sample,
)
from consistency_lab.errors import ConsistencyLabError, InputError, need
from consistency_lab.numbers.arrays import Floats, Whole
from consistency_lab.processes import ProcessDied, at_once

# --- The three ways of DMJ10 §4 to learn the weights w of linear scores from pairs -----------------------


NU: Final = 1e-4
"""The weight of the values in the linear loss (DMJ10 §4)."""

LAMBDAS: Final = tuple(10.0**k for k in range(-2, 7))
"""The validation part chooses one; at the largest, w is about a multiple of sum a (d_i - d_j)."""

STEPS: Final = 200_000
"""Steps of stochastic gradient; the result is the mean of the second half."""

ROUNDED: Final = 1e-2
"""The width over which the batch solver smooths the kink of the hinge."""


def path(
    method: str,
    features: Floats,
    users: NDArray[np.int64],
    pairs: Pairs,
    lambdas: Sequence[float],
    solver: str,
) -> list[Floats]:
    r"""The weights that a method learns for each λ; φ, in the risk below, is the hinge or logistic function.

    .. math:: \sum_{i,j,u} a^u_{ij} φ(w^T (d(x_i, u) - d(x_j, u))) + λ \|w\|^2
    """
    if method == "linear":
        return linear(features, pairs, lambdas)
    if solver == "batch":
        return batch(method, features, pairs, lambdas)
    from consistency_lab.apps.learn import StructureRanker
    from consistency_lab.apps.learn.aggregate import Preferences

    said = Preferences(pairs.winners, pairs.losers, users, weights=pairs.weights)
    weights = list[Floats]()
    for lam in lambdas:
        # A pair counts as often as it weighs: the objective is their mean, and half of this times |w|^2.
        mean = 2 * lam / pairs.weights.sum()
        ranker = StructureRanker(loss=method, k=1, lam=mean, steps=STEPS, average=STEPS // 2, random_state=0)
        weights.append(ranker.fit(features, said).coef_)
    return weights


def linear(features: Floats, pairs: Pairs, lambdas: Sequence[float]) -> list[Floats]:
    r"""The weights of the value-regularized linear loss (DMJ10 Eq. 14, §4) for each λ, in closed form.

    .. math:: \sum_{i,j,u} a^u_{ij} w^T (d(x_j, u) - d(x_i, u)) + ν \sum_{i,u} (w^T d(x_i, u))^2 + λ \|w\|^2

    is least at :math:`w = (ν D^T D + λ I)^{-1} \sum a^u_{ij} (d(x_i, u) - d(x_j, u)) / 2`, where D has a row
    for each rating in a pair. If λ and ν grow alike, w shrinks and orders films as before: ν is but a unit.
    """
    rows = features[np.union1d(pairs.winners, pairs.losers)]
    pull = pairs.weights @ (features[pairs.winners] - features[pairs.losers]) / 2
    bend = NU * rows.T @ rows
    return [np.asarray(np.linalg.solve(bend + lam * np.eye(len(bend)), pull), float) for lam in lambdas]


def batch(method: str, features: Floats, pairs: Pairs, lambdas: Sequence[float]) -> list[Floats]:
    """The weights of the hinge or the logistic loss for each λ by L-BFGS on all pairs.

    The kink of the hinge is rounded over `ROUNDED`, which changes a term by at most half of that times a.
    """
    from scipy.optimize import minimize
    from threadpoolctl import threadpool_limits  # comes with scikit-learn

    apart = features[pairs.winners] - features[pairs.losers]
    share = pairs.weights / len(apart)

    def objective(w: Floats, lam: float) -> tuple[float, Floats]:
        value, slope = _SCALAR[method](apart @ w)
        return float(share @ value + lam * w @ w), (share * slope) @ apart + 2 * lam * w

    limits = {"maxiter": 1000, "ftol": 1e-9, "gtol": 1e-5}  # far below what the choice of pairs changes
    found, w = dict[float, Floats](), np.zeros(features.shape[1])
    with threadpool_limits(1):  # on a busy machine, two threads on 24 weights took ten times as long and more
        for lam in sorted(lambdas, reverse=True):  # each starts at the last one's; the largest λ's is near 0
            asked = (lam / len(apart),)  # of the mean, whose size does not depend on the number of pairs
            w = minimize(objective, w, asked, jac=True, method="L-BFGS-B", options=limits).x
            found[lam] = w
    return [found[lam] for lam in lambdas]


def _logistic(margin: Floats) -> tuple[Floats, Floats]:
    return np.logaddexp(0, -margin), -np.exp(-np.logaddexp(0, margin))


def _hinge(margin: Floats) -> tuple[Floats, Floats]:
    short = np.maximum(1 - margin, 0)
    inside = np.minimum(short, ROUNDED)
    return inside**2 / (2 * ROUNDED) + (short - inside), -inside / ROUNDED


_SCALAR: Final[Mapping[str, Callable[[Floats], tuple[Floats, Floats]]]] = MappingProxyType(
    {"hinge": _hinge, "logistic": _logistic}
)
"""Value and slope of φ."""


# --- The runs --------------------------------------------------------------------------------------------
# Three parts to learn from, one to choose λ by, one to test on; and the document of them.


MethodRun = dict[str, Any]
"""The result of a method in a run: run, method, pairs, the chosen lambda, its losses validation and test, and
in ``tests`` the test loss for each of `LAMBDAS`, even those that could not be chosen."""

Document = dict[str, Any]

CHOICES: Final = tuple((test, (test + shift) % PARTS) for shift in range(1, PARTS) for test in range(PARTS))
"""The test part and the validation part, two of five: in 15 runs each part is tested three times."""

FOLDS: Final = 5
"""Folds of the training parts, each described by the ratings of the others; pairs are drawn within a fold."""

_MEAN_DIGITS: Final = 6


def movielens(
    data: Ratings, settings: Settings, *, jobs: int = 1, tell: Callable[[str], object] = lambda _: None
) -> Document:
    """DMJ10 Table 1, measured in parallel processes, `jobs` at once."""
    need("sklearn", "the experiment on MovieLens")
    rows = list[MethodRun]()
    for run, found in _runs(data, settings, jobs):
        rows += found
        tell(f"run {run + 1} is done")
    return document(data, settings, sorted(rows, key=lambda row: int(row["run"])))


def one_run(data: Ratings, settings: Settings, run: int) -> list[MethodRun]:
    """A row for each method and number of pairs; draws depend on the seed, the run and the number only."""
    variant = VARIANTS[settings.variant]
    part, test, validation = parts(data, settings, run)
    training = (part != test) & (part != validation)
    fold = np.random.default_rng([settings.seed, run, 3]).permutation(np.arange(len(part)) % FOLDS)
    if variant.apart:
        X = described(data, fold, training)
    else:
        X = features(data, training, variant.left_out)
    X = X[:, [name not in variant.without for name in FEATURES]]
    if variant.standardize:
        spread = X[training].std(0)
        X = (X - X[training].mean(0)) / np.where(spread > 0, spread, 1)

    def drawn(among: NDArray[np.bool_], count: int, *key: int, within: Whole | None = None) -> Pairs:
        random, rows = np.random.default_rng([settings.seed, run, *key]), np.flatnonzero(among)
        return sample(data, rows, count, random, within=within, by=variant.by, ties=variant.ties)

    tested, judging = drawn(part == test, settings.tested, 0), drawn(part == validation, settings.tested, 1)
    allowed = sum(lam <= variant.largest for lam in LAMBDAS)
    rows = list[MethodRun]()
    for count in settings.pairs:
        pairs = drawn(training, count, 2, count, within=fold if variant.apart else None)
        for method in METHODS:
            scores = [X @ w for w in path(method, X, data.users, pairs, LAMBDAS, variant.solver)]
            losses = [round(judging.loss(found), _MEAN_DIGITS) for found in scores]
            tests = [round(tested.loss(found), _MEAN_DIGITS) for found in scores]
            best = losses.index(min(losses[:allowed]))
            reached = {"lambda": LAMBDAS[best], "validation": losses[best], "test": tests[best]}
            rows.append({"run": run, "method": method, "pairs": count, **reached, "tests": tests})
    return rows


def parts(data: Ratings, settings: Settings, run: int) -> tuple[Whole, int, int]:
    """The part of each rating, which one is tested, and which validates; random parts are new after 20 runs.

    The subsets u1 to u5 of GroupLens are the fifths of u.data, a line after the other.
    """
    partition, choice = divmod(run, len(CHOICES))
    line = np.arange(len(data.ratings))
    if VARIANTS[settings.variant].shipped:
        return line * PARTS // len(line), *CHOICES[choice]
    return np.random.default_rng([settings.seed, partition]).permutation(line % PARTS), *CHOICES[choice]


def document(data: Ratings, settings: Settings, rows: Sequence[MethodRun]) -> Document:
    """The table, the differences, and the rows of all runs.

    ``table``: for each method and number of pairs the mean test loss and its standard error over the runs,
    in how many runs the method is ``lowest``, what the paper printed, and ``by_lambda`` the mean test loss
    with each λ. ``differences``: the loss of the linear method less that of another in the same run, and in
    how many runs it is ``lower``.
    """
    users, films = data.shape
    variant = VARIANTS[settings.variant]
    decided = {"about": variant.about, "nu": NU, "lambdas": [*LAMBDAS]}
    decided["largest"] = min(variant.largest, LAMBDAS[-1])
    return {
        "experiment": "movielens",
        "citation": "DMJ10 §4, Table 1",
        "data": {"source": data.source, "ratings": len(data.ratings), "users": users, "films": films},
        "settings": asdict(settings) | decided,
        "table": list(_table(data, settings, rows)),
        "differences": list(_differences(settings, rows)),
        "rows": list(rows),
    }


def _losses(rows: Sequence[MethodRun], method: str, pairs: int) -> list[float]:
    return [row["test"] for row in rows if row["method"] == method and row["pairs"] == pairs]


def _mean(values: Sequence[float]) -> MethodRun:
    error = stdev(values) / sqrt(len(values)) if len(values) > 1 else None
    return {
        "mean": round(fmean(values), _MEAN_DIGITS),
        "standard_error": None if error is None else round(error, _MEAN_DIGITS),
    }


def _table(data: Ratings, settings: Settings, rows: Sequence[MethodRun]) -> Iterator[MethodRun]:
    for pairs in settings.pairs:
        losses = {method: _losses(rows, method, pairs) for method in METHODS}
        least = [min(run) for run in zip(*losses.values(), strict=True)]
        for method, found in losses.items():
            lowest = sum(one == other for one, other in zip(found, least, strict=True))
            paper = PAPER.get((method, pairs)) if data.source == SOURCE else None
            tests = [row["tests"] for row in rows if row["method"] == method and row["pairs"] == pairs]
            means = [round(fmean(losses), _MEAN_DIGITS) for losses in zip(*tests, strict=True)]
            told = {"lowest": lowest, "paper": paper, "by_lambda": means}
            yield {"method": method, "pairs": pairs, **_mean(found), **told}


def _differences(settings: Settings, rows: Sequence[MethodRun]) -> Iterator[MethodRun]:
    for pairs in settings.pairs:
        linear = _losses(rows, "linear", pairs)
        for method in METHODS[:-1]:
            apart = [a - b for a, b in zip(linear, _losses(rows, method, pairs), strict=True)]
            yield {"than": method, "pairs": pairs, **_mean(apart), "lower": sum(one < 0 for one in apart)}


def _runs(data: Ratings, settings: Settings, jobs: int) -> Iterator[tuple[int, list[MethodRun]]]:
    if min(jobs, settings.runs) <= 1:
        yield from ((run, one_run(data, settings, run)) for run in range(settings.runs))
        return
    messages = [(data, settings, run) for run in range(settings.runs)]
    with closing(at_once(_answer, messages, jobs)) as answers:
        for run, answer in answers:
            if isinstance(answer, ProcessDied):
                raise InputError(f"the process of run {run + 1} was killed; it may need fewer --jobs")
            if isinstance(answer, str):
                raise InputError(answer)
            yield run, answer


def _answer(asked: tuple[Ratings, Settings, int]) -> list[MethodRun] | str:
    try:
        return one_run(*asked)
    except ConsistencyLabError as error:
        return str(error)
