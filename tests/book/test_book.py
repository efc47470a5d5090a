"""The theorem book: every line of it leads to a statement, and every statement comes out as claimed."""

import subprocess
import sys
from dataclasses import replace

import pytest

from consistency_lab.apps.book.book import BOOK, statement, statements, text_digest, titles
from consistency_lab.apps.book.formal import REFEREED
from consistency_lab.apps.book.statement import Kind, Statement, stored
from consistency_lab.errors import InputError

NAMES = [entry.name for entry in BOOK]
WIDTH = 98
"""Of the lines that --explain prints."""


KINDS = {
    Kind.FORMAL: "lemma-10 theorem-11 theorem-12 additive-theorem-11 additive-theorem-12 every-convex-loss "
    "dmj13-err rat13-theorem-3 lemma-4 approval-ballots btl-labels lemma-3 section-3.1 dmj13-ndcg "
    "dmj13-zhang dmj13-edge dmj13-margin four-edges six-edges four-items lemma-1 theorem-6",
    Kind.HAND: "lemma-7 lemma-9 square-difference",
    Kind.TEST: "lemma-5",
}
SHOWN = {
    # 1960 ballots, of which 30 approve of everybody (or nobody): those tell no items apart.
    "approval-ballots": "Beck 1077, Fay 800, South 753, Willhoit 825",
    "section-3.1": "2/5 (2 − w2) + 1 (w2 q − p) = 1/5 > 0",
    "square-difference": "(41/38, 12/19, 0, 1/38)",
}
REFUTED = {
    "lemma-1": ["1/2 < 5/8"],
    "lemma-3": ["-20, -2000, -200000", "2^-150"],
    "lemma-5": ["regret 3", "1/(4n^2)"],
    "lemma-9": ["2 exp(-n) → 0", "W_inf(v) = -8 < 0", "W = 1 + phi"],
    "corollary-15": ["strict"],
}
"""Words of the witnesses of false variants."""


@pytest.fixture(scope="module", params=NAMES)
def name(request):
    """Of a statement. What is asked of one stands together, so that one worker checks it once."""
    return request.param


@pytest.fixture(scope="module")
def checked(name):
    return statement(name).check()


def test_every_statement_comes_out_as_claimed(name, checked):
    assert checked.outcome is statement(name).claimed
    assert checked.findings
    assert all(checked.kind is kind for kind, names in KINDS.items() if name in names.split())
    assert SHOWN.get(name, "") in "\n".join(line for one in checked.findings for line in one.details)
    assert not any(finding.claim.startswith("not confirmed") for finding in checked.findings)


def test_a_statement_is_as_strong_as_the_weakest_that_it_needs(checked):
    order = list(Kind)
    needed = [finding.kind for finding in checked.findings if finding.needed]
    assert needed
    assert all(order.index(kind) >= order.index(checked.kind) for kind in needed)
    assert all(finding.cases for finding in checked.findings if finding.kind is Kind.TEST)
    assert str(checked.kind) in checked.label


def test_a_scope_leaves_out_what_a_false_variant_refutes(name, checked):
    for variant in statement(name).variants:
        assert "without a13 > a31" not in variant.statement or "a13 > a31" in checked.scope
        if "without phi'(0) < 0" in variant.statement:
            assert "φ'(0) < 0" in checked.scope
            for finding in checked.findings:
                assert (
                    "φ'(0) < 0" in f"{finding.scope} {finding.claim}" or "every convex φ" not in finding.scope
                )


@pytest.mark.long
def test_every_false_variant_is_refuted(name, checked):
    variants = statement(name).variants
    assert variants or checked.kind is Kind.TEST
    words = REFUTED.get(name, [])
    for place, variant in enumerate(variants):
        found = variant.refute()
        assert found.refuted, variant.statement
        assert found.witness and all(word in found.witness for word in words[place : place + 1])


def test_explanations_fit_the_terminal(checked):
    lines = [line for finding in checked.findings for line in finding.details]
    assert [line for line in lines if len(line) > WIDTH or "\n" in line] == []
    assert [line for line in lines if line.startswith("✗")] == []


def other_texts(asked, found):
    """The row with another title, inequality, scope or proof, or without a hypothesis."""
    yield replace(asked, title=f"{asked.title} for every m ≥ 2, convex or not"), found
    for old, new in ((">", "<"), ("<", ">"), (r"\ge", r"\le"), ("all", "some"), ("if", "only if")):
        if old in asked.latex:
            yield replace(asked, latex=asked.latex.replace(old, new, 1)), found
    for place in range(len(asked.hypotheses)):
        yield replace(asked, hypotheses=asked.hypotheses[:place] + asked.hypotheses[place + 1 :]), found
    for place, variant in enumerate(asked.variants):
        other = replace(variant, statement=f"{variant.statement} for m = 7")
        yield replace(asked, variants=(*asked.variants[:place], other, *asked.variants[place + 1 :])), found
    yield replace(asked, text=f"{asked.text} "), found
    yield asked, replace(found, scope=f"{found.scope}, m = 7")
    yield asked, replace(found, remarks=(*found.remarks, "It is sharp."))
    for place, one in enumerate(found.findings):
        changes = [replace(one, scope="everywhere"), replace(one, needed=not one.needed)]
        if one.kind is Kind.HAND:
            changes += [replace(one, details=one.details[1:]), replace(one, how="it is clear")]
        if one.kind is not Kind.FORMAL:
            for changed in changes:
                rest = (*found.findings[:place], changed, *found.findings[place + 1 :])
                yield asked, replace(found, findings=rest)
    if found.formal:
        first, *others = found.formal
        weaker = replace(first, statement=first.statement.replace("forall", "exists", 1) + " ")
        yield asked, replace(found, formal=(weaker, *others))
        yield asked, replace(found, part=f"{found.part} or more")


def test_every_change_of_a_text_shows(name, checked):
    asked, found = statement(name), checked
    assert stored(REFEREED)[name] == text_digest(asked, found)
    others = [text_digest(*one) for one in other_texts(asked, found)]
    assert len(others) >= 4
    assert stored(REFEREED)[name] not in others


def test_every_line_leads_to_its_statement():
    for name, title in titles().items():
        found = statement(name)
        assert isinstance(found, Statement)
        assert (found.name, found.title) == (name, title)
        assert statement(title) is statement(name.upper()) is found
        assert found.latex and found.citation and found.plain.endswith(".")


def test_names_are_in_the_order_of_the_papers_and_differ():
    assert NAMES[:4] == ["lemma-1", "lemma-3", "lemma-4", "lemma-5"]
    assert len(set(NAMES)) == len(set(titles().values())) == len(BOOK)
    assert list(titles()) == NAMES


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("lemma-9", "lemma-9"),
        ("dmj10-lemma-9", "lemma-9"),
        ("DMJ10 Lemma 9", "lemma-9"),
        ("dmj10_lemma_9", "lemma-9"),
        (" Theorem 6 ", "theorem-6"),
    ],
)
def test_spellings(text, name):
    assert statement(text).name == name


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("lemma-99", "did you mean 'lemma-9'?"),
        ("theorm-6", "did you mean 'theorem-6'?"),
        ("lemma-7b", "did you mean 'lemma-7'?"),
        ("zzz", "names are lemma-1, lemma-3,"),
    ],
)
def test_an_unknown_name_gets_a_hint(text, hint):
    with pytest.raises(InputError, match="there is no statement") as caught:
        statement(text)
    assert hint in str(caught.value)


def test_several_statements():
    assert [found.name for found in statements(["lemma-7", "theorem-6", "Lemma 7"])] == [
        "lemma-7",
        "theorem-6",
    ]
    assert [found.name for found in statements()] == [found.name for found in statements(["all"])] == NAMES
    with pytest.raises(InputError):
        statements(["lemma-7", "lemma-77777"])


def test_titles_import_no_statement():
    code = (
        "import sys; from consistency_lab.apps.book.book import titles; titles(); "
        "heavy = {'numpy', 'sympy', 'scipy', 'highspy', 'consistency_lab.apps.book.statements'}; "
        "sys.exit(len(heavy & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
