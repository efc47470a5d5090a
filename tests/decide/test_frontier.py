"""Where losses are right and where they can be wrong: every condition with every design."""

from functools import cache

import pytest

import consistency_lab as lab
from consistency_lab.decide.answers import Verdict, lies_inside
from consistency_lab.decide.remedies import library_replacement, replacement
from consistency_lab.decide.theorems.catalogue import consistency_theorem
from consistency_lab.model.conditions import whole
from consistency_lab.model.designs import design
from consistency_lab.model.surrogates.tasks.libraries import pair_entry
from consistency_lab.search.size import KNOWN
from consistency_lab.solve.optimal import optimal_orders


@cache
def strongest(name):
    return lab.strongest(name, items=(2, 3, 4), effort=1)


SST = "strong-stochastic-transitivity"

#: The narrowest pairs that are wrong, with how many comparisons show it.
WRONG = {
    "logistic": {("additive", "product"): 12, ("acyclic", "balanced"): 15, (SST, "complete"): 36},
    "exponential": {("additive", "product"): 10, ("net-order", "balanced"): 24, (SST, "complete"): 36},
    "square": {("additive", "product"): 12, ("acyclic", "balanced"): 15, ("bradley-terry", "complete"): 127},
    "difference-logistic": {("any", "balanced"): 9},
    # docs/alignment.md: right by balanced counts alone, wrong on trees and product counts.
    "bco": {
        ("net-order", "forest"): 15,
        ("bradley-terry", "forest"): 10,
        ("additive", "product"): 14,
        ("acyclic", "balanced"): 15,
        ("auc", "product"): 665,
    },
}


@pytest.mark.parametrize("name", WRONG)
def test_the_lightest_known_example_stands_for_each_narrowest_pair(name):
    found = strongest(name)
    light = {one.pair: sum(map(sum, whole(one.witness.distribution.aggregate))) for one in found.wrong}
    assert light == WRONG[name]
    for one in found.answers:
        if one.witness is not None and one.verdict is Verdict.INCONSISTENT:
            assert one.witness.fails_under(one.condition)
            assert design(one.design).holds(one.witness.distribution.aggregate)


@pytest.mark.parametrize("name", ["margin-logistic", "margin-hinge"])
def test_a_witness_of_two_items_settles_every_condition_and_design(name):
    found = lab.strongest(name, effort=1)
    assert {one.verdict for one in found.answers} == {Verdict.INCONSISTENT}
    assert {one.witness.distribution.m for one in found.answers if one.witness is not None} == {2}


@pytest.mark.parametrize("name", ["bco", "nca", "sppo", "cpo-simpo", "cdpo", "difference-square"])
def test_no_cell_of_a_convex_loss_is_open(name):
    found = lab.strongest(name, effort=1)
    assert not found.undecided
    verdicts = {answer.pair: answer.verdict for answer in found.answers}
    if name in {"bco", "nca", "sppo"}:
        # One source or sink after another is right; two edges in a row, and their counts, mislead.
        assert verdicts["row-dominated", "forest"] is Verdict.CONSISTENT
        assert verdicts["net-order", "forest"] is Verdict.INCONSISTENT
    if name == "cpo-simpo":
        assert verdicts["row-dominated", "balanced"] is Verdict.CONSISTENT
        assert verdicts["net-order", "balanced"] is Verdict.INCONSISTENT
    if name == "difference-square":
        right = {pair for pair, one in verdicts.items() if one is Verdict.CONSISTENT}
        assert {("auc", "complete"), ("bradley-terry", "product"), ("additive", "any")} <= right
        assert verdicts["bradley-terry", "complete"] is Verdict.INCONSISTENT


def test_no_answer_implies_another_one_of_a_table():
    for name in ("bco", "logistic"):
        found = strongest(name)
        for table in (found.right, found.wrong):
            for one in table:
                assert not any(lies_inside(one.pair, other.pair) for other in table if other is not one)
        # On three items every complete design is a product: no row of its own.
        assert (SST, "complete", "m = 3") not in [(*one.pair, one.scope) for one in found.right_of_few]


def test_a_check_without_conditions_has_every_cell():
    decision = lab.check("linear", items=(2, 3), effort=1)
    for answer in decision.answers:
        assert answer == decision.frontier.at(answer.condition)
    assert lab.check("linear", "low-noise").frontier is None


def test_the_known_examples_have_a_best_order_and_no_common_factor():
    assert len(set(KNOWN)) == len(KNOWN)
    for a in KNOWN:
        assert tuple(range(len(a))) in {tuple(order) for order in optimal_orders(a).orders(24)}
        assert [list(row) for row in a] == whole(a)


@pytest.mark.parametrize("name", ["logistic", "linear", "square", "cdpo", "margin-square"])
def test_what_is_named_instead_is_right_wherever_the_loss_is(name):
    found = strongest(name)
    other = replacement(found.shown)
    assert other == "difference-logistic"
    for one in (*found.right, *found.right_of_few):
        m = None if one.scope == "all m" else int(one.scope.removeprefix("m = "))
        assert consistency_theorem(lab.surrogate(other), one.condition, m=m, design=one.design) is not None
    # The regression is no remedy for Bradley-Terry data, where the logistic loss is right.
    assert consistency_theorem(lab.surrogate("regression"), "bradley-terry") is None


@pytest.mark.parametrize(("asked", "named"), [("ipo", "sigmoid"), ("bco_pair", "sigmoid"), ("sigmoid", None)])
def test_what_is_named_instead_is_of_the_users_library(asked, named):
    entry = pair_entry(f"trl:{asked}")
    other = library_replacement(strongest(entry.loss).shown, entry)
    assert (None if other is None else other.objective) == named
