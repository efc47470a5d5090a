"""Values beyond the range of floats: left out, without a word of NumPy's (in tests a warning is an error)."""

from fractions import Fraction

import numpy as np
import pytest

from consistency_lab.decide.answers import Verdict
from consistency_lab.decide.profile import decide_profile
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import pair, surrogate
from consistency_lab.numbers.phi import parse
from consistency_lab.search.effort import Effort
from consistency_lab.search.find import survey
from consistency_lab.search.inverse import InversePrograms, shapes
from consistency_lab.search.size import TermTable
from consistency_lab.solve.numeric import RiskStructure

STEEP = "((((x**16)**16)**16)**16)**16"


@pytest.mark.parametrize("phi", [STEEP, "exp(x**16)"])
@pytest.mark.parametrize("form", ["edge", "margin"])
def test_scores_with_infinite_slopes_are_left_out(phi, form):
    loss = surrogate(phi=phi, form=form)
    scores = np.array([[5.0, -5.0, 0.0], [0.0, 0.0, 0.0]])
    for shape in shapes(loss, "any", 3):
        found = InversePrograms(TermTable(loss, 3), shape).solve(scores, ties=True, machine_code=False)
        assert np.isnan(found.regret).tolist() == [True, False]


def test_a_value_beyond_floats_is_like_any_other_large_one():
    """Both additions are nothing at near scores of the grid, and too large to be least at the others."""
    infinite, large = (
        survey(surrogate(phi=f"1/(1+exp(x))+{wall}"), "any", Effort(seconds=600))
        for wall in ("((((x/13)**16)**16)**16)**16", "1e9*max(0,abs(x)-13)")
    )
    assert infinite == large


def test_a_risk_beyond_floats_is_not_finite():
    structure = RiskStructure.of([pair(Fraction(1), parse("exp(-x)"), 0, 1)], 2)
    values = [structure.value(np.array([[c]]), np.array([[-1e308, 1e308]])).tolist() for c in (1.0, 0.0)]
    assert values[0] == [np.inf] and values[1] != [0.0]


BEYOND = Distribution.from_aggregate([[0, 10**400, 1], [0, 0, Fraction(1, 10**400)], [0, 0, 0]])


def test_weights_beyond_floats_leave_it_undecided_with_the_reason():
    found = decide_profile(surrogate("margin-hinge"), BEYOND)
    assert found.verdict is Verdict.UNDECIDED
    assert "too large for floats" in found.reason


@pytest.mark.parametrize("name", ["linear", "regression"])
def test_net_wins_beyond_floats_are_decided_by_a_theorem(name):
    """2 beats 3, but its net wins are -10**400 + 10**-400, those of 3 are -1 - 10**-400."""
    found = decide_profile(surrogate(name), BEYOND)
    assert found.verdict is Verdict.INCONSISTENT and "wins less losses" in found.reason
