"""Every loss side by side on one profile: its order, what it contradicts, what is proved, what is noise."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Annotated, Final, final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.apps.audit.board import Board, board, certain_majorities
from consistency_lab.apps.audit.elections import Elected, elected, election_rule
from consistency_lab.apps.audit.findings import (
    Contradiction,
    contradictions,
    disagreement,
    kendall,
    levels_of,
)
from consistency_lab.apps.audit.flips import Flip, first_flip
from consistency_lab.apps.audit.losses import (
    BORDA,
    DEFAULT,
    ELO,
    KEMENY,
    EloRule,
    Parts,
    Rule,
    canonical,
    elo,
    rule,
)
from consistency_lab.apps.audit.noise import (
    FEWEST,
    SIGNIFICANT,
    Null,
    PairTests,
    Stability,
    bradley_terry_null,
    pair_tests,
    stability,
)
from consistency_lab.certify.addition import Schedules, schedules
from consistency_lab.data.profile import Profile
from consistency_lab.data.rows import WARNING
from consistency_lab.decide.answers import Verdict
from consistency_lab.decide.certified import BY_ADDITION_ALONE, Certified
from consistency_lab.decide.certified import certified as certified_at
from consistency_lab.errors import InputError
from consistency_lab.model.checked import Where, between, checked
from consistency_lab.model.designs import Described
from consistency_lab.model.distribution import Distribution
from consistency_lab.numbers.arrays import Floats, counted
from consistency_lab.solve.kemeny import Effort, KemenyOrder, kemeny, worthwhile

RESAMPLES: Final = 1000
SIMULATIONS: Final = 200
_MOST: Final = 1_000_000
Times = Annotated[int, between(0, _MOST)]
"""A number of draws, bounded so that they end."""

Resamples = Annotated[
    int, Where(f"0 or a whole number from {FEWEST} to {_MOST:,}", lambda n: n == 0 or FEWEST <= n <= _MOST)
]
"""The same, without numbers that can tell nothing from noise."""

_MOST_FLIPS: Final = 60
"""With more items than this, smallest flips are searched only on request, and pairs are not compared."""


@final
@dataclass(frozen=True, eq=False)
class Finding:
    """The result of one rule on a profile."""

    rule: Rule  #: The rule.
    scores: Floats  #: Shape (m,), in floats.
    #: Items from the top. Tied ones stand as in the best order, so nothing is held against a tie.
    order: tuple[int, ...]
    #: Components of items between which the loss leaves the distance open, if there are several.
    parts: Parts | None
    tied: int  #: How many neighbors in the order are tied.
    cost: Fraction  #: How many votes the order contradicts.
    #: The majorities that the scores contradict; tied items contradict none.
    contradictions: tuple[Contradiction, ...]
    #: Whether the first item, and how many of the first three, are those of the best order; None where
    #: comparisons do not link all items, for then none is first.
    top_1: bool | None
    top_3: int | None
    kendall: int  #: How many pairs stand otherwise than in the best order.
    #: How often it persists in resampled votes; None if there are no single votes.
    stability: Stability | None
    #: Shape (m, m): which majorities are more than chance, and contradicted beyond chance, corrected for all
    #: pairs at 5 %; None if this is unknown, without resamples or with too few to find any or exclude all.
    above_noise: NDArray[np.bool_] | None
    certified: Certified  #: What is proved about the loss at these very votes.
    #: A small set of votes without which the first item is not above all others; None where it is tied, or
    #: where comparisons do not link all items.
    flip: Flip | None


@final
@dataclass(frozen=True, eq=False)
class Audit:
    """The findings on one profile."""

    profile: Profile  #: The data.
    best: KemenyOrder  #: An order of least disagreement, and how good it is proved to be.
    findings: tuple[Finding, ...]  #: One for each rule, as they were asked for.
    #: Of each majority, whether it is more than chance; None if there are no single votes.
    tests: PairTests | None
    #: Whether Bradley-Terry fits worse than it would if it were true, and what it contradicts; None if that
    #: was not asked, or the model does not speak of such votes.
    null: Null | None
    #: How often votes were drawn again, how often Bradley-Terry was asked to play, and the seed of both.
    resamples: int
    simulations: int
    seed: int
    design: Described  #: How often the pairs are compared.
    #: What addition compares of each pair of items, see `certify.addition`; empty for more than 60 items.
    schedules: tuple[Schedules, ...]
    #: Of each group of linked items the scores and ranks by the rule shown; none without rules.
    boards: tuple[Board, ...]
    elected: tuple[Elected, ...] = ()  #: Who wins by the rules of voting theory that were asked for.

    @cached_property
    def shown(self) -> Finding | None:
        """The finding whose table is shown, see `chosen`; None without rules."""
        return chosen(self.findings) if self.findings else None

    @cached_property
    def condorcet(self) -> int | None:
        """The item that a majority prefers to each of the others, if there is one."""
        a = self.wins
        beats = (i for i in range(len(a)) if all(a[i][j] > a[j][i] for j in range(len(a)) if j != i))
        return next(beats, None)

    @cached_property
    def wins(self) -> list[list[Fraction]]:
        """How often i was preferred to j, exactly."""
        return self.profile.wins

    @cached_property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """Items that a chain of comparisons links, the largest group first; one group if it links all."""
        return linked(self.wins)

    def more(self, finding: Finding) -> tuple[Fraction, Fraction]:
        """How many votes more an order contradicts than the best one: at least, and at most."""
        return max(finding.cost - self.best.cost, Fraction(0)), finding.cost - self.best.at_least

    def foremost(self, finding: Finding) -> Contradiction | None:
        """The largest contradicted majority of those above noise, if there are any, else of all."""
        above = finding.above_noise
        wrong = finding.contradictions
        real = (one for one in wrong if above is not None and above[one.above, one.below])
        return next(real, wrong[0] if wrong else None)


@checked
def audit(
    profile: Profile,
    losses: Sequence[str] = DEFAULT,
    *,
    resamples: Resamples = RESAMPLES,
    simulations: Times = SIMULATIONS,
    seed: Annotated[int, between(0, 2**63)] = 0,
    flips: bool | None = None,
    effort: Effort | None = None,
    progress: Callable[[str], None] = lambda text: None,
) -> Audit:
    """Run losses on a profile: what each contradicts, what is proved of it, and whether that is noise."""
    called = {name: election_rule(name) for name in dict.fromkeys(map(canonical, losses)) if name != KEMENY}
    chosen_by = dict.fromkeys(filter(None, called.values()))
    names = [name for name, election in called.items() if election is None]
    names = names or [BORDA] if chosen_by else names  # a table of items has scores
    rated = elo(profile) if ELO in names else ""
    if isinstance(rated, str) and ELO in names:
        if names == [ELO]:
            raise InputError(f"{ELO} {rated}")
        names.remove(ELO)
        profile = replace(profile, told=(*profile.told, f"{WARNING}{ELO} is skipped: it {rated}"))
    rules = [rated if isinstance(rated, EloRule) and name == ELO else rule(name) for name in names]
    wins = profile.wins
    if profile.m > BY_ADDITION_ALONE:  # a thousand fits would take hours
        resamples, simulations = 0, 0
    progress("the best order")
    best = kemeny(wins, effort or worthwhile(profile.m))
    (counts, one_vote), floats = counted(wins), np.array(wins, dtype=np.float64)
    votes = profile.votes
    progress("the scores of each loss")
    scored = [one.scores(floats[None])[0] for one in rules]
    stable: list[Stability | None] = [None] * len(rules)
    if votes is not None and resamples:
        progress(f"{resamples} resamples")
        of_wins = [one for one in rules if one.of_wins]
        resampled = iter(stability(of_wins, votes, resamples, seed))
        stable = [next(resampled) if one.of_wins else None for one in rules]
    tests = None if votes is None else pair_tests(votes.decided, votes)
    null = None
    if simulations and votes is not None:
        progress(f"{simulations} simulations of Bradley-Terry")
        null = bradley_terry_null(rule("logistic"), votes, simulations, seed)
    groups = linked(wins)
    whole = len(groups) == 1
    wanted = whole and (flips if flips is not None else profile.m <= _MOST_FLIPS)
    summed = Distribution.from_aggregate(wins, profile.items)
    findings = []
    for one, scores, stands in zip(rules, scored, stable, strict=True):
        progress(f"{one.name}: what can be proved")
        known = certified(one, profile, best, p=summed)
        levels = levels_of(scores) if known.levels is None else known.levels
        order, tied = broken(levels, best.order, groups)
        alone = len(levels[0]) == 1
        asked = wanted and alone and one.of_wins
        flip = first_flip(one, votes, order) if asked and votes is not None else None
        against = contradictions(counts, one_vote, levels)
        findings.append(
            Finding(
                rule=one,
                scores=scores,
                order=order,
                parts=one.parts(floats),
                tied=tied,
                cost=disagreement(counts, one_vote, order),
                contradictions=against,
                top_1=order[0] == best.order[0] if whole else None,
                top_3=len(set(order[:3]) & set(best.order[:3])) if whole else None,
                kendall=kendall(order, best.order),
                stability=stands,
                above_noise=_above_noise(against, tests, stands, scores),
                certified=known,
                flip=flip,
            )
        )
    told = schedules(wins) if profile.m <= _MOST_FLIPS else ()
    drawn = (resamples, simulations, seed)
    boards: tuple[Board, ...] = ()
    if findings:
        k = findings.index(chosen(findings))
        drawn_again = None if (again := stable[k]) is None else again.drawn
        certain = None
        if tests is not None and resamples:
            certain = certain_majorities(floats, tests.corrected < SIGNIFICANT)
        boards = tuple(
            board(rules[k], group, scored[k], floats, drawn_again, certain)
            for group in groups
            if len(group) > 1
        )
    winners = tuple(elected(profile, name) for name in chosen_by)
    return Audit(profile, best, tuple(findings), tests, null, *drawn, summed.design, told, boards, winners)


NO_LOSS: Final = "it is not a loss of the catalogue, so nothing is proved about it"


def certified(
    rule: Rule,
    profile: Profile,
    best: KemenyOrder | None = None,
    command: str = "",
    p: Distribution | None = None,
) -> Certified:
    """What is proved about a rule at the votes of a profile, or at their sum `p` if it is known already."""
    if rule.surrogate is None:
        return Certified(Verdict.UNDECIDED, NO_LOSS)
    said = {"command": command, "note": "; ".join((profile.title, *profile.notes))}
    p = p or Distribution.from_aggregate(profile.wins, profile.items)
    return certified_at(rule.surrogate, p, best, said)


def chosen(findings: Sequence[Finding]) -> Finding:
    """The first that goes against no majority above noise, or the first of all."""
    fits = (one for one in findings if one.above_noise is not None and not one.above_noise.any())
    return next(fits, findings[0])


def _above_noise(
    wrong: Sequence[Contradiction], tests: PairTests | None, stable: Stability | None, scores: Floats
) -> NDArray[np.bool_] | None:
    """Which contradictions are real, the majority and that it is contradicted; None if nothing tells."""
    if tests is None:
        return None
    there = np.zeros(tests.p.shape, dtype=bool)
    for one in wrong:
        there[one.above, one.below] = True
    real = tests.corrected < SIGNIFICANT
    above, still_open = (~there, real) if stable is None else stable.standing(real, scores)
    above = there & above
    return above if above.any() or not (there & still_open).any() else None


def linked(wins: Sequence[Sequence[Fraction]]) -> tuple[tuple[int, ...], ...]:
    """Groups of items that no comparison links, the largest first."""
    from scipy.sparse.csgraph import connected_components

    part = connected_components(np.array(wins, dtype=bool), directed=False)[1]
    groups = [tuple(np.flatnonzero(part == number).tolist()) for number in range(int(part.max()) + 1)]
    return tuple(sorted(groups, key=lambda group: (-len(group), group)))


def broken(
    levels: Sequence[Sequence[int]], best: Sequence[int], groups: Sequence[Sequence[int]]
) -> tuple[tuple[int, ...], int]:
    """An order of levels, tied items as in `best`, and how many neighbors in a group are tied."""
    place = {item: k for k, item in enumerate(best)}
    order = tuple(item for level in levels for item in sorted(level, key=place.__getitem__))
    met = sum(not set(group).isdisjoint(level) for group in groups for level in levels)
    return order, len(order) - met
