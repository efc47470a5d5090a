"""The calibration function of five items, which takes some thousand programs."""

from fractions import Fraction

from consistency_lab.apps.measure.calibration import _class, calibration, cases
from consistency_lab.model.surrogates import surrogate
from consistency_lab.search.effort import Effort


def test_five_items_are_settled_as_the_table_in_the_documents_says():
    """5/16; each program stands for the cases of its class, 6665 in all."""
    effort = Effort(seconds=1000)
    found = calibration(surrogate("linear"), "low-noise", 5, effort=effort)
    assert (found.kind, found.law.c, found.law.cases) == ("exact", Fraction(5, 16), 6665)
    assert effort.programs == len({_class(case) for case in cases("low-noise", 5)}) < 6665 // 2
