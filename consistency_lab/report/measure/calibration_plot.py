"""A calibration function as a picture: H with its bounds, and beside it the risk bound of DMJ10 Lemma 1."""

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Final, final

from consistency_lab.measure.calibration import Calibration, Law, convex_minorant
from consistency_lab.report.pictures.canvas import Picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SIZE: Final = (8.6, 4.2)
_STEPS: Final = 200
_LINE: Final = "#1f77b4"
_BAND: Final = "#c6dbef"
_ZERO: Final = "#d62728"


def calibration_plot(found: Calibration) -> Picture:
    """H on regrets from 0 to 1, and the largest excess risk at each excess surrogate risk."""
    title = f"{found.surrogate.name}, {found.condition}, {found.m} items"
    return Picture(title, *_SIZE, _Drawing(found, title))


@final
@dataclass(frozen=True, eq=False)
class _Drawing:
    found: Calibration
    title: str

    def __call__(self, figure: "Figure") -> None:
        left, right = figure.subplots(1, 2)
        corners = self._law(left, self.found.law) if self.found.law is not None else self._bounds(left)
        self._risk(right, corners)
        figure.suptitle(self.title, fontsize=12)
        left.set_xlabel("regret ε")
        left.set_ylabel("excess surrogate risk")
        left.set_title("calibration function H", fontsize=10)
        left.set_xlim(0, 1)
        left.set_ylim(bottom=0)
        left.legend(loc="upper left", fontsize=8)

    def _law(self, axes: "Axes", law: Law) -> list[tuple[float, float]]:
        """Draws a law; the curve that is proved to lie below H."""
        regrets = [k / _STEPS for k in range(_STEPS + 1)]
        lower = [float(law.lower) * x**law.degree for x in regrets]
        if law.c is None and law.upper is not None:
            upper = [float(law.upper) * x**law.degree for x in regrets]
            axes.fill_between(regrets, lower, upper, color=_BAND, lw=0, label="H lies in here")
        name = "proved lower bound on H" if law.c is None else "H"
        axes.plot(regrets, lower, color=_LINE, lw=2, label=name, clip_on=False)
        return list(zip(regrets, lower, strict=True))

    def _bounds(self, axes: "Axes") -> list[tuple[float, float]]:
        """Draws steps: a bound holds up to the next regret, since H does not decrease."""
        points, zero = self.found.points, float(self.found.zero_up_to)
        if points:
            regrets = [zero, *(float(point.regret) for point in points)]
            lower = [0.0, *(float(point.lower) for point in points)]
            upper = [float(point.upper) for point in points]
            axes.fill_between(
                regrets, lower, [*upper, upper[-1]], step="post", color=_BAND, lw=0, label="H lies in here"
            )
        if zero > 0:
            axes.plot([0, zero], [0, 0], color=_ZERO, lw=3, clip_on=False, label="H = 0, by a witness")
        corners = [(float(x), float(y)) for x, y in convex_minorant(points)] if points else [(0.0, 0.0)]
        if points:
            axes.plot(*zip(*corners, strict=True), color=_LINE, lw=1.5, label="convex function below H")
        if not points and zero == 0:
            axes.plot([], [], " ", label="nothing is proved")
        return corners

    def _risk(self, axes: "Axes", corners: list[tuple[float, float]]) -> None:
        """The inverse of a convex function that does not decrease: where it leaves 0 the bound begins."""
        axes.set_title("risk bound (Lemma 1)", fontsize=10)
        axes.set_xlabel("excess surrogate risk")
        axes.set_ylabel("excess risk is at most")
        axes.set_ylim(0, 1)
        axes.set_xlim(left=0)
        last = max((k for k, (_, y) in enumerate(corners) if y <= 0), default=0)
        rising = corners[last:]
        if len(rising) < 2:
            axes.text(0.5, 0.5, "no bound", ha="center", va="center", transform=axes.transAxes)
            return
        axes.plot([y for _, y in rising], [x for x, _ in rising], color=_LINE, lw=2, clip_on=False)
        axes.set_xlim(0, float(Fraction(rising[-1][1])))
