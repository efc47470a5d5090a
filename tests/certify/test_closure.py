"""Two orders are enough to see whether breaking ties can go wrong."""

from fractions import Fraction
from itertools import pairwise, permutations, product

from hypothesis import given
from hypothesis import strategies as st

from consistency_lab.certify.proofs.orders import OrderQuestion
from consistency_lab.certify.witness import closure_proof
from consistency_lab.core import verify_proof
from consistency_lab.core.orders import cost
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import Term, pair, surrogate
from consistency_lab.numbers.exact import LogRational
from consistency_lab.numbers.phi import parse
from consistency_lab.solve.minimize import minimize

LINEAR = surrogate("linear")


@given(st.lists(st.integers(0, 2), min_size=12, max_size=12))
def test_what_all_ways_to_break_ties_say(counts: list[int]) -> None:
    entries = iter(counts)
    a = [[0 if i == j else next(entries) for j in range(4)] for i in range(4)]
    p = Distribution.from_aggregate(a)
    terms, names = LINEAR.risk_terms(p), p.items
    costs = {(i, j): Fraction(a[i][j]) for i, j in product(range(4), repeat=2) if a[i][j]}
    least, better = min((cost(costs, t), t) for t in permutations(range(4)))
    scores = minimize(terms, 4).exact
    assert scores is not None
    ways = [t for t in permutations(range(4)) if all(scores[j] <= scores[i] for i, j in pairwise(t))]
    wrong = [cost(costs, t) > least for t in ways]
    proof = closure_proof(OrderQuestion(terms, costs, names, better), scores)
    assert (proof is not None) == any(wrong)
    if proof is not None:
        assert verify_proof(proof).failure == ("strict" if all(wrong) else "tie")


def test_many_ties_take_no_longer_and_do_not_depend_on_names() -> None:
    """Twelve items that the linear loss ties: a ring, so that most orders are not optimal."""
    m = 12
    costs = {(i, (i + 1) % m): Fraction(1) for i in range(m)}
    a = [[costs.get((i, j), Fraction(0)) for j in range(m)] for i in range(m)]
    terms = LINEAR.risk_terms(Distribution.from_aggregate(a))
    nought = [LogRational(Fraction(0))] * m
    proof = closure_proof(OrderQuestion(terms, costs, [str(k) for k in range(m)], tuple(range(m))), nought)
    assert proof is not None and proof["regret"] == str(m - 2)


def squares(m: int, above: int) -> list[Term]:
    """Least where one item is 1 above all others, which are equal."""
    return [pair(Fraction(1), parse("(1-x)**2"), above, k) for k in range(m) if k != above]


def test_a_strict_failure_whose_tied_items_run_in_a_circle() -> None:
    """D stands first and A should stand above it; that A, B and C pay 1 in any order is said by a cycle."""
    one = Fraction(1)
    costs = {(0, 1): one, (1, 2): one, (2, 0): one, (0, 3): one / 2}
    scores = [LogRational(Fraction(k)) for k in (0, 0, 0, 1)]
    proof = closure_proof(OrderQuestion(squares(4, 3), costs, list("ABCD"), (0, 1, 2, 3)), scores)
    assert proof is not None
    found = verify_proof(proof)
    assert (found.failure, found.regret) == ("strict", Fraction(3, 2))


def test_scores_that_minimize_nothing_prove_nothing() -> None:
    scores = [LogRational(Fraction(k)) for k in (0, 0, 0, 2)]
    costs = {(0, 3): Fraction(1)}
    assert closure_proof(OrderQuestion(squares(4, 3), costs, list("ABCD"), (0, 1, 2, 3)), scores) is None
