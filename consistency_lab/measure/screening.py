"""Floats propose: which aggregates look wrong, under the unluckiest numbering of the items."""

from dataclasses import dataclass
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.measure.components import Support
from consistency_lab.measure.orbits import relabeled, relabelings
from consistency_lab.search.effort import SINGLY, Effort
from consistency_lab.search.judge import TIE, judge
from consistency_lab.solve.batch import minimize_batch

Numbers = NDArray[Any]
Booleans = NDArray[np.bool_]
Floats = NDArray[np.float64]

NEARLY_TIED: Final = TIE
"""Scores closer than this may be tied: exact arithmetic will look."""

SURELY_TIED: Final = 1e-12
"""Where nothing looks again: ties of a piecewise linear risk are exact, and others have probability zero."""


@final
@dataclass(frozen=True, eq=False)
class Screened:
    """Aggregates with their minimizers in floats, and how these look.

    Parameters
    ----------
    a
        Shape (B, m, m): the aggregates, their items renumbered where ties are wrong only then.
    scores
        Shape (B, m): minimizers; each strong component has its own where the minimum is not attained.
    wrong, strict
        Shape (B,): wrong when ties are broken badly; wrong however they are broken.
    regret
        Shape (B,): what the order costs, as a share of the total weight.
    """

    a: Numbers
    scores: Floats
    wrong: Booleans
    strict: Booleans
    regret: Floats


def screened(support: Support, a: Numbers, effort: Effort, tie: float = NEARLY_TIED) -> Screened:
    """Minimize W for every aggregate and compare the orders; edges between components are right anyway.

    Parameters
    ----------
    support
        What is known of the terms.
    a
        Aggregates, shape (B, m, m).
    effort
        Counts what is minimized.
    tie
        Scores closer than this count as tied.

    Examples
    --------
    >>> from consistency_lab.model.surrogates import surrogate
    >>> from consistency_lab.search.realize import TermTable
    >>> support = Support.of(TermTable(surrogate("logistic"), 3))
    >>> screened(support, np.array([[[0, 1, 6], [0, 0, 2], [3, 0, 0]]]), Effort()).strict
    array([ True])
    """
    table = support.table
    together = support.together(a)
    inside = a * together
    if not len(a):
        none = np.zeros(0, dtype=bool)
        return Screened(a, np.zeros((0, table.m)), none, none, np.zeros(0))
    # The judge has one tolerance: scores are scaled to have another.
    scores = minimize_batch(table.structure, table.coefficients(inside)).scores * (TIE / tie)
    effort.count(distributions=len(a), each=1 if table.batched else SINGLY)
    first = judge(inside, scores)
    wrong, regret = first.wrong.copy(), first.regret.copy()
    numbered, scored = a.copy(), scores.copy()
    numbering = _numbering_matters(inside, together, scores)
    for order in relabelings(table.m)[1:]:
        rows = np.flatnonzero(~wrong & numbering)
        if not len(rows):
            break
        again = judge(relabeled(inside[rows], order), scores[rows][:, order])
        worse = rows[again.wrong]
        wrong[worse] = True
        regret[worse] = again.regret[again.wrong]
        numbered[worse] = relabeled(a[worse], order)
        scored[worse] = scores[worse][:, order]
    share = regret / np.maximum(a.sum(axis=(1, 2)), np.finfo(float).tiny)
    return Screened(numbered, scored * (tie / TIE), wrong, first.strict, share)


def _numbering_matters(inside: Numbers, together: Booleans, scores: Floats) -> Booleans:
    """Where a tie may be wrong under another numbering only: it is broken for the worse along the edges."""
    along = (np.triu(inside - inside.transpose(0, 2, 1)) >= 0).all(axis=(1, 2))
    gaps = np.abs(scores[:, :, None] - scores[:, None, :])
    pairs = together & ~np.eye(scores.shape[1], dtype=bool)
    return np.asarray(~along & (pairs & (gaps <= TIE)).any(axis=(1, 2)))
