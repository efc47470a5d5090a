"""Edge losses under designs of comparison: theorems where they are right, certified witnesses where not."""

from fractions import Fraction
from itertools import combinations, product
from random import Random

import numpy as np
import pytest

import consistency_lab as lab
from consistency_lab.certify.witness import certify
from consistency_lab.decide.answers import Verdict, lies_inside
from consistency_lab.decide.profile import decide_design
from consistency_lab.decide.surrogate import decide
from consistency_lab.errors import InputError
from consistency_lab.model.conditions import CONDITIONS
from consistency_lab.model.designs import DESIGNS, design, design_implies
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import surrogate

SST = "strong-stochastic-transitivity"

RIGHT = [
    ("logistic", "low-noise", "balanced", None, "all m"),
    ("exponential", "low-noise", "balanced", None, "all m"),
    ("square", "row-dominated", "balanced", None, "all m"),
    ("logistic", "sst", "product", None, "all m"),
    ("squared-hinge", "sst", "product", None, "all m"),
    ("logistic", "sst", "any", 3, "m = 3"),
    ("logistic", "net-order", "balanced", None, "all m"),
    ("squared-hinge", "net-order", "balanced", 3, "m = 3"),
    ("logistic", "bradley-terry", "any", None, "all m"),
    ("exponential", "bradley-terry", "any", None, "all m"),
    ("exponential", "auc", "any", None, "all m"),
    ("smoothed-hinge", "any", "forest", None, "all m"),
    ("hinge", "any", "forest", None, "all m"),
    ("square", "auc", "any", None, "all m"),
    ("cdpo", "auc", "any", None, "all m"),
]


@pytest.mark.parametrize(("name", "condition", "schedule", "m", "scope"), RIGHT)
def test_a_theorem_speaks(name, condition, schedule, m, scope):
    (answer,) = decide(name, condition, design=schedule, items=m).answers
    assert (answer.verdict, answer.scope) == (Verdict.CONSISTENT, scope)
    assert "Designs)" in answer.citation or "Two items" in answer.citation


WRONG = [
    ("logistic", "sst", "any", 4, "strict", 36),
    ("square", "bradley-terry", "any", 4, "strict", 65),
    ("hinge", "auc", "any", 3, "tie", 11),
    ("hinge", "auc", "balanced", 3, "tie", 180),
    ("difference-logistic", "any", "balanced", 3, "strict", None),
    ("exponential", "net-order", "balanced", 3, "strict", None),
    ("smoothed-hinge", "net-order", "balanced", 4, "strict", None),
    ("squared-hinge", "net-order", "balanced", 4, "strict", None),
    ("logistic", "low-noise", "ratio:2", 3, "strict", None),
    ("logistic", "low-noise", "ratio:1000000", None, "strict", None),
    ("logistic", "acyclic", "balanced", 3, "strict", None),
]


@pytest.mark.parametrize(("name", "condition", "schedule", "m", "failure", "comparisons"), WRONG)
def test_a_witness_of_the_condition_and_the_design(name, condition, schedule, m, failure, comparisons):
    (answer,) = decide(name, condition, design=schedule, items=m, prescribe=False).answers
    assert answer.verdict is Verdict.INCONSISTENT
    witness = answer.witness
    assert witness is not None and witness.failure == failure
    assert design(schedule).holds(witness.distribution.aggregate)
    assert witness.fails_under(answer.condition)
    a = lab.model.conditions.whole(witness.distribution.aggregate)
    assert comparisons is None or sum(map(sum, a)) == comparisons


def test_what_is_no_design_of_graphs_is_refused():
    for schedule in ("balance", "ratio:0"):
        with pytest.raises(InputError, match="design"):
            decide("logistic", "low-noise", design=schedule)
    with pytest.raises(InputError, match="a design applies to preference graphs"):
        decide("softmax", "any", target="ndcg", design="balanced")


def test_without_theorem_and_construction_it_is_undecided():
    (answer,) = decide("difference-square", "acyclic", design="balanced", items=3).answers
    assert answer.verdict is Verdict.UNDECIDED
    assert "no construction for it gave a witness with 3 items" in answer.reason


def test_a_theorem_of_a_smaller_condition_is_no_theorem_of_a_larger_design():
    (answer,) = decide("logistic", "sst", design="complete", items=4).answers
    assert answer.verdict is Verdict.INCONSISTENT


def test_a_profile_is_described():
    found = lab.check_profile("logistic", lab.read_profile("san-francisco.csv"))
    assert len(found.by_addition.pairs) == found.design.pairs == 45
    assert found.design.names == ("complete", "any")
    assert lab.check_profile("square", lab.read_profile("vermont.toc")).by_addition is None


STRONGEST = {
    "exponential": (
        {("row-dominated", "balanced"), (SST, "product"), ("any", "forest"), ("bradley-terry", "any")},
        {("net-order", "balanced"), ("additive", "product"), (SST, "complete")},
    ),
    "hinge": ({("any", "forest")}, {("additive", "balanced"), ("auc", "balanced")}),
    "linear": (
        {("net-order", "any")},
        {("acyclic", "balanced"), ("auc", "product"), ("bradley-terry", "forest")},
    ),
}


@pytest.mark.parametrize("name", STRONGEST)
def test_the_strongest_pairs_meet_the_weakest_witnesses(name):
    found = lab.strongest(name, items=(3, 4))
    right, wrong = STRONGEST[name]
    assert ({one.pair for one in found.right}, {one.pair for one in found.wrong}) == (right, wrong)
    assert not found.undecided and found.verdict is Verdict.INCONSISTENT
    for one in found.wrong:
        assert one.witness is not None and one.witness.fails_under(one.condition)
        assert design(one.design).holds(one.witness.distribution.aggregate)


def _drawn(rng, kind, m):
    """Counts of one of several designs, and differences or strengths; some pairs are decided one way."""
    w, s = ([rng.choice((1, 2, 3, 5)) for _ in range(m)] for _ in range(2))
    y = sorted((rng.randint(0, 3) for _ in range(m)), reverse=True)
    style = rng.choice(("equal", "product", "free", "sparse"))
    a = [[Fraction(0)] * m for _ in range(m)]
    for i, j in combinations(range(m), 2):
        free, sparse = rng.randint(1, 4), rng.choice((0, 0, 1, 2))
        n = 12 * {"equal": 2, "product": w[i] * w[j], "free": free, "sparse": sparse}[style]
        d = rng.choice((rng.randint(-1, 4), n)) if kind == "any" else y[i] - y[j]
        a[i][j], a[j][i] = Fraction(n + d * (n > 0), 2), Fraction(n - d * (n > 0), 2)
        if kind == "strengths":
            a[i][j], a[j][i] = Fraction(n * s[i], s[i] + s[j]), Fraction(n * s[j], s[i] + s[j])
        if kind == "auc":
            a[i][j], a[j][i] = Fraction(s[i] * w[j]), Fraction(s[j] * w[i])
    return a


def test_every_implication_holds_and_every_other_one_has_a_counterexample():
    """Of a condition and a design together: their lattice is as docs/theory.md draws it."""
    rng, has = Random(5), set()
    for kind, m in product(("additive", "any", "strengths", "auc"), (2, 3, 3, 4, 4)):
        for _ in range(60):
            a = _drawn(rng, kind, m)
            holds = frozenset(name for name, row in CONDITIONS.items() if row.holds(a))
            has.add((holds, frozenset(name for name, row in DESIGNS.items() if row.holds(a))))
    for pair, other in product(product(CONDITIONS, DESIGNS), repeat=2):
        inside = [held for held in has if pair[0] in held[0] and pair[1] in held[1]]
        implied = all(other[0] in held[0] and other[1] in held[1] for held in inside)
        only = {"auc", SST} & {pair[0]}  # with three items or more these ask for a complete design
        if not only or design_implies(pair[1], "complete"):
            assert implied == lies_inside(pair, other), (pair, other)


@pytest.mark.parametrize(("m", "ratio", "low"), [(20, "1.055", 9), (40, "1.027", 19)])
def test_a_margin_of_one_pair_tolerates_ever_less(m, ratio, low):
    """docs/designs.md: P = 3/4, but .55 for one pair; n is larger where that lowers its upper item."""
    rank, most, pair = np.arange(m), Fraction(ratio), (low, low + 1)
    P = np.where(rank[:, None] < rank, 0.75, 0.25)
    P[pair], P[pair[::-1]] = 0.55, 0.45
    n, u = 1.0 - np.eye(m), np.zeros(m)
    for _ in range(200):
        s = 1 / (1 + np.exp(np.subtract.outer(-u, -u)))
        flows = n * s * (1 - s)
        laplacian = np.diag(flows.sum(axis=1)) - flows + 1 / m
        u += np.clip(np.linalg.solve(laplacian, (n * (P - s)).sum(axis=1)), -1, 1)
        y = np.linalg.solve(laplacian, (rank == low) * 1.0 - (rank == low + 1))
        n = np.where(np.triu((P - s) * np.subtract.outer(y, y), 1) < 0, float(most), 1.0)
        n = np.triu(n, 1) + np.triu(n, 1).T
    a = [
        [(most if n[i, j] > 1 else 1) * Fraction(round(100 * P[i, j]), 100) * int(i != j) for j in range(m)]
        for i in range(m)
    ]
    assert design(f"ratio:{ratio}").holds(a)
    found = certify(surrogate("logistic"), Distribution.from_aggregate(a))
    assert found.fails_under(SST)
    assert (found.failure, found.verified.every, found.wrong_pairs) == ("strict", True, (pair,))


def test_the_compared_pairs_of_a_profile_alone():
    """A tree is harmless; equal counts do not protect where the same pairs are compared unequally often."""
    tree = lab.Profile.from_matrix([[0, 3, 2], [1, 0, 0], [5, 0, 0]])
    found = decide_design("logistic", tree, ["acyclic"], support=True)
    assert found.verdict is Verdict.CONSISTENT
    assert found.answers[0].citation == "Forests (docs/theory.md, Designs)"
    equal = lab.Profile.from_matrix([[0, 3, 3], [1, 0, 3], [1, 1, 0]])
    assert decide_design("logistic", equal, ["low-noise"]).verdict is Verdict.CONSISTENT
    alone = decide_design("logistic", equal, ["low-noise"], support=True)
    witness = alone.answers[0].witness
    assert alone.verdict is Verdict.INCONSISTENT and witness is not None
    a = witness.distribution.aggregate
    assert all(a[i][j] + a[j][i] > 0 for i, j in combinations(range(3), 2))
    assert alone.answers[0].scope == "3 items, these compared pairs"
