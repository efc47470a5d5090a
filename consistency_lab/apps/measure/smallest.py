"""The smallest witness by total weight, with the proof that none is smaller."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.apps.measure.right import (
    Screened,
    Support,
    components,
    orbits_of_weight,
    rationals,
    screened,
    where_proved_right,
)
from consistency_lab.certify.witness import Witness, certify
from consistency_lab.core.certificates import Separation
from consistency_lab.core.document import CONSISTENT_AT_P, INCONSISTENT
from consistency_lab.decide.theorems.catalogue import consistency_theorem
from consistency_lab.errors import InputError, UnsupportedError
from consistency_lab.frozen import frozen
from consistency_lab.model.conditions import condition as condition_named
from consistency_lab.model.distribution import total_weight
from consistency_lab.model.surrogates import Surrogate
from consistency_lab.model.surrogates.own import as_surrogate
from consistency_lab.search.effort import LARGEST, Effort
from consistency_lab.search.find import find
from consistency_lab.search.forward import Space, space
from consistency_lab.search.size import TermTable, realize, refuse_unequal, sees_difference_only, size
from consistency_lab.solve.kinds import is_convex
from consistency_lab.solve.minimize import minimize
from consistency_lab.solve.optimal import optimal_orders

# --- What is known of the smallest witnesses, total weight by total weight -------------------------------


@frozen
class Level:
    """The results for all aggregates of one total weight."""

    total: int  #: The total weight.
    aggregates: int  #: How many there are, up to relabeling and without multiples of smaller ones.
    screened: int  #: For how many of them the minimizer in floats looks wrong, or tied.
    certified_right: int  #: Where the surrogate is proved to be right.
    #: Where it is proved to be wrong by a tie only: the minimizer is the only one, and inverts no pair.
    ties: int
    wrong: int  #: Other witnesses.
    #: Where Definition 2 fails at infinity only: a strong component of fewer items has a proved tie, and the
    #: rest runs away from it in the right order (`measure.right`), so no finite scores are a witness.
    escapes: int
    open: int  #: The rest: not decided.


@frozen
class Smallest:
    """The smallest witnesses with a given number of items."""

    #: The question.
    surrogate: Surrogate
    condition: str
    m: int
    #: The lightest witness that the core accepts, tie or inversion, and its total weight; None if none was
    #: found.
    witness: Witness | None
    total: int | None
    #: Whether no witness is lighter, for certain; without a witness: whether there is none at all.
    proved: bool
    #: The same for strict inversions.
    strict: Witness | None
    strict_total: int | None
    strict_proved: bool
    levels: tuple[Level, ...]  #: What was gone through, by total weight.
    note: str  #: What is proved and what is not, in words.

    @property
    def open(self) -> int:
        """The number of undecided aggregates lighter than the witness."""
        return sum(level.open for level in self.levels if self.total is None or level.total < self.total)


# --- What a witness proves about the regret of minimizing the surrogate, beyond its own scores -----------


def certified_regret(witness: Witness) -> Fraction:
    """The proved normalized regret of scores of nearly minimal surrogate risk.

    Where the scores are a minimizer, that is the regret of what sorting them may return. Those of a
    separation are only near: every dual bound lies above W there, so whatever has no larger W orders the
    pairs of the bounds like the scores. It costs at least what the cheapest such order does.
    """
    certificate = witness.proof.certificate
    if not isinstance(certificate, Separation):
        return witness.normalized_regret
    a = witness.distribution.aggregate
    pairs = [(bound.above, bound.below) for bound in certificate.bounds]
    return (optimal_orders(a, pairs).loss - witness.optimum.loss) / total_weight(a)


# --- The smallest witness by total weight, with the proof that none is smaller (`search.size`) -----------
# All whole-number aggregates of the condition are tried by total weight, each once up to relabeling
# and multiples. Floats order the work; then each aggregate is decided: the core accepts a witness there, or
# the surrogate is proved to be right (`right`), or it stays open and is counted as such.

_BUDGET: Final = 60.0
_MOST: Final = 1_000_000
"""At most this many aggregates of one total weight are listed, before relabelings are removed."""

_PARTS: Final = 4
"""The general search gets the budget divided by this."""

_FURTHER: Final = 2
"""If the smallest is a tie, an inversion is sought up to this many times its total weight."""


def smallest(
    surrogate: Surrogate | str,
    condition: str,
    m: int,
    *,
    effort: Effort | None = None,
    provenance: dict[str, str] | None = None,
    known: Witness | None = None,
) -> Smallest:
    """Find the smallest witness with m items under a condition, and prove that none is smaller.

    Where the budget ends before the first witness, one that is `known`, or that the general search finds, is
    given: a witness that exists is never kept back because it is not proved to be the smallest. The budget is
    a minute if no effort is given; the provenance goes into the witness document.
    """
    surrogate = as_surrogate(surrogate)
    name = condition_named(condition).name
    if not 2 <= m <= LARGEST:
        raise InputError(f"there are {m} items; the smallest witness is sought for 2 to {LARGEST} items")
    refuse_unequal(surrogate, m)
    theorem = consistency_theorem(surrogate, name, m=m)
    if theorem is not None:
        note = f"there is no witness: {theorem.citation}, for {theorem.scope}"
        return Smallest(surrogate, name, m, None, None, True, None, None, True, (), note)
    bent = [phi for phi in surrogate.functions if not is_convex(phi)]
    if bent:
        note = f"{bent[0]} is not proved convex, so no certificate applies"
        return Smallest(surrogate, name, m, None, None, False, None, None, False, (), note)
    scan = _Scan(surrogate, name, m, effort or Effort(_BUDGET), provenance or {}, known)
    try:
        scan.run()
    except KeyboardInterrupt:
        scan.effort.interrupted = True
    return scan.answer()


@final
@dataclass
class _Scan:
    """One exhaustive search; its levels and witnesses grow."""

    surrogate: Surrogate
    condition: str
    m: int
    effort: Effort
    provenance: dict[str, str]
    known: Witness | None
    levels: list[Level] = field(default_factory=list)
    lightest: Witness | None = None
    strict: Witness | None = None

    def run(self) -> None:
        support = Support.of(TermTable(self.surrogate, self.m))
        aggregates = space(self.condition, self.m, not sees_difference_only(self.surrogate))
        total = 0
        if self.known is None and not support.table.batched:
            # One distribution at a time is slow: the budget may end long before the first witness.
            self.effort.ration(_PARTS)
            self._look_elsewhere()
            self.effort.until = None
        while self._goes_on(total + 1, aggregates):
            total += 1
            title = f"{self.surrogate.name}, {self.condition}, {self.m} items, total weight {total}"
            self.effort.say(title)
            looked = screened(support, orbits_of_weight(aggregates, total), self.effort)
            self._decide(support, total, looked)
        if self.lightest is None and self.known is None:
            self._look_elsewhere()

    def _look_elsewhere(self) -> None:
        """A witness that the general search finds, whatever its weight."""
        if self.effort.expired:
            return
        witness = find(
            self.surrogate, self.condition, (self.m,), effort=self.effort, provenance=self.provenance
        )
        self.known = witness if witness is not None and witness.fails_under(self.condition) else None

    def _goes_on(self, total: int, aggregates: Space) -> bool:
        if self.effort.expired or self.strict is not None or aggregates.count(total) > _MOST:
            return False
        return self.lightest is None or total <= _FURTHER * size(self.lightest).weight

    def _decide(self, support: Support, total: int, found: Screened) -> None:
        """Witnesses first, those of inversions and of few edges before others; then the proofs."""
        calm = np.flatnonzero(~found.wrong)
        order = sorted(
            (int(b) for b in np.flatnonzero(found.wrong)),
            key=lambda b: (not found.strict[b], int((found.a[b] > 0).sum()), -float(found.regret[b])),
        )
        right = int(
            where_proved_right(self.surrogate, support, found.a[calm], found.scores[calm], self.effort).sum()
        )
        ties = wrong = escapes = 0
        for b in order:
            if self.effort.expired:
                break
            witness = self._certified(found.a[b])
            if witness is None:
                escapes += self._escapes(support, found.a[b])
            elif witness.verified.claim == CONSISTENT_AT_P:
                right += 1
            else:
                self._keep(witness)
                only_tied = _is_tie_only(witness)
                ties += only_tied
                wrong += not only_tied
        left = len(found.a) - right - ties - wrong - escapes
        if left and self.effort.expired:
            return  # nothing is said of a level that was not gone through
        self.levels.append(Level(total, len(found.a), len(order), right, ties, wrong, escapes, left))

    def _escapes(self, support: Support, a: NDArray[Any]) -> bool:
        """Whether one strong component of several, not all items, has a proved tie."""
        parts = components(support.together(a[None])[0])
        if len(parts) != 1 or len(parts[0]) == self.m:
            return False
        part = np.array(parts[0])
        witness = self._certified(a[part[:, None], part], needed=False)
        return witness is not None and witness.verified.claim == INCONSISTENT and _is_tie_only(witness)

    def _certified(self, a: NDArray[Any], needed: bool = True) -> Witness | None:
        """A document that the core accepts, for or against; the condition may be `needed`."""
        self.effort.count(certificates=1)
        try:
            distribution = realize(self.surrogate, rationals(a))
            witness = certify(self.surrogate, distribution, provenance=self.provenance)
        except UnsupportedError:
            return None
        if witness is None or (needed and not witness.verified.conditions[self.condition]):
            return None
        return witness

    def _keep(self, witness: Witness) -> None:
        assert witness.fails_under(self.condition)
        if self.lightest is None or (
            size(witness).weight == size(self.lightest).weight and size(witness) < size(self.lightest)
        ):
            self.lightest = witness
        if witness.verified.failure == "strict" and (
            self.strict is None or size(witness) < size(self.strict)
        ):
            self.strict = witness

    def answer(self) -> Smallest:
        if self.lightest is None and self.known is not None:
            return self._only_known(self.known)
        total = None if self.lightest is None else size(self.lightest).weight
        strict_total = None if self.strict is None else size(self.strict).weight
        below = [level for level in self.levels if total is None or level.total < total]
        lighter = [level for level in self.levels if strict_total is None or level.total < strict_total]
        return Smallest(
            self.surrogate,
            self.condition,
            self.m,
            self.lightest,
            total,
            total is not None and not any(level.open for level in below),
            self.strict,
            strict_total,
            strict_total is not None and not any(level.open + level.wrong for level in lighter),
            tuple(self.levels),
            self._note(below),
        )

    def _only_known(self, witness: Witness) -> Smallest:
        """A witness heavier than all levels searched: it is not proved to be the smallest."""
        total = size(witness).weight
        most = min(self.levels[-1].total if self.levels else 0, total - 1)
        strict = witness if witness.verified.failure == "strict" else None
        note = (
            f"a lighter one may exist, but not of total weight up to {most}{self._rest(self.levels)}"
            f"{self._ended()}{_scope(self.surrogate)}"
        )
        strict_total = None if strict is None else total
        known = witness, total, False, strict, strict_total, False
        return Smallest(self.surrogate, self.condition, self.m, *known, tuple(self.levels), note)

    def _rest(self, below: Sequence[Level]) -> str:
        undecided = sum(level.open for level in below)
        rest = "" if not undecided else f", except possibly {undecided:,} that are open"
        away = sum(level.escapes for level in below)
        if away:
            rest += f"; at {away:,} lighter ones it fails only at infinity, by a tie of fewer items"
        return rest

    def _ended(self) -> str:
        ending = self.effort.ending.removesuffix("; ")
        return f"; {ending}" if ending else ""

    def _note(self, below: Sequence[Level]) -> str:
        decided = sum(level.certified_right for level in below)
        undecided = sum(level.open for level in below)
        if self.lightest is None:
            most = below[-1].total if below else 0
            says = (
                f"no witness of total weight up to {most}: the surrogate is right at {decided:,} aggregates"
            )
        else:
            says = f"none is smaller: the surrogate is right at all {decided:,} lighter aggregates"
            if undecided:
                says = f"none smaller was found: the surrogate is right at {decided:,} lighter aggregates"
        return f"{says}{self._rest(below)}{self._ended()}{_scope(self.surrogate)}"


def _is_tie_only(witness: Witness) -> bool:
    """Whether the minimizer is proved unique, and the witness shows only a tie."""
    if witness.verified.failure != "tie" or witness.verified.gap is not None:
        return False
    minimum = minimize(witness.terms, witness.distribution.m)
    return minimum.exact is not None and minimum.unique is True


def _scope(surrogate: Surrogate) -> str:
    """The distributions searched, if W depends on more than the aggregate."""
    if surrogate.of_aggregate:
        return ""
    return "; among distributions on graphs of one edge each, all of the same weight"
