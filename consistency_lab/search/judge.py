"""Compare many float minimizers with the true optimal orders at once (a proposal, not a verdict)."""

from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.solve.compiled.running import in_pieces, pays

Floats = NDArray[np.float64]
Booleans = NDArray[np.bool_]
_Losses = tuple[Floats, Floats, Floats]
"""Of the scores, of the best order, and of the best order that only breaks their ties."""

TIE: Final = 1e-7
"""Scores closer than this count as tied until exact arithmetic has looked."""

LARGEST: Final = 6
"""Most items for which all orders are gone through."""


@final
@dataclass(frozen=True)
class Judgment:
    """For each of B distributions: is the order of the scores wrong?

    Parameters
    ----------
    wrong
        Wrong under the paper's tie rule.
    strict
        Wrong however ties are broken.
    regret
        loss of the scores less the optimum.
    """

    wrong: Booleans
    strict: Booleans
    regret: Floats


@lru_cache(maxsize=LARGEST)
def _orders(m: int) -> tuple[Booleans, Floats]:
    """above[o, i, j]: i stands above j in order o; cost[o, i*m+j] = 1 where j stands above i."""
    above = np.zeros((int(np.prod(np.arange(1, m + 1))), m, m), dtype=bool)
    for o, order in enumerate(permutations(range(m))):
        for place, i in enumerate(order):
            above[o, i, order[place + 1 :]] = True
    cost = above.transpose(0, 2, 1).reshape(len(above), -1).astype(float)
    return above, cost


def judge(a: NDArray[np.generic], scores: Floats, *, compiled: bool | None = None) -> Judgment:
    """Judge scores (B, m) at aggregates (B, m, m), m at most `LARGEST`.

    Parameters
    ----------
    a, scores
        One row a distribution.
    compiled
        Whether to use machine code; by default, where minimizing as many risks would.

    Examples
    --------
    >>> import numpy as np
    >>> bool(judge(np.array([[[0, 2], [1, 0]]]), np.array([[0.0, 1.0]])).strict[0])
    True
    """
    a = np.asarray(a)
    wanted = pays(scores.shape[1], len(a)) if compiled is None else compiled
    own, best, refined = (_by_subsets if wanted else _by_orders)(a, scores)
    slack = 1e-9 * (1.0 + np.abs(best))
    return Judgment(own > best + slack, refined > best + slack, own - best)


def _by_orders(a: NDArray[np.generic], scores: Floats) -> _Losses:
    batch, m = scores.shape
    above, cost = _orders(m)
    losses = np.asarray(a, dtype=float).reshape(batch, -1) @ cost.T
    gap = scores[:, :, None] - scores[:, None, :]
    upper = ~np.tri(m, k=0, dtype=bool)
    tied = np.abs(gap) <= TIE
    under = (gap < -TIE) | (tied & upper)  # i not above j: a tie puts the higher index first
    own = (np.asarray(a, dtype=float) * under).sum(axis=(1, 2))
    clear = gap > TIE
    possible = ~np.einsum("bij,oji->bo", clear, above).astype(bool)
    return own, losses.min(axis=1), np.where(possible, losses, np.inf).min(axis=1)


def _by_subsets(a: NDArray[np.generic], scores: Floats) -> _Losses:
    from consistency_lab.solve.compiled.judging import judge as judge_rows

    own, best, refined = np.empty((3, len(a)))
    a, scores = np.ascontiguousarray(a), np.ascontiguousarray(scores)
    in_pieces(
        lambda start, stop: judge_rows(a, scores, TIE, start, stop, own, best, refined),
        len(a),
    )
    return own, best, refined
