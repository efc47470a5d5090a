"""The columns of a bump chart: the best order and those of the rules, and where the shown items stand."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, final

from consistency_lab.audits.audit import Audit

MOST: Final = 20
"""Most items in a picture."""


@final
@dataclass(frozen=True, slots=True)
class Standings:
    """Orders beside each other.

    Parameters
    ----------
    names
        Of the columns, the best order first.
    shown
        The items that come highest in any of the columns, as in the best order.
    ranks
        Of each column, the rank of each item among all, from 1.
    places
        Of each column, the place of each shown item among those that are shown, from 0.
    moving
        The shown items whose place is not the same everywhere.
    """

    names: tuple[str, ...]
    shown: tuple[int, ...]
    ranks: tuple[Mapping[int, int], ...]
    places: tuple[Mapping[int, int], ...]
    moving: tuple[int, ...]


def standings(audit: Audit, most: int = MOST) -> Standings:
    """The standings of an audit.

    Examples
    --------
    >>> from consistency_lab.audits.audit import audit
    >>> from consistency_lab.data import read_profile
    >>> found = audit(read_profile("vermont.toc"), ["logistic"], resamples=0, simulations=0)
    >>> [found.profile.items[i] for i in standings(found).moving]
    ['Willhoit', 'Fay']
    """
    orders: list[Sequence[int]] = [audit.best.order, *(finding.order for finding in audit.findings)]
    ranks = [{item: place for place, item in enumerate(order, 1)} for order in orders]
    highest = sorted(audit.best.order, key=lambda item: min(rank[item] for rank in ranks))
    wanted = frozenset(highest[:most])
    places = [
        {item: place for place, item in enumerate(item for item in order if item in wanted)}
        for order in orders
    ]
    shown = tuple(places[0])
    return Standings(
        ("best order", *(finding.rule.name for finding in audit.findings)),
        shown,
        tuple(ranks),
        tuple(places),
        tuple(item for item in shown if len({place[item] for place in places}) > 1),
    )
