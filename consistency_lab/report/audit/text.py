"""An audit as lines of text."""

from collections.abc import Iterator, Sequence
from typing import Final

from consistency_lab.audits.audit import Audit, Finding
from consistency_lab.decide.answers import Verdict
from consistency_lab.report.audit.facts import Facts
from consistency_lab.report.audit.sentences import (
    best_order,
    bradley_terry,
    components,
    flips,
    groups,
    reproduction,
    theorems,
    together,
)
from consistency_lab.report.audit.words import (
    conditions,
    first,
    majority,
    more_votes,
    noted,
    p_value,
    percent,
    size,
    standing,
    votes,
)
from consistency_lab.report.text import Blocks, Line, chain, columns, paragraph, tight

_FULL: Final = 12
"""Orders of more items than this show their first ones."""


def audit_lines(audit: Audit) -> Iterator[Line]:
    """What an audit found, for a person.

    Examples
    --------
    >>> from consistency_lab.audits.audit import audit
    >>> from consistency_lab.data import read_profile
    >>> found = audit(read_profile("vermont.toc"), ["linear"], resamples=0, simulations=0)
    >>> print(list(audit_lines(found))[4])
      linear  Beck first  right, certified
    """
    facts = Facts(audit)
    held = conditions(facts)
    yield from paragraph(
        f"{audit.profile.title}: {size(audit)}{f', {held}' if held else ''}", indent=0, hanging=2
    )
    for told in filter(None, [groups(audit)]):
        yield from paragraph(told, indent=2, hanging=2)
    for note in audit.profile.notes:
        yield from paragraph(noted(note), indent=2, hanging=2)
    yield from paragraph(
        f"best order{'' if audit.best.is_optimal else ' found'}: {_order(audit, audit.best.order)}", 2, 2
    )
    if audit.findings:
        yield from columns([_row(facts, finding) for finding in audit.findings], indent=2)
    if any(len(finding.contradictions) > 1 for finding in audit.findings):
        yield ""
        yield Blocks(tuple(_distances(facts)), 2)
    yield ""
    for told in (best_order(audit), bradley_terry(facts)):
        if told:
            yield from paragraph(told, indent=2, hanging=2)
    for names, told in together(facts):
        whole = told.replace(" %", tight(" %"))
        yield from paragraph(f"{', '.join(names)}: {whole}", indent=2, hanging=2)
    for told in (*components(audit), theorems(audit), *flips(audit), reproduction(audit)):
        if told:
            yield from paragraph(told, indent=2, hanging=2)


def _row(facts: Facts, finding: Finding) -> list[str]:
    audit, found = facts.audit, finding.contradictions
    top = first(audit, finding)
    right = finding.certified.verdict is Verdict.CONSISTENT
    if not found or right:
        return [finding.rule.name, top, standing(finding), "", ""]
    if len(found) > 1:
        many = f"contradicts {votes(len(found))} majorities"
        return [finding.rule.name, top, many, standing(finding), ""]
    noise = facts.noise(finding, found[0])
    told = [] if noise.p is None else [p_value(noise.p)]
    if noise.share is not None:
        told.append(f"in {percent(noise.share)} of resamples")
    contradicts = f"contradicts {majority(audit, found[0])}"
    return [finding.rule.name, top, contradicts, standing(finding), ", ".join(told)]


def _distances(facts: Facts) -> Iterator[tuple[str, ...]]:
    audit = facts.audit
    yield "", "contradicted", "above noise", "votes more", "Kendall", "top 1", "top 3", "tied"
    for one in audit.findings:
        above = facts.above_noise(one)
        yield (
            one.rule.name,
            votes(len(one.contradictions)),
            "?" if above is None else str(above),
            more_votes(audit, one),
            str(one.kendall),
            "-" if one.top_1 is None else "yes" if one.top_1 else "no",
            "-" if one.top_3 is None else f"{one.top_3} of {min(3, audit.profile.m)}",
            str(one.tied),
        )


def _order(audit: Audit, order: Sequence[int]) -> str:
    items = audit.profile.items
    if len(audit.groups) > 1:
        parts = [[i for i in order if i in group] for group in audit.groups]
        return (
            " | ".join(chain(items, part) for part in parts) if len(order) <= _FULL else "none of all items"
        )
    if len(order) <= _FULL:
        return chain(items, order)
    return f"{chain(items, order[:_FULL])} > ... ({len(order) - _FULL} more)"
