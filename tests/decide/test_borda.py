"""Complete rankings: which losses of pairs order by Borda's count, and that the proof's inequality holds."""

import pytest

from consistency_lab.decide.answers import Verdict
from consistency_lab.decide.tasks import decide_task
from consistency_lab.decide.theorems.catalogue import Evidence
from consistency_lab.decide.theorems.orders import BORDA, LOW_NOISE_RANKINGS
from consistency_lab.model.surrogates.tasks.atoms import PairsSurrogate
from consistency_lab.model.tasks.catalogue import target
from consistency_lab.numbers.phi import parse
from consistency_lab.search.effort import Effort

LOGISTIC, SQUARE, QUARTIC = "log(1+exp(-x))", "(1-x)**2", "x**4-x"
RANKINGS = target("pairwise", labels="rankings")


def pairs(phi, normalized="none"):
    return PairsSurrogate("pairs", parse(phi), normalized=normalized)


def proved(surrogate, task=RANKINGS, condition="net-order", theorem=BORDA):
    return isinstance(theorem.applies(surrogate, condition, task), Evidence)


@pytest.mark.parametrize("phi", [LOGISTIC, SQUARE, QUARTIC, "log(1+exp(-2*x))/3"])
@pytest.mark.parametrize("items", [2, 3])
def test_covered_where_net_order_holds(phi, items):
    for normalized in ("none", "pairs"):
        for task in (target("pairwise", labels="rankings", items=items), target("kendall", items=items)):
            for condition in ("additive", "low-noise", "net-order"):
                assert proved(pairs(phi, normalized), task, condition)
    assert not proved(pairs(phi), RANKINGS, "acyclic")
    assert not proved(pairs(phi), RANKINGS, "any")


@pytest.mark.parametrize(
    "phi", ["exp(-x)", "max(0,1-x)", "max(0,1-x)**2", "max(0,-x)", "-x", "x**4+x", "x**2"]
)
def test_not_covered(phi):
    """Other slopes, a kink at 0, no lower bound, a rise at 0, no slope at 0."""
    assert not proved(pairs(phi))


@pytest.mark.parametrize("labels", [(0, 1), (0, 1, 2), "dags"])
def test_labels_that_leave_pairs_out_are_not_covered(labels):
    """DMJ10 Theorem 11: with unequal numbers of comparisons the logistic loss fails under low-noise."""
    assert not proved(pairs(LOGISTIC), target("pairwise", labels=labels))


def test_ranknet_on_rankings_is_decided_under_every_usual_condition():
    decision = decide_task(pairs(LOGISTIC), RANKINGS, effort=Effort(60), prescribe=False)
    assert [(a.condition, a.verdict) for a in decision.answers] == [
        *((name, Verdict.CONSISTENT) for name in ("additive", "low-noise", "net-order")),
        *((name, Verdict.INCONSISTENT) for name in ("acyclic", "any")),
    ]
    assert {a.scope for a in decision.answers[:3]} == {"all m"}


@pytest.mark.parametrize("phi", [LOGISTIC, "exp(-x)", "max(0,1-x)**2", "exp(-x)+log(1+exp(1-x))"])
def test_what_does_not_rise_is_covered_under_low_noise(phi):
    for task in (target("pairwise", labels="rankings", items=4), target("kendall")):
        assert all(proved(pairs(phi), task, c, LOW_NOISE_RANKINGS) for c in ("additive", "low-noise"))
        for c in ("net-order", "acyclic", "any"):
            assert not proved(pairs(phi), task, c, LOW_NOISE_RANKINGS)


@pytest.mark.parametrize("phi", [SQUARE, "max(0,1-x)", "max(0,-x)**2", "-x"])
def test_not_covered_under_low_noise(phi):
    """It rises, has a kink (which may tie), no slope at 0, no lower bound."""
    assert not proved(pairs(phi), RANKINGS, "low-noise", LOW_NOISE_RANKINGS)


@pytest.mark.parametrize("labels", [(0, 1, 2), "dags"])
def test_low_noise_alone_is_not_enough(labels):
    """DMJ10 Theorem 11."""
    task = target("pairwise", labels=labels)
    assert not proved(pairs("exp(-x)"), task, "low-noise", LOW_NOISE_RANKINGS)
