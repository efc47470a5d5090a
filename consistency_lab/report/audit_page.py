"""Audits as one HTML file that needs nothing else."""

import json
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Final
from urllib.parse import quote

from consistency_lab.audits.audit import Audit, Finding
from consistency_lab.audits.flips import Flip
from consistency_lab.audits.many import Part
from consistency_lab.certify.document import file_name
from consistency_lab.data.rows import WARNING
from consistency_lab.frozen import frozen
from consistency_lab.report.audit_text import (
    Facts,
    best_order,
    bradley_terry,
    components,
    conditions,
    flips,
    groups,
    majority,
    more_votes,
    p_value,
    percent,
    reproduction,
    size,
    standing,
    theorems,
    together,
    votes,
)
from consistency_lab.report.text import tight

# --- HTML and SVG by hand: elements, and text that is never taken for markup -----------------------------

VERMILLION: Final = "#D55E00"
BLUE: Final = "#0072B2"
GRAY: Final = "#767676"
INK: Final = "#1a1a1a"
COLORS: Final = (BLUE, VERMILLION, INK, "#332288", "#5A3A00")
"""Dark enough on white, and apart from each other and from the gray for whoever sees fewer colors."""

_LONGEST: Final = 17


def element(name: str, *inside: str, **attributes: str | float) -> str:
    """An element with attributes; `inside` is markup, attributes are plain text.

    An attribute that Python has a word for ends in an underscore; other underscores stand for hyphens.

    Examples
    --------
    >>> element("p", text("a < b"), class_="note", data_x='"')
    '<p class="note" data-x="&quot;">a &lt; b</p>'
    """
    said = "".join(f' {key.rstrip("_").replace("_", "-")}="{_value(x)}"' for key, x in attributes.items())
    return f"<{name}{said}>{''.join(inside)}</{name}>"


def text(words: str) -> str:
    r"""Plain text as markup; what cannot stand in a page is replaced.

    Examples
    --------
    >>> text("<b>&\x00")
    '&lt;b&gt;&amp;\ufffd'
    """
    return escape("".join(c if c.isprintable() or c in "\n\u00a0" else "\ufffd" for c in words))


def prose(words: str) -> str:
    """The same for sentences: numbers stay in one line with their signs."""
    for sign in (" = ", " < ", " : ", " %"):
        words = words.replace(sign, tight(sign))
    return text(words)


def cut(name: str, longest: int = _LONGEST) -> str:
    """A name that fits beside a picture.

    Examples
    --------
    >>> cut("Fay"), cut("A name that does not end")
    ('Fay', 'A name that does…')
    """
    return name if len(name) <= longest else f"{name[: longest - 1].rstrip()}…"


def picture(title: str, told: str, width: float, height: float, *inside: str) -> str:
    """An SVG of this size that says what it shows, and shrinks and grows with the page up to a point."""
    return element(
        "svg",
        element("title", text(title)),
        element("desc", text(told)),
        *inside,
        xmlns="http://www.w3.org/2000/svg",
        role="img",
        font_family="system-ui, sans-serif",
        aria_label=title,
        viewBox=f"0 0 {_value(width)} {_value(height)}",
        style=f"width:100%;min-width:{_value(width * 0.85)}px;max-width:{_value(width * 1.4)}px",
    )


def label(x: float, y: float, words: str, **attributes: str | float) -> str:
    """Text in a picture."""
    return element("text", text(words), x=x, y=y, fill=INK, **attributes)


def _value(x: str | float) -> str:
    return text(x) if isinstance(x, str) else f"{x:.2f}".rstrip("0").rstrip(".")


# --- How the page of an audit looks: dark on white, and cards instead of a table where it is narrow ------

STYLE: Final = """
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { margin: 0; background: #fff; color: #1a1a1a; font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 75rem; margin: 0 auto; padding: 0.75rem; overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; line-height: 1.25; }
h2 { font-size: 1.2rem; line-height: 1.3; margin: 2rem 0 0.25rem; }
section { border-top: 2px solid #1a1a1a; }
h3 { font-size: 1rem; margin-bottom: 0; }
a { color: #00507d; }
ul, ol { padding-left: 1.25rem; }
.size { margin-top: 0; color: #444; }
.wide { overflow-x: auto; }
.figures { display: flex; flex-wrap: wrap; column-gap: 3rem; align-items: flex-start; }
figure { margin: 1.5rem 0; break-inside: avoid; flex: 0 1 auto; min-width: 0; width: 32rem; max-width: 100%; }
figcaption { color: #444; font-size: 0.9rem; }
svg { display: block; height: auto; }
table { border-collapse: collapse; font-size: 0.85rem; overflow-wrap: normal; }
caption { text-align: left; font-weight: bold; }
th, td { text-align: left; vertical-align: top; padding: 0.3rem 0.5rem; border-bottom: 1px solid #ccc; }
thead th { border-bottom: 2px solid #1a1a1a; vertical-align: bottom; }
.inconsistent { font-weight: bold; text-decoration: underline #D55E00 3px; text-underline-offset: 3px; }
.consistent { font-weight: bold; text-decoration: underline #0072B2 3px; text-underline-offset: 3px; }
@media (max-width: 50rem) {
  table, caption, tbody, tr, th, td { display: block; }
  thead { display: none; }
  tr { border: 1px solid #999; border-radius: 4px; margin: 0.5rem 0; padding: 0.25rem 0.5rem; }
  th, td { border: 0; padding: 0.1rem 0; overflow-wrap: anywhere; }
  td::before { content: attr(data-label) ": "; color: #444; }
  .nothing { display: none; }
  tbody th { font-size: 1rem; }
}
@media print {
  body { font-size: 10pt; }
  main { padding: 0; max-width: none; }
  section { break-before: page; }
  section:first-of-type, section:last-of-type { break-before: auto; }
  tr { break-inside: avoid; }
  table { font-size: 6.5pt; width: 100%; }
  th, td { padding: 0.7mm; }
  th:last-child, td:last-child { display: none; }
  .figures { display: block; }
  svg { max-width: 12cm !important; }
}
"""


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
    """The standings of an audit.

    Examples
    --------
    >>> from consistency_lab.audits.audit import audit
    >>> from consistency_lab.data import read_profile
    >>> found = audit(read_profile("vermont.toc"), ["logistic"], resamples=0, simulations=0)
    >>> [found.profile.items[i] for i in standings(found).moving]
    ['Willhoit', 'Fay']
    """
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

_ARCS_LEFT, _REACH, _ARCS_ROW, _ARCS_TOP = 150.0, 176.0, 26.0, 18.0
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
        label(_ARCS_LEFT - 8, _y(k) + 4, f"{cut(items[item])} {k + 1}", font_size=11, text_anchor="end")
        for k, item in enumerate(order)
    ]
    few = "" if len(order) == len(items) else f", the first {len(order)} of {len(items)} items"
    told = f"Of {len(finding.contradictions)} contradicted majorities {len(shown)} are drawn" + (
        f": {'; '.join(majority(audit, one) for one in shown)}." if shown else "."
    )
    verb = "contradicts" if len(names) == 1 else "contradict"
    title = f"Majorities that {', '.join(names)} {verb}{few}: {audit.profile.title}"
    height = _ARCS_TOP + _ARCS_ROW * len(order)
    return picture(title, told, _ARCS_LEFT + _REACH + 16, height, *upheld, *against, *labels)


def _y(place: int) -> float:
    return _ARCS_TOP + _ARCS_ROW * place


def _arc(winner: int, loser: int, count: int, told: str, width: float = 0.0) -> str:
    """From the item that the majority prefers, where the dot is; with a width if it is contradicted."""
    span = abs(winner - loser)
    reach = _REACH * (_NARROW + (1 - _NARROW) * (span - 1) / max(1, count - 2))
    path = (
        f"M{_ARCS_LEFT:g} {_y(winner):g}A{reach:g} {span * _ARCS_ROW / 2:g} 0 0 {int(winner < loser)} "
        f"{_ARCS_LEFT:g} {_y(loser):g}"
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
        *([element("circle", cx=_ARCS_LEFT, cy=_y(winner), r=5, fill=color)] if against else []),
    )


# --- A bump chart: how each rule orders the items, beside the best order ---------------------------------

_BUMP_LEFT, _BUMP_ROW, _RADIUS = 130.0, 26.0, 9.5
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
    xs = [_BUMP_LEFT + 14 + step * k for k in range(len(names))]
    width = max(x + 16 + _LETTER * len(name) for x, name in zip(xs, names, strict=True))
    nodes = [_heading(x + 4, top - 18, name) for x, name in zip(xs, names, strict=True)]
    lines: list[str] = []
    for item in sorted(found.shown, key=found.moving.__contains__):
        ys = [top + _BUMP_ROW * (place[item] + 0.3) for place in found.places]
        turn = found.moving.index(item) if item in found.moving else None
        ranks = [rank[item] for rank in found.ranks]
        line, marks = _drawn_line(items[item], [*zip(xs, ys, strict=True)], ranks, turn)
        lines.append(line)
        nodes.append(marks)
    few = "" if len(found.shown) == len(items) else f", {len(found.shown)} of {len(items)} items"
    told = "; ".join(
        f"{name}: {', '.join(items[i] for i in place)}"
        for name, place in zip(found.names, found.places, strict=True)
    )
    title = f"How each loss orders the items{few}: {audit.profile.title}"
    return picture(title, told, width, top + _BUMP_ROW * len(found.shown), *lines, *nodes)


def _heading(x: float, y: float, name: str) -> str:
    return label(x, y, name, font_size=11, transform=f"rotate(-{_SLANT} {x:g} {y:g})")


def _drawn_line(
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
    said = label(
        _BUMP_LEFT - 2, points[0][1] + 4, cut(name), font_size=11, text_anchor="end", font_weight=weight
    )
    told = element("title", text(f"{name}: {', '.join(map(str, ranks))}"))
    line = element("path", d=f"M{path}", stroke_width=2.5 if moves else 1, **style)
    return line, element("g", told, *circles, said)


# --- The table of findings in a page; each row becomes a card where the page is narrow -------------------

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
    "same first",
    "of the first 3",
    "votes gone until it is not above",
    "proof",
)


def findings_table(facts: Facts, attached: bool = True) -> str:
    """A row for each rule, with its witness file as a link that holds the file, or with its name."""
    head = element("tr", *(element("th", text(name), scope="col") for name in _HEAD))
    rows = [element("tr", *_cells(facts, finding, attached)) for finding in facts.audit.findings]
    return element(
        "table",
        element("caption", text("What each loss does to these preferences")),
        element("thead", head),
        element("tbody", *rows),
    )


def _cells(facts: Facts, finding: Finding, attached: bool) -> Iterator[str]:
    for name, cell in zip(_HEAD, _cell_contents(facts, finding, attached), strict=True):
        if name == "loss":
            yield element("th", cell, scope="row", data_label=name)
        else:
            yield element("td", cell or "–", data_label=name, class_="" if cell else "nothing")


def _cell_contents(facts: Facts, finding: Finding, attached: bool) -> Iterator[str]:
    audit = facts.audit
    largest = audit.foremost(finding)
    noise = None if largest is None else facts.noise(finding, largest)
    above = facts.above_noise(finding)
    yield text(finding.rule.name)
    yield text(audit.profile.items[finding.order[0]]) if len(audit.groups) == 1 else ""
    yield element("span", text(standing(finding)), class_=str(finding.certified.verdict).lower())
    yield votes(len(finding.contradictions))
    yield "not known" if above is None else str(above)
    yield "" if largest is None else prose(majority(audit, largest))
    yield "" if noise is None or noise.corrected is None else prose(p_value(noise.corrected))
    yield "" if noise is None or noise.share is None else prose(percent(noise.share))
    yield text(more_votes(audit, finding))
    yield str(finding.kendall)
    yield "" if finding.top_1 is None else "yes" if finding.top_1 else "no"
    yield "" if finding.top_3 is None else str(finding.top_3)
    flip = finding.flip
    yield "" if flip is None else prose(f"{audit.profile.items[flip.below]}: {_fewest(flip)}")
    yield witness_link(finding) if attached else _witness_name(finding)


def _fewest(flip: Flip) -> str:
    """How many votes decide: a number that is proved, else what it lies between."""
    if flip.fewest is None:
        return f"at most {votes(flip.size)}"
    return votes(flip.size) if flip.fewest == flip.size else f"{votes(flip.fewest)} to {votes(flip.size)}"


def _witness_name(finding: Finding) -> str:
    if finding.certified.theorem is not None:  # a file would be made only to be named
        return text("by a theorem")
    document = finding.certified.document
    return "" if document is None else text(file_name(document))


def witness_link(finding: Finding) -> str:
    """A link from which a browser saves the witness file; empty where nothing is proved."""
    document = finding.certified.document
    if document is None:
        return ""
    content = json.dumps(document, sort_keys=True, indent=1, ensure_ascii=False) + "\n"
    name = file_name(document)
    return element(
        "a",
        text("file"),
        href=f"data:application/json;charset=utf-8,{quote(content)}",
        download=name,
        title=name,
    )


# --- In what share of the resamples a finding stands, with 95 % intervals by Wilson ----------------------

_SHARES_LEFT, _LENGTH, _SHARES_ROW, _SHARES_TOP = 14.0, 300.0, 50.0, 0.0
_TICKS: Final = (0.0, 0.25, 0.5, 0.75, 1.0)

Bar = tuple[str, str, float, tuple[float, float], bool]


def resample_shares(facts: Facts) -> str:
    """An SVG: circles are first places, squares the largest contradicted majorities; empty if unknown."""
    bars = list(_bars(facts))
    if not bars:
        return ""
    bottom = _SHARES_TOP + _SHARES_ROW * len(bars)
    drawn = [label(_x(t), bottom + 16, percent(t), font_size=10, text_anchor="middle") for t in _TICKS]
    drawn += [_drawn_share(k, bar) for k, bar in enumerate(bars)]
    told = "; ".join(
        f"{name}, {what}: {percent(share)}, from {percent(low)} to {percent(high)}"
        for name, what, share, (low, high), _ in bars
    )
    title = f"How often findings stand in resamples: {facts.audit.profile.title}"
    return picture(title, told, _SHARES_LEFT + _LENGTH + 30, bottom + 22, *drawn)


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
    return _SHARES_LEFT + _LENGTH * share


def _drawn_share(row: int, bar: Bar) -> str:
    name, what, share, (low, high), against = bar
    y, color = _SHARES_TOP + _SHARES_ROW * row + 40, VERMILLION if against else BLUE
    axis = [_upright(tick, y, 8, stroke="#c8c8c8", stroke_width=1) for tick in _TICKS]
    ends = [_upright(end, y, 4, stroke=color, stroke_width=2) for end in (low, high)]
    mark = (
        element("rect", x=_x(share) - 4.5, y=y - 4.5, width=9, height=9, fill=color)
        if against
        else element("circle", cx=_x(share), cy=y, r=5, fill=color)
    )
    return element(
        "g",
        label(_SHARES_LEFT, y - 25, f"{name}: {percent(share)}", font_size=11, font_weight="bold"),
        label(_SHARES_LEFT, y - 12, what, font_size=11),
        *axis,
        element("line", x1=_x(low), x2=_x(high), y1=y, y2=y, stroke=color, stroke_width=2),
        *ends,
        mark,
    )


def _upright(share: float, y: float, half: float, **attributes: str | float) -> str:
    return element("line", x1=_x(share), x2=_x(share), y1=y - half, y2=y + half, **attributes)


# --- Audits as one HTML file that needs nothing else -----------------------------------------------------
# No script, no font and no picture from elsewhere.

_LISTED: Final = 30
"""So many contradicted majorities of a rule are listed."""

_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"
_READING: Final = (
    "Certified: a file proves it in exact arithmetic, and 'consistency-lab verify FILE' checks it again. It "
    "is about these very votes; noise is about others that might have been cast.",
    "Right: the order of least risk contradicts as few votes as any order. Wrong: it does not.",
    "p is the exact binomial chance, two-sided, of a majority as large if both items were preferred equally "
    "often; corrected for all pairs by Holm's procedure.",
    "Above noise: corrected p below .05, and the share of resamples without the contradiction below .05 too, "
    "corrected for all such majorities. Intervals are 95 % intervals by Wilson.",
    "Scores, resamples and simulations are computed in floats.",
)


def page_part(audit: Audit, attached: bool = True) -> Part:
    """What a page says of a profile; whether it holds the witness files or names them."""
    return Part(audit.profile.title, size(audit), _body(Facts(audit), attached))


def audit_html(audits: Sequence[Audit]) -> str:
    """One page about one profile or more.

    Examples
    --------
    >>> from consistency_lab.audits.audit import audit
    >>> from consistency_lab.data import Profile
    >>> found = audit(Profile.from_pairs([("<A>", "B")]), ["linear"], resamples=0, simulations=0)
    >>> page = audit_html([found])
    >>> page.splitlines()[0], "<A>" in page, "&lt;A&gt;" in page
    ('<!doctype html>', False, True)
    """
    return page_of([page_part(audit) for audit in audits])


def page_of(parts: Sequence[Part]) -> str:
    """The page that says this of each profile."""
    title = "Audit" if len(parts) != 1 else f"Audit: {parts[0].title}"
    sections = [element("section", part.body, id=f"profile-{k}") for k, part in enumerate(parts, 1)]
    head = (
        '<meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{text(_POLICY)}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"{element('title', text(title))}<style>{STYLE}</style>"
    )
    reading = element("ul", *(element("li", text(told)) for told in _READING))
    main = element(
        "main",
        element("h1", text("What ranking losses do to real preferences")),
        _page_contents(parts),
        *sections,
        element("section", element("h2", text("How to read this")), reading),
    )
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>{main}</body></html>\n'


def audit_fragment(audit: Audit) -> str:
    """What a notebook shows: the same about one profile, dark on white wherever it stands."""
    return element(
        "div", page_part(audit).body, style="background:#fff;color:#1a1a1a;padding:0.5em;overflow-x:auto"
    )


def _page_contents(parts: Sequence[Part]) -> str:
    if len(parts) < 2:
        return ""
    links = (
        element("li", element("a", text(part.title), href=f"#profile-{k}"), text(f": {part.size}"))
        for k, part in enumerate(parts, 1)
    )
    return element("nav", element("ol", *links), aria_label="profiles")


def _body(facts: Facts, attached: bool) -> str:
    audit = facts.audit
    held = conditions(facts)
    warnings = [f"{note}." for note in audit.profile.notes if note.startswith(WARNING)]
    warnings += filter(None, [groups(audit)])
    return "".join(
        (
            element("h2", text(audit.profile.title)),
            element("p", text(f"{size(audit)}{f', {held}' if held else ''}."), class_="size"),
            *(element("p", element("b", text(note))) for note in warnings),
            *(element("p", prose(told)) for told in (best_order(audit), bradley_terry(facts)) if told),
            _findings(facts, attached),
            element("div", *_pictures(facts), class_="figures"),
            *_lists(audit),
            _notes(facts),
        )
    )


def _findings(facts: Facts, attached: bool) -> str:
    if not facts.audit.findings:
        return ""
    told = [
        element("li", element("b", text(", ".join(names))), prose(f": {words}"))
        for names, words in together(facts)
    ]
    told += [
        element("li", prose(words))
        for words in (*components(facts.audit), theorems(facts.audit), *flips(facts.audit))
        if words
    ]
    return element("ul", *told) + element("div", findings_table(facts, attached), class_="wide")


def _pictures(facts: Facts) -> Iterator[str]:
    audit = facts.audit
    many = audit.profile.m > MOST
    ranks = f"The {MOST} items that come highest in any of these orders, and their ranks" if many else "Ranks"
    if audit.findings and len(audit.groups) == 1:
        yield _figure(bump_chart(audit), f"{ranks} under each loss. Items that move are in color.")
    for names, drawn in tournaments(audit):
        caption = (
            f"The order of {', '.join(names)}, and an arc for each majority. Dashed and thick: contradicted; "
            "the dot is at the item that the majority prefers."
        )
        yield _figure(drawn, caption)
    shares = resample_shares(facts)
    if shares:
        caption = (
            "Shares of the resamples. Circles: the same item is first; squares: the contradicted majority "
            "that is named is contradicted again."
        )
        yield _figure(shares, caption)


def _figure(drawn: str, caption: str) -> str:
    return element("figure", element("div", drawn, class_="wide"), element("figcaption", text(caption)))


def _lists(audit: Audit) -> Iterator[str]:
    for finding in audit.findings:
        found = finding.contradictions
        if len(found) < 2:
            continue
        largest = f"; here the largest {_LISTED}" if len(found) > _LISTED else ""
        rows = (element("li", prose(majority(audit, one))) for one in found[:_LISTED])
        yield element(
            "details",
            element(
                "summary", text(f"{finding.rule.name} contradicts {votes(len(found))} majorities{largest}")
            ),
            element("ol", *rows),
        )


def _notes(facts: Facts) -> str:
    notes = [f"{note}." for note in facts.audit.profile.notes]
    notes += [told for told in (reproduction(facts.audit),) if told]
    if not notes:
        return ""
    return element("h3", text("Notes")) + element("ul", *(element("li", text(note)) for note in notes))
