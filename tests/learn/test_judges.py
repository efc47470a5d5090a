"""Simulated judges: the certified limits, what theory says of finite n and k, and that seeds repeat."""

import json
from fractions import Fraction
from itertools import product
from math import factorial, prod
from pathlib import Path

import numpy as np
import pytest

from consistency_lab.apps.learn import StructureRanker
from consistency_lab.apps.learn.aggregate import AverageAdjacency, Clicks, Preferences
from consistency_lab.apps.learn.experiments import judges as simulated
from consistency_lab.apps.learn.experiments.exact import expected_leads
from consistency_lab.certify.proofs.file import verify_file

GALLERY = Path(__file__).parents[2] / "counterexamples"
LEMMA, FEATURES, BRADLEY_TERRY = simulated.INSTANCES.values()


def _order(scores):
    return tuple(int(k) for k in np.argsort(-scores, kind="stable"))


def test_the_limits_are_certified():
    assert LEMMA.limit.certified == "the order is wrong"
    assert (LEMMA.limit.order, LEMMA.limit.regret) == ((0, 2, 1), Fraction(1, 16))
    assert FEATURES.limit.certified == "C stands above D"
    assert (FEATURES.limit.order, FEATURES.limit.regret) == ((1, 0, 2, 3), Fraction(1, 6))
    assert BRADLEY_TERRY.limit.certified == "the order is optimal"
    assert (BRADLEY_TERRY.limit.order, BRADLEY_TERRY.limit.regret) == (BRADLEY_TERRY.best, 0)


def test_lemma_10_is_the_witness_of_the_gallery():
    proof = verify_file(GALLERY / "logistic-additive-3items-ca20d338.json").proof
    (label,) = proof.labels
    assert label.prefers is not None
    assert dict(label.prefers) == {
        (i, j): x for i, row in enumerate(LEMMA.wins) for j, x in enumerate(row) if x
    }


def test_all_voters_prefer_d_to_c_and_a_linear_score_can_say_so():
    assert (FEATURES.wins[3][2], FEATURES.wins[2][3]) == (4, 0)
    assert FEATURES.regret(FEATURES.X @ np.array([-0.8, -1.0])) == pytest.approx(0.0, abs=1e-15)


@pytest.mark.parametrize("instance", simulated.INSTANCES.values(), ids=lambda one: one.name)
def test_from_the_exact_distribution_logistic_learns_its_limit_and_the_aggregate_the_best_order(instance):
    lam = 1e-6
    assert _order(simulated.learned(instance, instance.a, lam)) == instance.limit.order
    assert _order(simulated.learned(instance, np.maximum(instance.a - instance.a.T, 0), lam)) == instance.best


@pytest.mark.parametrize("loss", ["logistic", "difference-logistic"])
def test_the_learner_finds_the_same_with_features(loss):
    """By stochastic gradient with all 24 judgments as one batch, so without noise."""
    said = Preferences.from_wins([[[int(x) for x in row] for row in FEATURES.wins]])
    ranker = StructureRanker(AverageAdjacency(), loss, k=None, lam=1e-4, steps=20_000, random_state=0)
    scores = ranker.fit(FEATURES.X, said).predict(FEATURES.X)
    assert _order(scores) == (FEATURES.limit.order if loss == "logistic" else FEATURES.best)


@pytest.mark.parametrize(
    ("instance", "wrong", "right"), [(LEMMA, 2, 3), (FEATURES, 17, 18)], ids=["lemma", "features"]
)
def test_the_order_k_from_which_on_infinitely_many_judges_suffice(instance, wrong, right):
    regrets = {
        k: instance.regret(simulated.learned(instance, expected_leads(instance.a, k), 1e-6))
        for k in (wrong, right)
    }
    assert regrets[wrong] == pytest.approx(float(instance.limit.regret))
    assert regrets[right] == pytest.approx(0.0, abs=1e-15)


def test_scores_that_tie_cost_half():
    assert LEMMA.regret(np.zeros(3)) == pytest.approx(0.5 - 4 / 16)
    assert LEMMA.regret(np.array([1.0, 0.0, 0.5])) == pytest.approx(1 / 16)


@pytest.mark.parametrize("n", [1, 4, 8])
def test_the_bound_holds_by_enumeration(n):
    pairs = [(0, 1), (0, 2), (1, 2), (2, 0)]
    chance = 0.0
    for counts in product(range(n + 1), repeat=4):
        if sum(counts) == n:
            wins = dict(zip(pairs, counts, strict=True))
            if not (wins[0, 1] > 0 and wins[1, 2] > 0 and wins[0, 2] > wins[2, 0]):
                ways = factorial(n) / prod(map(factorial, counts))
                chance += ways * prod(LEMMA.a[pair] ** c for pair, c in wins.items())
    assert chance * 0.5 <= LEMMA.regret_bound(n) + 1e-12 <= 0.5 + 1e-12


PLAN = simulated.JudgesPlan(sizes=(40, 3000), orders=(1, 3), runs=4)


@pytest.fixture(scope="module")
def document():
    return simulated.judges(PLAN)


def _regrets(part, loss, n):
    return next(row["regrets"] for row in part["measured"] if row["loss"] == loss and row["n"] == n)


def test_with_many_judges_logistic_is_at_its_limit_and_the_aggregate_is_right(document):
    lemma = document["instances"][0]
    assert _regrets(lemma, simulated.PAIRWISE, 3000) == pytest.approx([1 / 16] * 4)
    assert _regrets(lemma, simulated.AGGREGATED, 3000) == pytest.approx([0] * 4, abs=1e-15)
    assert [row["regret"] for row in lemma["limits_by_k"]] == pytest.approx([1 / 16, 0], abs=1e-15)
    assert _regrets(document["clicks"], simulated.PAIRWISE, 3000) == [1.0] * 4
    assert _regrets(document["clicks"], simulated.CASCADE, 3000) == [0.0] * 4


def test_order_1_is_the_pairwise_loss(document):
    for instance in document["instances"]:
        first = next(row for row in instance["measured"] if row["loss"] == "order k" and row["k"] == 1)
        assert first["regrets"] == pytest.approx(_regrets(instance, simulated.PAIRWISE, 40), abs=1e-12)


def test_it_is_plain_json_and_a_seed_repeats_it(document):
    small = simulated.JudgesPlan(sizes=(20,), orders=(2,), runs=2)
    assert json.dumps(simulated.judges(small)) == json.dumps(simulated.judges(small))
    other = simulated.JudgesPlan(sizes=(20,), orders=(2,), runs=2, seed=1)
    assert simulated.judges(other)["instances"] != simulated.judges(small)["instances"]
    json.dumps(document)


def test_pairs_of_clicks_in_expectation():
    """Two rows, p = (1/2, 1/4): the lower one is clicked over the upper with (1 - p_upper) p_lower."""
    p, lists = np.array([0.5, 0.25]), [np.array([0, 1]), np.array([1, 0])]
    assert simulated.expected_pairs(p, lists, np.array([0.5, 0.5])).tolist() == [[0.0, 0.1875], [0.0625, 0.0]]
    clicks = Clicks([[0, 1], [1, 0], [0, 1]], [1, 0, None], [0, 0])
    assert simulated.passed_by(clicks).tolist() == [[0.0, 0.0], [1.0, 0.0]]
