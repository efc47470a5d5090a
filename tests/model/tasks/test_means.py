"""The features of every family with a known minimizer, by hand at a few labels."""

from fractions import Fraction
from math import exp, log2

import pytest

from consistency_lab.model.surrogates.tasks.base import FEATURES, MeanSurrogate
from consistency_lab.model.surrogates.tasks.catalogue import TASK_CLASSES
from consistency_lab.model.surrogates.tasks.means import (
    METRICS,
    MULTICLASS,
    NORMALIZATIONS,
    Constructed,
    Indicator,
    MapDiagonal,
    MapRegression,
    OrdinalSurrogate,
    PairRegression,
    PairSquareSurrogate,
    Regression,
    Sigmoid,
    SmoothPositions,
    Softmax,
    SoftPairs,
)
from consistency_lab.model.tasks.catalogue import target

NDCG, MAP, PAIRWISE = target("ndcg"), target("map"), target("pairwise")
DAGS, CLASSES = target("pairwise", labels="dags"), target("zero-one", items=4)
THIRD, HALF = 1 / 3, 1 / 2
IDEAL = 3 + 1 / log2(3)
"""Z of the grades 2, 1, 0, whose gains are 3, 1, 0."""
WHOLE = exp(2) + 1 + exp(1)

GRADES = {
    Regression("grade"): (2, 0, 1),
    Regression("gain"): (3, 0, 1),
    Regression("gain/Z"): (3 / IDEAL, 0, 1 / IDEAL),
    Regression("net"): (2, -2, 0),
    Softmax("sum"): (2 / 3, 0, THIRD),
    Softmax("exp"): (exp(2) / WHOLE, 1 / WHOLE, exp(1) / WHOLE),
    Softmax("none"): (2, 0, 1),
    Softmax("gain-sum"): (3 / 4, 0, 1 / 4),
    Softmax("gain-none"): (3, 0, 1),
    Sigmoid("grade"): (1, 0, HALF),
    Sigmoid("gain"): (1, 0, THIRD),
    PairSquareSurrogate(weights="grade"): (2, 0, 1),
    PairSquareSurrogate(weights="gain"): (3, 0, 1),
    OrdinalSurrogate(n=1): (1, 0, 1),
    OrdinalSurrogate(): (2, 0, 1),
    SmoothPositions("ndcg"): (3 / IDEAL, 0, 1 / IDEAL),
    SmoothPositions("mrr"): (2 / 3, 0, THIRD),
    SoftPairs("none"): (1, 1, 0, 0, 0, 1),  # 1,2  1,3  2,1  2,3  3,1  3,2
    SoftPairs("pairs"): (THIRD, THIRD, 0, 0, 0, THIRD),
}
"""For NDCG at the grades 2, 0 and 1."""

OTHERS = [
    (Regression("gain"), target("eru", v=Fraction(1, 2)), (2, 0, 1), (3 / 2, 0, HALF)),
    (Regression("gain"), PAIRWISE, (2, 0, 1), (2, 0, 1)),
    (Regression("net"), target("kendall"), (1, 2, 0), (-2, 2, 0)),
    (Regression("net"), DAGS, (0, 1), (1, -1, 0)),
    (Regression("gain/Z"), NDCG, (0, 0, 0), (0, 0, 0)),
    (Softmax("sum"), NDCG, (0, 0, 0), (0, 0, 0)),
    (Softmax("gain-sum"), NDCG, (0, 0, 0), (0, 0, 0)),
    (Softmax("exp"), NDCG, (1, 1, 1), (THIRD, THIRD, THIRD)),
    (SmoothPositions("ndcg"), NDCG, (0, 0, 0), (0, 0, 0)),
    (SmoothPositions("mrr"), NDCG, (0, 0, 0), (0, 0, 0)),
    (SmoothPositions("ndcg"), PAIRWISE, (2, 0, 1), (3 / IDEAL, 0, 1 / IDEAL)),
    (SoftPairs("pairs"), NDCG, (1, 1, 1), (0,) * 6),
    (MapDiagonal(), MAP, (1, 0, 1), (HALF, 0, HALF)),
    (MapDiagonal(), MAP, (0, 0, 0), (0, 0, 0)),
    (MapRegression(), MAP, (1, 0, 1), (HALF, 0, HALF, 0, 0, HALF)),  # 1,1  1,2  1,3  2,2  2,3  3,3
    (MapRegression(), MAP, (0, 0, 0), (0,) * 6),
    (PairRegression(), PAIRWISE, (2, 0, 1), (1, 1, 0, 0, 0, 1)),
    (PairRegression(), target("kendall"), (1, 2, 0), (0, 0, 1, 1, 1, 0)),
    (PairRegression(), DAGS, (0, 1), (1, 0, 0, 0, 0, 0)),
    *((Indicator(psi), CLASSES, (2,), (0, 0, 1, 0)) for psi in MULTICLASS),
]


@pytest.mark.parametrize(
    ("surrogate", "task", "label", "expected"),
    [*((surrogate, NDCG, (2, 0, 1), x) for surrogate, x in GRADES.items()), *OTHERS],
)
def test_features(surrogate, task, label, expected):
    surrogate.check(task)
    assert [float(x) for x in surrogate.vector(task, label)] == pytest.approx(expected, abs=1e-14)


def test_every_family_and_word_is_here():
    """`Constructed` has tests of its own."""
    used = [*GRADES, *(row[0] for row in OTHERS)]
    families = {known for known in TASK_CLASSES if issubclass(known, MeanSurrogate)}
    assert set(map(type, used)) == families - {Constructed}
    words = {str(x) for surrogate in used for x in surrogate.describe(MAP).values()}
    assert {*FEATURES, *NORMALIZATIONS, *METRICS, *MULTICLASS} <= words


@pytest.mark.parametrize(
    ("surrogate", "task", "order", "beta"),
    [
        (PairRegression(), PAIRWISE, (2, 0, 1), (0, 1, 1, 1, 0, 0)),
        (SoftPairs(), PAIRWISE, (2, 0, 1), (0, 1, 1, 1, 0, 0)),
        (MapRegression(), MAP, (2, 0, 1), (-HALF, -THIRD, -HALF, -THIRD, -THIRD, -1)),
    ],
)
def test_columns_of_linear_decoders(surrogate, task, order, beta):
    assert [float(x) for x in surrogate.column(task, order)[0]] == pytest.approx(beta)
