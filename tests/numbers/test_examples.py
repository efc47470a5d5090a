"""One case by hand of functions that only others use."""

from fractions import Fraction

import pytest
from flint import fmpq

from consistency_lab.numbers import shape
from consistency_lab.numbers.balls import ORIGIN, brief_total, shown, sign, times
from consistency_lab.numbers.exact import (
    Ball,
    LogRational,
    as_fraction,
    enclose,
    integer_multiple,
    is_writable,
    lower_decimal,
)
from consistency_lab.numbers.exact.linear import null_space, pivot_columns, solve_both
from consistency_lab.numbers.phi import named, parse, spelled
from consistency_lab.numbers.reflection import push
from consistency_lab.numbers.shape import pieces_of
from consistency_lab.numbers.tape import Number, exp, slopes
from consistency_lab.numbers.values import Range, undominated

HALF, ONE, THIRD = Fraction(1, 2), Fraction(1), Fraction(1, 3)
LOGISTIC, HINGE = named("logistic").expression, named("hinge").expression

EXAMPLES = {
    "shown": (lambda: (shown(True), shown(10**200)[35:]), ("true", "00000... (201 characters)")),
    "zero times": (lambda: times(ORIGIN, Ball(2).sqrt()), ORIGIN),
    "a brief sum": (lambda: brief_total([LogRational(THIRD), LogRational(THIRD / 2)]), LogRational(HALF)),
    "a sign": (lambda: sign(Ball(2).sqrt() - 1, "the root of 2, less 1"), 1),
    "pivots": (lambda: pivot_columns([[ONE, ONE, 0 * ONE], [ONE, ONE, ONE]]), [0, 2]),
    "both": (
        lambda: solve_both([[(0, fmpq(2))], [(0, fmpq(2)), (1, fmpq(3))]], [fmpq(2)] * 2, [fmpq(2), fmpq(3)]),
        ([1, 0], [0, 1]),
    ),
    "null space": (lambda: null_space([[ONE, -2 * ONE]], 2), [[2, 1]]),
    "too long": (lambda: [is_writable(x) for x in (THIRD, Fraction(1, 10**2000))], [True, False]),
    "whole": (lambda: integer_multiple([HALF, Fraction(3, 4)]), ([2, 3], 4)),
    "a ball's rational": (lambda: as_fraction(enclose(Fraction(3, 8))), Fraction(3, 8)),
    "a lower decimal": (lambda: lower_decimal(enclose(THIRD), 3), Fraction(333, 1000)),
    "shape": (lambda: getattr(shape.facts(LOGISTIC), "lower", None), 0),
    "spelled": (lambda: spelled(" Bradley–Terry"), "bradley-terry"),
    "push": (lambda: [push(parse(f"max(0,1-x)**{n}")).name for n in (2, 3)], ["CONSTANT", "UNKNOWN"]),
    "pieces": (lambda: [str(p) for _, _, p in pieces_of(HINGE) or ()], ["(-1)*x + 1", "0"]),
    "undominated": (lambda: undominated([Range.point(0), Range().exp()]), [1]),
    "slopes": (lambda: [getattr(x, "op", x) for x in slopes(exp(Number((0, 1))), 2)], ["exp", "subtract"]),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_by_hand(name):
    found, expected = EXAMPLES[name]
    assert found() == expected
