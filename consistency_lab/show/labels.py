"""Where a surrogate of labels is right for a target, and where it can be wrong, on one screen."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from string import ascii_lowercase
from typing import Any, Final

from consistency_lab.certify.witness import Witness
from consistency_lab.core.certificates import Equilibrium
from consistency_lab.core.document import TIE
from consistency_lab.decide.answers import (
    Answer,
    Decision,
    FieldFinding,
    LibraryDecision,
    Prescription,
    Verdict,
    narrowest,
    widest,
)
from consistency_lab.model.conditions import TASK_CONDITIONS
from consistency_lab.model.surrogates.tasks.base import MeanSurrogate
from consistency_lab.model.surrogates.tasks.shipped import LibraryLoss
from consistency_lab.model.tasks.task import Task
from consistency_lab.show.decision import DEFAULTS, TITLES, code_command
from consistency_lab.show.frontier import distinct, labeled
from consistency_lab.show.task_proof import reached
from consistency_lab.show.text import (
    Line,
    Paragraph,
    cells,
    columns,
    decimal,
    fitted,
    listed,
    short_citation,
    tabular,
)
from consistency_lab.show.witness import (
    WORDS,
    Files,
    caveat,
    file_of,
    losses,
    means,
    percent,
    rounded,
    target_formula,
)
from consistency_lab.shown import WIDTH

_CONDITIONS: Final[Mapping[str, tuple[str, str]]] = {
    "any": ("any", "whatever the labels"),
    "rank-differentiable": ("agree on one order", "if the labels agree on one order"),
    "order-preserving": ("agree strictly", "if the labels agree strictly on one order"),
    "independent": ("independent grades", "if the grades of the items are independent"),
    "acyclic": ("acyclic", "for acyclic preferences"),
}
"""A condition in a row, and in the first line; others are under their title."""

_AGREE: Final = (
    "Labels agree on one order if no label is likelier after two items are swapped against it, and one is "
    "less."
)
_PLAIN: Final = "plain "
_MOST_LABELS: Final = 5

_COST: Final = re.compile(r"cost: (.*?)(?: \(.*)?\)$")
_LEAST: Final[Mapping[str, str]] = {
    "identity": "The risk is least at the mean of f",
    "2x-1": "The risk is least at twice the mean of f, less 1",
    "log": "The risk is least at the logarithm of the mean of f",
    "logit": "The risk is least at log(t/(1-t)), t the mean of f",
    "limit": "The risk has no minimum; far out it falls in the order of the mean of f",
}
"""Where each link of a mean leads."""
_DIGITS: Final = (3, 6)


def _condition(name: str) -> tuple[str, str]:
    title = TASK_CONDITIONS[name].title
    return _CONDITIONS.get(name, (title, f"under {title}"))


def of_target(task: Task) -> str:
    """A target as a sentence calls it: `NDCG@10 (NDCG for 3 items)` is NDCG@10."""
    return task.title.partition(" (")[0]


# --- The first line --------------------------------------------------------------------------------------


def first_line(decision: Decision, asked: str) -> str:
    """Where it is right for the target, and whether it can be wrong."""
    task = decision.target
    assert task is not None
    right, wrong = widest(decision.answers, Verdict.CONSISTENT), narrowest(decision.answers)
    unknown = widest(decision.answers, Verdict.UNDECIDED)
    of = f"for {of_target(task)}"
    if not right and not wrong:
        return f"{asked} is open {of}: neither a theorem nor an example is known here."
    told = _where(unknown)
    if not right:
        even = "" if told or _where(wrong) == _condition("any")[1] else f", even {_where(wrong)}"
        return f"{asked} can be wrong {of}{even}{f'; {told} it is open' if told else ''}."
    lists = _lists(right[0], task)
    few = f" (lists of {lists})" if right[0].condition == "any" != lists else ""
    rest = f"; it can be wrong {_where(wrong)}" if wrong else "; the rest is open" if unknown else ""
    if any(one.condition == "any" for one in wrong):
        rest = "; otherwise it can be wrong"
    return f"{asked} is right {of} {_where(right)}{few}{caveat(decision)}{rest}."


def _where(answers: Sequence[Answer]) -> str:
    return listed([_condition(one.condition)[1] for one in answers], "or")


def shipped_line(decision: LibraryDecision, asked: str, task: Task) -> str:
    """The first line for an objective as its library ships it."""
    shipped = decision.plain if decision.entry.shipped == "same" else decision.shipped
    if isinstance(shipped, Decision):
        return first_line(shipped, asked)
    if shipped is None:
        return f"{asked} is open for {of_target(task)}: nothing here decides it as shipped."
    if shipped.witness is None:
        return (
            f"{asked} is open for {of_target(task)}: it minimizes no fixed loss, and no wrong order in which "
            "training rests was found."
        )
    return f"{asked} can train to a wrong order for {of_target(task)}, even with endless data."


# --- Rows ------------------------------------------------------------------------------------------------

_HEAD: Final = ("", "labels", "lists", "theorem or example")


def rows(decision: Decision, example: Witness | None) -> list[tuple[str, ...]]:
    """The widest conditions under which it is right, the narrowest under which it is wrong, the rest."""
    task = decision.target
    assert task is not None
    table: list[tuple[str, ...]] = []
    for verdict in (Verdict.CONSISTENT, Verdict.INCONSISTENT, Verdict.UNDECIDED):
        wrong = verdict is Verdict.INCONSISTENT
        of = narrowest(decision.answers) if wrong else widest(decision.answers, verdict)
        for one in of:
            told = short_citation(one.citation) if verdict is Verdict.CONSISTENT else "none known here"
            if one.witness is not None and wrong:
                told = _counted(one.witness) + (", below" if one.witness is example else "")
            if verdict is Verdict.CONSISTENT and decision.convex is False:
                told = f"{told}; not convex"
            table.append((WORDS[verdict], _condition(one.condition)[0], _lists(one, task), told))
    return table


def _counted(witness: Witness) -> str:
    n = len(witness.asked.weights)
    return f"{n} label{'s' if n > 1 else ''}{', a tie' if witness.failure == TIE else ''}"


def _lists(answer: Answer, task: Task) -> str:
    """Of which lists an answer speaks: `3, grades 0 to 2`."""
    if answer.scope.startswith("all") or not answer.scope:
        return "any"
    if answer.witness is not None:
        task = answer.witness.asked.task
    first = answer.scope.removeprefix("m = ").split()[0].rstrip(",")
    return list_sizes(task, first if first.isdecimal() else str(task.space.m))


def list_sizes(task: Task, items: str) -> str:
    """Of how many documents, or how many classes, as words."""
    if task.space.kind == "classes":
        return f"{items} classes"
    grades = getattr(task.space, "grades", None)
    if grades is None:
        return f"{items}, {task.space.kind}"
    alike = len(grades) > 1 and list(grades) == [*range(grades[0], grades[-1] + 1)]
    return f"{items}, grades {f'{grades[0]} to {grades[-1]}' if alike else ', '.join(map(str, grades))}"


def shipped_rows(decision: LibraryDecision, task: Task, example: Witness | None) -> list[tuple[str, ...]]:
    """Rows of what is shipped, and of the plain loss underneath."""
    shipped = decision.shipped
    table: list[tuple[str, ...]] = []
    if isinstance(shipped, Decision):
        table += [(word, "as shipped", *row) for word, *row in rows(shipped, example)]
    elif isinstance(shipped, FieldFinding):
        witness = shipped.witness
        if witness is not None:
            lists = list_sizes(witness.asked.task, str(witness.asked.task.space.m))
            table.append(("wrong", "as shipped", "any", lists, f"{_counted(witness)}, below"))
        asked = () if decision.plain is None else widest(decision.plain.answers, Verdict.CONSISTENT)
        names = [one.condition for one in asked] if witness is not None else ["any"]
        for name in names:
            f: Any = None if decision.plain is None else getattr(decision.plain.surrogate, "f", None)
            at = None if witness is None else witness.asked
            if at is None or not TASK_CONDITIONS[name].holds_for(at.task.space, at.weights, f):
                table.append(("open", "as shipped", _condition(name)[0], "any", "none known here"))
    elif decision.entry.shipped != "same":
        table.append(("open", "as shipped", "any", "any", "not decided here"))
    if decision.plain is not None:
        name = (
            "as shipped" if decision.entry.shipped == "same" else f"{_PLAIN}{decision.plain.surrogate.name}"
        )
        table += [(word, name, *row) for word, *row in rows(decision.plain, example)]
    return table


# --- An example ------------------------------------------------------------------------------------------


def example_of(decision: Decision | LibraryDecision) -> Witness | None:
    """The example that refutes what the first line calls wrong."""
    if isinstance(decision, LibraryDecision):
        if isinstance(decision.shipped, FieldFinding) and decision.shipped.witness is not None:
            return decision.shipped.witness
        shipped = decision.shipped if isinstance(decision.shipped, Decision) else decision.plain
        return None if shipped is None else example_of(shipped)
    return next((one.witness for one in narrowest(decision.answers)), None)


def example_lines(witness: Witness) -> list[str]:
    """The labels, the order by the loss and a best one, and what each is worth."""
    asked, task = witness.asked, witness.asked.task
    graded, m, n = task.space.kind == "grades", task.space.m, len(asked.weights)
    often = f"{n} ways" if n > 1 else "one way"
    title = f"{m} documents of one query, graded in {often}" if graded else f"{n} label{'s' if n > 1 else ''}"
    worth = _worth(witness)
    labels = sorted(asked.weights.items(), key=lambda one: -one[1])[:_MOST_LABELS]
    scores = _scores(witness) if graded else None
    name, values = scores or ("by the loss", [""] * m)
    orders = [_named(task, one) for one in (witness.prediction, witness.better)]
    if graded:
        blank = ["", ""]
        body = [["grades", *ascii_lowercase[:m], *blank]]
        body += [[_share(p), *map(str, label), *blank] for label, p in labels]
        body += [[name, *values, orders[0], worth[0]], ["best order", *[""] * m, orders[1], worth[1]]]
        table = columns(body, indent=3, right=range(m + 1))
    else:
        body = [[_share(p), task.space.text(label), ""] for label, p in labels]
        body += [[name, orders[0], worth[0]], ["best", orders[1], worth[1]]]
        table = columns(body, indent=3, right=[0])
    if max(map(cells, table)) > WIDTH:
        table = [f"   {orders[0]}: {worth[0]}; the best is {orders[1]}: {worth[1]}."]
    more = [f"   and {n - len(labels)} more labels"] if n > len(labels) else []
    return [f" Example: {title}:", *table, *more]


def _share(p: Fraction) -> str:
    return percent(p).replace(".00", "") if (p * 10_000).denominator == 1 else str(p)


def _named(task: Task, prediction: Any) -> str:
    """A prediction; documents are letters, since their grades are numbers."""
    text = task.prediction_text(prediction)
    if task.space.kind != "grades":
        return text
    return re.sub(r"\d+", lambda match: ascii_lowercase[int(match[0]) - 1], text)


def _worth(witness: Witness) -> list[str]:
    """What the order of the loss and the better one are worth, in so many digits that they differ."""
    task = witness.asked.task
    gained = target_formula(task).startswith("1 - ")
    exact = [Fraction(rounded(x)) for x in losses(witness)]
    values = [1 - x if gained else x for x in exact]
    shown = ([decimal(x, digits) for x in values] for digits in _DIGITS)
    told = next((one for one in shown if len({*one}) > 1), [decimal(x, 6) for x in values])
    return [f"{of_target(task) if gained else 'loss'} {x}" for x in told]


def _scores(witness: Witness) -> tuple[str, list[str]] | None:
    """A row with a number for each item, if there is one."""
    asked = witness.asked
    if isinstance(witness.proof.certificate, Equilibrium):
        center = [(low + high) / 2 for low, high in witness.proof.certificate.box]
        return "scores at rest", distinct([*center, Fraction(0)])
    if (
        witness.certificate == "separation"
        or len(asked.surrogate.coordinates(asked.task)) != asked.task.space.m
    ):
        return None
    mean = means(witness)
    if mean is None:
        return "score", distinct(witness.scores)
    short = [str(x) if isinstance(x, Fraction) and len(str(x)) < 8 else "" for x in mean]
    return "mean f", short if all(short) else distinct([Fraction(rounded(x)) for x in mean])


def certified(witness: Witness) -> str:
    """What is proved of the example."""
    surrogate = witness.asked.surrogate
    if isinstance(witness.proof.certificate, Equilibrium):
        drawn = ", and scores nearby are drawn to it" if witness.verified.attracting else ""
        floats = " From equal scores it arrives there (floats)." if reached(witness.document) else ""
        return f"Training can rest at these scores: the mean gradient is zero there{drawn} (proved).{floats}"
    where = "The risk is least at these scores"
    if witness.certificate == "separation":
        where = "Near the least risk the scores have this order"
    if isinstance(surrogate, MeanSurrogate):
        where = f"The loss fits its scores to f of a label. {_LEAST[surrogate.link]}"
    tie = " Scores tie, and this way to break the tie is worse." if witness.failure == TIE else ""
    return f"{where}.{tie} Certified."


# --- The screen ------------------------------------------------------------------------------------------


def screen(
    decision: Decision, asked: str, files: Files, note: str = "", details: bool = False
) -> Iterator[Line]:
    """The answer about a surrogate for a target; a note says what the user's word stands for."""
    example = example_of(decision)
    compared = decision.compared
    second = note if compared is None else f"It was {compared.sentence}."
    if not second and asked != decision.surrogate.name:
        second = f"It is {decision.surrogate.name}: {decision.surrogate.formula}."
    reasons = [] if example else [one.reason for one in widest(decision.answers, Verdict.UNDECIDED)]
    yield from _screen(
        (first_line(decision, asked), second),
        [_head(decision.target), *rows(decision, example)],
        example,
        (reasons, instead(decision.prescriptions), _more(decision.answers, example, files, details)),
    )


def shipped_screen(
    decision: LibraryDecision, asked: str, task: Task, files: Files, note: str = "", details: bool = False
) -> Iterator[Line]:
    """The answer about an objective of a library for a target; the note says what was not asked."""
    example, plain = example_of(decision), decision.plain
    word, labels, *rest = _head(task)
    answers = () if plain is None else plain.answers
    finding = None if example else decision.shipped
    told = finding.answers[-1:] if isinstance(finding, Decision) else filter(None, [finding])
    reasons = [one.reason for one in told]
    yield from _screen(
        (shipped_line(decision, asked, task), f"{read_as(decision.entry)}{note}"),
        [(word, "loss", labels, *rest), *shipped_rows(decision, task, example)],
        example,
        (reasons, shipped_instead(decision), _more(answers, example, files, details)),
    )


def read_as(entry: LibraryLoss) -> str:
    """What a word stands for in a library."""
    title = TITLES.get(entry.library, entry.library)
    return f"Read as {title}'s {entry.objective}, version {entry.release.version}, with its defaults."


def _head(task: Task | None) -> tuple[str, ...]:
    classes = task is not None and task.space.kind == "classes"
    return tuple({"lists": "classes"}.get(cell, cell) if classes else cell for cell in _HEAD)


def _screen(
    opening: Iterable[str],
    table: Sequence[Sequence[str]],
    example: Witness | None,
    below: tuple[Sequence[str], str, str],
) -> Iterator[Line]:
    """The longest form that fits: the note, then plain rows, then the command for code are dropped."""

    def page(rows: Sequence[Sequence[str]], note: str, code: bool) -> Iterator[Line]:
        for text in filter(None, opening):
            yield Paragraph(text, 0, 0)
        yield from ("", *tabular(rows, indent=1), "")
        if example is not None:
            yield from example_lines(example)
            yield from (Paragraph(certified(example), 1, 0), "")
        if note:
            yield from (Paragraph(note, 1, 0), "")
        reasons, advice, more = below
        for reason in dict.fromkeys(reasons):
            yield from labeled("open:", reason)
        instead = advice if code else advice.partition("\n")[0]
        yield from (*labeled("instead:", instead), *labeled("more:", more))

    wrong = WORDS[Verdict.INCONSISTENT]
    short = [row for row in table if not (row[0] == wrong and row[1].startswith(_PLAIN))]
    agree = any(_condition("rank-differentiable")[0] in row for row in table)
    pages = [(table, _AGREE, True)] if agree else []
    pages += [(table, "", True), (short, "", True), (short, "", False)]
    yield from fitted([*page(rows, note, code)] for rows, note, code in pages)


def instead(prescriptions: Sequence[Prescription], library: str = "lightgbm") -> str:
    """One loss that is right, and what prints a program for it."""
    for advice in sorted(prescriptions, key=lambda one: one.condition != "any"):
        lengths = ", for all lengths" if "(all m)" in advice.reason else ""
        paid = _COST.search(advice.how)
        cost = f"; to decode it takes {paid[1]}" if paid and paid[1] not in ("sorting", "one pass") else ""
        said = f"{advice.surrogate.name} is right {_condition(advice.condition)[1]}{lengths}{cost}."
        command = code_command(advice, library if library in DEFAULTS else "lightgbm")
        # Without the name: what else is right is shown too, and the line fits.
        return said if command is None else f"{said}\n{command.replace(f' {advice.surrogate.name}', '', 1)}"
    return ""


def shipped_instead(decision: LibraryDecision) -> str:
    """The same for the user of a library."""
    library = decision.entry.library
    known = () if decision.plain is None else decision.plain.prescriptions
    return instead(known, library)


def _more(answers: Iterable[Answer], example: Witness | None, files: Files, details: bool) -> str:
    words = [] if details else ["--details"]
    if any(one.condition == "rank-differentiable" for one in answers):
        words.append("explain rank-differentiable")
    path = file_of(example, files)
    return "   ".join([*words, "--at FILE"]) + (f"\nshow {path}" if path else "")


def told(decision: Decision, asked: str) -> dict[str, Any]:
    """What the screen says first, for JSON."""
    return {
        "line1": first_line(decision, asked),
        "rows": rows(decision, None),
        "instead": instead(decision.prescriptions),
    }


def shipped_told(decision: LibraryDecision, asked: str, task: Task) -> dict[str, Any]:
    """The same of an objective of a library."""
    return {
        "line1": shipped_line(decision, asked, task),
        "rows": shipped_rows(decision, task, None),
        "instead": shipped_instead(decision),
    }
