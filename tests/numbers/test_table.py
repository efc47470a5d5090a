from fractions import Fraction

import pytest

from consistency_lab.errors import InputError
from consistency_lab.numbers.exact import LogRational
from consistency_lab.numbers.phi import NAMED, convexity_proof, exact_slopes, exact_value, facts, named, parse


def test_the_names():
    assert list(NAMED) == [
        *("hinge", "squared-hinge", "square", "smoothed-hinge", "huberized-hinge", "logistic"),
        *("exponential", "sigmoid", "ramp"),
    ]


@pytest.mark.parametrize("row", NAMED.values(), ids=NAMED)
def test_every_row_is_complete_and_readable(row):
    assert row == named(row.name)
    assert row.title
    assert row.citation
    assert str(row.expression) == row.text
    assert facts(row.expression).defined
    assert (convexity_proof(row.expression) is not None) is (row.name not in ("sigmoid", "ramp"))


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        ("ranksvm", "hinge"),
        ("svm-rank", "hinge"),
        ("RankNet", "logistic"),
        ("rankboost", "exponential"),
        ("squared_hinge", "squared-hinge"),
        ("Modified Huber", "huberized-hinge"),
    ],
)
def test_aliases(alias, name):
    assert named(alias).name == name


def test_an_unknown_name_gets_a_suggestion():
    with pytest.raises(InputError, match=r"'logistc' is not a known scalar function; did you mean logistic"):
        named("logistc")
    names = [name for row in NAMED.values() for name in (row.name, *row.aliases)]
    assert len(set(names)) == len(names)
    with pytest.raises(InputError, match="names are hinge, squared-hinge"):
        named("qqqq")


@pytest.mark.parametrize(
    ("name", "x", "value", "left", "right"),
    [
        # Rennie and Srebro 2005: 1/2 - z for z <= 0, (1 - z)^2 / 2 for 0 < z < 1, then 0.
        ("smoothed-hinge", "-3", "7/2", -1, -1),
        ("smoothed-hinge", "0", "1/2", -1, -1),
        ("smoothed-hinge", "1/2", "1/8", Fraction(-1, 2), Fraction(-1, 2)),
        ("smoothed-hinge", "2", "0", 0, 0),
        # Zhang 2004 (modified Huber): -4z for z < -1, then (1 - z)^2 up to 1, then 0.
        ("huberized-hinge", "-3", "12", -4, -4),
        ("huberized-hinge", "-1", "4", -4, -4),
        ("huberized-hinge", "0", "1", -2, -2),
        ("huberized-hinge", "2", "0", 0, 0),
        # The hinge has slopes [-1, 0] at 1; the logistic -1/(1+q) and the exponential -1/q at log q.
        # (docs/theory.md, Surrogate risks)
        ("hinge", "1", "0", -1, 0),
        ("squared-hinge", "-1", "4", -4, -4),
        ("square", "2", "1", 2, 2),
        ("logistic", "log(3)", "log(4/3)", Fraction(-1, 4), Fraction(-1, 4)),
        ("exponential", "log(3)", "1/3", Fraction(-1, 3), Fraction(-1, 3)),
        ("sigmoid", "log(2)", "1/3", Fraction(-2, 9), Fraction(-2, 9)),
        ("ramp", "0", "1", 0, -1),
        ("ramp", "1", "0", -1, 0),
    ],
)
def test_values_and_slopes(name, x, value, left, right):
    e, point = named(name).expression, LogRational.parse(x)
    assert exact_value(e, point) == LogRational.parse(value)
    assert exact_slopes(e, point) == (left, right)


def test_huberized_hinge_is_the_squared_hinge_continued_by_its_tangent():
    squared, huberized = named("squared-hinge").expression, named("huberized-hinge").expression
    for x in ("-1", "-1/2", "0", "1/3", "1", "5"):
        assert exact_value(squared, LogRational.parse(x)) == exact_value(huberized, LogRational.parse(x))
    assert parse(NAMED["square"].text) == named("least-squares").expression
