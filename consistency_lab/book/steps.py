"""The steps of a check: findings, each with whether it stands, and the outcome that follows from them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import final

from consistency_lab.book.statement import Checked, Finding, Kind, Outcome


@final
@dataclass(frozen=True, slots=True)
class Step:
    """A finding, and whether what it claims was confirmed."""

    stands: bool
    finding: Finding


def concluded(kind: Kind, scope: str, steps: Sequence[Step], remarks: Sequence[str] = ()) -> Checked:
    """HOLDS if every step stands; otherwise the statement is open, and the steps that fell say so.

    Examples
    --------
    >>> fallen = Step(False, Finding("1 = 2", Kind.TEST, "one case", "compared"))
    >>> checked = concluded(Kind.TEST, "one case", [fallen])
    >>> checked.outcome.value, checked.findings[0].claim
    ('open', 'not confirmed: 1 = 2')
    """
    outcome = Outcome.HOLDS if steps and all(step.stands for step in steps) else Outcome.OPEN
    findings = tuple(
        step.finding if step.stands else replace(step.finding, claim=f"not confirmed: {step.finding.claim}")
        for step in steps
    )
    return Checked(outcome, kind, scope, findings, tuple(remarks))
