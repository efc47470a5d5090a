"""That exchanging items exchanges the f_i is decided exactly, also where the f_i are irrational."""

from fractions import Fraction

import pytest

from consistency_lab.decide.theorems.base import Evidence
from consistency_lab.decide.theorems.orders import EXCHANGE
from consistency_lab.model.surrogates.tasks.base import MeanSurrogate
from consistency_lab.model.surrogates.tasks.means import METRICS, NORMALIZATIONS, SmoothPositions, Softmax
from consistency_lab.model.tasks.catalogue import target
from consistency_lab.model.tasks.task import PRECISION
from consistency_lab.numbers.exact import working_precision
from consistency_lab.numbers.phi import parse
from consistency_lab.numbers.tape import Number as Exact
from consistency_lab.numbers.tape import as_ball

TASK = target("ndcg")
(EQUIVARIANT,) = (h for h in EXCHANGE.hypotheses if "equivariant" in h.statement)


class NearlyExponential(MeanSurrogate):
    """exp(y_i), and 10^-29 more for the first item: the two print alike."""

    name, formula, citation, decoder = "nearly", "", "", "sort"

    def check(self, task): ...

    def describe(self, task):
        return {"family": "nearly"}

    def features(self, task, label):
        with working_precision(PRECISION):
            found = [Exact.of(parse(f"exp({y})")) for y in label]
            return (found[0] + Fraction(1, 10**29), *found[1:])


def test_numbers_that_print_alike_are_not_taken_for_equal():
    first, second, _ = NearlyExponential().features(TASK, (1, 1, 0))
    assert f"{float(first):.16f}" == f"{float(second):.16f}"
    assert first > second
    assert EQUIVARIANT.check(NearlyExponential(), target("ndcg", labels=(1, 2, 3))) is None


@pytest.mark.parametrize(
    "surrogate",
    [*(Softmax(labels) for labels in NORMALIZATIONS), *(SmoothPositions(metric) for metric in METRICS)],
    ids=lambda s: f"{s.name}-{getattr(s, 'labels', '')}{getattr(s, 'metric', '')}",
)
def test_what_determines_f_is_equal_only_where_f_is(surrogate):
    found = {}
    for label in TASK.space.labels:
        known = surrogate.determined_by(TASK, label)
        for key, value in zip(known, surrogate.features(TASK, label), strict=True):
            other = found.setdefault(key, value)
            assert value == other if isinstance(value, Fraction) else value.ball.overlaps(as_ball(other))


@pytest.mark.parametrize("surrogate", [Softmax("exp"), SmoothPositions("ndcg")], ids=lambda s: s.name)
def test_irrational_features_are_still_covered(surrogate):
    found = EXCHANGE.applies(surrogate, "rank-differentiable", TASK)
    assert isinstance(found, Evidence)
