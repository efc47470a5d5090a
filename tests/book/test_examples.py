"""One case by hand of the functions on which the pages of the book stand."""

from fractions import Fraction

import pytest

from consistency_lab.apps.book import book, formal, rat13, risk
from consistency_lab.apps.book.coq import source
from consistency_lab.apps.book.report import verdict
from consistency_lab.apps.book.statement import Outcome, concluded, excluded, step
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import pair
from consistency_lab.model.tasks.catalogue import target
from consistency_lab.numbers.phi import parse

ORIGIN, ONE, HALF = Fraction(0), Fraction(1), Fraction(1, 2)
HINGE = [pair(Fraction(3), parse("max(0,1-x)"), 0, 1)]

EXAMPLES = {
    "listed": (lambda: source.listed([1, 2]), "[1; 2]"),
    "rational": (lambda: [*map(source.rational, (-HALF, Fraction(3)))], ["(-1 # 2)", "3"]),
    "covering": (
        lambda: [[one.file for one in formal.covering(name)] for name in ("theorem-11", "lemma-5")],
        [["theorems/Theorems11and12.v"], []],
    ),
    "regret": (
        lambda: rat13.regret(target("map", items=2), rat13.law({(1, 0): 2, (0, 1): 1}), (1, 0)),
        ONE / 6,
    ),
    "sorted orders": (lambda: [*rat13.sorted_orders([ONE, 2 * ONE, ONE])], [(1, 0, 2), (1, 2, 0)]),
    "ranking": (lambda: rat13.ranking((1, 0, 2)), "2 > 1 > 3"),
    "topological": (
        lambda: [*rat13.topological_orders(frozenset({(0, 1), (2, 1)}), 3)],
        [(0, 2, 1), (2, 0, 1)],
    ),
    "edges": (lambda: rat13.edges_of([[ORIGIN, HALF], [-HALF, ORIGIN]]), "d_12 = 1/2"),
    "feature": (lambda: [rat13.feature((1, 0, 1), 0, 2), rat13.feature((0, 0, 0), 0, 0)], [HALF, 0]),
    "coefficients": (lambda: rat13.coefficients((1, 0)), {(0, 0): HALF, (0, 1): HALF, (1, 1): ONE}),
    "refuted on a task": (lambda: rat13.refuted_on_task("crammer-singer", target("zero-one")).refuted, True),
    "an error": (
        lambda: verdict(book.Examined("x", "X", Outcome.HOLDS, None, 0.0, (), "ValueError: no")),
        "ERROR (claimed: holds)",
    ),
    "risk": (lambda: risk.exact_risk(HINGE, risk.rational_scores([0, 1])), 6),
    "least risk": (lambda: risk.least_risk(HINGE, 2, risk.rational_scores([1, 0])), 0),
    "by the core": (
        lambda: risk.by_core("linear", "12:1 23:2", "acyclic").witness,
        "d = (12: 1, 23: 2), scores (1, 1, -2): tie, accepted by the core",
    ),
    "words of d": (lambda: risk.differences(Distribution.from_aggregate([[0, 3], [1, 0]])), "d = (12: 2)"),
    "weak orders": (lambda: [len([*risk.score_orders(m)]) for m in (2, 3, 4, 5)], [3, 13, 75, 541]),
    "coin": (lambda: risk.coin(ONE / 3).difference[1][0], ONE / 3),
    "convex": (lambda: risk.convex_names()[:3], ("hinge", "squared-hinge", "square")),
    "weighted": (lambda: [len(x) for x in risk.weighted("12:3 13:8 23:1 31:4").graphs], [3, 1]),
    "by hand": (lambda: step("1 < 2", "one case", "by counting", "so it is", True).finding.kind, "hand"),
    "by machine": (lambda: step("1 < 2", "one case", "by counting", True).finding.kind, "machine"),
    "not confirmed": (
        lambda: concluded("one case", [step("1 = 2", "one case", "compared", False)]).findings[0].claim,
        "not confirmed: 1 = 2",
    ),
    "excluded": (lambda: excluded([[ONE]], [-ONE], [ONE]), True),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example(name):
    made, expected = EXAMPLES[name]
    assert made() == expected
