"""The claim about every convex phi is about risks sum h_ij phi(alpha_i - alpha_j - b), b >= 0, alone."""

from dataclasses import replace
from fractions import Fraction

import pytest

from consistency_lab.core.phi import parse
from consistency_lab.core.risk import Atom, Linear, LogSumExp, Term
from consistency_lab.core.universal import Face, check_universal
from consistency_lab.errors import RejectedError
from consistency_lab.exact import LogRational

F = Fraction
H = {(0, 1): F(3), (0, 2): F(8), (1, 2): F(1), (2, 0): F(4)}
"""The weights, and below the multipliers, of `universal` in proofs.py, which does the sum by hand."""
FACE = Face(
    (F(8), F(0), F(11)),
    (((0, 1), (0, 2), F(24)), ((2, 0), None, F(1)), ((2, 0), (1, 2), F(11))),
)
EXP = parse("exp(-x)")


def terms(b: int = 0) -> list[Term]:
    return [
        Term(h, EXP, tuple(sorted([(i, F(1)), (j, F(-1))])), LogRational(F(b))) for (i, j), h in H.items()
    ]


def check(atoms: list[Atom]) -> None:
    check_universal([FACE], atoms, H, "ABC")


@pytest.mark.parametrize("margin", [0, 1])
def test_a_margin_that_is_not_negative_makes_no_difference(margin: int) -> None:
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
def test_another_atom_is_refused(atom: Atom) -> None:
    with pytest.raises(RejectedError, match="needs a risk of terms"):
        check([atom, *terms()[1:]])


@pytest.mark.parametrize(
    "change", [{"phi": parse("(1-x)**2")}, {"b": LogRational(F(1))}, {"b": LogRational(F(0), F(2))}]
)
def test_all_terms_have_one_phi_and_one_margin(change: dict[str, object]) -> None:
    first, *others = terms()
    with pytest.raises(RejectedError, match="one phi and one margin"):
        check([replace(first, **change), *others])


def test_a_term_that_lacks_or_is_turned_breaks_the_identity() -> None:
    first, *others = terms()
    for atoms in (others, [replace(first, v=((0, F(-1)), (1, F(1)))), *others]):
        with pytest.raises(RejectedError, match=r"keeps the factor|from every item to every other"):
            check([*atoms])
