"""Rates: the polytope's volumes and moments, known intervals, and what a rate must be."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

from consistency_lab import Effort, InputError, surrogate
from consistency_lab.apps.measure import rate as sampling
from consistency_lab.apps.measure.cones import pieces_of, rays_of
from consistency_lab.apps.measure.rate import Polytope, polytope, rate, upper_pairs, wilson
from consistency_lab.apps.measure.report import rate_report
from consistency_lab.apps.measure.right import SURELY_TIED, Support, relabeled, screened
from consistency_lab.model.conditions import CONDITIONS, condition
from consistency_lab.search.size import TermTable

SAMPLES = 20_000
LARGE = 1000.0


def samples(name, m, size=SAMPLES, margin=Fraction(0)):
    return polytope(name, m).sample(np.random.default_rng(7), size, margin)


# Volumes over the chain, that of the orthant being 1. Low noise with 3 items is a simplex with rays
# (1, 0, 1), (0, 1, 1), (0, 0, 1) on (d_12, d_23, d_13), of weights 2, 2, 1: 1/4. Net-order has five rays.
@pytest.mark.parametrize(
    ("name", "volume"),
    [("acyclic", Fraction(1)), ("low-noise", Fraction(1, 4)), ("net-order", Fraction(2, 3))],
)
def test_volumes_with_three_items(name, volume):
    assert sum(piece.volume for piece in polytope(name, 3).pieces) == volume


@pytest.mark.parametrize("m", [3, 4])
@pytest.mark.parametrize("name", ["low-noise", "net-order"])
def test_volumes_agree_with_counting(name, m):
    # Another engine: the share of samples of the orthant that have the condition.
    inside = [condition(name).holds((a - a.T).tolist()) for a in samples("acyclic", m, 2000)]
    volume = float(sum(piece.volume for piece in polytope(name, m).pieces))
    low, high = wilson(sum(inside), len(inside))
    assert low - 0.01 < volume < high + 0.01


def test_a_cube_falls_apart_into_volumes_that_sum_up():
    # The cone over a square, from either diagonal.
    rows = [tuple(Fraction(int(k == n)) for k in range(4)) for n in range(4)]
    square = [(1, 0, 0, 1), (0, 1, 0, 1), (1, 0, 1, 0), (0, 1, 1, 0)]
    for order in permutations(square):
        assert sum(piece.volume for piece in pieces_of(order, rows)) == Fraction(1, 4)


def test_double_description_with_an_equality():
    one = Fraction(1)
    assert rays_of(3, [(one, one, -one)], []) == [(0, 1, 1), (1, 0, 1)]


SAMPLED = [name for name in CONDITIONS if name not in {"auc", "bradley-terry"}]
"""Bradley-Terry and AUC are equations between shares: no sample meets them."""


@pytest.mark.parametrize("m", [3, 4])
@pytest.mark.parametrize("name", SAMPLED)
def test_samples_are_distributions_of_the_condition(name, m):
    a = samples(name, m, 60)
    assert a.shape == (60, m, m)
    assert (a >= 0).all() and np.allclose(a.sum(axis=(1, 2)), 1)
    d = a - a.transpose(0, 2, 1)
    if name == "additive":
        assert np.allclose(d[:, 0, 2], d[:, 0, 1] + d[:, 1, 2])
    else:
        clean = np.where(abs(d) < 1e-15, 0, d)
        taken = clean if condition(name).of_differences else a
        assert all(condition(name).holds(x.tolist()) for x in taken)


def test_moments_of_the_orthant():
    # (d, 2c) is Dirichlet(1, ..., 1) on six coordinates: mean 1/6, second moment 2/42.
    a = samples("acyclic", 3, 50_000)
    for i, j in upper_pairs(3):
        d, c = a[:, i, j] - a[:, j, i], a[:, j, i]
        for x in (d, 2 * c):
            assert abs(x.mean() - 1 / 6) < 0.003
            assert abs((x**2).mean() - 2 / 42) < 0.002


def test_any_is_uniform_on_the_simplex():
    a = samples("any", 3, 50_000)
    entries = a[:, ~np.eye(3, dtype=bool)]
    assert np.allclose(entries.mean(axis=0), 1 / 6, atol=0.003)
    assert np.allclose((entries**2).mean(axis=0), 2 / 42, atol=0.002)


def test_hit_and_run_agrees_with_the_decomposition():
    walked = Polytope("low-noise", 3, None).sample(np.random.default_rng(1), 20_000)
    drawn = samples("low-noise", 3)
    assert np.allclose(walked.mean(axis=0), drawn.mean(axis=0), atol=0.005)
    assert np.allclose((walked**2).mean(axis=0), (drawn**2).mean(axis=0), atol=0.005)


@pytest.mark.parametrize("name", SAMPLED)
def test_margins_are_kept(name):
    margin = Fraction(1, 10)
    a = samples(name, 3, 100, margin)
    assert len(a) == 100
    assert all(abs(a[:, i, j] - a[:, j, i]).min() >= 0.1 - 1e-12 for i, j in upper_pairs(3))
    assert np.allclose(a.sum(axis=(1, 2)), 1)


def test_rounding_stays_in_the_condition():
    # Net-order has strict inequalities: a coarse rounding may end on its boundary.
    for name, parts in (("additive", 50), ("low-noise", 50), ("net-order", 10_000)):
        for a in samples(name, 4, 20):
            whole = polytope(name, 4).whole(a, parts)
            assert condition(name).holds((whole - whole.T).tolist())


@pytest.mark.parametrize(
    ("name", "under"),
    [("linear", "low-noise"), ("regression", "net-order"), ("difference-logistic", "acyclic")],
)
def test_a_consistent_surrogate_never_fails(name, under):
    for m in (3, 4):
        found = rate(surrogate(name), under, m, samples=1000, effort=Effort(seconds=LARGE))
        assert found.overall.failures == 0 and found.proved_zero is not None and found.witnesses == ()
        assert all(share.failures == 0 for share in found.by_margin)


def test_the_rate_of_the_logistic_loss():
    found = rate(surrogate("logistic"), "low-noise", 3, samples=SAMPLES, effort=Effort(seconds=LARGE))
    assert 0.09 < found.overall.interval[0] < found.overall.share < found.overall.interval[1] < 0.107
    assert found.overall.strict == found.overall.failures  # a tie of a smooth loss has probability zero
    rates = [found.overall.share, *(share.share for share in found.by_margin)]
    assert rates == sorted(rates, reverse=True) and rates[-1] < 0.01
    assert [w.verified.failure for w in found.witnesses] == ["strict"]
    assert found.witnesses[0].verified.conditions["low-noise"]


def test_the_hinge_loss_fails_by_ties():
    found = rate(surrogate("hinge"), "additive", 3, samples=SAMPLES, effort=Effort(seconds=LARGE))
    assert found.overall.strict == 0 and found.overall.ties == found.overall.failures > SAMPLES / 2
    assert [w.verified.failure for w in found.witnesses] == ["tie"]


@pytest.mark.parametrize("name", ["logistic", "hinge", "linear"])
def test_failures_do_not_depend_on_the_names_of_the_items(name):
    support = Support.of(TermTable(surrogate(name), 3))
    a = samples("any", 3, 100)
    first = screened(support, a, Effort(seconds=LARGE), SURELY_TIED)
    for order in permutations(range(3)):
        again = screened(support, relabeled(a, order), Effort(seconds=LARGE), SURELY_TIED)
        assert (again.wrong == first.wrong).all() and (again.strict == first.strict).all()


def test_the_same_seed_draws_the_same():
    one, two, other = (
        rate(surrogate("logistic"), "acyclic", 3, samples=500, seed=seed, margins=()).overall.failures
        for seed in (1, 1, 2)
    )
    assert one == two != other


def test_a_short_budget_is_said():
    found = rate(surrogate("logistic"), "acyclic", 3, samples=50_000, effort=Effort(seconds=0.0))
    assert 0 < found.overall.samples < 50_000 and "budget used up" in found.note


def test_wrong_questions():
    for m, count in ((1, 10), (7, 10), (3, 0)):
        with pytest.raises(InputError):
            rate(surrogate("logistic"), "acyclic", m, samples=count)


def test_without_a_sample_no_rate_is_claimed(monkeypatch):
    """Rejection may find none; "0.00 %" would be a claim."""
    monkeypatch.setattr(sampling, "_ROUNDS", 1)
    monkeypatch.setattr(sampling, "fulfilling", lambda name, a: a[:0])
    found = rate(surrogate("hinge"), "strong-stochastic-transitivity", 3, samples=100, margins=())
    assert (found.overall.samples, found.overall.share) == (0, None)
    said = "\n".join(map(str, rate_report(found, {})))
    assert "0.00 %" not in said and "unknown: no sample met it" in " ".join(said.split())
