"""A bump chart: how each rule orders the items, beside the best order."""

from collections.abc import Sequence
from typing import Final

from consistency_lab.audits.audit import Audit
from consistency_lab.report.audit.markup import COLORS, GRAY, cut, element, label, picture, text
from consistency_lab.report.audit.standings import MOST, standings

_LEFT, _ROW, _RADIUS = 130.0, 26.0, 9.5
_STEPS: Final = ((12, 34.0), (MOST, 52.0))
"""Up to so many items, columns are so far apart: steep lines need room, a narrow screen has little."""

_LETTER, _HIGH, _SLANT = 2.7, 5.6, 65
"""How far a letter of a heading reaches to the right and up, and by how many degrees it slants."""

_HEADING: Final = 24
_DASHES: Final = ("none", "6 3", "2 3", "9 3 2 3")


def bump_chart(audit: Audit) -> str:
    """An SVG with a column for the best order and each rule; items that move are drawn in color.

    Numbers are ranks among all items; where there are many, lines run between those that are shown.
    """
    found, items = standings(audit), audit.profile.items
    names = [cut(name, _HEADING) for name in found.names]
    top = 38 + _HIGH * max(map(len, names))
    step = next(step for most, step in _STEPS if len(found.shown) <= most)
    xs = [_LEFT + 14 + step * k for k in range(len(names))]
    width = max(x + 16 + _LETTER * len(name) for x, name in zip(xs, names, strict=True))
    nodes = [_heading(x + 4, top - 18, name) for x, name in zip(xs, names, strict=True)]
    lines: list[str] = []
    for item in sorted(found.shown, key=found.moving.__contains__):
        ys = [top + _ROW * (place[item] + 0.3) for place in found.places]
        turn = found.moving.index(item) if item in found.moving else None
        ranks = [rank[item] for rank in found.ranks]
        line, marks = _drawn(items[item], [*zip(xs, ys, strict=True)], ranks, turn)
        lines.append(line)
        nodes.append(marks)
    few = "" if len(found.shown) == len(items) else f", {len(found.shown)} of {len(items)} items"
    told = "; ".join(
        f"{name}: {', '.join(items[i] for i in place)}"
        for name, place in zip(found.names, found.places, strict=True)
    )
    title = f"How each loss orders the items{few}: {audit.profile.title}"
    return picture(title, told, width, top + _ROW * len(found.shown), *lines, *nodes)


def _heading(x: float, y: float, name: str) -> str:
    return label(x, y, name, font_size=11, transform=f"rotate(-{_SLANT} {x:g} {y:g})")


def _drawn(
    name: str, points: Sequence[tuple[float, float]], ranks: Sequence[int], turn: int | None
) -> tuple[str, str]:
    """The way of one item, and what stands on it; `turn` chooses its color if it moves."""
    moves = turn is not None
    color = GRAY if turn is None else COLORS[turn % len(COLORS)]
    dash = "none" if turn is None else _DASHES[turn // len(COLORS) % len(_DASHES)]
    path = "L".join(f"{x:g} {y:g}" for x, y in points)
    style = {"fill": "none", "stroke": color, "stroke-dasharray": dash}
    circles = [
        element("circle", cx=x, cy=y, r=_RADIUS, fill="#fff", stroke=color, stroke_width=2 if moves else 1)
        + label(x, y + 3.5, str(rank), font_size=10, text_anchor="middle")
        for (x, y), rank in zip(points, ranks, strict=True)
    ]
    weight = "bold" if moves else "normal"
    said = label(_LEFT - 2, points[0][1] + 4, cut(name), font_size=11, text_anchor="end", font_weight=weight)
    told = element("title", text(f"{name}: {', '.join(map(str, ranks))}"))
    line = element("path", d=f"M{path}", stroke_width=2.5 if moves else 1, **style)
    return line, element("g", told, *circles, said)
