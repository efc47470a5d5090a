"""How many scores a convex surrogate needs: the lower bound never exceeds what a construction needs."""

from fractions import Fraction
from random import Random

import pytest

from consistency_lab.apps.book.statements.dimension import fewest
from consistency_lab.model.tasks.catalogue import target
from consistency_lab.model.tasks.construction import Offsets, least_dimensions
from consistency_lab.model.tasks.discrete import LossMatrix, matrix_of


def _law(rng, n):
    weights = [rng.choice((0, 1, 1, 2)) for _ in range(n)]
    weights[rng.randrange(n)] += 1
    return tuple(Fraction(w, sum(weights)) for w in weights)


@pytest.mark.parametrize("seed", range(8))
def test_the_bound_is_at_most_what_theorem_3_of_rat13_needs(seed):
    rng = Random(seed)
    n, k = rng.randint(2, 5), rng.randint(2, 5)
    rows = tuple(tuple(Fraction(rng.randint(0, 2)) for _ in range(k)) for _ in range(n))
    matrix = LossMatrix(tuple(map(str, range(n))), tuple(map(str, range(k))), rows)
    enough = least_dimensions(matrix).of[Offsets.BOTH]
    assert all(fewest(matrix, _law(rng, n)) <= enough for _ in range(10))


@pytest.mark.parametrize(("name", "items", "scores"), [("map", 3, 4), ("map", 4, 8), ("wta", 4, 3)])
def test_scores_that_are_needed(name, items, scores):
    # r(r + 1)/2 - 2 for MAP, r - 1 for P@1: RAT13 Theorem 3 with offsets, and Ramaswamy and Agarwal 2016.
    matrix = matrix_of(target(name, items=items, labels=(0, 1)))
    n = len(matrix.labels)
    assert fewest(matrix, (Fraction(1, n),) * n) == scores == least_dimensions(matrix).of[Offsets.BOTH]


def test_where_one_prediction_is_best_one_number_is_no_bound():
    rows = ((Fraction(0), Fraction(1)), (Fraction(1), Fraction(0)))
    matrix = LossMatrix(("a", "b"), ("a", "b"), rows)
    assert fewest(matrix, (Fraction(3, 4), Fraction(1, 4))) == 0
    assert fewest(matrix, (Fraction(1, 2), Fraction(1, 2))) == 1
