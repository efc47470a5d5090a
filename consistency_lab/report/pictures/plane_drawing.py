"""Draws a score plane: chambers, contours, marks, and what they mean."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import numpy as np

from consistency_lab.report.pictures.labels import difference_text
from consistency_lab.report.pictures.plane import CHAMBERS, WALLS, Array, Order, Point, Window, outline
from consistency_lab.report.text import chain

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

RIGHT: Final = "#cde7cd"
WRONG: Final = "#f7cfc9"

_DARK: Final = "#333333"
_CONTOUR: Final = "#4a6fa5"
_STEPS: Final = 161
_RINGS: Final = 10
_FLAT: Final = 1e-5
_TIE: Final = 1e-9
_HATCH: Final = "///"
_WIDER: Final = 1.4
_INCHES: Final = 4.6
_FONT: Final = 11.0
_SMALLEST: Final = 6.5
_GLYPH: Final = 0.62
_LEADING: Final = 1.35
_POINTS: Final = 72.0


@final
@dataclass(frozen=True, slots=True)
class Mark:
    """A point of the plane.

    Parameters
    ----------
    what
        For the legend.
    at
        Where it lies.
    order
        The order of the scores there.
    symbol, size, color
        How it is drawn.
    """

    what: str
    at: Point
    order: Order
    symbol: str
    size: float
    color: str


@final
@dataclass(frozen=True, eq=False)
class PlaneDrawing:
    """Everything on the picture.

    Parameters
    ----------
    risk
        W at the points of a grid, given x and y.
    optimal
        The optimal orders.
    names
        Of the items, as they can be drawn.
    marks
        The minimizer and other points.
    flat
        The least value of W, if it has more than one minimizer.
    title
        The heading.
    """

    risk: Callable[[Array, Array], Array]
    optimal: tuple[Order, ...]
    names: tuple[str, ...]
    marks: tuple[Mark, ...]
    flat: float | None
    title: str

    def __call__(self, figure: "Figure") -> None:
        """Draw it."""
        # A minimizer among many is a corner of them: the others lie further out.
        window = Window.around([mark.at for mark in self.marks], 1.0 if self.flat is None else _WIDER)
        axes = figure.add_subplot()
        axes.set_aspect("equal")
        handles = [*self._chambers(axes, window), *self._contours(axes, window), *self._marks(axes)]
        self._walls(axes, window)
        self._orders(axes, window)
        self._frame(axes, window)
        axes.set_title(self.title, fontsize=12, parse_math=False)
        figure.legend(handles=handles, loc="outside lower center", ncols=2, fontsize=9)

    def _frame(self, axes: "Axes", window: Window) -> None:
        axes.set_xlim(window.x - window.half, window.x + window.half)
        axes.set_ylim(window.y - window.half, window.y + window.half)
        axes.set_xlabel(difference_text(self.names, 0, 1), parse_math=False)
        axes.set_ylabel(difference_text(self.names, 1, 2), parse_math=False)

    def _chambers(self, axes: "Axes", window: Window) -> "list[Artist]":
        wrong = {mark.order for mark in self.marks} - set(self.optimal)
        ties = any(abs(a * mark.at[0] + b * mark.at[1]) < _TIE for mark in self.marks for a, b, _, _ in WALLS)
        text = f"wrong: the order of the scores{', by the tie rule' if ties else ''}"
        handles: dict[str, Artist] = {}
        for order, start, end in CHAMBERS:
            color = RIGHT if order in self.optimal else WRONG if order in wrong else "white"
            (patch,) = axes.fill(*zip(*outline(start, end, 6 * window.half), strict=True), color=color, lw=0)
            if order in self.optimal:
                handles.setdefault("A(p): the optimal order" + "s" * (len(self.optimal) > 1), patch)
            elif order in wrong:
                handles.setdefault(text, patch)
        for label, handle in handles.items():
            handle.set_label(label)
        return list(handles.values())

    def _contours(self, axes: "Axes", window: Window) -> "list[Artist]":
        from matplotlib.lines import Line2D
        from matplotlib.patches import Patch

        x, y = window.grid(_STEPS)
        values = self.risk(x, y)
        low, spread = float(values.min()), float(np.ptp(values))
        # Where W is flat, rounding errors are no hills.
        hills = values[values > low + _FLAT * spread]
        if hills.size:
            # The area inside the k-th ring grows like k squared, so the rings are evenly spaced.
            levels = np.unique(np.quantile(hills, (np.arange(1, _RINGS + 1) / (_RINGS + 1)) ** 2))
            axes.contour(
                x, y, values, levels=levels, colors=_CONTOUR, linewidths=0.7, linestyles="solid", alpha=0.75
            )
        handles: list[Artist] = [Line2D([], [], color=_CONTOUR, lw=0.9, label="contours of W")]
        if self.flat is not None:
            nearly = [self.flat - 1.0, self.flat + _FLAT * spread]
            flat = axes.contourf(x, y, values, levels=nearly, colors="none", hatches=[_HATCH])
            flat.set_edgecolor(_CONTOUR)
            flat.set_linewidth(0.0)
            handles.append(Patch(fc="none", ec=_CONTOUR, hatch=_HATCH, lw=0, label="all minimizers of W"))
        return handles

    def _walls(self, axes: "Axes", window: Window) -> None:
        far = 6 * window.half
        for a, b, _, _ in WALLS:
            axes.plot([-b * far, b * far], [a * far, -a * far], color=_DARK, lw=1.1, zorder=2.5)

    def _marks(self, axes: "Axes") -> "list[Artist]":
        return [
            axes.plot(
                *mark.at,
                marker=mark.symbol,
                ms=mark.size,
                mfc=mark.color,
                mec="white",
                mew=0.9,
                ls="",
                zorder=4,
                label=mark.what,
            )[0]
            for mark in self.marks
        ]

    def _orders(self, axes: "Axes", window: Window) -> None:
        unit = 2 * window.half / _INCHES / _POINTS  # of the plane, a point of type
        avoid = [mark.at for mark in self.marks]
        for order, start, end in CHAMBERS:
            flat = chain(self.names, order)
            tall = flat.replace(" > ", " >\n")
            best = (-1.0, flat, (0.0, 0.0))
            for text in (flat, tall):
                lines = text.split("\n")
                size = (
                    (max(map(len, lines)) * _GLYPH + 1.2) * _FONT * unit,
                    (len(lines) * _LEADING + 0.6) * _FONT * unit,
                )
                place, room = window.roomiest(start, end, size, avoid)
                # A line is easier to read than a pile, so the pile must have clearly more room.
                if min(room, 1.0) > best[0] + 0.1:
                    best = (min(room, 1.0), text, place)
            room, text, place = best
            right = order in self.optimal
            axes.text(
                *place,
                text,
                fontsize=max(_SMALLEST, _FONT * room),
                ha="center",
                va="center",
                weight="bold" if right else "normal",
                parse_math=False,
                zorder=3.5,
                bbox={"boxstyle": "round,pad=0.2", "fc": "white", "ec": "none", "alpha": 0.7},
            )
