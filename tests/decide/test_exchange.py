"""Two items that W does not tell apart (docs/theory.md, Exchangeable items)."""

from fractions import Fraction

import numpy as np
import pytest

from consistency_lab.apps.audit.audit import certified
from consistency_lab.apps.audit.losses import rule
from consistency_lab.certify.witness import certify
from consistency_lab.data.profile import Profile
from consistency_lab.decide.answers import Verdict
from consistency_lab.decide.theorems.difference import EXCHANGE, exchangeable
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import surrogate
from consistency_lab.solve.minimize import minimize

# The differences of five skaters in PrefLib 00006-00000036.soc, tied two and two.
SKATERS = [[0, 1, 1, -1, 1], [-1, 0, -1, -1, 1], [-1, 1, 0, -1, 1], [1, 1, 1, 0, -1], [-1, -1, -1, 1, 0]]


def fractions(rows):
    return [[Fraction(x) for x in row] for row in rows]


def test_five_skaters_are_tied_two_and_two():
    a = [[4 + (x > 0) if i != j else 0 for j, x in enumerate(row)] for i, row in enumerate(SKATERS)]
    pair = exchangeable(surrogate("difference-logistic"), fractions(a))
    assert pair == (3, 0)
    i, j = pair
    scores = minimize("difference-logistic", Distribution.from_aggregate(a)).scores
    assert scores[i] == pytest.approx(scores[j], abs=1e-12)
    found = certified(rule("difference-logistic"), Profile.from_matrix(np.array(a), list("ABCDE")))
    assert (found.verdict, found.failure, found.theorem) == (Verdict.INCONSISTENT, "tie", EXCHANGE)


@pytest.mark.parametrize("seed", range(6))
def test_whoever_is_exchangeable_is_tied_at_the_minimum(seed):
    # Item 1 has won once more than item 0 against item 2, and lost once more to item 0.
    rng = np.random.default_rng(seed)
    a = rng.integers(2, 9, size=(5, 5))
    np.fill_diagonal(a, 0)
    a[1, 2:], a[2:, 1] = a[0, 2:], a[2:, 0]
    a[1, 2], a[2, 1], a[0, 1] = a[0, 2] + 1, a[2, 0] - 1, a[1, 0] + 1
    assert exchangeable(surrogate("logistic"), fractions(a.tolist())) == (0, 1)
    scores = minimize("logistic", Distribution.from_aggregate(a.tolist())).scores
    assert scores[0] == pytest.approx(scores[1], abs=1e-12)
    a[3, 4] += 1  # of no matter to the two
    assert exchangeable(surrogate("logistic"), fractions(a.tolist())) == (0, 1)
    a[0, 4] += 1
    assert exchangeable(surrogate("logistic"), fractions(a.tolist())) is None


def test_where_exact_ties_can_be_named_a_file_says_the_same():
    cycle = fractions([[0, 2, 1], [1, 0, 2], [2, 1, 0]])
    for name in ("logistic", "square", "difference-logistic"):
        assert exchangeable(surrogate(name), cycle) == (0, 1)
        witness = certify(name, Distribution.from_aggregate(cycle))
        assert (witness.inconsistent, witness.failure) == (True, "tie")


@pytest.mark.parametrize("name", ["exponential", "squared-hinge", "hinge", "linear"])
def test_other_functions_are_not_spoken_of(name):
    assert exchangeable(surrogate(name), fractions([[0, 2, 1], [1, 0, 2], [2, 1, 0]])) is None


def test_items_that_are_equal_in_the_votes_too_are_no_failure():
    assert exchangeable(surrogate("logistic"), fractions([[0, 1, 3], [1, 0, 3], [1, 1, 0]])) is None


def test_outside_a_component_counts_matter_only_where_the_function_does_not_fade():
    # Items 0, 1, 2 in a cycle, and item 3, which only item 0 has met, and beaten.
    a = fractions([[0, 2, 1, 5], [1, 0, 2, 0], [2, 1, 0, 0], [0, 0, 0, 0]])
    assert exchangeable(surrogate("logistic"), a) == (0, 1)
    assert exchangeable(surrogate("square"), a) == (1, 2)
