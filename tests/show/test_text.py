"""Numbers, names and tables as text."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consistency_lab.numbers.exact import LogRational
from consistency_lab.show.text import (
    as_decimal,
    cells,
    columns,
    combination,
    decimal,
    free,
    listed,
    matrix,
    number,
    paragraph,
    plain,
    rendered,
    score,
    short,
    tight,
)

rationals = st.fractions(max_denominator=10**6).filter(lambda x: abs(x) < 10**6)


@given(rationals)
def test_a_decimal_is_correctly_rounded(x: Fraction) -> None:
    shown = Fraction(decimal(x))
    assert abs(shown - x) <= Fraction(1, 2 * 10**6)
    assert not decimal(x).startswith("-0.000000")


@given(rationals)
def test_an_equals_sign_stands_before_exact_decimals_only(x: Fraction) -> None:
    sign, text = as_decimal(x).split()
    assert (Fraction(text) == x) == (sign == "=")


def test_numbers_with_a_logarithm() -> None:
    assert decimal(LogRational(Fraction(1), Fraction(3)), 12) == "2.098612288668"
    assert as_decimal(LogRational(Fraction(1, 2))) == "= 0.5"


def test_long_rationals_are_shown_as_decimals() -> None:
    long = Fraction(10**30 + 1, 3 * 10**30)
    assert short(long) == "≈0.333333"
    assert number(long) == "≈ 0.333333"
    assert short(Fraction(22, 7)) == "22/7"


def test_names_of_scores() -> None:
    assert [free(score(name)) for name in ("1", "Fay", "São_Paulo", "a b", "")] == [
        "α_1",
        "α_Fay",
        "α_São_Paulo",
        "α[a b]",
        "α[]",
    ]


def test_wide_characters_take_two_columns() -> None:
    lines = columns([["東京", "1"], ["Oslo", "20"]], indent=0, right=[1])
    assert lines == ["東京   1", "Oslo  20"]
    assert cells("e\u0301") == 1


def test_a_matrix() -> None:
    a = [[Fraction(0), Fraction(1, 2)], [Fraction(3), Fraction(0)]]
    assert matrix(a, ["A", "B"], indent=0).lines(80) == ["   A    B", "A  .  1/2", "B  3    ."]


@pytest.mark.parametrize("width", [40, 80, 100, 220])
def test_a_matrix_of_many_items_fits_the_page_and_loses_nothing(width: int) -> None:
    names = [f"Candidate {k}" for k in range(15)]
    a = [[Fraction(100 * i + j + 1000) for j in range(15)] for i in range(15)]
    lines = list(rendered([matrix(a, names, 2)], width))
    assert max(map(len, lines)) <= width
    blocks = [block.split("\n") for block in "\n".join(lines).split("\n\n")]
    assert all(len(block) == 16 for block in blocks)
    for i, name in enumerate(names):
        rows = [block[i + 1].split() for block in blocks]
        assert all(row[:2] == name.split() for row in rows)
        found = [entry for row in rows for entry in row[2:]]
        assert found == ["." if i == j else str(a[i][j]) for j in range(15)]
    assert len(blocks) == {40: 10, 80: 4, 100: 3, 220: 1}[width]


def test_a_column_that_is_wider_than_the_page_stands_alone() -> None:
    a = [[Fraction(0), Fraction(1)], [Fraction(1), Fraction(0)]]
    lines = matrix(a, ["A" * 30, "B"], 0).lines(20)
    assert lines[3] == ""
    assert len(lines) == 7


@given(
    st.lists(st.text(alphabet="ab ", min_size=1, max_size=12), min_size=1, max_size=20), st.integers(20, 120)
)
def test_a_paragraph_fits_its_page(words: list[str], width: int) -> None:
    lines = list(rendered(paragraph(" ".join(words), 2, 2), width))
    assert all(len(line) <= min(width, 100) for line in lines)
    assert " ".join(lines).split() == " ".join(words).split()


def test_a_tight_text_is_not_broken() -> None:
    lines = list(rendered(paragraph("See " + tight("α - β") + " there", 0), 6))
    assert lines == ["See", "α - β", "there"]


def test_sums() -> None:
    assert combination([(Fraction(0), "x")]) == "0"
    assert combination([(Fraction(-1, 2), "x"), (Fraction(1), "y")]) == "-1/2·x + y"


def test_lists_of_words() -> None:
    assert [listed(words) for words in ([], ["a"], ["a", "b"])] == ["", "a", "a and b"]
    assert listed(["a", "b", "c"], "or") == "a, b or c"


def test_latex_of_the_statements() -> None:
    assert plain(r"\(\phi'(0) < 0\)") == "φ'(0) < 0"
    assert plain(r"\{(i,j) : d_{ij} > 0\} \text{ is acyclic}") == "{(i,j) : d_ij > 0} is acyclic"
