"""The table of findings in a page; each row becomes a card where the page is narrow."""

import json
from collections.abc import Iterator
from typing import Final
from urllib.parse import quote

from consistency_lab.audits.audit import Finding
from consistency_lab.audits.flips import Flip
from consistency_lab.report.audit.facts import Facts
from consistency_lab.report.audit.markup import element, prose, text
from consistency_lab.report.audit.words import majority, more_votes, p_value, percent, standing, votes
from consistency_lab.report.naming import file_name

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
    for name, cell in zip(_HEAD, _contents(facts, finding, attached), strict=True):
        if name == "loss":
            yield element("th", cell, scope="row", data_label=name)
        else:
            yield element("td", cell or "–", data_label=name, class_="" if cell else "nothing")


def _contents(facts: Facts, finding: Finding, attached: bool) -> Iterator[str]:
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
