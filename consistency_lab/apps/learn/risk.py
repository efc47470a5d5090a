"""The U-statistic risk: its terms, its labels, and its exact value if there are few terms."""

from collections.abc import Iterator
from itertools import combinations
from math import comb
from typing import Annotated, Any, Final, NamedTuple, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from consistency_lab.apps.learn.aggregate import Clicks, Preferences, Structure
from consistency_lab.apps.learn.compiled import (
    CLICKS,
    MATRIX,
    SCORES,
    Kernels,
    LabelTable,
    Setting,
    compiled,
    label_table,
    term,
)
from consistency_lab.apps.learn.losses import Loss, logistic, loss_of, regression
from consistency_lab.errors import InputError, UnsupportedError
from consistency_lab.model.checked import between, checked
from consistency_lab.numbers.arrays import Floats, Whole
from consistency_lab.solve.structure_kernels import average_adjacency, click_rates, win_rates
from consistency_lab.solve.structures import numbers

# --- The terms of a U-statistic risk: the judgments, and how k labels are aggregated (DMJ13 §3) -------

_KINDS: Final = {"matrix": MATRIX, "scores": SCORES, "clicks": CLICKS}


@final
class Terms(NamedTuple):
    """The terms of a risk: the judgments, and how k labels are aggregated."""

    said: LabelTable
    setting: Setting
    kernels: Kernels

    @property
    def parts(self) -> tuple[Any, ...]:
        """The first arguments of the compiled functions."""
        return self.said, self.setting, *self.kernels

    def add(self, query: int, labels: Whole, scores: Floats, slope: Floats, share: float = 1.0) -> float:
        """The value of one term at scores (N,) of all rows; `share` times its gradient goes to `slope`."""
        return float(compiled(term)(*self.parts, query, labels, scores, slope, share))


_UNUSED: Final = Kernels(average_adjacency, win_rates, click_rates, logistic, regression)


def terms(said: LabelTable, loss: Loss, structure: Structure, k: int | None, nu: float) -> Terms:
    """The terms of the U-statistic risk of order k; all labels of a query make one term if k is None."""
    scores = loss.takes == "scores"
    setting = Setting(
        _KINDS[structure.kind],
        scores,
        loss.every_item or structure.kind != "matrix",
        int(said.label_start[-1]) if k is None else int(k),
        getattr(structure, "smoothing", 0.0),
        float(nu) if loss.name == "linear" else 0.0,
        loss.curvature,
    )
    used = {structure.kind: structure.kernel, "of_scores" if scores else "of_matrix": loss.kernel}
    return Terms(said, setting, _UNUSED._replace(**used))


# --- The U-statistic risk, exactly, if it has few terms; and how much scores contradict the judgments ----

MOST_TERMS: Final = 1_000_000


def label_sets(said: LabelTable, k: int) -> Iterator[tuple[int, float, Whole]]:
    """Every term of the risk: its query, its share of the risk, its labels."""
    counts = np.diff(said.label_start).tolist()
    many = sum(comb(count, min(k, count)) for count in counts if count)
    if many > MOST_TERMS:
        raise UnsupportedError(
            f"there are {many} sets of {k} labels, more than {MOST_TERMS:,}; use k=None, which aggregates "
            'all labels of a query, or solver="sgd", which draws them'
        )
    shares = np.diff(said.said_start) / said.said_start[-1]
    for query, (count, of_query) in enumerate(zip(counts, shares.tolist(), strict=True)):
        if of_query:
            size = min(k, count)
            share = of_query / comb(count, size)
            for chosen in combinations(range(count), size):
                yield query, share, said.label_start[query] + np.array(chosen, np.int64)


@checked
def u_statistic_risk(
    scores: ArrayLike,
    said: Preferences | Clicks,
    loss: str,
    structure: Structure | None = None,
    k: Annotated[int, between(1, 10**9)] | None = None,
    nu: float = 1.0,
) -> tuple[float, NDArray[np.float64]]:
    """The U-statistic risk of order k and its gradient in the scores, over all sets of labels.

    sum_q (n_q/n) C(n_q, k)^-1 sum over i_1 < ... < i_k of phi(alpha_q, s(Y_i1, ..., Y_ik)), where a query
    with n_q <= k labels has one term, of all of them (DMJ13 §3).

    Parameters
    ----------
    scores
        Shape (N,): a score of each row.
    said
        Preferences or clicks on the rows.
    loss, structure
        A name of `LOSSES`, and its structure function; None for the default of the loss.
    k
        The order; None for all labels of a query.
    nu
        The weight of the regularizer of the linear loss.

    Returns
    -------
    tuple
        The risk, and its gradient, shape (N,).

    Raises
    ------
    UnsupportedError
        If there are more than a million sets.

    Examples
    --------
    >>> said = Preferences([0, 0, 1], [1, 1, 0], [5, 5])
    >>> value, slope = u_statistic_risk([0.0, 0.0], said, "logistic", k=2)
    >>> round(value, 6), slope.round(6).tolist()
    (0.693147, [-0.166667, 0.166667])
    """
    kind, chosen = loss_of(loss, structure)
    table = label_table(said, chosen)
    alpha = numbers(scores, "scores")
    if alpha.shape != said.shape:
        raise InputError(f"the scores have shape {alpha.shape}; give one for each of {len(said)} rows")
    made = terms(table, kind, chosen, k, nu)
    risk, gradient = 0.0, np.zeros(alpha.size)
    for query, share, labels in label_sets(table, made.setting.k):
        risk += share * made.add(query, labels, alpha, gradient, share)
    return risk, gradient


def contradicted(scores: Floats, said: Preferences | Clicks) -> float:
    """The share of the weight of all preferences that scores contradict; half of it where they are tied.

    This is the generalized pairwise loss (DMJ10 Eq. 7) divided by its largest value, and averaged over both
    numberings of two tied items, since that loss breaks ties by number. A click means that its row was
    preferred to those examined before it.
    """
    if isinstance(said, Clicks):
        winners, losers = said.passed_by()
        weights = np.ones(losers.size)
    else:
        winners, losers, weights = said.winners, said.losers, said.weights
    total = float(weights.sum())
    if not total > 0.0:
        raise InputError("there are no preferences to contradict; at least one is needed")
    ahead = scores[winners] - scores[losers]
    return float(weights @ (0.5 * (ahead <= 0.0) + 0.5 * (ahead < 0.0))) / total
