"""Values of small functions that measures and atlases are made of."""

from fractions import Fraction
from math import inf

import numpy as np
import pytest

from consistency_lab.apps.measure.atlas.cell import Cell, tried
from consistency_lab.apps.measure.atlas.report import share
from consistency_lab.apps.measure.calibration import calibration, has_linear_law
from consistency_lab.apps.measure.calibration_report import calibration_rows
from consistency_lab.apps.measure.cones import pieces
from consistency_lab.apps.measure.lost import most_lost
from consistency_lab.apps.measure.rate import polytope
from consistency_lab.apps.measure.worst import worst_net_order
from consistency_lab.apps.measure.worst_bounds import UNIT, OrderedPiece, SlopeTable, solve_stack
from consistency_lab.apps.measure.worst_nearby import recognize, simple_gaps, worst_at
from consistency_lab.model.surrogates import surrogate
from consistency_lab.model.surrogates.tasks.catalogue import task_surrogate
from consistency_lab.model.tasks.catalogue import target
from consistency_lab.numbers.exact import LogRational
from consistency_lab.numbers.phi import parse
from consistency_lab.search.effort import Effort

HINGE = parse("max(0,1-x)")
ADDITIVE = pieces("additive", 3)[0]
HINGE_CELL = Cell("hinge", "low-noise", 3, parts=("worst",))


def _slopes():
    table = SlopeTable(HINGE)
    return [s / 2**UNIT for s in (*table.at(0.0), table.at(1.0)[1], table.at(-inf)[0])]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (
            lambda: HINGE_CELL.command.partition(" --budget")[0],
            "consistency-lab measure --surrogates hinge --condition low-noise --items 3 --out atlas --worst",
        ),
        (lambda: Cell.of(HINGE_CELL.parameters()), HINGE_CELL),
        (
            lambda: tried({"surrogate": "hinge"}),
            (None, "these are not the parameters of a cell of the atlas"),
        ),
        (lambda: share({"failures": 1, "samples": 4}), Fraction(1, 4)),
        (lambda: has_linear_law(surrogate("difference-logistic"), "acyclic", 3), True),
        (lambda: has_linear_law(surrogate("difference-square"), "acyclic", 3), False),  # not nonincreasing
        (
            lambda: list(calibration_rows(calibration(surrogate("linear"), "low-noise", 3).law))[:3],
            [("regret", "lower", "upper"), ("0", "0", "0"), ("0.05", "0.00140625", "0.00140625")],
        ),
        (lambda: [sorted(piece.regret((0, 2, 1))) for piece in pieces("additive", 3)], [[(1, 2)]]),
        (
            lambda: [len(pieces(name, 3)) for name in ("additive", "low-noise", "acyclic", "any")],
            [1, 4, 1, 1],
        ),
        (
            lambda: [piece.volume for piece in polytope("net-order", 3).pieces],
            [Fraction(1, 6), Fraction(1, 3), Fraction(1, 6)],
        ),
        (lambda: polytope("low-noise", 3).largest_margin(), Fraction(1, 4)),
        (lambda: worst_net_order("low-noise", 3, Effort()).regret, 0),
        (lambda: worst_net_order("acyclic", 3, Effort()).regret, Fraction(1, 3)),
        (_slopes, [-1, -1, 0, -1]),
        (lambda: list(map(str, next(simple_gaps(parse("exp(-x)"), (0.7, 0.0))))), ["log(2)", "0"]),
    ],
)
def test_values(value, expected):
    assert value() == expected


def test_the_worst_aggregate_at_given_gaps():
    gaps = (LogRational(Fraction(1)), LogRational(Fraction(0)))
    worst = worst_at(HINGE, OrderedPiece(ADDITIVE, (0, 2, 1)), gaps)
    assert worst[1] == Fraction(1, 6)


def test_a_closed_form_is_recognized():
    near = (LogRational(Fraction(5, 9)), LogRational(Fraction(0)))
    form = recognize(parse("max(0,1-x)**2"), OrderedPiece(ADDITIVE, (0, 2, 1)), near, 0.0917517)
    assert form.text == "1/2 - sqrt(6)/6"


def test_a_stack_of_one_program():
    """The largest x_1 with x_1 = x_2, x >= 0 and sum 1."""
    solved = solve_stack(np.array([[1.0, 0.0]]), np.array([[[1.0, -1.0]]]), 1, np.ones((1, 2)))
    assert solved.x.round(6).tolist() == [[0.5, 0.5]]
    assert (solved.y.round(6).tolist(), solved.values.round(6).tolist()) == ([[0.5]], [0.5])


def test_two_labels_on_which_softmax_loses_ndcg():
    lost = most_lost(task_surrogate("softmax"), target("ndcg"), Effort(seconds=1))
    assert lost.regret > Fraction(1, 100)
