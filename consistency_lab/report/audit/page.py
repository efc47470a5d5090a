"""Audits as one HTML file that needs nothing else: no script, no font and no picture from elsewhere."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, final

from consistency_lab.audits.audit import Audit
from consistency_lab.data.rows import WARNING
from consistency_lab.report.audit.arcs import tournaments
from consistency_lab.report.audit.bump import bump_chart
from consistency_lab.report.audit.facts import Facts
from consistency_lab.report.audit.findings_table import findings_table
from consistency_lab.report.audit.markup import element, prose, text
from consistency_lab.report.audit.sentences import (
    best_order,
    bradley_terry,
    components,
    flips,
    groups,
    reproduction,
    theorems,
    together,
)
from consistency_lab.report.audit.shares import resample_shares
from consistency_lab.report.audit.standings import MOST
from consistency_lab.report.audit.style import STYLE
from consistency_lab.report.audit.words import conditions, majority, size, votes

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


@final
@dataclass(frozen=True, slots=True)
class Part:
    """What a page says of one profile: texts alone, so that it may be made elsewhere and kept.

    Parameters
    ----------
    title, size
        What the data are, and how many there are of them; plain text.
    body
        Markup.
    """

    title: str
    size: str
    body: str


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
        _contents(parts),
        *sections,
        element("section", element("h2", text("How to read this")), reading),
    )
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>{main}</body></html>\n'


def audit_fragment(audit: Audit) -> str:
    """What a notebook shows: the same about one profile, dark on white wherever it stands."""
    return element(
        "div", page_part(audit).body, style="background:#fff;color:#1a1a1a;padding:0.5em;overflow-x:auto"
    )


def _contents(parts: Sequence[Part]) -> str:
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
