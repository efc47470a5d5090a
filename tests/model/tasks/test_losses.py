"""Target losses are what the papers write, in floats, for all labels and predictions."""

from fractions import Fraction
from itertools import combinations, pairwise
from math import log2

import pytest

from consistency_lab.model.labels import Rows
from consistency_lab.model.tasks.catalogue import target
from consistency_lab.model.tasks.discrete import MatrixTask
from consistency_lab.model.tasks.positional import Ndcg


def power(s):
    return 2.0**s - 1


def logarithm(j):
    return log2(1 + j)


def discounted(gains, discount, k):
    return sum(gain / discount(j) for j, gain in enumerate(gains[:k], start=1))


def ndcg(gain=power, discount=logarithm, k=9):
    """Järvelin and Kekäläinen 2002."""

    def loss(label, order):
        best = discounted(sorted(map(gain, label), reverse=True), discount, k)
        return 1 - discounted([gain(label[i]) for i in order], discount, k) / best if best else 0

    return loss


def precision(k):
    return lambda label, order: 1 - sum(label[i] for i in order[:k]) / k


def err(label, order):
    """Chapelle et al. 2009: at each place the reader stops with the chance (2^s - 1)/4."""
    found, looking = 1.0, 1.0
    for j, i in enumerate(order, start=1):
        chance = power(label[i]) / 4
        found -= looking * chance / (1 + j / 2)
        looking *= 1 - chance
    return found


def reciprocal_rank(above, k):
    """Voorhees 1999."""

    def loss(label, order):
        return 1 - next((1 / j for j, i in enumerate(order[:k], start=1) if label[i] > above), 0)

    return loss


def average_precision(label, order):
    """The mean, over the relevant items, of the precision at their places."""
    hits = [j for j, i in enumerate(order, start=1) if label[i]]
    return 1 - sum(n / j for n, j in enumerate(hits, start=1)) / len(hits) if hits else 0


def rank_utility(v, w):
    """Breese et al. 1998: the utility halves every w - 1 places."""
    return lambda label, order: -sum(max(label[i] - v, 0) * 2 ** (-j / (w - 1)) for j, i in enumerate(order))


def disagreement(edges, whole=1):
    return lambda label, order: sum(order.index(i) > order.index(j) for i, j in edges(label)) / whole


def by_grades(label):
    return [(i, j) for i, s in enumerate(label) for j, t in enumerate(label) if s > t]


def by_order(label):
    return list(combinations(label, 2))


def by_edges(label):
    return [edge for k, edge in enumerate(pairwise(label)) if k % 2 == 0]


ROWS = ((Fraction(0), Fraction(1, 3)), (Fraction(2), Fraction(0)))
LOSSES = {
    "ndcg": (target("ndcg"), ndcg()),
    "ndcg@2": (target("ndcg", k=2), ndcg(k=2)),
    "rational ndcg": (target("ndcg", gain="s", discount="j"), ndcg(float, float)),
    "precision": (target("precision", k=2), precision(2)),
    "wta": (target("wta"), precision(1)),
    "err": (target("err", discount="1+j/2"), err),
    "mrr": (target("mrr"), reciprocal_rank(0, 3)),
    "mrr@2": (target("mrr@2", labels=(0, 1, 2), v=Fraction(1)), reciprocal_rank(1, 2)),
    "map": (target("map"), average_precision),
    "eru": (target("eru", v=Fraction(1, 2)), rank_utility(0.5, 2)),
    "eru by roots": (target("eru", w=Fraction(3)), rank_utility(0, 3)),
    "pairwise": (target("pairwise"), disagreement(by_grades)),
    "rankings": (target("pairwise", labels="rankings"), disagreement(by_order)),
    "dags": (target("pairwise", labels="dags"), disagreement(by_edges)),
    "kendall": (target("kendall", items=4), disagreement(by_order, 6)),
    "zero-one": (target("zero-one", items=4), lambda y, t: float(y != t)),
    "matrix": (MatrixTask(Rows(("a", "b")), ("s", "t"), ROWS), lambda y, t: float(ROWS[y[0]][t[0]])),
}


@pytest.mark.parametrize("name", LOSSES)
def test_losses(name):
    task, loss = LOSSES[name]
    for label in task.space.labels:
        found = [float(task.loss(label, t)) for t in task.predictions]
        assert found == pytest.approx([loss(label, t) for t in task.predictions], abs=1e-12)


def test_z_is_the_largest_sum_of_discounted_gains():
    for task in (target("ndcg"), target("ndcg", k=2)):
        assert type(task) is Ndcg
        assert float(task.scale((2, 0, 2))) == pytest.approx(1 / (3 + 3 / log2(3)))
        assert task.scale((0, 0, 0)) == 1
