"""What is proved about a loss at the votes of a profile: by a theorem, or by a file that the core accepts.

A theorem that tells the order near the infimum of W decides by additions alone (`theorems.linear`). It
needs no file; one is made on demand, and must agree.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from typing import Any, Final, final

from consistency_lab.audits.findings import disagreement
from consistency_lab.audits.losses import Rule
from consistency_lab.certify.addition import ByAddition
from consistency_lab.certify.witness import MAX_ITEMS, Witness, certify, certify_by_addition
from consistency_lab.core.document import STRICT, TIE
from consistency_lab.core.orders import NO_CYCLES, by_levels, lower_bound
from consistency_lab.data.profile import Profile
from consistency_lab.decide.answers import Repair, Verdict
from consistency_lab.decide.profile import BY_ADDITION_ALONE, pairs_by_addition, repairs
from consistency_lab.errors import ConsistencyLabError, UnsupportedError
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import Surrogate
from consistency_lab.proofs.orders import order_evidence
from consistency_lab.solve.kemeny import KemenyOrder, kemeny
from consistency_lab.theorems.difference import EXCHANGE, exchangeable
from consistency_lab.theorems.linear import NetOrder, net_order

_DECIMALS: Final = 4
_MANY: Final = 7
"""From this many items on, proofs by neighbors in the order of the scores are faster."""

NO_LOSS: Final = "it is not a loss of the catalogue, so nothing is proved about it"
_NO_PROOF: Final = "no proof was found that scores near the infimum of W are right, or that some are wrong"
_TOO_MANY: Final = (
    "there are {m} items, and adding up comparisons does not decide; "
    f"with more than {BY_ADDITION_ALONE} items nothing else is tried"
)
_NO_MAJORITY: Final = "without a majority every order is optimal"


@final
@dataclass(frozen=True, eq=False)
class Certified:
    """The verdict at one profile."""

    #: Whether scores near the infimum of W are certainly ordered wrongly (INCONSISTENT) or correctly
    #: (CONSISTENT).
    verdict: Verdict
    reason: str  #: One sentence.
    theorem: str | None = None  #: The theorem that decides without a file, if one does.
    failure: str | None = None  #: "strict" or "tie" where the loss is wrong.
    #: The items by falling score, ties together, if a theorem gives them exactly.
    levels: tuple[tuple[int, ...], ...] | None = None
    file: Callable[[], Witness | None] = lambda: None  #: Looks for the file that proves it.
    #: The pairs of items ordered by adding up comparisons; None if that proves nothing about the loss.
    by_addition: ByAddition | None = None
    look: Callable[[], tuple[Repair, ...]] = tuple  #: Searches for repairs.

    @cached_property
    def repairs(self) -> tuple[Repair, ...]:
        """Repairs of an edge loss that is wrong, for few items only."""
        return self.look() if self.verdict is Verdict.INCONSISTENT else ()

    @cached_property
    def witness(self) -> Witness | None:
        """The file that proves it. If a theorem decides, the file is searched on first access.

        Raises
        ------
        ConsistencyLabError
            If the file and the theorem contradict each other, so that one of them is wrong.
        """
        found = self.file()
        if found is not None and found.inconsistent is not (self.verdict is Verdict.INCONSISTENT):
            raise ConsistencyLabError(
                f"{self.theorem} says {self.verdict}, but a file proves that {found.verified.sentence}; one "
                "of them is wrong, so please report this"
            )
        return found

    @property
    def document(self) -> Mapping[str, Any] | None:
        """The file, to be saved."""
        return None if self.witness is None else self.witness.document


def certified(rule: Rule, profile: Profile, best: KemenyOrder | None = None, command: str = "") -> Certified:
    """Prove what can be proved about a rule on a profile.

    Parameters
    ----------
    rule
        Only losses of the catalogue are proved right or wrong.
    profile
        The data.
    best
        The best order of the profile, if it is known already.
    command
        What repeats this, for the file.

    Examples
    --------
    Rankings compare all pairs equally often, so the logistic loss goes by wins; three of them in a cycle tie:

    >>> from consistency_lab.audits.losses import rule
    >>> found = certified(rule("logistic"), Profile.from_rankings([list("ABC"), list("BCA"), list("CAB")]))
    >>> str(found.verdict), found.failure, found.levels, found.witness.failure
    ('INCONSISTENT', 'tie', ((0, 1, 2),), 'tie')
    """
    surrogate = rule.surrogate
    if surrogate is None:
        return Certified(Verdict.UNDECIDED, NO_LOSS)

    added = pairs_by_addition(surrogate, profile.wins)

    def at() -> Distribution:
        return Distribution.from_aggregate(profile.wins, profile.items)

    def proved() -> Witness | None:
        said = {"command": command, "note": "; ".join((profile.title, *profile.notes))}
        found = added and certify_by_addition(surrogate, at(), provenance=said, best=best, found=added)
        quick = profile.m >= _MANY
        if not found and profile.m > BY_ADDITION_ALONE:
            raise UnsupportedError(_TOO_MANY.format(m=profile.m))
        return found or certify(surrogate, at(), provenance=said, decimals=_DECIMALS, best=best, quick=quick)

    def looked_for() -> Witness | None:
        with suppress(UnsupportedError):
            return proved()
        return None

    known = partial(Certified, by_addition=added, look=lambda: repairs(surrogate, at()))
    told = _by_theorem(surrogate, profile.wins, best)
    if told is not None:
        verdict, reason, failure, order = told
        return known(verdict, reason, order.theorem, failure, order.levels or None, looked_for)
    why = _NO_PROOF
    try:
        found = proved()
    except UnsupportedError as error:
        found, why = None, str(error)
    if found is None:
        tied = exchangeable(surrogate, profile.wins)
        if tied is None:
            return known(Verdict.UNDECIDED, why)
        i, j = (profile.items[k] for k in tied)
        reason = f"near the infimum of W {i} and {j} may be tied, but a majority prefers {i}"
        return known(Verdict.INCONSISTENT, reason, EXCHANGE, TIE)
    verdict = Verdict.INCONSISTENT if found.inconsistent else Verdict.CONSISTENT
    return known(verdict, found.verified.sentence, failure=found.failure, file=lambda: found)


def _by_theorem(
    surrogate: Surrogate, a: Sequence[Sequence[Fraction]], best: KemenyOrder | None
) -> tuple[Verdict, str, str | None, NetOrder] | None:
    """Verdict, reason and failure, with the order that a theorem gives; None if that is not enough."""
    if all(x == a[j][i] for i, row in enumerate(a) for j, x in enumerate(row)):
        return Verdict.CONSISTENT, _NO_MAJORITY, None, NetOrder((), f"the definition ({_NO_MAJORITY})")
    found = net_order(surrogate, a)
    if found is None:
        return None
    best = best or kemeny(a)
    reason = f"the items are ordered by their wins less losses: {found.theorem}"
    order = [item for level in found.levels for item in level]
    back = [item for level in found.levels for item in reversed(level)]
    # Of all orders that break the ties the costs of one and of its counterpart add up to the same sum.
    cost, most = sorted((disagreement(a, order), disagreement(a, back)))
    if most > best.cost:
        failure = STRICT if _all_cost_more(a, found.levels, best.cost) else TIE
        return Verdict.INCONSISTENT, reason, failure, found
    return (Verdict.CONSISTENT, reason, None, found) if cost == most == best.at_least else None


def _all_cost_more(a: Sequence[Sequence[Fraction]], levels: Sequence[Sequence[int]], least: Fraction) -> bool:
    """Whether all orders of these levels are proved to cost more, however their ties are broken."""
    costs = {(i, j): x for i, row in enumerate(a) for j, x in enumerate(row) if x and i != j}
    height = {item: -n for n, level in enumerate(levels) for item in level}
    below = by_levels([height[item] for item in range(len(a))])
    if len(a) > MAX_ITEMS:
        return lower_bound(costs, below, NO_CYCLES) > least
    return order_evidence(costs, below, least, more=True) is not None
