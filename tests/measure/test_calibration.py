"""Calibration functions (DMJ10 Eq. 3): laws by hand, exact programs, bounds that contain known values."""

from fractions import Fraction
from functools import cache
from itertools import combinations, pairwise, permutations
from math import log, sqrt
from operator import mul
from random import Random

import numpy as np
import pytest
from flint import arb

from consistency_lab.apps.measure import calibration_laws as laws
from consistency_lab.apps.measure.calibration import Problem, calibration, largest_zero
from consistency_lab.apps.measure.calibration_proposals import Section, least_risk_bound, rays
from consistency_lab.apps.measure.calibration_report import (
    bound_in_words,
    calibration_report,
    convex_minorant,
    risk_bound,
)
from consistency_lab.apps.measure.cones import pieces
from consistency_lab.apps.measure.worst import worst_case
from consistency_lab.errors import InputError, UnsupportedError
from consistency_lab.model.conditions import conditions_of, cone, implies, net
from consistency_lab.model.distribution import Distribution, loss, order_of
from consistency_lab.model.posets import chain
from consistency_lab.model.surrogates import surrogate
from consistency_lab.numbers.exact import LogRational
from consistency_lab.numbers.exact.linear import null_space, rank
from consistency_lab.numbers.phi import parse
from consistency_lab.search.effort import Effort
from consistency_lab.show.text import rendered
from consistency_lab.solve.lp import FloatSolver
from consistency_lab.solve.minimize import minimize
from consistency_lab.solve.optimal import optimal_orders

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
    found = laws.least_distance("additive", m, Effort())
    assert found.exact
    assert found.lower == laws.additive_distance(m)


@pytest.mark.parametrize("condition", ["net-order", "acyclic"])
@pytest.mark.parametrize("m", [3, 4])
def test_the_programs_find_that_no_distance_is_needed(condition, m):
    """DMJ10 Eq. 16 is an open condition: on its boundary two net preferences are equal."""
    assert laws.least_distance(condition, m, Effort()).nearest.squared == 0
    assert constant("linear", condition, m) == 0


def test_low_noise_is_exact_and_as_good_as_additive():
    found = linear("low-noise", 3)
    assert (found.kind, found.law.c, found.law.cases) == ("exact", Fraction(9, 16), 16)
    four = linear("low-noise", 4)
    assert (four.kind, four.law.c) == ("exact", Fraction(2, 5))


def test_cases_of_one_class_have_one_distance():
    solver = FloatSolver()
    least = {}
    for case in laws.cases("low-noise", 3):
        least.setdefault(laws._class(case), set()).add(laws._settled(case, None, solver)[0])
    assert all(len(found) == 1 for found in least.values())
    assert len(least) < sum(1 for _ in laws.cases("low-noise", 3))


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
    law = laws.drop(parse("log(1+exp(1-x))"))
    assert law.c is None
    assert law.lower <= Fraction(log(1 + np.e)) <= law.upper
    assert law.upper - law.lower < Fraction(1, 10**6)


PSI = {
    "hinge": lambda e: e,
    "squared-hinge": lambda e: e * e,
    "exponential": lambda e: 1 - sqrt(1 - e * e),
    "logistic": lambda e: sum((1 + s * e) * log(1 + s * e) for s in (1, -1) if s * e > -1) / 2,
}
"""phi(0) - min over x of (1+e)/2 phi(x) + (1-e)/2 phi(-x) (Bartlett, Jordan, McAuliffe 2006, Theorem 2)."""


@pytest.mark.parametrize(("name", "regret"), list(zip(PSI, [Fraction(1, 3), Fraction(1)] * 2, strict=True)))
def test_with_two_items_the_bounds_contain_the_binary_transform(name, regret):
    point = Problem(surrogate(name), "low-noise", 2).point(regret, Effort(), 0)
    value = PSI[name](float(regret))
    assert float(point.lower) <= value + 1e-9
    assert value <= float(point.upper) + 1e-9
    assert point.upper - point.lower <= Fraction(1, 50) * point.upper


def test_bounds_at_several_regrets_rise():
    """H_2(eps) = eps for the hinge."""
    found = calibration(surrogate("hinge"), "any", 2, effort=Effort(seconds=1))
    assert (found.kind, found.zero_up_to, found.witness, len(found.points)) == ("bracket", 0, None, 6)
    assert all(point.lower <= point.regret <= point.upper for point in found.points)
    lower = [point.lower for point in found.points]
    assert lower == sorted(lower)


def test_at_full_regret_three_items_have_the_drop_of_phi():
    """Regret 1 leaves a = d in reverse order: each edge costs phi(0) at least, and W* >= 0; hinge: 1."""
    problem = Problem(surrogate("hinge"), "additive", 3)
    point = problem.point(Fraction(1), Effort(seconds=30), 0)
    assert Fraction(1, 2) < point.lower <= 1 <= point.upper < Fraction(1001, 1000)


def test_no_sample_is_below_a_proved_bound():
    """Low-noise, logistic, three items, total weight 1: random distributions, and scores of every order."""
    problem = Problem(surrogate("logistic"), "additive", 3)
    regret = Fraction(3, 5)
    point = problem.point(regret, Effort(seconds=30), 0)
    assert point.lower > Fraction(1, 10)
    random = np.random.default_rng(1)
    loss_ = surrogate("logistic")
    for order, section in problem.sections:
        corners = section.at_least(regret)
        for _ in range(4 if corners else 0):
            shares = random.dirichlet(np.ones(len(corners)))
            a = [
                [
                    Fraction(float(sum(s * c[3 * i + j] for s, c in zip(shares, corners, strict=True))))
                    for j in range(3)
                ]
                for i in range(3)
            ]
            terms = loss_.risk_terms(Distribution.from_aggregate(a))
            scores = np.zeros(3)
            scores[list(order)] = -np.cumsum(random.exponential(0.3, 3))
            total = sum(float(t.c) * log(1 + np.exp(-sum(n * scores[k] for k, n in t.v))) for t in terms)
            assert total - minimize(terms, 3).value >= float(point.lower) - 1e-9


@pytest.mark.parametrize(("name", "regret"), [("hinge", Fraction(1, 6)), ("squared-hinge", Fraction(1, 11))])
def test_a_witness_proves_that_h_is_zero(name, regret):
    """A stationary certificate: the scores minimize W, so their regret costs nothing."""
    zero, witness = largest_zero(surrogate(name), "additive", 3, Effort(seconds=60))
    assert zero >= regret
    assert witness.document["proof"]["certificate"]["kind"] == "minimum"
    assert zero == witness.normalized_regret
    assert witness.verified.conditions["additive"]


@pytest.mark.parametrize("name", ["hinge", "margin-hinge"])
def test_a_witness_carries_what_its_caller_says_of_it(name):
    own = {"command": "consistency-lab calibration", "citation": "DMJ10 Theorem 11"}
    found = calibration(surrogate(name), "additive", 3, effort=Effort(seconds=6), provenance=own)
    texts = found.witness.document["provenance"]
    assert {key: texts[key] for key in own} == own


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
        assert rays(piece) == sorted(expected)


def test_what_has_no_bounds_says_so():
    margin = calibration(surrogate("margin-hinge"), "additive", 3)
    assert (margin.kind, margin.points) == ("none", ())
    assert margin.zero_up_to > 0
    assert "total weight 1" in margin.note
    quartic = calibration(surrogate("linear", r="x**4"), "low-noise", 2)
    assert not quartic.answered
    assert "edge losses" in quartic.note


@pytest.mark.parametrize(
    ("condition", "m", "word"),
    [("low noise!", 3, "no condition"), ("any", 1, "1 items"), ("any", 9, "9 items")],
)
def test_wrong_questions(condition, m, word):
    with pytest.raises(InputError, match=word):
        calibration(surrogate("linear"), condition, m)


@pytest.mark.parametrize("condition", ACYCLIC)
def test_sections_are_the_condition_at_total_weight_one(condition):
    for case in laws.cases(condition, 3):
        section = Section.of(case)
        for regret in (Fraction(0), Fraction(1, 3), Fraction(1)):
            for corner in section.at_least(regret):
                a = [corner[3 * i : 3 * i + 3] for i in range(3)]
                d = {(i, j): a[i][j] - a[j][i] for i, j in combinations(range(3), 2)}
                rows = cone(condition, frozenset(case.piece.pairs), 3)
                assert sum(corner) == 1
                assert min(corner) >= 0
                assert all(sum(c * d[pair] for pair, c in row.items()) == 0 for row in rows.equalities)
                assert all(sum(c * d[pair] for pair, c in row.items()) >= 0 for row in rows.inequalities)
                assert loss(a, case.order) - optimal_orders(a).loss >= regret


def test_the_shapes_are_chains_but_for_low_noise():
    assert [len({case.piece.pairs for case in laws.cases(name, 4)}) for name in ACYCLIC] == [1, 15, 1, 1]
    assert {case.piece.relation for case in laws.cases("acyclic", 4)} == {chain(4)}
    assert len(list(laws.cases("additive", 4))) == len(list(permutations(range(4)))) - 1


def test_a_dual_point_bounds_the_least_risk():
    """min over x of 3 log(1+e^-x) + log(1+e^x) is 4 log 4 - 3 log 3."""
    p = Distribution.from_aggregate([[0, 3], [1, 0]])
    bound = least_risk_bound(surrogate("logistic").risk_terms(p), 2)
    assert float(bound.lower()) == pytest.approx(4 * log(4) - 3 * log(3), abs=1e-6)
    # The bound may touch the minimum, and then the last bit of a float decides nothing: compare balls.
    assert not bound.lower() > 4 * arb(4).log() - 3 * arb(3).log()


def test_the_minorant_is_convex_and_below_every_bound():
    points = [
        laws.Point(Fraction(k, 5), Fraction(x, 100), Fraction(1), 0)
        for k, x in enumerate((1, 30, 31, 32, 90), 1)
    ]
    corners = convex_minorant(points)
    slopes = [(y1 - y0) / (x1 - x0) for (x0, y0), (x1, y1) in pairwise(corners)]
    assert slopes == sorted(slopes)
    assert corners[0] == (0, 0)
    assert corners[-1][0] == 1
    for (x0, y0), (x1, y1) in pairwise(corners):
        for k in range(11):
            x = x0 + (x1 - x0) * Fraction(k, 10)
            known = [point.lower for point in points if point.regret <= x] or [Fraction(0)]
            assert y0 + (y1 - y0) * Fraction(k, 10) <= known[-1]


def test_lemma_1_in_words():
    assert (
        risk_bound(calibration(surrogate("linear"), "additive", 2))
        == "excess risk <= sqrt(excess surrogate risk)"
    )
    assert risk_bound(calibration(surrogate("difference-logistic"), "acyclic", 5)) == (
        "excess risk <= excess surrogate risk / log(2)"
    )


@pytest.mark.parametrize(
    ("name", "condition", "most"), [("hinge", "acyclic", "0.2500"), ("squared-hinge", "additive", "0.0919")]
)
def test_no_excess_leaves_no_more_regret_than_the_worst_case(name, condition, most, monkeypatch):
    module = "consistency_lab.apps.measure.calibration"
    monkeypatch.setattr(f"{module}._BOXES", 1)
    monkeypatch.setattr(f"{module}.largest_zero", lambda *asked: (Fraction(0), None))
    found = calibration(surrogate(name), condition, 3, effort=Effort(seconds=300))
    worst = worst_case(surrogate(name), condition, 3)
    assert found.positive_above == worst.upper
    assert found.zero_up_to == worst.lower <= worst.upper
    assert found.witness.fails_under(condition)
    said = bound_in_words(found)
    assert f"With no excess surrogate risk at all, the excess risk is at most {most} of all" in said
    report = " ".join(" ".join(rendered(calibration_report(found))).split())
    above = report.partition("H(ε) > 0 for every regret above ")[2].partition(" of all")[0]
    assert worst.upper <= Fraction(above) <= worst.upper + Fraction(1, 10**6)


def test_no_sample_keeps_more_regret_than_the_worst_case_without_excess():
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
