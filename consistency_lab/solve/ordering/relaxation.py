"""The linear ordering relaxation: x_ij + x_ji = 1, and x_ij + x_jk + x_ki <= 2 as they are needed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, final

import highspy
import numpy as np
from numpy.typing import NDArray

from consistency_lab.core.orders import Below

Array = NDArray[np.float64]
Triple = tuple[int, int, int]

_OPTIONS: Final = (
    ("output_flag", False),
    ("presolve", "off"),
    ("solver", "simplex"),
    ("parallel", "off"),
    ("primal_feasibility_tolerance", 1e-9),
    ("dual_feasibility_tolerance", 1e-9),
)
_VIOLATED: Final = 1e-6
_PER_PAIR: Final = 3
"""At most so many new rows a round have a pair in common: the others may not be needed then."""

_SAME: Final = 6
"""Violations equal to so many digits are equally bad."""

_TIGHT: Final = 1e-10


@final
@dataclass(frozen=True, eq=False, slots=True)
class Relaxed:
    """What the program says, in floats.

    Parameters
    ----------
    excess
        What every order pays at least for inverted pairs, in units of d.
    x
        Shape (m, m): how far i is above j; 0 and 1 only, if it is an order.
    triangles
        (y, (i, j, k)) with y > 0, in units of d, on cycles i → j → k → i that no order keeps.
    """

    excess: float
    x: Array
    triangles: tuple[tuple[float, Triple], ...]


@final
class Relaxation:
    """One program, solved again and again with more rows and other fixed pairs.

    Parameters
    ----------
    d
        As in `descent.descend`.
    iterations
        How many simplex iterations there are in all; then what is known is returned.
    """

    def __init__(self, d: Array, iterations: int) -> None:
        self._m = m = len(d)
        self._pairs = np.triu_indices(m, 1)
        weights = d[self._pairs]
        self._unit = float(np.abs(weights).max(initial=0.0)) or 1.0
        self._most = float(np.maximum(weights, 0).sum())
        self._column = np.zeros((m, m), dtype=np.int32)
        count = len(weights)
        self._column[self._pairs] = np.arange(count)
        self._rows: list[Triple] = []
        self.iterations = iterations
        self._highs: Any = highspy.Highs()  # type: ignore[no-untyped-call]
        for name, value in _OPTIONS:
            self._highs.setOptionValue(name, value)
        self._highs.addVars(count, np.zeros(count), np.ones(count))
        self._highs.changeColsCost(count, np.arange(count, dtype=np.int32), -weights / self._unit)

    def solve(self, below: Below, enough: float, before: Relaxed | None = None) -> Relaxed:
        """The relaxation where some pairs are forced, up to a bound of `enough`.

        What was found `before` more were forced stands until more is known: the iterations may end too early.
        """
        self._force(below)
        while True:
            found = self._run()
            if before is None or found.excess >= before.excess:
                before = found
            if found.excess >= enough - _TIGHT * self._most or self.iterations <= 0:
                return before
            rows = _violated(found.x)
            if not len(rows):
                return before
            self._add(rows)

    def _force(self, below: Below) -> None:
        m = self._m
        above = np.array([[mask >> j & 1 for j in range(m)] for mask in below], dtype=np.float64)
        lower, upper = above[self._pairs], 1.0 - above.T[self._pairs]
        self._highs.changeColsBounds(len(lower), np.arange(len(lower), dtype=np.int32), lower, upper)

    def _run(self) -> Relaxed:
        self._highs.setOptionValue("simplex_iteration_limit", max(self.iterations, 0))
        self._highs.run()
        self.iterations -= max(1, self._highs.getInfo().simplex_iteration_count)
        solution = self._highs.getSolution()
        x = np.zeros((self._m, self._m))
        x[self._pairs] = np.clip(np.array(solution.col_value), 0, 1)
        x += np.tril(1.0 - x.T, -1)
        # At a lower side i above j above k is what the row asks for, at an upper side the other way round.
        duals = np.array(solution.row_dual) * self._unit
        triangles = tuple(
            (abs(y), (i, j, k) if y < 0 else (k, j, i))
            for y, (i, j, k) in zip(duals.tolist(), self._rows, strict=True)
            if abs(y) > _TIGHT * self._unit
        )
        value = self._highs.getInfo().objective_function_value * self._unit
        return Relaxed(self._most + value, x, triangles)

    def _add(self, rows: NDArray[np.intp]) -> None:
        i, j, k = rows.T
        count = len(rows)
        columns = np.stack((self._column[i, j], self._column[j, k], self._column[i, k]), axis=1)
        self._highs.addRows(
            count,
            np.zeros(count),
            np.ones(count),
            3 * count,
            3 * np.arange(count, dtype=np.int32),
            columns.ravel(),
            np.tile([1.0, 1.0, -1.0], count),
        )
        self._rows.extend((int(i), int(j), int(k)) for i, j, k in rows)


def _violated(x: Array) -> NDArray[np.intp]:
    """Triples i < j < k without 0 <= x_ij + x_jk - x_ik <= 1, the worst first, few with a common pair."""
    m, triples, sizes = len(x), [np.empty((0, 3), dtype=np.intp)], [np.empty(0)]
    for i in range(m - 2):
        row = x[i, i + 1 :]
        beyond = np.abs(np.triu(row[:, None] + x[i + 1 :, i + 1 :] - row - 0.5, 1)) - 0.5
        j, k = np.nonzero(beyond > _VIOLATED)
        triples.append(np.stack((np.full(len(j), i), j + i + 1, k + i + 1), axis=1))
        sizes.append(beyond[j, k])
    every, size = np.concatenate(triples), np.concatenate(sizes)
    # A fixed shuffle among equals: the first triples in the order of the items would share their items.
    shuffle = np.random.default_rng(0).permutation(len(every))
    every, size = every[shuffle], size[shuffle]
    falling = np.argsort(-np.round(size, _SAME), kind="stable")
    used = np.zeros((m, m), dtype=np.intp).tolist()
    chosen = [t for t in falling.tolist() if _take(used, every[t].tolist())]
    return every[chosen]


def _take(used: list[list[int]], triple: Sequence[int]) -> bool:
    i, j, k = triple
    if max(used[i][j], used[j][k], used[i][k]) >= _PER_PAIR:
        return False
    used[i][j] += 1
    used[j][k] += 1
    used[i][k] += 1
    return True
