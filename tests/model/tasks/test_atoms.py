"""Surrogates made of atoms are the losses that their formulas say."""

from fractions import Fraction
from itertools import combinations, pairwise, permutations
from math import exp, log

import numpy as np
import pytest
from scipy.optimize import minimize

from consistency_lab.core.risk import Linear, LogSumExp, Max
from consistency_lab.errors import InputError, UnsupportedError
from consistency_lab.model.surrogates.tasks.atoms import (
    WEIGHTS,
    CrammerSinger,
    LeeLinWahba,
    ListMleSurrogate,
    PairAbsolute,
    PairsSurrogate,
    UniqueSoftmax,
    WestonWatkins,
)
from consistency_lab.model.surrogates.tasks.base import AtomSurrogate
from consistency_lab.model.surrogates.tasks.catalogue import TASK_CLASSES
from consistency_lab.model.surrogates.tasks.means import (
    OrdinalSurrogate,
    PairSquareSurrogate,
    SmoothPositions,
    SoftPairs,
)
from consistency_lab.model.tasks.catalogue import target
from consistency_lab.numbers.phi import named, parse

PHI = {
    "log(1+exp(-x))": lambda x: log(1 + exp(-x)),
    "max(0,1-x)": lambda x: max(0.0, 1 - x),
    "max(0,x)": lambda x: max(0.0, x),
    "abs(x)": abs,
}
RATIONAL_NDCG = target("ndcg", discount="j")
CLASSES = target("zero-one", items=4)


def others(u, y):
    return [x for j, x in enumerate(u) if j != y]


def value(atom, u):
    if isinstance(atom, Linear):
        return sum(float(c) * u[i] for i, c in atom.v)
    if isinstance(atom, LogSumExp):
        return float(atom.c) * log(sum(exp(u[i]) for i in atom.over))
    if isinstance(atom, Max):
        return float(atom.c) * max(sum(float(c) * u[i] for i, c in v) + float(b) for v, b in atom.pieces)
    return float(atom.c) * PHI[str(atom.phi)](sum(n * u[i] for i, n in atom.v) - float(atom.b))


def psi(surrogate, task, label, u):
    return sum(value(atom, u) for atom in surrogate.atoms(task, label))


def logistic(weights="unit", normalized="none"):
    return PairsSurrogate("logistic", named("logistic").expression, weights, normalized)


def worth(grade):
    return int(2**grade - 1)


def zhang(label, u):
    gains = sorted(map(worth, label), reverse=True)
    best = sum(gain / k for k, gain in enumerate(gains, start=1)) or 1.0
    return zhang_without_z(label, u) / best


def zhang_without_z(label, u):
    pairs = permutations(range(len(label)), 2)
    return sum(worth(label[i]) * log(1 + exp(u[j] - u[i])) for i, j in pairs)


def pairs(weight):
    def loss(label, u):
        items = list(zip(label, u, strict=True))
        return sum(weight(s, t) * log(1 + exp(y - x)) for s, x in items for t, y in items if s > t)

    return loss


def plackett_luce(label, u):
    """The average of - log P over all orders that sort the grades (Xia et al. 2008)."""
    orders = [t for t in permutations(range(len(label))) if sorted_by(label, t)]
    return sum(in_order(t, u) for t in orders) / len(orders)


def in_order(t, u):
    """- log P of an order by Plackett and Luce."""
    return sum(log(sum(exp(u[j]) for j in t[k:])) - u[i] for k, i in enumerate(t))


def first_come(label, u):
    """- log P of the order of falling grades that keeps equal ones in the order of the input."""
    return in_order(sorted(range(len(label)), key=lambda item: -label[item]), u)


def unique_softmax(label, u):
    """Zhu and Klabjan 2020: each item against those with lower grades."""
    return sum(
        worth(s) * (log(exp(u[i]) + sum(exp(x) for t, x in zip(label, u, strict=True) if t < s)) - u[i])
        for i, s in enumerate(label)
    )


def absolute(label, u):
    """The sum over s > t of |(s - t) - (u - v)| (Koenker and Bassett 1978, on pairs)."""
    items = list(zip(label, u, strict=True))
    return sum(abs((s - t) - (x - y)) for s, x in items for t, y in items if s > t)


def sorted_by(label, order):
    return all(label[a] >= label[b] for a, b in pairwise(order))


def mean(loss):
    """A sum over the preferred pairs of a label, divided by their number."""
    return lambda label, u: loss(label, u) / max(1, sum(s > t for s in label for t in label))


def along(preferences):
    return lambda label, u: sum(log(1 + exp(u[j] - u[i])) for i, j in preferences(label))


def edges(label):
    """Of a directed graph."""
    return zip(label[::2], label[1::2], strict=True)


GRADED = [
    (logistic(), pairs(lambda s, t: 1)),
    (logistic(normalized="pairs"), mean(pairs(lambda s, t: 1))),
    (logistic("difference"), pairs(lambda s, t: s - t)),
    (logistic("gain-difference"), pairs(lambda s, t: worth(s) - worth(t))),
    (logistic("square-difference"), pairs(lambda s, t: s**2 - t**2)),
    (logistic("zhang"), zhang),
    (logistic("zhang-gain"), zhang_without_z),
    (ListMleSurrogate(), plackett_luce),
    (ListMleSurrogate(ties="input"), first_come),
    (UniqueSoftmax(), unique_softmax),
    (PairAbsolute(), absolute),
    (PairAbsolute("pairs"), mean(absolute)),
]
FORMULAS = [
    *((surrogate, RATIONAL_NDCG, formula) for surrogate, formula in GRADED),
    (logistic(), target("kendall"), along(lambda label: combinations(label, 2))),
    (logistic(), target("pairwise", labels="dags"), along(edges)),
    (ListMleSurrogate(), target("kendall"), in_order),
    # Tewari and Bartlett 2007, Section 4.
    (CrammerSinger(), CLASSES, lambda y, u: max(0, 1 + max(others(u, *y)) - u[y[0]])),
    (WestonWatkins(), CLASSES, lambda y, u: sum(max(0, 1 - u[y[0]] + x) for x in others(u, *y))),
    (LeeLinWahba(), CLASSES, lambda y, u: sum(max(0, 1 + x - sum(u) / len(u)) for x in others(u, *y))),
]


@pytest.mark.parametrize(("surrogate", "task", "formula"), FORMULAS)
def test_losses_are_their_formulas(surrogate, task, formula):
    scores = np.random.default_rng(0).normal(size=(3, task.space.m)).tolist()
    for label in task.space.labels:
        for u in scores:
            assert psi(surrogate, task, label, u) == pytest.approx(formula(label, u), abs=1e-12)


def test_every_family_and_weight_is_here():
    used = [surrogate for surrogate, *_ in FORMULAS]
    assert set(map(type, used)) == {known for known in TASK_CLASSES if issubclass(known, AtomSurrogate)}
    assert {x.weights for x in used if isinstance(x, PairsSurrogate)} == set(WEIGHTS)


def test_ordinal_heads_are_chances_and_add_up_to_the_mean_grade():
    """Binary cross entropy of 1(s >= k) on a sigmoid is least at P(s >= k); summed over k that is E s."""
    chances = [0.2, 0.5, 0.3]

    def entropy(s, v):
        return -sum(np.log(v[k - 1]) if s >= k else np.log(1 - v[k - 1]) for k in (1, 2))

    def risk(heads):
        return float(sum(p * entropy(s, 1 / (1 + np.exp(-heads))) for s, p in enumerate(chances)))

    heads = minimize(risk, np.zeros(2), tol=1e-12).x
    mean = sum(s * p for s, p in enumerate(chances))
    assert float((1 / (1 + np.exp(-heads))).sum()) == pytest.approx(mean, abs=1e-5)


WRONG = [
    (lambda: logistic("heavy"), "cannot have weights = 'heavy'"),
    (lambda: logistic(normalized="queries"), "cannot have normalized = 'queries'"),
    (lambda: PairsSurrogate("sigmoid", parse("1/(1+exp(x))")), "not proved convex"),
    (lambda: logistic("difference").check(target("kendall")), "needs labels that are grades"),
    (lambda: logistic().check(target("zero-one")), "those of 0-1 loss are classes"),
    (lambda: ListMleSurrogate().check(target("pairwise", labels="dags")), "grades or rankings"),
    (lambda: UniqueSoftmax().check(target("kendall")), "needs labels that are grades"),
    (lambda: WestonWatkins().check(target("ndcg")), "needs labels that are classes"),
    (lambda: OrdinalSurrogate().check(target("kendall")), "ordinal"),
    (lambda: OrdinalSurrogate(n=0).check(target("ndcg")), "at least 1"),
    (lambda: PairSquareSurrogate(weights="label"), "cannot have weights = 'label'"),
    (lambda: SmoothPositions("err"), "choose from ndcg, mrr"),
    (lambda: SmoothPositions("ndcg", Fraction(0)), "must be positive"),
    (lambda: SoftPairs("lists"), "choose from none, pairs"),
    (lambda: SoftPairs().check(target("kendall")), "needs labels that are grades"),
    (lambda: SmoothPositions().check(target("zero-one")), "needs labels that are grades"),
]


@pytest.mark.parametrize(("question", "words"), WRONG)
def test_what_does_not_fit_is_refused_in_one_sentence(question, words):
    with pytest.raises(InputError, match=words):
        question()


def test_irrational_weights_are_no_exact_terms():
    with pytest.raises(UnsupportedError, match="irrational"):
        logistic("zhang").atoms(target("ndcg"), (2, 1, 0))
