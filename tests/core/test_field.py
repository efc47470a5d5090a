"""Fields as programs: what the core encloses, and how large they may be."""

import copy
from fractions import Fraction
from math import exp

import pytest

from consistency_lab.core import equilibrium as module
from consistency_lab.core.equilibrium import Program, check_equilibrium
from consistency_lab.core.verify import verify_proof
from consistency_lab.errors import RejectedError
from consistency_lab.numbers.exact import Ball

from .proofs import equilibrium


def rotation(strength):
    """d_1 = u_1 - u_3, d_2 = u_2 - u_3; the field (d_1 - 2 + s (d_2 - 1), d_2 - 1 - s (d_1 - 2))."""
    steps = (
        ("difference", 0, 2),
        Fraction(2),
        ("subtract", 0, 1),
        ("difference", 1, 2),
        Fraction(1),
        ("subtract", 3, 4),
        strength,
        ("multiply", 6, 5),
        ("add", 2, 7),
        ("multiply", 6, 2),
        ("subtract", 5, 9),
    )
    return Program(steps, (8, 10))


BOX = [(Fraction(19, 10), Fraction(21, 10)), (Fraction(9, 10), Fraction(11, 10))]


@pytest.mark.parametrize("strength", [Fraction(0), Fraction(1), Fraction(1000)])
def test_a_rotation_has_its_zero_and_attracts(strength):
    """The symmetric part of the Jacobian is the unit matrix, however fast the field turns."""
    assert check_equilibrium([(Fraction(1), rotation(strength))], (0, 1, 2), BOX)


def test_a_field_that_pushes_away_does_not_attract():
    steps = (*rotation(Fraction(0)).steps, Fraction(-1), ("multiply", 11, 8), ("multiply", 11, 10))
    assert not check_equilibrium([(Fraction(1), Program(steps, (12, 13)))], (0, 1, 2), BOX)
    saddle = Program(steps, (8, 13))
    assert not check_equilibrium([(Fraction(1), saddle)], (0, 1, 2), BOX)


def test_slopes_that_may_vanish_together_are_refused():
    steps = (*rotation(Fraction(0)).steps,)
    with pytest.raises(RejectedError, match="not certainly regular"):
        check_equilibrium([(Fraction(1), Program(steps, (8, 8)))], (0, 1, 2), BOX)


@pytest.mark.parametrize("edge", [0, 1])
def test_the_zero_may_not_lie_outside_the_box(edge):
    beside = [*BOX]
    beside[edge] = (beside[edge][0] + Fraction(3, 20), beside[edge][1] + Fraction(3, 20))
    with pytest.raises(RejectedError, match=f"score {edge + 1} of the zero is not proved"):
        check_equilibrium([(Fraction(1), rotation(Fraction(0)))], (0, 1, 2), beside)


def test_a_zero_at_the_end_of_the_box_is_in_it():
    one = Program((("difference", 0, 1), Fraction(1), ("subtract", 0, 1)), (2,))
    assert check_equilibrium([(Fraction(1), one)], (0, 1), [(Fraction(1), Fraction(2))])


def test_fields_that_would_take_long_are_refused_at_once(monkeypatch):
    """Here at most 30 steps a label, and 2,000 steps times items in all."""
    monkeypatch.setattr(module, "MOST_STEPS", 30)
    monkeypatch.setattr(module, "MOST_SLOPES", 2_000)
    entry = equilibrium()
    psi = entry["labels"][0]["psi"]
    psi["steps"] += [["add", 3, 3]] * (30 - len(psi["steps"]))
    assert verify_proof(entry).attracting
    whole = copy.deepcopy(entry)
    whole["labels"] = [{**entry["labels"][0], "probability": "1/33"}] * 33
    assert verify_proof(whole).attracting
    whole["labels"] = [{**entry["labels"][0], "probability": "1/34"}] * 34
    with pytest.raises(RejectedError, match="2_000 steps times items"):
        verify_proof(whole)
    psi["steps"] += [["add", 3, 3]]
    with pytest.raises(RejectedError, match="30 steps for a label"):
        verify_proof(entry)
    order = tuple(range(module.MOST_SCORES + 1))
    box = [(Fraction(k), Fraction(k) + Fraction(1, 2)) for k in range(module.MOST_SCORES, 0, -1)]
    with pytest.raises(RejectedError, match="at most 64 items"):
        check_equilibrium([(Fraction(1), rotation(Fraction(0)))], order, box)


def test_numbers_beyond_all_bounds_are_not_taken_for_zeros():
    """exp of exp of exp ... is enclosed by no bounded ball."""
    entry = copy.deepcopy(equilibrium())
    psi = entry["labels"][0]["psi"]
    psi["steps"] += [
        ["exp", 1],
        *(["exp", k] for k in range(4, 60)),
        *(["multiply", k, k] for k in range(60, 999)),
    ]
    psi["gradient"] = [len(psi["steps"]) - 1]
    with pytest.raises(RejectedError):
        verify_proof(entry)


def test_the_slopes_of_every_operation():
    """By hand, at x = u_1 - u_3 = 3 and y = u_2 - u_3 = 2."""
    x, y = ("difference", 0, 2), ("difference", 1, 2)
    steps = (x, y, ("divide", 0, 1), ("log", 0), ("multiply", 0, 1), ("exp", 0), ("add", 0, 1))
    program = Program((*steps, ("subtract", 0, 1)), (2, 3, 4, 5, 6, 7))
    found = [[float(slope) for slope in entry.slopes] for entry in program.run([Ball(3), Ball(2)])]
    by_hand = [[1 / 2, -3 / 4], [1 / 3, 0], [2, 3], [exp(3), 0], [1, 1], [1, -1]]
    for slopes, expected in zip(found, by_hand, strict=True):
        assert slopes == pytest.approx(expected, rel=1e-15)


# (u_1 - u_3 - 2, u_2 - u_3 - 1): its zero is (2, 1, 0).
SPRINGS = Program(
    (
        ("difference", 0, 2),
        ("difference", 1, 2),
        Fraction(2),
        Fraction(1),
        ("subtract", 0, 2),
        ("subtract", 1, 3),
    ),
    (4, 5),
)
LOW, HIGH = Fraction(9, 10), Fraction(11, 10)


def springs(first, second, order):
    return check_equilibrium([(Fraction(1), SPRINGS)], order, [first, second])


def test_the_box_lies_in_the_order():
    assert springs((LOW + 1, HIGH + 1), (LOW, HIGH), (0, 1, 2))
    for order in ((1, 0, 2), (0, 2, 1), (2, 0, 1), (1, 2, 0)):
        with pytest.raises(RejectedError, match="sorts the items"):
            springs((LOW + 1, HIGH + 1), (LOW, HIGH), order)


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ((HIGH, HIGH + 1), (LOW, HIGH), "sorts the items"),  # these two touch a tie
        ((LOW + 1, HIGH + 1), (Fraction(0), 2 * HIGH - 1), "sorts the items"),
        ((LOW + 1, HIGH + 1), (HIGH, LOW), "is empty"),
    ],
)
def test_other_boxes_are_refused(first, second, said):
    with pytest.raises(RejectedError, match=said):
        springs(first, second, (0, 1, 2))
    assert springs((Fraction(2), Fraction(2)), (Fraction(1), Fraction(1)), (0, 1, 2))
