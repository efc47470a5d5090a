"""Lemma 10's conditions in the plane of (h12, h23), and where minimizers really are wrong."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Final, final

import numpy as np

from consistency_lab.errors import InputError
from consistency_lab.model.surrogates import pair
from consistency_lab.phi import named
from consistency_lab.report.pictures.canvas import Picture
from consistency_lab.report.pictures.plane import Array
from consistency_lab.solve.batch import minimize_batch
from consistency_lab.solve.structure import RiskStructure

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PHI: Final = ("logistic", "exponential", "squared-hinge")

_EDGES: Final = ((0, 1), (0, 2), (1, 2), (2, 0))
_CONDITIONS: Final = "#f7cfc9"
_COLORS: Final = ("#9ecae1", "#2ca02c", "#08306b", "#ff7f0e", "#9467bd", "#7f7f7f")
_DASHES: Final = ("-", (0, (6, 2)), (0, (1.5, 1.5)), "-.", (0, (4, 1, 1, 1, 1, 1)), (0, (8, 1)))
_STEPS: Final = 60
_SIZE: Final = (5.8, 7.0)


def lemma_10_region(
    h13: Fraction = Fraction(2),
    h31: Fraction = Fraction(1),
    phi: Sequence[str] = PHI,
    most: Fraction | None = None,
) -> Picture:
    r"""Where Lemma 10's conditions hold, and where minimizers are wrong, for fixed h13 and h31.

    W = h12 phi(a1 - a2) + h13 phi(a1 - a3) + h23 phi(a2 - a3) + h31 phi(a3 - a1) (DMJ10 Eq. 10), and A(p) is
    the order 1 > 2 > 3. Condition 1: h23 < h31 h12 / (h13 + h12); Condition 2: the same with h12 and h23
    exchanged. Each condition says that no convex phi with phi'(0) < 0 has a minimizer in A(p).

    Parameters
    ----------
    h13, h31
        Weights, h13 > h31 > 0.
    phi
        Named scalar functions, at most six.
    most
        The largest h12 and h23 on the picture; 2 h13 if not given.

    Raises
    ------
    InputError
        If the weights are not as they must be, or there are too many functions.
    """
    if not h13 > h31 > 0:
        raise InputError(f"h13 is {h13} and h31 is {h31}; Lemma 10 needs h13 > h31 > 0")
    if len(phi) > len(_COLORS):
        raise InputError(f"there are {len(phi)} functions; the picture has room for {len(_COLORS)}")
    most = 2 * h13 if most is None else most
    if most <= 0:
        raise InputError(f"the largest weight is {most}; it must be positive")
    margins = {name: _margin(name, float(h13), float(h31), float(most)) for name in phi}
    title = f"DMJ10 Lemma 10 at h₁₃ = {h13}, h₃₁ = {h31}"
    return Picture(title, *_SIZE, _Region(float(h13), float(h31), float(most), margins, title))


def _ticks(most: float) -> Array:
    return np.linspace(0, most, _STEPS + 1)[1:]


def _margin(name: str, h13: float, h31: float, most: float) -> Array:
    """By how much the minimizer is right: min(alpha_1 - alpha_2, alpha_2 - alpha_3), by row of h23."""
    function = named(name).expression
    structure = RiskStructure.of([pair(Fraction(1), function, i, j) for i, j in _EDGES], 3)
    h12, h23 = np.meshgrid(_ticks(most), _ticks(most))
    C = np.stack([h12, np.full_like(h12, h13), h23, np.full_like(h12, h31)], axis=-1).reshape(-1, len(_EDGES))
    scores = minimize_batch(structure, C).scores
    return np.minimum(scores[:, 0] - scores[:, 1], scores[:, 1] - scores[:, 2]).reshape(h12.shape)


@final
@dataclass(frozen=True, eq=False)
class _Region:
    h13: float
    h31: float
    most: float
    margins: dict[str, Array]
    title: str

    def __call__(self, figure: "Figure") -> None:
        axes = figure.add_subplot()
        axes.set_aspect("equal")
        handles = [*self._conditions(axes), *self._minimizers(axes)]
        axes.set_xlim(0, self.most)
        axes.set_ylim(0, self.most)
        axes.set_xlabel("h₁₂")
        axes.set_ylabel("h₂₃")
        axes.set_title(self.title, fontsize=12)
        figure.legend(handles=handles, loc="outside lower center", ncols=1, fontsize=9)

    def _conditions(self, axes: "Axes") -> "list[Artist]":
        h = np.linspace(0, self.most, 400)
        bound = self.h31 * h / (self.h13 + h)
        patch = axes.fill_between(h, 0, bound, color=_CONDITIONS, lw=0)
        axes.fill_betweenx(h, 0, bound, color=_CONDITIONS, lw=0)
        patch.set_label("Condition 1 (below) or 2 (left): no convex φ with φ′(0) < 0 is right")
        return [patch]

    def _minimizers(self, axes: "Axes") -> "list[Artist]":
        from matplotlib.lines import Line2D

        ticks = _ticks(self.most)
        handles: list[Artist] = []
        # Lines may coincide, as those of logistic and squared hinge do: a later one is thinner and darker.
        for place, (name, margin) in enumerate(self.margins.items()):
            color, dashes, width = _COLORS[place], _DASHES[place], max(1.2, 4.5 - 1.5 * place)
            axes.contour(
                ticks, ticks, margin, levels=[0.0], colors=color, linewidths=width, linestyles=[dashes]
            )
            text = f"{name}: its minimizer is wrong from the axis up to this line"
            handles.append(Line2D([], [], color=color, lw=width, ls=dashes, label=text))
        return handles
