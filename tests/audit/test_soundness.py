"""Verdicts of audits against another way to them: floats of SciPy, and all orders of the items one by one.

Near the infimum of W items of one strong component stand as at its minimizer, and components as they escape.
An audit may leave a question open; what it answers must be what all these orders cost.
"""

from itertools import combinations, pairwise, permutations
from random import Random

import numpy as np
import pytest
from scipy.optimize import linprog, minimize
from scipy.special import expit

from consistency_lab import Profile, Verdict
from consistency_lab.apps.audit.audit import audit
from consistency_lab.decide.profile import decide_profile

SLOPED = {
    "logistic": (lambda x: np.logaddexp(0, -x), lambda x: -expit(-x)),
    "exponential": (lambda x: np.exp(-x), lambda x: -np.exp(-x)),
    "squared-hinge": (lambda x: np.maximum(0, 1 - x) ** 2, lambda x: -2 * np.maximum(0, 1 - x)),
    "square": (lambda x: (1 - x) ** 2, lambda x: -2 * (1 - x)),
}
_TIED = 1e-5


def profiles(count, seed):
    """Two to five items; equal sums, ties, zeros, items that are never compared, complete rankings."""
    drawn = Random(seed)
    for n in range(count):
        m = drawn.randint(2, 5 if n % 3 else 4)
        names = "ABCDE"[:m]
        if n % 4 == 0:
            yield Profile.from_rankings([drawn.sample(names, m) for _ in range(drawn.randint(1, 5))])
            continue
        most, none = drawn.choice((1, 2, 5, 30)), drawn.choice((0.0, 0.3, 0.6))
        a = [
            [0 if i == j or drawn.random() < none else drawn.randint(0, most) for j in range(m)]
            for i in range(m)
        ]
        if drawn.random() < 0.2:  # a twin, so that two items are tied
            a[1] = [a[0][1], 0, *a[0][2:]]
            a[0][1] = a[1][0]
            for k in range(2, m):
                a[k][1] = a[k][0]
        if any(map(any, a)):
            yield Profile.from_matrix(a, list(names))


def reached(arcs):
    found = arcs | np.eye(len(arcs), dtype=bool)
    for k in range(len(arcs)):
        found |= found[:, [k]] & found[[k], :]
    return np.asarray(found)


def forced(name, wins):
    """Which item stands certainly above which near the infimum; what is forced no way may stand any way."""
    if name in ("linear", "regression"):
        net = wins.sum(axis=1) - wins.sum(axis=0)
        return np.asarray(net[:, None] > net[None, :])
    if name.startswith("difference-"):
        name, wins = name.removeprefix("difference-"), np.maximum(wins - wins.T, 0)
    m, (value, slope) = len(wins), SLOPED[name]
    arcs = wins > 0
    leads = reached(arcs | arcs.T if name == "square" else arcs)
    together = leads & leads.T
    inside = np.where(together, wins, 0.0)

    def risk(u):
        x = u[:, None] - u[None, :]
        push = inside * slope(x)
        return float((inside * value(x)).sum()), push.sum(axis=1) - push.sum(axis=0)

    u = minimize(risk, np.zeros(m), jac=True, method="BFGS", options={"gtol": 1e-10, "maxiter": 10_000}).x
    above = together & (u[:, None] > u[None, :] + _TIED)
    return above | (leads & ~together)


def told(name, wins):
    """Whether the orders that are possible near the infimum are optimal: some, all, or none."""
    m, above = len(wins), forced(name, wins)
    costs = {
        order: sum(int(wins[low, high]) for high, low in combinations(order, 2))
        for order in permutations(range(m))
    }
    least = min(costs.values())
    return {
        cost == least
        for order, cost in costs.items()
        if not any(above[low, high] for high, low in combinations(order, 2))
    }


LOSSES = (*SLOPED, "linear", "regression", "difference-logistic", "difference-square")


@pytest.mark.long
def test_what_is_certified_is_what_all_orders_say():
    said = set()
    for profile in profiles(13, 0):
        wins = np.array([[int(x) for x in row] for row in profile.wins])
        found = audit(profile, LOSSES, resamples=0, simulations=0, flips=False)
        assert found.best.is_optimal
        for one in found.findings:
            known, expected = one.certified, told(one.rule.name, wins)
            if known.verdict is Verdict.UNDECIDED:
                continue
            assert (known.verdict is Verdict.CONSISTENT) is (expected == {True})
            if known.failure == "strict":
                assert expected == {False}
            said.add((str(known.verdict), known.failure))
            checked = decide_profile(one.rule.name, profile).verdict
            assert checked in (known.verdict, Verdict.UNDECIDED)
    assert said >= {("CONSISTENT", None), ("INCONSISTENT", "strict"), ("INCONSISTENT", "tie")}


def least(wins, order=()):
    """The least of the hinge risk, where items stand in an order or are tied, by a linear program."""
    m, pairs = len(wins), np.argwhere(wins > 0)
    costs = np.concatenate([np.zeros(m), [wins[i, j] for i, j in pairs]])
    rows = np.zeros((len(pairs) + max(0, len(order) - 1), len(costs)))
    for k, (i, j) in enumerate(pairs):
        rows[k, [i, j, m + k]] = -1, 1, -1
    for k, (upper, lower) in enumerate(pairwise(order), len(pairs)):
        rows[k, [upper, lower]] = -1, 1
    most = np.concatenate([-np.ones(len(pairs)), np.zeros(len(rows) - len(pairs))])
    bounds = [(None, None)] * m + [(0, None)] * len(pairs)
    return float(linprog(costs, A_ub=rows, b_ub=most, bounds=bounds).fun)


def test_of_the_hinge_too_where_minimizers_are_many():
    said = set()
    for profile in (one for one in profiles(40, 1) if one.m < 4):
        wins = np.array([[int(x) for x in row] for row in profile.wins])
        made = audit(profile, ["hinge"], resamples=0, simulations=0, flips=False)
        found, best = made.findings[0].certified, made.best.cost
        free = least(wins)
        near = [o for o in permutations(range(len(wins))) if least(wins, o) <= free + 1e-7]
        costs = {o: sum(int(wins[low, high]) for high, low in combinations(o, 2)) for o in near}
        assert found.verdict is not Verdict.UNDECIDED
        assert (found.verdict is Verdict.CONSISTENT) is (set(costs.values()) == {int(best)})
        said.add(found.verdict)
    assert said == {Verdict.CONSISTENT, Verdict.INCONSISTENT}
