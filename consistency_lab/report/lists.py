"""Surrogates at the labels of each query of a file: one sentence, a table, and what is wrong."""

from collections.abc import Iterator
from typing import Annotated, Any, Final

from consistency_lab.certify.witness import Witness
from consistency_lab.decide import Verdict
from consistency_lab.decide.answers import overall
from consistency_lab.decide.lists import Comparison, QueryAnswer, QueryAnswers
from consistency_lab.documents import Record
from consistency_lab.report.answer import (
    AT_LABELS,
    TARGET,
    WITNESS_ON_LABELS,
    Files,
    labels_document,
    witness_document,
)
from consistency_lab.report.decision import caveat
from consistency_lab.report.text import Blocks, Line, flush, inset
from consistency_lab.report.witness import labels_evidence, target_formula

_SHOWN: Final = 20
"""So many queries are shown, those first at which a loss is wrong; the others are in the JSON."""
_NAMED: Final = 5

_WORDS: Final = {
    Verdict.INCONSISTENT: "wrong",
    Verdict.UNDECIDED: "undecided",
    Verdict.CONSISTENT: "right",
}


def verdict(found: Comparison) -> Verdict:
    """Over all queries and surrogates."""
    return overall(answer.verdict for one in found.queries for answer in one.answers)


def comparison_lines(found: Comparison, files: Files) -> Iterator[Line]:
    """The answer, for a person."""
    several = len(found.queries)
    told = "; ".join(_sentence(found, name) for name in found.names)
    yield from flush(f"Of {several} {'query' if several == 1 else 'queries'} with several labels, {told}.")
    yield ""
    order = list(_WORDS)
    rows = sorted(found.queries, key=lambda one: min(order.index(answer.verdict) for answer in one.answers))[
        :_SHOWN
    ]
    heads = ("query", "items", "labels", *found.names)
    yield Blocks((heads, *map(_row, rows)), 2)
    if several > len(rows):
        yield f"  {several - len(rows)} more queries are in --json."
    for one in rows:
        for answer in one.answers:
            yield from _wrong(one, answer, files)
    reasons = {
        answer.reason: one.query
        for one in reversed(found.queries)
        for answer in one.answers
        if answer.verdict is Verdict.UNDECIDED
    }
    if reasons:
        yield ""
    for reason, query in reversed(list(reasons.items())[-_SHOWN:]):
        yield from flush(f"Undecided, as {query}: {reason}.")
    yield ""
    yield from flush(f"Target {found.target.title}: {target_formula(found.target)}.")
    for text in _texts(found):
        yield from flush(f"{text}.")
    for note in found.lists.notes:
        yield from flush(f"Note: {note}.")
    if found.lists.plain:
        are = "query is" if found.lists.plain == 1 else "queries are"
        yield from flush(f"Left out: {found.lists.plain} {are} of one label or one item, without noise.")


def _texts(found: Comparison) -> Iterator[str]:
    """What each surrogate is; a function of the user's may be another one at each query."""
    for n, surrogate in enumerate(found.surrogates):
        if not isinstance(surrogate, str):
            yield f"{surrogate.name}: {surrogate.text}"
            continue
        told = dict[str, str]()
        for decision in (one.answers[n].decision for one in found.queries):
            if decision is not None:
                same = decision.compared
                text = f": {decision.surrogate.text}" if same is None else f" was {same.sentence}"
                told.setdefault(decision.surrogate.name, f"{surrogate}{text}")
        yield from told.values()


def _sentence(found: Comparison, name: str) -> str:
    """As in "softmax is right on 3, wrong on 1 (q17)"."""
    parts = []
    for known, word in reversed(_WORDS.items()):
        if queries := found.having(name, known):
            named = ", ".join(queries[:_NAMED]) + (", ..." if len(queries) > _NAMED else "")
            parts.append(f"{word} on {len(queries)}" + ("" if known is Verdict.CONSISTENT else f" ({named})"))
    answers = (one.answers[found.names.index(name)].decision for one in found.queries)
    said = dict.fromkeys(caveat(decision) for decision in answers if decision is not None)
    return f"{name} is {', '.join(parts)}{''.join(said)}"


def _row(one: QueryAnswers) -> tuple[str, ...]:
    sizes = ("", "") if one.profile is None else (str(len(one.profile.items)), str(len(one.profile.weights)))
    return (one.query, *sizes, *(_WORDS[answer.verdict] for answer in one.answers))


def _wrong(one: QueryAnswers, answer: QueryAnswer, files: Files) -> Iterator[Line]:
    decision = answer.decision
    if answer.verdict is not Verdict.INCONSISTENT or decision is None or one.profile is None:
        return
    assert decision.witness is not None
    yield ""
    yield from flush(f"{answer.surrogate} is wrong on {one.query}:")
    yield from labels_evidence(decision.witness, one.profile.items)
    path = files.get(decision.witness.digest)
    if path is not None:
        yield from inset(f"saved as {path}")


# --- The same as JSON ------------------------------------------------------------------------------------


def _witness(witness: Witness | None, files: Files) -> Annotated[Any, WITNESS_ON_LABELS, AT_LABELS, None]:
    """A witness about labels."""
    return witness_document(witness, files)


_ANSWER: Final = Record(
    QueryAnswer, "surrogate convex=decision.convex verdict reason witness=decision.witness", witness=_witness
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
    verdict=(Verdict, verdict),
    target=TARGET,
    surrogates=(list[str], lambda found: list(found.names)),
    totals=(
        dict[str, dict[str, int]],
        lambda found: {
            name: {word: len(found.having(name, known)) for known, word in _WORDS.items()}
            for name in found.names
        },
    ),
    queries=_QUERY,
)
"""The answer about the queries of a file."""
