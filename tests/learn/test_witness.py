"""Consistency made visible: the labels of a witness of the gallery are sampled, each item has one feature."""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import consistency_lab as lab
from consistency_lab.apps.learn import StructureRanker
from consistency_lab.apps.learn.aggregate import AverageAdjacency, Preferences

FILE = Path(__file__).parents[2] / "counterexamples" / "logistic-additive-3items-ca20d338.json"
WITNESS = lab.Witness.of(json.loads(FILE.read_text(encoding="utf-8")))


@cache
def sampled(seed: int) -> Preferences:
    """20,000 labels, drawn from the distribution of the witness."""
    rng, of = np.random.default_rng(seed), WITNESS.distribution
    drawn = rng.choice(len(of.graphs), 20_000, p=[float(p) for p in of.probabilities])
    edges = [np.array([[i, j, int(w)] for i, j, w in graph]) for graph in of.graphs]
    said = np.concatenate([edges[g] for g in drawn])
    labels = np.repeat(np.arange(drawn.size), [len(edges[g]) for g in drawn])
    return Preferences(said[:, 0], said[:, 1], np.zeros(3), said[:, 2], labels)


def order(scores: np.ndarray) -> tuple[int, ...]:
    return tuple(np.argsort(-scores).tolist())


def test_what_the_gallery_says() -> None:
    assert (WITNESS.better, WITNESS.prediction) == ((0, 1, 2), (0, 2, 1))
    assert WITNESS.fails_under("additive")


@pytest.mark.parametrize("seed", range(1))
def test_the_logistic_loss_learns_the_wrong_order_however_much_is_aggregated(seed: int) -> None:
    # lam is small beside the curvature of the risk, so the limit is near the minimizer that the engine finds.
    limit = np.array(lab.minimize("logistic", WITNESS.distribution).scores)
    for k in (1, 20):
        ranker = StructureRanker(
            loss="logistic", k=k, lam=3e-3, steps=80_000, average=40_000, random_state=seed
        ).fit(np.eye(3), sampled(seed))
        assert order(ranker.coef_) == WITNESS.prediction
        assert ranker.coef_ - ranker.coef_.mean() == pytest.approx(limit - limit.mean(), abs=0.05)


@pytest.mark.parametrize("seed", range(1))
@pytest.mark.parametrize("loss", ["difference-logistic", "difference-hinge", "linear", "regression"])
def test_losses_of_the_aggregate_learn_the_right_one(loss: str, seed: int) -> None:
    ranker = StructureRanker(
        AverageAdjacency(), loss, k=100, lam=1e-2, steps=10_000, average=1000, random_state=seed
    ).fit(np.eye(3), sampled(seed))
    assert order(ranker.coef_) == WITNESS.better


def test_without_aggregation_the_difference_loss_is_the_edge_loss() -> None:
    # Of one label, an acyclic graph, the difference graph is the graph itself.
    given = sampled(0)
    one, other = (
        StructureRanker(AverageAdjacency(), loss, k=1, steps=20_000, random_state=0).fit(np.eye(3), given)
        for loss in ("logistic", "difference-logistic")
    )
    assert one.coef_ == pytest.approx(other.coef_)
    assert order(other.coef_) == WITNESS.prediction
