"""An audit of thousands of items: Bradley-Terry and the intervals of its scores, in sparse arrays alone."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, final

import numpy as np

from consistency_lab.data.profile import MAX_PROFILE_ITEMS as DENSE
from consistency_lab.data.profile import Profile
from consistency_lab.data.rows import WARNING
from consistency_lab.data.votes import Games
from consistency_lab.errors import UnsupportedError
from consistency_lab.frozen import frozen
from consistency_lab.numbers.arrays import Floats, Whole
from consistency_lab.numbers.phi import named
from consistency_lab.show.profile import several, size
from consistency_lab.show.text import Line, Paragraph, columns
from consistency_lab.shown import WIDTH
from consistency_lab.solve.edges import EdgeMinimum, minimize_edges

if TYPE_CHECKING:
    from scipy.sparse import csr_array

MOST: Final = 100_000
"""The most items; of more than `MAX_PROFILE_ITEMS` nothing is kept for each pair of them."""

RESAMPLES: Final = 100
"""At most so many."""

_ROWS: Final = 10
_LEVEL: Final = 0.95
_Z: Final = 1.959963984540054
_LOGISTIC: Final = named("logistic").expression


@final
@frozen
class Leaderboard:
    """Items by falling score."""

    profile: Profile
    items: tuple[int, ...]  #: Those with a score first.
    scores: Floats  #: Of these items, with mean 0; NaN of an item outside the largest strong component.
    low: Floats  #: The ends of its interval; NaN where the item leaves that component too often.
    high: Floats
    resamples: int

    @property
    def rows(self) -> list[dict[str, object]]:
        """A row for each item; None where there is no such number."""
        names, numbers = self.profile.items, (self.scores, self.low, self.high)
        told = ([None if np.isnan(x) else float(x) for x in part] for part in numbers)
        return [
            {"item": names[item], "rank": rank, "score": score, "low": low, "high": high}
            for rank, (item, score, low, high) in enumerate(zip(self.items, *told, strict=True), 1)
        ]


def leaderboard(profile: Profile, resamples: int, seed: int) -> Leaderboard:
    """Fit Bradley-Terry, and again to games that are drawn again (UnsupportedError for ballots).

    An interval is the score, and 1.96 standard deviations of those in resamples to each side. It holds for
    each item alone. Scores are finite within a strong component, so those of the largest one are told.
    """
    votes = profile.votes
    if not isinstance(votes, Games):
        raise UnsupportedError(
            f"of more than {DENSE:,} items only counted comparisons are audited; --top {DENSE} keeps the "
            "items that are compared most"
        )
    sums = _Sums(votes)
    fit = minimize_edges(_LOGISTIC, sums.wins(votes.counts))
    scores = _told(fit, votes.m)
    known = ~np.isnan(scores)
    times, total, squares = (np.zeros(votes.m) for _ in range(3))
    for drawn in votes.drawn(seed, [1] * resamples):
        again = _told(minimize_edges(_LOGISTIC, sums.wins(drawn[0]), fit.scores), votes.m)
        both = known & ~np.isnan(again)
        off = again[both] - scores[both]
        off -= off.mean() if len(off) else 0.0
        times[both] += 1
        total[both] += off
        squares[both] += off**2
    with np.errstate(invalid="ignore", divide="ignore"):
        reach = _Z * np.sqrt(np.maximum(squares - total**2 / times, 0.0) / (times - 1))
    reach[times < max(2.0, _LEVEL * resamples)] = np.nan
    order = np.argsort(np.where(known, -scores, np.inf), kind="stable")
    found, ends = scores[order], reach[order]
    return Leaderboard(profile, tuple(order.tolist()), found, found - ends, found + ends, resamples)


def _told(fit: EdgeMinimum, m: int) -> Floats:
    """The scores of the largest strong component, less their mean."""
    largest: tuple[int, ...] = max(fit.components, key=len)
    scores, part = np.full(m, np.nan), list(largest)
    scores[part] = fit.scores[part] - fit.scores[part].mean()
    return scores


@final
class _Sums:
    """What each kind of vote adds to which entry of the wins."""

    def __init__(self, votes: Games) -> None:
        ties = np.flatnonzero(votes.ties)
        first, second = (
            np.concatenate([x, y[ties]])
            for x, y in ((votes.first, votes.second), (votes.second, votes.first))
        )
        self._kind = np.concatenate([np.arange(len(votes.first)), ties])
        self._given, self._m = votes.share[self._kind] / votes.parts, votes.m
        self._code, self._entry = np.unique(first * votes.m + second, return_inverse=True)

    def wins(self, counts: Whole) -> "csr_array":
        """The wins of so many votes of each kind."""
        from scipy.sparse import csr_array

        sums = np.bincount(self._entry, counts[self._kind] * self._given)
        there = np.flatnonzero(sums)
        return csr_array((sums[there], np.divmod(self._code[there], self._m)), shape=(self._m, self._m))


def leaderboard_lines(board: Leaderboard, details: bool) -> Iterator[Line]:
    """What was found, for a person."""
    rows, m = board.rows, board.profile.m
    scored = int((~np.isnan(board.scores)).sum())
    leader = board.profile.items[board.items[0]]
    reached = int((board.high[1:] >= board.low[0]).sum())
    told = f"; the intervals of {several(reached, 'others')} reach its own" if reached else ""
    if np.isnan(board.low[0]):
        told = "; too many resamples give it no finite score, so its interval is unknown"
    warned = [note for note in board.profile.notes if note.startswith(WARNING)]
    left = f"{scored:,} items make up the largest strong component; others have no score." * (scored < m)
    paragraphs = (f"{leader} leads{told}.", f"{board.profile.title}: {size(board.profile)}.", *warned)
    for paragraph in paragraphs:
        yield from Paragraph(paragraph, 0, 0).lines(WIDTH)
    shown = rows if details else rows[:_ROWS]
    cells = [(str(row["rank"]), str(row["item"]), *map(_number, list(row.values())[2:])) for row in shown]
    yield ""
    yield from columns([("rank", "", "score", "from", "to"), *cells])
    if len(rows) > len(shown):
        yield f" {len(rows) - len(shown):,} more: --details, --csv FILE or --top N"
    yield ""
    limits = (
        f"Of more than {DENSE:,} items only Bradley-Terry (logistic) is fitted, with 95 % intervals from "
        f"{board.resamples} resamples, each for its item alone. Not looked for: the best order, what losses "
        f"contradict, proofs, and whether the model fits; --top {DENSE} asks about most of that."
    )
    for paragraph in filter(None, (left, limits)):
        yield from Paragraph(paragraph, 1, 0).lines(WIDTH - 1)


def _number(x: object) -> str:
    return f"{x:.2f}" if isinstance(x, float) else "unknown"
