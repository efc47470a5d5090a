"""Which surrogates of which targets are covered by a theorem, and that a theorem never says too much."""

from contextlib import suppress
from dataclasses import fields
from fractions import Fraction
from itertools import pairwise, product
from random import Random

import pytest

from consistency_lab.decide.tasks import decide_task
from consistency_lab.decide.theorems.base import Refusal
from consistency_lab.decide.theorems.catalogue import consistency_theorem, refusals, theorems
from consistency_lab.decide.theorems.dmj13 import common_factor, kind
from consistency_lab.decide.theorems.rat13 import OF_TWO_GRADES, preference_factor
from consistency_lab.errors import InputError
from consistency_lab.model.conditions import TASK_CONDITIONS
from consistency_lab.model.labels import Grades
from consistency_lab.model.surrogates.tasks.atoms import (
    CrammerSinger,
    LeeLinWahba,
    PairsSurrogate,
    WestonWatkins,
)
from consistency_lab.model.surrogates.tasks.base import MeanSurrogate, TaskSurrogate
from consistency_lab.model.surrogates.tasks.catalogue import TASK_SURROGATES, unknown
from consistency_lab.model.surrogates.tasks.libraries import library_losses
from consistency_lab.model.surrogates.tasks.means import (
    MULTICLASS,
    NORMALIZATIONS,
    Indicator,
    OrdinalSurrogate,
    PairSquareSurrogate,
    Regression,
    Sigmoid,
    Softmax,
)
from consistency_lab.model.tasks.catalogue import TARGETS, target
from consistency_lab.model.tasks.positional import Precision
from consistency_lab.model.tasks.task import PositionalTask, combination
from consistency_lab.numbers.phi import named, parse
from consistency_lab.numbers.tape import as_ball

MEANS = (
    *(Regression(f) for f in ("gain", "gain/Z", "grade")),
    *(Softmax(labels) for labels in NORMALIZATIONS),
    *(Sigmoid(f) for f in ("gain", "grade")),
    *(PairSquareSurrogate(weights=f) for f in ("gain", "grade")),
)


ON_OWN_GRADES = (
    *(Regression(f) for f in ("gain", "gain/Z", "grade", "net")),
    *(Softmax(labels) for labels in ("none", "gain-none")),
    *(Sigmoid(f) for f in ("gain", "grade")),
    *(PairSquareSurrogate(weights=f) for f in ("gain", "grade")),
    OrdinalSurrogate(),
)
"""Where f_i depends on y_i alone, or is the net preference."""


OF_LABELS = [theorem for theorem in theorems() if issubclass(theorem.families[0], TaskSurrogate)]


def zhang(phi, weights="zhang", normalized="none"):
    return PairsSurrogate("zhang", named(phi).expression, weights, normalized)


def found(surrogate, task, condition="any"):
    return consistency_theorem(surrogate, condition, task)


def test_names_differ_and_every_theorem_has_a_source():
    assert len({theorem.name for theorem in OF_LABELS}) == len(OF_LABELS)
    assert all(theorem.statement and theorem.citation for theorem in OF_LABELS)
    assert all(name in TASK_CONDITIONS for theorem in theorems() for name in theorem.conditions)


@pytest.mark.parametrize(
    ("surrogate", "task"),
    [
        (Regression("gain/Z"), target("ndcg")),  # Ravikumar, Tewari and Yang 2011; DMJ13
        (Regression("gain/Z"), target("ndcg", k=2)),
        (Regression("gain/Z"), target("ndcg", gain="s", discount="j")),
        (Regression("gain"), target("precision", k=2)),  # RAT13 §4
        (Regression("grade"), target("wta")),
        (Regression("gain"), target("eru", v=Fraction(1))),  # RAT13 §5
        (Softmax("none"), target("precision")),
        (OrdinalSurrogate(), target("precision", k=2)),
        *((surrogate, target("pairwise", labels=(0, 1))) for surrogate in ON_OWN_GRADES),
        *((surrogate, target("pairwise", labels=(1, 4))) for surrogate in ON_OWN_GRADES),
        (Softmax("gain-none"), target("eru")),
        (Sigmoid("grade"), target("precision")),
        (PairSquareSurrogate(weights="gain"), target("eru")),
        (zhang("logistic"), target("ndcg")),  # Zhang 2004, Theorem 5; DMJ13
        (zhang("square"), target("ndcg")),
        (zhang("exponential", "zhang-gain"), target("precision")),
        (zhang("squared-hinge", "zhang-gain"), target("eru")),
        (Indicator("softmax"), target("zero-one", items=4)),  # Zhang 2004; Tewari and Bartlett 2007
        (LeeLinWahba(), target("zero-one", items=4)),
    ],
)
def test_covered_for_every_distribution_and_every_m(surrogate, task):
    evidence = found(surrogate, task)
    assert evidence.scope.startswith("all ")
    for condition in ("acyclic", "net-order"):
        if not TASK_CONDITIONS[condition].fits(task.space):
            weaker = found(surrogate, task, condition)
            assert weaker.scope == evidence.scope
            assert weaker.hypotheses[-1] == ("the condition is any", f"{condition} implies it")


@pytest.mark.parametrize(
    ("surrogate", "task", "missing"),
    [
        (Regression("gain"), target("ndcg"), "positive multiple"),
        (Regression("grade"), target("ndcg"), "positive multiple"),
        (Softmax(), target("ndcg"), "positive multiple"),
        (Regression("grade"), target("eru", v=Fraction(1)), "positive multiple"),
        (Softmax("sum"), target("precision"), "positive multiple"),
        (zhang("hinge"), target("ndcg"), "phi is differentiable"),
        (zhang("logistic", "zhang-gain"), target("ndcg"), "weight"),
        (zhang("logistic", "unit"), target("ndcg"), "weight"),
        (zhang("logistic", "zhang", "pairs"), target("ndcg"), "weight"),
        (PairsSurrogate("flat", parse("max(0,-x)**2"), "zhang"), target("ndcg"), "phi'(0) < 0"),
        (PairsSurrogate("falling", parse("-x"), "zhang"), target("ndcg"), "bounded below"),
    ],
)
def test_the_hypothesis_that_is_missing_is_named(surrogate, task, missing):
    assert found(surrogate, task) is None
    assert missing in refusals(surrogate, "any", task)[0].reason


@pytest.mark.parametrize("surrogate", [CrammerSinger(), WestonWatkins()])
def test_inconsistent_multiclass_losses_have_no_theorem(surrogate):
    # Tewari and Bartlett 2007, §5: neither is calibrated for three classes.
    assert found(surrogate, target("zero-one")) is None


@pytest.mark.parametrize("surrogate", [Regression("gain"), zhang("logistic", "zhang-gain"), Sigmoid("gain")])
def test_err_needs_independent_grades(surrogate):
    # DMJ13, lemma on ERR.
    evidence = found(surrogate, target("err"), "independent")
    assert evidence.citation.startswith("DMJ13 (lemma on ERR")
    assert found(surrogate, target("err")) is None
    refused = refusals(surrogate, "any", target("err"))
    assert any("assumes independent, which any does not imply" in refusal.reason for refusal in refused)
    assert all("which any does not imply" in refusal.reason for refusal in refused)


@pytest.mark.parametrize("psi", MULTICLASS)
def test_one_against_all(psi):
    evidence = found(Indicator(psi), target("zero-one"))
    assert "Tewari and Bartlett 2007" in evidence.citation
    assert ("phi is differentiable" in {what for what, _ in evidence.hypotheses}) is (psi != "softmax")


def test_with_two_relevant_or_irrelevant_items_dividing_by_the_sum_does_not_matter():
    # The labels (0,0) and (1,1) do not tell the items apart, so y / sum y is as good as G/Z, at m = 2 only.
    evidence = found(Softmax("sum"), target("precision", items=2))
    assert evidence.scope == "these labels"
    assert common_factor(Softmax("sum"), target("precision", items=2)) == 1
    assert common_factor(Softmax("sum"), target("precision", items=3)) is None


@pytest.mark.parametrize("surrogate", ON_OWN_GRADES, ids=lambda s: str(s.describe(target("pairwise"))))
@pytest.mark.parametrize("grades", [(0, 1), (1, 4)], ids=str)
def test_two_grades_make_every_such_mean_a_multiple_of_d(surrogate, grades):
    # RAT13 Theorem 6: then P_f is everything. The factor is that of one label, whatever m; for net it is m.
    tasks = [target("pairwise", items=m, labels=grades) for m in (2, 3, 4, 5)]
    factors = [preference_factor(surrogate, task, nets=False) for task in tasks]
    assert all(factors)
    net = surrogate.describe(target("pairwise")).get("f") == "net"
    assert factors == ([2, 3, 4, 5] if net else factors[:1] * 4)


def test_net_order_is_not_proved_for_all_m_from_the_labels_of_two_items():
    # y / sum y is a multiple of d at two items only; at three it fails under net-order.
    for m, scope in ((2, "these labels"), (3, None)):
        evidence = found(Softmax("sum"), target("pairwise", items=m, labels=(0, 1)), "net-order")
        assert (evidence and evidence.scope) == scope
    for labels in ((0, 1, 2), "rankings", "dags"):
        evidence = found(Regression("net"), target("pairwise", labels=labels), "net-order")
        assert evidence.scope == "all m"


def test_the_table_of_such_means_is_complete():
    assert {kind(surrogate, target("pairwise")) for surrogate in ON_OWN_GRADES} == OF_TWO_GRADES


@pytest.mark.parametrize(
    ("surrogate", "grades"), [(Softmax("sum"), (0, 1)), (Softmax("exp"), (0, 1)), (Sigmoid(), (0, 1, 2))]
)
def test_other_means_are_not_proved_for_all_m(surrogate, grades):
    assert found(surrogate, target("pairwise", labels=grades)) is None


class Unproved(MeanSurrogate):
    """Averages the grades with an excess of which nothing is known."""

    name, formula, citation, decoder = "unproved", "", "", "sort"

    def check(self, task): ...

    def features(self, task, label):
        return tuple(map(Fraction, label))

    def describe(self, task):
        return {"family": "unproved"}


class Renamed(Unproved):
    """The same, and calls itself least squares."""

    def describe(self, task):
        return {"family": "regression", "name": "regression", "f": "grade"}


class Backwards(Regression):
    """A class derived from least squares, on other numbers."""

    def features(self, task, label):
        return tuple(-x for x in super().features(task, label))


@pytest.mark.parametrize("own", [Unproved(), Renamed(), Backwards("grade")], ids=lambda s: type(s).__name__)
def test_no_theorem_speaks_of_a_class_of_ones_own(own):
    task = target("precision")
    assert found(own, task) is None
    refused = refusals(own, "any", task)
    assert {reason.reason.partition(" does not cover ")[2] for reason in refused} == {
        f"the surrogate {type(own).__name__}, a user-defined class"
    }
    with pytest.raises(InputError, match=f"the surrogate {type(own).__name__} is a custom class"):
        decide_task(own, task)


def test_no_theorem_speaks_of_a_derived_target_or_of_derived_labels():
    class Upside(Precision):
        def loss(self, label, prediction):
            return 1 - Fraction(super().loss(label, prediction))

    class Fewer(Grades): ...

    for task, what in (
        (Upside(Grades(3, (0, 1)), 1), "the target Upside"),
        (Precision(Fewer(3, (0, 1)), 1), "the labels Fewer"),
    ):
        assert found(Regression("grade"), task) is None
        with pytest.raises(InputError, match=f"{what} is a custom class"):
            decide_task(Regression("grade"), task)


def test_another_decoder_is_not_covered():
    task = target("precision")
    refused = refusals(Indicator(), "any", task)
    assert any("decoded by sorting" in refusal.reason for refusal in refused)
    assert found(Indicator(), task) is None


@pytest.mark.parametrize("surrogate", MEANS, ids=lambda s: f"{s.name}-{s.describe(target('ndcg'))}")
@pytest.mark.parametrize(
    "task",
    [target("ndcg", discount="j"), target("precision", items=2), target("precision", k=2), target("eru")],
    ids=lambda task: task.title,
)
def test_what_is_covered_is_right_at_random_distributions(surrogate, task):
    # Every ranking that sorting E f may return is optimal, whichever way ties are broken.
    if found(surrogate, task) is None:
        return
    rng = Random(1)
    for _ in range(5):
        drawn = {rng.choice(task.space.labels): rng.randint(1, 3) for _ in range(3)}
        p = {label: Fraction(weight, sum(drawn.values())) for label, weight in drawn.items()}
        columns = features(surrogate, task, p)
        means = [as_ball(combination(zip(p.values(), column, strict=True))) for column in columns]
        losses = {t: as_ball(task.expected_loss(p, t)) for t in task.predictions}
        for t, other in product(task.predictions, repeat=2):
            if not any(means[below] > means[above] for above, below in pairwise(t)):
                assert not losses[t] > losses[other]


def features(surrogate, task, labels):
    rows = []
    for label in labels:
        scale = task.scale(label) if surrogate.scaled and isinstance(task, PositionalTask) else Fraction(1)
        rows.append([scale * value for value in surrogate.features(task, label)])
    return list(zip(*rows, strict=True))


SHIPPED = {
    f"{one.name}-{which}": loss
    for one in library_losses()
    for which, loss in (("plain", one.plain), ("default", one.default))
    if loss is not None
}
NAMED = {name: line.build() for name, line in TASK_SURROGATES.items()}


@pytest.mark.parametrize("surrogate", [*NAMED.values(), *SHIPPED.values()], ids=[*NAMED, *SHIPPED])
def test_every_surrogate_is_known_and_none_that_is_derived_from_it(surrogate):
    task = target("ndcg")
    assert unknown(surrogate, task) is None
    mine = type("Mine", (type(surrogate),), {})
    given = {field.name: getattr(surrogate, field.name) for field in fields(surrogate) if field.init}
    derived = mine(**given)
    assert unknown(derived, task) == "the surrogate Mine"
    said = [theorem.applies(derived, "rank-differentiable", task) for theorem in OF_LABELS]
    assert all(isinstance(one, Refusal) for one in said)


@pytest.mark.parametrize("name", TARGETS)
def test_every_target_is_known(name):
    for labels in (None, "rankings", "dags"):
        with suppress(InputError):
            assert unknown(Regression(), target(name, labels=labels)) is None
