"""Losses as fields: the gradients are those of the losses, as their papers and libraries write them."""

import numpy as np
import pytest

from consistency_lab.model.surrogates.tasks.fields import LOSS_FIELDS, field
from tests.gradients import gradient

LABELS = [(0, 2, 1, 1), (4, 0, 3, 1), (1, 0, 0, 1)]


def shares(label):
    """(2^s - 1) over the ideal sum."""
    gains = 2.0 ** np.array(label) - 1
    return gains / (np.sort(gains)[::-1] / np.log2(2 + np.arange(len(label)))).sum()


def approximate_ndcg(temperature):
    """Qin, Liu and Li 2010."""
    return lambda label, u: -float((shares(label) / np.log2(1 + smooth_places(u, temperature))).sum())


def smooth_places(u, temperature):
    """TensorFlow Ranking's approx_ranks: every item meets itself at 1/2, and 1/2 is added."""
    sigma = 1 / (1 + np.exp((u[:, None] - u[None, :]) / temperature))
    return sigma.sum(axis=1) + 0.5


def approximate_mrr(label, u):
    return -float((np.array(label) / sum(label) / smooth_places(u, 0.1)).sum())


def soft_pairs(label, u):
    items = list(zip(label, u, strict=True))
    return sum(1 / (1 + np.exp(x - y)) for s, x in items for t, y in items if s > t)


def mean_soft_pairs(label, u):
    return soft_pairs(label, u) / sum(s > t for s in label for t in label)


def neural_sort(u):
    """Grover, Wang, Zweig and Ermon 2019, Eq. 5, with temperature 1."""
    m = len(u)
    logits = (m + 1 - 2 * np.arange(1, m + 1))[:, None] * u - np.abs(u[:, None] - u).sum(axis=1)
    power = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(power / power.sum(axis=1, keepdims=True))


def sorted_rows(label, u):
    return -float((neural_sort(np.array(label, dtype=float)) * np.log(neural_sort(u))).sum(axis=1).mean())


def sorted_gains(label, u):
    """Swezey et al. 2021 (PiRank), without truncation."""
    return -float((neural_sort(u) @ shares(label) / np.log2(2 + np.arange(len(label)))).sum())


def poly_softmax(label, u):
    """Leng et al. 2022, as Rax applies it to softmax cross-entropy."""
    r, s = np.exp(u) / np.exp(u).sum(), np.array(label, dtype=float)
    return float(-(s * np.log(r)).sum() + 1 - (s / s.sum() * r).sum())


LOSSES = {
    "tf-ranking:pairwise_soft_zero_one_loss": soft_pairs,
    "tf-ranking:approx_ndcg_loss": approximate_ndcg(0.1),
    "tf-ranking:approx_mrr_loss": approximate_mrr,
    "tf-ranking:neural_sort_cross_entropy_loss": sorted_rows,
    "tf-ranking:neural_sort_ndcg_loss": sorted_gains,
    "rax:poly1_softmax_loss": poly_softmax,
    "rax:pairwise_soft_zero_one_loss": mean_soft_pairs,
    "allrank:approxNDCGLoss": approximate_ndcg(1.0),
}


def test_every_loss_is_here():
    assert set(LOSSES) == {entry.name for entry in LOSS_FIELDS}


@pytest.mark.parametrize("name", LOSSES)
def test_fields_are_the_gradients_of_the_losses(name):
    rng = np.random.default_rng(0)
    for label in LABELS:
        for u in rng.uniform(-0.7, 0.7, (4, 4)):
            steps = 1e-6 * np.eye(4)
            slopes = [(LOSSES[name](label, u + h) - LOSSES[name](label, u - h)) / 2e-6 for h in steps]
            assert np.abs(gradient(field(name), label, u) - slopes).max() < 1e-7

    assert np.abs(gradient(field(name), (0, 0, 0), np.array([0.5, 0.1, -0.3]))).max() < 1e-15


FADING = [name for name in LOSSES if "cross_entropy" not in name and "poly1" not in name]


@pytest.mark.parametrize("name", FADING)
def test_bounded_losses_fade_as_scores_move_apart(name):
    for order in ((0, 1, 2), (2, 1, 0)):
        far = 30.0 * np.array(order)
        assert np.abs(gradient(field(name), (0, 2, 1), far)).max() < 1e-9


@pytest.mark.parametrize("name", ["approx_ndcg", "neural_sort_ndcg", "pairwise_soft_zero_one"])
def test_a_temperature_divides_the_scores(name):
    u, name = np.array([0.4, -0.2, 0.1]), f"tf-ranking:{name}_loss"
    cold, plain = (gradient(field(name, temperature=t), (2, 0, 1), x) for t, x in (("2", 2 * u), ("1", u)))
    assert np.abs(2 * cold - plain).max() < 1e-12
