"""Numbers and short phrases of a report on an audit."""

from fractions import Fraction
from math import ceil, floor
from typing import Final

from consistency_lab.audits.audit import Audit, Finding
from consistency_lab.audits.findings import Contradiction
from consistency_lab.data.rows import WARNING
from consistency_lab.decide.answers import Verdict
from consistency_lab.report.audit.facts import Facts
from consistency_lab.report.text import decimal

_UNITS: Final = {"voters": "ballots", "comparisons": "comparisons"}
_DIGITS: Final = 4


def votes(value: Fraction | int) -> str:
    """A number of votes.

    Examples
    --------
    >>> votes(13214), votes(Fraction(6645, 2)), votes(Fraction(1, 3))
    ('13,214', '3,322.5', '≈0.3333')
    """
    text = decimal(Fraction(value), _DIGITS).rstrip("0").rstrip(".")
    whole, _, rest = text.partition(".")
    return ("" if Fraction(text) == value else "≈") + f"{int(whole):,}" + (f".{rest}" if rest else "")


def several(count: Fraction | int, unit: str) -> str:
    """So many of something.

    Examples
    --------
    >>> several(1, "votes"), several(2, "votes")
    ('1 vote', '2 votes')
    """
    return f"{votes(count)} {unit.removesuffix('s') if count == 1 else unit}"


def p_value(p: float) -> str:
    """As in "p = .0075".

    Examples
    --------
    >>> p_value(0.00749), p_value(0.5), p_value(1e-9), p_value(1.0)
    ('p = .0075', 'p = .50', 'p < .0001', 'p = 1')
    """
    if p < 0.0001:
        return "p < .0001"
    if p >= 0.995:
        return "p = 1"
    digits = 2
    while p < 10.0 ** (1 - digits) and digits < _DIGITS:
        digits += 1
    return f"p = {p:.{digits}f}".replace("0.", ".", 1)


def percent(share: float) -> str:
    """A share of resamples.

    Examples
    --------
    >>> percent(0.995), percent(1.0), percent(0.0)
    ('99.5 %', '100 %', '0 %')
    """
    return f"{100 * share:.1f}".removesuffix(".0") + " %"


def span(low: Fraction | int, high: Fraction | int) -> str:
    """From one number to another.

    Examples
    --------
    >>> span(98, 131), span(2, 2), span(0, 0)
    ('98 to 131', '2', 'none')
    """
    if low != high:
        return f"{votes(low)} to {votes(high)}"
    return votes(low) if high else "none"


def size(audit: Audit) -> str:
    """As in "28,777 ballots, 10 items"."""
    profile = audit.profile
    unit = _UNITS.get(profile.counted)
    counted = "a distribution" if unit is None else several(profile.voters, unit)
    return f"{counted}, {profile.m} items"


def unit(audit: Audit) -> str:
    """What one vote is called."""
    return _UNITS.get(audit.profile.counted, "votes")


def noted(note: str) -> str:
    """A note as a sentence; a warning is none of many.

    Examples
    --------
    >>> noted("one row is left out"), noted("Warning: all rows are")
    ('Note: one row is left out.', 'Warning: all rows are.')
    """
    return f"{note}." if note.startswith(WARNING) else f"Note: {note}."


def conditions(facts: Facts) -> str:
    """The narrowest noise conditions that hold; empty where they were not looked for."""
    if not facts.conditions:
        return ""
    said = ["majorities in a cycle" if name == "any" else name for name in facts.narrowest]
    if not facts.conditions["low-noise"]:
        said.append("not low-noise")
    return ", ".join(said)


def majority(audit: Audit, found: Contradiction) -> str:
    """As in "13,214 : 12,782 for Eric Mar over Sue Lee"."""
    items = audit.profile.items
    return f"{votes(found.votes)} : {votes(found.against)} for {items[found.above]} over {items[found.below]}"


def standing(finding: Finding) -> str:
    """What is proved of the order, in a phrase."""
    return {
        Verdict.CONSISTENT: "right, certified",
        Verdict.INCONSISTENT: "wrong, certified",
    }.get(finding.certified.verdict, "not certified")


def first(audit: Audit, finding: Finding) -> str:
    """The item on top, as in "Fay first (2 ties)" where neighbors in the order are tied."""
    ties = f" ({finding.tied} tie{'' if finding.tied == 1 else 's'})" if finding.tied else ""
    if len(audit.groups) > 1:
        return f"no first place{ties}"
    return f"{audit.profile.items[finding.order[0]]} first{ties}"


def more_votes(audit: Audit, finding: Finding) -> str:
    """How many votes more than the best order it contradicts; a bracket where the best is not proved.

    The ends of a bracket are rounded so that it becomes larger.
    """
    low, high = audit.more(finding)
    return votes(low) if low == high else f"{votes(floor(low))} to {votes(ceil(high))}"
