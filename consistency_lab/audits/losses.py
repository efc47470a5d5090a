"""How each loss, and each rule that people use instead, orders items by their wins."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from types import MappingProxyType
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.audits.apart import apart
from consistency_lab.audits.probit import thurstone
from consistency_lab.errors import InputError
from consistency_lab.model.surrogates import DifferenceSurrogate, EdgeSurrogate, Surrogate, pair, surrogate
from consistency_lab.phi import Expression
from consistency_lab.solve.batch import minimize_batch
from consistency_lab.solve.edges import EdgeMinimum, minimize_edges
from consistency_lab.solve.kinds import Kind, kind_of
from consistency_lab.solve.refits import refitted
from consistency_lab.solve.structure import stack

Floats = NDArray[np.float64]

_MANY: Final = 16
"""From so many matrices of few items on they go to the batched minimizer."""

_FEW_ITEMS: Final = 20


class Rule(ABC):
    """A way from wins to scores.

    Attributes
    ----------
    name
        What it is called in reports.
    title
        What it does, in a phrase.
    """

    name: str
    title: str

    @abstractmethod
    def scores(self, wins: Floats) -> Floats:
        """Scores of shape (b, m) for wins of shape (b, m, m)."""


@final
@dataclass(frozen=True)
class EdgeRule(Rule):
    """The minimizer of an edge loss on the aggregate, or on what is left of it when pairs are set off.

    Parameters
    ----------
    surrogate
        Where it comes from, and what is certified.
    phi
        Convex, with a continuous slope.
    differences
        Whether only [a_ij - a_ji]_+ counts.
    """

    name: str
    title: str
    surrogate: Surrogate
    phi: Expression
    differences: bool

    def scores(self, wins: Floats) -> Floats:
        if self.differences:
            wins = np.maximum(wins - wins.transpose(0, 2, 1), 0.0)
        if wins.shape[1] <= _FEW_ITEMS and (len(wins) >= _MANY or kind_of(self.phi) is not Kind.SMOOTH):
            return _batched(self.phi, wins)
        together = refitted(self.phi, wins)
        if together is None:
            # The fit of all together is near that of each, unless net majorities change sides.
            near = len(wins) > 1 and not self.differences
            start = minimize_edges(self.phi, wins.mean(axis=0)).scores if near else None
            return np.array([_placed(minimize_edges(self.phi, one, start)) for one in wins])
        scores, converged = together
        for late in np.flatnonzero(~converged):
            scores[late] = _placed(minimize_edges(self.phi, wins[late]))
        return scores


@final
@dataclass(frozen=True)
class NetRule(Rule):
    """Wins less losses: what the linear loss, least squares on net preferences and Borda order by."""

    name: str
    title: str
    surrogate: Surrogate | None = None

    def scores(self, wins: Floats) -> Floats:
        net: Floats = wins.sum(axis=2) - wins.sum(axis=1)
        return net


@final
@dataclass(frozen=True)
class RateRule(Rule):
    """The share of an item's comparisons that it won."""

    name: str
    title: str

    def scores(self, wins: Floats) -> Floats:
        won, lost = wins.sum(axis=2), wins.sum(axis=1)
        found: Floats = np.divide(won, won + lost, out=np.full_like(won, 0.5), where=won + lost > 0)
        return found


@final
@dataclass(frozen=True)
class ProbitRule(Rule):
    """Thurstone's model (case V): maximum likelihood with P(i beats j) = Phi(u_i - u_j), in floats only."""

    name: str
    title: str

    def scores(self, wins: Floats) -> Floats:
        return np.array([thurstone(one) for one in wins])


def _placed(found: EdgeMinimum) -> Floats:
    """The scores; where the minimum is not attained, components one above the other as they escape."""
    return apart(found.scores, found.levels) if found.attained is False else found.scores


def _batched(phi: Expression, wins: Floats) -> Floats:
    m = wins.shape[1]
    pairs = list(permutations(range(m), 2))
    # The coefficients are the numbers of the pairs, so they tell how terms are arranged.
    structure, numbers = stack([[pair(Fraction(k), phi, i, j) for k, (i, j) in enumerate(pairs, 1)]], m)
    rows, columns = map(list, zip(*(pairs[round(k) - 1] for k in numbers[0]), strict=True))
    return minimize_batch(structure, np.ascontiguousarray(wins[:, rows, columns])).scores


ALIASES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "bradley-terry": "logistic",
        "bradley-terry-luce": "logistic",
        "btl": "logistic",
        "bt": "logistic",
        "ranknet": "logistic",
        "rankboost": "exponential",
        "copeland-score": "borda",
        "least-squares": "regression",
        "win-rate": "winrate",
        "probit": "thurstone",
        "kemeny-young": "kemeny",
        "best": "kemeny",
    }
)
"""What people type."""

KEMENY: Final = "kemeny"
DEFAULT: Final = ("logistic", "exponential", "squared-hinge", "linear", "difference-logistic")


def canonical(name: str) -> str:
    """What a name or an alias stands for.

    Examples
    --------
    >>> canonical(" Bradley-Terry")
    'logistic'
    """
    said = name.strip().lower()
    return ALIASES.get(said, said)


def rule(name: str) -> Rule:
    """The rule of a name or an alias.

    Raises
    ------
    InputError
        If it is none that orders items by their wins alone.

    Examples
    --------
    >>> rule("Bradley-Terry").name, rule("borda").name
    ('logistic', 'borda')
    """
    said = canonical(name)
    if said in _RULES:
        return _RULES[said]
    found = surrogate(said)
    if type(found) is EdgeSurrogate and found.of_aggregate:
        return EdgeRule(found.name, f"edge loss of {found.phi}", found, found.phi, differences=False)
    if type(found) is DifferenceSurrogate:
        return EdgeRule(found.name, f"difference loss of {found.phi}", found, found.phi, differences=True)
    if found.name in ("linear", "regression"):
        return NetRule(found.name, "wins less losses", found)
    raise InputError(f"{name} is not a loss of the aggregate alone; try one of {', '.join(DEFAULT)}")


_RULES: Final[Mapping[str, Rule]] = MappingProxyType(
    {
        "borda": NetRule("borda", "wins less losses"),
        "winrate": RateRule("winrate", "the share of its comparisons that an item won"),
        "thurstone": ProbitRule("thurstone", "maximum likelihood with normal differences"),
    }
)
