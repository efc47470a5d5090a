"""Many refits side by side are the single fits, only sooner."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from consistency_lab.apps.audit.losses import rule
from consistency_lab.numbers.phi import named, parse
from consistency_lab.solve.connectivity import condensed
from consistency_lab.solve.edges import escape, minimize_edges, placed, refitted


def games(m, share, count=6):
    """Bradley-Terry games between a share of all pairs, and a round between neighbors that all win once."""
    rng = np.random.default_rng(m)
    u = rng.normal(size=m)
    n = np.triu(rng.poisson(10, (count, m, m)) * (rng.random((m, m)) < share), 1)
    won = rng.binomial(n, 1 / (1 + np.exp(u[None] - u[:, None])))
    a = np.asarray(won + (n - won).transpose(0, 2, 1), dtype=np.float64)
    for i in range(m):
        a[:, i, (i + 1) % m] += 1.0
    return a


@pytest.mark.parametrize("name", ["logistic", "exponential", "squared-hinge", "square"])
@pytest.mark.parametrize(("m", "share"), [(21, 1.0), (60, 0.2)])
def test_refits_are_the_single_fits(name, m, share):
    phi, h = named(name).expression, games(m, share)
    found = refitted(phi, h, compiled=True)
    assert found is not None
    scores, converged = found
    assert converged.all()
    for one, matrix in zip(scores, h, strict=True):
        single = minimize_edges(phi, matrix)
        assert single.attained
        assert single.unique
        assert one == pytest.approx(single.scores, abs=1e-8)


@pytest.mark.parametrize("name", ["logistic", "squared-hinge", "difference-logistic"])
def test_a_rule_orders_a_resample_as_it_orders_it_alone(name):
    h = games(22, 0.5, 20)
    one_by_one = np.concatenate([rule(name).scores(matrix[None]) for matrix in h])
    refitted(named("logistic").expression, h[:1], compiled=True)  # loads the machine code, so it is used
    together = rule(name).scores(h)
    if name != "difference-logistic":
        assert together == pytest.approx(one_by_one, abs=1e-8)
    # No minimum is attained there: items escape, and those that met stand in the same order.
    met = h > h.transpose(0, 2, 1)
    signs = [np.sign(np.round(x[:, :, None] - x[:, None, :], 6)) for x in (together, one_by_one)]
    assert (signs[0] == signs[1])[met].all()


def test_a_risk_without_a_minimum_does_not_settle():
    h = games(25, 1.0, 2)
    h[1, :, 7] = 0.0
    assert minimize_edges(named("logistic").expression, h[1]).attained is False
    found = refitted(named("logistic").expression, h, compiled=True)
    assert found[1].tolist() == [True, False]


@pytest.mark.parametrize("seed", range(8))
def test_items_escape_in_many_supports_as_in_each(seed):
    rng = np.random.default_rng(seed)
    supports = rng.random((9, 8, 8)) < rng.choice([0.05, 0.15, 0.3], (9, 1, 1))
    supports[:, range(8), range(8)] = False
    supports[5] = supports[2]
    for name in ("logistic", "square", "squared-hinge"):
        phi = named(name).expression
        levels, parts = placed(phi, supports)
        for support, level, part in zip(supports, levels, parts, strict=True):
            _, alone, components = escape(phi, support)
            assert level.tolist() == alone.tolist()
            assert {tuple(np.flatnonzero(part == k).tolist()) for k in part} == set(components)
            arcs = np.argwhere(support | support.T if name == "square" else support.T).tolist()
            assert condensed([(i, j) for i, j in arcs], 8) == (level.tolist(), list(components))


def test_what_machine_code_does_not_know_or_repay_is_left_to_others():
    h = games(21, 1.0, 2)
    assert refitted(parse("x**4-x"), h, compiled=True) is None
    assert refitted(named("logistic").expression, h) is None


def unlinked(count):
    """Two rounds of items that meet no others: strongly connected each, and nothing links them."""
    rng, h = np.random.default_rng(5), np.zeros((count, 24, 24))
    for start in (0, 12):
        part = slice(start, start + 12)
        h[:, part, part] = rng.integers(1, 9, (count, 12, 12)) * (1.0 - np.eye(12))
    return h


@pytest.mark.parametrize("name", ["logistic", "exponential", "squared-hinge"])
def test_items_that_nothing_links_are_centered_apart(name):
    phi, h = named(name).expression, unlinked(30)
    for matrix in h[:3]:
        halves = [minimize_edges(phi, matrix[part, part]).scores for part in (slice(12), slice(12, 24))]
        assert minimize_edges(phi, matrix).scores == pytest.approx(np.concatenate(halves), abs=1e-7)
        assert minimize_edges(phi, csr_array(matrix)).scores == pytest.approx(
            np.concatenate(halves), abs=1e-6
        )
    assert refitted(phi, h, compiled=True)[1].all()


@pytest.mark.parametrize("name", ["logistic", "squared-hinge"])
def test_a_resample_has_the_same_scores_in_any_company(name):
    h = unlinked(20)
    h[:, 0, 13] = 1.0  # no minimum: one half escapes
    h[::2, 0, 13] = 0.0
    refitted(named("logistic").expression, h[:1], compiled=True)
    alone = np.concatenate([rule(name).scores(matrix[None]) for matrix in h])
    assert rule(name).scores(h) == pytest.approx(alone, abs=1e-7)
