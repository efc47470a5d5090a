"""A bump chart: how each rule orders the items, beside the best order."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from consistency_lab.audit.audit import Audit
from consistency_lab.report.audit.markup import COLORS, GRAY, cut, element, label, picture, text

MOST: Final = 20
"""Most items in a picture: the first ones of the best order."""

_LEFT, _STEP, _ROW, _RADIUS = 122.0, 38.0, 26.0, 9.5
_LETTER: Final = 4.4
"""How far a slanted letter of a heading reaches, to the right and up."""

_DASHES: Final = ("none", "6 3", "2 3")


def bump_chart(audit: Audit) -> str:
    """An SVG with a column for the best order and each rule; items that move are drawn in color.

    Numbers are ranks among all items; where there are many, lines run between those that are shown.
    """
    names = ["best order", *(finding.rule.name for finding in audit.findings)]
    orders = [audit.best.order, *(finding.order for finding in audit.findings)]
    shown = audit.best.order[:MOST]
    heights = [_heights(order, shown) for order in orders]
    moving = [item for item in shown if len({height[item] for height in heights}) > 1]
    top = 36 + _LETTER * max(len(cut(name)) for name in names)
    width = max(_x(k) + 16 + _LETTER * len(cut(name)) for k, name in enumerate(names))
    drawn = [
        label(
            _x(k) + 4,
            top - 18,
            cut(name),
            font_size=11,
            transform=f"rotate(-45 {_x(k) + 4:g} {top - 18:g})",
        )
        for k, name in enumerate(names)
    ]
    for item in sorted(shown, key=moving.__contains__):
        points = [(_x(k), top + _ROW * (height[item] + 0.3)) for k, height in enumerate(heights)]
        ranks = [order.index(item) + 1 for order in orders]
        turn = moving.index(item) if item in moving else None
        drawn.append(_line(audit.profile.items[item], points, ranks, turn))
    few = "" if len(shown) == audit.profile.m else f", the first {len(shown)} of {audit.profile.m} items"
    told = "; ".join(
        f"{name}: {', '.join(audit.profile.items[i] for i in sorted(shown, key=height.__getitem__))}"
        for name, height in zip(names, heights, strict=True)
    )
    title = f"How each loss orders the items{few}: {audit.profile.title}"
    return picture(title, told, width, top + _ROW * len(shown), *drawn)


def _heights(order: Sequence[int], shown: Sequence[int]) -> dict[int, int]:
    """The place of each shown item among those that are shown."""
    wanted = frozenset(shown)
    return {item: place for place, item in enumerate(item for item in order if item in wanted)}


def _x(column: int) -> float:
    return _LEFT + 14 + _STEP * column


def _line(name: str, points: Sequence[tuple[float, float]], ranks: Sequence[int], turn: int | None) -> str:
    """The way of one item; `turn` chooses its color if it moves."""
    moves = turn is not None
    color = GRAY if turn is None else COLORS[turn % len(COLORS)]
    dash = "none" if turn is None else _DASHES[turn // len(COLORS) % len(_DASHES)]
    path = f"M{points[0][0]:g} {points[0][1]:g}" + "".join(
        f"C{x0 + _STEP / 2:g} {y0:g} {x - _STEP / 2:g} {y:g} {x:g} {y:g}"
        for (x0, y0), (x, y) in pairwise(points)
    )
    circles = [
        element("circle", cx=x, cy=y, r=_RADIUS, fill="#fff", stroke=color, stroke_width=2 if moves else 1)
        + label(x, y + 3.5, str(rank), font_size=10, text_anchor="middle")
        for (x, y), rank in zip(points, ranks, strict=True)
    ]
    weight = "bold" if moves else "normal"
    style = {"fill": "none", "stroke": color, "stroke-dasharray": dash}
    return element(
        "g",
        element("title", text(f"{name}: {', '.join(map(str, ranks))}")),
        element("path", d=path, stroke_width=2.5 if moves else 1, **style),
        *circles,
        label(_LEFT - 2, points[0][1] + 4, cut(name), font_size=11, text_anchor="end", font_weight=weight),
    )
