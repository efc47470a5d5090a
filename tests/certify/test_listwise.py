"""Log-sum-exps at one distribution: what separates them, and two engines that agree on it."""

from copy import deepcopy
from fractions import Fraction
from random import Random

import numpy as np
import pytest
from scipy.optimize import minimize

from consistency_lab import Verdict
from consistency_lab.certify.labels import exact_scores, least, orders_near, parts_of
from consistency_lab.certify.proofs.file import sealed, verify
from consistency_lab.certify.proofs.task_proof import LabelQuestion
from consistency_lab.core.risk import Linear, LogSumExp, Max
from consistency_lab.decide.answers import ProfileDecision
from consistency_lab.decide.profile import decide_profile
from consistency_lab.errors import RejectedError, UnsupportedError
from consistency_lab.model.labels import LabelProfile
from consistency_lab.model.surrogates.tasks.catalogue import task_surrogate
from consistency_lab.model.tasks.catalogue import target

NDCG = target("ndcg")
WRONG = {(2, 0, 1): Fraction(3, 7), (0, 1, 2): Fraction(2, 7), (0, 2, 1): Fraction(2, 7)}


def _decided(name: str, weights: dict[tuple[int, ...], Fraction], task=NDCG) -> ProfileDecision:
    items = tuple("ABCD"[: task.space.m])
    return decide_profile(
        name, LabelProfile(items, weights, dict.fromkeys(weights, "here"), "t", 1), target=task
    )


@pytest.mark.long
@pytest.mark.parametrize("name", ["list-mle", "unique-softmax"])
@pytest.mark.parametrize("m", [2, 3])
def test_a_verdict_is_that_of_a_minimizer_that_another_engine_finds(name: str, m: int) -> None:
    random, task, seen = Random(m), target("ndcg", items=m), set()
    for _ in range(4):
        weights = {y: Fraction(random.randint(1, 6)) for y in random.sample(task.space.labels, 3)}
        weights = {y: x / sum(weights.values()) for y, x in weights.items()}
        found = _decided(name, weights, task)
        seen.add(found.verdict)
        atoms = LabelQuestion(task_surrogate(name), task, weights).risk

        def risk(u, atoms=atoms):
            sums = [(a.c, np.log(np.exp(u[list(a.over)]).sum())) for a in atoms if hasattr(a, "over")]
            lines = [(a.c * n, u[k]) for a in atoms if hasattr(a, "v") for k, n in a.v]
            return sum(float(c) * x for c, x in sums + lines)

        ours, theirs = least(atoms, m), minimize(risk, np.zeros(m), method="BFGS").x
        assert risk(ours) <= risk(theirs) + 1e-7
        losses = {t: float(task.expected_loss(weights, t)) for t in task.predictions}
        gaps = np.diff(np.sort(theirs))
        if found.verdict is not Verdict.UNDECIDED and gaps.min() > 1e-3:
            order = tuple(sorted(range(m), key=lambda k: -theirs[k]))
            assert (losses[order] > min(losses.values()) + 1e-9) == (found.verdict is Verdict.INCONSISTENT)
    assert seen - {Verdict.UNDECIDED}


def test_a_witness_holds_and_no_weight_of_it_may_be_changed() -> None:
    found = _decided("list-mle", WRONG)
    assert found.verdict is Verdict.INCONSISTENT
    assert found.witness is not None
    document = found.witness.document
    assert verify(document).failure == "strict"
    for change in ([["1", "0", "0"]], None):
        proof = deepcopy(dict(document["proof"]))
        slopes = proof["certificate"]["bounds"][0]["slopes"]
        first = next(n for n, slope in enumerate(slopes) if isinstance(slope, list) and len(slope) == 3)
        slopes[first] = change[0] if change else None
        with pytest.raises(RejectedError):
            verify(sealed(proof, document["named"], document["provenance"]))


def test_a_proof_that_nothing_is_wrong_can_be_read() -> None:
    found = _decided("list-mle", {(2, 1, 0): Fraction(1)})
    assert found.verdict is Verdict.CONSISTENT
    assert found.witness is not None
    assert "certainly in A(p)" in repr(found)
    assert "certainly in A(p)" in repr(found.witness)


@pytest.mark.long
@pytest.mark.parametrize("name", ["ranknet", "list-mle", "unique-softmax"])
def test_orders_of_equal_irrational_losses_are_all_right(name: str) -> None:
    """With grades 1, 0, 0 the last two items are alike, and 1/log2(3) is equal to itself."""
    for label, other in (((1, 0, 0), (0, 2, 1)), ((0, 0, 1), (2, 1, 0))):
        found = _decided(name, {label: Fraction(1)})
        assert found.verdict is Verdict.CONSISTENT
        assert "whose losses are proved equal and least" in found.reason
        near = orders_near(LabelQuestion(task_surrogate(name), NDCG, {label: Fraction(1)}))
        assert near == {other, (other[0], *other[:0:-1])}
    near = orders_near(LabelQuestion(task_surrogate("list-mle"), NDCG, WRONG))
    losses = {t: float(NDCG.expected_loss(WRONG, t)) for t in NDCG.predictions}
    assert near
    assert min(losses[t] for t in near) > min(losses.values()) + 1e-3


def test_a_minimizer_by_hand() -> None:
    """4 log(exp u_1 + exp u_2) - 3 u_1 - u_2 is least where exp(u_1 - u_2) = 3."""
    risk = (LogSumExp(Fraction(4), (0, 1)), Linear(Fraction(1), ((0, Fraction(-3)), (1, Fraction(-1)))))
    scores = exact_scores(risk, 2)
    assert scores is not None and list(map(str, scores)) == ["log(3)", "0"]
    first, second = least(risk, 2)
    assert first - second == pytest.approx(np.log(3), abs=1e-9)


def test_an_exact_minimizer_is_named_where_its_exponentials_are_rational() -> None:
    """The mean of log(exp u_1 + exp u_2) - u_1 and the same of u_2 is least where u_1 = u_2."""
    weights = {(2, 0): Fraction(1, 2), (0, 1): Fraction(1, 2)}
    question = LabelQuestion(task_surrogate("list-mle"), target("ndcg", items=2), weights)
    scores = exact_scores(question.risk, 2)
    assert scores is not None
    assert list(map(str, scores)) == ["0", "0"]
    # For ERR a grade of 2 is worth more, so that the tie may be broken wrongly.
    found = _decided("list-mle", weights, target("err", items=2))
    assert found.verdict is Verdict.INCONSISTENT
    assert found.witness is not None
    assert found.witness.failure == "tie"


def test_a_maximum_has_no_proof_and_the_reason_says_so() -> None:
    one = Fraction(1)
    risk = (LogSumExp(one, (0, 1)), Linear(one, ((0, -one),)), Max(one, ((((0, one),), one),)))
    with pytest.raises(UnsupportedError, match="the risk has a maximum"):
        parts_of(risk)
    assert exact_scores(risk, 2) is None
