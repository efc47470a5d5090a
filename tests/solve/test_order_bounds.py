"""Bounds that tell the order of a minimizer: what floats propose, the core accepts."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from consistency_lab.core.certificates import Bound, Separation, check_separation
from consistency_lab.core.risk import PhiAtom, conjugate
from consistency_lab.numbers.exact import LogRational, certainly_less, enclose, working_precision
from consistency_lab.numbers.phi import enclose_value, named
from consistency_lab.solve.edges import minimize_edges
from consistency_lab.solve.order_bounds import Slope, order_bounds

LOSSES = ("logistic", "exponential", "squared-hinge", "square")


def games(m, seed, share=1.0):
    """Wins of a Bradley-Terry tournament in which not all pairs meet, but neighbors do, with a win each."""
    rng = np.random.default_rng(seed)
    u = rng.normal(size=m)
    n = np.triu(rng.poisson(20, (m, m)) * (rng.random((m, m)) < share), 1)
    won = rng.binomial(n, 1 / (1 + np.exp(u[None] - u[:, None])))
    a = won + (n - won).T
    a[np.arange(m), np.roll(np.arange(m), 1)] += 1
    a[np.roll(np.arange(m), 1), np.arange(m)] += 1
    return np.asarray(a)


def proposed(loss, a, paths=1):
    phi = named(loss).expression
    h = [[Fraction(x) for x in row] for row in a.tolist()]
    found = order_bounds(phi, h, minimize_edges(phi, a.astype(np.float64)), paths)
    assert found is not None
    return phi, h, found


def check_by_the_core(phi, h, found):
    """All bounds, each with all of its slopes, as a file would have them."""
    atoms = [
        PhiAtom(h[i][j], phi, tuple(sorted(((i, Fraction(1)), (j, Fraction(-1))))), LogRational(Fraction(0)))
        for i, j in found.pairs
    ]
    bounds, gap = [], 1.0
    for pull in found.pulls:
        slopes = found.slopes_of(pull)
        brackets = tuple(slope.bracket for slope in slopes)
        bounds.append(Bound(pull.above, pull.below, tuple(slope.value for slope in slopes), brackets))
        gap = min(gap, pull.gap)
    names = [str(k) for k in range(len(h))]
    scores = [LogRational(x) for x in found.scores]
    certificate = Separation(tuple(bounds), Fraction(gap) * Fraction(999, 1000))
    pairs = check_separation(atoms, certificate, scores, names)
    assert pairs == [(pull.above, pull.below) for pull in found.pulls if pull is not None]


@pytest.mark.parametrize("loss", [*LOSSES, "smoothed-hinge", "huberized-hinge"])
@pytest.mark.parametrize("share", [0.2, 1.0])
def test_the_core_accepts_the_bounds_and_the_gap(loss, share):
    phi, h, found = proposed(loss, games(9, 4, share))
    assert len(found.pulls) == len(found.levels) - 1 == 8
    check_by_the_core(phi, h, found)


@pytest.mark.parametrize("loss", LOSSES)
def test_more_paths_give_larger_gaps(loss):
    a = games(7, 2)
    phi, h, found = proposed(loss, a, paths=10)
    check_by_the_core(phi, h, found)
    for many, one in zip(found.pulls, proposed(loss, a)[2].pulls, strict=True):
        assert many.gap > one.gap


def loss_of(phi, c, x, slope):
    """A bound of c (phi(x) + phi^*(s) - s x), from the tangents at the ends of the bracket."""
    conjugated = conjugate(phi, slope.value, slope.bracket, 128)
    exact = conjugated.ball() if isinstance(conjugated, LogRational) else conjugated
    most = enclose_value(phi, LogRational(x)) + exact
    return enclose(c) * (most - enclose(slope.value * x))


@pytest.mark.parametrize(
    ("loss", "m", "share"),
    [*((loss, 26, 1.0) for loss in LOSSES), ("logistic", 50, 0.08), ("squared-hinge", 50, 0.08)],
)
def test_bounds_of_many_items_have_few_slopes_of_their_own_and_the_gaps_stand(loss, m, share):
    phi, h, found = proposed(loss, games(m, 6, share))
    assert [len(level) for level in found.levels] == [1] * m
    flow = [h[i][j] * s for (i, j), s in zip(found.pairs, found.slopes, strict=True)]
    assert left(found.pairs, flow) == {}
    with working_precision(128):
        at = [found.scores[i] - found.scores[j] for i, j in found.pairs]
        about = zip(found.pairs, at, found.slopes, found.radii, strict=True)
        own = [loss_of(phi, h[i][j], x, Slope(s, x, radius)) for (i, j), x, s, radius in about]
        for pull, ((above,), (below,)) in zip(found.pulls, pairwise(found.levels), strict=True):
            assert (pull.above, pull.below) == (above, below)
            assert len(pull.changes) <= 24
            pairs = [found.pairs[t] for t in pull.changes]
            changed = list(zip(pull.changes, pairs, strict=True))
            moved = [h[i][j] * (pull.changes[t].value - found.slopes[t]) for t, (i, j) in changed]
            assert left(pairs, moved) == {below: pull.multiplier, above: -pull.multiplier}
            lost = sum(own, enclose(0))
            for t, (i, j) in changed:
                lost += loss_of(phi, h[i][j], at[t], pull.changes[t]) - own[t]
            gap = enclose(pull.multiplier * (found.scores[above] - found.scores[below])) - lost
            assert certainly_less(enclose(Fraction(pull.gap)), gap)


def left(pairs, flow):
    """What a flow leaves at the items."""
    found = {}
    for (i, j), x in zip(pairs, flow, strict=True):
        found[i] = found.get(i, Fraction(0)) + x
        found[j] = found.get(j, Fraction(0)) - x
    return {k: x for k, x in found.items() if x}


def test_components_without_a_common_minimum_are_kept_apart_too():
    cycle = np.array([[0, 3, 1], [1, 0, 2], [1, 1, 0]])
    a = np.kron(np.eye(2, dtype=np.int64), cycle)
    a[4, 0] = a[3, 1] = 2
    phi, h, found = proposed("logistic", a)
    assert {k for (k,) in found.levels[:3]} == {3, 4, 5}
    assert all(pull is not None for pull in found.pulls)
    check_by_the_core(phi, h, found)


def test_components_that_never_meet_cannot_be_kept_apart():
    a = np.kron(np.eye(2, dtype=np.int64), [[0, 3], [1, 0]])
    a[2, 3] = 4
    _, _, found = proposed("logistic", a)
    missing = [pull is None for pull in found.pulls]
    assert any(missing)


def test_a_path_that_is_flat_at_first_carries_a_flow_all_the_same():
    # Item 6 only wins; between it and item 4 the only path of two comparisons begins on the flat side.
    a = np.zeros((6, 6), dtype=np.int64)
    wins = {(0, 2): 83, (1, 2): 73, (1, 4): 58, (2, 0): 75, (2, 3): 45, (3, 0): 89, (3, 2): 79, (3, 4): 84}
    for (i, j), n in (wins | {(4, 0): 34, (4, 1): 65, (5, 0): 46, (5, 1): 47}).items():
        a[i, j] = n
    phi, h, found = proposed("squared-hinge", a)
    assert found.levels[:2] == ((5,), (3,))
    check_by_the_core(phi, h, found)


@pytest.mark.parametrize("loss", LOSSES)
def test_without_comparisons_nothing_is_kept_apart(loss):
    _, _, found = proposed(loss, np.zeros((3, 3), dtype=np.int64))
    assert found.levels == ((0, 1, 2),)
    assert found.pulls == ()


def test_tied_items_stand_on_one_level():
    a = np.array([[0, 2, 3], [2, 0, 3], [1, 1, 0]])
    phi, h, found = proposed("logistic", a)
    assert found.levels == ((0, 1), (2,))
    assert [(pull.above, pull.below) for pull in found.pulls if pull] == [(0, 2), (1, 2)]
    check_by_the_core(phi, h, found)


def test_a_path_whose_slopes_are_all_at_their_limits_carries_nothing():
    rng = np.random.default_rng(30)
    u = rng.normal(size=30)
    n = np.triu(rng.poisson(8, (30, 30)) * (rng.random((30, 30)) < 0.3), 1)
    won = rng.binomial(n, 1 / (1 + np.exp(u[None] - u[:, None])))
    a = won + (n - won).T
    h, phi = np.maximum(a - a.T, 0), named("squared-hinge").expression
    weights = [[Fraction(int(x)) for x in row] for row in h]
    bounded = order_bounds(phi, weights, minimize_edges(phi, h))
    assert any(pull is not None for pull in bounded.pulls)
