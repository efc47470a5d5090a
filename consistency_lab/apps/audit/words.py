"""An audit as sentences and lines of text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, floor, isinf, isnan
from typing import Final, final

from consistency_lab.apps.audit.audit import NO_LOSS, Audit, Finding
from consistency_lab.apps.audit.board import Board
from consistency_lab.apps.audit.findings import Contradiction
from consistency_lab.apps.audit.flips import Flip
from consistency_lab.apps.audit.losses import EdgeRule, Parts
from consistency_lab.apps.audit.noise import DEVIATION, SIGNIFICANT, Stability
from consistency_lab.core.document import TIE
from consistency_lab.data.draws import wilson
from consistency_lab.data.rows import WARNING
from consistency_lab.decide.answers import Verdict
from consistency_lab.decide.certified import BY_ADDITION_ALONE
from consistency_lab.frozen import frozen
from consistency_lab.model.conditions import CONDITIONS, conditions_at, implies
from consistency_lab.show.gallery import smallest
from consistency_lab.show.profile import UNITS, repair_sentence, several, votes
from consistency_lab.show.text import listed

# --- What every form of a report on an audit asks: conditions, noise, what stands for the rest -----------

BRADLEY_TERRY: Final = "logistic"
"""The rule whose fit the simulations are about."""

_MOST_ITEMS: Final = 60
"""With more items than this the noise conditions are not looked for: some compare all triples."""


Measured = tuple[float, tuple[float, float]]
"""A share of the resamples, and its 95 % interval by Wilson."""


def _measured(stable: Stability, share: float) -> Measured:
    return share, wilson(round(share * stable.resamples), stable.resamples)


@frozen
class Judged:
    """A contradicted majority, and whether it is noise."""

    found: Contradiction  #: The majority.
    #: The exact binomial p-value, and after Holm's correction; None without single votes.
    p: float | None
    corrected: float | None
    #: In what share of the resamples there is the same contradiction; None without.
    measured: Measured | None
    #: Whether the majority and its contradiction are more than chance; None where that cannot be told.
    above: bool | None


@final
@dataclass(frozen=True, eq=False)
class Facts:
    """An audit, and what follows from it."""

    audit: Audit  #: The audit.

    @cached_property
    def conditions(self) -> Mapping[str, bool]:
        """Which noise conditions hold; empty where that would take long."""
        return conditions_at(self.audit.wins) if self.audit.profile.m <= _MOST_ITEMS else {}

    @property
    def narrowest(self) -> tuple[str, ...]:
        """The conditions that hold and that no other one implies."""
        return smallest({name for name, holds in self.conditions.items() if holds}, CONDITIONS, implies)

    def judged(self, finding: Finding, majority: Contradiction) -> Judged:
        """Whether one contradiction of a rule is noise."""
        tests, stable = self.audit.tests, finding.stability
        pair = majority.above, majority.below
        p, corrected = (None, None) if tests is None else (float(x[pair]) for x in (tests.p, tests.corrected))
        measured = None if stable is None else _measured(stable, float(stable.pairs[pair]))
        above = None if finding.above_noise is None else bool(finding.above_noise[pair])
        return Judged(majority, p, corrected, measured, above)

    def foremost(self, finding: Finding) -> Judged | None:
        """The largest contradiction of those above noise, if there are any, else of all."""
        majority = self.audit.foremost(finding)
        return None if majority is None else self.judged(finding, majority)

    def above_noise(self, finding: Finding) -> int | None:
        """How many contradictions of a rule are above noise; None where that cannot be told."""
        return None if finding.above_noise is None else int(finding.above_noise.sum())

    def first_share(self, finding: Finding) -> Measured | None:
        """In what share of the resamples the same item is first."""
        stable = finding.stability
        if stable is None or len(self.audit.groups) > 1:
            return None
        return _measured(stable, float(stable.first[finding.order[0]]))


# --- Numbers and short phrases of a report on an audit ---------------------------------------------------

_DIGITS: Final = 4


def p_value(p: float) -> str:
    """As in "p = .0075"."""
    if p < 0.0001:
        return "p < .0001"
    if p >= 0.995:
        return "p = 1"
    digits = 2
    while p < 10.0 ** (1 - digits) and digits < _DIGITS:
        digits += 1
    return f"p = {p:.{digits}f}".replace("0.", ".", 1)


def percent(share: float) -> str:
    """A share of resamples."""
    return f"{100 * share:.1f}".removesuffix(".0") + " %"


def span(low: Fraction | int, high: Fraction | int) -> str:
    """From one number to another."""
    if low != high:
        return f"{votes(low)} to {votes(high)}"
    return votes(low) if high else "none"


def unit(audit: Audit) -> str:
    """What one vote is called."""
    return UNITS.get(audit.profile.counted, "votes")


def noted(note: str) -> str:
    """A note as a sentence; a warning is none of many."""
    return f"{note}." if note.startswith(WARNING) else f"Note: {note}."


def conditions(facts: Facts) -> str:
    """The narrowest noise conditions that hold; empty where they were not looked for."""
    if not facts.conditions:
        return ""
    said = ["majorities in a cycle" if name == "any" else name for name in facts.narrowest]
    if not facts.conditions["low-noise"]:
        said.append("not low-noise")
    return ", ".join(said)


def majority(audit: Audit, pair: Contradiction) -> str:
    """As in "13,214 : 12,782 for Eric Mar over Sue Lee"."""
    items = audit.profile.items
    return f"{votes(pair.votes)} : {votes(pair.against)} for {items[pair.above]} over {items[pair.below]}"


_WRONG: Final[Mapping[bool | None, str]] = {
    True: "wrong, certified",
    False: "wrong at these votes, not above noise",
    None: "wrong at these votes, noise unknown",
}


def is_above(finding: Finding) -> bool | None:
    """Whether a contradicted majority is above noise; None where that cannot be told."""
    return None if finding.above_noise is None else bool(finding.above_noise.any())


def standing(finding: Finding) -> str:
    """What is proved of the order, in a phrase."""
    return {Verdict.CONSISTENT: "right, certified", Verdict.INCONSISTENT: _WRONG[is_above(finding)]}.get(
        finding.certified.verdict, "not certified"
    )


def more_votes(audit: Audit, finding: Finding) -> str:
    """How many votes more than the best order it contradicts; a bracket, rounded outward, if unproved."""
    low, high = audit.more(finding)
    return votes(low) if low == high else f"{votes(floor(low))} to {votes(ceil(high))}"


# --- What was found, in plain sentences ------------------------------------------------------------------
# Each says whether it is certified, and whether it is above noise.

_SHOWN: Final = 6
"""So many of more components or items are named."""

_OPEN: Final[Mapping[bool, str]] = {
    False: "For {} no minimizer exists; the scores of these components move apart forever, from the top",
    True: "The minimizers of {} do not fix the distances between these components, from the top",
}
_MISFIT: Final[Mapping[bool | None, str]] = {
    True: "is more than chance explains",
    False: "is no more than chance explains",
    None: "was simulated too rarely to tell whether chance explains it",
}
_FITS_BUT: Final = "as a whole is no more than chance explains, but that of the majority above is"


def sentence(facts: Facts, finding: Finding, rule: str = "it") -> str:
    """One finding, certified or not, above noise or not."""
    return f"{_proved(finding)} {_noise(facts, finding, rule)}"


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
    wrong = finding.contradictions
    foremost = facts.foremost(finding)
    if foremost is None:
        return f"{rule.capitalize()} contradicts no majority."
    many, above = len(wrong), facts.above_noise(finding)
    which = (
        "the largest"
        if foremost.found is wrong[0]
        else f"the largest {'of these' if above != 1 else 'above noise'}"
    )
    what = f"{majority(facts.audit, foremost.found)}{_numbers(foremost)}"
    what = f"one majority, {what}" if many == 1 else f"{votes(many)} majorities; {which} is {what}"
    if above is None:
        told = f"{rule.capitalize()} contradicts {what}"
        return f"{told}; {lacking(facts.audit, finding)} it is unknown whether that is noise."
    how_many = "" if many == 1 or not above else f"{votes(above)} "
    verdict = f"{how_many}above noise" if above else "Not above noise" if many == 1 else "None above noise"
    return f"{verdict[0].upper()}{verdict[1:]}: {rule} contradicts {what}."


def _numbers(noise: Judged) -> str:
    told = []
    if noise.p is not None and noise.corrected is not None:
        told += [p_value(noise.p), f"corrected for all pairs {p_value(noise.corrected)}"]
    if noise.measured is not None:
        share, (low, high) = noise.measured
        ends = f"{percent(low)} to {percent(high)}"
        told.append(f"contradicted in {percent(share)} of resamples, interval {ends}")
    return f" ({'; '.join(told)})" if told else ""


def bradley_terry(facts: Facts) -> str:
    """Whether Bradley-Terry fits, and what it contradicts, also if it were true; empty if not known."""
    audit, null = facts.audit, facts.audit.null
    if null is None:
        if not audit.simulations or audit.profile.votes is None:
            return ""
        return (
            "Whether chance explains the misfit of Bradley-Terry was not tested: ballots tie items above "
            "their end, which the model does not describe."
        )
    told = p_value(null.share)
    if null.power is not None:
        told += f"; were the log-odds of pairs off by {DEVIATION}, {percent(null.power)} of such data"
        told += " would show it"
    majorities = (
        "one majority" if null.found == 1 else f"{votes(null.found) if null.found else 'no'} majorities"
    )
    # Of a true model no contradiction is above noise.
    wrong = any(is_above(one) for one in audit.findings if one.rule.name == BRADLEY_TERRY)
    fits = _FITS_BUT if wrong and null.is_above is False else _MISFIT[null.is_above]
    return (
        f"The misfit of Bradley-Terry {fits} ({told}). It contradicts {majorities}; were it true, sampling "
        f"alone would give {span(null.low, null.high)}."
    )


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


def answer(facts: Facts) -> str:
    """What the loss shown goes against, what the others do, and whether that is noise."""
    audit, shown = facts.audit, facts.audit.shown
    if shown is None:
        return ""
    alike: dict[tuple[object, ...], list[Finding]] = {}
    for one in (shown, *(one for one in audit.findings if one is not shown)):
        alike.setdefault(_kind(audit, one), []).append(one)
    same, *rest = alike.values()
    what = "Scores" if any(not isnan(one) for board in audit.boards for one in board.scores) else "Ranks"
    told = [f"{what} by {shown.rule.name}. It {_against(facts, [shown])}{_by_chance(audit, shown)}."]
    if same[1:]:
        too = "Nor" if _against(facts, [shown]) == "goes against no majority" else "So"
        told.append(f"{too} {'do' if same[2:] else 'does'} {listed([one.rule.name for one in same[1:]])}.")
    told += [f"{listed([one.rule.name for one in some])} {_against(facts, some)}." for some in rest]
    known = [(one.rule.name, one.certified) for one in audit.findings]
    left = [name for name, one in known if one.verdict is Verdict.UNDECIDED and one.reason != NO_LOSS]
    if left and audit.profile.m > BY_ADDITION_ALONE:
        for verdict, word in ((Verdict.INCONSISTENT, "wrong"), (Verdict.CONSISTENT, "right")):
            done = [(name, one.theorem) for name, one in known if one.verdict is verdict]
            for way, by in (("a theorem", True), ("addition", False)):
                some = [name for name, theorem in done if (theorem is not None) is by]
                told += [f"Certified {word} by {way}: {listed(some)}."] if some else []
        told.append(
            f"Not certified: {listed(left)}; of more than {BY_ADDITION_ALONE} items only theorems and adding "
            "up comparisons are tried."
        )
    elif left:
        told.append(f"Not certified: {listed(left)}.")
    told += [f"{one.rule.name} is {one.rule.title}." for one in audit.findings if not one.rule.of_wins]
    if audit.null is not None and audit.null.is_above:
        told.append("These votes do not follow Bradley-Terry.")
    return " ".join(told)


def _kind(audit: Audit, finding: Finding) -> tuple[object, ...]:
    """Findings of one kind are told together."""
    wrong, above = finding.contradictions, is_above(finding)
    tied = not wrong and finding.certified.verdict is Verdict.INCONSISTENT
    one = audit.foremost(finding) if above or len(wrong) == 1 else None
    return bool(wrong), tied, above if wrong else None, one


def _against(facts: Facts, alike: Sequence[Finding]) -> str:
    """What losses of one kind go against, as the end of a sentence."""
    finding, audit = alike[0], facts.audit
    several, largest, above = len(alike) > 1, facts.foremost(finding), is_above(finding)
    go = "go" if several else "goes"
    if largest is None:
        tied = finding.certified.verdict is Verdict.INCONSISTENT
        told = f", but {'tie' if several else 'ties'} items that voters tell apart" if tied else ""
        return f"{go} against no majority{told}"
    counts = [len(one.contradictions) for one in alike]
    many = f"{go} against {span(min(counts), max(counts))} majorities"
    p = "" if largest.corrected is None else f" ({p_value(largest.corrected)})"
    if above:
        rest = (facts.above_noise(finding) or 1) - 1
        also = f", and {votes(rest)} more" if rest else ""
        return f"{go} against {majority(audit, largest.found)}, above noise{p}{also}"
    if max(counts) == 1:
        many = f"{go} against one majority, {majority(audit, largest.found)}"
    if above is None:
        return f"{many}; {lacking(audit, finding)} it is unknown whether that is noise"
    if max(counts) > 1:
        return f"{many}, none above noise"
    if largest.corrected is not None and largest.corrected < SIGNIFICANT:
        return f"{many}: a real majority{p}, which other votes might not contradict"
    return f"{many}: no more than noise{p}"


def _by_chance(audit: Audit, shown: Finding) -> str:
    """How many majorities Bradley-Terry would contradict if it were true."""
    null = audit.null
    if null is None or shown.rule.name != BRADLEY_TERRY or len(shown.contradictions) < 2:
        return ""
    return f"; chance alone gives {span(null.low, null.high)}"


def lacking(audit: Audit, finding: Finding | None) -> str:
    """What one would have to know to tell it from noise."""
    if audit.tests is None:
        return "without single votes"
    if finding is not None and not finding.rule.of_wins:
        return "as games in time order are not drawn again,"
    return f"with only {votes(audit.resamples)} resamples" if audit.resamples else "without resamples"


def groups(audit: Audit) -> str:
    """Which items no comparison links, so that nothing is known between them; empty if there are none."""
    if len(audit.groups) == 1:
        return ""
    names = audit.profile.items
    told = _few([f"{{{_few([names[i] for i in group], ', ')}}}" for group in audit.groups], " | ")
    return (
        f"{WARNING}{len(audit.groups)} groups of items are never compared with each other, so no item "
        f"is first, and each order holds only within a group: {told}."
    )


def components(audit: Audit) -> list[str]:
    """Between which items a loss leaves the distance open, and whether a minimizer exists."""
    told: dict[tuple[Parts, str], list[str]] = {}
    for finding in audit.findings:
        if finding.parts is not None:
            of_net = isinstance(finding.rule, EdgeRule) and finding.rule.differences
            kind = "no majority links" if of_net else "no votes link"
            told.setdefault((finding.parts, kind), []).append(finding.rule.name)
    sentences = (_open(audit, parts, ", ".join(rules), kind) for (parts, kind), rules in told.items())
    return [sentence for sentence in sentences if sentence]


def _open(audit: Audit, parts: Parts, rules: str, links: str) -> str:
    if len(audit.groups) > 1:
        # Levels tell nothing across groups: no votes lead between these.
        within = [
            [[part for part in level if part[0] in group] for level in parts.levels] for group in audit.groups
        ]
        chains = [
            _chain(audit, [level for level in group if level]) for group in within if sum(map(len, group)) > 1
        ]
        return f"{_OPEN[parts.attained].format(rules)}: {_few(chains, '; ')}." if chains else ""
    if not parts.attained and all(len(level) == len(level[0]) == 1 for level in parts.levels):
        return f"For {rules} no minimizer exists; the scores of all items move apart forever, in their order."
    return (
        f"{_OPEN[parts.attained].format(rules)}: {_chain(audit, parts.levels)}. "
        f"Components that {links} have no order."
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


def repairs(audit: Audit) -> list[str]:
    """What is right at these votes instead of each loss that is wrong."""
    wrong = [one for one in audit.findings if one.certified.repairs]
    return [f"Instead of {one.rule.name}: {repair_sentence(one.certified.repairs)}." for one in wrong]


def flips(audit: Audit) -> list[str]:
    """How few votes decide who is first, the rules together that have the same two items."""
    told: dict[tuple[int, int], list[str]] = {}
    for finding in audit.findings:
        flip = finding.flip
        if flip is not None:
            told.setdefault((flip.above, flip.below), []).append(
                f"{finding.rule.name} {votes(flip.size)}{_proved_of(flip)}"
            )
    total, items = several(audit.profile.voters, unit(audit)), audit.profile.items
    return [
        f"Remove this many of {total}, and {items[above]} is not above {items[below]}: {', '.join(rules)}."
        for (above, below), rules in told.items()
    ]


def _proved_of(flip: Flip) -> str:
    """What is proved of a flip, in parentheses."""
    told = [] if flip.sufficient else ["by floats"]
    if flip.fewest is not None:
        exact = flip.fewest == flip.size
        told.append("no fewer suffice" if exact else f"at least {votes(flip.fewest)} are needed")
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


# --- Why a number is missing ------------------------------------------------------------------------------


def unbounded(audit: Audit, board: Board) -> str:
    """Which items have no finite score, or not in enough resamples; and why; empty if all have."""
    names = [audit.profile.items[item] for item in board.items]
    without = [name for name, score in zip(names, board.scores, strict=True) if isnan(score)]
    rare = [
        f"{name} ({percent(away)})"
        for name, low, away in zip(names, board.low, board.away, strict=True)
        if isinf(low)
    ]
    why = "no chain of wins leads to the others and back, so the score has no limit"
    if len(without) == len(names):
        shown = "" if audit.shown is None else audit.shown.rule.name
        return f"By {shown} scores have no limit here; the table has wins and losses."
    told = [f"No finite score: {_few(without, ', ')}; {why}."] if without else []
    told += [f"No interval: {_few(rare, ', ')}; in so many resamples {why}."] if rare else []
    return " ".join(told)
