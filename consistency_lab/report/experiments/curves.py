"""Curves of repeated runs with their confidence bands, told apart by color, dashes and marks alike."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, final

from consistency_lab.experiments.bands import band
from consistency_lab.report.text import Blocks

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@final
class Style(NamedTuple):
    """How one curve looks."""

    color: str
    dash: str
    mark: str


STYLES: Final = (
    Style("#0072B2", "-", "o"),
    Style("#D55E00", "--", "s"),
    Style("#009E73", "-.", "^"),
    Style("#CC79A7", ":", "D"),
    Style("#000000", "-", "v"),
    Style("#56B4E9", "--", "P"),
    Style("#E69F00", "-.", "X"),
)
"""Colors that color-blind readers tell apart (Okabe and Ito)."""


def curve(
    axes: "Axes",
    label: str,
    style: Style,
    xs: Sequence[float],
    runs: Sequence[Sequence[float]],
    least: float | None = None,
) -> None:
    """Draw the means of some runs over xs, and their bands; on a logarithmic axis nothing below `least`."""
    bands = [band(one) for one in runs]
    shown = [(x, *one) for x, one in zip(xs, bands, strict=True) if least is None or one.mean > least]
    if not shown:
        axes.plot([], [], style.dash, color=style.color, marker=style.mark, markersize=4, label=label)
        return
    x, mean, low, high = map(list, zip(*shown, strict=True))
    if least is not None:
        low = [max(value, least) for value in low]
    axes.fill_between(x, low, high, color=style.color, alpha=0.18, lw=0)
    axes.plot(x, mean, style.dash, color=style.color, marker=style.mark, markersize=4, lw=1.5, label=label)


def level(axes: "Axes", label: str, style: Style, runs: Sequence[float]) -> None:
    """A line across the picture: the mean of what does not depend on x, with its band."""
    found = band(runs)
    axes.axhspan(found.low, found.high, color=style.color, alpha=0.15, lw=0)
    axes.axhline(found.mean, ls=style.dash, color=style.color, lw=1.5, label=label)


def legend_below(figure: "Figure", axes: "Axes", columns: int) -> None:
    """One legend for all panels."""
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=columns, fontsize=9)


def runs_text(count: int) -> str:
    """How many runs, in words."""
    return "1 run" if count == 1 else f"{count} runs"


def cell(runs: Sequence[float], digits: int = 4) -> str:
    """A mean, and half the width of its 90 % interval where there are several runs.

    Examples
    --------
    >>> cell([0.5]), cell([1.0, 2.0, 3.0], 2)
    ('0.5000', '2.00 ± 1.69')
    """
    found = band(runs)
    half = f" ± {found.high - found.mean:.{digits}f}" if len(runs) > 1 else ""
    return f"{round(found.mean, digits) + 0.0:.{digits}f}{half}"


def grid(
    rows: Sequence[Mapping[str, Any]],
    line: Callable[[Mapping[str, Any]], str],
    column: Callable[[Mapping[str, Any]], str],
    values: str,
    corner: str = "",
    digits: int = 4,
) -> Blocks:
    """A table of what was measured.

    Parameters
    ----------
    rows
        Entries of a document.
    line, column
        The names of the line and of the column in which an entry stands.
    values
        The key of its runs.
    corner
        What the first column is called.
    digits
        Of the numbers.

    Examples
    --------
    >>> measured = [{"n": 1, "k": k, "risks": [k / 4]} for k in (1, 2)]
    >>> grid(measured, lambda row: "n = 1", lambda row: str(row["k"]), "risks", "k", 2).lines(80)
    ['   k         1     2', '   n = 1  0.25  0.50']
    """
    heads = list(dict.fromkeys(map(column, rows)))
    found: dict[str, dict[str, str]] = {}
    for row in rows:
        found.setdefault(line(row), {})[column(row)] = cell(row[values], digits)
    body = ((name, *(cells.get(head, "") for head in heads)) for name, cells in found.items())
    return Blocks(((corner, *heads), *body), 3)
