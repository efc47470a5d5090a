"""The map: which convex loss is right where, each cell a theorem or a certified example."""

from collections.abc import Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from consistency_lab.decide.answers import Answer, Pair
from consistency_lab.decide.cases import GraphCase
from consistency_lab.decide.frontier import known
from consistency_lab.model.conditions import whole
from consistency_lab.model.surrogates import surrogate
from consistency_lab.search.effort import Effort
from consistency_lab.show.canvas import Picture
from consistency_lab.show.decision import WORDS
from consistency_lab.show.pictures import RIGHT, SLIDE, WRONG

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LOSSES: Final = (
    *("hinge", "squared-hinge", "square", "smoothed-hinge", "huberized-hinge", "logistic", "exponential"),
    *("linear", "regression", "difference-logistic", "difference-square", "difference-hinge"),
    *("cdpo", "simpo", "bco"),
)
"""The rows: the convex scalar losses with a name, on edges; then other losses of preferences."""

COLUMNS: Final[Mapping[Pair, tuple[str, str, str]]] = MappingProxyType(
    {
        ("bradley-terry", "any"): ("Bradley", "-Terry", "any"),
        ("net-order", "balanced"): ("net", "order", "equal"),
        ("strong-stochastic-transitivity", "product"): ("strong", "trans.", "popul."),
        ("auc", "complete"): ("AUC", "", "all"),
        ("any", "forest"): ("any", "", "trees"),
        ("additive", "product"): ("addit.", "noise", "popul."),
        ("acyclic", "balanced"): ("acyclic", "", "equal"),
        ("acyclic", "any"): ("acyclic", "", "any"),
    }
)
"""The columns: a condition and a design, with the lines of their head."""

_ITEMS: Final = (2, 3, 4)
_LEGEND: Final = (
    " Pairs are compared any number of times, equally often, by popularity, all at",
    " least once, or as trees: without a cycle. A wrong cell has a certified example.",
    " more: check LOSS   list --map --json",
)


@cache
def the_map() -> Mapping[str, Mapping[Pair, Answer]]:
    """All cells by loss, without a search."""
    cells = {
        name: known(GraphCase(surrogate(name), (), Effort(), 0, f"check {name}", _ITEMS), COLUMNS)
        for name in LOSSES
    }
    return MappingProxyType(cells)


def map_lines() -> Iterator[str]:
    """As a table on one screen."""
    yield "Which loss orders items right, whatever their number: right, wrong or open."
    sides = ("preferences", "", "pairs compared")
    for line, side in enumerate(sides):
        yield _row(side, (head[line] for head in COLUMNS.values()))
    for name, row in the_map().items():
        yield _row(name, (WORDS[answer.verdict] for answer in row.values()))
    yield from ("", *_LEGEND)


def _row(name: str, texts: Iterator[str]) -> str:
    wide = (max(map(len, head)) for head in COLUMNS.values())
    line = " ".join(f"{text:<{width}}" for text, width in zip(texts, wide, strict=True))
    return f" {name:<19} {line}".rstrip()


def map_records() -> list[dict[str, object]]:
    """All cells as JSON objects, each with its theorem or the counts of its example."""
    return [
        {
            "loss": name,
            "condition": answer.condition,
            "design": answer.design,
            "verdict": str(answer.verdict),
            "scope": answer.scope,
            "citation": answer.citation,
            "counts": counts(answer),
        }
        for name, row in the_map().items()
        for answer in row.values()
    ]


def counts(answer: Answer) -> list[list[int]] | None:
    """Of the example, in the smallest whole numbers: row beats column."""
    return None if answer.witness is None else whole(answer.witness.distribution.aggregate)


def map_picture() -> Picture:
    """All cells in colors, each with its word; a file of it names each cell's verdict as an id."""
    return Picture("Which loss is right where", *SLIDE, _draw)


_COLORS: Final = {"right": RIGHT, "wrong": WRONG, "open": "white"}


def _draw(figure: "Figure") -> None:
    from matplotlib.patches import Rectangle

    axes = figure.add_subplot()
    for y, (name, row) in enumerate(the_map().items()):
        for x, (pair, answer) in enumerate(row.items()):
            word = WORDS[answer.verdict]
            box = Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=_COLORS[word], edgecolor="#777777")
            box.set_gid(" ".join((name, *pair, word)).replace(" ", "_"))
            axes.add_patch(box)
            axes.text(x, y, word, ha="center", va="center")
    heads = ["\n".join(filter(None, head)) for head in COLUMNS.values()]
    axes.set_xticks(range(len(COLUMNS)), heads)
    axes.set_yticks(range(len(LOSSES)), LOSSES)
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    axes.set(xlim=(-0.5, len(COLUMNS) - 0.5), ylim=(len(LOSSES) - 0.5, -0.5))
