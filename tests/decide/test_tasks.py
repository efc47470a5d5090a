"""Known results of the literature on finite tasks, each with its citation; two engines must agree."""

from fractions import Fraction
from typing import NamedTuple

import pytest

from consistency_lab.certify.proofs.file import verify
from consistency_lab.decide.answers import Verdict
from consistency_lab.decide.profile import decide_profile
from consistency_lab.decide.surrogate import decide
from consistency_lab.decide.tasks import decide_task
from consistency_lab.decide.theorems.affine import AffineProof, settle_affine
from consistency_lab.errors import InputError
from consistency_lab.model.conditions import task_condition
from consistency_lab.model.labels import LabelProfile, Rows
from consistency_lab.model.surrogates.tasks.base import TaskSurrogate
from consistency_lab.model.surrogates.tasks.catalogue import TASK_SURROGATES, task_surrogate
from consistency_lab.model.tasks.catalogue import target
from consistency_lab.model.tasks.discrete import MatrixTask
from consistency_lab.model.tasks.task import Task
from consistency_lab.search.effort import Effort
from consistency_lab.search.means import judged

YES, NO = Verdict.CONSISTENT, Verdict.INCONSISTENT


class Known(NamedTuple):
    surrogate: TaskSurrogate
    task: Task
    condition: str
    verdict: Verdict
    citation: str


S, T = task_surrogate, target
KNOWN = (
    Known(S("regression", on="gain/Z"), T("ndcg"), "any", YES, "DMJ13; Ravikumar, Tewari, Yang 2011"),
    Known(S("regression"), T("ndcg"), "any", NO, "Ravikumar et al. 2011: unnormalized gains"),
    Known(S("listnet"), T("ndcg"), "any", NO, "Ravikumar et al. 2011: unnormalized cross-entropy"),
    Known(S("logistic"), T("ndcg"), "any", NO, "DMJ13; Calauzènes, Usunier, Gallinari 2012"),
    Known(S("zhang"), T("ndcg"), "any", YES, "DMJ13 after Zhang 2004"),
    Known(S("regression"), T("precision", k=2), "any", YES, "RAT13 §4"),
    Known(S("regression"), T("wta"), "any", YES, "RAT13 §4"),
    Known(S("regression"), T("eru"), "any", YES, "RAT13 §5"),
    Known(S("map-full"), T("map"), "any", YES, "RAT13 §6"),
    Known(S("map-diagonal"), T("map"), "reinforce", YES, "RAT13 Corollary 5"),
    Known(S("map-diagonal"), T("map"), "any", NO, "Calauzènes et al. 2012: no convex loss of r scores"),
    Known(S("map-full", decode="predmap"), T("map"), "reinforce", YES, "RAT13 Theorem 4"),
    Known(S("softmax"), T("map"), "any", NO, "Calauzènes et al. 2012"),
    Known(S("regression"), T("err"), "any", NO, "Calauzènes et al. 2012: none for ERR"),
    Known(S("regression"), T("err"), "independent", YES, "DMJ13 lemma on ERR"),
    Known(S("regression", on="net"), T("pairwise"), "any", NO, "Calauzènes et al. 2012: none for PD"),
    Known(S("regression", on="net"), T("pairwise"), "low-noise", YES, "DMJ10 Corollary 15; RAT13 Theorem 6"),
    Known(S("regression", on="net"), T("pairwise"), "p-f", YES, "RAT13 Theorem 6"),
    Known(S("logistic"), T("pairwise"), "low-noise", NO, "DMJ10 Theorem 11"),
    Known(S("hinge"), T("pairwise"), "low-noise", NO, "DMJ10 Theorem 11"),
    Known(S("pd-least-squares"), T("pairwise"), "any", YES, "RAT13 Eq. 1 by Theorem 3"),
    Known(S("pd-least-squares", decode="algorithm-1"), T("pairwise"), "acyclic", YES, "RAT13 Theorem 7"),
    Known(S("multiclass-softmax"), T("zero-one"), "any", YES, "Zhang 2004"),
    Known(S("ova-logistic"), T("zero-one"), "any", YES, "Zhang 2004; Tewari and Bartlett 2007"),
    Known(S("lee-lin-wahba"), T("zero-one"), "any", YES, "Lee, Lin, Wahba 2004"),
    Known(S("crammer-singer"), T("zero-one"), "any", NO, "Zhang 2004; Tewari and Bartlett 2007"),
    Known(S("weston-watkins"), T("zero-one"), "any", NO, "Zhang 2004; Liu 2007"),
)


@pytest.mark.parametrize(
    ("surrogate", "task", "condition", "verdict", "citation"),
    KNOWN,
    ids=[f"{known.surrogate.name} {known.task.target} {known.condition}" for known in KNOWN],
)
def test_known_results(surrogate, task, condition, verdict, citation):
    (answer,) = decide_task(surrogate, task, [condition], effort=Effort(60), prescribe=False).answers
    assert answer.verdict is verdict, f"{citation}: {answer.reason}"
    if verdict is NO:
        verified = verify(answer.witness.document)
        assert verified.claim == "inconsistent" and verified.regret > 0
    else:
        assert answer.evidence.hypotheses


OF_ONE_SCORE = [name for name, line in TASK_SURROGATES.items() if line.build().decoder == "sort"]


@pytest.mark.parametrize("name", sorted({*OF_ONE_SCORE} - {"regression", "zhang", "map-diagonal"}))
def test_no_convex_loss_of_one_score_an_item_is_calibrated_for_err(name):
    """Calauzènes, Usunier and Gallinari 2012. Two items show it, but for the regression (in KNOWN)."""
    (answer,) = decide_task(S(name), T("err", items=2), ["any"], effort=Effort(5), prescribe=False).answers
    assert answer.verdict is NO and verify(answer.witness.document).regret > 0


def test_algorithm_1_fails_without_a_condition_at_four_items_and_not_at_three():
    surrogate = S("pd-least-squares", decode="algorithm-1")
    four = T("pairwise", items=4)
    decision = decide_task(surrogate, T("pairwise"), ["any"], larger=[four], effort=Effort(60))
    (answer,) = decision.answers
    assert answer.verdict is NO and answer.scope == "4 items"
    assert [advice.surrogate.decoder for advice in decision.prescriptions] == ["linear"]
    here = decide_task(surrogate, T("pairwise"), ["any"]).answers[0]
    assert here.verdict is YES and here.scope == "m <= 3"


@pytest.mark.parametrize(
    ("name", "goal", "verdict"),
    [
        *(("logistic", goal, YES) for goal in ("ndcg", "pairwise", "err")),
        ("exponential", "ndcg", YES),
        ("squared-hinge", "ndcg", YES),
        ("hinge", "ndcg", NO),
        ("hinge", "err", NO),
    ],
)
def test_losses_of_pairs_where_exchanging_items_lowers_p(name, goal, verdict):
    # Lan, Guo, Cheng and Liu 2012 for smooth losses and pairwise disagreement; the hinge loss may tie.
    decision = decide_task(S(name), T(goal), ["rank-differentiable"], effort=Effort(30), prescribe=False)
    assert decision.verdict is verdict
    if verdict is NO:
        assert decision.witnesses[0].verified.failure == "tie"


def test_a_constructed_surrogate_is_consistent_for_its_matrix():
    # RAT13 Theorem 3, on any matrix.
    rows = tuple(tuple(map(Fraction, row)) for row in ((0, 1, 3), (1, 0, 1), (4, 1, 0)))
    task = MatrixTask(Rows(("good", "fair", "bad")), ("keep", "check", "drop"), rows)
    decision = decide_task(S("constructed"), task)
    assert decision.verdict is YES and decision.answers[0].proof is not None
    assert len(S("constructed").coordinates(task)) == 2


def test_what_is_prescribed_is_itself_decided_consistent():
    for name, goal in (("softmax", "ndcg"), ("softmax", "map"), ("softmax", "err")):
        found = decide_task(S(name), T(goal), ["any"], effort=Effort(30)).prescriptions[0]
        again = decide_task(found.surrogate, found.target, [found.condition])
        assert again.verdict is YES, name


def test_answers_respect_the_order_of_the_conditions():
    decision = decide_task(S("regression", on="net"), T("pairwise"), effort=Effort(30))
    verdicts = [answer.verdict for answer in decision.answers]
    assert verdicts == [YES, YES, YES, NO, NO]


@pytest.mark.parametrize("labels", [(0, 1, 2), "dags"])
def test_finite_tasks_and_preference_graphs_agree(labels):
    """Two engines: the linear programs over labels, and the cones of preference graphs of any weights."""
    names, net = ["net-order", "acyclic"], S("regression", on="net")
    graphs = decide("regression", names, items=(3,), effort=Effort(20), prescribe=False)
    task = T("pairwise", labels=labels)
    finite = decide_task(net, task, names, effort=Effort(20), prescribe=False)
    assert [a.verdict for a in graphs.answers] == [a.verdict for a in finite.answers] == [YES, NO]


@pytest.mark.parametrize(("name", "goal"), [("map-full", "map"), ("pd-least-squares", "pairwise")])
def test_exact_infeasibility_agrees_with_the_theorem(name, goal):
    task = T(goal)
    found = settle_affine(S(name), task, task_condition("any", task.space))
    assert isinstance(found, AffineProof) and found.systems == 5


def test_a_witness_of_the_linear_programs_is_wrong_by_its_own_losses():
    task = T("map")
    condition = task_condition("any", task.space)
    found = settle_affine(S("map-diagonal"), task, condition)
    assert not isinstance(found, AffineProof)
    seen = judged(S("map-diagonal"), task, condition, found.weights)
    assert seen is not None
    wrong, right = (task.expected_loss(found.weights, t) for t in (found.prediction, found.better))
    assert wrong > right


def test_exchange_argument_needs_its_condition():
    decision = decide_task(S("softmax"), T("ndcg"), ["order-preserving", "rank-differentiable", "any"])
    assert [a.verdict for a in decision.answers] == [YES, YES, NO]


@pytest.mark.parametrize(
    ("surrogate", "task", "conditions", "message"),
    [
        (S("crammer-singer"), T("ndcg"), None, "classes"),
        (S("softmax"), T("zero-one"), None, "needs labels that are grades"),
        (S("map-diagonal"), T("ndcg"), None, "is for the target map"),
        (S("softmax"), T("ndcg"), ["p-f"], "regression on f"),
        (S("softmax"), T("ndcg"), ["reinforce"], "labels of 0 and 1"),
        (S("regression", on="gain/Z"), T("pairwise", labels="rankings"), None, "needs labels that are grade"),
        (S("sigmoid", on="gain"), T("ndcg", gain="0*s"), None, "divides by the largest gain"),
        (S("logistic", weights="gain-difference"), T("ndcg", gain="1"), None, "is 0 for every label"),
    ],
)
def test_what_does_not_fit_is_refused(surrogate, task, conditions, message):
    with pytest.raises(InputError, match=message):
        decide_task(surrogate, task, conditions)


@pytest.mark.parametrize(
    ("surrogate", "task", "condition"),
    [
        (S("regression"), T("precision", items=4, k=3), "any"),
        (S("regression"), T("err", discount="3"), "independent"),
        (S("regression", on="gain/Z"), T("ndcg", discount="3"), "any"),
    ],
)
def test_flat_discounts_are_no_obstacle(surrogate, task, condition):
    (answer,) = decide_task(surrogate, task, [condition]).answers
    assert answer.verdict is YES and answer.scope == "all m"


@pytest.mark.parametrize(("goal", "condition"), [("map", "any"), ("err", "independent"), ("pairwise", "any")])
def test_gain_over_z_is_gain_where_nothing_is_normalized(goal, condition):
    """Z = 1 there, for a regression as for Zhang's weights (docs/proof-format.md)."""
    of = [S("regression", on=f) for f in ("gain", "gain/Z")]
    found = [decide_task(s, T(goal), [condition], effort=Effort(30), prescribe=False) for s in of]
    plain, scaled = (decision.answers[0] for decision in found)
    assert (plain.verdict, plain.scope, plain.reason) == (scaled.verdict, scaled.scope, scaled.reason)


def _profile(weights, m):
    whole = sum(weights.values())
    shares = {label: Fraction(n, whole) for label, n in weights.items()}
    return LabelProfile(tuple("ABCD"[:m]), shares, dict.fromkeys(shares, "line 1"), "a test", whole)


@pytest.mark.parametrize("name", ["square", "logistic", "hinge", "list-mle", "softmax", "regression"])
def test_labels_of_equal_grades_leave_nothing_to_be_wrong_about(name):
    """The sum over pairs of different grades is empty."""
    found = decide_profile(S(name), _profile({(1, 1, 1): 2, (0, 0, 0): 1}, 3), target="ndcg")
    assert (found.verdict, found.reason) == (YES, "every prediction is optimal here")


@pytest.mark.parametrize(
    ("surrogate", "task", "weights", "verdict"),
    [
        (S("regression"), T("ndcg"), {(2, 0, 1): 2, (0, 1, 2): 1}, YES),
        # E G(s) ties the items; so does the mean of G(s)/Z, irrational in both, of two labels that mirror it.
        (S("regression", on="gain/Z"), T("ndcg"), {(2, 1, 0): 1, (1, 2, 0): 1}, YES),
        (S("regression"), T("precision@1"), {(1, 1, 0): 1, (0, 1, 0): 2}, YES),
        (S("regression"), T("ndcg", items=2), {(2, 0): 1, (0, 1): 2}, NO),
        (S("pd-least-squares"), T("kendall"), {(0, 1, 2): 1, (2, 1, 0): 1}, YES),
        (S("ova-square"), T("zero-one"), {(0,): 1, (1,): 1, (2,): 1}, YES),
    ],
    ids=lambda x: getattr(x, "name", None),
)
def test_where_the_minimizer_is_known_every_distribution_is_decided(surrogate, task, weights, verdict):
    assert decide_profile(surrogate, _profile(weights, task.space.m), target=task).verdict is verdict


def test_a_theorem_speaks_of_a_distribution_that_has_its_condition():
    """The weights G/Z of Zhang's loss are irrational, so nothing is certified of it where it is right."""
    found = decide_profile(S("zhang"), _profile({(2, 1, 0): 1}, 3), target="ndcg")
    assert found.verdict is YES and found.reason.endswith("row-dominated holds here")
