"""Surrogates at the labels of each query of a file: one sentence, a table, and what is wrong."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Annotated, Any, Final

from consistency_lab.decide.answers import Verdict, overall
from consistency_lab.decide.lists import Comparison, QueryAnswer, QueryAnswers
from consistency_lab.decide.remedies import choices
from consistency_lab.model.surrogates.tasks.catalogue import ShippedField
from consistency_lab.show.answer import (
    AT_LABELS,
    ON_SCREEN,
    TARGET,
    WITNESS_ON_LABELS,
    labels_document,
    witness_document,
)
from consistency_lab.show.documents import Record
from consistency_lab.show.frontier import labeled
from consistency_lab.show.labels import instead, of_target
from consistency_lab.show.text import Blocks, Line, Paragraph, decimal, flush, inset
from consistency_lab.show.witness import (
    WORDS,
    Files,
    caveat,
    file_of,
    labels_evidence,
    labels_that_occur,
    target_formula,
)

_SHOWN: Final = 6
"""So many queries are shown, those first at which a loss is wrong."""

_SMALL: Final = Fraction(1, 1000)


def verdict(comparison: Comparison) -> Verdict:
    """Over all queries and surrogates."""
    return overall(answer.verdict for one in comparison.queries for answer in one.answers)


def first_line(comparison: Comparison, asked: Mapping[str, str]) -> str:
    """How many queries each loss misranks; the user's words stand beside the names of the losses."""
    several = len(comparison.queries)
    of = f" of {several} {'query' if several == 1 else 'queries'}"
    told: list[str] = []
    for name, surrogate in zip(comparison.names, comparison.surrogates, strict=True):
        wrong, unknown = (
            len(comparison.having(name, one)) for one in (Verdict.INCONSISTENT, Verdict.UNDECIDED)
        )
        does = "can train to a wrong order on" if type(surrogate) is ShippedField else "misranks"
        said = [f"{does} {wrong or 'none'}{'' if told else of}"] if wrong or not unknown else []
        said += [f"is open on {unknown}{'' if told or said else of}"] if unknown else []
        answers = (one.answers[len(told)].decision for one in comparison.queries)
        caveats = dict.fromkeys(caveat(decision) for decision in answers if decision is not None)
        told.append(f"{asked.get(name, name)} {' and '.join(said)}{''.join(caveats)}")
    return f"{'; '.join(told)}."


def rows(comparison: Comparison) -> list[tuple[str, ...]]:
    """A row for each query, those first at which a loss is wrong: the verdicts, and what is lost."""
    order = [Verdict.INCONSISTENT, Verdict.UNDECIDED, Verdict.CONSISTENT]
    every = sorted(
        comparison.queries, key=lambda one: min(order.index(answer.verdict) for answer in one.answers)
    )
    return [_row(one) for one in every]


def advice(comparison: Comparison, asked: Mapping[str, str]) -> str:
    """What to use instead, if a loss is wrong or open."""
    if verdict(comparison) is Verdict.CONSISTENT:
        return ""
    for name in comparison.names if len(comparison.names) > 1 else ():
        if len(comparison.having(name, Verdict.CONSISTENT)) == len(comparison.queries):
            return f"{asked.get(name, name)}, right on all of these queries."
    names = {surrogate.name for surrogate in comparison.surrogates if not isinstance(surrogate, str)}
    return instead([one for one in choices(comparison.target) if one.surrogate.name not in names])


def said(comparison: Comparison, asked: Mapping[str, str]) -> dict[str, object]:
    """What the screen says first, for JSON."""
    return {
        "line1": first_line(comparison, asked),
        "rows": [*map(list, rows(comparison))],
        "instead": advice(comparison, asked),
    }


def comparison_lines(
    comparison: Comparison, files: Files, asked: Mapping[str, str], *, details: bool = False
) -> Iterator[Line]:
    """The answer, for a person: the wrong queries, the worst of them, and what to use instead."""
    yield Paragraph(first_line(comparison, asked), 0, 0)
    if comparison.lists.plain:
        has, say = ("query has", "says") if comparison.lists.plain == 1 else ("queries have", "say")
        yield Paragraph(f"{comparison.lists.plain} more {has} one label or one item and {say} nothing.", 0, 0)
    table = rows(comparison)
    telling = [row for row in table if "wrong" in row]
    shown = table if details else telling[:_SHOWN]
    if shown:
        lost = f"{of_target(comparison.target)} lost"
        heads = ("query", "items", "labels", *(asked.get(name, name) for name in comparison.names), lost)
        yield ""
        yield Blocks((heads, *shown), 1)
    if len(telling) > len(shown):
        yield f" {len(telling) - len(shown)} more: --details"
    wrong = [(one, answer) for one in comparison.queries for answer in one.answers if _regret(answer)]
    worst = max(wrong, key=lambda pair: _regret(pair[1]), default=None)
    if worst is not None:
        name = worst[1].surrogate
        heading = f"Worst query: {worst[0].query} (by {asked.get(name, name)})"
        yield from ("", Paragraph(heading, 1, 0), *_two_orders(worst[1]))
    every = (answer for one in comparison.queries for answer in one.answers)
    reasons = dict.fromkeys(answer.reason for answer in every if answer.verdict is Verdict.UNDECIDED)
    yield ""
    for note in comparison.lists.notes[: 0 if details or reasons else 1]:
        yield Paragraph(f"Note: {note}.", 1, 0)
        yield ""
    for reason in [*reasons][: None if details else 1]:
        yield from labeled("open:", f"{reason}.")
    yield from labeled("instead:", advice(comparison, asked))
    path = file_of(worst[1].decision.witness, files) if worst and worst[1].decision else None
    show = f"\nshow {path}" if path else ""
    if details:
        yield from labeled("more:", f"--json{show}")
        yield from _details(comparison, files, worst)
        return
    every_query = f"all {len(table)} queries, and " if len(table) > 1 else ""
    yield from labeled("more:", f"--details ({every_query}how the file was read)   --json{show}")


def _regret(answer: QueryAnswer) -> Fraction:
    """How much the order costs, where a file tells it."""
    witness = None if answer.decision is None else answer.decision.witness
    if witness is None or answer.verdict is not Verdict.INCONSISTENT:
        return Fraction(0)
    return Fraction(witness.document["proof"].get("regret", 0))


def _two_orders(answer: QueryAnswer) -> Iterator[Line]:
    decision = answer.decision
    assert decision is not None and decision.witness is not None
    return labels_evidence(decision.witness, decision.distribution.items)


def _details(
    comparison: Comparison, files: Files, worst: tuple[QueryAnswers, QueryAnswer] | None
) -> Iterator[Line]:
    """Every other wrong answer with its orders, why the rest is right, the losses, how the file was read."""
    every = [(one, answer) for one in comparison.queries for answer in one.answers]
    for one, answer in every:
        if (one, answer) != worst and answer.verdict is Verdict.INCONSISTENT and one.profile is not None:
            yield from ("", *flush(f"{answer.surrogate} is wrong on {one.query}:"), *_two_orders(answer))
            path = file_of(answer.decision.witness if answer.decision else None, files)
            yield from inset(f"saved as {path}") if path else ()
    right = (
        f"{one.surrogate} is right: {one.reason}." for _, one in every if one.verdict is Verdict.CONSISTENT
    )
    yield ""
    for text in dict.fromkeys(right):
        yield from flush(text)
    if len(comparison.queries) == 1 and one.profile is not None:
        yield from labels_that_occur(one.profile, comparison.target.space)
    yield from flush(f"Target {comparison.target.title}: {target_formula(comparison.target)}.")
    for text in _texts(comparison):
        yield from flush(f"{text}.")
    for note in comparison.lists.notes:
        yield from flush(f"Note: {note}.")


def _texts(comparison: Comparison) -> Iterator[str]:
    """What each surrogate is; a function of the user's may be another one at each query."""
    for n, surrogate in enumerate(comparison.surrogates):
        if not isinstance(surrogate, str):
            yield f"{surrogate.name}: {surrogate.text}"
            continue
        told = dict[str, str]()
        for decision in (one.answers[n].decision for one in comparison.queries):
            if decision is not None:
                same = decision.compared
                text = f": {decision.surrogate.text}" if same is None else f" was {same.sentence}"
                told.setdefault(decision.surrogate.name, f"{surrogate}{text}")
        yield from told.values()


def _row(one: QueryAnswers) -> tuple[str, ...]:
    sizes = ("", "") if one.profile is None else (str(len(one.profile.items)), str(len(one.profile.weights)))
    lost = max(map(_regret, one.answers))
    words = (WORDS[answer.verdict] for answer in one.answers)
    return (one.query, *sizes, *words, decimal(lost, 3 if lost >= _SMALL else 6) if lost else "")


# --- The same as JSON ------------------------------------------------------------------------------------


_IN_JSON: Final = {**WORDS, Verdict.UNDECIDED: "undecided"}
_ANSWER: Final = Record(
    QueryAnswer,
    "surrogate convex=decision.convex verdict reason witness=decision.witness",
    witness=(Annotated[Any, WITNESS_ON_LABELS, AT_LABELS, None], witness_document),
)
_QUERY: Final = Record(
    QueryAnswers,
    "query items=profile.items voters=profile.voters labels=profile answers",
    voters=(str | None, lambda voters: None if voters is None else str(voters)),
    labels=(list[dict[str, object]] | None, lambda profile: profile and labels_document(profile)),
    answers=_ANSWER,
)
comparison_document: Final = Record(
    Comparison,
    "verdict=. target surrogates=. totals=. queries left_out=lists.plain notes=lists.notes",
    format="consistency-lab/check-queries/1",
    may=ON_SCREEN,
    verdict=(Verdict, verdict),
    target=TARGET,
    surrogates=(list[str], lambda found: list(found.names)),
    totals=(
        dict[str, dict[str, int]],
        lambda found: {
            name: {word: len(found.having(name, known)) for known, word in _IN_JSON.items()}
            for name in found.names
        },
    ),
    queries=_QUERY,
)
"""The answer about the queries of a file."""
