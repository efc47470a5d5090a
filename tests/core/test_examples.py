"""One case by hand of inner functions of the core."""

from fractions import Fraction

import pytest

from consistency_lab.core.addition import lacking
from consistency_lab.core.certificates import best_orders, mean
from consistency_lab.core.orders import by_levels, closure, cost, extends, levels
from consistency_lab.core.reading import check_denominators
from consistency_lab.core.risk import Linear, merged
from consistency_lab.numbers.exact import LogRational
from consistency_lab.numbers.expression import parse

ONE, HALF, V = Fraction(1), Fraction(1, 2), ((0, Fraction(1)),)
ZERO_R, HALF_R, ONE_R = LogRational(Fraction(0)), LogRational(HALF), LogRational(ONE)

EXAMPLES = {
    "all is there": (lambda: lacking(parse("log(1+exp(-x))")), {}),
    "a gap is lacking": (lambda: lacking(parse("exp(-x)")), {"gap": "phi(x) - phi(-x) is not proved linear"}),
    "domination": (lambda: lacking(parse("(1-x)**2"))["domination"], "phi is not proved nonincreasing"),
    "mean": (
        lambda: [*map(str, mean("sigmoids", [(HALF, [ONE_R, ZERO_R]), (HALF, [HALF_R, HALF_R])]))],
        ["3/4", "1/4"],
    ),
    "best order": (lambda: best_orders([ZERO_R, ONE_R], 2), ((1, 0),)),
    "cost": (lambda: cost({(0, 1): 3 * ONE, (1, 0): 2 * ONE}, (1, 0)), 3),
    "by levels": (lambda: by_levels([1, 0, 1]), closure(3, [(0, 1), (2, 1)])),
    "extends": (lambda: [extends(o, closure(3, [(2, 0)])) for o in ((1, 2, 0), (0, 1, 2))], [True, False]),
    "levels": (lambda: levels([LogRational.parse(x) for x in ("log(3)", "1", "log(3)")]), (1, 0, 1)),
    "denominators": (lambda: check_denominators({"weights": ["1/2", "log(3/7)"]}), None),
    "merged": (lambda: merged([Linear(HALF, V), Linear(HALF, V)]), (Linear(ONE, V),)),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_by_hand(name):
    found, expected = EXAMPLES[name]
    assert found() == expected
