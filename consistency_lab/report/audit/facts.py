"""What every form of a report on an audit asks: conditions, noise, what stands for the rest."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final, final

from consistency_lab.audits.audit import Audit, Finding
from consistency_lab.audits.findings import Contradiction
from consistency_lab.measure.wilson import wilson
from consistency_lab.model.conditions import CONDITIONS, conditions_at, implies

BRADLEY_TERRY: Final = "logistic"
"""The rule whose contradictions the simulations are about."""

_MOST_ITEMS: Final = 60
"""With more items than this the noise conditions are not looked for: some compare all triples."""


@final
@dataclass(frozen=True, slots=True)
class Noise:
    """Whether a contradicted majority is noise.

    Parameters
    ----------
    p, corrected
        The exact binomial p-value, and after Holm's correction; None without single votes.
    share, interval
        Of the resamples, those with the same contradiction, and its 95 % interval by Wilson; None without.
    above
        Whether the majority and its contradiction are more than chance; None where that cannot be told.
    """

    p: float | None
    corrected: float | None
    share: float | None
    interval: tuple[float, float] | None
    above: bool | None


@final
@dataclass(frozen=True, eq=False)
class Facts:
    """An audit, and what follows from it.

    Parameters
    ----------
    audit
        The audit.
    """

    audit: Audit

    @cached_property
    def conditions(self) -> Mapping[str, bool]:
        """Which noise conditions hold; empty where that would take long."""
        return conditions_at(self.audit.wins) if self.audit.profile.m <= _MOST_ITEMS else {}

    @property
    def narrowest(self) -> tuple[str, ...]:
        """The conditions that hold and that no other one implies."""
        held = [name for name in CONDITIONS if self.conditions.get(name)]
        return tuple(
            name for name in held if not any(other != name and implies(other, name) for other in held)
        )

    def noise(self, finding: Finding, found: Contradiction) -> Noise:
        """Whether one contradiction of a rule is noise."""
        tests, stable = self.audit.tests, finding.stability
        pair = found.above, found.below
        share = interval = None
        if stable is not None:
            share = float(stable.pairs[pair])
            interval = wilson(round(share * stable.resamples), stable.resamples)
        above = None if finding.above_noise is None else bool(finding.above_noise[pair])
        if tests is None:
            return Noise(None, None, share, interval, above)
        return Noise(float(tests.p[pair]), float(tests.corrected[pair]), share, interval, above)

    def above_noise(self, finding: Finding) -> int | None:
        """How many contradictions of a rule are above noise; None where that cannot be told."""
        return None if finding.above_noise is None else int(finding.above_noise.sum())

    def first_share(self, finding: Finding) -> tuple[float, tuple[float, float]] | None:
        """In what share of the resamples the same item is first, with its interval."""
        stable = finding.stability
        if stable is None or len(self.audit.groups) > 1:
            return None
        share = float(stable.first[finding.order[0]])
        return share, wilson(round(share * stable.resamples), stable.resamples)
