"""How each loss, and each rule used instead of one, orders items by votes."""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby, permutations
from math import pi, sqrt
from types import MappingProxyType
from typing import ClassVar, Final, final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.data.profile import Profile
from consistency_lab.data.rows import NO_TIMES, PairCounts
from consistency_lab.errors import InputError, UnsupportedError, did_you_mean, need
from consistency_lab.frozen import frozen
from consistency_lab.model.surrogates import (
    DifferenceSurrogate,
    EdgeSurrogate,
    Surrogate,
    pair,
    surrogate,
    surrogate_names,
)
from consistency_lab.model.surrogates.catalogue import NO_LOSS, RULES
from consistency_lab.numbers.arrays import Floats, Whole
from consistency_lab.numbers.phi import NAMED, Expression, named
from consistency_lab.solve.batch import minimize_batch
from consistency_lab.solve.connectivity import Trend, growth
from consistency_lab.solve.edges import EdgeMinimum, EdgeRisk, centered, minimize_edges, placed, refitted
from consistency_lab.solve.kinds import Kind, is_convex, kind_of
from consistency_lab.solve.numeric import stack

# --- Scores where no minimizer exists: components one above the other, as they escape --------------------


@frozen
class Parts:
    """Components of items between which a loss leaves the distance undetermined."""

    #: Level by level from the top, the components of each. Components of one level, or that no votes lead
    #: between, have no order.
    levels: tuple[tuple[tuple[int, ...], ...], ...]
    attained: bool  #: Whether minimizers exist; if not, the levels move apart forever.


def apart(scores: Floats, levels: Sequence[int]) -> Floats:
    """Scores of items by the levels of their components first, as in `solve.edges.EdgeMinimum`."""
    spread = 1.0 + 2.0 * float(np.abs(scores).max(initial=0.0))
    placed: Floats = scores + spread * np.array(levels, dtype=np.float64)
    return placed


def _apart(phi: Expression, wins: Floats, fit: Callable[[Floats], Floats]) -> tuple[Floats, Whole]:
    """Scores and component numbers (b, m) by wins (b, m, m): components fitted alone, one above the other.

    Where items are free of each other a fit says nothing about them, and its steps would decide by their
    numbers. So wherever no minimum exists, in the votes or in votes drawn again, each component has the mean
    0 in each of them and is placed as it escapes, or, if nothing does, as a loss that rests allows.
    """
    levels, parts = placed(phi, wins > 0)
    several = (parts != parts[:, :1]).any(axis=1)
    inside = np.where(levels[:, :, None] == levels[:, None, :], wins, 0.0) if levels.any() else wins
    scores, some = np.zeros(wins.shape[:2]), inside.any(axis=(1, 2))
    if some.any():
        scores[some] = fit(inside if some.all() else inside[some])
    for row in np.flatnonzero(several):
        scores[row] = apart(centered(scores[row], parts[row]), levels[row])
    return scores, parts


def parts_of(minimum: EdgeMinimum) -> Parts | None:
    """The components, if there are several, and it is known whether the minimum is attained."""
    if minimum.attained is None or len(minimum.components) == 1:
        return None

    def height(part: tuple[int, ...]) -> int:
        return -minimum.levels[part[0]]

    levels = tuple(tuple(level) for _, level in groupby(sorted(minimum.components, key=height), height))
    return Parts(levels, minimum.attained)


# --- Thurstone's model of comparisons (1927, case V), fitted in floats -----------------------------------

_LOGISTIC: Final = named("logistic").expression
_ROOT: Final = sqrt(2.0 * pi)


def thurstone(wins: Floats) -> Floats:
    r"""Maximum-likelihood scores if i beats j with probability :math:`\Phi(u_i - u_j)`.

    They minimize :math:`-\sum_{ij} w_{ij} \log \Phi(u_i - u_j)`, which is convex. Where no scores do,
    because some items never lose to others, components of items are placed one above the other, as for the
    logistic loss, which grows and fades at the same ends.
    """
    scores: Floats = _apart(_LOGISTIC, wins[None], lambda inside: _fitted(inside[0])[None])[0][0]
    return scores


def _fitted(wins: Floats) -> Floats:
    i, j = np.nonzero(wins)
    return EdgeRisk(_probit, len(wins), i, j, wins[i, j], np.zeros(len(wins))).descend()


def _probit(x: Floats) -> tuple[Floats, Floats, Floats]:
    """-log Phi(x) with its first and second derivative."""
    from scipy.special import log_ndtr

    value = -log_ndtr(x)
    hazard = np.exp(value - x * x / 2.0) / _ROOT
    return value, -hazard, hazard * (hazard + x)


# --- How each loss, and each rule that people use instead, orders items by their wins --------------------

_MANY: Final = 16
"""From this many matrices of few items on, the batched minimizer is used."""

_FEW_ITEMS: Final = 20

ELO: Final = "elo"
_K: Final = 4.0
"""How far a game moves ratings on the scale of 400, as in evalica and leaderboards."""


class Rule(ABC):
    """A rule that maps wins to scores."""

    name: str
    title: str
    surrogate: Surrogate | None
    of_wins: ClassVar[bool] = True  #: Whether the wins alone determine the scores.

    @abstractmethod
    def scores(self, wins: Floats) -> Floats:
        """Scores of shape (b, m) for wins of shape (b, m, m)."""

    def parts(self, wins: Floats) -> Parts | None:
        """Components of items whose distance the wins (m, m) leave undetermined, if there are several."""
        return None

    def together(self, wins: Floats) -> Whole:
        """Component numbers (b, m) for wins (b, m, m); within a component, score differences are finite."""
        return np.zeros(wins.shape[:2], dtype=np.int64)

    def fitted(self, wins: Floats) -> tuple[Floats, Whole]:
        """`scores` and `together`, found at once."""
        return self.scores(wins), self.together(wins)


@final
@dataclass(frozen=True)
class EdgeRule(Rule):
    """The minimizer of an edge loss on the aggregate, or on what is left of it when pairs are set off."""

    name: str
    title: str
    surrogate: Surrogate  #: Where it comes from, and what is certified.
    phi: Expression  #: Convex, with a continuous slope.
    differences: bool  #: Whether only [a_ij - a_ji]_+ counts.

    @property
    def has_kinks(self) -> bool:
        """Whether it often has many minimizers, so that chance decides which is found."""
        return kind_of(self.phi) not in (Kind.SMOOTH, Kind.STRAIGHT)

    def scores(self, wins: Floats) -> Floats:
        return self.fitted(wins)[0]

    def fitted(self, wins: Floats) -> tuple[Floats, Whole]:
        if wins.shape[1] > _FEW_ITEMS and self.has_kinks:
            raise UnsupportedError(
                f"{self.name} has kinks, and losses with kinks are audited for at most {_FEW_ITEMS} items; "
                f"there are {wins.shape[1]}; keep fewer, or use squared-hinge"
            )
        counted = self._counted(wins)
        if self.has_kinks:
            return _batched(self.phi, counted)[0], self.together(wins)
        scores, parts = _apart(self.phi, counted, self._fitted)
        both_grow = growth(self.phi).ahead is growth(self.phi).behind is Trend.GROWS
        return scores, self.together(wins) if both_grow else parts

    def _fitted(self, wins: Floats) -> Floats:
        """Minimizers, up to shifts of components between which there are no wins."""
        few = wins.shape[1] <= _FEW_ITEMS and len(wins) >= _MANY
        together = _batched(self.phi, wins) if few else refitted(self.phi, wins)
        if together is None:
            # The fit of all together is near that of each, unless net majorities change sides.
            near = len(wins) > 1 and not self.differences
            start = minimize_edges(self.phi, wins.mean(axis=0)).scores if near else None
            return np.array([minimize_edges(self.phi, one, start).scores for one in wins]).reshape(
                wins.shape[:2]
            )
        scores, converged = together
        for late in np.flatnonzero(~converged):
            scores[late] = minimize_edges(self.phi, wins[late]).scores
        return scores

    def parts(self, wins: Floats) -> Parts | None:
        if self.has_kinks:
            return None
        return parts_of(minimize_edges(self.phi, self._counted(wins[None])[0]))

    def together(self, wins: Floats) -> Whole:
        return _strong(self._counted(wins))

    def _counted(self, wins: Floats) -> Floats:
        """The wins (b, m, m) that the loss counts."""
        return np.maximum(wins - wins.transpose(0, 2, 1), 0.0) if self.differences else wins


@final
@dataclass(frozen=True)
class FormulaRule(Rule):
    """Scores by a formula of the wins."""

    name: str
    title: str
    formula: Callable[[Floats], Floats]
    surrogate: Surrogate | None = None

    def scores(self, wins: Floats) -> Floats:
        return self.formula(wins)

    def parts(self, wins: Floats) -> Parts | None:
        return parts_of(minimize_edges(_LOGISTIC, wins)) if self.formula is _thurstones else None

    def together(self, wins: Floats) -> Whole:
        return _strong(wins) if self.formula is _thurstones else super().together(wins)


@final
@dataclass(frozen=True, eq=False)
class EloRule(Rule):
    """Ratings by the games one after another, which minimize no loss."""

    ratings: Floats  #: Shape (m,).
    name: str = ELO
    title: str = f"Elo (in time order, evalica, K={_K:g})"
    surrogate: None = None
    of_wins: ClassVar[bool] = False

    def scores(self, wins: Floats) -> Floats:
        return np.broadcast_to(self.ratings, (len(wins), len(self.ratings)))


def elo(profile: Profile) -> EloRule | str:
    """The ratings of Elo after the games of a profile in time order; or why there are none."""
    played = profile.contents.played if isinstance(profile.contents, PairCounts) else NO_TIMES
    if isinstance(played, str):
        return played
    need("evalica", ELO)
    from evalica import Winner
    from evalica import elo as rated

    place = {item: new for new, item in enumerate(profile.kept)}
    games = [(place[i], place[j], tied) for i, j, tied in played if i in place and j in place]
    winners = [Winner.Draw if tied else Winner.X for *_, tied in games]
    found = rated([i for i, *_ in games], [j for _, j, _ in games], winners, k=_K)
    ratings = np.full(profile.m, found.initial)
    ratings[found.scores.index.to_numpy(dtype=np.int64)] = found.scores.to_numpy()
    return EloRule(ratings)


def net(wins: Floats) -> Floats:
    """Wins less losses: what the linear loss, least squares on net preferences and Borda order by."""
    nets: Floats = wins.sum(axis=2) - wins.sum(axis=1)
    return nets


def _majorities(wins: Floats) -> Floats:
    """Majorities won less majorities lost, however large they are (Copeland)."""
    counts: Floats = np.sign(wins - wins.transpose(0, 2, 1)).sum(axis=2)
    return counts


def _rates(wins: Floats) -> Floats:
    won, lost = wins.sum(axis=2), wins.sum(axis=1)
    rates: Floats = np.divide(won, won + lost, out=np.full_like(won, 0.5), where=won + lost > 0)
    return rates


def _strong(wins: Floats) -> Whole:
    """The strong components of each: those of a loss that grows at one end alone."""
    return placed(_LOGISTIC, wins > 0)[1]


def _thurstones(wins: Floats) -> Floats:
    return np.array([thurstone(one) for one in wins])


def _batched(phi: Expression, wins: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    m = wins.shape[1]
    pairs = list(permutations(range(m), 2))
    # The coefficients are the numbers of the pairs, so they tell how terms are arranged.
    structure, numbers = stack([[pair(Fraction(k), phi, i, j) for k, (i, j) in enumerate(pairs, 1)]], m)
    rows, columns = map(list, zip(*(pairs[round(k) - 1] for k in numbers[0]), strict=True))
    minima = minimize_batch(structure, np.ascontiguousarray(wins[:, rows, columns]), middle=True)
    return minima.scores, minima.converged


ALIASES: Final[Mapping[str, str]] = MappingProxyType(
    {
        **{other: loss.name for loss in NAMED.values() for other in loss.aliases},
        **{other: name for name, others in RULES.items() for other in others},
    }
)
"""Other names, as for `check`; spaces and underscores count as hyphens."""

KEMENY: Final = "kemeny"
BORDA: Final = "borda"
DEFAULT: Final = ("logistic", "exponential", "squared-hinge", "linear", "difference-logistic")


def canonical(name: str) -> str:
    """The name that an alias stands for."""
    said = re.sub(r"[\s_]+", "-", name.strip().lower())
    return ALIASES.get(said, said)


def rule(name: str) -> Rule:
    """The rule of a name or an alias."""
    said = canonical(name)
    if said in _RULES:
        return _RULES[said]
    if said in NO_LOSS:
        raise InputError(f"{name.strip()} {NO_LOSS[said]}")
    try:
        found = surrogate(said)
    except InputError:
        raise _unknown(name) from None
    phi = found.phi if type(found) is EdgeSurrogate or type(found) is DifferenceSurrogate else None
    if phi is not None and not is_convex(phi):
        raise InputError(f"{name.strip()} is not convex; an audit needs convex losses, such as logistic")
    if type(found) is EdgeSurrogate and found.of_aggregate:
        return EdgeRule(found.name, f"edge loss of {found.phi}", found, found.phi, differences=False)
    if type(found) is DifferenceSurrogate:
        return EdgeRule(found.name, f"difference loss of {found.phi}", found, found.phi, differences=True)
    if found.name in ("linear", "regression"):
        return FormulaRule(found.name, "wins less losses", net, found)
    raise InputError(f"{name} depends on more than the aggregate; try one of {', '.join(DEFAULT)}")


def _unknown(name: str) -> InputError:
    known = sorted({*_RULES, *ALIASES, KEMENY, *surrogate_names()})
    hint = did_you_mean(canonical(name), known, "try one of", (*DEFAULT, *_RULES))
    return InputError(f"there is no loss or rule called {name.strip()[:40]!r}; {hint}")


_RULES: Final[Mapping[str, Rule]] = {
    one.name: one
    for one in (
        FormulaRule(BORDA, "wins less losses", net),
        FormulaRule("copeland", "majorities won less majorities lost", _majorities),
        FormulaRule("winrate", "the share of its comparisons that an item won", _rates),
        FormulaRule("thurstone", "maximum likelihood with normal differences", _thurstones),
    )
}
