"""An audit of thousands of items: Bradley-Terry and the intervals of its scores, in sparse arrays alone."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.apps.audit.findings import heights
from consistency_lab.data.profile import MAX_PROFILE_ITEMS as DENSE
from consistency_lab.data.profile import Profile
from consistency_lab.data.rows import WARNING
from consistency_lab.data.votes import Games
from consistency_lab.errors import UnsupportedError
from consistency_lab.frozen import frozen
from consistency_lab.numbers.arrays import Floats, Whole
from consistency_lab.numbers.phi import named
from consistency_lab.show.profile import several
from consistency_lab.show.profile import size as size_of
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


_PLACES: Final = ("above", "", "below", "apart")
"""Where an item is: above those with a score, among them, below them, or not linked to them."""


@final
@frozen
class Leaderboard:
    """Items from the top down: those above all scores, by falling score, those below, and those apart."""

    profile: Profile
    items: tuple[int, ...]
    places: tuple[str, ...]  #: Of these items, see `_PLACES`.
    ranks: Whole  #: Of those with a score: 1, and 1 for each item above it or with a larger score.
    scores: Floats  #: Of these items, with mean 0; NaN of an item outside the largest strong component.
    low: Floats  #: The ends of its interval; NaN where the item leaves that component too often.
    high: Floats
    resamples: int

    def at(self, place: str) -> list[str]:
        """The items of a place, by name."""
        found = zip(self.items, self.places, strict=True)
        return [self.profile.items[item] for item, where in found if where == place]

    @property
    def rows(self) -> list[dict[str, object]]:
        """A row for each item; None where there is no such number."""
        numbers = (self.scores, self.low, self.high)
        told = zip(*([None if np.isnan(x) else float(x) for x in part] for part in numbers), strict=True)
        heads, ranks = ("item", "rank", "place", "score", "low", "high"), iter(self.ranks.tolist())
        return [
            dict(
                zip(heads, (self.profile.items[k], None if place else next(ranks), place, *row), strict=True)
            )
            for k, place, row in zip(self.items, self.places, told, strict=True)
        ]


def leaderboard(profile: Profile, resamples: int, seed: int) -> Leaderboard:
    """Fit Bradley-Terry, and again to games that are drawn again (UnsupportedError for ballots).

    An interval is the score, and 1.96 standard deviations of those in resamples to each side. It holds for
    each item alone. Scores are finite within a strong component, so those of the largest one are told; other
    items are above it, if a chain of wins leads from them to it, below it, or apart from it.
    """
    votes = profile.votes
    if not isinstance(votes, Games):
        raise UnsupportedError(
            f"of more than {DENSE:,} items only counted comparisons are audited; --top {DENSE} keeps the "
            "items that are compared most"
        )
    sums = _Sums(votes)
    wins = sums.wins(votes.counts)
    fit = minimize_edges(_LOGISTIC, wins)
    size = max(map(len, fit.components))
    largest = [part for part in fit.components if len(part) == size]
    if size == 1:
        raise UnsupportedError(
            "no two items beat each other, directly or by a chain of others: none has a score"
        )
    if len(largest) > 1:
        raise UnsupportedError(
            f"chains of wins lead back and forth only within groups of {several(size, 'items')} or less, of "
            f"which there are {len(largest):,}; keep the items of one with --select"
        )
    scores = _told(fit, np.isin(np.arange(votes.m), largest[0]))
    known = ~np.isnan(scores)
    times, total, squares = (np.zeros(votes.m) for _ in range(3))
    for drawn in votes.drawn(seed, [1] * resamples):
        again = _told(minimize_edges(_LOGISTIC, sums.wins(drawn[0]), fit.scores), known)
        both = known & ~np.isnan(again)
        off = again[both] - scores[both]
        off -= off.mean() if len(off) else 0.0
        times[both] += 1
        total[both] += off
        squares[both] += off**2
    with np.errstate(invalid="ignore", divide="ignore"):
        reach = _Z * np.sqrt(np.maximum(squares - total**2 / times, 0.0) / (times - 1))
    reach[times < max(2.0, _LEVEL * resamples)] = np.nan
    place = _placed(wins, known)
    order = np.lexsort((-np.where(known, scores, 0.0), place))
    found, ends = scores[order], reach[order]
    places = tuple(_PLACES[k] for k in place[order])
    height = heights(found[None, known[order]])[0]
    ranks = 1 + places.count("above") + np.searchsorted(-height, -height)
    items = tuple(order.tolist())
    return Leaderboard(profile, items, places, ranks, found, found - ends, found + ends, resamples)


def _told(fit: EdgeMinimum, about: NDArray[np.bool_]) -> Floats:
    """The scores of the strong component with most of these items, less their mean."""
    part = list(max(fit.components, key=lambda one: int(about[list(one)].sum())))
    scores = np.full(len(about), np.nan)
    scores[part] = fit.scores[part] - fit.scores[part].mean()
    return scores


def _placed(wins: "csr_array", scored: NDArray[np.bool_]) -> Whole:
    """The place of each item, as a number of `_PLACES`."""
    from scipy.sparse.csgraph import breadth_first_order

    start, place = int(np.flatnonzero(scored)[0]), np.full(len(scored), _PLACES.index("apart"))
    for name, graph in (("below", wins), ("above", wins.T.tocsr())):
        place[breadth_first_order(graph, start, return_predecessors=False)] = _PLACES.index(name)
    place[scored] = _PLACES.index("")
    return place


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
    rows = board.rows
    warned = [note for note in board.profile.notes if note.startswith(WARNING)]
    for paragraph in (_opening(board), f"{board.profile.title}: {size_of(board.profile)}.", *warned):
        yield from Paragraph(paragraph, 0, 0).lines(WIDTH)
    start = 0 if details else len(board.at("above"))
    shown = rows if details else rows[start : start + _ROWS]
    cells = [
        (str(row["rank"] or row["place"]), str(row["item"]), *map(_number, list(row.values())[3:]))
        for row in shown
    ]
    yield ""
    yield from columns([("rank", "", "score", "from", "to"), *cells])
    if len(rows) > len(shown):
        yield f" {len(rows) - len(shown):,} more: --details or --csv FILE"
    yield ""
    below, apart = len(board.at("below")), len(board.at("apart"))
    others = [f"Below them: {several(below, 'items')} without a score."] if below else []
    others += [f"No chain of wins links {several(apart, 'items')} to them."] if apart else []
    limits = (
        f"Of more than {DENSE:,} items only Bradley-Terry (logistic) is fitted, with 95 % intervals from "
        f"{board.resamples} resamples, each for one item. Not looked for: the best order, what losses "
        f"contradict, proofs, and whether the model fits."
    )
    for paragraph in (*others, limits):
        yield from Paragraph(paragraph, 1, 0).lines(WIDTH - 1)


def _opening(board: Leaderboard) -> str:
    """Who leads: items without a score that are above the others are told first."""
    scored, above, first = board.at(""), board.at("above"), len(board.at("above"))
    inside = slice(first, first + len(scored))
    low, high = board.low[inside], board.high[inside]
    reached = int((high[1:] >= low[0]).sum())
    told = f"; the intervals of {several(reached, 'others')} reach its own" if reached else ""
    if np.isnan(low[0]):
        why = "too many resamples give it no finite score, so" if board.resamples else "without resamples"
        told = f"; {why} its interval is unknown"
    level = scored[: int((board.ranks == board.ranks[0]).sum())]
    leads = f"{scored[0]} leads{told}."
    if len(level) > 1:
        others = "" if len(level) <= 3 else f" and {several(len(level) - 3, 'others')}"
        leads = f"{', '.join(level[:3])}{others} are level at the top."
    if len(scored) == board.profile.m:
        return leads
    leads = f"Of the {len(scored):,} items with a score {leads}"
    if not above:
        return leads
    few = ", ".join(above) if first <= 3 else f"{first:,} items ({', '.join(above[:3])}, …)"
    them = "it" if first == 1 else "them"
    return f"Above all with a score: {few}. No chain of wins leads back to {them}. {leads}"


def _number(x: object) -> str:
    return f"{x:.2f}" if isinstance(x, float) else "unknown"
