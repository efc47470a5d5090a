"""Irrational numbers stay written out: the core reads what a loss writes, and encloses the same number."""

from fractions import Fraction

import numpy as np
import pytest

from consistency_lab import UnsupportedError, target
from consistency_lab.core.reading import real
from consistency_lab.model.surrogates.tasks.means import SmoothPositions, Softmax
from consistency_lab.model.tasks.task import PRECISION
from consistency_lab.numbers.balls import ball, rational
from consistency_lab.numbers.exact import LogRational, working_precision
from consistency_lab.numbers.normal_form import certainly_equal
from consistency_lab.numbers.phi import enclose_slopes, parse
from consistency_lab.numbers.tape import ALONE, Number, at, exp, in_floats, log, slopes

TASKS = [
    target("ndcg", items=5, labels=(0, 1)),
    target("ndcg", items=4, labels=(0, 3), k=2),
    target("ndcg", items=3, gain="s**2", discount="sqrt(j)+log(1+j)/3"),
    target("ndcg", items=3, discount="2**(j/3)"),
    target("eru", items=4, labels=(0, 1), w=Fraction(4)),
    target("err", items=3),
    target("map", items=4),
]


def read_back(x):
    with working_precision(PRECISION):
        found = real(str(x), "a number")
        if isinstance(x, Fraction):
            assert rational(found) == x
        else:
            assert ball(found).overlaps(x.ball)
            assert float(ball(found).rad()) < 2.0**-200


@pytest.mark.parametrize("task", TASKS, ids=lambda task: f"{task.title} {task.size}")
def test_the_core_reads_what_a_loss_writes(task):
    for label in task.space.labels:
        for prediction in task.predictions[::7]:
            read_back(task.loss(label, prediction))


@pytest.mark.parametrize("surrogate", [Softmax("exp"), SmoothPositions("ndcg"), SmoothPositions("mrr")])
def test_the_core_reads_what_a_feature_writes(surrogate):
    task = target("ndcg", items=4)
    for label in task.space.labels[::5]:
        for x in surrogate.features(task, label):
            read_back(x)


def test_arithmetic_is_exact_where_it_can_be():
    x = Number.of(parse("log(3)"))
    assert x + 0 is x and 0 + x is x and x - 0 is x and 1 * x is x and x * Fraction(1) is x
    assert x * Fraction(0) == Fraction(0) == 0 * x == 0 / x
    texts = ["2*log(3)", "log(3)/2", "1-log(3)", "log(3)*log(3)"]
    assert [str(y) for y in (2 * x, x / 2, 1 - x, x * x)] == texts
    assert float(x) == pytest.approx(1.0986122886681098)


def test_comparisons_are_true_where_they_are_certain_only():
    x, y = Number.of(parse("log(3)")), Number.of(parse("log(9)/2"))
    assert x > 1 and x < Fraction(11, 10) and Fraction(1) < x and not x < 1
    assert not x > y and not x < y
    assert x != y


def test_floats_are_those_of_the_formula():
    u, v = Number((0, 1)), Number((2, ALONE))
    third, small = Fraction(1, 3), exp(-40 * v)
    entries = [third * u + v, exp(u) / (exp(u) + 1), log(small + 1), exp(2000 * u), log(3) / log(2), third]
    scores = np.array([[2.0, 1.0, 1.0], [0.5, 1.0, 3.0]])
    x, y = scores[:, 0] - scores[:, 1], scores[:, 2]
    expected = [x / 3 + y, 1 / (1 + np.exp(-x)), np.exp(-40 * y), np.exp(np.minimum(2000 * x, 700.0))]
    assert in_floats(entries, 3)(scores) == pytest.approx(
        np.array([*expected, [np.log2(3)] * 2, [1 / 3] * 2]), rel=1e-13
    )


@pytest.mark.parametrize(
    "text", ["log(1+exp(-x))", "(1-x)**2/(2+x**2)", "(1+x**2)**(1/2)", "exp(-2*x)*x**-1"]
)
def test_slopes_are_those_of_the_expression(text):
    gap, x = Number((0, 1)), LogRational(Fraction(3, 7))
    up, down = slopes(at(parse(text), gap), 2)
    found = in_floats([up, down], 2)(np.array([[3 / 7, 0.0]]))[:, 0]
    slope = float(enclose_slopes(parse(text), x)[0].mid())
    assert list(found) == pytest.approx([slope, -slope], rel=1e-13)
    with pytest.raises(UnsupportedError, match="kinks"):
        at(parse("max(0,1-x)"), gap)


@pytest.mark.parametrize(
    ("left", "right", "equal"),
    [
        ("exp(1/2)*2", "exp(1/2)+exp(2/4)", True),
        ("exp(1/2)", "exp(1/3)", False),
        ("log(12)", "log(4)+log(3)", True),
    ],
)
def test_what_is_proved_equal(left, right, equal):
    assert certainly_equal(Number.of(parse(left)), Number.of(parse(right))) is equal
