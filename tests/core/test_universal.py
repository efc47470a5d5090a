"""The claim about every convex phi is about risks sum h_ij phi(alpha_i - alpha_j - b), b >= 0, alone."""

from dataclasses import replace
from fractions import Fraction

import pytest

from consistency_lab.core.inequalities import Face, check_faces, check_universal
from consistency_lab.core.risk import Linear, LogSumExp, PhiAtom
from consistency_lab.errors import RejectedError
from consistency_lab.numbers.exact import LogRational
from consistency_lab.numbers.expression import parse

F = Fraction
H = {(0, 1): F(3), (0, 2): F(8), (1, 2): F(1), (2, 0): F(4)}
"""The weights, and below the multipliers, of `universal` in proofs.py, which does the sum by hand."""
FACE = Face((F(8), F(0), F(11)), (((0, 1), (0, 2), F(24)), ((2, 0), None, F(1)), ((2, 0), (1, 2), F(11))))
EXP = parse("exp(-x)")


def terms(b=0):
    return [
        PhiAtom(h, EXP, tuple(sorted([(i, F(1)), (j, F(-1))])), LogRational(F(b))) for (i, j), h in H.items()
    ]


def check(atoms):
    check_universal([FACE], atoms, H, "ABC")


@pytest.mark.parametrize("margin", [0, 1])
def test_a_margin_that_is_not_negative_makes_no_difference(margin):
    check([*terms(margin)])


@pytest.mark.parametrize(
    "atom",
    [
        replace(terms()[0], b=LogRational(F(-1))),
        replace(terms()[0], b=LogRational(F(0), F(1, 2))),
        replace(terms()[0], v=((0, F(1)), (1, F(-2)))),
        replace(terms()[0], v=((0, F(2)), (1, F(-2)))),
        replace(terms()[0], v=((0, F(1)), (1, F(1)))),
        replace(terms()[0], v=((0, F(1)),)),
        replace(terms()[0], v=((0, F(2)), (1, F(-1)), (2, F(-1)))),
        Linear(F(3), ((0, F(1)), (1, F(-1)))),
        LogSumExp(F(3), (0, 1)),
    ],
)
def test_another_atom_is_refused(atom):
    with pytest.raises(RejectedError, match="needs a risk of terms"):
        check([atom, *terms()[1:]])


@pytest.mark.parametrize(
    "change", [{"phi": parse("(1-x)**2")}, {"b": LogRational(F(1))}, {"b": LogRational(F(0), F(2))}]
)
def test_all_terms_have_one_phi_and_one_margin(change):
    first, *others = terms()
    with pytest.raises(RejectedError, match="one phi and one margin"):
        check([replace(first, **change), *others])


@pytest.mark.parametrize(
    "edges", ["", "AB", "AB BA", "AC CA", "BC CB", "AB BC", "AB BC AC", "AB BA BC", "BA BC CB"]
)
def test_edges_lead_from_every_item_to_every_other_one(edges):
    weights = {("ABC".index(i), "ABC".index(j)): F(1) for i, j in edges.split()}
    with pytest.raises(RejectedError, match="from every item to every other one"):
        check_faces([FACE], weights, "ABC")


@pytest.mark.parametrize("edges", ["AB BC CA", "AC CB BA", "AB BA BC CB", "AC CA AB BA"])
def test_a_circle_leads_everywhere(edges):
    weights = {("ABC".index(i), "ABC".index(j)): F(1) for i, j in edges.split()}
    with pytest.raises(RejectedError, match="the multipliers give the unknown g_"):
        check_faces([FACE], weights, "ABC")


BY_WAY_OF_BA = (((2, 0), (1, 0), F(1)), ((1, 0), None, F(1)))
"""g_CA <= g_BA <= g_0, though no pair weighs BA."""


@pytest.mark.parametrize(
    "monotone",
    [
        (*FACE.monotone, ((2, 0), None, F(0))),
        (*FACE.monotone, (None, (0, 1), F(0))),
        (*FACE.monotone[1:], ((0, 1), (0, 2), F(1, 2)), ((0, 1), (0, 2), F(47, 2))),
        (FACE.monotone[0], FACE.monotone[2], *BY_WAY_OF_BA),
        (FACE.monotone[0], FACE.monotone[2], *BY_WAY_OF_BA[::-1]),
    ],
)
def test_other_multipliers_with_the_same_sum(monotone):
    check_faces([replace(FACE, monotone=monotone)], H, "ABC")


@pytest.mark.parametrize(
    ("face", "message"),
    [
        (replace(FACE, balance=(F(8), F(0))), "one multiplier y for each item"),
        (replace(FACE, balance=(*FACE.balance, F(0))), "one multiplier y for each item"),
        (replace(FACE, balance=(F(9), F(0), F(11))), "give the unknown g_A,B the factor -3; it must be 0"),
        (Face((F(0),) * 3, ()), "give the unknown g_0 the factor 1; it must be 0"),
        (
            replace(FACE, monotone=(*FACE.monotone, ((2, 0), None, F(1)), ((2, 0), None, F(-1)))),
            "inequality 5 is -1; it must be at least 0",
        ),
        (replace(FACE, monotone=(*FACE.monotone[::2], BY_WAY_OF_BA[0])), "the multipliers give the unknown"),
        (
            replace(FACE, monotone=(*FACE.monotone, ((0, 1), (0, 2), F(1)), ((0, 2), (0, 1), F(1)))),
            "no multipliers are given for the face",
        ),
        (replace(FACE, monotone=(*FACE.monotone, ((0, 1), (0, 1), F(1)))), "no multipliers are given for"),
    ],
)
def test_multipliers_that_prove_nothing(face, message):
    with pytest.raises(RejectedError, match=message):
        check_faces([face], H, "ABC")


def test_multipliers_for_no_face_and_none_at_all():
    never = replace(FACE, monotone=(*FACE.monotone, ((0, 1), (0, 2), F(1)), ((0, 2), (0, 1), F(1))))
    with pytest.raises(RejectedError, match="face 2 hold on no face"):
        check_faces([FACE, never], H, "ABC")
    with pytest.raises(RejectedError, match="no multipliers are given"):
        check_faces([], H, "ABC")
    # Where B is nearer to C than to A, and only there.
    some = Face(FACE.balance, (*FACE.monotone, ((1, 2), (0, 1), F(0))))
    check_faces([FACE, some], H, "ABC")
