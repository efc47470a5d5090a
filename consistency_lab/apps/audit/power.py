"""How many comparisons of two items it takes until a test is likely to show which of them is preferred."""

from math import ceil, sqrt
from typing import Final

from consistency_lab.data.votes import Games, Votes
from consistency_lab.frozen import frozen

_LEVEL, _POWER = 1.959963984540054, 0.8416212335729143
"""Normal quantiles: of 97.5 %, for both sides of a test at 5 %, and of 80 %."""

_MOST: Final = 100_000
"""More comparisons than this are no advice."""


@frozen
class Next:
    """An estimate, which takes the share in the data for the truth."""

    #: The items, as the majority has them.
    above: int
    below: int
    share: float  #: How many of the decided comparisons `above` won.
    more: int  #: With so many more, 80 % of the data sets show the majority at 5 %, tested alone.


def more_needed(votes: Votes, first: int, second: int) -> Next | None:
    r"""How many more comparisons of two items would show their majority; None if that is no advice.

    With the share p of the data, a two-sided test at 5 % of n comparisons finds the majority in 80 % of the
    data sets for :math:`n = f ((z_{.975} / 2 + z_{.8} \sqrt{p(1-p)}) / (p - 1/2))^2`, where f is by how much
    margins within clusters vary more than those of as many single games, at least 1.
    """
    wins = votes.decided
    above, below = (first, second) if wins[first, second] > wins[second, first] else (second, first)
    won, lost = int(wins[above, below]), int(wins[below, above])
    if lost in (0, won):
        return None
    share, factor = won / (won + lost), 1.0
    if isinstance(votes, Games) and votes.cluster is not None:
        margins = next(found for i, j, found in votes.margins() if {i, j} == {above, below})
        factor = max(1.0, float(margins @ margins) / (won + lost))
    root = (_LEVEL / 2 + _POWER * sqrt(share * (1 - share))) / (share - 0.5)
    more = ceil(factor * root**2) - won - lost
    return Next(above, below, share, more) if 0 < more <= _MOST else None
