"""The runs: three parts to learn from, one to choose λ by, one to test on; and the document of them."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict
from math import sqrt
from statistics import fmean, stdev
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.errors import ConsistencyLabError, InputError
from consistency_lab.experiments.movielens.features import FEATURES, described, features
from consistency_lab.experiments.movielens.methods import LAMBDAS, NU, path
from consistency_lab.experiments.movielens.pairs import Pairs, sample
from consistency_lab.experiments.movielens.ratings import SOURCE, Ratings
from consistency_lab.experiments.movielens.settings import METHODS, PAPER, PARTS, VARIANTS, Settings
from consistency_lab.extras import need
from consistency_lab.processes import Lost, at_once

Numbers = NDArray[np.int64]

Row = dict[str, Any]
"""What a method has reached in a run: run, method, pairs, the lambda chosen, its losses validation and test,
and in ``tests`` the test loss with each of `LAMBDAS`, whether it might be chosen or not."""

Document = dict[str, Any]

CHOICES: Final = tuple((test, (test + shift) % PARTS) for shift in range(1, PARTS) for test in range(PARTS))
"""The part that is tested and the one that validates, two of five: in 15 runs each is tested three times."""

FOLDS: Final = 5
"""Of the training parts; each is described by the ratings of the others, and pairs are drawn within one."""

_DIGITS: Final = 6


def movielens(
    data: Ratings, settings: Settings, *, jobs: int = 1, tell: Callable[[str], object] = lambda _: None
) -> Document:
    """DMJ10 Table 1.

    Parameters
    ----------
    data, settings
        The ratings, and what is asked.
    jobs
        How many processes work at once; the answer does not depend on it.
    tell
        Is told of every run that is done.

    Returns
    -------
    dict
        What `document` says.

    Raises
    ------
    InputError
        If there are too few ratings to draw pairs from.
    UnsupportedError
        If the extra `learn` is not installed.
    """
    need("sklearn", "the experiment on MovieLens")
    rows = list[Row]()
    for run, found in _runs(data, settings, jobs):
        rows += found
        tell(f"run {run + 1} is done")
    return document(data, settings, sorted(rows, key=lambda row: int(row["run"])))


def one_run(data: Ratings, settings: Settings, run: int) -> list[Row]:
    """A row for each method and number of pairs; what is drawn rests on the seed, the run and the number."""
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

    def drawn(among: NDArray[np.bool_], count: int, *key: int, within: Numbers | None = None) -> Pairs:
        random, rows = np.random.default_rng([settings.seed, run, *key]), np.flatnonzero(among)
        return sample(data, rows, count, random, within=within, by=variant.by, ties=variant.ties)

    tested, judging = drawn(part == test, settings.tested, 0), drawn(part == validation, settings.tested, 1)
    allowed = sum(lam <= variant.largest for lam in LAMBDAS)
    rows = list[Row]()
    for count in settings.pairs:
        pairs = drawn(training, count, 2, count, within=fold if variant.apart else None)
        for method in METHODS:
            scores = [X @ w for w in path(method, X, data.users, pairs, LAMBDAS, variant.solver)]
            losses = [round(judging.loss(found), _DIGITS) for found in scores]
            tests = [round(tested.loss(found), _DIGITS) for found in scores]
            best = losses.index(min(losses[:allowed]))
            reached = {"lambda": LAMBDAS[best], "validation": losses[best], "test": tests[best]}
            rows.append({"run": run, "method": method, "pairs": count, **reached, "tests": tests})
    return rows


def parts(data: Ratings, settings: Settings, run: int) -> tuple[Numbers, int, int]:
    """The part of each rating, which one is tested, and which validates; random parts are new after 20 runs.

    The subsets u1 to u5 of GroupLens are the fifths of u.data, a line after the other.
    """
    partition, choice = divmod(run, len(CHOICES))
    line = np.arange(len(data.ratings))
    if VARIANTS[settings.variant].shipped:
        return line * PARTS // len(line), *CHOICES[choice]
    return np.random.default_rng([settings.seed, partition]).permutation(line % PARTS), *CHOICES[choice]


def document(data: Ratings, settings: Settings, rows: Sequence[Row]) -> Document:
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


def _losses(rows: Sequence[Row], method: str, pairs: int) -> list[float]:
    return [row["test"] for row in rows if row["method"] == method and row["pairs"] == pairs]


def _mean(values: Sequence[float]) -> Row:
    error = stdev(values) / sqrt(len(values)) if len(values) > 1 else None
    return {
        "mean": round(fmean(values), _DIGITS),
        "standard_error": None if error is None else round(error, _DIGITS),
    }


def _table(data: Ratings, settings: Settings, rows: Sequence[Row]) -> Iterator[Row]:
    for pairs in settings.pairs:
        losses = {method: _losses(rows, method, pairs) for method in METHODS}
        least = [min(run) for run in zip(*losses.values(), strict=True)]
        for method, found in losses.items():
            lowest = sum(one == other for one, other in zip(found, least, strict=True))
            paper = PAPER.get((method, pairs)) if data.source == SOURCE else None
            tests = [row["tests"] for row in rows if row["method"] == method and row["pairs"] == pairs]
            means = [round(fmean(losses), _DIGITS) for losses in zip(*tests, strict=True)]
            told = {"lowest": lowest, "paper": paper, "by_lambda": means}
            yield {"method": method, "pairs": pairs, **_mean(found), **told}


def _differences(settings: Settings, rows: Sequence[Row]) -> Iterator[Row]:
    for pairs in settings.pairs:
        linear = _losses(rows, "linear", pairs)
        for method in METHODS[:-1]:
            apart = [a - b for a, b in zip(linear, _losses(rows, method, pairs), strict=True)]
            yield {"than": method, "pairs": pairs, **_mean(apart), "lower": sum(one < 0 for one in apart)}


def _runs(data: Ratings, settings: Settings, jobs: int) -> Iterator[tuple[int, list[Row]]]:
    if min(jobs, settings.runs) <= 1:
        yield from ((run, one_run(data, settings, run)) for run in range(settings.runs))
        return
    messages = [(data, settings, run) for run in range(settings.runs)]
    with closing(at_once(_answer, messages, jobs)) as found:
        for run, answer in found:
            if isinstance(answer, Lost):
                raise InputError(f"the process of run {run + 1} was killed; it may need fewer --jobs")
            if isinstance(answer, str):
                raise InputError(answer)
            yield run, answer


def _answer(asked: tuple[Ratings, Settings, int]) -> list[Row] | str:
    """The rows of a run, or what is wrong with the question, since an error would end the process."""
    try:
        return one_run(*asked)
    except ConsistencyLabError as error:
        return str(error)
