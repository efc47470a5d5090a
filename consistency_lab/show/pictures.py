"""Pictures: score planes of three items, and regions of weights; files that are the same every time."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import combinations, pairwise
from math import cos, dist, radians, sin
from typing import TYPE_CHECKING, Any, Final, final

import numpy as np

from consistency_lab.certify.proofs.file import narrowest
from consistency_lab.certify.proofs.record import VerifiedProof, terms_of
from consistency_lab.certify.witness import Witness
from consistency_lab.core.document import CONSISTENT_AT_P
from consistency_lab.core.orders import Order
from consistency_lab.errors import InputError
from consistency_lab.frozen import frozen
from consistency_lab.model.distribution import order_of
from consistency_lab.model.surrogates import Term, pair
from consistency_lab.numbers.arrays import Floats
from consistency_lab.numbers.exact import LogRational, Matrix
from consistency_lab.numbers.phi import named
from consistency_lab.show.canvas import Picture, drawable, score_text
from consistency_lab.show.text import chain, decimal
from consistency_lab.solve.batch import minimize_batch
from consistency_lab.solve.minimize import Minimum, minimize
from consistency_lab.solve.numeric import RiskStructure, stack
from consistency_lab.solve.optimal import optimal_orders

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


# --- The plane of the scores of three items with mean zero: item 1 points up, 2 and 3 down ---------------
# Shifting all scores changes neither an order nor the risk of score differences, so three scores are a point
# of this plane. Three lines through the origin are the ties; they bound six equal chambers, one an order.

Point = tuple[float, float]

AXES: Final[tuple[Point, ...]] = tuple((cos(radians(a)), sin(radians(a))) for a in (90, 210, 330))
"""Where a larger score of each item leads."""

WALLS: Final[tuple[tuple[float, float, int, int], ...]] = tuple(
    (AXES[i][0] - AXES[j][0], AXES[i][1] - AXES[j][1], i, j) for i, j in ((0, 1), (1, 2), (0, 2))
)
"""Normals (a, b) of the lines a x + b y = 0, and the two items that tie there."""

CHAMBERS: Final[tuple[tuple[Order, float, float], ...]] = (
    ((0, 2, 1), 30, 90),
    ((0, 1, 2), 90, 150),
    ((1, 0, 2), 150, 210),
    ((1, 2, 0), 210, 270),
    ((2, 1, 0), 270, 330),
    ((2, 0, 1), 330, 390),
)
"""Orders, best item first, with the two angles between which they lie."""


def point_of(scores: Sequence[float]) -> Point:
    """Where scores lie."""
    x, y = (sum(score * axis[k] for score, axis in zip(scores, AXES, strict=True)) for k in (0, 1))
    return x, y


def scores_at(x: Floats, y: Floats) -> Floats:
    """Scores of mean zero for each point, shape (..., 3)."""
    return np.stack([(a * x + b * y) * 2 / 3 for a, b in AXES], axis=-1)


def outline(start: float, end: float, far: float) -> list[Point]:
    """The chamber between two angles, up to a distance, as a polygon."""
    angles = (start, (start + end) / 2, end)
    return [(0.0, 0.0), *((far * cos(radians(angle)), far * sin(radians(angle))) for angle in angles)]


@frozen
class Window:
    """A square part of the plane."""

    #: The middle.
    x: float
    y: float
    half: float  #: Half the length of a side.

    @staticmethod
    def around(points: Sequence[Point], wider: float = 1.0) -> "Window":
        """The origin, where all chambers meet, and the points, with room around, or `wider`."""
        every = [(0.0, 0.0), *points]
        low, high = (np.array(bound(every, axis=0)) for bound in (np.min, np.max))
        size = float(np.max(high - low)) or 1.0
        x, y = (0.4 * (low + high)).tolist()
        return Window(x, y, 0.9 * size * wider)

    def grid(self, steps: int) -> tuple[Floats, Floats]:
        """The points of a square grid, as two matrices."""
        ticks = np.linspace(-self.half, self.half, steps)
        x, y = np.meshgrid(self.x + ticks, self.y + ticks)
        return x, y

    def roomiest(
        self, start: float, end: float, size: tuple[float, float], avoid: Sequence[Point]
    ) -> tuple[Point, float]:
        """Where a box has most room in a chamber, clear of the frame and of some points."""
        x, y = self.grid(121)
        w, h = size[0] / 2, size[1] / 2
        angle = np.degrees(np.arctan2(y, x)) % 360
        angle += 360 * (angle < CHAMBERS[0][1])
        room = np.minimum((self.half - abs(x - self.x)) / w, (self.half - abs(y - self.y)) / h)
        for a, b, _, _ in WALLS:
            room = np.minimum(room, abs(a * x + b * y) / (abs(a) * w + abs(b) * h))
        for px, py in avoid:
            room = np.minimum(room, np.maximum(abs(x - px) / w, abs(y - py) / h))
        room = np.where((angle > start) & (angle < end), room, -1.0)
        best = int(np.argmax(room))
        return (float(x.flat[best]), float(y.flat[best])), float(room.flat[best])


SLIDE: Final = (9.6, 5.4)
"""The size of a picture for a slide."""


def _legend(figure: "Figure", handles: "Sequence[Artist]") -> None:
    """Beside a picture that is wide, and else below it."""
    if figure.get_figwidth() > figure.get_figheight() * _SLIDE:
        figure.legend(handles=handles, loc="outside right center", fontsize=10)
    else:
        figure.legend(handles=handles, loc="outside lower center", ncols=2, fontsize=9)


_SLIDE: Final = 1.7


# --- Draws a score plane: chambers, contours, marks, and what they mean ----------------------------------

RIGHT: Final = "#d3e4f5"
WRONG: Final = "#fde0c0"
"""Blue and orange, which the color-blind tell apart; both are hatched too, for print in gray."""

_DARK: Final = "#333333"
_CONTOUR: Final = "#777777"
_HATCHES: Final = {RIGHT: ("//", "#8db4dc"), WRONG: ("..", "#f0a150")}
_STEPS: Final = 161
_RINGS: Final = 10
_FLAT: Final = 1e-5
_TIE: Final = 1e-9
_HATCH: Final = "xxx"
_WIDER: Final = 1.4
_INCHES: Final = 4.6
_FONT: Final = 11.0
_SMALLEST: Final = 6.5
_GLYPH: Final = 0.62
_LEADING: Final = 1.35
_POINTS: Final = 72.0


@frozen
class Mark:
    """A point of the plane."""

    what: str  #: For the legend.
    at: Point  #: Where it lies.
    order: Order  #: The order of the scores there.
    #: How it is drawn.
    symbol: str
    size: float
    color: str


@final
@dataclass(frozen=True, eq=False)
class PlaneDrawing:
    """Everything on the picture."""

    risk: Callable[[Floats, Floats], Floats]  #: W at the points of a grid, given x and y.
    optimal: tuple[Order, ...]  #: The optimal orders.
    names: tuple[str, ...]  #: Printable names of the items.
    marks: tuple[Mark, ...]  #: The minimizer and other points.
    flat: float | None  #: The least value of W, if it has more than one minimizer.
    title: str  #: The heading.

    def __call__(self, figure: "Figure") -> None:
        """Draw it."""
        # A minimizer among many is a corner of them: the others lie further out.
        window = Window.around([mark.at for mark in self.marks], 1.0 if self.flat is None else _WIDER)
        axes = figure.add_subplot()
        axes.set_aspect("equal")
        handles = [*self._chambers(axes, window), *self._contours(axes, window), *self._marks(axes)]
        far = 6 * window.half
        for a, b, _, _ in WALLS:
            axes.plot([-b * far, b * far], [a * far, -a * far], color=_DARK, lw=1.1, zorder=2.5)
        self._orders(axes, window)
        axes.set_xlim(window.x - window.half, window.x + window.half)
        axes.set_ylim(window.y - window.half, window.y + window.half)
        axes.set_xticks([])
        axes.set_yticks([])
        up, left, right = map(score_text, self.names)
        way = (
            f"Scores of mean zero. {up} grows upwards,\n{left} to the lower left, {right} to the lower right."
        )
        axes.set_xlabel(way, fontsize=_points(way, 9), parse_math=False)
        axes.set_title(self.title, fontsize=_points(self.title, 12), parse_math=False)
        _legend(figure, handles)

    def _chambers(self, axes: "Axes", window: Window) -> "list[Artist]":
        wrong = {mark.order for mark in self.marks} - set(self.optimal)
        ties = any(abs(a * mark.at[0] + b * mark.at[1]) < _TIE for mark in self.marks for a, b, _, _ in WALLS)
        text = f"wrong: the order of the scores{', by the tie rule' if ties else ''}"
        handles: dict[str, Artist] = {}
        for order, start, end in CHAMBERS:
            color = RIGHT if order in self.optimal else WRONG if order in wrong else "white"
            hatch, ink = _HATCHES.get(color, ("", color))
            corners = zip(*outline(start, end, 6 * window.half), strict=True)
            (patch,) = axes.fill(*corners, fc=color, ec=ink, hatch=hatch, lw=0)
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

    def _marks(self, axes: "Axes") -> "list[Artist]":
        drawn: list[Artist] = []
        for mark in self.marks:
            drawn += axes.plot(*mark.at, marker=mark.symbol, ms=mark.size, mfc=mark.color, label=mark.what)
        for line in drawn:
            line.set(mec="white", mew=0.9, ls="", zorder=4)
        return drawn

    def _orders(self, axes: "Axes", window: Window) -> None:
        unit = 2 * window.half / _INCHES / _POINTS  # of the plane, a point of type
        avoid = [mark.at for mark in self.marks]
        box = {"boxstyle": "round,pad=0.2", "fc": "white", "ec": "none", "alpha": 0.7}
        for order, start, end in CHAMBERS:
            flat = chain(self.names, order)
            best = (-1.0, flat, (0.0, 0.0))
            for text in (flat, flat.replace(" > ", " >\n")):
                lines = text.split("\n")
                wide, high = max(map(len, lines)) * _GLYPH + 1.2, len(lines) * _LEADING + 0.6
                place, room = window.roomiest(start, end, (wide * _FONT * unit, high * _FONT * unit), avoid)
                # A line is easier to read than a pile, so the pile must have clearly more room.
                if min(room, 1.0) > best[0] + 0.1:
                    best = (min(room, 1.0), text, place)
            room, text, place = best
            weight = "bold" if order in self.optimal else "normal"
            drawn = axes.text(*place, text, fontsize=max(_SMALLEST, _FONT * room), weight=weight)
            drawn.set(ha="center", va="center", parse_math=False, zorder=3.5, bbox=box)


# --- The score plane of a distribution over three items: where W is least, and where it should be --------

ITEMS: Final = 3

_SIZE: Final = (5.8, 7.6)
_FAR: Final = 30.0
"""Scores further apart than this come from a minimum that is not attained."""

_DIGITS: Final = 7
"""Scores that agree so far are drawn as a tie."""

_SAME: Final = 1e-12
_CLOSE: Final = 0.05
_RED: Final = "#b34700"
_BLUE: Final = "#1f4e96"
_MANY: Final = 3
_SHRINK: Final = 0.7
_ROUNDS: Final = 60


_LINE: Final = 56


def _title(about: str, *orders: str) -> str:
    """The orders in one line if they fit, and else each in its own."""
    line = ", ".join(orders)
    return "\n".join([about, line] if len(line) <= _LINE else [about, f"{orders[0]},", *orders[1:]])


def _points(text: str, most: float) -> float:
    """The size of type at which the longest line of a text fits."""
    return most * min(1.0, _LINE / max(map(len, text.split("\n"))))


def _learned(names: Sequence[str], order: Sequence[int], scores: Sequence[LogRational]) -> str:
    """The predicted order, with "=" between neighbors whose scores tie."""
    text = names[order[0]]
    for above, below in pairwise(order):
        tie = scores and scores[above] == scores[below]
        text += f" {'=' if tie else '>'} {names[below]}"
    return text


def witness_plane(witness: Witness) -> Picture:
    """The score plane of a witness."""
    p, verified = witness.distribution, witness.verified
    if p.m != ITEMS:
        raise InputError(f"the witness has {p.m} items; a picture shows {ITEMS} items, no more and no fewer")
    about = f"{verified.called}, noise: {narrowest(verified.conditions)}"
    names = drawable(p.items)
    learned = _learned(names, witness.prediction, witness.scores)
    optimal = [chain(names, order) for order in witness.optimum.orders()]
    best = " or ".join(optimal) if len(optimal) < _MANY else f"one of {len(optimal)} orders"
    title = _title(about, f"optimal {best}", f"learned {learned}")
    return score_plane(witness.terms, p.aggregate, p.items, witness.scores or None, title)


def score_plane(
    terms: Sequence[Term],
    a: Matrix,
    names: Sequence[str] = ("1", "2", "3"),
    scores: Sequence[LogRational] | None = None,
    title: str = "score plane",
) -> Picture:
    """Six orders of three items, A(p), contours of W (least over shifts) and its minimizer."""
    if len(a) != ITEMS or len(names) != ITEMS:
        raise InputError(f"there are {len(a)} items; a picture shows {ITEMS} items, no more and no fewer")
    minimum = minimize(terms, ITEMS)
    structure, C = stack([terms], ITEMS)
    risk = _Risk(structure, C[0], float(minimum.scores.mean()))
    exists = minimum.attained is not False and float(np.ptp(minimum.scores)) < _FAR
    flat = minimum.value if exists and minimum.unique is False else None
    drawing = PlaneDrawing(
        risk,
        tuple(optimal_orders(a).orders()),
        drawable(names),
        tuple(_marks(minimum, exists, risk, scores)),
        flat,
        title,
    )
    return Picture(title, *_SIZE, drawing)


def _marks(
    minimum: Minimum, exists: bool, risk: "_Risk", scores: Sequence[LogRational] | None
) -> Iterator[Mark]:
    """The minimizer; and the scores, unless they are a minimizer themselves, or too close to tell apart."""
    name = "a minimizer of W" if minimum.unique is False else "minimizer of W"
    if scores is None:
        if exists:
            yield _star(name, *_minimizer(minimum))
        return
    at, order = point_of([float(x) for x in scores]), order_of(scores)
    if not exists:
        yield Mark("scores of the witness", at, order, "D", 7.0, _BLUE)
    elif risk.at(at) <= minimum.value + _SAME * (1 + abs(minimum.value)):
        yield _star(name, at, order)
    else:
        best, its_order = _minimizer(minimum)
        if order == its_order and dist(at, best) < _CLOSE * max(map(abs, (*at, *best))):
            yield _star(f"{name}; the witness is close", best, its_order)
        else:
            yield _star(name, best, its_order)
            yield Mark("scores of the witness", at, order, "D", 7.0, _BLUE)


def _star(what: str, at: Point, order: Order) -> Mark:
    return Mark(what, at, order, "*", 15.0, _RED)


def _minimizer(minimum: Minimum) -> tuple[Point, Order]:
    level = [round(score - minimum.scores[-1], _DIGITS) for score in minimum.scores.tolist()]
    return point_of(level), tuple(sorted(reversed(range(ITEMS)), key=lambda item: level[item], reverse=True))


@final
@dataclass(frozen=True, eq=False)
class _Risk:
    """W over the plane."""

    structure: RiskStructure
    coefficients: Floats
    level: float

    def at(self, point: Point) -> float:
        """W at one point."""
        return float(self(np.array([point[0]]), np.array([point[1]]))[0])

    def __call__(self, x: Floats, y: Floats) -> Floats:
        scores = scores_at(x, y).reshape(-1, ITEMS)
        C = np.broadcast_to(self.coefficients, (len(scores), len(self.coefficients)))
        if self.structure.shift_invariant:
            return self.structure.value(C, scores).reshape(x.shape)

        def shifted(by: Floats) -> Floats:
            return self.structure.value(C, scores + by[:, None])

        # W is convex along the shift: keep the better two thirds of an interval again and again.
        reach = 2.0 * float(np.abs(scores).max()) + 1.0
        low, high = np.full(len(scores), self.level - reach), np.full(len(scores), self.level + reach)
        for _ in range(_ROUNDS):
            left, right = low + (1 - _SHRINK) * (high - low), low + _SHRINK * (high - low)
            falls = shifted(left) > shifted(right)
            low, high = np.where(falls, left, low), np.where(falls, high, right)
        return shifted((low + high) / 2).reshape(x.shape)


# --- Any number of items: two orders side by side, and which items change places -------------------------

_MOST: Final = 30
_BETTER: Final = "#1f4e96"
_WORSE: Final = "#d95f02"


def witness_picture(document: Mapping[str, Any], verified: VerifiedProof) -> Picture:
    """The plane of scores of a witness about three items and preferences; else its two orders."""
    if verified.about_preferences:
        witness = Witness.of(document, verified)
        names = witness.distribution.items
        if len(names) == ITEMS and verified.atoms and terms_of(verified.atoms):
            return witness_plane(witness)
        about = f"{verified.called}, noise: {narrowest(verified.conditions)}"
    else:
        question = verified.about
        if question is None or question.task.space.kind in ("classes", "rows"):
            raise InputError("a picture shows two orders of items, but this proof is not about orders")
        witness = Witness(document, verified, question)
        names = tuple(str(i + 1) for i in range(question.task.space.m))
        about = f"{verified.called} for {question.task.title}"
    orders = tuple(witness.better), tuple(witness.prediction)
    if any(sorted(order) != list(range(len(names))) for order in orders) or len(names) > _MOST:
        raise InputError(
            f"a picture shows two orders of at most {_MOST} items, which this proof does not have"
        )
    scores = witness.scores if len(witness.scores) == len(names) else ()
    better = "optimal" if verified.claim == CONSISTENT_AT_P else "better"
    return two_orders(names, *orders, scores, about, better)


def two_orders(
    names: Sequence[str],
    better: Order,
    learned: Order,
    scores: Sequence[LogRational],
    about: str,
    known: str = "better",
) -> Picture:
    """A better order on the left, the learned one on the right by its scores, if it has any."""
    names = drawable(names)
    words = [chain(names, better), _learned(names, learned, scores)]
    title = _title(about, f"{known} {words[0]}", f"learned {words[1]}") if len(names) <= _NAMED else about
    draw = partial(_draw_orders, names, better, learned, scores, (known, title))
    return Picture(about, 6.4, min(11.0, 2.2 + 0.36 * len(names)), draw)


_NAMED: Final = 6


def _draw_orders(
    names: Sequence[str],
    better: Order,
    learned: Order,
    scores: Sequence[LogRational],
    titles: tuple[str, str],
    figure: "Figure",
) -> None:
    from matplotlib.lines import Line2D

    m, axes = len(names), figure.add_subplot()
    left, right = ({item: float(m - 1 - k) for k, item in enumerate(order)} for order in (better, learned))
    # The pairs that the two orders see differently.
    turned = {item for i, j in combinations(better, 2) if right[i] < right[j] for item in (i, j)}
    beside: dict[str, Any] = {"textcoords": "offset points", "va": "center", "parse_math": False}
    for item in better:
        color, dashes, symbol = (_WORSE, (4, 2), "s") if item in turned else (_BETTER, (1, 0), "o")
        axes.plot([0, 1], [left[item], right[item]], color=color, dashes=dashes, marker=symbol, lw=1.8, ms=6)
        said = f"{names[item]}   {decimal(scores[item], 3)}" if scores else names[item]
        axes.annotate(names[item], (0, left[item]), (-10, 0), ha="right", **beside)
        axes.annotate(said, (1, right[item]), (10, 0), **beside)
    axes.set_xlim(-0.35, 1.45)
    axes.set_ylim(-0.7, m - 0.3)
    axes.axis("off")
    heads = (titles[0], "learned, with scores" if scores else "learned")
    for x, head in enumerate(heads):
        axes.annotate(head, (x, m - 0.5), (0, 4), textcoords="offset points", ha="center", weight="bold")
    axes.set_title(titles[1], fontsize=_points(titles[1], 11), pad=16, parse_math=False)
    handles = [
        Line2D([], [], color=_WORSE, dashes=(4, 2), marker="s", label="changes places with another item"),
        Line2D([], [], color=_BETTER, marker="o", label="keeps its place among the others"),
    ]
    _legend(figure, handles)


# --- Lemma 10's conditions in the plane of (h12, h23), and where minimizers really are wrong -------------

PHI: Final = ("logistic", "exponential", "squared-hinge")

_EDGES: Final = ((0, 1), (0, 2), (1, 2), (2, 0))
_CONDITIONS: Final = WRONG
_COLORS: Final = ("#9ecae1", "#2ca02c", "#08306b", "#ff7f0e", "#9467bd", "#7f7f7f")
_DASHES: Final = ("-", (0, (6, 2)), (0, (1.5, 1.5)), "-.", (0, (4, 1, 1, 1, 1, 1)), (0, (8, 1)))
_GRID: Final = 60
_LEMMA_SIZE: Final = (5.8, 7.0)


def lemma_10_region(
    h13: Fraction = Fraction(2),
    h31: Fraction = Fraction(1),
    phi: Sequence[str] = PHI,
    most: Fraction | None = None,
) -> Picture:
    """Where Lemma 10's conditions hold, and where minimizers are wrong, for fixed h13 and h31.

    W = h12 phi(a1 - a2) + h13 phi(a1 - a3) + h23 phi(a2 - a3) + h31 phi(a3 - a1) (DMJ10 Eq. 10), and A(p) is
    the order 1 > 2 > 3. Condition 1: h23 < h31 h12 / (h13 + h12); Condition 2: the same with h12 and h23
    exchanged. Each condition says that no convex phi with phi'(0) < 0 has a minimizer in A(p).
    """
    if not h13 > h31 > 0:
        raise InputError(f"h13 is {h13} and h31 is {h31}; Lemma 10 needs h13 > h31 > 0")
    if len(phi) > len(_COLORS):
        raise InputError(f"there are {len(phi)} functions; the picture has room for {len(_COLORS)}")
    most = 2 * h13 if most is None else most
    if most <= 0:
        raise InputError(f"the largest weight is {most}; it must be positive")
    sizes = (float(h13), float(h31), float(most))
    margins = {name: _margin(name, *sizes) for name in phi}
    title = f"DMJ10 Lemma 10 at h₁₃ = {h13}, h₃₁ = {h31}"
    return Picture(title, *_LEMMA_SIZE, partial(_draw_region, *sizes, margins, title))


def _ticks(most: float) -> Floats:
    return np.linspace(0, most, _GRID + 1)[1:]


def _margin(name: str, h13: float, h31: float, most: float) -> Floats:
    """By how much the minimizer is right: min(alpha_1 - alpha_2, alpha_2 - alpha_3), by row of h23."""
    function = named(name).expression
    structure = RiskStructure.of([pair(Fraction(1), function, i, j) for i, j in _EDGES], 3)
    h12, h23 = np.meshgrid(_ticks(most), _ticks(most))
    C = np.stack([h12, np.full_like(h12, h13), h23, np.full_like(h12, h31)], axis=-1).reshape(-1, len(_EDGES))
    scores = minimize_batch(structure, C).scores
    return np.minimum(scores[:, 0] - scores[:, 1], scores[:, 1] - scores[:, 2]).reshape(h12.shape)


def _draw_region(
    h13: float, h31: float, most: float, margins: Mapping[str, Floats], title: str, figure: "Figure"
) -> None:
    from matplotlib.lines import Line2D

    axes = figure.add_subplot()
    axes.set_aspect("equal")
    h = np.linspace(0, most, 400)
    bound = h31 * h / (h13 + h)
    patch = axes.fill_between(h, 0, bound, color=_CONDITIONS, lw=0)
    axes.fill_betweenx(h, 0, bound, color=_CONDITIONS, lw=0)
    patch.set_label("Condition 1 (below) or 2 (left): no convex φ with φ′(0) < 0 is right")
    ticks = _ticks(most)
    handles: list[Artist] = [patch]
    # Lines may coincide, as those of logistic and squared hinge do: a later one is thinner and darker.
    for place, (name, margin) in enumerate(margins.items()):
        color, dashes, width = _COLORS[place], _DASHES[place], max(1.2, 4.5 - 1.5 * place)
        axes.contour(ticks, ticks, margin, levels=[0.0], colors=color, linewidths=width, linestyles=[dashes])
        text = f"{name}: its minimizer is wrong from the axis up to this line"
        handles.append(Line2D([], [], color=color, lw=width, ls=dashes, label=text))
    axes.set(xlim=(0, most), ylim=(0, most), xlabel="h₁₂", ylabel="h₂₃")
    axes.set_title(title, fontsize=12)
    figure.legend(handles=handles, loc="outside lower center", ncols=1, fontsize=9)
