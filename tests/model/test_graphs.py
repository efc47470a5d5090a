"""The terms of surrogates on preference graphs, as the papers write them."""

from collections import Counter
from fractions import Fraction

import pytest

from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import surrogate, surrogate_names

HALF = Fraction(1, 2)
DISTRIBUTIONS = (
    Distribution.of(3, [(1, {(0, 1): 2, (1, 2): 1})]),
    Distribution.of(3, [(HALF, {(0, 1): 2, (0, 2): 3}), (HALF, {(1, 0): 1, (2, 1): 5, (2, 0): 4})]),
    Distribution.of(4, [(Fraction(1, 3), {(0, 3): 1, (1, 2): 1}), (Fraction(2, 3), {(3, 0): 7, (0, 2): 1})]),
)
H = {"a": lambda a: a, "a**2": lambda a: a**2}


def terms(entry, distribution):
    """The coefficients of phi(<v, u> - b), by phi, v and b.

    Edge: h(a_ij) phi(u_i - u_j) for every edge (DMJ10 Eq. 9). Margin: phi(u_i - u_j - h(a_ij)) (Eq. 13).
    Linear: a_ij (u_j - u_i), and nu sum_i r(u_i) (Eq. 14). Difference: [d_ij]_+ phi(u_i - u_j) (DMJ13).
    Regression: (u_i - sum_j (a_ij - a_ji))^2 (RAT13 Theorem 6).
    """
    kind, m, found = entry["family"], distribution.m, Counter[tuple[object, ...]]()

    def add(c, phi, i, j, b=0):
        found[phi, tuple(sorted([(i, 1), (j, -1)])), str(b)] += c

    for p, graph in zip(distribution.probabilities, distribution.graphs, strict=True):
        net = [Fraction(0)] * m
        for i, j, a in graph:
            net[i], net[j] = net[i] + a, net[j] - a
            if kind == "edge":
                add(p * H[entry["h"]](a), entry["phi"], i, j)
            if kind == "margin":
                add(p, entry["phi"], i, j, H[entry["h"]](a))
            if kind == "linear":
                add(p * a, "-x", i, j)
        if kind == "regression":
            for i, f in enumerate(net):
                found["x**2", ((i, 1),), str(f)] += p
    if kind == "linear":
        for i in range(m):
            found[entry["r"], ((i, 1),), "0"] += Fraction(entry["nu"])
    if kind == "difference":
        a = distribution.aggregate
        for i in range(m):
            for j in range(m):
                add(max(a[i][j] - a[j][i], Fraction(0)), entry["phi"], i, j)
    return {term: c for term, c in found.items() if c}


@pytest.mark.parametrize("options", [{}, {"h": "a**2"}, {"nu": 3}], ids=str)
@pytest.mark.parametrize("name", surrogate_names())
def test_terms(name, options):
    family = surrogate(name).describe(DISTRIBUTIONS[0])["family"]
    if not set(options) <= {"edge": {"h"}, "margin": {"h"}, "linear": {"nu"}}.get(str(family), set()):
        return
    for distribution in DISTRIBUTIONS:
        one = surrogate(name, **options)
        found = {(str(t.phi), tuple(t.v), str(t.b)): t.c for t in one.risk_terms(distribution)}
        assert found == terms(one.describe(distribution), distribution)
