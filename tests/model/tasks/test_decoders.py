"""Decoders return what their definitions say, at all scores 0, 1, ...: ties go any way."""

from fractions import Fraction
from itertools import combinations, combinations_with_replacement, pairwise, permutations, product

import pytest

from consistency_lab.model.surrogates.tasks.atoms import CrammerSinger
from consistency_lab.model.surrogates.tasks.decoders import DECODERS
from consistency_lab.model.surrogates.tasks.means import MapRegression, PairRegression, Regression
from consistency_lab.model.tasks.catalogue import target

ORDERS = tuple(permutations(range(3)))
PAIRS = tuple(permutations(range(3), 2))
HALVES = tuple(combinations_with_replacement(range(3), 2))


def least(cost, predictions=ORDERS):
    smallest = min(map(cost, predictions))
    return tuple(t for t in predictions if cost(t) == smallest)


def sort(u):
    return tuple(t for t in ORDERS if all(u[i] >= u[j] for i, j in pairwise(t)))


def wrong_pairs(u):
    """RAT13 Eq. 1: the least sum of the u_ij of pairs that an order puts the other way round."""
    above = dict(zip(PAIRS, u, strict=True))
    return least(lambda t: sum(above[j, i] for i, j in combinations(t, 2)))


def deleting(u):
    """RAT13 Algorithm 1: the lightest edges of (u_ij - u_ji)_+ go until no cycle is left."""
    above = dict(zip(PAIRS, u, strict=True))
    found = set()
    waiting = [{(i, j) for i, j in PAIRS if above[i, j] > above[j, i]}]
    while waiting:
        edges = waiting.pop()
        orders = [t for t in ORDERS if edges <= set(combinations(t, 2))]
        found.update(orders)
        if not orders:
            weight = {(i, j): above[i, j] - above[j, i] for i, j in edges}
            waiting += [edges - {edge} for edge in edges if weight[edge] == min(weight.values())]
    return tuple(sorted(found))


def assignment(u):
    """RAT13 §6: the largest sum of u_ij over the lower of the two places."""

    def cost(t):
        return sum((Fraction(-x, 1 + max(map(t.index, pair))) for x, pair in zip(u, HALVES, strict=True)))

    return least(cost)


def diagonal(u):
    return sort([x for x, (i, j) in zip(u, HALVES, strict=True) if i == j])


def argmax(u):
    return least(lambda t: -u[t[0]], tuple((k,) for k in range(len(u))))


CASES = [
    (Regression("grade"), target("ndcg"), 3, 3, sort),
    (CrammerSinger(), target("zero-one", items=4), 4, 3, argmax),
    (PairRegression(decoder="linear"), target("pairwise", labels="dags"), 6, 2, wrong_pairs),
    (PairRegression(decoder="algorithm-1"), target("pairwise", labels="dags"), 6, 3, deleting),
    (MapRegression(decoder="linear"), target("map"), 6, 2, assignment),
    (MapRegression(decoder="diagonal"), target("map"), 6, 2, diagonal),
]


@pytest.mark.parametrize(("surrogate", "task", "size", "most", "definition"), CASES)
def test_decoders(surrogate, task, size, most, definition):
    for scores in product(range(most), repeat=size):
        found = DECODERS[surrogate.decoder].returns(surrogate, task, list(map(Fraction, scores)))
        assert found == definition(scores), scores


def test_every_decoder_is_here():
    assert {surrogate.decoder for surrogate, *_ in CASES} == set(DECODERS)


def test_algorithm_1_breaks_ties_in_every_way():
    """A circle of equal weights: any of its edges may go."""
    assert deleting([1, 0, 0, 1, 1, 0]) == ((0, 1, 2), (1, 2, 0), (2, 0, 1))
