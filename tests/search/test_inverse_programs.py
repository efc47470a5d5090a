"""The float programs of the inverse search: two solvers agree, and what they find fulfils its rows."""

from itertools import combinations

import numpy as np
import pytest

from consistency_lab.model.conditions import fewest_shapes
from consistency_lab.model.surrogates import surrogate
from consistency_lab.search.inverse import InversePrograms, _one_by_one, shapes
from consistency_lab.search.inverse_simplex import maximize
from consistency_lab.search.size import TermTable

CASES = [
    ("logistic", "additive", 3),
    ("exponential", "low-noise", 3),
    ("squared-hinge", "net-order", 3),
    ("hinge", "any", 3),
    ("linear", "low-noise", 3),
    ("difference-logistic", "low-noise", 3),
    ("margin-hinge", "additive", 3),
    ("logistic", "low-noise", 4),
    ("hinge", "additive", 4),
]


def programs(name, condition, m):
    loss = surrogate(name)
    table = TermTable(loss, m)
    return [InversePrograms(table, shape) for shape in shapes(loss, condition, m)]


@pytest.mark.parametrize("condition", ["additive", "low-noise", "net-order", "acyclic"])
@pytest.mark.parametrize("m", [2, 3, 4])
def test_each_shape_leaves_something_to_invert(condition, m):
    """The empty relation, d = 0, has no regret; the other shapes are gone through, the largest first."""
    found = [shape.relation for shape in shapes(surrogate("hinge"), condition, m)]
    assert all(found)
    closed = fewest_shapes(condition, m) or ()
    assert set(found) == {relation for relation in closed if relation}
    assert [len(relation or ()) for relation in found] == sorted(map(len, set(found)), reverse=True)


def quarters(m):
    """Scores with many ties, and differences at which hinges have their kink."""
    return np.random.default_rng(m).integers(0, 13, (60, m)) / 4


@pytest.mark.parametrize(("name", "condition", "m"), CASES)
@pytest.mark.parametrize("ties", [False, True])
def test_machine_code_and_highs_find_the_same_regret(name, condition, m, ties):
    for one in programs(name, condition, m)[:8]:
        fast = one.solve(quarters(m), ties=ties, machine_code=True)
        slow = one.solve(quarters(m), ties=ties, machine_code=False)
        assert not np.isnan(fast.regret).any()
        assert (np.isinf(fast.regret) == np.isinf(slow.regret)).all()
        found = np.isfinite(fast.regret)
        assert fast.regret[found] == pytest.approx(slow.regret[found], abs=1e-8)


@pytest.mark.parametrize("name", ["logistic", "exponential", "squared-hinge"])
def test_what_is_found_is_stationary_additive_and_of_that_regret(name):
    """docs/theory.md, Inverse search: all three are linear in the aggregate."""
    (one,) = programs(name, "additive", 4)
    scores = np.random.default_rng(0).exponential(1.0, (200, 4))
    worst = one.solve(scores, ties=False, machine_code=True)
    found = np.flatnonzero(worst.regret > 1e-6)
    assert len(found) > 10
    table = one.table
    for k in found:
        a, alpha = worst.a[k], scores[k]
        assert a.min() >= 0
        assert a.sum() == pytest.approx(1)
        risk, C = table.structure, table.coefficients(a[None])
        shifted = alpha + 1e-4 * np.vstack((np.eye(4), -np.eye(4)))
        # W at a minimizer: no step along an axis goes down.
        assert risk.value(np.repeat(C, 8, axis=0), shifted).min() >= risk.value(C, alpha[None])[0]
        d = a - a.T
        assert np.abs(d - (d[:, :1] - d[:, :1].T)).max() < 1e-9
        regret = sum(d[i, j] for i, j in combinations(range(4), 2) if alpha[i] < alpha[j])
        assert regret == pytest.approx(worst.regret[k])


def test_the_worst_tie_of_the_linear_loss_has_no_regret_under_low_noise():
    """DMJ10 Theorem 13: the loss is consistent there."""
    for one in programs("linear", "low-noise", 3):
        worst = one.solve(quarters(3), ties=True, machine_code=True)
        assert not (worst.regret > 1e-9).any()


def test_programs_by_hand():
    """x = y on the simplex of two; a cone that is empty; equations that follow from each other."""
    cost = np.array([[2.0, 0.0]])
    upper = np.empty((0, 2))
    values, points = maximize(cost, np.array([[[1.0, -1.0]]]), upper)
    assert values.tolist() == [1.0]
    assert points.tolist() == [[0.5, 0.5]]
    assert maximize(cost, np.array([[[1.0, 1.0]]]), upper)[0].tolist() == [-np.inf]
    values, points = maximize(cost, np.array([[[1.0, -3.0], [-2.0, 6.0], [0.0, 0.0]]]), upper)
    assert values == pytest.approx(1.5)
    assert points[0] == pytest.approx([0.75, 0.25])


def test_random_programs_against_highs():
    generator = np.random.default_rng(5)
    for n, k, loose in ((6, 2, 4), (6, 3, 4), (12, 3, 9), (20, 4, 16)):
        cost = generator.integers(-3, 4, (50, n)).astype(float)
        equal = generator.integers(-3, 4, (50, k, n)).astype(float)
        upper = generator.integers(-3, 3, (loose, n)).astype(float)
        values, points = maximize(cost, equal, upper)
        slow, _ = _one_by_one(cost, equal, upper)
        assert (np.isinf(values) == np.isinf(slow)).all()
        found = np.isfinite(values)
        assert found.any()
        assert values[found] == pytest.approx(slow[found], abs=1e-8)
        assert np.abs(np.einsum("bkn,bn->bk", equal, points)[found]).max() < 1e-8
        assert (points[found] @ upper.T).max(initial=0.0) < 1e-8
