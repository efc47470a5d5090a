"""The runs: three parts to learn from, one to choose λ by, one to test on."""

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.errors import ConsistencyLabError, InputError
from consistency_lab.experiments.movielens.document import Document, Row, document
from consistency_lab.experiments.movielens.features import FEATURES, described, features
from consistency_lab.experiments.movielens.methods import LAMBDAS, fit
from consistency_lab.experiments.movielens.pairs import Pairs, sample
from consistency_lab.experiments.movielens.ratings import Ratings
from consistency_lab.experiments.movielens.settings import METHODS, PARTS, VARIANTS, Settings
from consistency_lab.extras import need
from consistency_lab.processes import Lost, at_once

Numbers = NDArray[np.int64]

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
        What `consistency_lab.experiments.movielens.document.document` says.

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
    X = described(data, fold, training) if variant.apart else features(data, training)
    X = X[:, [name not in variant.without for name in FEATURES]]
    if variant.standardize:
        spread = X[training].std(0)
        X = (X - X[training].mean(0)) / np.where(spread > 0, spread, 1)

    def drawn(among: NDArray[np.bool_], count: int, *key: int, within: Numbers | None = None) -> Pairs:
        random, rows = np.random.default_rng([settings.seed, run, *key]), np.flatnonzero(among)
        return sample(data, rows, count, random, within=within, by=variant.by, ties=variant.ties)

    tested, judging = drawn(part == test, settings.tested, 0), drawn(part == validation, settings.tested, 1)
    rows = list[Row]()
    for count in settings.pairs:
        pairs = drawn(training, count, 2, count, within=fold)
        for method in METHODS:
            scores = {
                lam: X @ fit(method, X, data.users, pairs, lam, variant.solver)
                for lam in LAMBDAS[method]
                if method == "linear" or lam <= variant.largest
            }
            losses = {lam: round(judging.loss(found), _DIGITS) for lam, found in scores.items()}
            lam = min(losses, key=losses.__getitem__)
            reached = {"validation": losses[lam], "test": round(tested.loss(scores[lam]), _DIGITS)}
            rows.append({"run": run, "method": method, "pairs": count, "lambda": lam, **reached})
    return rows


def parts(data: Ratings, settings: Settings, run: int) -> tuple[Numbers, int, int]:
    """The part of each rating, which one is tested, and which validates; after 20 runs the parts are new."""
    partition, choice = divmod(run, len(CHOICES))
    random = np.random.default_rng([settings.seed, partition])
    return random.permutation(np.arange(len(data.ratings)) % PARTS), *CHOICES[choice]


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
