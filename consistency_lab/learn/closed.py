"""Closed forms: the linear loss and the regression are quadratic in the weights."""

from typing import Any

import numpy as np

from consistency_lab.aggregate import AverageAdjacency, Structure
from consistency_lab.errors import InputError
from consistency_lab.learn.compiled import Floats
from consistency_lab.learn.label_table import LabelTable
from consistency_lab.learn.losses import Loss
from consistency_lab.learn.risk import label_sets
from consistency_lab.learn.terms import terms


def closed_form(
    matrix: Any, said: LabelTable, loss: Loss, structure: Structure, k: int | None, nu: float, lam: float
) -> Floats:
    """The weights w that minimize the U-statistic risk and lam |w|^2/2, the shortest if there are several.

    A query q has the share p_q = n_q/n and m_q items; r_q are the row sums of A - A^T, and s_q the scores, in
    the mean over all sets of k of its labels. Then (nu sum_q p_q X_q'X_q + lam) w = sum_q p_q X_q'r_q for the
    linear loss (DMJ10 Eq. 14 at alpha = Xw), (sum_q p_q X_q'X_q/m_q + lam) w = sum_q p_q X_q's_q/m_q for the
    regression.

    The average adjacency is linear in the labels, so its mean over sets is that of all labels.

    Raises
    ------
    InputError
        If the loss is not quadratic.
    UnsupportedError
        If there are too many sets of labels.
    """
    if loss.name not in ("linear", "regression"):
        raise InputError(
            f'the loss {loss.name} has no closed form; take solver="sgd", or the loss linear or regression'
        )
    made = terms(said, loss, structure, None if type(structure) is AverageAdjacency else k, nu)
    size = np.diff(said.row_start)
    by_mean = loss.name == "regression"
    wanted, share = np.zeros(said.rows.size), np.diff(said.said_start) / said.said_start[-1]
    for query, weight, labels in label_sets(said, made.setting.k):
        begin, end = said.row_start[query], said.row_start[query + 1]
        wanted[said.rows[begin:end]] += (
            weight / (size[query] if by_mean else 1) * made.structure(query, labels)
        )
    of_row = np.empty(said.rows.size)
    of_row[said.rows] = np.repeat(share / size if by_mean else nu * share, size)
    weighted = (
        matrix.multiply(of_row[:, None]).tocsr() if hasattr(matrix, "indptr") else matrix * of_row[:, None]
    )
    square = matrix.T @ weighted
    square = square.toarray() if hasattr(square, "toarray") else square
    found: Floats = np.linalg.lstsq(square + lam * np.eye(square.shape[0]), matrix.T @ wanted)[0]
    return found
