"""The page: it needs nothing else, holds what it links to, and shows data as text."""

import re
from html import unescape
from html.parser import HTMLParser
from itertools import combinations
from urllib.parse import quote
from xml.etree import ElementTree

import numpy as np
import pytest

from consistency_lab import Profile
from consistency_lab.apps.audit import page as pages
from consistency_lab.apps.audit.audit import audit
from consistency_lab.apps.audit.screen import line1
from consistency_lab.apps.audit.words import Facts
from consistency_lab.certify.proofs.file import file_name

SVG = "{http://www.w3.org/2000/svg}"
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
SEEN = {
    "all": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
"""What becomes of linear sRGB: Machado, Oliveira and Fernandes (2009), full severity."""

EMPTY = {"meta"}


class _Page(HTMLParser):
    """All elements with attributes; every one that is opened must be closed."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.words: list[str] = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def pictures(audit):
    return [
        ElementTree.fromstring(svg)
        for svg in re.findall(r"<svg.*?</svg>", pages.audit_html([audit]), re.DOTALL)
    ]


def test_nothing_is_fetched_and_nothing_runs(any_audit):
    page = _Page(pages.audit_html([any_audit]))
    assert not {"script", "link", "img", "iframe", "object", "base", "image", "use"} & {
        tag for tag, _ in page.elements
    }
    for _, attributes in page.elements:
        assert not {"src", "srcset", "xlink:href", "action"} & set(attributes)
        assert not [key for key in attributes if key.startswith("on")]
        assert (attributes.get("href") or "#").startswith("#")
        assert "url(" not in (attributes.get("style") or "")
    assert "@import" not in pages.audit_html([any_audit])


def test_names_that_are_markup_are_shown_as_they_are(harmful):
    page = pages.audit_html([harmful])
    assert "<script>" not in page and "<img" not in page and "<b>cycle" not in page
    words = " ".join(_Page(page).words)
    assert all(name in words for name in (*harmful.profile.items, "<b>cycle</b>"))


def test_every_picture_says_what_it_shows(any_audit):
    found = pictures(any_audit)
    assert len(found) >= 2
    for svg in found:
        assert svg.get("role") == "img"
        assert svg.get("aria-label") == svg.findtext(f"{SVG}title")
        assert svg.findtext(f"{SVG}title") and svg.findtext(f"{SVG}desc")


def test_its_links_lead_to_the_files_in_the_folder_beside_it(any_audit):
    page = _Page(pages.page_of([pages.page_part(any_audit, "my proofs")]))
    links = [str(attributes["href"]) for tag, attributes in page.elements if tag == "a"]
    known = [one.certified for one in any_audit.findings]
    documents = [one.document for one in known if one.theorem is None and one.document is not None]
    assert links == [f"my%20proofs/{quote(file_name(one))}" for one in documents] and links


def test_it_opens_with_who_leads_the_ranks_and_the_items(any_audit):
    page = pages.audit_html([any_audit])
    order = [page.index(mark) for mark in ("<h2>", "<svg", '<table class="items"', "<details>")]
    assert order == sorted(order)
    heading = unescape(page[order[0] : page.index("</h2>")]).replace("\N{NO-BREAK SPACE}", " ")
    assert heading == f"<h2>{line1(Facts(any_audit))}"
    shown = _Page(page[order[2] : page.index("</table>", order[2])] + "</table>")
    assert [tag for tag, _ in shown.elements].count("tr") == 1 + any_audit.profile.m


def test_on_a_phone_names_break_and_numbers_do_not(vermont):
    page = pages.audit_html([vermont])
    narrow = page[page.index("@media (max-width") : page.index("@media print")]
    assert re.search(r"\.items th, \.items td {[^}]*white-space: nowrap", narrow)
    assert re.search(r"\.items td:nth-child\(3\) {[^}]*white-space: normal; overflow-wrap: anywhere", narrow)
    assert page[: page.index('<table class="items"')].endswith('<div class="wide">')
    heads = re.findall('<th scope="col">([^<]*)</th>', page)
    assert heads[2] == "item"


def test_a_notebook_shows_one_screen_with_a_style_of_its_own(large):
    part = pages.audit_fragment(large)
    assert part.count("<tr>") == 11 and "15 more" in part and "<details" not in part
    assert "background:#fff" in part and part.count("<svg") == 1


def test_each_contradicted_majority_is_an_arc(vermont, harmful):
    for shown in (vermont, harmful):
        thick = [
            sum(path.get("stroke-dasharray") == "7 3" for path in svg.iter(f"{SVG}path"))
            for svg in pictures(shown)
            if (svg.get("aria-label") or "").startswith("Majorities")
        ]
        orders = {finding.order: len(finding.contradictions) for finding in shown.findings}
        assert thick == [count for count in orders.values() if count]


def test_large_pictures_show_the_first_of_every_order(large):
    found = pages.standings(large)
    assert len(found.shown) == pages.MOST < large.profile.m
    assert {finding.order[0] for finding in large.findings} | {large.best.order[0]} <= set(found.shown)
    for rank, place in zip(found.ranks, found.places, strict=True):
        assert sorted(found.shown, key=rank.__getitem__) == sorted(found.shown, key=place.__getitem__)
        assert sorted(place.values()) == list(range(pages.MOST))


def test_several_profiles_have_places_of_their_own(vermont, harmful):
    elements = _Page(pages.audit_html([vermont, harmful])).elements
    ids = [attributes["id"] for _, attributes in elements if "id" in attributes]
    targets = [str(a["href"])[1:] for _, a in elements if str(a.get("href", "")).startswith("#")]
    assert ids == targets == ["profile-1", "profile-2"]


def _linear(color):
    channels = np.array([int(color[k : k + 2], 16) / 255 for k in (1, 3, 5)])
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def _lab(linear):
    """CIE 1976 L*a*b* under D65."""
    x, y, z = TO_XYZ @ linear.clip(0, 1) / TO_XYZ.sum(axis=1)
    p, q, r = (np.cbrt(t) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (x, y, z))
    return np.array([116 * q - 16, 500 * (p - q), 200 * (q - r)])


@pytest.mark.parametrize(
    ("color", "least"), [(pages.INK, 7.0), (pages.GRAY, 4.5), *((color, 3.0) for color in pages.COLORS)]
)
def test_colors_stand_out_from_white(color, least):
    luminance = float(TO_XYZ[1] @ _linear(color))
    assert 1.05 / (luminance + 0.05) >= least  # WCAG 2


@pytest.mark.parametrize("seen", SEEN)
def test_colors_are_told_apart_by_whoever_sees_fewer(seen):
    labs = [_lab(SEEN[seen] @ _linear(color)) for color in (*pages.COLORS, pages.GRAY)]
    assert min(float(np.linalg.norm(a - b)) for a, b in combinations(labs, 2)) > 20


def test_one_order_with_other_ties_is_another_picture():
    wins = [[0, 4, 0, 4], [2, 0, 3, 1], [4, 0, 0, 1], [2, 2, 0, 0]]
    found = audit(Profile.from_matrix(wins, list("ABCD")), ["logistic", "linear"], resamples=0, simulations=0)
    logistic, linear = found.findings
    assert logistic.order == linear.order
    assert (len(logistic.contradictions), len(linear.contradictions)) == (3, 2)
    drawn = {name: picture for names, picture in pages.tournaments(found) for name in names}
    assert "Of 3 contradicted majorities" in drawn["logistic"]["told"]
    assert "Of 2 contradicted majorities" in drawn["linear"]["told"]


def test_the_shares_beside_the_ranks_have_the_head_of_their_column_in_the_table():
    votes = Profile.from_pairs({("A", "B"): 3, ("B", "A"): 1, ("B", "C"): 2, ("C", "A"): 1})
    for resamples, heads in ((50, 1), (0, 0)):
        picture = pictures(audit(votes, ["linear"], resamples=resamples, simulations=0))[0]
        words = [(text.text, text.get("x")) for text in picture.iter(f"{SVG}text")]
        assert [word for word, *_ in words].count("first") == heads
        shares = {place for word, place in words if str(word).endswith("%")}
        assert shares == {place for word, place in words if word == "first"}
