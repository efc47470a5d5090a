"""Who wins by the rules of voting theory, which pref_voting computes from the ballots or the majorities."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from consistency_lab.apps.audit.losses import canonical
from consistency_lab.data.preflib import Ballots
from consistency_lab.data.profile import Profile
from consistency_lab.errors import InputError, need
from consistency_lab.frozen import frozen
from consistency_lab.numbers.exact import integer_multiple

ELECTIONS: Final[Mapping[str, tuple[str, str, bool]]] = MappingProxyType(
    {
        "plurality": ("plurality", "plurality", True),
        "irv": ("IRV", "instant_runoff_for_truncated_linear_orders", True),
        "schulze": ("Schulze", "beat_path", False),
        "minimax": ("minimax", "minimax", False),
        "split-cycle": ("split cycle", "split_cycle", False),
    }
)
"""What each rule is called, its function in `pref_voting.voting_methods`, and whether that takes ballots.

The others take the net wins of each pair. IRV drops all items that come last together.
"""

_ALIASES: Final[Mapping[str, str]] = {
    **dict.fromkeys(("instant-runoff", "rcv", "ranked-choice", "hare"), "irv"),
    **dict.fromkeys(("beatpath", "beat-path"), "schulze"),
    **dict.fromkeys(("first-past-the-post", "fptp"), "plurality"),
}


@frozen
class Elected:
    """Who wins by one rule."""

    rule: str  #: A key of `ELECTIONS`.
    winners: tuple[int, ...]  #: Several if they are tied; none if the rule does not apply.
    why: str = ""  #: Why it does not.


def election_rule(name: str) -> str | None:
    """The rule that is meant, None if it is none of these."""
    said = canonical(name)
    said = _ALIASES.get(said, said)
    if said not in ELECTIONS:
        return None
    need("pref_voting", said)
    return said


def elected(profile: Profile, rule: str) -> Elected:
    """The winners of one rule among the items kept."""
    need("pref_voting", rule)
    from pref_voting import voting_methods
    from pref_voting.profiles_with_ties import ProfileWithTies
    from pref_voting.weighted_majority_graphs import MarginGraph

    _, function, by_ballots = ELECTIONS[rule]
    items = [*range(profile.m)]
    if by_ballots:
        try:
            ballots = _strict(profile)
        except InputError as error:
            return Elected(rule, (), str(error))
        ranks = [{item: place for place, item in enumerate(order, 1)} for order in ballots]
        given = ProfileWithTies(ranks, [*ballots.values()], candidates=items)
    else:
        a = profile.wins
        pairs = [(i, j) for i in items for j in items if a[i][j] > a[j][i]]
        whole, _ = integer_multiple(a[i][j] - a[j][i] for i, j in pairs)
        given = MarginGraph(items, [(i, j, margin) for (i, j), margin in zip(pairs, whole, strict=True)])
    return Elected(rule, tuple(map(int, getattr(voting_methods, function)(given))))


def _strict(profile: Profile) -> dict[tuple[int, ...], int]:
    """How often there is each order; what a ballot puts last together, it leaves unranked."""
    if not isinstance(profile.contents, Ballots):
        raise InputError("it needs ranked ballots, and these data are comparisons")
    place = {item: new for new, item in enumerate(profile.kept)}
    ballots: dict[tuple[int, ...], int] = {}
    tied = 0
    for count, levels in profile.contents.ballots:
        order = [kept for level in levels if (kept := [place[item] for item in level if item in place])]
        if order and len(order[-1]) > 1 and sum(map(len, order)) == profile.m:
            order.pop()
        if any(len(level) > 1 for level in order):
            tied += count
        elif order and count:
            key = tuple(level[0] for level in order)
            ballots[key] = ballots.get(key, 0) + count
    if tied:
        raise InputError(f"it needs strict orders, and {tied:,} ballots tie items above others")
    return ballots
