"""Calibration functions (DMJ10 Eq. 3): laws by hand, and exact programs."""

from fractions import Fraction
from functools import cache
from itertools import combinations, permutations
from math import log
from operator import mul
from random import Random

import numpy as np
import pytest

from consistency_lab import Effort, UnsupportedError, minimize, optimal_orders, parse, surrogate
from consistency_lab.apps.measure.calibration import (
    _class,
    _settled,
    additive_distance,
    calibration,
    cases,
    drop,
    least_distance,
)
from consistency_lab.apps.measure.calibration_report import risk_bound
from consistency_lab.apps.measure.cones import pieces, rays_of
from consistency_lab.apps.measure.worst import worst_case
from consistency_lab.model.conditions import conditions_of, implies, net
from consistency_lab.model.distribution import Distribution, loss, order_of
from consistency_lab.model.posets import chain
from consistency_lab.numbers.exact import LogRational
from consistency_lab.numbers.exact.linear import null_space, rank
from consistency_lab.solve.lp import FloatSolver

ACYCLIC = ("additive", "low-noise", "net-order", "acyclic")


@cache
def linear(condition, m):
    return calibration(surrogate("linear"), condition, m, effort=Effort(seconds=60))


def constant(name, condition, m, **options):
    plain = name == "linear" and not options
    found = linear(condition, m) if plain else calibration(surrogate(name, **options), condition, m)
    return found.law.c


@pytest.mark.parametrize("condition", (*ACYCLIC, "any"))
def test_two_items_by_hand(condition):
    """d_12 = eps, N = (eps, -eps): the nearest tie is (0, 0), at squared distance 2 eps^2."""
    assert constant("linear", condition, 2) == 1
    assert constant("linear", condition, 2, nu="1/3") == 3
    assert constant("regression", condition, 2) == 2
    assert constant("difference-logistic", condition, 2) == LogRational(Fraction(0), Fraction(2))
    assert constant("difference-hinge", condition, 2) == 1


def test_a_condition_on_more_than_the_differences_is_refused():
    with pytest.raises(UnsupportedError, match="strong-stochastic-transitivity depends on more"):
        calibration(surrogate("logistic"), "strong-stochastic-transitivity", 3)


@pytest.mark.parametrize(
    ("m", "c"), [(2, Fraction(1)), (3, Fraction(9, 16)), (4, Fraction(2, 5)), (5, Fraction(5, 16))]
)
def test_additive_differences_have_a_closed_form(m, c):
    """c = 3m / (2 (m^2 - 1)) at r = x^2/2, nu = 1."""
    assert constant("linear", "additive", m) == c == Fraction(3 * m, 2 * (m * m - 1))


@pytest.mark.parametrize("m", [2, 3, 4])
def test_the_programs_agree_with_the_closed_form(m):
    found = least_distance("additive", m, Effort())
    assert found.exact
    assert found.lower == additive_distance(m)


@pytest.mark.parametrize("condition", ["net-order", "acyclic"])
@pytest.mark.parametrize("m", [3, 4])
def test_the_programs_find_that_no_distance_is_needed(condition, m):
    """DMJ10 Eq. 16 is an open condition: on its boundary two net preferences are equal."""
    assert least_distance(condition, m, Effort()).nearest.squared == 0
    assert constant("linear", condition, m) == 0


def test_low_noise_is_exact_and_as_good_as_additive():
    found = linear("low-noise", 3)
    assert (found.kind, found.law.c, found.law.cases) == ("exact", Fraction(9, 16), 16)
    four = linear("low-noise", 4)
    assert (four.kind, four.law.c) == ("exact", Fraction(2, 5))


def test_cases_of_one_class_have_one_distance():
    solver = FloatSolver()
    least = {}
    for case in cases("low-noise", 3):
        least.setdefault(_class(case), set()).add(_settled(case, None, solver)[0])
    assert all(len(found) == 1 for found in least.values())
    assert len(least) < sum(1 for _ in cases("low-noise", 3))


@pytest.mark.parametrize("name", ["linear", "difference-hinge"])
def test_larger_conditions_and_more_items_make_it_smaller(name):
    table = {(c, m): constant(name, c, m) for c in ACYCLIC for m in (2, 3, 4)}
    for (condition, m), c in table.items():
        assert all(c >= table[other, m] for other in ACYCLIC if implies(condition, other))
        assert c >= table.get((condition, m + 1), 0)


@pytest.mark.parametrize(
    ("r", "nu", "factor"),
    [("x**2/2", "1", 1), ("x**2/2", "5", Fraction(1, 5)), ("3*x**2+x", "2", Fraction(1, 12))],
)
def test_any_parabola_is_a_change_of_units(r, nu, factor):
    """For r = q x^2 + ... the excess is |beta - N|^2 / (4 q nu)."""
    assert constant("linear", "low-noise", 3, r=r, nu=nu) == factor * Fraction(9, 16)


def _excess_and_regret(found, d, scores):
    """For the linear loss with r = x^2/2 and nu = 1, exactly."""
    a = [[max(x, Fraction(0)) for x in row] for row in d]
    order = order_of([LogRational(x) for x in scores])
    excess = sum((x - n) ** 2 for x, n in zip(scores, net(d), strict=True)) / 2
    return excess, loss(a, order) - optimal_orders(a).loss


@pytest.mark.parametrize(("condition", "m"), [("low-noise", 3), ("low-noise", 4), ("additive", 5)])
def test_the_law_is_attained_where_it_says(condition, m):
    found = linear(condition, m)
    at = found.law.attained
    assert conditions_of(at.d)[condition]
    assert _excess_and_regret(found, at.d, list(at.scores)) == (found.law.c, 1)


def test_no_sample_is_below_the_law():
    """Low-noise d on the chain: d_13 >= d_12 + d_23; scores near the net preferences, and near ties."""
    found = linear("low-noise", 3)
    random = Random(5)
    seen = 0
    for _ in range(150):
        x, y, more = (Fraction(random.randint(0, 9)) for _ in range(3))
        d = [[Fraction(0), x, x + y + more], [-x, Fraction(0), y], [-x - y - more, -y, Fraction(0)]]
        share = Fraction(random.randint(0, 8), 8)
        scores = [share * n + Fraction(random.randint(-4, 4)) for n in net(d)]
        excess, regret = _excess_and_regret(found, d, scores)
        assert excess >= found.law.c * regret**2
        seen += regret > 0
    assert seen > 30


def test_a_budget_that_is_used_up_leaves_a_proved_bracket():
    found = calibration(surrogate("linear"), "low-noise", 3, effort=Effort(seconds=0.0))
    assert found.kind == "bracket"
    assert found.law.lower == Fraction(1, 4) < Fraction(9, 16) == found.law.upper
    six = calibration(surrogate("linear"), "low-noise", 6)
    assert (six.law.c, six.law.lower, six.law.upper) == (None, Fraction(1, 35), Fraction(9, 35))


def test_net_order_is_right_everywhere_but_not_uniformly():
    """Near d_12 = 2, d_23 = 1 the loss is right (DMJ10 Theorem 13), but by as little as one likes."""
    found = linear("net-order", 3)
    assert found.law.c == 0
    assert not conditions_of(found.law.attained.d)["net-order"]
    t = Fraction(1, 1000)
    d = [[x + t * (k - i) for k, x in enumerate(row)] for i, row in enumerate(found.law.attained.d)]
    assert conditions_of(d)["net-order"]
    assert net(d)[1] > net(d)[2] > net(d)[1] - 10 * t
    assert risk_bound(found) == ""


@pytest.mark.parametrize(
    ("condition", "name", "c"),
    [
        ("additive", "difference-hinge", Fraction(1)),
        ("low-noise", "difference-squared-hinge", Fraction(1)),
        ("net-order", "difference-exponential", Fraction(1)),
        ("acyclic", "difference-logistic", LogRational(Fraction(0), Fraction(2))),
    ],
)
def test_the_difference_graph_has_phi_0_minus_its_infimum(condition, name, c):
    found = calibration(surrogate(name), condition, 4)
    assert (found.kind, found.law.degree, found.law.c) == ("closed form", 1, c)
    assert conditions_of(found.law.attained.d)[condition]
    assert float(found.law.lower) <= float(found.law.c) <= float(found.law.upper)


def test_the_difference_law_is_approached():
    """d = (1, 1, 0): tie 1 and 2, and let 3 fall; the regret is 1, the excess tends to phi(0) - inf phi."""
    found = calibration(surrogate("difference-logistic"), "additive", 3)
    p = Distribution.from_aggregate([[max(x, Fraction(0)) for x in row] for row in found.law.attained.d])
    scores = [LogRational(Fraction(x)) for x in (0, 0, -40)]
    assert loss(p.aggregate, order_of(scores)) - optimal_orders(p.aggregate).loss == 1
    excess = log(2) + log(1 + np.exp(-40.0))
    assert excess == pytest.approx(float(found.law.c), abs=1e-12)


def test_a_drop_that_has_no_name_is_enclosed():
    """log(1 + e) is neither rational nor the logarithm of a rational."""
    law = drop(parse("log(1+exp(1-x))"))
    assert law.c is None
    assert law.lower <= Fraction(log(1 + np.e)) <= law.upper
    assert law.upper - law.lower < Fraction(1, 10**6)


@pytest.mark.parametrize("condition", ACYCLIC)
@pytest.mark.parametrize("m", [3, 4])
def test_rays_are_those_of_all_choices_of_tight_rows(condition, m):
    """A second way: a ray is where all but one dimension of the cone's rows are 0."""
    for piece in pieces(condition, m, differences=True)[:3]:
        size, expected = len(piece.pairs), set()
        equal = [piece.on_pairs(form) for form in piece.equal]
        above = [[Fraction(i == k) for k in range(size)] for i in range(size)]
        above += [piece.on_pairs(form) for form in piece.least]
        for tight in combinations(above, size - rank(equal) - 1):
            basis = null_space([*equal, *tight], size)
            total = sum(basis[0]) if len(basis) == 1 else 0
            if total and all(sum(map(mul, row, basis[0])) / total >= 0 for row in above):
                expected.add(tuple(x / total for x in basis[0]))
        found = rays_of(size, equal, [piece.on_pairs(form) for form in piece.least])
        assert {tuple(Fraction(x, sum(ray)) for x in ray) for ray in found} == expected


@pytest.mark.parametrize(
    ("loss", "condition"),
    [(surrogate("logistic"), "low-noise"), (surrogate("linear", r="x**4"), "any")],
    ids=["convex", "quartic"],
)
def test_a_loss_without_a_law_says_so_at_once(loss, condition):
    effort = Effort()
    found = calibration(loss, condition, 3, effort=effort)
    assert (found.kind, found.law, effort.summary()) == ("none", None, Effort().summary())
    assert "measure --worst" in found.note and risk_bound(found) == ""


def test_the_shapes_are_chains_but_for_low_noise():
    assert [len({case.piece.pairs for case in cases(name, 4)}) for name in ACYCLIC] == [1, 15, 1, 1]
    assert {case.piece.relation for case in cases("acyclic", 4)} == {chain(4)}
    assert len(list(cases("additive", 4))) == len(list(permutations(range(4)))) - 1


def test_lemma_1_in_words():
    assert (
        risk_bound(calibration(surrogate("linear"), "additive", 2))
        == "excess risk <= sqrt(excess surrogate risk)"
    )
    assert risk_bound(calibration(surrogate("difference-logistic"), "acyclic", 5)) == (
        "excess risk <= excess surrogate risk / log(2)"
    )


def test_no_sample_keeps_more_regret_than_the_worst_case_without_excess():
    """Minimizers in floats at random counts whose differences are additive, on the boundary of low noise."""
    worst = worst_case(surrogate("logistic"), "low-noise", 3)
    random = np.random.default_rng(4)
    logistic = surrogate("logistic")
    for _ in range(20):
        x, y = (Fraction(int(k)) for k in random.integers(0, 6, 2))
        back = [[Fraction(int(k)) for k in row] for row in random.integers(0, 4, (3, 3))]
        d = [[Fraction(0), x, x + y], [-x, Fraction(0), y], [-x - y, -y, Fraction(0)]]
        a = [[max(d[i][j], Fraction(0)) + back[min(i, j)][max(i, j)] for j in range(3)] for i in range(3)]
        for i in range(3):
            a[i][i] = Fraction(0)
        total = sum(map(sum, a))
        if not total:
            continue
        p = Distribution.from_aggregate(a)
        scores = [
            LogRational(Fraction(float(s)).limit_denominator(10**6))
            for s in minimize(logistic.risk_terms(p), 3).scores
        ]
        regret = loss(p.aggregate, order_of(scores)) - optimal_orders(p.aggregate).loss
        assert regret / total <= worst.upper


@pytest.mark.long
def test_five_items_are_settled_as_the_table_in_the_documents_says():
    """5/16; each program stands for the cases of its class, 6665 in all."""
    effort = Effort(seconds=1000)
    found = calibration(surrogate("linear"), "low-noise", 5, effort=effort)
    assert (found.kind, found.law.c, found.law.cases) == ("exact", Fraction(5, 16), 6665)
    assert effort.programs == len({_class(case) for case in cases("low-noise", 5)}) < 6665 // 2
