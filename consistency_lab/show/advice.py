"""What to train: for a target with a library of rankers, or on pairs of answers, on one screen."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import PurePosixPath
from textwrap import wrap
from typing import Final, Literal

from consistency_lab.decide.answers import Prescription
from consistency_lab.decide.cases import not_proved_convex
from consistency_lab.decide.remedies import choices, surplus_is_right, where_right
from consistency_lab.decide.theorems.catalogue import consistency_theorem
from consistency_lab.errors import InputError
from consistency_lab.frozen import frozen
from consistency_lab.model.checked import checked
from consistency_lab.model.conditions import CONDITIONS, TASK_CONDITIONS
from consistency_lab.model.surrogates import surrogate
from consistency_lab.model.surrogates.families import Loss
from consistency_lab.model.surrogates.tasks.atoms import PairsSurrogate
from consistency_lab.model.surrogates.tasks.libraries import PAIR_LIBRARIES, PairEntry, entry, full_name
from consistency_lab.model.surrogates.tasks.means import Regression
from consistency_lab.model.tasks.catalogue import target as named_target
from consistency_lab.model.tasks.positional import ExpectedRankUtility, Ndcg
from consistency_lab.model.tasks.task import Task
from consistency_lab.show.canvas import filled
from consistency_lab.show.decision import DEFAULTS, TITLES, code_command, fits
from consistency_lab.show.documents import Record
from consistency_lab.show.frontier import labeled, rank
from consistency_lab.show.labels import of_target
from consistency_lab.show.script import OBJECTIVES, docstring, imports, plain
from consistency_lab.show.text import (
    Line,
    Paragraph,
    columns,
    flush,
    inset,
    paragraph,
    rendered,
    short_citation,
    tabular,
    typed,
)
from consistency_lab.shown import Text

LIBRARIES: Final = {**TITLES, "pytorch": "PyTorch"}
"""What programs are written for."""

CHECKED: Final = re.compile(r", hypotheses checked \((.*)\)$")
"""The end of a proof: for which lists it is."""

Advised = Mapping[str, str]


@frozen
class Advice:
    """What to train, as a person reads it and as JSON."""

    line1: str  #: The answer in a sentence.
    library: str  #: What users type for the library.
    target: str | None  #: The name of the target; None for preferences.
    rows: tuple[Advised, ...]  #: What is right, each row an object.
    instead: str  #: What to do where no row applies, or "".
    short: tuple[Line, ...]  #: One screen.
    long: tuple[Line, ...]  #: Everything.


ADVICE: Final = Record(
    Advice,
    "line1 library target rows instead",
    format="consistency-lab/recommend/1",
    rows=(list[Advised], list),
)


# --- On pairs of answers ---------------------------------------------------------------------------------

_SAMPLED: Final[Mapping[str, str]] = {
    "any": "in any numbers",
    "balanced": "each pair equally often",
    "product": "independently drawn",
    "complete": "each pair at least once",
    "forest": "two a prompt or acyclic",
}
"""How pairs have to be sampled for a design."""

_NAMES_WIDTH: Final = 33


def _same(best: PairEntry, others: Sequence[PairEntry]) -> str:
    """Objectives that are the same loss at their defaults, those of other trainers apart."""
    own = [one.objective for one in others if one.file != best.file]
    here = [
        f"{one.objective}{' (label_smoothing = 0)' * ('label_smoothing' in one.defaults)}"
        for one in others
        if one.file == best.file
    ]
    return "; with trainers of their own ".join(filter(None, (", ".join(here), ", ".join(own))))


def for_pairs(library: str) -> Advice:
    """The objective of a library of pairs that is right wherever the others are, and where that is."""
    every = [one for one in PAIR_LIBRARIES.values() if one.library == library]
    first: dict[str, PairEntry] = {}
    for one in every:
        if one.loss is not None:
            first.setdefault(one.loss, one)
    convex = [name for name in first if not_proved_convex(surrogate(name)) is None]
    right = where_right(convex)
    pairs = sorted(right, key=lambda pair: (rank(pair[0]), pair[1]))
    loss = max(convex, key=lambda name: sum(name in names for names in right.values()))
    best = first[loss]
    title = library.upper()
    line1 = (
        f'Use loss_type="{best.objective}" ({loss}): wherever another convex loss of {title} is proved '
        "right, it is right too."
    )
    same = _same(best, [one for one in every if one.loss == loss and one is not best])
    known = {name for names in right.values() for name in names}
    rest = sum(one.loss not in known for one in every)
    instead = ""
    if surplus_is_right(surrogate(loss)):
        instead = (
            f"train {best.objective} on each pair's surplus (3 : 1 becomes 2 : 0): right for all acyclic "
            "preferences; rewards may grow without bound."
        )
    rows = tuple(
        {
            "condition": name,
            "design": often,
            "losses": ", ".join(first[one].objective for one in right[name, often]),
            "theorem": "" if proof is None else short_citation(proof.citation),
        }
        for name, often in pairs
        for proof in [consistency_theorem(surrogate(loss), name, design=often)]
    )
    trainer = PurePosixPath(best.file).stem.removesuffix("_trainer").upper()
    config = f'{trainer}Config(loss_type="{best.objective}")'
    short = (
        Paragraph(line1, 0, 0),
        "",
        *_table(rows),
        "",
        *labeled("config:", f"{config}, or the same loss: {same}."),
        *labeled("instead:", instead),
        *labeled("data:", "one judgment a pair does not tell which row is yours: audit FILE."),
        *labeled("others:", f"{rest} are not convex, or not proved right anywhere: list --library {library}"),
        *labeled("more:", f"--details   check {loss}   list --library {library}"),
    )
    shown = ((row["condition"], row["design"], row["theorem"], row["losses"]) for row in rows)
    long = (
        Paragraph(line1, 0, 0),
        "",
        *tabular([("condition", "design", f"theorem for {best.objective}", "loss_type"), *shown], indent=1),
        "",
        *(line for one in every if one.loss in known for line in paragraph(_notes(one), indent=1, hanging=2)),
    )
    return Advice(line1, library, None, rows, instead, short, long)


def _table(rows: Sequence[Advised]) -> Iterator[Line]:
    shown = [["preferences", "pairs", "right"]]
    for row in rows:
        title, sampled = CONDITIONS[row["condition"]].title, _SAMPLED[row["design"]]
        names, *more = wrap(row["losses"], _NAMES_WIDTH)
        shown += [[title, sampled, names], *(["", "", name] for name in more)]
    yield from columns([*shown, ["anything else", "", "none"]], indent=1)


def _notes(entry: PairEntry) -> str:
    defaults = "".join(f", {name} = {value}" for name, value in entry.defaults.items() if name != "loss_type")
    return f"{entry.objective}: {entry.formula}{defaults}. {entry.note}"


# --- For a target ----------------------------------------------------------------------------------------

_MOST_ROWS: Final = 5


def for_target(task: Task, library: str) -> Advice:
    """The losses that are proved right for a target, those that a library can train first."""
    chosen = list(choices(task))
    own = [one for one in chosen if fits(one.surrogate, task, library)]
    others = [one for one in chosen if one not in own]
    so = f"For {of_target(task)} with {LIBRARIES[library]}"
    if own:
        line1 = f"{so} train {_trained(own[0].surrogate, library)}: right {where(own[0])}, {scope(own[0])}."
    elif chosen:
        line1 = f"{so} no program is known; {chosen[0].surrogate.name} is right {where(chosen[0])}."
    else:
        line1 = f"{so} nothing is known: no loss here is proved right for this target."
    rows = tuple(_row(one, library, one in own) for one in (*own, *others))
    shown = rows[: min(len(own), _MOST_ROWS) or _MOST_ROWS]
    heads = ("loss", f"in {LIBRARIES[library]}", "right", "proof") if own else ("loss", "needs", "right")
    keys = ("loss", "objective", "right", "proof") if own else ("loss", "needs", "right")
    table = ([re.sub(r" \([^()]*\)|;.*", "", row[key]) for key in keys] for row in shown)
    left = (row for row in rows if row not in shown)
    rest = list(dict.fromkeys(row["loss"] + " (not convex)" * (row["convex"] != "convex") for row in left))
    more = f" and {len(rest) - _MOST_ROWS} more" if len(rest) > _MOST_ROWS else ""
    too = f"{', '.join(rest[:_MOST_ROWS])}{more}, without a program: --details" if rest else ""
    short: list[Line] = [Paragraph(line1, 0, 0), ""]
    short += [*tabular([heads, *table], indent=1), ""] if rows else []
    short += labeled("labels:", labels_text(own[0].surrogate, task) if own else "")
    short += labeled("program:", f"{code_command(own[0], library)}" if own else "")
    short += labeled("too:", too)
    short += labeled("more:", f"--details{_shipped(task, library)}")
    long = [Paragraph(line1, 0, 0), *(line for one in chosen for line in _told(one, library))]
    return Advice(line1, library, task.target, rows, "", tuple(short), tuple(long))


def _shipped(task: Task, library: str) -> str:
    """What to type about the default of the library, if it fits the target."""
    with suppress(InputError):
        entry(full_name(DEFAULTS.get(library, ""))).check(task)
        return f"   check {DEFAULTS[library]} --target {task.target}"
    return ""


def _trained(loss: Loss, library: str) -> str:
    if library == "pytorch":
        return f"{loss.name} as a module"
    if isinstance(loss, Regression):
        return f"{OBJECTIVES[library]['squares'][0]} on other labels ({loss.name})"
    return f"{loss.name} by an objective of your own"


def _row(one: Prescription, library: str, is_own: bool) -> Advised:
    loss = one.surrogate
    needs, _, convex = one.how.rpartition("; ")
    needs = re.sub(r"decoder: .* \(cost: (.*)\)", r"\1", needs)
    objective = "your own objective" if is_own else "none"
    if is_own and library == "pytorch":
        objective = "a module"
    elif is_own and isinstance(loss, Regression):
        objective = OBJECTIVES[library]["squares"][0]
    return {
        "loss": loss.name,
        "objective": objective,
        "right": where(one),
        "proof": CHECKED.sub("", one.reason),
        "needs": needs,
        "convex": convex,
        "command": one.command,
    }


def _told(one: Prescription, library: str) -> Iterator[Line]:
    yield ""
    yield from flush(f"{one.surrogate.name}: {one.surrogate.text}")
    yield from inset(f"Right {where(one)}: {one.reason}.")
    yield from inset(f"Needs {one.how}.")
    yield f"  Check: {one.command}"
    code = code_command(one, library)
    yield from [f"  Code: {code}"] if code else []


# --- Programs that train a recommended loss, and what is said of their labels ------------------------------


def where(one: Prescription) -> str:
    """Under which condition on the labels a loss is right."""
    return (
        "whatever the labels" if one.condition == "any" else f"under {TASK_CONDITIONS[one.condition].title}"
    )


def scope(one: Prescription) -> str:
    """For which lists that is proved."""
    found = CHECKED.search(one.reason)
    if found is None or found[1] == "these labels":
        return "proved for lists and grades as here"
    return "for lists of any length" if found[1] == "all m" else f"for {found[1]} (m items a list)"


def labels_text(loss: Loss, task: Task) -> str:
    """What to train on for an item, made from the grades of its list."""
    kind = _kind(loss)
    if kind == "net":
        return "y = how many items of the list have a lower grade, less those with a higher one"
    gain = typed(_gain(task))
    if kind == "gain/Z" and isinstance(task, Ndcg):
        first = f" first {task.k}" if task.k else ""
        return (
            f"gain = {gain} of the grade s; Z = sum of the list's{first} gains, largest first, over "
            f"{typed(task.discount.text('j'))}, j = 1, 2, ...; y = gain / Z (0 where Z is 0)"
        )
    return f"y = {'s' if kind == 'grade' else gain}, s the grade"


def program(task: Task, library: str, name: str) -> str:
    """A program that trains a recommended loss on lists of any length, or in PyTorch a module."""
    known = [one for one in choices(task) if fits(one.surrogate, task, library)]
    choice = next((one for one in known if one.surrogate.name == name), None)
    title = LIBRARIES[library]
    if choice is None:
        names = ", ".join(one.surrogate.name for one in known)
        raise InputError(
            f"{name!r} has no program for {title} and {of_target(task)}; "
            + (f"these have: {names}" if names else "no loss has one")
        )
    loss, kind, torch = choice.surrogate, _kind(choice.surrogate), library == "pytorch"
    use = "" if torch else "Files are in LETOR's format: GRADE qid:QUERY INDEX:VALUE ... on each line. "
    how = f"A loss of padded lists: {name}" if torch else f"Trains {title} with {name}"
    about = (
        f"{how}, right for {of_target(task)} {where(choice)}, {scope(choice)}. {use}Proof: {choice.reason}."
    )
    return filled(
        __file__,
        "recommended_torch.py.j2" if torch else "recommended.py.j2",
        library=library,
        imports=imports(library),
        command=plain(str(code_command(choice, library))),
        docstring=docstring(plain(about)),
        called="".join(part.title() for part in name.split("-")),
        kind=kind,
        scaled=kind == "gain/Z" and isinstance(task, Ndcg),
        gain=_code("s" if kind == "grade" else _gain(task), torch),
        discount=_code(task.discount.text("j"), torch) if isinstance(task, Ndcg) else "",
        k=task.k if isinstance(task, Ndcg) else None,
        objective=type(loss) is PairsSurrogate,
        squares="" if torch else OBJECTIVES[library]["squares"][0],
    )


def _kind(loss: Loss) -> str:
    if isinstance(loss, Regression):
        return loss.f
    return "gain/Z" if getattr(loss, "weights", "") == "zhang" else "gain"


def _gain(task: Task) -> str:
    """The gain of a grade s."""
    if isinstance(task, ExpectedRankUtility):
        return f"max(s-{task.v},0)" if task.v else "s"
    return task.gain.text("s") if isinstance(task, Ndcg) else "s"


def _code(formula: str, torch: bool) -> str:
    """A formula of numbers in an array or a tensor."""
    text = re.sub(r"max\((.*),0\)", r"(\1).clamp(min=0)" if torch else r"np.maximum(\1, 0)", typed(formula))
    return re.sub(r"\b(exp|log2?|sqrt)\(", rf"{'torch' if torch else 'np'}.\1(", text)


# --- From Python -----------------------------------------------------------------------------------------


@checked
def recommend(
    loss: str | None = None,
    *,
    target: Task | str | None = None,
    library: Literal["lightgbm", "xgboost", "catboost", "pytorch", "trl"] = "lightgbm",
    details: bool = False,
) -> Text:
    """What to train for a target or with TRL, or the program that trains a loss.

    Parameters
    ----------
    loss
        A loss of the answer, for its program.
    target
        What `target` returns, or its name; None for TRL.
    library
        What you train with.
    details
        Whether to tell all that is proved, with theorems and costs.

    Examples
    --------
    >>> print(recommend(target="ndcg", library="xgboost").splitlines()[0])
    For NDCG with XGBoost train reg:squarederror on other labels
    >>> "def objective(preds, dtrain)" in recommend("zhang", target="ndcg", library="xgboost")
    True
    """
    if library == "trl":
        if loss is not None or target is not None:
            raise InputError("library='trl' is about pairs of answers; leave out loss and target")
        advice = for_pairs(library)
    elif target is None:
        raise InputError("recommend needs a target, such as target='ndcg', or library='trl'")
    else:
        task = named_target(target) if isinstance(target, str) else target
        if loss is not None:
            return Text(program(task, library, loss))
        advice = for_target(task, library)
    return Text("\n".join(rendered(advice.long if details else advice.short)))
