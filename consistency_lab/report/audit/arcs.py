"""The tournament as arcs: items in the order of a rule, and the majorities that it contradicts."""

from collections.abc import Iterator, Sequence
from typing import Final

from consistency_lab.audits.audit import Audit, Finding
from consistency_lab.report.audit.markup import GRAY, VERMILLION, cut, element, label, picture, text
from consistency_lab.report.audit.standings import MOST
from consistency_lab.report.audit.words import majority, votes

_LEFT, _REACH, _ROW, _TOP = 150.0, 176.0, 26.0, 18.0
_FEW: Final = 6
"""More contradicted majorities than this are drawn thinner."""

_NARROW: Final = 0.16
"""The reach of an arc between neighbors, as a share of the longest."""


def tournaments(audit: Audit) -> Iterator[tuple[list[str], str]]:
    """A picture for each order that contradicts a majority, with the names of the rules that have it."""
    alike: dict[object, list[Finding]] = {}
    for finding in audit.findings:
        if finding.contradictions:  # tied items contradict nothing, so one order may have several pictures
            alike.setdefault((finding.order, finding.contradictions), []).append(finding)
    for findings in alike.values():
        names = [finding.rule.name for finding in findings]
        yield names, _tournament(audit, findings[0], names)


def _tournament(audit: Audit, finding: Finding, names: Sequence[str]) -> str:
    items, wins = audit.profile.items, audit.wins
    order = finding.order[:MOST]
    place = {item: k for k, item in enumerate(order)}
    upheld = [
        _arc(upper, lower, len(order), f"{votes(wins[i][j])} : {votes(wins[j][i])}")
        for i, upper in place.items()
        for j, lower in place.items()
        if upper < lower and wins[i][j] > wins[j][i]
    ]
    shown = [one for one in finding.contradictions if one.above in place and one.below in place]
    width = 3.0 if len(shown) <= _FEW else 1.5
    against = [
        _arc(place[one.above], place[one.below], len(order), majority(audit, one), width)
        for one in reversed(shown)
    ]
    labels = [
        label(_LEFT - 8, _y(k) + 4, f"{cut(items[item])} {k + 1}", font_size=11, text_anchor="end")
        for k, item in enumerate(order)
    ]
    few = "" if len(order) == len(items) else f", the first {len(order)} of {len(items)} items"
    told = f"Of {len(finding.contradictions)} contradicted majorities {len(shown)} are drawn" + (
        f": {'; '.join(majority(audit, one) for one in shown)}." if shown else "."
    )
    verb = "contradicts" if len(names) == 1 else "contradict"
    title = f"Majorities that {', '.join(names)} {verb}{few}: {audit.profile.title}"
    height = _TOP + _ROW * len(order)
    return picture(title, told, _LEFT + _REACH + 16, height, *upheld, *against, *labels)


def _y(place: int) -> float:
    return _TOP + _ROW * place


def _arc(winner: int, loser: int, count: int, told: str, width: float = 0.0) -> str:
    """From the item that the majority prefers, where the dot is; with a width if it is contradicted."""
    span = abs(winner - loser)
    reach = _REACH * (_NARROW + (1 - _NARROW) * (span - 1) / max(1, count - 2))
    path = (
        f"M{_LEFT:g} {_y(winner):g}A{reach:g} {span * _ROW / 2:g} 0 0 {int(winner < loser)} "
        f"{_LEFT:g} {_y(loser):g}"
    )
    against = width > 0
    color = VERMILLION if against else GRAY
    return element(
        "g",
        element("title", text(told)),
        element(
            "path",
            d=path,
            fill="none",
            stroke=color,
            stroke_width=width if against else 0.8,
            stroke_opacity=1 if against else 0.55,
            stroke_dasharray="7 3" if against else "none",
        ),
        *([element("circle", cx=_LEFT, cy=_y(winner), r=5, fill=color)] if against else []),
    )
