"""A page of the book says what it is read for, and an error in it names its line."""

import pytest

from consistency_lab.apps.book.book import BOOK
from consistency_lab.apps.book.page import PAGES, names, read
from consistency_lab.apps.book.statement import Kind, Outcome
from consistency_lab.errors import InputError

PAGE = r"""# A page

What stands here is not read.

## one: The first

\(a + b\) is
\(b + a\).

- words: Sums
  commute.
- source: ours
- scope: all a, b
- assume: a and b
- remark: It is known.
- evidence: a.json
- false: Differences commute. `at_counts square, 0138 0030 0005 0000, acyclic`

### a + b = b + a

*all a, b* — by
hand

    As is known,
    ✓ a + b = c + a
        for c = b
    indeed.

#### There are {rankings} rankings, {or} so

*m ≤ 4* — counted, all {rankings}

    ▸ compared_once
"""


def written(tmp_path, text):
    """The page under the name of one that has a companion, in a folder of its own."""
    path = tmp_path / "exchanges.md"
    path.write_text(text, "utf-8")
    return path


@pytest.fixture
def one(tmp_path):
    (found,) = read(written(tmp_path, PAGE)).values()
    return found


def test_a_statement_is_what_its_fields_say(one):
    assert (one.name, one.title, one.latex) == ("one", "The first", r"\(a + b\) is \(b + a\).")
    assert (one.plain, one.citation, one.hypotheses) == ("Sums commute.", "ours", ("a and b",))
    assert one.files == ("a.json",)
    assert one.text == PAGE[PAGE.index("## one") :].strip()


def test_a_step_shows_its_lines_and_what_functions_find(one):
    found = one.check()
    assert (found.outcome, found.scope, found.remarks) == (Outcome.HOLDS, "all a, b", ("It is known.",))
    hand, counted = found.findings
    assert (hand.claim, hand.scope, hand.how) == ("a + b = b + a", "all a, b", "by hand")
    assert hand.details == ("As is known,", "✓ a + b = c + a", "    for c = b", "indeed.")
    assert (hand.kind, hand.lines, hand.needed) == (Kind.HAND, 1, True)
    assert (counted.kind, counted.needed, counted.how) == (Kind.MACHINE, False, "counted, all 32")
    assert counted.claim == "There are 32 rankings, {or} so"


def test_a_variant_is_refuted_by_its_call(one):
    (variant,) = one.variants
    assert variant.statement == "Differences commute."
    assert variant.refute().witness.startswith("square, a = 0138 0030 0005 0000: d = ")


def test_a_line_that_is_moved_in_no_further_than_the_tick_is_a_line_of_its_own(tmp_path):
    old = "✓ a + b = c + a\n        for c = b"
    assert old in PAGE
    text = PAGE.replace(old, "✓     a + b = b + a\n        for all a and b")
    (found,) = read(written(tmp_path, text)).values()
    assert found.check().findings[0].details[1:3] == ("✓     a + b = b + a", "    for all a and b")


def line(text):
    return PAGE[: PAGE.index(text)].count("\n") + 1


@pytest.mark.parametrize(
    ("old", "new", "at", "said"),
    [
        ("## one: The first", "## one", "## one", "begins with its name and its title"),
        ("\\(a + b\\) is\n\\(b + a\\).", "", "## one", "nothing is stated"),
        ("- words:", "- word:", "- words", "there is no field 'word'; did you mean 'words'?"),
        ("- source: ours\n", "", "## one", "it has 0 fields 'source', and needs one"),
        ("  commute", "commute", "  commute", "moved in by two"),
        (" `at_counts square, 0138 0030 0005 0000, acyclic`", "", "- false", "what refutes it"),
        ("*all a, b* — by\nhand", "by hand", "### a + b", '"*scope* — how"'),
        ("    indeed", "indeed", "    indeed", "moved in by four"),
    ],
)
def test_a_page_that_cannot_be_read_says_where(tmp_path, old, new, at, said):
    assert old in PAGE
    with pytest.raises(InputError) as caught:
        read(written(tmp_path, PAGE.replace(old, new)))
    assert said in str(caught.value)
    assert f"exchanges.md, line {line(at)}: " in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "at", "said"),
    [
        ("a + b = c + a", "a + b is c + a", "    ✓", "has no relation"),
        ("▸ compared_once", "▸ compare_once", "    ▸", "did you mean 'compared_once'?"),
        ("▸ compared_once", "▸ compared_once 3, 4", "    ▸", "compared_once is called with 2 words"),
        ("▸ compared_once", "▸ moves square", "    ▸", "a Refutation is nothing that a proof shows"),
        ("▸ compared_once", "▸ _once", "    ▸", "there is no function '_once'"),
        ("#### There", "### ▸ moves square\n\n#### There", "#### ", "returns a Refutation, not steps"),
        ("{rankings}", "32", "#### ", "{rankings} stands nowhere in this step"),
    ],
)
def test_a_proof_that_cannot_be_checked_says_where(tmp_path, old, new, at, said):
    (found,) = read(written(tmp_path, PAGE.replace(old, new))).values()
    with pytest.raises(InputError) as caught:
        found.check()
    assert said in str(caught.value)
    assert f"exchanges.md, line {line(at)}: " in str(caught.value)


def test_two_statements_have_two_names(tmp_path):
    with pytest.raises(InputError, match="two statements 'one'"):
        read(written(tmp_path, PAGE + PAGE[PAGE.index("## one") :]))


def test_every_statement_of_every_page_is_in_the_book():
    for path in PAGES.glob("*.md"):
        assert (
            {entry.name for entry in BOOK if entry.page == path.stem}
            == set(names(path.stem))
            == set(read(path))
        )


def test_without_a_page_there_are_no_names(tmp_path):
    assert names("classes", tmp_path) == {}
