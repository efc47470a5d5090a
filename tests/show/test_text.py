"""Numbers, names and tables as text, and what the smaller functions of answers return."""

from collections.abc import Mapping
from fractions import Fraction
from math import ceil, floor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consistency_lab import Distribution, certify_at, check_profile, read_profile, surrogate, target
from consistency_lab.decide.remedies import choices
from consistency_lab.decide.surrogate import decide
from consistency_lab.numbers.exact import LogRational
from consistency_lab.search.effort import Effort
from consistency_lab.show import frontier, labels, profile
from consistency_lab.show import text as texts
from consistency_lab.show.canvas import drawable, picture_format, score_text
from consistency_lab.show.decision import code_command
from consistency_lab.show.documents import Record, Share, schema
from consistency_lab.show.gallery import weights_text
from consistency_lab.show.pictures import Window, point_of
from consistency_lab.show.script import script
from consistency_lab.show.typeset import written
from consistency_lab.show.verification import summary
from consistency_lab.show.witness import exact_text, real, rounded

rationals = st.fractions(max_denominator=10**6).filter(lambda x: abs(x) < 10**6)


@given(rationals)
def test_a_decimal_is_correctly_rounded(x):
    shown = Fraction(texts.decimal(x))
    assert abs(shown - x) <= Fraction(1, 2 * 10**6)
    assert not texts.decimal(x).startswith("-0.000000")


@given(rationals)
def test_an_equals_sign_stands_before_exact_decimals_only(x):
    sign, text = texts.as_decimal(x).split()
    assert (Fraction(text) == x) == (sign == "=")


def test_numbers_with_a_logarithm():
    assert texts.decimal(LogRational(Fraction(1), Fraction(3)), 12) == "2.098612288668"
    assert texts.as_decimal(LogRational(Fraction(1, 2))) == "= 0.5"


def test_names_of_scores():
    assert [texts.free(texts.score(name)) for name in ("1", "Fay", "São_Paulo", "a b", "")] == [
        "α_1",
        "α_Fay",
        "α_São_Paulo",
        "α[a b]",
        "α[]",
    ]


def test_wide_characters_take_two_columns():
    lines = texts.columns([["東京", "1"], ["Oslo", "20"]], indent=0, right=[1])
    assert lines == ["東京   1", "Oslo  20"]
    assert texts.cells("e\u0301") == 1


@pytest.mark.parametrize("width", [40, 220])
def test_a_matrix_of_many_items_fits_the_page_and_loses_nothing(width):
    names = [f"Candidate {k}" for k in range(15)]
    a = [[Fraction(100 * i + j + 1000) for j in range(15)] for i in range(15)]
    lines = list(texts.rendered([texts.matrix(a, names, 2)], width))
    assert max(map(len, lines)) <= width
    blocks = [block.split("\n") for block in "\n".join(lines).split("\n\n")]
    assert all(len(block) == 16 for block in blocks)
    for i, name in enumerate(names):
        rows = [block[i + 1].split() for block in blocks]
        assert all(row[:2] == name.split() for row in rows)
        found = [entry for row in rows for entry in row[2:]]
        assert found == ["." if i == j else str(a[i][j]) for j in range(15)]
    assert len(blocks) == {40: 10, 220: 1}[width]


def test_a_column_that_is_wider_than_the_page_stands_alone():
    a = [[Fraction(0), Fraction(1)], [Fraction(1), Fraction(0)]]
    lines = texts.matrix(a, ["A" * 30, "B"], 0).lines(20)
    assert lines[3] == ""
    assert len(lines) == 7


@given(
    st.lists(st.text(alphabet="ab ", min_size=1, max_size=12), min_size=1, max_size=20), st.integers(20, 120)
)
def test_a_paragraph_fits_its_page(words, width):
    lines = list(texts.rendered(texts.paragraph(" ".join(words), 2, 2), width))
    assert all(len(line) <= min(width, 100) for line in lines)
    assert " ".join(lines).split() == " ".join(words).split()


def test_a_tight_text_is_not_broken():
    lines = list(texts.rendered(texts.paragraph("See " + texts.tight("α - β") + " there", 0), 6))
    assert lines == ["See", "α - β", "there"]


def test_sums():
    assert texts.combination([(Fraction(0), "x")]) == "0"
    assert texts.combination([(Fraction(-1, 2), "x"), (Fraction(1), "y")]) == "-1/2·x + y"


def test_lists_of_words():
    assert [texts.listed(words) for words in ([], ["a"], ["a", "b"])] == ["", "a", "a and b"]
    assert texts.listed(["a", "b", "c"], "or") == "a, b or c"


def test_latex_of_the_statements():
    assert texts.plain(r"\(\phi'(0) < 0\)") == "φ'(0) < 0"
    assert texts.plain(r"\{(i,j) : d_{ij} > 0\} \text{ is acyclic}") == "{(i,j) : d_ij > 0} is acyclic"


THIRD = Fraction(1, 3)
LOG_2 = LogRational(Fraction(0), Fraction(2))
LONG = Fraction(10**30 + 1, 3 * 10**30)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (texts.fitted([["line"] * 25, ["shorter"]]), ["shorter"]),
        (
            list(texts.rendered(["x = 1", *texts.paragraph("So x is one.", 2, 2)], 9)),
            ["x = 1", "  So x is", "    one."],
        ),
        ([*map(texts.ticked, ("1/2", "10"))], ["`1/2`", "10"]),
        (list(texts.unticked([f"`x ≥ {texts.quoted('a`b')}`"])), ["x ≥ a`b"]),
        ([texts.cut("Fay"), texts.cut("A name that does not end", 17)], ["Fay", "A name that does…"]),
        (texts.beside(["  A", "  B"], "Here it is."), ["  A   Here it is.", "  B"]),
        (texts.short_citation("ours (docs/theory.md, Two items)"), "Two items"),
        ([texts.decimal(-THIRD, 4), texts.decimal(LOG_2)], ["-0.3333", "0.693147"]),
        ([texts.outward(2 * THIRD, 3, floor), texts.outward(2 * THIRD, 3, ceil)], ["0.666", "0.667"]),
        ([*map(texts.number, (Fraction(3), Fraction(1, 8), THIRD))], ["3", "1/8 = 0.125", "1/3 ≈ 0.333333"]),
        ([*map(texts.short, (Fraction(22, 7), LONG))], ["22/7", "≈0.333333"]),
        (
            texts.matrix([[Fraction(10 * i + j) for j in range(3)] for i in range(3)], "ABC", 0).lines(9),
            ["    A   B", "A   .   1", "B  10   .", "C  20  21", "", "    C", "A   2", "B  12", "C   ."],
        ),
        (
            texts.plain(r"d_{ij} > 0 \implies d_{ik} \ge d_{ij} + d_{jk}"),
            "d_ij > 0 implies d_ik ≥ d_ij + d_jk",
        ),
        (texts.typed("(exp(s*log(2))-1)/4"), "(2**s-1)/4"),
        (texts.typed("log(1+j)/log(2)"), "log2(1+j)"),
        (texts.typed("exp((j-1)/3*log(2))"), "2**((j-1)/3)"),
        (texts.typed("exp(-x*log(2))"), "2**(-x)"),
        (texts.typed("exp(-2*x*log(3))"), "3**(-2*x)"),
        (texts.typed("log(1+exp(-x))"), "log(1+exp(-x))"),
        ([real(2 * THIRD), real(Fraction(10**9 + 1, 10**9))], ["2/3", "≈1.000000"]),
        ([rounded(2 * THIRD), exact_text(2 * THIRD)], ["0.666667", "2/3"]),
        ([*map(profile.votes, (13214, Fraction(6645, 2), THIRD))], ["13,214", "3,322.5", "≈0.3333"]),
        ([profile.several(1, "votes"), profile.several(2, "votes")], ["1 vote", "2 votes"]),
        (drawable(["Fay", "東京", "A name that does not end"]), ("Fay", "item 2", "A name that…")),
        ([*map(score_text, ("12", "Fay"))], ["α₁₂", "α[Fay]"]),
        (picture_format(Path("plane.SVG")), "svg"),
        ([round(z, 3) for z in point_of([3.0, 1.0, 0.0])], [-0.866, 2.5]),
        (Window.around([(2.0, 1.0)]), Window(x=0.8, y=0.4, half=1.8)),
        (
            weights_text("AB", [[Fraction(0), Fraction(1, 2)], [Fraction(1, 4), Fraction(0)]]),
            "A→B: 2, B→A: 1",
        ),
        (schema(int | None), {"anyOf": [{"type": "integer"}, {"type": "null"}]}),
        (schema(Mapping[str, Share])["additionalProperties"], {"type": "number", "minimum": 0, "maximum": 1}),
        (
            written(["`α_1 ≥ 1/2`, so `1 > 2`"], "markdown", None),
            "$\\alpha_{1} \\ge \\tfrac{1}{2}$, so $1 > 2$\n",
        ),
        (
            list(summary([], [("a.json", "the digest is another one")], 2)),
            [
                "1 of 2 files is rejected; 1 cannot be read.",
                "",
                " rejected  a.json",
                "           the digest is another one",
                "",
                " more: --details (a line per file)",
            ],
        ),
        (
            code_command(next(choices(target("ndcg@2"))), "xgboost"),
            "consistency-lab recommend regression-gain-over-z --target ndcg --k 2 --library xgboost",
        ),
    ],
)
def test_what_comes_out(found, expected):
    assert found == expected


def test_a_function_makes_an_entry_of_what_the_record_is_given():
    text = (str, lambda x, sign: f"{sign}{x}")
    parts = Record(Fraction, "above=numerator text=.", above=(int, int), text=text)
    assert parts(Fraction(2, 3), "+") == {"above": 2, "text": "+2/3"}
    assert parts((Fraction(1),), "-") == [{"above": 1, "text": "-1"}]
    assert parts.schema["properties"]["above"] == {"type": "integer"}


def test_first_lines():
    both = decide("logistic", ["low-noise", "bradley-terry"], effort=Effort(1))
    assert frontier.first_line(both, "dpo") == (
        "dpo is right under Bradley-Terry; it can be wrong under low noise."
    )
    assert labels.first_line(decide("softmax", target="ndcg"), "softmax") == (
        "softmax is right for NDCG if the labels agree on one order; otherwise it can be wrong."
    )
    votes = read_profile("vermont.toc", items=("Fay", "Willhoit"))
    decision = check_profile(surrogate("logistic"), votes)
    assert profile.first_line(decision, votes, "dpo") == "dpo ranks these votes correctly."


def test_a_script_has_the_pairs_of_the_witness():
    counts = Distribution.from_aggregate([[0, 3, 8], [0, 0, 1], [4, 0, 0]])
    text = script(certify_at(surrogate("logistic"), counts), "catboost", "mine.json")
    assert "\npairs = [[0, 1], [0, 2], [1, 2], [2, 0]]  # preferred, rejected\n" in text
