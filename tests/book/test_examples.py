"""One case by hand of the functions on which the pages of the book stand."""

from collections.abc import Callable
from fractions import Fraction

import pytest

from consistency_lab.apps.book import book, formal, polynomials, rat13, risk, slopes, three_items
from consistency_lab.apps.book.coq import preferences, source
from consistency_lab.apps.book.polynomials import Formula, Polynomial, answer, claim, question
from consistency_lab.apps.book.report import verdict
from consistency_lab.apps.book.statement import Cases, Outcome, concluded, excluded, step
from consistency_lab.apps.book.ticked import ticked
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import pair
from consistency_lab.model.surrogates.tasks.atoms import PairsSurrogate
from consistency_lab.model.tasks.catalogue import target
from consistency_lab.numbers.exact import LogRational
from consistency_lab.numbers.phi import named, parse

ORIGIN, ONE, HALF = Fraction(0), Fraction(1), Fraction(1, 2)
SQUARE = question("a square is not negative", ["x*x < 0"])
HINGE = [pair(Fraction(3), parse("max(0,1-x)"), 0, 1)]
RANKNET = PairsSurrogate("ranknet", named("logistic").expression)
BETTER = [LogRational.parse("log(3/2)"), LogRational.parse("0")]
FOUR_EDGES = [[Fraction(x) for x in row] for row in ((0, 3, 8), (0, 0, 1), (4, 0, 0))]
SQUARED = "(a + b)² = a² + 2ab + b²"
SHIFTED = "s(P) − s(Q) = (P − Q)u > 0 for s(P) = f + Pu, s(Q) = f + Qu, u > 0, P = Q + d, d > 0"

EXAMPLES: dict[str, tuple[Callable[[], object], object]] = {
    "titles": (lambda: book.titles()["lemma-10"], "DMJ10 Lemma 10"),
    "statement": (lambda: book.statement("DMJ10 Lemma 7").name, "lemma-7"),
    "statements": (
        lambda: [one.name for one in book.statements(["theorem-6", "lemma-7", "dmj10-theorem-6"])],
        ["theorem-6", "lemma-7"],
    ),
    "exp": (lambda: round(float(preferences.exp_low(24, ONE)), 6), 2.718282),
    "comment": (lambda: source.comment('A*) Axiom "x'), "A* ) Axiom x"),
    "listed": (lambda: source.listed([1, 2]), "[1; 2]"),
    "rational": (lambda: [*map(source.rational, (-HALF, Fraction(3)))], ["(-1 # 2)", "3"]),
    "unread": (formal.unread, ()),
    "assumed": (
        lambda: formal.assumed("forall h phi : R -> R, convex phi -> (exists a : R, 0 <= h a) -> ~ true h"),
        ("convex phi", "(exists a : R, 0 <= h a)"),
    ),
    "covering": (
        lambda: [[one.file for one in formal.covering(name)] for name in ("theorem-11", "lemma-1")],
        [["theorems/Theorems11and12.v"], []],
    ),
    "product": (lambda: str(Polynomial.parse("(a+b)*(a-b)")), "a**2-b**2"),
    "nonnegative": (lambda: Polynomial.parse("h23*(h12+h13)").is_nonnegative(), True),
    "readable": (lambda: Formula("h12*h31-h23*(h12+h13)").readable, "h12·h31 − h23·(h12 + h13)"),
    "claim": (lambda: [*map(str, claim("h23*h13 < h31*h12")[1:])], ["<", "h12*h31"]),
    "question": (
        lambda: SQUARE,
        "; a square is not negative\n(set-logic QF_NRA)\n(declare-const x Real)\n(assert (< (* x x) 0))\n"
        "(check-sat)\n",
    ),
    "answer": (lambda: answer(SQUARE), polynomials.UNSAT),
    "law": (lambda: rat13.law({(0, 1): 1, (1, 1): 3}), {(0, 1): ONE / 4, (1, 1): 3 * ONE / 4}),
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
    "reinforces": (
        lambda: [
            rat13.reinforces(rat13.means({(1, 0, 0): p, (0, 1, 1): 1 - p})) for p in (HALF, HALF - ONE / 14)
        ],
        [True, False],
    ),
    "gradient": (
        lambda: rat13.gradient(
            RANKNET, target("ndcg", items=2), {(1, 0): 3 * ONE / 5, (0, 1): 2 * ONE / 5}, BETTER
        ),
        (0, 0),
    ),
    "refuted at": (
        lambda: (
            rat13.refuted_at(
                RANKNET, target("ndcg", items=2), {(2, 1): 3 * ONE / 5, (0, 1): 2 * ONE / 5}, BETTER, (1, 0)
            ).witness
        ),
        "p(2, 1) = 3/5, p(0, 1) = 2/5: scores (log(3/2), 0) are minimal and lose at least 0.0256 to 2 > 1: "
        "strict",
    ),
    "refuted on a task": (
        lambda: rat13.refuted_on_task("crammer-singer", target("zero-one")).refuted,
        True,
    ),
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
    "entropy": (lambda: risk.entropy(HALF).str(4, radius=False), "0.6931"),
    "compared": (lambda: [slopes.compared("31", "0"), slopes.compared("12", "23")], [True, False]),
    "stationarity": (lambda: str(slopes.stationarity(slopes.FOUR_EDGES, "1")), "g12*h12+g13*h13-g31*h31"),
    "mirrored": (lambda: str(slopes.mirrored(Polynomial.parse("h12*g31+h21"))), "g31*h23+h32"),
    "chain": (lambda: slopes.chain(slopes.FOUR_EDGES), "g31 ≤ g0 ≤ g12, g23 ≤ g13"),
    "convex": (lambda: slopes.convex_names()[:3], ("hinge", "squared-hinge", "square")),
    "from weights": (
        lambda: [len(x) for x in slopes.from_weights({"12": 3, "13": 8, "23": 1, "31": 4}).graphs],
        [3, 1],
    ),
    "by hand": (lambda: step("1 < 2", "one case", "by counting", "so it is", True).finding.kind, "hand"),
    "by machine": (lambda: step("1 < 2", "one case", "by counting", True).finding.kind, "machine"),
    "not confirmed": (
        lambda: concluded("one case", [step("1 = 2", "one case", "compared", False)]).findings[0].claim,
        "not confirmed: 1 = 2",
    ),
    "open": (
        lambda: concluded("one case", [step("1 = 2", "one case", "compared", False)]).outcome,
        Outcome.OPEN,
    ),
    "tried": (
        lambda: concluded("one case", [step("1 < 2", "one case", "counted", Cases(7, 7))]).label,
        "test, 7 cases",
    ),
    "excluded": (lambda: excluded([[ONE]], [-ONE], [ONE]), True),
    "excess": (
        lambda: [
            three_items.excess(dict(zip(slopes.SIX_EDGES, map(Fraction, (3, 8, 0, 1, 4, 0)), strict=True)), x)
            for x in three_items.EXCESSES
        ],
        [1, -23],
    ),
    "faces": (
        lambda: [three_items.smallest_faces(m) for m in (3, 4)],
        [((2, 1, 0),), ((3, 2, 1, 0), (4, 3, 2, 0), (4, 2, 1, 0))],
    ),
    "generators": (
        lambda: three_items.generators(FOUR_EDGES, (2, 1, 0)),
        [(8, 0, -8), (11, -3, -8), (8, 1, -9), (11, -2, -9), (4, 0, -4)],
    ),
    "separation": (lambda: getattr(three_items.separation(FOUR_EDGES, (2, 1, 0)), "y", None), (8, 0, 11)),
    "ticked": (lambda: str(ticked(SHIFTED)), f"✓ {SHIFTED}"),
    "ticks": (
        lambda: [ticked(x).holds for x in (SQUARED, "(a + b)² ≥ a²", "a/(a + b) > 0 for a, b > 0")],
        [True, False, True],
    ),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example(name: str) -> None:
    made, expected = EXAMPLES[name]
    assert made() == expected
