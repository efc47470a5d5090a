"""An atlas as a picture: one field a cell, once for each thing that is measured."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import floor
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple, final

from consistency_lab.model.conditions import CONDITIONS
from consistency_lab.report.atlas.entries import Entry
from consistency_lab.report.atlas.words import NOTHING, lightest_words, rounded, share
from consistency_lab.report.pictures.canvas import Picture
from consistency_lab.report.text import decimal

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLORS: Final = "YlOrRd"
_UNKNOWN: Final = "#e8e8e8"
_RIGHT: Final = "#c7e9c0"
_DARK: Final = 0.6
_ACROSS: Final = 2
_FIELD: Final = (0.95, 0.45)
_MARGIN: Final = (0.3, 0.7)
_NAMES: Final = 1.2


@final
class _Shade(NamedTuple):
    """What is written in a field, and how dark it is from 0 to 1; None where nothing is known."""

    text: str
    level: float | None


@final
@dataclass(frozen=True, slots=True)
class _Panel:
    """One thing that is measured: its title, and how a cell is shown among all of them."""

    title: str
    words: Callable[[Entry], str]
    value: Callable[[Entry], Fraction | None]

    def shade(self, entry: Entry, most: Fraction) -> _Shade:
        if entry.verdict == "CONSISTENT":
            return _Shade(self.words(entry), 0.0)
        value = self.value(entry)
        return _Shade(self.words(entry), None if value is None else float(value / most) if most else 0.0)


def heat_map(found: Sequence[Entry]) -> Picture:
    """The four panels, two beside each other, for one number of items after the other.

    Fields are darker where a surrogate is worse; green is proved consistent, gray is not known.
    """
    items = sorted({entry.cell.m for entry in found})
    surrogates = list(dict.fromkeys(entry.cell.surrogate for entry in found))
    conditions = [name for name in CONDITIONS if any(entry.cell.condition == name for entry in found)]
    width = _NAMES + _ACROSS * (_MARGIN[0] + _FIELD[0] * len(conditions))
    height = (_MARGIN[1] + _FIELD[1] * len(surrogates)) * _rows(len(items))
    drawing = _Drawing(tuple(found), tuple(items), tuple(surrogates), tuple(conditions))
    return Picture("How surrogates fail", width, height, drawing)


@final
@dataclass(frozen=True, eq=False)
class _Drawing:
    found: tuple[Entry, ...]
    items: tuple[int, ...]
    surrogates: tuple[str, ...]
    conditions: tuple[str, ...]

    def __call__(self, figure: "Figure") -> None:
        grid = figure.subplots(_rows(len(self.items)), _ACROSS, squeeze=False).flat
        for number, axes in enumerate(grid):
            m, panel = self.items[number // len(_PANELS)], _PANELS[number % len(_PANELS)]
            chosen = {
                (entry.cell.surrogate, entry.cell.condition): entry
                for entry in self.found
                if entry.cell.m == m
            }
            self._draw(axes, panel, chosen)
            axes.set_title(f"{panel.title} (m = {m})", fontsize=10)
            axes.set_yticks(range(len(self.surrogates)), [] if number % _ACROSS else self.surrogates)

    def _draw(self, axes: "Axes", panel: _Panel, chosen: Mapping[tuple[str, str], Entry]) -> None:
        from matplotlib import colormaps
        from matplotlib.colors import to_hex
        from matplotlib.patches import Rectangle

        most = max((panel.value(entry) or Fraction(0) for entry in chosen.values()), default=Fraction(0))
        for y, surrogate in enumerate(self.surrogates):
            for x, condition in enumerate(self.conditions):
                entry = chosen.get((surrogate, condition))
                shade = _Shade("", None) if entry is None else panel.shade(entry, most)
                color, ink = _UNKNOWN, "black"
                if entry is not None and entry.verdict == "CONSISTENT":
                    color = _RIGHT
                elif shade.level is not None:
                    color = to_hex(colormaps[_COLORS](0.1 + 0.8 * shade.level))
                    ink = "white" if shade.level > _DARK else "black"
                axes.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=color, edgecolor="white"))
                axes.text(x, y, shade.text, ha="center", va="center", fontsize=8, color=ink)
        axes.set_xlim(-0.5, len(self.conditions) - 0.5)
        axes.set_ylim(len(self.surrogates) - 0.5, -0.5)
        axes.set_xticks(range(len(self.conditions)), self.conditions, fontsize=8)
        axes.tick_params(length=0)
        for spine in axes.spines.values():
            spine.set_visible(False)


_KINDS: Final[Mapping[str | None, Fraction]] = MappingProxyType(
    {"tie": Fraction(1, 2), "strict": Fraction(1)}
)


def _kind(entry: Entry) -> Fraction | None:
    return _KINDS.get(entry.failure)


def _kind_words(entry: Entry) -> str:
    return entry.failure or entry.verdict.lower()


def _lightness(entry: Entry) -> Fraction | None:
    """A small witness is worse than a large one."""
    return Fraction(1, min(entry.lightest.values())) if entry.lightest else None


def _worst(entry: Entry) -> Fraction | None:
    found = entry.part("worst")
    return None if found is None or found["witness"] is None else Fraction(found["lower"])


def _worst_words(entry: Entry) -> str:
    found = _worst(entry)
    return NOTHING if found is None else rounded(found, 3, floor)


def _rate(entry: Entry) -> Fraction | None:
    found = entry.part("rate")
    return None if found is None or not found["overall"]["samples"] else share(found["overall"])


def _rate_words(entry: Entry) -> str:
    found = _rate(entry)
    return NOTHING if found is None else f"{decimal(100 * found, 1)} %"


_PANELS: Final = (
    _Panel("kind of failure", _kind_words, _kind),
    _Panel("smallest witness", lightest_words, _lightness),
    _Panel("worst regret, at least", _worst_words, _worst),
    _Panel("rate of failure", _rate_words, _rate),
)


def _rows(numbers: int) -> int:
    """How many rows of panels so many numbers of items take."""
    return numbers * len(_PANELS) // _ACROSS
