"""At one distribution over labels: right or wrong, of everything near the infimum."""

from fractions import Fraction
from itertools import pairwise
from random import Random

import pytest

from consistency_lab.certify.labels import certify_task_at
from consistency_lab.certify.proofs.file import sealed, verify
from consistency_lab.certify.proofs.task_proof import LabelQuestion, Weights
from consistency_lab.errors import RejectedError, UnsupportedError
from consistency_lab.model.surrogates.tasks.catalogue import task_surrogate
from consistency_lab.model.surrogates.tasks.means import Regression
from consistency_lab.model.tasks.catalogue import target
from consistency_lab.show.proof import explicit_proof

NDCG = target("ndcg", items=2)
WRONG = {(0, 1): Fraction(2, 5), (2, 1): Fraction(3, 5)}
"""Lists (2, 1) are worth less than (0, 1) to NDCG, though their pairs weigh the same (DMJ13)."""


@pytest.mark.parametrize("name", ["logistic", "exponential", "squared-hinge", "square"])
def test_ranknet_and_its_relatives_ignore_the_normalizer(name: str) -> None:
    found = certify_task_at(LabelQuestion(task_surrogate(name), NDCG, WRONG))
    assert found is not None
    assert (found.verified.claim, found.verified.failure) == ("inconsistent", "strict")
    assert found.verified.every
    assert found.verified.recomputed == ("NDCG", name, "sort")


def test_with_other_weights_it_is_right() -> None:
    found = certify_task_at(
        LabelQuestion(task_surrogate("logistic"), NDCG, {(0, 1): Fraction(3, 5), (2, 1): Fraction(2, 5)})
    )
    assert found is not None
    assert found.verified.claim == "consistent-at-p"
    forged = {**found.document["proof"], "labels": found.document["proof"]["labels"][::-1]}
    with pytest.raises(RejectedError):
        verify(sealed(forged, found.document["named"], {}))


@pytest.mark.parametrize("weights", [WRONG, {(0, 1): Fraction(3, 5), (2, 1): Fraction(2, 5)}])
def test_its_file_is_told_with_the_pairs_that_are_kept_apart(weights: Weights) -> None:
    found = certify_task_at(LabelQuestion(task_surrogate("logistic"), NDCG, weights))
    assert found is not None
    lines = list(map(str, explicit_proof(found.document, found.verified, "a file")))
    assert "The certificate" in " ".join(lines)
    assert any("above" in line and "does not hold, W is larger" in line for line in lines)


def drawn(random: Random, count: int) -> Weights:
    labels = target("ndcg").space.labels
    whole = [random.randint(1, 6) for _ in range(count)]
    chosen = random.sample(labels, count)
    return {label: Fraction(n, sum(whole)) for label, n in zip(chosen, whole, strict=True)}


@pytest.mark.parametrize("name", ["logistic", "square"])
def test_random_distributions_are_decided_as_their_scores_say(name: str) -> None:
    """The exact scores of the file, sorted, against the expected losses of all orders."""
    random, task, decided = Random(5), target("ndcg"), set()
    for _ in range(10):
        question = LabelQuestion(task_surrogate(name), task, drawn(random, 4))
        found = certify_task_at(question)
        if found is None:
            continue
        decided.add(found.verified.claim)
        scores = found.verified.scores
        losses = {t: float(task.expected_loss(question.weights, t)) for t in task.predictions}
        ending = [losses[t] for t in losses if all(scores[i] >= scores[j] for i, j in pairwise(t))]
        right = max(ending) <= min(losses.values()) + 1e-12
        assert right is (found.verified.claim == "consistent-at-p")
    assert decided == {"consistent-at-p", "inconsistent"}


def test_what_is_no_sum_of_terms_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="is no sum of"):
        certify_task_at(LabelQuestion(Regression(), NDCG, WRONG))
