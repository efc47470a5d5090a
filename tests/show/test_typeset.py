"""Proofs as LaTeX and Markdown: the same numbers, valid structure, and names that are never markup."""

import json
import re
from pathlib import Path

import pytest

from consistency_lab import Distribution, certify_at, surrogate
from consistency_lab.certify.proofs.file import as_proof, verify
from consistency_lab.certify.witness import Witness
from consistency_lab.show.proof import ticked_proof
from consistency_lab.show.text import guarded, paragraph, quoted, rendered, tabular, unticked
from consistency_lab.show.typeset import LATEX, MARKDOWN, typeset, written

EVIL = ["100% & $x_1$", "\\input{a} #~^", "東京 Łódź ] <b> |*`"]


def proved(name, a, names=None):
    witness = certify_at(surrogate(name), Distribution.from_aggregate(a, names))
    return list(ticked_proof(witness.document, witness.verified, "a_file.json")), witness


def digits(text):
    return "".join(re.findall(r"\d", text))


def line(text, notation=LATEX):
    return "\n\n".join(typeset(paragraph(text), notation))


@pytest.mark.parametrize("notation", [LATEX, MARKDOWN])
@pytest.mark.parametrize("name", ["logistic", "hinge", "difference-logistic"])
def test_every_number_of_the_plain_proof_is_there_in_the_same_order(name, notation):
    report, _ = proved(name, [[0, 3, 8], [0, 0, 1], [4, 0, 0]])
    found = "\n\n".join(typeset(report, notation))
    assert digits(found) == digits("\n".join(rendered(unticked(report))))


@pytest.mark.parametrize("name", ["logistic", "hinge", "difference-square"])
def test_a_latex_document_is_ascii_closes_what_it_opens_and_names_its_papers(name):
    report, witness = proved(name, [[0, 3, 8], [0, 0, 1], [4, 0, 0]], EVIL)
    text = written(report, "latex", witness)
    assert text.isascii()
    assert set(re.findall(r"\\usepackage(?:\[.*?\])?\{(.*?)\}", text)) == {"amsmath", "tikz"}
    stack = []
    for kind, what in re.findall(r"(?<!\\)\\(begin|end)\{([a-z*]+)\}", text):
        stack.append(what) if kind == "begin" else stack.remove(what)
    assert stack == []
    body = text.partition(r"\begin{document}")[2].partition(r"\end{document}")[0]
    plain = re.sub(r"\\[\\{}$&#_%]", "", body)
    assert plain.count("{") == plain.count("}") and plain.count("$") % 2 == 0
    assert "#" not in plain and "%" not in plain
    assert r"\textbackslash{}input\{a\} \#\textasciitilde{}\textasciicircum{}" in body
    assert r"100\% \& \$x\_1\$" in body
    after = text.partition(r"\end{document}")[2]
    assert re.findall(r"@\w+\{(\w+),", after) == re.findall(r"\\item\[\{?((?:DMJ|RAT)\d+)", body)


FIELD = "ndcg-012-lightgbm-lambdarank.json"


def test_a_proof_about_labels_draws_them_and_its_two_orders():
    document = json.loads(
        (Path(__file__).parents[2] / "counterexamples/libraries" / FIELD).read_text("utf-8")
    )
    text = Witness.of(document).latex()
    assert text.isascii()
    assert text.count(r"\begin{tikzpicture}") == text.count(r"\end{tikzpicture}") == 2
    assert text.index("{3/5}") < text.index("{2/5}")  # the most probable label first
    assert len(re.findall(r"\\draw\[(?:thick, dashed, orange|blue)\] \(0,", text)) == 3


def test_names_are_not_markup_in_markdown():
    report, witness = proved("logistic", [[0, 3, 8], [0, 0, 1], [4, 0, 0]], EVIL)
    text = written(report, "markdown", witness)
    assert r"100% \& \$x\_1\$" in text and r"\<b\> \|\*\`" in text
    assert "<b>" not in text
    for row in re.findall(r"^\|.*\|$", text, re.MULTILINE):
        assert len(re.findall(r"(?<!\\)\|", row)) in (5, 4, 6)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("so `α_1 - α_2 ≥ 27/100` there", r"so $\alpha_{1} - \alpha_{2} \ge \tfrac{27}{100}$ there"),
        ("a gap of 3 items (the gap)", "a gap of 3 items (the gap)"),
        ("edges `1 → 2` (6)", r"edges $1 \to 2$ (6)"),
        ("`a_ij = sum over G of p_G a^G_ij`", r"$a_{ij} =$ sum over $G$ of $p_{G} a_{ij}^{G}$"),
        ("by `φ*(s) ≤ s x_l - φ'(0)`", r"by $\varphi^{*} (s) \le s x_{l} - \varphi' (0)$"),
        ("with `F(j) = log2(1+j)`", r"with $F(j) = \log_{2}(1+j)$"),
        ("`2**s-1, 2**((j-1)/3)`", r"$2^{s}-1$, $2^{(j-1)/3}$"),
        ("`max_(j != y) u_j/sqrt(k)`", r"$\max_{j \ne y} u_{j}/\operatorname{sqrt}(k)$"),
        ("so `(f(y at i))² ≈ 7.5e-22`", r"so $(f(y\text{ at }i))^{2} \approx 7.5\mathrm{e}{-22}$"),
        ("`the sum of a query's t'' for all i`", "the sum of a query's $t''$ for all $i$"),
    ],
)
def test_what_stands_between_backticks_is_a_formula_but_for_its_words(text, found):
    assert line(text) == found


def test_names_are_words_even_where_they_look_like_formulas():
    assert line(f"x_1 is above Ann, `x_2 < α[{quoted('x_1')}]`, `{quoted('x_1')} > {quoted('2')}`") == (
        r"x\_1 is above Ann, $x_{2} < \alpha_{\text{x\_1}}$, x\_1 $> 2$"
    )
    odd = "a`b] $"
    assert line(f"{guarded(odd)} has `α[{quoted(odd)}] = 1/2`", MARKDOWN) == (
        r"a\`b\] \$ has $\alpha_{\text{a{`}b{]} \$}} = \tfrac{1}{2}$"
    )
    assert [*unticked([f"{guarded(odd)} has `α[{quoted(odd)}]`"])] == [f"{odd} has α[{odd}]"]


ROOT = Path(__file__).parents[2]
FILES = [
    *sorted((ROOT / "counterexamples").glob("*.json")),
    *sorted((ROOT / "tests/fixtures/by_hand").glob("*.json")),
    *sorted((ROOT / "counterexamples/libraries").glob("*softmax*.json")),
]
MATHEMATICS = re.compile(r"[Α-ω∞≤≥≠≈→⟨⟩²<>=]|\b\w_\w|(?:^|\s)-\d|\d/\d|\b(?:log|exp|max|min|sum)[(_]")


@pytest.mark.parametrize("path", FILES[::2], ids=lambda path: path.stem)
def test_no_formula_of_a_proof_lacks_its_backticks(path):
    document = json.loads(path.read_text("utf-8"))
    shown = as_proof(document)
    verified = verify(shown)
    report = list(ticked_proof({**shown, "digest": document["digest"]}, verified, path.name))
    source = next(k for k, one in enumerate(report) if getattr(one, "text", "") == "Source")
    cells = [cell for one in report[:source] for row in getattr(one, "rows", ()) for cell in row]
    for text in [*(getattr(one, "text", "") for one in report[1:source]), *cells]:
        assert text.count("`") % 2 == 0
        outside = re.sub("`[^`]*`", "", text)
        for name in sorted((verified.called, *verified.recomputed), key=len, reverse=True):
            outside = outside.replace(name, "")
        assert MATHEMATICS.search(outside) is None


def test_backticks_of_a_file_are_words_everywhere():
    document = json.loads(
        (ROOT / "counterexamples/features/logistic-any-4items-6a9def79.json").read_text("utf-8")
    )
    shown = as_proof(document)
    provenance = {**document["provenance"], "note": "a `note`"}
    shown = {**shown, "provenance": provenance, "digest": document["digest"]}
    report = list(ticked_proof(shown, verify(as_proof(document)), "a`b.json"))
    text = "\n".join(rendered(unticked(report)))
    assert "a`b.json" in text and "a `note`" in text
    assert r"a \`note\`" in "\n".join(typeset(report, MARKDOWN))


def test_formulas_stand_in_line_and_long_ones_break():
    (found,) = typeset(
        paragraph("`W(α) = " + " + ".join(f"{k}·φ(α_1 - α_2)" for k in range(2, 14)) + "`"), LATEX
    )
    assert found.startswith("\\begin{align*}\nW(\\alpha ) &= 2\\cdot")
    assert found.count("\\\\\n&\\qquad +") == 2
    (found,) = typeset(
        [*paragraph("at 1  `-1/2 + 1/2 = 0`", 5, 6), *paragraph("at 10  `3 = 3`", 5, 6)], LATEX
    )
    assert found.splitlines()[1:3] == [
        r"\text{at 1:} && -\tfrac{1}{2} + \tfrac{1}{2} &= 0 \\",
        r"\text{at 10:} && 3 &= 3",
    ]


def test_tables_have_heads_in_markdown_and_flush_numbers():
    (found,) = typeset(tabular([["a|b", "`x`"], ["c", "`1/2`"]], right=[1]), MARKDOWN)
    assert found == "| a\\|b | $x$ |\n| --- | ---: |\n| c | $\\tfrac{1}{2}$ |"
