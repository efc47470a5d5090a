"""An audit as rows of a table, one a rule."""

from consistency_lab.audits.audit import Audit, Finding
from consistency_lab.report.audit.facts import Facts

Row = dict[str, str | int | float | bool | None]


def audit_rows(audit: Audit) -> list[Row]:
    """One row for each rule, all with the same keys; exact numbers are text.

    Examples
    --------
    >>> from consistency_lab.audits.audit import audit
    >>> from consistency_lab.data import read_profile
    >>> found = audit(read_profile("vermont.toc"), ["logistic"], resamples=0, simulations=0)
    >>> row = audit_rows(found)[0]
    >>> row["loss"], row["preferred"], row["votes"], row["against"]
    ('logistic', 'Willhoit', '777', '752')
    """
    facts = Facts(audit)
    return [_row(facts, finding) for finding in audit.findings]


def _row(facts: Facts, finding: Finding) -> Row:
    audit = facts.audit
    profile, items = audit.profile, audit.profile.items
    low, high = audit.more(finding)
    largest = audit.foremost(finding)
    noise = None if largest is None else facts.noise(finding, largest)
    first = facts.first_share(finding)
    return {
        "profile": profile.title,
        "items": profile.m,
        "total": str(profile.voters),
        "counted": profile.counted,
        "conditions": " ".join(facts.narrowest),
        "loss": finding.rule.name,
        "verdict": str(finding.certified.verdict),
        "first": items[finding.order[0]] if len(audit.groups) == 1 else None,
        "best_first": items[audit.best.order[0]] if len(audit.groups) == 1 else None,
        "contradicted": len(finding.contradictions),
        "above_noise": facts.above_noise(finding),
        "preferred": None if largest is None else items[largest.above],
        "over": None if largest is None else items[largest.below],
        "votes": None if largest is None else str(largest.votes),
        "against": None if largest is None else str(largest.against),
        "p": None if noise is None else noise.p,
        "p_corrected": None if noise is None else noise.corrected,
        "in_resamples": None if noise is None else noise.share,
        "first_in_resamples": None if first is None else first[0],
        "more_at_least": str(low),
        "more_at_most": str(high),
        "kendall": finding.kendall,
        "top_1": finding.top_1,
        "top_3": finding.top_3,
        "tied": finding.tied,
        "flip": None if finding.flip is None else finding.flip.size,
        "flip_at_least": None if finding.flip is None else finding.flip.fewest,
        "reason": finding.certified.reason,
    }
