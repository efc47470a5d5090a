"""Every construction is a counterexample that the core accepts, with its condition and its design exactly."""

from fractions import Fraction
from itertools import combinations
from random import Random

import pytest

from consistency_lab.certify.witness import certify
from consistency_lab.errors import InputError
from consistency_lab.model.conditions import condition as named
from consistency_lab.model.conditions import conditions_at
from consistency_lab.model.designs import design, schedule
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import surrogate
from consistency_lab.numbers.phi import NAMED, parse
from consistency_lab.search.designs import auc, constructions, rings, tied

PHI = {
    **{name: row.text for name, row in NAMED.items()},
    "cubic-hinge": "max(0,1-x)**3",
    "simpo": "log(1+exp(1/2-x))",
    "label-smoothing": "9/10*log(1+exp(-x))+1/10*log(1+exp(x))",
}
SST = "strong-stochastic-transitivity"


def certified(name, proposal):
    """Whether the core accepts the aggregate as a failure of the kind that the proposal promises."""
    p = Distribution.from_aggregate(proposal.aggregate)
    witness = certify(surrogate(phi=PHI[name]), p, proposal.scores)
    return witness.inconsistent and witness.failure == ("strict" if proposal.strict else "tie")


# Loss, condition, design, items; the comparisons of the smallest proposal.
FAILURES = [
    # Theorem P
    ("logistic", "sst", "complete", 4, 36),
    ("square", "sst", "any", 4, 21),
    ("exponential", "sst", "ratio:2", 4, None),
    # Theorem A
    ("logistic", "additive", "any", 3, None),
    ("logistic", "low-noise", "product", 4, None),
    ("squared-hinge", "additive", "ratio:3/2", 3, None),
    # Theorem T3
    ("square", "bradley-terry", "any", 4, 65),
    ("squared-hinge", "bradley-terry", "complete", 4, 127),
    ("label-smoothing", "bradley-terry", "any", 4, 147),
    ("simpo", "bradley-terry", "any", 4, 637),
    ("hinge", "bradley-terry", "any", 4, 24),
    # Balanced, net preferences in order: u is not constant
    ("exponential", "net-order", "balanced", 3, 27),
    ("cubic-hinge", "net-order", "balanced", 3, None),
    ("smoothed-hinge", "net-order", "balanced", 4, None),
    ("simpo", "net-order", "balanced", 4, None),
    ("hinge", "net-order", "balanced", 4, 84),
    # Balanced, acyclic: every regular phi
    *[(name, "acyclic", "balanced", 3, None) for name in ("square", "huberized-hinge", "label-smoothing")],
    # Ties at a kink
    ("hinge", "auc", "any", 3, 11),
    ("hinge", "additive", "balanced", 3, 24),
    ("hinge", "sst", "product", 3, 11),
]


@pytest.mark.long
@pytest.mark.parametrize(("name", "condition", "schedules", "m", "comparisons"), FAILURES)
def test_what_fails_has_its_condition_and_its_design(name, condition, schedules, m, comparisons):
    found = list(constructions(parse(PHI[name]), condition, schedules, m))
    sizes = [one.comparisons for one in found]
    assert found and sizes == sorted(sizes)
    assert comparisons is None or sizes[0] == comparisons
    for a in (one.aggregate for one in found[:2]):
        assert conditions_at(a)[SST if condition == "sst" else condition]
        assert len(a) == m and design(schedules).holds(a)
    assert certified(name, found[0])


HARMLESS = [
    ("logistic", "sst", "product", 4),
    ("logistic", "sst", "balanced", 3),
    ("logistic", "bradley-terry", "any", 4),
    ("exponential", "bradley-terry", "complete", 4),
    ("logistic", "additive", "balanced", 4),
    ("square", "net-order", "balanced", 4),
    ("label-smoothing", "net-order", "balanced", 4),
    ("smoothed-hinge", "net-order", "balanced", 3),
    ("squared-hinge", "net-order", "balanced", 3),
    ("simpo", "net-order", "balanced", 3),
    ("logistic", "auc", "any", 3),
    ("hinge", "any", "forest", 4),
]


@pytest.mark.parametrize(("name", "condition", "schedules", "m"), HARMLESS)
def test_where_a_loss_is_right_nothing_is_proposed(name, condition, schedules, m):
    assert not list(constructions(parse(PHI[name]), condition, schedules, m))


def random_design(m, random):
    n = [[0] * m for _ in range(m)]
    for i, j in combinations(range(m), 2):
        n[i][j] = n[j][i] = random.randint(1, 9)
    return n


@pytest.mark.parametrize(
    ("name", "condition", "m", "harmless"),
    [
        ("logistic", "sst", 4, "product"),
        ("exponential", "sst", 5, "product"),
        ("squared-hinge", "sst", 4, "product"),
        ("logistic", "additive", 3, "balanced"),
        ("square", "additive", 4, "balanced"),
        ("exponential", "additive", 5, "balanced"),
    ],
)
def test_a_design_that_is_not_harmless_misleads(name, condition, m, harmless):
    """Theorems P and A: under every complete design that is no product, and that is not balanced."""
    n = random_design(m, Random(m))
    assert not design(harmless).holds([[Fraction(x, 2) for x in row] for row in n])
    (one,) = constructions(parse(PHI[name]), condition, n)
    assert schedule(one.aggregate) == n
    assert named(condition).holds(one.aggregate)
    assert certified(name, one)


@pytest.mark.parametrize(("name", "condition"), [("exponential", "net-order"), ("hinge", "low-noise")])
def test_balanced_counts_are_kept(name, condition):
    n = [[7 * (i != j) for j in range(3)] for i in range(3)]
    found = list(constructions(parse(PHI[name]), condition, n))
    assert found and all(schedule(one.aggregate) == n for one in found)
    assert certified(name, found[0])


def test_a_design_that_is_a_product_but_for_one_percent_misleads():
    n = [[0, 162, 160, 160], [162, 0, 80, 80], [160, 80, 0, 80], [160, 80, 80, 0]]
    (one,) = constructions(parse(PHI["square"]), "sst", n)
    assert schedule(one.aggregate) == n
    assert certified("square", one)


def test_smaller_items_come_first():
    hinge = parse(PHI["hinge"])
    found = list(constructions(hinge, "sst"))
    assert [len(one.aggregate) for one in found] == sorted(len(one.aggregate) for one in found)
    assert {one.strict for one in found} == {True, False}


@pytest.mark.parametrize("text", ["1/(1+exp(x))", "x**2", "exp(x)", "max(0,1-x)+log(1+exp(-x))"])
def test_a_loss_that_is_not_regular_is_no_error(text):
    """Whatever is proposed, the core has the last word; here only that floats do not stumble."""
    for condition in ("any", "bradley-terry"):
        next(iter(constructions(parse(text), condition, "any", 3)), None)


def test_bradley_terry_in_parts_that_are_not_compared():
    a = [[0, 2, 0, 0], [1, 0, 0, 0], [0, 0, 0, 3], [0, 0, 5, 0]]
    assert named("bt").holds(a)
    assert not named("bt").holds([[0, 1], [0, 0]])
    assert not named("auc").holds(a)


def test_ties_need_a_kink():
    assert not list(tied(parse("max(0,1-x)**2"), auc()))
    assert not list(rings(parse("log(1+exp(-2*x))")))


@pytest.mark.parametrize(
    ("counts", "m", "said"),
    [
        ([[0, 1, 1], [1, 0, 1], [1, 1, 0]], 4, "has 3 items, but m is 4"),
        ([[0, 1, 1], [1, 0, 1], [2, 1, 0]], None, "must be symmetric"),
        ([[0, 1], [1]], None, "must be symmetric"),
        ("ratio", None, "there is no design"),
    ],
)
def test_what_is_no_design_is_refused(counts, m, said):
    with pytest.raises(InputError, match=said):
        list(constructions(parse("exp(-x)"), "sst", counts, m))
