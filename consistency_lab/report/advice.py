"""What to train with a library of losses of pairs of answers, and what the pairs have to be like."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from textwrap import wrap
from types import MappingProxyType
from typing import Final

from consistency_lab.decide.answers import Pair
from consistency_lab.decide.cases import not_proved_convex
from consistency_lab.decide.remedies import surplus_is_right, where_right
from consistency_lab.documents import Record
from consistency_lab.frozen import frozen
from consistency_lab.model.conditions import CONDITIONS
from consistency_lab.model.surrogates import surrogate
from consistency_lab.model.surrogates.tasks.libraries import PAIR_LIBRARIES, PairEntry
from consistency_lab.report.frontier import labeled, rank, theorem_name
from consistency_lab.report.text import Line, Paragraph, columns, paragraph, tabular
from consistency_lab.theorems.catalogue import consistency_theorem

Row = Mapping[str, str]


@frozen
class Advice:
    """What to train, as a person reads it and as JSON."""

    line1: str  #: The answer in a sentence.
    library: str  #: What users type for the library.
    target: str | None  #: The name of the target; None for preferences.
    rows: tuple[Row, ...]  #: What is right, each row an object.
    instead: str  #: What to do where no row applies, or "".
    short: tuple[Line, ...]  #: One screen.
    long: tuple[Line, ...]  #: Everything.


ADVICE: Final = Record(
    Advice, "line1 library target rows instead", format="consistency-lab/recommend/1", rows=(list[Row], list)
)

_SAMPLED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "any": "in any numbers",
        "balanced": "each pair equally often",
        "product": "answers drawn independently",
        "complete": "each pair at least once",
        "forest": "two a prompt, or no cycle",
    }
)
"""How pairs have to be sampled for a design."""

_NAMES_WIDTH: Final = 29


def for_pairs(library: str) -> Advice:
    """The objective of a library of pairs that is right wherever the others are, and where that is.

    Examples
    --------
    >>> for_pairs("trl").line1[:43]
    'Use loss_type="sigmoid" (dpo): wherever ano'
    """
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
    same = ", ".join(one.objective for one in every if one.loss == loss and one is not best)
    known = {name for names in right.values() for name in names}
    rest = sum(one.loss not in known for one in every)
    instead = ""
    if surplus_is_right(surrogate(loss)):
        instead = (
            f"keep only each pair's surplus (3 : 1 becomes 2 : 0), and train {best.objective}: right for all "
            "acyclic preferences; rewards may then grow without bound."
        )
    rows = tuple(
        {
            "condition": name,
            "design": often,
            "losses": ", ".join(first[one].objective for one in right[name, often]),
            "theorem": _theorem(loss, (name, often)),
        }
        for name, often in pairs
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
        *labeled("data:", "one judgment a pair does not tell your row; audit FILE counts."),
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


def _theorem(loss: str, pair: Pair) -> str:
    evidence = consistency_theorem(surrogate(loss), pair[0], design=pair[1])
    return "" if evidence is None else theorem_name(evidence.citation)


def _table(rows: Sequence[Row]) -> Iterator[Line]:
    shown = [["preferences", "pairs", "right"]]
    for row in rows:
        title, sampled = CONDITIONS[row["condition"]].title, _SAMPLED[row["design"]]
        names, *more = wrap(row["losses"], _NAMES_WIDTH)
        shown += [[title, sampled, names], *(["", "", name] for name in more)]
    yield from columns([*shown, ["anything else", "", "none"]], indent=1)


def _notes(entry: PairEntry) -> str:
    defaults = "".join(f", {name} = {value}" for name, value in entry.defaults.items() if name != "loss_type")
    return f"{entry.objective}: {entry.formula}{defaults}. {entry.note}"
