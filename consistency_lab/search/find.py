"""Find a witness: inverse search proposes, the gate decides, shrinking looks for a smaller one.

Beside it is a survey in floats, for a phi that is not convex.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final, final

import numpy as np

from consistency_lab.certify.witness import Witness, certify
from consistency_lab.errors import ConsistencyLabError
from consistency_lab.model.checked import checked
from consistency_lab.model.conditions import condition as named
from consistency_lab.model.surrogates import Surrogate
from consistency_lab.model.surrogates.own import as_surrogate
from consistency_lab.numbers.exact import LogRational
from consistency_lab.search.effort import LARGEST, Effort, as_effort, item_counts
from consistency_lab.search.forward import (
    Space,
    compare_with_optimum,
    sampled_suspects,
    shrunk_suspects,
    space,
    suspects_of_weight,
)
from consistency_lab.search.inverse import Candidate, inverse_search
from consistency_lab.search.size import TermTable, realize, sees_difference_only, size, treats_items_alike
from consistency_lab.solve.numeric import compiled

_KEPT: Final = 6
_ENOUGH: Final = 40
_TRIED_PER_WEIGHT: Final = 8
_ROUNDS: Final = 8
_ENUMERATED: Final = 60_000
_ENUMERATED_SINGLY: Final = 60
_HEAVIEST: Final = 48
"""Whole-number distributions are listed up to about this number, or up to this total weight."""


@final
@dataclass
class Search:
    """One search: a surrogate under a condition."""

    #: What to look for.
    surrogate: Surrogate
    condition: str
    effort: Effort  #: Budget and counters, shared between searches.
    strict: bool = False  #: Accept strict inversions only.
    seed: int = 0  #: Of the order in which the inverse search tries scores.
    provenance: dict[str, str] = field(default_factory=dict)  #: Texts for the witness document.
    best: Witness | None = None  #: The smallest witness so far, also after an interruption.
    looked: list[str] = field(default_factory=list)

    def run(self, items: Sequence[int]) -> Witness | None:
        """Search with each number of items in turn, until one yields a witness or the user interrupts."""
        try:
            for m in items:
                if self.effort.expired or m > LARGEST:
                    break
                self.effort.say(f"{self.surrogate.name}, {self.condition}, {m} items")
                self._with_items(m)
                if self.best is not None:
                    break
        except KeyboardInterrupt:
            self.effort.interrupted = True
        return self.best

    def _with_items(self, m: int) -> None:
        table = TermTable(self.surrogate, m)
        both_ways, renamed = (
            not sees_difference_only(self.surrogate),
            not treats_items_alike(self.surrogate, m),
        )
        aggregates = space(self.condition, m, both_ways, renamed=renamed)
        for ties in (False,) if self.strict else (False, True):
            self._inverse(m, ties)
            if self.best is not None:
                break
        self._smallest_first(table, aggregates)
        if self.best is None and not self.effort.expired:
            self._sampled(table, aggregates)
        self.looked.append(f"{m} items")

    def _inverse(self, m: int, ties: bool) -> None:
        candidates: list[Candidate] = []
        for candidate in inverse_search(
            self.surrogate, self.condition, m, self.effort, ties=ties, seed=self.seed
        ):
            candidates.append(candidate)
            if len(candidates) >= _ENOUGH:
                break
        candidates.sort(key=lambda c: (_entries(c.a), -c.regret))
        for candidate in candidates[:_KEPT]:
            self._try(candidate.a if candidate.exact else _rounded(candidate.a), candidate.scores)

    def _smallest_first(self, table: TermTable, aggregates: Space) -> None:
        """Try whole-number distributions by total weight, none heavier than the best strict witness."""
        looked = 0
        for total in range(1, _HEAVIEST + 1):
            looked += aggregates.count(total)
            if self.effort.expired or looked > (_ENUMERATED if table.batched else _ENUMERATED_SINGLY):
                return
            if self.best is not None and not size(self.best).tie and total > size(self.best).weight:
                return
            self.effort.say(f"{self.surrogate.name}, {self.condition}, {table.m} items, total weight {total}")
            tried = 0
            for suspect in suspects_of_weight(aggregates, total, table, self.effort):
                if tried == _TRIED_PER_WEIGHT:
                    break
                heavier = self.best is not None and total > size(self.best).weight
                if not suspect.strict and (self.strict or heavier):
                    continue
                tried += 1
                self._try(suspect.a, None)

    def _sampled(self, table: TermTable, aggregates: Space) -> None:
        """Random distributions, shrunk entry by entry."""
        suspects = sampled_suspects(
            aggregates, table, self.effort, self.seed, _ROUNDS if table.batched else 0
        )
        for suspect in suspects[:_KEPT]:
            if suspect.strict or not self.strict:
                self._try(suspect.a, None)
        if self.best is not None:
            self._shrink(table)

    def _shrink(self, table: TermTable) -> None:
        """Lower one entry at a time (to nothing, to half, by one) while the gate lets the result through."""
        improved = True
        while improved and not self.effort.expired and self.best is not None:
            improved = False
            for suspect in shrunk_suspects(
                self.best.distribution.aggregate, self.condition, table, self.effort
            ):
                before = self.best
                self._try(suspect.a, None)
                if self.best is not before:
                    improved = True
                    break

    def _try(self, a: Sequence[Sequence[Fraction]], scores: tuple[LogRational, ...] | None) -> None:
        """The gate: only a witness that the core accepts, and that is smaller, gets through."""
        self.effort.count(certificates=1)
        distribution = realize(self.surrogate, a)
        witness = certify(self.surrogate, distribution, scores, provenance=self.provenance)
        if witness is None or not witness.fails_under(self.condition):
            return
        if self.strict and witness.verified.failure != "strict":
            return
        if self.best is None or size(witness) < size(self.best):
            self.best = witness


@checked
def find(
    surrogate: Surrogate | str,
    condition: str,
    items: Iterable[int] | int = (2, 3, 4, 5),
    *,
    effort: Effort | float | None = None,
    provenance: dict[str, str] | None = None,
) -> Witness | None:
    """The smallest witness found that the surrogate is inconsistent under the condition, or None.

    Parameters
    ----------
    surrogate, condition
        The question.
    items
        Numbers of items, tried in turn until one has a witness.
    effort
        The budget, or its seconds; 20 seconds if not given.
    provenance
        Texts for the witness document.

    Examples
    --------
    >>> witness = find("hinge", "additive")
    >>> [[str(x) for x in row] for row in witness.distribution.aggregate]
    [['0', '1', '3'], ['0', '0', '1'], ['1', '0', '0']]
    """
    spent = as_effort(effort)
    search = Search(as_surrogate(surrogate), named(condition).name, spent, provenance=provenance or {})
    return search.run(item_counts(items))


def _entries(a: Sequence[Sequence[Fraction]]) -> int:
    return sum(1 for row in a for x in row if x)


def _rounded(a: Sequence[Sequence[Fraction]], parts: int = 60) -> tuple[tuple[Fraction, ...], ...]:
    """A float aggregate to whole parts, keeping d additive in whole parts where it was additive before."""
    m = len(a)
    weight = sum(map(sum, a)) or Fraction(1)
    a = [[x / weight for x in row] for row in a]
    d = [[round(float(a[i][j] - a[j][i]) * parts) for j in range(m)] for i in range(m)]
    additive = all(
        abs(float(a[i][k] - a[k][i]) - sum(float(a[n][n + 1] - a[n + 1][n]) for n in range(i, k))) < 1e-6
        for i in range(m)
        for k in range(i, m)
    )
    rounded = [[Fraction(0)] * m for _ in range(m)]
    for i in range(m):
        for j in range(i + 1, m):
            step = sum(d[n][n + 1] for n in range(i, j)) if additive else d[i][j]
            common = round(float(min(a[i][j], a[j][i])) * parts)
            rounded[i][j] = Fraction(common + max(step, 0))
            rounded[j][i] = Fraction(common + max(-step, 0))
    return tuple(map(tuple, rounded))


# --- A survey in floats for surrogates that no certificate covers: it can only ever raise a suspicion ----

_ITEMS: Final = 3
_WEIGHT: Final = 10
_MARGIN: Final = 1e-6
_SLOW: Final = 10
"""The cost of a grid of scores, in minimizations."""

_TOO_LARGE: Final = 1e300
"""Replaces values outside the range of floats: no sum with it is least, and 0 times it is 0."""


def survey(surrogate: Surrogate, condition: str, effort: Effort) -> str:
    """Minimize W over a grid of scores for all small whole-number distributions; report in words."""
    try:
        table = TermTable(surrogate, _ITEMS)
    except ConsistencyLabError as error:
        return f"nothing was searched: {error}"
    ticks = np.concatenate([np.linspace(-6, 6, 49), [-30.0, 30.0]])
    first, second = np.meshgrid(ticks, ticks, indexing="ij")
    scores = np.stack([first.ravel(), second.ravel(), np.zeros(first.size)], axis=1)
    functions = [compiled(term.phi) for term in table.terms]
    values = np.stack(
        [
            function(scores @ direction - float(term.b))[0]
            for function, direction, term in zip(functions, table.structure.V, table.terms, strict=True)
        ]
    )
    values = np.nan_to_num(values, nan=_TOO_LARGE, posinf=_TOO_LARGE, neginf=-_TOO_LARGE)
    looked = suspects = 0
    for total in range(1, _WEIGHT + 1):
        for a in space(condition, _ITEMS, not sees_difference_only(surrogate)).of_weight(total):
            if effort.expired:
                break
            if not len(a):
                continue
            risk = table.coefficients(a) @ values
            best = risk.argmin(axis=1)
            wrong = compare_with_optimum(a, scores[best]).wrong
            looked += len(a)
            effort.count(distributions=len(a), each=_SLOW)
            for k in np.flatnonzero(wrong):
                right = ~compare_with_optimum(np.repeat(a[k : k + 1], len(scores), axis=0), scores).wrong
                suspects += bool(risk[k, right].min() > risk[k, best[k]] + _MARGIN)
    seen = (
        f"at {suspects:,} of them a wrong order had the least risk: suspected inconsistent"
        if suspects
        else "no wrong order had the least risk"
    )
    return f"searched a grid of scores at {looked:,} distributions of {_ITEMS} items in floats: {seen}"
