"""The bump chart as a picture of Matplotlib, for papers."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

from consistency_lab.audits.audit import Audit
from consistency_lab.extras import need
from consistency_lab.report.audit.markup import COLORS, GRAY
from consistency_lab.report.audit.standings import standings
from consistency_lab.report.pictures.canvas import Picture
from consistency_lab.report.pictures.labels import drawable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_NAMES, _HEAD, _STEP, _ROW = 2.2, 1.2, 1.1, 0.32
_LONGEST: Final = 26
_DASHES: Final = ("-", "--", ":", "-.")


def audit_picture(audit: Audit) -> Picture:
    """How each rule orders the items.

    Raises
    ------
    UnsupportedError
        If Matplotlib is not installed.
    """
    need("matplotlib", "the picture of an audit")
    found = standings(audit)
    width, height = _NAMES + _STEP * len(found.names), _HEAD + _ROW * len(found.shown)
    return Picture(f"How each loss orders the items: {audit.profile.title}", width, height, _Drawing(audit))


@final
@dataclass(frozen=True, eq=False)
class _Drawing:
    audit: Audit

    def __call__(self, figure: "Figure") -> None:
        found = standings(self.audit)
        axes = figure.subplots()
        for item in found.shown:
            color, dash, width = GRAY, "-", 1.0
            if item in found.moving:
                turn = found.moving.index(item)
                color, width = COLORS[turn % len(COLORS)], 2.2
                dash = _DASHES[turn // len(COLORS) % len(_DASHES)]
            y = [place[item] for place in found.places]
            axes.plot(range(len(y)), y, dash, color=color, linewidth=width, zorder=width)
            axes.scatter(range(len(y)), y, s=150, color="white", edgecolors=color, zorder=3)
            for column, (place, rank) in enumerate(zip(y, found.ranks, strict=True)):
                said = str(rank[item])
                axes.text(column, place, said, ha="center", va="center", fontsize=7, zorder=4)
        names = drawable(self.audit.profile.items, _LONGEST)
        axes.set_yticks(range(len(found.shown)), [names[item] for item in found.shown], parse_math=False)
        axes.set_xticks(range(len(found.names)), found.names, rotation=35, ha="left", parse_math=False)
        axes.xaxis.tick_top()
        axes.invert_yaxis()
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
