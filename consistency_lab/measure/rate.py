"""How often a surrogate is wrong: the share of a condition's distributions on which it fails.

The share is estimated in floats from uniform samples, and says so; a witness that the core accepts goes
with each kind of failure as evidence that such failures exist.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.certify.witness import Witness, certify
from consistency_lab.errors import InputError, UnsupportedError
from consistency_lab.measure.components import Support
from consistency_lab.measure.right import rationals
from consistency_lab.measure.sampling import Polytope, polytope
from consistency_lab.measure.screening import SURELY_TIED, screened
from consistency_lab.measure.shares import Rate, Share
from consistency_lab.model.conditions import condition as condition_named
from consistency_lab.model.surrogates import Surrogate, as_surrogate
from consistency_lab.search.effort import Effort
from consistency_lab.search.judge import LARGEST
from consistency_lab.search.realize import (
    TermTable,
    edge_weight,
    realize,
    refuse_unequal,
)
from consistency_lab.theorems.catalogue import consistency_theorem

__all__ = ["MARGINS", "Rate", "Share", "rate"]

MARGINS: Final = (Fraction(1, 100), Fraction(1, 50), Fraction(1, 20), Fraction(1, 10))
"""Least |d_ij| that are tried, as shares of the total weight, where they leave anything."""

_BUDGET: Final = 60.0
_CHUNK: Final = 20_000
_SINGLY: Final = 100
"""A chunk where risks are minimized one at a time."""

_TRIED: Final = 8
_PARTS: Final = (24, 60, 200, 1000, 10_000)
"""A failing sample is rounded to so many whole parts, the first that can be certified."""

_KINDS: Final = ("strict", "tie")


def rate(
    surrogate: Surrogate | str,
    condition: str,
    m: int,
    *,
    samples: int = 100_000,
    seed: int = 0,
    margins: Sequence[Fraction] = MARGINS,
    effort: Effort | None = None,
    provenance: dict[str, str] | None = None,
) -> Rate:
    """Estimate the share of a condition's distributions on which a surrogate fails.

    Parameters
    ----------
    surrogate, condition, m
        The question.
    samples
        How many distributions to draw, for the whole condition and for each margin.
    seed
        The same seed draws the same distributions.
    margins
        Bounds on |d_ij| as shares of the total weight; those that leave nothing are dropped.
    effort
        The budget; a minute if not given. When it is used up fewer samples are drawn.
    provenance
        Texts for the witness documents.

    Raises
    ------
    InputError
        If there is no such condition, m is below 2 or above 6, or there are no samples.

    Examples
    --------
    >>> from consistency_lab.model.surrogates import surrogate
    >>> found = rate(surrogate("logistic"), "low-noise", 3, samples=2000, margins=())
    >>> low, high = found.overall.interval
    >>> low < found.overall.share < high, len(found.witnesses)
    (True, 1)
    """
    surrogate = as_surrogate(surrogate)
    name = condition_named(condition).name
    if not 2 <= m <= LARGEST:
        raise InputError(f"there are {m} items; rates are estimated with 2 to {LARGEST} items")
    refuse_unequal(surrogate, m)
    if samples < 1:
        raise InputError(f"samples is {samples}; at least one distribution must be drawn")
    drawing = _Drawing(surrogate, polytope(name, m), effort or Effort(_BUDGET), provenance or {}, samples)
    largest = drawing.polytope.largest_margin()
    try:
        for n, margin in enumerate((Fraction(0), *sorted(t for t in set(margins) if 0 < t < largest))):
            drawing.draw(margin, np.random.default_rng([seed, n]))
        drawing.certify()
    except KeyboardInterrupt:
        drawing.effort.interrupted = True
    return drawing.answer()


@final
@dataclass
class _Drawing:
    """Samples as they are drawn."""

    surrogate: Surrogate
    polytope: Polytope
    effort: Effort
    provenance: dict[str, str]
    samples: int
    shares: list[Share] = field(default_factory=list)
    failing: dict[str, list[tuple[float, NDArray[np.float64]]]] = field(default_factory=dict)
    witnesses: list[Witness] = field(default_factory=list)

    def draw(self, margin: Fraction, generator: np.random.Generator) -> None:
        """Draw and judge the samples of one margin; at least one chunk without a margin."""
        name, m = self.polytope.condition, self.polytope.m
        table = TermTable(self.surrogate, m)
        support = Support.of(table)
        drawn = failures = strict = 0
        title = f"{self.surrogate.name}, {name}, {m} items, margin {margin}"
        try:
            for a in self._chunks(generator, margin, _CHUNK if table.batched else _SINGLY):
                found = screened(support, a, self.effort, SURELY_TIED)
                drawn += len(a)
                failures += int(found.wrong.sum())
                strict += int(found.strict.sum())
                self.effort.say(f"{title}: {failures:,} of {drawn:,} fail")
                if not margin:
                    self._remember("strict", found.a, found.regret, found.strict)
                    self._remember("tie", found.a, found.regret, found.wrong & ~found.strict)
        finally:  # what was drawn before an interruption counts
            if drawn:
                self.shares.append(Share.of(margin, drawn, failures, strict))

    def _chunks(
        self, generator: np.random.Generator, margin: Fraction, chunk: int
    ) -> Iterator[NDArray[np.float64]]:
        left = self.samples
        # A walk is begun once: its start has to be forgotten.
        whole = self.polytope.sample(generator, left, margin) if self.polytope.pieces is None else None
        while left > 0 and not (self.effort.expired and (margin or left < self.samples)):
            size = min(left, chunk)
            left -= size
            if whole is None:
                a = self.polytope.sample(generator, size, margin)
            else:
                a, whole = whole[:size], whole[size:]
            if not len(a):
                return
            yield a

    def _remember(
        self, kind: str, a: NDArray[Any], regret: NDArray[np.float64], which: NDArray[np.bool_]
    ) -> None:
        """The failing samples of largest regret."""
        rows = np.flatnonzero(which)
        rows = rows[np.argsort(-regret[rows], kind="stable")][:_TRIED]
        kept = self.failing.setdefault(kind, [])
        kept += [(float(regret[b]), np.asarray(a[b], dtype=np.float64)) for b in rows]
        kept.sort(key=lambda entry: -entry[0])
        del kept[_TRIED:]

    def certify(self) -> None:
        """One witness for each kind of failure, near a failing sample."""
        for kind in _KINDS:
            for _, a in self.failing.get(kind, []):
                witness = self._near(a, kind)
                if witness is not None:
                    self.witnesses.append(witness)
                    break

    def _near(self, a: NDArray[np.float64], kind: str) -> Witness | None:
        for parts in _PARTS:
            whole = self.polytope.whole(a, parts)
            self.effort.count(certificates=1)
            try:
                found = certify(
                    self.surrogate, realize(self.surrogate, rationals(whole)), provenance=self.provenance
                )
            except (UnsupportedError, InputError):  # rounding may leave no weight at all
                continue
            if (
                found is not None
                and found.fails_under(self.polytope.condition)
                and found.verified.failure == kind
            ):
                return found
        return None

    def answer(self) -> Rate:
        name, m = self.polytope.condition, self.polytope.m
        overall = self.shares[0] if self.shares else Share.of(Fraction(0), 0, 0, 0)
        theorem = consistency_theorem(self.surrogate, name, m)
        return Rate(
            self.surrogate,
            name,
            m,
            overall,
            tuple(self.shares[1:]),
            tuple(self.witnesses),
            self.polytope.method,
            None if theorem is None else theorem.citation,
            self._note(overall),
        )

    def _note(self, overall: Share) -> str:
        says = "an estimate in floats from uniform samples"
        if self.polytope.pieces is None:
            says += "; neighbors in a walk are not independent, so the interval is approximate"
        if not self.surrogate.of_aggregate:
            weight = edge_weight(self.surrogate)
            says += f"; distributions on graphs of one edge of weight {weight} each"
        if overall.samples < self.samples:
            ended = self.effort.ending.removesuffix("; ")
            ended = ended or "too few random distributions fulfil the condition: ended"
            says += f"; {ended} after {overall.samples:,} samples"
        return says
