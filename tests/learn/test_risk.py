"""The U-statistic risk, gone through term by term, and the draw of its terms."""

import math
from itertools import combinations

import numpy as np
import pytest

from consistency_lab import InputError, UnsupportedError
from consistency_lab.apps.learn import LOSSES, aggregate, u_statistic_risk
from consistency_lab.apps.learn.losses import loss_of
from consistency_lab.apps.learn.risk import contradicted

STRUCTURES = [
    aggregate.AverageAdjacency(),
    aggregate.BTLLogOdds(c=0.5),
    aggregate.ThurstoneMosteller(),
    aggregate.Borda(of=aggregate.BTLLogOdds()),
    aggregate.AmmarShah(),
    aggregate.PrincipalEigenvector(),
]


def said():
    """Two queries, their rows in turn; 5 labels of the first, one of them of two comparisons, and 2 more."""
    return aggregate.Preferences(
        winners=[0, 2, 4, 0, 2, 6, 1, 3],
        losers=[2, 0, 2, 4, 4, 0, 3, 1],
        queries=["a", "b", "a", "b", "a", "b", "a"],
        weights=[1, 2, 1, 3, 1, 1, 2, 5],
        labels=[0, 1, 2, 3, 3, 4, 5, 6],
    )


def by_definition(scores, name, structure, k):
    """The risk, with the structures' own functions, written down a second time."""
    given, loss, risk = said(), LOSSES[name], 0.0
    for query in (0, 1):
        rows = np.flatnonzero(given.queries == query)
        labels = np.unique(given.labels[given.queries[given.winners] == query])
        size = min(k, labels.size)
        for chosen in combinations(labels, size):
            wins = np.zeros((7, 7))
            for w, loser, weight, label in zip(
                given.winners, given.losers, given.weights, given.labels, strict=True
            ):
                if label in chosen:
                    wins[w, loser] += weight
            part = np.ascontiguousarray(wins[np.ix_(rows, rows)])
            made = getattr(structure, "matrix" if loss.takes == "matrix" else "scores")(part, size)
            value = loss.kernel(made, scores[rows], np.zeros(rows.size), 0.5)
            risk += labels.size / 7 / math.comb(labels.size, size) * value
    return risk


@pytest.mark.parametrize("k", [1, 3, 9])
@pytest.mark.parametrize(
    ("name", "structure"),
    [
        *((name, aggregate.AverageAdjacency()) for name in LOSSES),
        *(("regression", one) for one in STRUCTURES[1:]),
    ],
)
def test_the_risk_is_what_the_definition_says(name, structure, k):
    scores = np.random.default_rng(k).normal(size=7)
    value, gradient = u_statistic_risk(scores, said(), name, structure, k, nu=0.5)
    assert value == pytest.approx(by_definition(scores, name, structure, k))
    h = 1e-6
    for i, step in enumerate(h * np.eye(7)):
        up, down = (by_definition(scores + sign * step, name, structure, k) for sign in (1, -1))
        assert gradient[i] == pytest.approx((up - down) / (2 * h), abs=1e-7)


def test_order_1_of_a_linear_structure_is_every_order():
    scores = np.arange(7.0)
    one, three, every = (u_statistic_risk(scores, said(), "logistic", k=k)[0] for k in (1, 3, None))
    assert one == pytest.approx(three) == pytest.approx(every)


def test_of_labels_of_one_comparison_the_difference_loss_is_the_edge_loss():
    given = aggregate.Preferences([0, 1, 2, 0], [1, 2, 0, 1], [0, 0, 0], weights=[3, 1, 4, 8])
    asked = (np.array([0.4, -1.0, 0.1]), given)
    one, other = (
        u_statistic_risk(*asked, loss, aggregate.AverageAdjacency(), 1)
        for loss in ("logistic", "difference-logistic")
    )
    assert one[0] == pytest.approx(other[0]) and one[1] == pytest.approx(other[1])


def test_clicks():
    seen = aggregate.Clicks([[0, 1, 2], [2, 0, 1], [1, 2, 0]], [1, None, 0], [7, 7, 7])
    scores = np.array([0.3, -1.0, 2.0])
    # Of all sessions: row 0 was examined twice, row 1 three times and clicked twice, row 2 once.
    theta = np.array([0.0, 2 / 3, 0.0])
    value, slope = u_statistic_risk(scores, seen, "regression", aggregate.CascadeMLE())
    assert value == pytest.approx(((scores - theta) ** 2).sum() / 6)
    assert slope == pytest.approx((scores - theta) / 3)
    # Of one: theta is (0, 1, 0), (0, 0, 0), (0, 1, 0).
    alone = u_statistic_risk(scores, seen, "regression", aggregate.CascadeMLE(), k=1)[0]
    assert alone == pytest.approx(
        np.mean([((scores - np.array(t)) ** 2).sum() / 6 for t in ([0, 1, 0], [0, 0, 0], [0, 1, 0])])
    )


def test_a_weighted_comparison_is_so_many_labels():
    heavy = aggregate.Preferences([0, 1, 2, 3], [1, 0, 1, 4], [0, 0, 0, 1, 1], weights=[3, 1, 2, 4])
    alike = aggregate.Preferences(
        [0, 0, 0, 1, 2, 2, 3, 3, 3, 3], [1, 1, 1, 0, 1, 1, 4, 4, 4, 4], [0, 0, 0, 1, 1]
    )
    scores = np.array([0.4, -1.0, 0.1, 2.0, 3.0])
    for name, loss in LOSSES.items():
        value, slope = u_statistic_risk(scores, heavy, name)
        same, other = u_statistic_risk(scores, alike, name)
        assert value == pytest.approx(same) and slope == pytest.approx(other)
        if isinstance(loss.structure, aggregate.AverageAdjacency):
            assert u_statistic_risk(scores, heavy, name, k=1)[0] == pytest.approx(same)


def test_contradicted_weight():
    given = aggregate.Preferences([0, 1, 2], [1, 2, 0], [0, 0, 0], weights=[3, 2, 1])
    assert contradicted(np.array([2.0, 1.0, 0.0]), given) == pytest.approx(1 / 6)
    assert contradicted(np.zeros(3), given) == 0.5
    # The click on row 0, shown last, says that it was preferred to rows 1 and 2; no click says nothing.
    seen = aggregate.Clicks([[1, 2, 0], [0, 1, 2]], [2, None], [0, 0, 0])
    assert contradicted(np.array([1.0, 2.0, 0.0]), seen) == 0.5


def test_what_cannot_be_asked():
    many = aggregate.Preferences(np.zeros(40, int), np.ones(40, int), [0, 0])
    with pytest.raises(UnsupportedError, match=r"there are 847660528 sets of 10 labels, .* use k=None"):
        u_statistic_risk([0.0, 1.0], many, "logistic", k=10)
    with pytest.raises(InputError, match=r"cascade-mle takes clicks, got preferences"):
        u_statistic_risk(np.zeros(7), said(), "regression", aggregate.CascadeMLE())
    with pytest.raises(InputError, match=r"btl-log-odds takes preferences, got clicks"):
        u_statistic_risk(np.zeros(2), aggregate.Clicks([[0, 1]], [0], [0, 0]), "regression")
    with pytest.raises(InputError, match="there are no preferences"):
        u_statistic_risk(np.zeros(2), aggregate.Preferences([], [], [0, 0]), "regression")
    with pytest.raises(InputError, match=r"the scores have shape \(3,\); give one for each of 7 rows"):
        u_statistic_risk(np.zeros(3), said(), "regression")
    for k in (0, 1.5):
        with pytest.raises(InputError, match=f"k is {k}; pass a whole number from 1 to"):
            u_statistic_risk(np.zeros(7), said(), "regression", k=k)
    assert loss_of("regression")[0].takes == "scores"
