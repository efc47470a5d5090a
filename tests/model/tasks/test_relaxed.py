"""Smooth stand-ins for ranking losses are means over Plackett-Luce rankings, or bounded by them."""

from fractions import Fraction
from itertools import permutations
from math import factorial

import numpy as np
import pytest

from consistency_lab.errors import InputError
from consistency_lab.model.surrogates.tasks.means import SmoothPositions, SoftPairs
from consistency_lab.model.tasks.catalogue import target

M = 4
LABELS = [(0, 2, 1, 1), (2, 0, 0, 1), (1, 0, 0, 0), (2, 2, 1, 2)]
ORDERS = list(permutations(range(M)))
PAIRWISE = target("pairwise", items=M, labels=(0, 1, 2))
NDCG = target("ndcg", items=M, labels=(0, 1, 2))


def chance(order: tuple[int, ...], u: np.ndarray) -> float:
    """Of an order, drawn from the top with chances proportional to exp(u) (Plackett 1975)."""
    power = np.exp(u - u.max())
    found = 1.0
    for k, item in enumerate(order):
        found *= power[item] / power[list(order[k:])].sum()
    return found


def above(u: np.ndarray, temperature: float) -> np.ndarray:
    """How much item j counts as above item i."""
    return 1 / (1 + np.exp((u[:, None] - u[None, :]) / temperature))


def approximate_ndcg(label: tuple[int, ...], u: np.ndarray, temperature: float) -> float:
    """Qin, Liu and Li 2010, Eqs. 11 and 20."""
    gains = 2.0 ** np.array(label) - 1
    best = (np.sort(gains)[::-1] / np.log2(2 + np.arange(M))).sum()
    places = 1 + above(u, temperature).sum(axis=1) - 0.5
    return float((gains / best / np.log2(1 + places)).sum())


def soft_count(label: tuple[int, ...], u: np.ndarray) -> float:
    sigma = above(u, 1.0)
    return sum(float(sigma[i, j]) for i in range(M) for j in range(M) if label[i] > label[j])


@pytest.mark.parametrize("label", LABELS)
def test_the_soft_count_is_the_mean_disagreement_of_a_random_ranking(label: tuple[int, ...]) -> None:
    for u in np.random.default_rng(0).normal(size=(5, M)):
        mean = sum(chance(t, u) * float(PAIRWISE.loss(label, t)) for t in ORDERS)
        assert soft_count(label, u) == pytest.approx(mean, abs=1e-12)


@pytest.mark.parametrize("temperature", [0.1, 1.0, 3.0])
@pytest.mark.parametrize("label", LABELS)
def test_approximate_ndcg_is_at_most_the_mean_of_a_random_ranking(
    label: tuple[int, ...], temperature: float
) -> None:
    for u in np.random.default_rng(1).normal(size=(5, M)):
        mean = sum(chance(t, u / temperature) * (1 - float(NDCG.loss(label, t))) for t in ORDERS)
        assert approximate_ndcg(label, u, temperature) <= mean + 1e-12


def test_far_out_both_are_the_losses_that_they_smooth() -> None:
    for order in ORDERS[::5]:
        u = np.zeros(M)
        u[list(order)] = 60.0 * np.arange(M, 0, -1)
        for label in LABELS:
            assert approximate_ndcg(label, u, 1.0) == pytest.approx(1 - float(NDCG.loss(label, order)))
            assert soft_count(label, u) == pytest.approx(float(PAIRWISE.loss(label, order)))


def test_an_order_that_sorts_the_scores_is_drawn_at_least_as_often_as_by_lot() -> None:
    for u in np.random.default_rng(2).normal(size=(20, M)):
        order = tuple(int(i) for i in np.argsort(-u))
        assert chance(order, u) >= 1 / factorial(M)
    tied = np.array([1.0, 0.0, 1.0, 0.0])
    assert min(chance(t, tied) for t in [(0, 2, 1, 3), (2, 0, 3, 1)]) >= 1 / factorial(M)


def test_the_excess_bounds_the_regret() -> None:
    """E psi(u) - inf >= (E l(t) - min E l)/m! where t sorts u: the bound of the theorem, on mixtures."""
    rng = np.random.default_rng(3)
    for _ in range(20):
        p, u = rng.dirichlet(np.ones(len(LABELS))), rng.normal(size=M)
        t = tuple(int(i) for i in np.argsort(-u))
        risks = {o: sum(w * float(NDCG.loss(y, o)) for w, y in zip(p, LABELS, strict=True)) for o in ORDERS}
        excess = sum(w * (1 - approximate_ndcg(y, u, 0.5)) for w, y in zip(p, LABELS, strict=True))
        assert excess - min(risks.values()) >= (risks[t] - min(risks.values())) / factorial(M) - 1e-12


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: SmoothPositions("err"), "choose from ndcg, mrr"),
        (lambda: SmoothPositions("ndcg", Fraction(0)), "must be positive"),
        (lambda: SoftPairs("lists"), "choose from none, pairs"),
        (lambda: SoftPairs().check(target("kendall")), "needs labels that are grades"),
        (lambda: SmoothPositions().check(target("zero-one")), "needs labels that are grades"),
    ],
)
def test_what_does_not_fit_is_refused(make: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()  # type: ignore[operator]
