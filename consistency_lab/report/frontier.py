"""Where a surrogate of preference graphs is right and where it can be wrong, on one screen."""

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import zip_longest
from textwrap import wrap
from types import MappingProxyType
from typing import Final

from consistency_lab.certify.witness import Witness
from consistency_lab.core.document import TIE
from consistency_lab.decide import Answer, Decision, Strongest, Verdict
from consistency_lab.decide.answers import lies_inside
from consistency_lab.decide.remedies import library_replacement, replacement, surplus_is_right
from consistency_lab.exact import LogRational, integer_multiple
from consistency_lab.model.conditions import CONDITIONS, whole
from consistency_lab.model.designs import design
from consistency_lab.model.surrogates.tasks.libraries import PairEntry
from consistency_lab.phi import convexity_proof
from consistency_lab.report.answer import Files, path_of
from consistency_lab.report.text import Line, Paragraph, cells, chain, columns, decimal, tabular, with_names
from consistency_lab.report.witness import percent
from consistency_lab.shown import WIDTH

WORDS: Final[Mapping[Verdict, str]] = MappingProxyType(
    {Verdict.CONSISTENT: "right", Verdict.INCONSISTENT: "wrong", Verdict.UNDECIDED: "open"}
)
"""The verdict of a row."""

SST: Final = "strong-stochastic-transitivity"
_ORDER: Final = (
    *("bradley-terry", "additive", "low-noise", "row-dominated", "net-order", "acyclic"),
    *("strong-stochastic-transitivity", "auc", "any"),
)
"""The conditions in the order of the rows, those that people know best first."""

_HEAD: Final = ("", "preferences", "pairs compared", "items", "theorem or example")
_MOST_OPEN: Final = 3
_LARGEST: Final = 6
"""More items than this are told in a sentence, without a matrix."""


def screen(decision: Decision, asked: str, entry: PairEntry | None, files: Files) -> Iterator[Line]:
    """The answer about a surrogate under every condition with every design.

    Parameters
    ----------
    decision
        With its frontier.
    asked
        The user's own word for the surrogate.
    entry
        The objective of a library that the word stands for, if it stands for one.
    files
        Where witnesses were saved.
    """
    known = asked_of(decision)
    example = _example(known)
    witness = None if example is None else example.witness
    yield from _flush(first_line(decision, asked), _translated(decision, asked, entry))
    yield ""
    yield from rows(known, witness)
    yield ""
    if example is not None and witness is not None:
        yield from example_lines(witness, CONDITIONS[example.condition].title)
        yield ""
    yield from _labeled("instead:", _instead(decision, entry))
    yield from _labeled("more:", _more(known, witness, files))


def first_line(decision: Decision, asked: str) -> str:
    """Where it is right, and whether it can be wrong elsewhere.

    Examples
    --------
    >>> from consistency_lab.decide import decide
    >>> first_line(decide("difference-logistic"), "difference-logistic")
    'difference-logistic is right for all acyclic preferences; otherwise it can be wrong.'
    """
    known = asked_of(decision)
    best = min(known.right, key=_fame, default=None)
    if best is None and known.verdict is Verdict.UNDECIDED:
        return f"{asked} is open: neither a theorem nor an example is known here."
    if best is None:
        fewest = min(one.witness.distribution.m for one in known.wrong if one.witness is not None)
        return f"{asked} can be wrong whatever the preferences, even with {fewest} items."
    right = f"{asked} is right {_where(best)}"
    if best.pair == ("any", "any"):
        unproved = (
            "" if convex(decision) else " in theory, but it is not convex, so training may stop elsewhere"
        )
        return f"{right}{unproved}."
    if known.verdict is not Verdict.INCONSISTENT:
        return f"{right}; the rest is open."
    wrong = (words for pair, words in _EVEN if known.at(*pair).verdict is Verdict.INCONSISTENT)
    return f"{right}; otherwise it can be wrong{next(wrong, '')}."


_EVEN: Final = (
    (("additive", "balanced"), ", even at equal counts"),
    (("bradley-terry", "any"), ", even under Bradley-Terry"),
)
"""What shows most clearly how little is needed."""

_WIDE: Final = ("any", "balanced", "forest", "product", "complete")
_FAMOUS: Final = ("any", "acyclic", "bradley-terry", "net-order")


def _fame(answer: Answer) -> tuple[int, int, int]:
    """The place in which a reader asks for it: first however often pairs are compared."""
    name = answer.condition
    famous = _FAMOUS.index(name) if name in _FAMOUS else len(_FAMOUS)
    return _WIDE.index(answer.design), famous, -_ORDER.index(name)


def _where(answer: Answer) -> str:
    title = CONDITIONS[answer.condition].title
    under = {"any": "for all preferences", "acyclic": "for all acyclic preferences"}.get(
        answer.condition, f"under {title}"
    )
    if answer.condition == SST:
        under = "for strongly transitive preferences"
    often = "" if answer.condition in (*_FAMOUS[:3],) else ", however often pairs are compared"
    return {
        "any": f"{under}{often}",
        "balanced": f"at equal counts {under}",
        "forest": "if the compared pairs form no cycle",
        "product": f"{under} if pairs are compared by popularity",
        "complete": f"{under} if all pairs are compared",
    }[answer.design]


def asked_of(decision: Decision) -> Strongest:
    """The frontier of a decision that has one."""
    assert decision.frontier is not None
    return decision.frontier


def convex(decision: Decision) -> bool:
    """Whether every scalar function of the loss is proved convex, so that descent reaches the infimum."""
    return all(convexity_proof(phi) is not None for phi in asked_of(decision).surrogate.functions)


def _translated(decision: Decision, asked: str, entry: PairEntry | None) -> str:
    """What the user's word stands for, if the loss has another name here."""
    loss = asked_of(decision).surrogate
    phi = loss.functions[-1]
    if entry is not None and entry.objective == asked.rpartition(":")[2]:
        return (
            f"{entry.library.upper()} {entry.release.version}: {entry.formula}. It is the {loss.name} loss."
        )
    if entry is not None:
        return f"In {entry.library.upper()}: {entry.objective}. It is the {loss.name} loss, phi(x) = {phi}."
    if asked == loss.name:
        return ""
    return (
        f"It is the {loss.name} loss, phi(x) = {phi}."
        if loss.name != str(phi)
        else f"Read as phi(x) = {phi}."
    )


# --- Rows ------------------------------------------------------------------------------------------------


def rows(known: Strongest, example: Witness | None) -> list[Line]:
    """The widest pairs that are right, the narrowest that are wrong, and the widest that are open."""
    right = [*sorted(known.right, key=_place), *sorted(known.right_of_few, key=_place)]
    found = [(_row(one.verdict, [one], _items(one), _theorem(one))) for one in right]
    by_witness: dict[str, list[Answer]] = {}
    for one in sorted(known.wrong, key=_place):
        by_witness.setdefault(one.witness.digest if one.witness else "", []).append(one)
    for group in by_witness.values():
        witness = group[0].witness
        assert witness is not None
        told = comparisons(witness) + (", below" if witness == example else "")
        told += ", a tie" if witness.failure == TIE else ""
        found.append(_row(Verdict.INCONSISTENT, group, str(witness.distribution.m), told))
    found += _open(known)
    return tabular([_HEAD, *found], indent=1)


def _row(verdict: Verdict, answers: Sequence[Answer], items: str, evidence: str) -> tuple[str, ...]:
    if items == "2" and verdict is Verdict.INCONSISTENT:  # two items have every condition and every design
        return WORDS[verdict], "all", "however often", items, evidence
    first = answers[0]
    return WORDS[verdict], CONDITIONS[first.condition].title, design(first.design).title, items, evidence


def _place(answer: Answer) -> tuple[int, int]:
    return _ORDER.index(answer.condition), _WIDE.index(answer.design)


def _items(answer: Answer) -> str:
    return "any" if answer.scope.startswith("all") else answer.scope.removeprefix("m = ")


def _theorem(answer: Answer) -> str:
    """The short name of a theorem: `ours (docs/theory.md, Two items)` is Two items."""
    ours = re.fullmatch(r"ours \([^,]*, (.*)\)", answer.citation)
    return ours[1] if ours else re.sub(r" \([^()]*\)$", "", answer.citation)


def comparisons(witness: Witness) -> str:
    """How many there are, in the smallest whole numbers."""
    total = sum(map(sum, whole(witness.distribution.aggregate)))
    return f"{total:,} comparison{'s' if total > 1 else ''}"


def _open(known: Strongest) -> list[tuple[str, ...]]:
    """The widest pairs that are open, at most three."""
    every = known.undecided
    widest = [
        one
        for one in every
        if not any(other is not one and lies_inside(one.pair, other.pair) for other in every)
    ]
    found = [_row(Verdict.UNDECIDED, [one], "any", "none known here") for one in widest[:_MOST_OPEN]]
    if len(widest) > _MOST_OPEN:
        found.append(("", f"and {len(widest) - _MOST_OPEN} more", "", "", "--details"))
    return found


# --- An example ------------------------------------------------------------------------------------------


def _example(known: Strongest) -> Answer | None:
    """The lightest that refutes what the first line calls wrong."""
    shown = next((pair for pair, _ in _EVEN if known.at(*pair).verdict is Verdict.INCONSISTENT), None)
    refuting = [one for one in known.wrong if shown is None or lies_inside(one.pair, shown)]
    return min(sorted(refuting, key=_place), key=_weight, default=None)


def _weight(answer: Answer) -> int:
    assert answer.witness is not None
    return sum(map(sum, whole(answer.witness.distribution.aggregate)))


def example_lines(witness: Witness, preferences: str) -> list[str]:
    """A matrix of comparisons with scores, and beside it what is wrong."""
    p, names = witness.distribution, witness.distribution.items
    kind = "" if preferences == "any" else f"{preferences}; "
    title = f" Example, {comparisons(witness)} ({kind}row beats column):"
    told = _told(witness)
    if p.m > _LARGEST:
        return [title, *wrap(told, WIDTH - 1, initial_indent=" ", subsequent_indent=" ")]
    body = with_names([[Fraction(x) for x in row] for row in whole(p.aggregate)], names)
    if witness.scores:
        body = [[*row, x] for row, x in zip(body, ["score", *_scores(witness.scores)], strict=True)]
    table = columns(body, indent=3, right=range(1, p.m + 2))
    across = max(map(cells, table)) + 3
    beside = wrap(told, WIDTH - across)
    lines = [f"{line:<{across}}" for line in table]
    lines += [" " * across] * (len(beside) - len(lines))
    return [title, *((line + text).rstrip() for line, text in zip_longest(lines, beside, fillvalue=""))]


def _scores(scores: Sequence[LogRational]) -> list[str]:
    """With two digits, or so many that different scores look different."""
    different = len({decimal(x, 12) for x in scores})
    every = ([decimal(x, digits) for x in scores] for digits in range(2, 13))
    return next(shown for shown in every if len(set(shown)) == different)


def _told(witness: Witness) -> str:
    """What is wrong, the right order, and what the scores' order costs."""
    names, a = witness.distribution.items, whole(witness.distribution.aggregate)
    order = chain(names, witness.better)
    only = witness.optimum.count() == 1
    right = f"{'The right' if only else 'A best'} order is {order}"
    _, scale = integer_multiple(x for row in witness.distribution.aggregate for x in row)
    cost = witness.verified.regret * scale
    more = f"{cost} comparison{'s' if cost != 1 else ''} more, {percent(witness.normalized_regret)} of all"
    if not witness.wrong_pairs:
        return f"The scores' order goes against {more}. {right}. Certified."
    i, j = witness.wrong_pairs[0]
    beats = f"{names[i]} beats {names[j]} by {a[i][j]} : {a[j][i]}"
    if witness.failure == TIE:
        return (
            f"{beats}, but both have one score, and scores as near as you like are in the wrong order, "
            f"against {more}. {right}. Certified."
        )
    wrong = f"but {names[j]} has the higher score" if witness.scores else f"but {names[j]} ends up above"
    return f"{beats}, {wrong}. {right}; the scores' order goes against {more}. Certified."


# --- What instead, and what else to type -----------------------------------------------------------------


_PRICE: Final = "its scores may grow without bound"


def _instead(decision: Decision, entry: PairEntry | None) -> str:
    known = asked_of(decision)
    if entry is not None:
        better = library_replacement(known, entry)
        if better is not None:
            return f"{better.name} ({better.loss}), right wherever {entry.objective} is, and more."
        if surplus_is_right(decision.surrogate):
            return (
                "keep only each pair's surplus (3 : 1 becomes 2 : 0): right for all acyclic preferences; "
                "rewards may then grow without bound."
            )
    other = replacement(known)
    if not convex(decision):
        return f"difference-logistic is convex, and right for all acyclic preferences; {_PRICE}."
    if other is not None:
        return f"{other}, right wherever this is, and for all acyclic preferences; {_PRICE}."
    if decision.prescriptions:
        advice = decision.prescriptions[-1]
        return f"{advice.surrogate.name}, right under {advice.condition}: {advice.how}."
    return ""


def _more(known: Strongest, example: Witness | None, files: Files) -> str:
    words = ["--details"]
    named = {one.condition for one in (*known.right, *known.wrong)}
    words += [f'explain "{CONDITIONS[name].title}"' for name in ("net-order",) if name in named]
    path = None if example is None else path_of(example.document, files)
    return "   ".join(words) + (f"\nshow {path}" if path else "")


def _labeled(label: str, text: str) -> Iterator[Line]:
    """A paragraph behind a word that says what it is; a line of its own for each line of the text."""
    room = len("instead:") + 2
    for number, line in enumerate(text.split("\n") if text else ()):
        start = f" {label:<{room - 1}}" if number == 0 else " " * room
        later = " " * room
        yield from wrap(line, WIDTH, initial_indent=start, subsequent_indent=later, break_on_hyphens=False)


def _flush(*texts: str) -> Iterator[Line]:
    for text in filter(None, texts):
        yield Paragraph(text, 0, 0)
