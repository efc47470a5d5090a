"""In what share of the resamples a finding stands, with 95 % intervals by Wilson."""

from collections.abc import Iterator
from typing import Final

from consistency_lab.report.audit.facts import Facts
from consistency_lab.report.audit.markup import BLUE, VERMILLION, cut, element, label, picture
from consistency_lab.report.audit.words import percent

_LEFT, _LENGTH, _ROW, _TOP = 14.0, 300.0, 50.0, 0.0
_TICKS: Final = (0.0, 0.25, 0.5, 0.75, 1.0)

Bar = tuple[str, str, float, tuple[float, float], bool]


def resample_shares(facts: Facts) -> str:
    """An SVG: circles are first places, squares the largest contradicted majorities; empty if unknown."""
    bars = list(_bars(facts))
    if not bars:
        return ""
    bottom = _TOP + _ROW * len(bars)
    drawn = [label(_x(t), bottom + 16, percent(t), font_size=10, text_anchor="middle") for t in _TICKS]
    drawn += [_drawn(k, bar) for k, bar in enumerate(bars)]
    told = "; ".join(
        f"{name}, {what}: {percent(share)}, from {percent(low)} to {percent(high)}"
        for name, what, share, (low, high), _ in bars
    )
    title = f"How often findings stand in resamples: {facts.audit.profile.title}"
    return picture(title, told, _LEFT + _LENGTH + 30, bottom + 22, *drawn)


def _bars(facts: Facts) -> Iterator[Bar]:
    items = facts.audit.profile.items
    for finding in facts.audit.findings:
        first = facts.first_share(finding)
        if first is not None:
            yield finding.rule.name, f"{cut(items[finding.order[0]])} first", *first, False
        largest = facts.audit.foremost(finding)
        if largest is None:
            continue
        noise = facts.noise(finding, largest)
        if noise.share is not None and noise.interval is not None:
            what = f"against {cut(items[largest.above])} over {cut(items[largest.below])}"
            yield finding.rule.name, what, noise.share, noise.interval, True


def _x(share: float) -> float:
    return _LEFT + _LENGTH * share


def _drawn(row: int, bar: Bar) -> str:
    name, what, share, (low, high), against = bar
    y, color = _TOP + _ROW * row + 40, VERMILLION if against else BLUE
    axis = [_upright(tick, y, 8, stroke="#c8c8c8", stroke_width=1) for tick in _TICKS]
    ends = [_upright(end, y, 4, stroke=color, stroke_width=2) for end in (low, high)]
    mark = (
        element("rect", x=_x(share) - 4.5, y=y - 4.5, width=9, height=9, fill=color)
        if against
        else element("circle", cx=_x(share), cy=y, r=5, fill=color)
    )
    return element(
        "g",
        label(_LEFT, y - 25, f"{name}: {percent(share)}", font_size=11, font_weight="bold"),
        label(_LEFT, y - 12, what, font_size=11),
        *axis,
        element("line", x1=_x(low), x2=_x(high), y1=y, y2=y, stroke=color, stroke_width=2),
        *ends,
        mark,
    )


def _upright(share: float, y: float, half: float, **attributes: str | float) -> str:
    return element("line", x1=_x(share), x2=_x(share), y1=y - half, y2=y + half, **attributes)
