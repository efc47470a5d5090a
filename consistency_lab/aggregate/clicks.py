"""Clicks: sessions in which rows of a query were shown in an order, and one or none of them was clicked."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from consistency_lab.aggregate.rows import Integers, Key, chosen_rows, codes, places, row_numbers
from consistency_lab.checked import checked
from consistency_lab.errors import InputError

NO_CLICK: Final = -1


@final
@dataclass(frozen=True, init=False, eq=False)
class Clicks:
    """Sessions of the cascade model: who sees a list clicks the first item that satisfies, or none.

    Parameters
    ----------
    shown
        For each session the rows in the order in which they were presented.
    clicked
        For each session the position of the click, from 0 on; None or -1 if there was none.
    queries
        Shape (N,): the query of each row, any values.

    Attributes
    ----------
    rows, starts
        The rows of all sessions one after the other, and where each session begins; the last start is the
        end.
    clicked
        Shape (S,): positions, -1 for none.

    Raises
    ------
    InputError
        If there is no such row or position, a session shows rows of two queries, no row, or one twice.

    Examples
    --------
    >>> seen = Clicks([[0, 1, 2], [2, 0, 1]], [1, None], ["a", "a", "a"])
    >>> [counts.tolist() for counts in seen.counts()]
    [[0.0, 1.0, 0.0], [2.0, 2.0, 1.0]]
    """

    rows: Integers
    starts: Integers
    clicked: Integers
    queries: Integers

    @checked
    def __init__(self, shown: Sequence[ArrayLike], clicked: Sequence[int | None], queries: ArrayLike) -> None:
        asked = codes(queries, "queries")
        if len(shown) != len(clicked):
            raise InputError(f"there are {len(shown)} sessions, and clicks of {len(clicked)}")
        lists = [row_numbers(one, asked.size, "rows shown") for one in shown]
        rows = np.concatenate([np.empty(0, np.int64), *lists])
        length = np.array([one.size for one in lists], np.int64)
        starts = np.concatenate([[0], np.cumsum(length)])
        chosen = np.array([NO_CLICK if one is None else one for one in clicked], np.int64)
        if (length == 0).any():
            raise InputError(f"session {np.argmin(length)} shows nothing; leave it out")
        wrong = np.flatnonzero((chosen < NO_CLICK) | (chosen >= length))
        if wrong.size:
            raise InputError(
                f"session {wrong[0]} has a click at position {chosen[wrong[0]]}; its positions are 0 to "
                f"{length[wrong[0]] - 1}"
            )
        session = np.repeat(np.arange(length.size), length)
        apart = np.flatnonzero(asked[rows] != asked[rows[starts[:-1]]][session])
        if apart.size:
            raise InputError(f"session {session[apart[0]]} shows rows of different queries")
        if np.unique(session * max(1, asked.size) + rows).size != rows.size:
            raise InputError("a session shows a row twice; a list shows each row once")
        for name, array in (("rows", rows), ("starts", starts), ("clicked", chosen), ("queries", asked)):
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    @property
    def shape(self) -> tuple[int]:
        """(N,), the number of rows: so that it can stand beside a feature matrix."""
        return (self.queries.size,)

    def __len__(self) -> int:
        return self.queries.size

    def __getitem__(self, key: Key) -> "Clicks":
        """What the sessions say of some rows, which are numbered again in the order in which they are chosen.

        Where the clicked row is not among them, the session ends before it, without a click: so the rows that
        stay are examined and clicked as often as before.
        """
        chosen = chosen_rows(key, len(self))
        place = places(chosen, len(self))
        shown, clicked = [], []
        for first, end, click in zip(self.starts[:-1], self.starts[1:], self.clicked, strict=True):
            session = place[self.rows[first:end]]
            lost = click != NO_CLICK and session[click] < 0
            kept = session[:click] if lost else session
            if (kept >= 0).any():
                shown.append(kept[kept >= 0])
                none = lost or click == NO_CLICK
                clicked.append(NO_CLICK if none else int((session[:click] >= 0).sum()))
        return Clicks(shown, clicked, self.queries[chosen])

    def counts(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """How often each row was clicked, and how often it was examined: shapes (N,)."""
        length = np.diff(self.starts)
        examined = np.where(self.clicked == NO_CLICK, length, self.clicked + 1)
        position = np.arange(self.rows.size) - np.repeat(self.starts[:-1], length)
        seen = self.rows[position < np.repeat(examined, length)]
        has_click = self.clicked != NO_CLICK
        hit = self.rows[(self.starts[:-1] + self.clicked)[has_click]]
        n = len(self)
        return np.bincount(hit, minlength=n).astype(float), np.bincount(seen, minlength=n).astype(float)
