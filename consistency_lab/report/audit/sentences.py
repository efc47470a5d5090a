"""What was found, in plain sentences: is it certified, is it above noise, would chance alone do it?"""

from collections.abc import Mapping, Sequence
from math import floor
from typing import Final

from consistency_lab.audits.apart import Parts
from consistency_lab.audits.audit import Audit, Finding
from consistency_lab.audits.findings import Contradiction
from consistency_lab.audits.flips import Flip
from consistency_lab.audits.null import Null
from consistency_lab.core.document import TIE
from consistency_lab.data.rows import WARNING
from consistency_lab.decide.answers import Verdict
from consistency_lab.report.audit.facts import BRADLEY_TERRY, Facts
from consistency_lab.report.audit.words import (
    majority,
    more_votes,
    p_value,
    percent,
    several,
    span,
    unit,
    votes,
)

_SHOWN: Final = 6
"""So many of more components or items are named."""

_OPEN: Final[Mapping[bool, str]] = {
    False: "For {} no minimizer exists; the scores of these components move apart forever, from the top",
    True: "Minimizers of {} leave open how far these components stand apart, from the top",
}
_EXPECTED: Final[Mapping[bool | None, str]] = {
    True: "Not expected by chance",
    False: "Expected by chance",
    None: "Expected by chance or not, simulations are too few to tell",
}
_JUDGED: Final[Mapping[bool | None, str]] = {
    True: "more than chance explains",
    False: "no more than chance explains",
    None: "and simulations are too few to tell whether chance explains it",
}


def sentence(facts: Facts, finding: Finding, rule: str = "it") -> str:
    """One finding, certified or not, above noise or not, and whether chance explains it."""
    told = _proved(finding), _noise(facts, finding, rule), _expected(facts, finding)
    return " ".join(filter(None, told))


def together(facts: Facts) -> list[tuple[list[str], str]]:
    """The sentences, each once with the names of all rules that it is true of."""
    alike: dict[str, tuple[list[str], str]] = {}
    for finding in facts.audit.findings:
        names, _ = alike.setdefault(sentence(facts, finding), ([], sentence(facts, finding, "each")))
        names.append(finding.rule.name)
    return [(names, told if len(names) == 1 else of_each) for told, (names, of_each) in alike.items()]


def _proved(finding: Finding) -> str:
    known = finding.certified
    if known.verdict is Verdict.UNDECIDED:
        return f"Not certified: {known.reason}."
    if known.verdict is Verdict.CONSISTENT:
        return "Certified right."
    return "Certified wrong, by the rule for ties alone." if known.failure == TIE else "Certified wrong."


def _noise(facts: Facts, finding: Finding, rule: str) -> str:
    found = finding.contradictions
    foremost = facts.audit.foremost(finding)
    if foremost is None:
        return f"{rule.capitalize()} contradicts no majority."
    many, above = len(found), facts.above_noise(finding)
    which = (
        "the largest"
        if foremost is found[0]
        else f"the largest {'of these' if above != 1 else 'above noise'}"
    )
    what = f"{majority(facts.audit, foremost)}{_measured(facts, finding, foremost)}"
    what = f"one majority, {what}" if many == 1 else f"{votes(many)} majorities; {which} is {what}"
    if above is None:
        told = f"{rule.capitalize()} contradicts {what}"
        needed = "single votes" if facts.audit.tests is None else "resamples"
        return f"{told}; whether that is noise cannot be told without {needed}."
    how_many = "" if many == 1 or not above else f"{votes(above)} "
    verdict = f"{how_many}above noise" if above else "Not above noise" if many == 1 else "None above noise"
    return f"{verdict[0].upper()}{verdict[1:]}: {rule} contradicts {what}."


def _measured(facts: Facts, finding: Finding, found: Contradiction) -> str:
    noise = facts.noise(finding, found)
    told = []
    if noise.p is not None and noise.corrected is not None:
        told += [p_value(noise.p), f"corrected for all pairs {p_value(noise.corrected)}"]
    if noise.share is not None and noise.interval is not None:
        low, high = map(percent, noise.interval)
        told.append(f"contradicted in {percent(noise.share)} of resamples, interval {low} to {high}")
    return f" ({'; '.join(told)})" if told else ""


def _expected(facts: Facts, finding: Finding) -> str:
    null = facts.audit.null
    # A majority above noise is one that Bradley-Terry cannot explain, however many there are.
    alone = null is not None and null.is_above is not True and facts.above_noise(finding)
    if null is None or not null.found or finding.rule.name != BRADLEY_TERRY or alone:
        return ""
    return f"{_EXPECTED[null.is_above]}: {_if_true(null)}."


def _if_true(null: Null) -> str:
    told = f"were Bradley-Terry true, sampling alone would contradict {span(null.low, null.high)}"
    if null.found > null.high or null.largest <= null.largest_high:
        return told
    return (
        f"{told}, of up to {null.largest_high:.1f} standard errors; the largest here has {null.largest:.1f}"
    )


def bradley_terry(facts: Facts) -> str:
    """Which majorities Bradley-Terry contradicts, and which if it were true; empty if not known."""
    audit, null = facts.audit, facts.audit.null
    if null is None:
        if not audit.simulations or audit.profile.votes is None:
            return ""
        return (
            "Whether chance explains what Bradley-Terry contradicts is not told: ballots tie items above "
            "their end, and the model has no word for that."
        )
    found = "one majority" if null.found == 1 else f"{votes(null.found) if null.found else 'no'} majorities"
    told = f"were it true, sampling alone would give {span(null.low, null.high)}"
    if null.found and null.high:
        told += f"; the largest has {null.largest:.1f} standard errors, where 97.5 % of simulations have at "
        told += f"most {null.largest_high:.1f}"
    said = f"Bradley-Terry contradicts {found} ({told}), {_JUDGED[null.is_above]}"
    asked = [one for one in audit.findings if one.rule.name == BRADLEY_TERRY]
    if asked and null.found:
        above = facts.above_noise(asked[0])
        said += f"; {'?' if above is None else above} above noise one by one"
    return f"{said}."


def best_order(audit: Audit) -> str:
    """How good the best order is, and how far the worst rule is from it."""
    best = audit.best
    if best.is_optimal:
        said = f"Best order: certified optimal, contradicts {several(best.cost, 'votes')}."
    else:
        said = (
            f"Best order found: contradicts {several(best.cost, 'votes')}; every order contradicts at least "
            f"{votes(floor(best.at_least))} (proved)."
        )
    if not audit.findings:
        return said
    worst = max(audit.findings, key=lambda one: one.cost)
    if worst.cost == best.cost:
        return said
    return f"{said} The order of {worst.rule.name} contradicts {more_votes(audit, worst)} more."


def groups(audit: Audit) -> str:
    """Which items no comparison links, so that nothing is known between them; empty if there are none."""
    if len(audit.groups) == 1:
        return ""
    names = audit.profile.items
    told = _few([f"{{{_few([names[i] for i in group], ', ')}}}" for group in audit.groups], " | ")
    return (
        f"{WARNING}no comparison links these {len(audit.groups)} groups of items: {told}. Which item of two "
        "groups is better is not known, so none is first, and an order holds within a group alone."
    )


def components(audit: Audit) -> list[str]:
    """Between which items a loss leaves the distance open, and whether a minimizer exists."""
    told: dict[Parts, list[str]] = {}
    for finding in audit.findings:
        if finding.parts is not None:
            told.setdefault(finding.parts, []).append(finding.rule.name)
    return [_open(audit, parts, ", ".join(rules)) for parts, rules in told.items()]


def _open(audit: Audit, parts: Parts, rules: str) -> str:
    if not parts.attained and all(len(level) == len(level[0]) == 1 for level in parts.levels):
        return f"For {rules} no minimizer exists; the scores of all items move apart forever, in their order."
    return (
        f"{_OPEN[parts.attained].format(rules)}: {_chain(audit, parts.levels)}. Components that no votes "
        "lead between have no order."
    )


def _chain(audit: Audit, levels: Sequence[Sequence[Sequence[int]]]) -> str:
    names = audit.profile.items
    parts = [[f"{{{_few([names[i] for i in part], ', ')}}}" for part in level] for level in levels]
    return _few([_few(level, " | ") for level in parts], " > ")


def _few(words: Sequence[str], between: str) -> str:
    rest = len(words) - _SHOWN
    return between.join([*words[:_SHOWN], *([f"... ({rest} more)"] if rest > 0 else [])])


def theorems(audit: Audit) -> str:
    """Which verdicts are theorems, with the losses; empty where files prove all that is proved."""
    told: dict[str, list[str]] = {}
    for finding in audit.findings:
        if finding.certified.theorem is not None:
            told.setdefault(finding.certified.theorem, []).append(finding.rule.name)
    if not told:
        return ""
    each = [f"{', '.join(names)} by {theorem}" for theorem, names in told.items()]
    return f"Certified by a theorem: {'; '.join(each)}."


def flips(audit: Audit) -> list[str]:
    """How few votes decide who is first, the rules together that have the same two items."""
    told: dict[tuple[int, int], list[str]] = {}
    for finding in audit.findings:
        found = finding.flip
        if found is not None:
            told.setdefault((found.above, found.below), []).append(
                f"{finding.rule.name} {votes(found.size)}{_proved_of(found)}"
            )
    total, items = several(audit.profile.voters, unit(audit)), audit.profile.items
    return [
        f"With so many of {total} removed {items[above]} is not above {items[below]}: {', '.join(rules)}."
        for (above, below), rules in told.items()
    ]


def _proved_of(flip: Flip) -> str:
    """What is proved of a flip, in parentheses."""
    told = [] if flip.sufficient else ["by floats"]
    if flip.fewest is not None:
        exact = flip.fewest == flip.size
        told.append("no fewer do" if exact else f"at least {votes(flip.fewest)} are needed")
    return f" ({'; '.join(told)})" if told else ""


def reproduction(audit: Audit) -> str:
    """How the random numbers came about; empty where there are none."""
    if audit.null is None and all(one.stability is None for one in audit.findings):
        return ""
    assert audit.profile.votes is not None
    unit = audit.profile.votes.unit
    told = f"{votes(audit.resamples)} resamples and {votes(audit.simulations)} simulations, seed {audit.seed}"
    rest = " as if they were independent" if unit.startswith("single") else " together"
    return f"{told}: {unit} are drawn{rest}."
