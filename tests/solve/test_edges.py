"""Minima of edge losses on the aggregate, for many items."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from consistency_lab import Distribution, InputError, UnsupportedError, minimize
from consistency_lab.numbers.phi import named, parse
from consistency_lab.solve.edges import EdgeRisk, minimize_edges

SMOOTH = ("logistic", "exponential", "squared-hinge", "square", "smoothed-hinge", "huberized-hinge")


def games(m, seed, share=1.0):
    """Wins of a Bradley-Terry tournament in which not all pairs meet."""
    rng = np.random.default_rng(seed)
    u = rng.normal(size=m)
    n = np.triu(rng.poisson(20, (m, m)) * (rng.random((m, m)) < share), 1)
    won = rng.binomial(n, 1 / (1 + np.exp(u[None] - u[:, None])))
    return np.asarray(won + (n - won).T, dtype=np.float64)


@pytest.mark.parametrize("loss", SMOOTH)
def test_the_minimizer_is_that_of_the_general_solver(loss):
    a = games(9, 3)
    expected = minimize(loss, Distribution.from_aggregate(a.astype(int).tolist()), exact=False)
    found = minimize_edges(named(loss).expression, a)
    assert found.attained is True
    assert found.unique
    assert np.allclose(found.scores, expected.scores, rtol=0, atol=1e-11)
    assert found.value == pytest.approx(expected.value, rel=1e-13)


@pytest.mark.parametrize("m", [50, 120])
@pytest.mark.parametrize(("loss", "factor"), [("logistic", 1.0), ("exponential", 0.5)])
def test_bradley_terry_strengths_are_found_to_twelve_digits(m, loss, factor):
    # a_ij = n_ij w_i / (w_i + w_j): the logistic minimizer is log w, the exponential one half of it.
    rng = np.random.default_rng(m)
    u = rng.normal(size=m)
    n = np.triu(rng.integers(0, 50, (m, m)), 1)
    n[np.arange(m - 1), np.arange(1, m)] = 7
    found = minimize_edges(named(loss).expression, (n + n.T) / (1 + np.exp(u[None] - u[:, None])))
    assert np.allclose(found.scores, factor * (u - u.mean()), rtol=0, atol=1e-12)


def test_without_a_minimum_the_strong_components_are_minimized_and_ordered():
    cycle = [[0, 2, 0], [0, 0, 1], [1, 0, 0]]
    h = np.zeros((7, 7))
    h[:3, :3] = h[3:6, 3:6] = cycle
    h[3, 0] = 5.0  # items 4 to 6 beat items 1 to 3, and item 7 beats nobody
    h[2, 6] = 1.0
    found = minimize_edges(named("logistic").expression, h)
    alone = minimize_edges(named("logistic").expression, cycle)
    assert found.attained is False
    assert not found.unique
    assert found.components == ((3, 4, 5), (0, 1, 2), (6,))
    assert found.levels == (1, 1, 1, 2, 2, 2, 0)
    assert np.allclose(found.scores, [*alone.scores, *alone.scores, 0.0], rtol=0, atol=1e-14)
    assert found.value == pytest.approx(2 * alone.value, rel=1e-14)  # the infimum


def test_a_loss_that_comes_to_rest_has_many_minimizers_where_the_other_has_none():
    h = [[0, 1], [0, 0]]
    found = minimize_edges(named("squared-hinge").expression, h)
    assert (found.attained, found.value) == (True, 0.0)
    assert not found.unique  # floats stop at the bend
    found = minimize_edges(named("square").expression, h)
    assert (found.attained, found.unique) == (True, True)
    assert np.allclose(found.scores, [0.5, -0.5], rtol=0, atol=1e-15)


def test_items_that_never_meet_leave_the_minimizer_open():
    nothing = minimize_edges(named("logistic").expression, np.zeros((3, 3)))
    assert (nothing.attained, nothing.unique, nothing.value) == (True, False, 0.0)
    assert not nothing.scores.any()
    found = minimize_edges(named("logistic").expression, np.kron(np.eye(2), [[0, 3], [1, 0]]))
    assert (found.attained, found.unique, len(found.components)) == (True, False, 2)
    assert np.allclose(found.scores[::2] - found.scores[1::2], np.log(3), rtol=0, atol=1e-12)


def test_a_descent_ends_where_only_rounding_is_left(monkeypatch):
    # One win in 10^8 holds two groups together: the Hessian is all but singular, and steps stay long.
    rng = np.random.default_rng(0)
    h = np.zeros((20, 20))
    h[:10, :10] = rng.integers(50, 150, (10, 10))
    h[10:, 10:], h[:10, 10:], h[10, 0] = h[:10, :10].T, 100.0, 1e-6
    steps = []
    step = EdgeRisk._step
    monkeypatch.setattr(EdgeRisk, "_step", lambda *given: steps.append(1.0) or step(*given))
    found = minimize_edges(named("logistic").expression, h)
    assert found.gradient_norm < 1e-14
    assert len(steps) < 40


def test_a_start_near_the_minimum_and_large_counts_change_nothing():
    phi, a = named("logistic").expression, games(40, 3)
    found = minimize_edges(phi, a)
    assert np.allclose(minimize_edges(phi, a, found.scores + 0.1).scores, found.scores, rtol=0, atol=1e-12)
    assert np.allclose(minimize_edges(phi, a * 1e12).scores, found.scores, rtol=0, atol=1e-12)


def test_bad_input_is_named():
    phi = named("logistic").expression
    with pytest.raises(InputError, match="square matrix"):
        minimize_edges(phi, np.zeros((2, 3)))
    with pytest.raises(InputError, match="at least 0"):
        minimize_edges(phi, [[0, -1], [1, 0]])
    with pytest.raises(UnsupportedError, match="continuous slope"):
        minimize_edges(named("hinge").expression, [[0, 1], [1, 0]])
    with pytest.raises(UnsupportedError, match="convex"):
        minimize_edges(parse("1/(1+exp(x))"), [[0, 1], [1, 0]])


@pytest.mark.parametrize("loss", SMOOTH)
def test_the_general_solver_takes_many_items_by_their_pairs(loss):
    a = games(40, 2)
    found = minimize(loss, Distribution.from_aggregate(a.astype(int).tolist()))
    assert found.method == "damped Newton on the pairs"
    assert (found.attained, found.unique, found.direction) == (True, True, None)
    assert np.array_equal(found.scores, minimize_edges(named(loss).expression, a).scores)


def test_the_general_solver_places_components_of_many_items_apart_and_minimizes_other_risks():
    a = games(26, 2)
    margin = minimize("margin-logistic", Distribution.from_aggregate(a.astype(int).tolist()), exact=False)
    assert margin.method == "damped Newton" and margin.gradient_norm < 1e-12
    a[13:, :13] = 0.0
    found = minimize("logistic", Distribution.from_aggregate(a.astype(int).tolist()))
    assert found.attained is False
    assert found.direction == (1,) * 13 + (0,) * 13
    assert found.scores[:13].min() - found.scores[13:].max() >= 50


@pytest.mark.parametrize("loss", SMOOTH)
@pytest.mark.parametrize("share", [0.5, 0.05])
def test_a_sparse_array_has_the_minimum_of_the_dense_one(loss, share):
    a, phi = games(60, 4, share), named(loss).expression
    for i in range(60 if share == 0.5 else 0):
        a[i, (i + 1) % 60] += 1
    dense, sparse = (minimize_edges(phi, h) for h in (a, csr_array(a)))
    assert (sparse.attained, sparse.components) == (dense.attained, dense.components)
    assert sparse.levels == dense.levels
    assert sparse.unique == dense.unique
    assert sparse.value == pytest.approx(dense.value, rel=1e-12)
    assert sparse.gradient_norm < 1e-12
    apart = sparse.scores - dense.scores  # components that never met are free of each other
    for part in map(list, dense.components if loss in ("logistic", "exponential", "square") else ()):
        assert np.ptp(apart[part]) < 1e-8


def test_few_pairs_of_many_items_take_no_factorization(monkeypatch):
    monkeypatch.setattr(np.linalg, "solve", None)
    a = games(500, 5, 0.02)
    for i in range(500):
        a[i, (i + 1) % 500] += 1
    found = minimize_edges(named("logistic").expression, a)
    assert found.attained
    assert found.unique
    assert found.gradient_norm < 1e-13


def test_a_chain_of_many_items_is_fitted_too():
    m = 600
    pairs = np.arange(m - 1), np.arange(1, m)
    lost = csr_array((np.ones(m - 1), pairs[::-1]), shape=(m, m))
    wins = csr_array((np.full(m - 1, 3.0), pairs), shape=(m, m)) + lost
    scores = minimize_edges(named("logistic").expression, wins).scores
    assert np.allclose(-np.diff(scores), np.log(3.0), rtol=0, atol=1e-9)
