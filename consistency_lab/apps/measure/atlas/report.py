"""How an atlas reads: a table, a page, and a heat map of the cells."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from math import ceil, floor
from pathlib import Path
from textwrap import fill
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Final

from consistency_lab.apps.measure.atlas.cell import PARAMETERS, PARTS
from consistency_lab.apps.measure.atlas.folder import VerifiedCell
from consistency_lab.errors import InputError
from consistency_lab.files import write_atomic
from consistency_lab.frozen import frozen
from consistency_lab.model.conditions import CONDITIONS
from consistency_lab.show.canvas import Picture, filled, picture_format
from consistency_lab.show.documents import Record
from consistency_lab.show.text import Blocks, Line, decimal, flush, listed, outward

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


# --- The numbers of a cell in a few words, for tables and pictures alike ---------------------------------

NOTHING: Final = "–"

Words = Callable[[VerifiedCell], str]

_LONGEST_FORM: Final = 30


def smallest_words(entry: VerifiedCell) -> str:
    """Total weights of the smallest witness and of the smallest inversion; "≤" without a proof."""
    part = entry.part("smallest")
    if part is None:
        return NOTHING
    if not entry.lightest:
        return "none, proved" if part["proved"] else "none found"
    lightest, strict = lightest_words(entry), ""
    if part["strict_total"] is not None:
        strict = _total(part["strict_total"], part["strict_proved"])
    elif "strict" in entry.lightest:
        strict = _total(entry.lightest["strict"], False)
    if strict == lightest:
        return lightest
    return f"{lightest} (tie), strict {strict}" if strict else f"{lightest} (tie)"


def lightest_words(entry: VerifiedCell) -> str:
    """The least total weight of a witness; where the search for it found none, that of any of the cell."""
    part = entry.part("smallest")
    if part is None or not entry.lightest:
        return NOTHING
    if part["total"] is None:
        return _total(min(entry.lightest.values()), False)
    return _total(part["total"], part["proved"])


def worst_words(entry: VerifiedCell) -> str:
    """The bracket of the largest normalized regret, or its proved value."""
    part = entry.part("worst")
    if part is None:
        return NOTHING
    lower, upper = Fraction(part["lower"]), part["upper"]
    if upper is not None and Fraction(upper) == lower:
        return str(lower)
    return f"{outward(lower, 5, floor)} to {'?' if upper is None else outward(Fraction(upper), 5, ceil)}"


def attained_words(entry: VerifiedCell) -> str:
    """The number that the worst case is, proved or conjectured, and where floats see it."""
    part = entry.part("worst")
    if part is None or part["witness"] is None:
        return NOTHING
    form = part["closed_form"]
    words = [] if form is None or form["proved"] else [f"conjectured: {_form(form)}"]
    if part["attained"] != "unknown":
        words.append(part["attained"])
    return "; ".join(words) or NOTHING


def rate_words(entry: VerifiedCell) -> str:
    """The share of failures in percent with its interval."""
    part = entry.part("rate")
    if part is None:
        return NOTHING
    if part["proved_zero"] is not None:
        return "0, proved"
    if not part["overall"]["samples"]:
        return NOTHING
    low, high = (100 * Fraction(x) for x in part["overall"]["interval"])
    middle = decimal(100 * share(part["overall"]), 2)
    return f"{middle} % ({outward(low, 2, floor)} to {outward(high, 2, ceil)})"


def share(found: Mapping[str, Any]) -> Fraction:
    """The share of failures among samples."""
    return Fraction(found["failures"], found["samples"])


def _total(total: int, proved: bool) -> str:
    return str(total) if proved else f"≤ {total}"


def _form(form: Mapping[str, Any]) -> str:
    """A formula if it is short, else its decimals and that it is algebraic."""
    text = str(form["text"])
    if len(text) <= _LONGEST_FORM:
        return text
    return f"an algebraic number near {decimal(Fraction(form['value']), 9)}"


# --- An atlas as rows, one a cell ------------------------------------------------------------------------

COLUMNS: Final[Mapping[str, Words]] = MappingProxyType(
    {
        "surrogate": lambda entry: entry.cell.surrogate,
        "condition": lambda entry: entry.cell.condition,
        "verdict": lambda entry: entry.verdict,
        "failure": lambda entry: entry.failure or NOTHING,  # a tie only as far as was looked
        "smallest": smallest_words,
        "worst regret": worst_words,
        "worst case": attained_words,
        "rate": rate_words,
    }
)
"""What is said of a cell."""

_ON_A_TERMINAL: Final = ("surrogate", "condition", "verdict", "failure", "smallest", "worst regret", "rate")
_ON_ONE_SCREEN: Final = ("surrogate", "condition", "smallest", "worst regret")


def atlas_report(found: Sequence[VerifiedCell], details: bool = True) -> Iterator[Line]:
    """The rows as lines of text, the numbers of items apart; few columns without details."""
    shown = _ON_A_TERMINAL if details else _ON_ONE_SCREEN
    said = [f"{n} are {verdict}" for verdict, n in sorted(Counter(entry.verdict for entry in found).items())]
    yield from flush(f"Of {len(found)} cells, {listed(said)}.")
    yield ""
    for number, m in enumerate(sorted({entry.cell.m for entry in found})):
        if number:
            yield ""
        yield f"{m} items"
        chosen = [tuple(COLUMNS[name](entry) for name in shown) for entry in found if entry.cell.m == m]
        yield Blocks((shown, *chosen), 2, keys=2, numbers=False)


_CELL: Final = Record(
    VerifiedCell,
    " ".join(f"{key}=cell.{name}" for key, name in PARAMETERS.keys.items())
    + " verdict failure measured=parts",
)
atlas_document: Final = Record(
    list,
    "cells=.",
    format="consistency-lab/atlas/1",
    may={"failed": list[dict[str, object]], "missing": int, "interrupted": bool},
    cells=(list[Annotated[Any, _CELL]], _CELL),
)
"""The cells as JSON, without the witnesses."""


# --- An atlas as a picture: one field a cell, once for each thing that is measured -----------------------

_COLORS: Final = "Oranges"
_UNKNOWN: Final = "#e8e8e8"
_RIGHT: Final = "#d3e4f5"
_DARK: Final = 0.6
_ACROSS: Final = 2
_FIELD: Final = (0.95, 0.45)
_MARGIN: Final = (0.3, 0.7)
_NAMES: Final = 1.2
_BAR: Final = 0.9


@frozen
class _Panel:
    """One thing that is measured: what is written in the field of a cell, and how bad that is."""

    title: str
    words: Words
    value: Callable[[VerifiedCell], Fraction | None]


def heat_map(found: Sequence[VerifiedCell]) -> Picture:
    """Four panels for each number of items: darker is worse, blue proved consistent, gray unknown."""
    items = sorted({entry.cell.m for entry in found})
    surrogates = list(dict.fromkeys(entry.cell.surrogate for entry in found))
    conditions = [name for name in CONDITIONS if any(entry.cell.condition == name for entry in found)]
    width = _NAMES + _BAR + _ACROSS * (_MARGIN[0] + _FIELD[0] * len(conditions))
    height = (_MARGIN[1] + _FIELD[1] * len(surrogates)) * _rows(len(items))
    drawing = partial(_draw, found, items, surrogates, conditions)
    return Picture("How surrogates fail", width, height, drawing)


def _draw(
    found: Sequence[VerifiedCell],
    items: Sequence[int],
    surrogates: Sequence[str],
    conditions: Sequence[str],
    figure: "Figure",
) -> None:
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import LinearSegmentedColormap
    from matplotlib.patches import Patch

    panels = figure.subplots(_rows(len(items)), _ACROSS, squeeze=False)
    for number, axes in enumerate(panels.flat):
        m, panel = items[number // len(_PANELS)], _PANELS[number % len(_PANELS)]
        chosen = {(one.cell.surrogate, one.cell.condition): one for one in found if one.cell.m == m}
        _draw_panel(axes, panel, [[chosen.get((row, name)) for name in conditions] for row in surrogates])
        axes.set_xticks(range(len(conditions)), conditions, fontsize=8)
        axes.set_title(f"{panel.title} (m = {m})", fontsize=10)
        axes.set_yticks(range(len(surrogates)), [] if number % _ACROSS else surrogates)
    shades = LinearSegmentedColormap.from_list("shades", [_color(level / 8) for level in range(9)])
    bar = figure.colorbar(ScalarMappable(cmap=shades), ax=panels, aspect=40, shrink=0.8, ticks=[0, 1])
    bar.ax.set_yticklabels(["mild", "worst of\nthe panel"], fontsize=8)
    handles = [Patch(fc=_RIGHT, label="proved consistent"), Patch(fc=_UNKNOWN, label="unknown")]
    figure.legend(handles=handles, loc="outside lower center", ncols=2, fontsize=8)


def _color(level: float) -> str:
    """The darker, the worse."""
    from matplotlib import colormaps
    from matplotlib.colors import to_hex

    return to_hex(colormaps[_COLORS](0.1 + 0.8 * level))


def _draw_panel(axes: "Axes", panel: _Panel, fields: Sequence[Sequence[VerifiedCell | None]]) -> None:
    from matplotlib.patches import Rectangle

    known = [entry for row in fields for entry in row if entry is not None]
    most = max((panel.value(entry) or Fraction(0) for entry in known), default=Fraction(0))
    for y, row in enumerate(fields):
        for x, entry in enumerate(row):
            text, value = ("", None) if entry is None else (panel.words(entry), panel.value(entry))
            color, ink = _UNKNOWN, "black"
            if entry is not None and entry.verdict == "CONSISTENT":
                color = _RIGHT
            elif value is not None:
                level = float(value / most) if most else 0.0
                color, ink = _color(level), "white" if level > _DARK else "black"
            axes.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=color, edgecolor="white"))
            axes.text(x, y, text, ha="center", va="center", fontsize=8, color=ink)
    axes.set(xlim=(-0.5, len(fields[0]) - 0.5), ylim=(len(fields) - 0.5, -0.5))
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)


_KINDS: Final[Mapping[str | None, Fraction]] = MappingProxyType(
    {"tie": Fraction(1, 2), "strict": Fraction(1)}
)


def _worst(entry: VerifiedCell) -> Fraction | None:
    part = entry.part("worst")
    return None if part is None or part["witness"] is None else Fraction(part["lower"])


def _rate(entry: VerifiedCell) -> Fraction | None:
    part = entry.part("rate")
    return None if part is None or not part["overall"]["samples"] else share(part["overall"])


def _shown(value: Callable[[VerifiedCell], Fraction | None], words: Callable[[Fraction], str]) -> Words:
    """A number in words, if it is known."""
    return lambda entry: NOTHING if (found := value(entry)) is None else words(found)


_PANELS: Final = (
    _Panel(
        "kind of failure",
        lambda entry: entry.failure or entry.verdict.lower(),
        lambda entry: _KINDS.get(entry.failure),
    ),
    _Panel(
        "smallest witness",
        lightest_words,
        # A small witness is worse than a large one.
        lambda entry: Fraction(1, min(entry.lightest.values())) if entry.lightest else None,
    ),
    _Panel("worst regret, at least", _shown(_worst, lambda x: outward(x, 3, floor)), _worst),
    _Panel("rate of failure", _shown(_rate, lambda x: f"{decimal(100 * x, 1)} %"), _rate),
)


def _rows(numbers: int) -> int:
    """How many rows of panels so many numbers of items take."""
    return numbers * len(_PANELS) // _ACROSS


# --- An atlas as a page of documentation -----------------------------------------------------------------

_WIDTH: Final = 110


def write_page(found: Sequence[VerifiedCell], folder: Path, page: Path) -> Path:
    """Write the page, and the heat map beside it; returns where the picture is."""
    picture = picture_of(page)
    heat_map(found).save(picture)
    write_atomic(page, page_text(found, folder, page))
    return picture


def picture_of(page: Path) -> Path:
    """Where the picture of a page is."""
    if page.suffix.lower() != ".md":
        raise InputError(f"{page} cannot hold the page of an atlas; its name must end in .md")
    picture = page.with_suffix(".svg")
    picture_format(picture)
    return picture


def page_text(found: Sequence[VerifiedCell], folder: Path, page: Path) -> str:
    """The page."""
    items = sorted({entry.cell.m for entry in found})
    tables = [
        (m, [[words(entry) for words in COLUMNS.values()] for entry in found if entry.cell.m == m])
        for m in items
    ]
    surrogates = list(dict.fromkeys(entry.cell.surrogate for entry in found))
    conditions = list(dict.fromkeys(entry.cell.condition for entry in found))
    used_up = [
        entry.cell.title for entry in found if any(part["budget_used_up"] for part in entry.parts.values())
    ]
    return filled(
        __file__,
        "atlas.md.j2",
        introduction=fill(
            f"What is known of {listed(surrogates)}, for the conditions {listed(conditions)}, with "
            f"{listed([str(m) for m in items], 'or')} items.",
            _WIDTH,
        ),
        picture=picture_of(page).name,
        heads=list(COLUMNS),
        tables=tables,
        folder=folder.as_posix(),
        page=page.as_posix(),
        command=_command(found, folder),
        used_up="; here every cell does."
        if not used_up
        else f".\nMore time would bring more here: {'; '.join(used_up)}.",
    )


def _command(found: Sequence[VerifiedCell], folder: Path) -> str:
    """The command that makes these cells, if they are a product."""
    cells = [entry.cell for entry in found]
    first = cells[0]
    surrogates = ",".join(dict.fromkeys(cell.surrogate for cell in cells))
    conditions = " ".join(f"--condition {name}" for name in dict.fromkeys(cell.condition for cell in cells))
    items = ",".join(map(str, sorted({cell.m for cell in cells})))
    chosen = "" if first.parts == PARTS else "".join(f" --{part}" for part in first.parts)
    return (
        f"consistency-lab measure --surrogates {surrogates} \\\n  {conditions} \\\n  --items {items}{chosen} "
        f"--budget {first.budget} --samples {first.samples} --seed {first.seed} --out {folder.as_posix()}"
    )
