"""Scores where no minimizer exists: components one above the other, as they escape."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.solve.edges import EdgeMinimum

Floats = NDArray[np.float64]


@final
@dataclass(frozen=True, slots=True)
class Parts:
    """Components of items between which a loss leaves the distance open.

    Parameters
    ----------
    levels
        Level by level from the top, the components of each. Components of one level, or that no votes lead
        between, have no order.
    attained
        Whether minimizers exist; if not, the levels move apart forever.
    """

    levels: tuple[tuple[tuple[int, ...], ...], ...]
    attained: bool


def apart(scores: Floats, levels: Sequence[int]) -> Floats:
    """Scores of items by the levels of their components first, as in `solve.edges.EdgeMinimum`.

    Examples
    --------
    >>> apart(np.array([0.0, 1.0, -1.0]), [1, 0, 0]).tolist()
    [3.0, 1.0, -1.0]
    """
    spread = 1.0 + 2.0 * float(np.abs(scores).max(initial=0.0))
    placed: Floats = scores + spread * np.array(levels, dtype=np.float64)
    return placed


def parts_of(found: EdgeMinimum) -> Parts | None:
    """The components, if there are several, and it is known whether the minimum is attained.

    Examples
    --------
    >>> from consistency_lab.phi import named
    >>> from consistency_lab.solve.edges import minimize_edges
    >>> parts_of(minimize_edges(named("logistic").expression, [[0, 3, 1], [0, 0, 2], [0, 2, 0]]))
    Parts(levels=(((0,),), ((1, 2),)), attained=False)
    """
    if found.attained is None or len(found.components) == 1:
        return None

    def height(part: tuple[int, ...]) -> int:
        return -found.levels[part[0]]

    levels = tuple(tuple(level) for _, level in groupby(sorted(found.components, key=height), height))
    return Parts(levels, found.attained)
