"""Labels made of judgments: one number for each item of each query, and the weights of its pairs."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.aggregate.judgments import ClickCounts, Judgments, Names, Wins
from consistency_lab.aggregate.kernels import components
from consistency_lab.aggregate.rows import check_size
from consistency_lab.aggregate.structures.base import PairStructure, Structure
from consistency_lab.aggregate.structures.cascade_mle import CascadeMLE
from consistency_lab.errors import InputError

Floats = NDArray[np.float64]


@final
@dataclass(frozen=True)
class Labels:
    """What a structure says of judgments.

    Parameters
    ----------
    judgments
        What was read.
    structure
        What they were aggregated by.
    scores
        One for each row of `judgments.items`; NaN where nothing is known.
    notes
        What must be said of them, a sentence each.
    """

    judgments: Judgments | ClickCounts
    structure: Structure
    scores: Floats
    notes: tuple[str, ...]

    @property
    def items(self) -> Names:
        """The items of each query."""
        return self.judgments.items

    def graded(self, count: int) -> Floats:
        """The scores as grades 0 to count - 1, by quantiles of the scores of all queries together.

        Equal scores have equal grades, and no order is reversed; but items of one grade are tied, and how far
        scores are apart is forgotten.

        Parameters
        ----------
        count
            How many grades, at least 2.

        Raises
        ------
        InputError
            If there are fewer.
        """
        if count < 2:
            raise InputError(f"there are to be {count} grades; 2 are the fewest that tell items apart")
        known = self.scores[~np.isnan(self.scores)]
        edges = np.quantile(known, np.arange(1, count) / count)
        return np.where(np.isnan(self.scores), np.nan, np.searchsorted(edges, self.scores, side="left"))

    def pair_weights(self) -> Iterator[tuple[list[int], Floats]]:
        """The rows of each query, and [s_ij - s_ji]_+ among them (DMJ13's consistent pairwise loss)."""
        if isinstance(self.judgments, ClickCounts):
            for query, named in self.items.items():
                check_size(query, len(named))
                rows = list(named.values())
                found = self.scores[rows]
                yield rows, np.nan_to_num(np.maximum(np.subtract.outer(found, found), 0.0))
        elif isinstance(self.structure, PairStructure):
            for wins in self.judgments.wins(self.structure.shares):
                yield wins.rows, self.structure.pair_weights(wins.wins, wins.total or None)


def labels_of(judgments: Judgments | ClickCounts, structure: Structure) -> Labels:
    """Aggregate the judgments of each query.

    Parameters
    ----------
    judgments
        What was read.
    structure
        `CascadeMLE` for clicks, any other for pairs and grades.

    Raises
    ------
    InputError
        If the structure does not belong to these judgments, or a query has too many items.
    """
    if isinstance(judgments, ClickCounts):
        if not isinstance(structure, CascadeMLE):
            raise InputError(f"clicks are aggregated by the structure cascade-mle, not by {structure.name}")
        scores = structure.scores(judgments.clicks, judgments.examined)
        unseen = judgments.examined == 0
        scores[unseen] = np.nan
        said = (
            (f"items without a label, for they were never examined: {unseen.sum()}",) if unseen.any() else ()
        )
        return Labels(judgments, structure, scores, (*said, *judgments.notes))
    if not isinstance(structure, PairStructure):
        raise InputError("cascade-mle aggregates clicks; name the columns of sessions, positions and clicks")
    scores = np.empty(len(judgments.items.query))
    apart = 0
    for wins in judgments.wins(structure.shares):
        scores[wins.rows] = structure.scores(wins.wins, wins.total or None)
        apart += _is_apart(wins)
    said = (_apart(apart),) if apart else ()
    return Labels(judgments, structure, scores, (*said, *judgments.notes))


def _is_apart(wins: Wins) -> bool:
    return bool(components(wins.wins).any())


def _apart(count: int) -> str:
    return (
        f"in {count} {'query' if count == 1 else 'queries'} the comparisons do not connect all items; labels "
        "of items that no chain of comparisons joins say little of each other"
    )
