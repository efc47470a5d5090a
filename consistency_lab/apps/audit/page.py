"""Audits as one HTML file that needs nothing else: what its templates show, and where its pictures draw."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final
from urllib.parse import quote

from markupsafe import Markup

from consistency_lab.apps.audit.audit import Audit, Finding
from consistency_lab.apps.audit.findings import Contradiction
from consistency_lab.apps.audit.many import Part
from consistency_lab.apps.audit.screen import cells_of, item_rows, led, line1, shortened
from consistency_lab.apps.audit.words import (
    Facts,
    answer,
    best_order,
    bradley_terry,
    components,
    conditions,
    flips,
    groups,
    is_above,
    majority,
    more_votes,
    p_value,
    percent,
    repairs,
    reproduction,
    standing,
    theorems,
    together,
    unbounded,
)
from consistency_lab.certify.proofs.file import file_name
from consistency_lab.data.rows import WARNING
from consistency_lab.frozen import frozen
from consistency_lab.show.canvas import filled
from consistency_lab.show.profile import size, votes
from consistency_lab.show.text import cells, cut, tight

VERMILLION: Final = "#D55E00"
BLUE: Final = "#0072B2"
GRAY: Final = "#767676"
INK: Final = "#1a1a1a"
COLORS: Final = (BLUE, VERMILLION, INK, "#332288", "#5A3A00")
"""Dark enough on white, and apart from each other and from the gray for whoever sees fewer colors."""

_WIDE: Final = 6.4
"""Of a letter beside a picture."""


def prose(words: str) -> str:
    """A sentence whose numbers stay in one line with their signs."""
    for sign in (" = ", " < ", " : ", " %"):
        words = words.replace(sign, tight(sign))
    return words


def _beside(names: Iterable[str]) -> float:
    """How much room names need on the left."""
    return 16 + _WIDE * max(cells(cut(name)) for name in names)


def _shown(template: str, **given: Any) -> str:
    colors = {"VERMILLION": VERMILLION, "BLUE": BLUE, "GRAY": GRAY, "INK": INK}
    return filled(__file__, template, prose=prose, **colors, **given)


# --- The columns of a bump chart -------------------------------------------------------------------------
# The best order and those of the rules, and where the shown items stand.

MOST: Final = 20
"""Most items in a picture."""


@frozen
class Standings:
    """Orders beside each other."""

    names: tuple[str, ...]  #: Of the columns, the best order first.
    shown: tuple[int, ...]  #: The items that come highest in any of the columns, as in the best order.
    ranks: tuple[Mapping[int, int], ...]  #: Of each column, the rank of each item among all, from 1.
    #: Of each column, the place of each shown item among those that are shown, from 0.
    places: tuple[Mapping[int, int], ...]
    moving: tuple[int, ...]  #: The shown items whose place is not the same everywhere.


def standings(audit: Audit, most: int = MOST) -> Standings:
    """The standings of an audit."""
    orders: list[Sequence[int]] = [audit.best.order, *(finding.order for finding in audit.findings)]
    ranks = [{item: place for place, item in enumerate(order, 1)} for order in orders]
    highest = sorted(audit.best.order, key=lambda item: min(rank[item] for rank in ranks))
    wanted = frozenset(highest[:most])
    places = [
        {item: place for place, item in enumerate(item for item in order if item in wanted)}
        for order in orders
    ]
    shown = tuple(places[0])
    return Standings(
        ("best order", *(finding.rule.name for finding in audit.findings)),
        shown,
        tuple(ranks),
        tuple(places),
        tuple(item for item in shown if len({place[item] for place in places}) > 1),
    )


# --- The tournament as arcs: items in the order of a rule, and the majorities that it contradicts --------

Chart = Mapping[str, Any]
"""A picture, as charts.svg.j2 draws it: title, told, width, height, and what is on it."""

_REACH, _ARCS_ROW, _ARCS_TOP = 176.0, 26.0, 18.0
_ARCS: Final = 8
"""So many contradicted majorities are drawn, those above noise first: all of them are a web."""

_NARROW: Final = 0.16
"""The reach of an arc between neighbors, as a share of the longest."""


def tournaments(audit: Audit) -> Iterator[tuple[list[str], Chart]]:
    """A picture for each order that contradicts a majority, with the names of the rules that have it."""
    alike: dict[object, list[Finding]] = {}
    for finding in audit.findings:
        if finding.contradictions:  # tied items contradict nothing, so one order may have several pictures
            alike.setdefault((finding.order, finding.contradictions), []).append(finding)
    for findings in alike.values():
        names = [finding.rule.name for finding in findings]
        yield names, _tournament(audit, findings[0], names)


def _tournament(audit: Audit, finding: Finding, names: Sequence[str]) -> Chart:
    items, place = audit.profile.items, {item: k for k, item in enumerate(finding.order)}

    def above(one: Contradiction) -> bool:
        return finding.above_noise is not None and bool(finding.above_noise[one.above, one.below])

    shown = sorted(finding.contradictions, key=above, reverse=True)[:_ARCS]
    order = sorted({item for one in shown for item in (one.above, one.below)}, key=place.__getitem__)
    row = {item: k for k, item in enumerate(order)}
    left = _beside(f"{items[item]} {place[item] + 1}" for item in order)
    arcs = [
        _arc(row[one.above], row[one.below], len(order), majority(audit, one), left, above(one))
        for one in reversed(shown)
    ]
    many = len(finding.contradictions)
    few = "" if len(shown) == many else f", the {len(shown)} foremost of {votes(many)}"
    told = f"Of {len(finding.contradictions)} contradicted majorities {len(shown)} are drawn" + (
        f": {'; '.join(majority(audit, one) for one in shown)}." if shown else "."
    )
    verb = "contradicts" if len(names) == 1 else "contradict"
    return {
        "few": few,
        "title": f"Majorities that {', '.join(names)} {verb}{few}: {audit.profile.title}",
        "told": told,
        "width": left + _REACH + 16,
        "height": _ARCS_TOP + _ARCS_ROW * len(order),
        "left": left,
        "arcs": arcs,
        "labels": [(_y(k), f"{cut(items[item])} {place[item] + 1}") for k, item in enumerate(order)],
    }


def _y(place: int) -> float:
    return _ARCS_TOP + _ARCS_ROW * place


def _arc(winner: int, loser: int, count: int, told: str, left: float, above: bool) -> Mapping[str, object]:
    """From the item that the majority prefers, where the dot is."""
    span = abs(winner - loser)
    reach = _REACH * (_NARROW + (1 - _NARROW) * (span - 1) / max(1, count - 2))
    path = (
        f"M{left:g} {_y(winner):g}A{reach:g} {span * _ARCS_ROW / 2:g} 0 0 {int(winner < loser)} "
        f"{left:g} {_y(loser):g}"
    )
    return {
        "path": path,
        "y": _y(winner),
        "told": told,
        "color": VERMILLION if above else GRAY,
        "dash": "none" if above else "7 3",
    }


# --- Ranks with their intervals --------------------------------------------------------------------------

_RANKS, _RANKS_ROW, _RANKS_TOP, _FIRST = 300.0, 20.0, 32.0, 44.0
_NAME: Final = 24
"""Names are so long beside ranks, so that a phone shows them."""


def rank_chart(audit: Audit, rows: Sequence[Mapping[str, Any]], most: int) -> Chart:
    """A row for each item of a group: its rank with the interval, and how often it leads."""
    shown, last = rows[:most], max(2, len(rows))
    names = shortened([row["item"] for row in shown], _NAME)
    left = _beside(names)

    def x(rank: float) -> float:
        return round(left + 8 + _RANKS * (rank - 1) / (last - 1), 2)

    step = max(1, -(-last // 12))
    told = [f"{row['item']}: rank {row['rank']}, {row['best']} to {row['worst']}" for row in shown]
    ends = [[x(row[key]) for key in ("best", "rank", "worst")] for row in shown]
    first = ["" if row["first"] is None else led(row) for row in shown]
    return {
        "title": f"Ranks with 95 % intervals, and how often each leads: {audit.profile.title}",
        "told": "; ".join(told[:MOST]),
        "width": left + _RANKS + 24 + _FIRST,
        "height": _RANKS_TOP + _RANKS_ROW * len(shown) + 16,
        "left": left,
        "head": "first" if any(first) else "",
        "rows": [
            (_RANKS_TOP + _RANKS_ROW * k, name, *ends[k], told[k], first[k]) for k, name in enumerate(names)
        ],
        "ticks": [(x(rank), rank) for rank in range(1, last + 1, step)],
    }


# --- A bump chart: how each rule orders the items, beside the best order ---------------------------------

_BUMP_ROW: Final = 26.0
_STEPS: Final = ((12, 34.0), (MOST, 52.0))
"""Up to so many items, columns are so far apart: steep lines need room, a narrow screen has little."""

_LETTER, _HIGH, _SLANT = 2.7, 5.6, 65
"""How far a letter of a heading reaches to the right and up, and by how many degrees it slants."""

_HEADING: Final = 24
_DASHES: Final = ("none", "6 3", "2 3", "9 3 2 3")


def bump_chart(audit: Audit) -> Chart:
    """A column for the best order and each rule, with ranks among all; items that move are in color."""
    columns, items = standings(audit), audit.profile.items
    names = [cut(name, _HEADING) for name in columns.names]
    top = 38 + _HIGH * max(map(len, names))
    step = next(step for most, step in _STEPS if len(columns.shown) <= most)
    left = _beside(items[item] for item in columns.shown)
    xs = [left + 14 + step * k for k in range(len(names))]
    lines = []
    for item in sorted(columns.shown, key=columns.moving.__contains__):
        ys = [top + _BUMP_ROW * (place[item] + 0.3) for place in columns.places]
        turn = columns.moving.index(item) if item in columns.moving else None
        ranks = [rank[item] for rank in columns.ranks]
        lines.append(
            {
                "moves": turn is not None,
                "color": GRAY if turn is None else COLORS[turn % len(COLORS)],
                "dash": "none" if turn is None else _DASHES[turn // len(COLORS) % len(_DASHES)],
                "path": "M" + "L".join(f"{x:g} {y:g}" for x, y in zip(xs, ys, strict=True)),
                "marks": list(zip(xs, ys, ranks, strict=True)),
                "name": cut(items[item]),
                "told": f"{items[item]}: {', '.join(map(str, ranks))}",
            }
        )
    few = "" if len(columns.shown) == len(items) else f", {len(columns.shown)} of {len(items)} items"
    many = f"The {MOST} items that come highest in any of these orders, and their ranks"
    ranks_of = many if audit.profile.m > MOST else "Ranks"
    return {
        "title": f"How each loss orders the items{few}: {audit.profile.title}",
        "told": "; ".join(
            f"{name}: {', '.join(items[i] for i in place)}"
            for name, place in zip(columns.names, columns.places, strict=True)
        ),
        "caption": f"{ranks_of} under each loss. Items that move are in color.",
        "width": max(x + 16 + _LETTER * len(name) for x, name in zip(xs, names, strict=True)),
        "height": top + _BUMP_ROW * len(columns.shown),
        "left": left,
        "slant": _SLANT,
        "headings": [(x + 4, top - 18, name) for x, name in zip(xs, names, strict=True)],
        "lines": lines,
    }


def bump_svg(audit: Audit) -> str:
    """The bump chart, as a file of its own."""
    return _shown("bump.svg.j2", chart=bump_chart(audit))


# --- The table of findings; each row becomes a card where the page is narrow -----------------------------

_HEAD: Final = (
    "loss",
    "first",
    "its order",
    "majorities contradicted",
    "above noise",
    "the largest, above noise if one is",
    "p, corrected",
    "in resamples",
    "votes more than the best",
    "Kendall distance",
    "proof",
)


def _row(facts: Facts, finding: Finding, proofs: str | None) -> tuple[str, ...]:
    """What stands under each head."""
    audit, verdict = facts.audit, str(finding.certified.verdict).lower()
    marked = "" if verdict == "inconsistent" and not is_above(finding) else verdict
    largest = facts.foremost(finding)
    above = facts.above_noise(finding)
    return (
        finding.rule.name,
        audit.profile.items[finding.order[0]] if len(audit.groups) == 1 else "",
        Markup('<span class="{}">{}</span>').format(marked, standing(finding)),
        votes(len(finding.contradictions)),
        "unknown" if above is None else str(above),
        "" if largest is None else prose(majority(audit, largest.found)),
        "" if largest is None or largest.corrected is None else prose(p_value(largest.corrected)),
        "" if largest is None or largest.measured is None else prose(percent(largest.measured[0])),
        more_votes(audit, finding),
        str(finding.kendall),
        _proof(finding, proofs),
    )


def _proof(finding: Finding, proofs: str | None) -> str:
    """A link to the witness file in a folder beside the page, or its name; empty without a proof."""
    if finding.certified.theorem is not None:  # a file would be made only to be named
        return "by a theorem"
    document = finding.certified.document
    if document is None:
        return ""
    name = file_name(document)
    return name if proofs is None else Markup("<a href='{}/{}'>file</a>").format(quote(proofs), quote(name))


# --- The page: no script, no font and no picture from elsewhere ------------------------------------------

_LISTED: Final = 30
"""So many contradicted majorities of a rule are listed."""


def page_part(audit: Audit, proofs: str | None = None) -> Part:
    """What a page says of a profile; `proofs` is the folder beside it that has the witness files."""
    facts, findings = Facts(audit), audit.findings
    held, noted = conditions(facts), [f"{note}." for note in audit.profile.notes]
    why = (best_order(audit), bradley_terry(facts), f"Preferences: {held}." if held else "")
    body = _shown(
        "audit_profile.html.j2",
        inline=False,
        **_opening(audit, len(audit.profile.items)),
        warnings=[*(note for note in noted if note.startswith(WARNING)), *filter(None, [groups(audit)])],
        answer=[told for told in (answer(facts), *(unbounded(audit, one) for one in audit.boards)) if told],
        summary=[*filter(None, why)],
        together=together(facts),
        more=[told for told in (*components(audit), theorems(audit), *repairs(audit), *flips(audit)) if told],
        heads=_HEAD,
        rows=[_row(facts, finding, proofs) for finding in findings],
        bump=bump_chart(audit) if findings and len(audit.groups) == 1 else None,
        tournaments=list(tournaments(audit)),
        lists=[_list(audit, finding) for finding in findings if len(finding.contradictions) > 1],
        notes=[*noted, *filter(None, [reproduction(audit)])],
    )
    return Part(audit.profile.title, size(audit.profile), body)


def _opening(audit: Audit, most: int) -> Mapping[str, Any]:
    """The first line, the plot and the items, so many of each group."""
    rows = item_rows(audit)
    sizes = [len(board.items) for board in audit.boards]
    ends = [sum(sizes[:k]) for k in range(len(sizes) + 1)]
    parts = [rows[low:high] for low, high in pairwise(ends)]
    return {
        "title": audit.profile.title,
        "size": size(audit.profile),
        "line1": line1(Facts(audit)),
        "boards": [(cells_of(part)[: most + 1], rank_chart(audit, part, most)) for part in parts],
        "left": sum(max(0, len(part) - most) for part in parts),
    }


def _list(audit: Audit, finding: Finding) -> tuple[str, list[str]]:
    wrong = finding.contradictions
    largest = f"; here the largest {_LISTED}" if len(wrong) > _LISTED else ""
    summary = f"{finding.rule.name} contradicts {votes(len(wrong))} majorities{largest}"
    return summary, [majority(audit, one) for one in wrong[:_LISTED]]


def audit_html(audits: Sequence[Audit]) -> str:
    """One page about one profile or more."""
    return page_of([page_part(audit) for audit in audits])


def page_of(parts: Sequence[Part]) -> str:
    """The page that says this of each profile."""
    return _shown("audit.html.j2", parts=parts)


_NOTEBOOK: Final = 10
"""So many items of a group are in a notebook, which shows them on one screen."""


def audit_fragment(audit: Audit) -> str:
    """What a notebook shows: who leads, the plot and the items, with a style of its own."""
    return _shown("audit_items.html.j2", inline=True, **_opening(audit, _NOTEBOOK))
