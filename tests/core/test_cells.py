"""What closed cells may return: a prediction with several cells, and rows of the wrong length."""

from fractions import Fraction

import pytest

from consistency_lab.core import verify_proof
from consistency_lab.core.orders import Cells
from consistency_lab.errors import InputError
from consistency_lab.numbers.exact import LogRational

from .proofs import PROOFS

ONE, NOUGHT = Fraction(1), Fraction(0)
ABOVE = (((ONE,), Fraction(-1)),)  # u >= 1
BELOW = (((-ONE,), Fraction(-1)),)  # u <= -1


def test_one_of_its_cells_is_enough():
    cells = Cells({0: (ABOVE, BELOW), 1: ((((NOUGHT,), NOUGHT),),)})
    assert [cells.may_return([LogRational(Fraction(u))]) for u in (2, 0, -2)] == [(0, 1), (1,), (0, 1)]
    assert cells.may_return([LogRational.parse("log(3)")]) == (0, 1)


def test_every_row_of_a_cell_counts():
    between = Cells({0: ((((ONE,), ONE), ((-ONE,), ONE)),)})  # -1 <= u <= 1
    assert [between.may_return([LogRational(Fraction(u))]) for u in (-2, -1, 1, 2)] == [(), (0,), (0,), ()]


@pytest.mark.parametrize("row", [[], ["1", "1"]])
def test_every_row_has_an_entry_a_coordinate(row):
    """Also a row that no answer depends on: the one before it excludes the point."""
    entry = PROOFS["cells"]()
    entry["decoder"]["yes"][0].append([row, "0"])
    with pytest.raises(InputError, match="a list of 1"):
        verify_proof(entry)
