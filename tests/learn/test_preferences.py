"""Preferences and clicks: what they refuse, and that scikit-learn splits them as it splits a y."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import GroupKFold, train_test_split
from sklearn.utils import check_consistent_length

from consistency_lab.apps.learn.aggregate import CascadeMLE, Clicks, Preferences
from consistency_lab.errors import InputError


@pytest.fixture
def said():
    """Three queries of 2, 3 and 1 rows, whose rows do not stand together."""
    return Preferences(
        [0, 0, 4, 1], [2, 2, 1, 3], ["b", "a", "b", "a", "a", "c"], [1, 2, 0.5, 1], [7, 8, 5, 5]
    )


def pairs(said):
    return list(zip(said.winners.tolist(), said.losers.tolist(), said.weights.tolist(), strict=True))


def test_wins_are_added_up_by_query(said):
    first, second, third = said.by_query()
    assert (first.rows.tolist(), first.wins.tolist(), first.total) == ([0, 2], [[0, 3], [0, 0]], 2)
    assert second.rows.tolist() == [1, 3, 4]
    assert (second.wins.tolist(), second.total) == ([[0, 1, 0], [0, 0, 0], [0.5, 0, 0]], 1)
    assert (third.rows.tolist(), third.wins.tolist(), third.total) == ([5], [[0]], 0)
    counted = [query.wins.tolist() for query in said.by_query(shares=True)]
    assert counted == [query.wins.tolist() for query in said.by_query()]
    graded = Preferences.from_grades([5, 2, 2], ["x", "x", "x"])
    assert [query.wins.tolist() for query in graded.by_query()] == [[[0, 3, 3], [0, 0, 0], [0, 0, 0]]]
    assert [query.wins.tolist() for query in graded.by_query(True)] == [[[0, 1, 1], [0, 0, 0], [0, 0, 0]]]


def test_a_comparison_counts_as_often_as_its_weight_says():
    for weight in (0, 0.5, 1, 1000):
        said = Preferences([0, 1], [1, 0], ["x", "x"], [weight, 1])
        ((_, wins, total),) = said[[0, 1]].by_query(True)
        assert (wins.tolist(), total) == ([[0, weight], [1, 0]], weight + 1)
        ((_, wins, total),) = Preferences([0, 1], [1, 0], ["x", "x"], [weight, 1], ["u", "v"]).by_query(True)
        assert (wins.tolist(), total) == ([[0, weight], [1, 0]], 2)


def test_a_judge_who_prefers_nothing_is_one_of_the_labels():
    names = ["q", "q", "q", "q", "q", "alone"]
    said = Preferences.from_judgments(names, list("ABABBC"), list("uuvvwu"), [2, 0, 1, 1, 3, 9])
    assert (len(said), pairs(said)) == (3, [(0, 1, 2.0), (0, 1, 0.0), (1, 0, 0.0)])
    assert [(query.wins.tolist(), query.total) for query in said.by_query()] == [
        ([[0, 2], [0, 0]], 3),
        ([[0]], 0),
    ]
    last = Preferences.from_judgments([1, 1, 1], ["A", "B", "A"], [5, 5, 5], [2, 1, 0])
    assert pairs(last) == [(1, 0, 1.0)]
    assert len(Preferences.from_judgments([], [], [], [])) == 0
    with pytest.raises(InputError, match="give an item, a judge and a finite grade for each of 1 queries"):
        Preferences.from_judgments([1], [1], [1], [np.nan])


def test_some_rows_are_numbered_again(said):
    for key in ([4, 3, 1], np.array([4, 3, 1]), ([4, 3, 1], Ellipsis)):
        part = said[key]
        assert (part.shape, len(part), pairs(part)) == ((3,), 3, [(0, 2, 0.5), (2, 1, 1.0)])
        assert part.queries.tolist() == [0, 0, 0]
        assert part.labels[0] == part.labels[1]
    mask = np.array([True, False, True, False, False, False])
    assert pairs(said[mask]) == pairs(said[::2][:2]) == [(0, 1, 1.0), (0, 1, 2.0)]
    assert len(said[[]]) == len(said[np.array([], int)]) == 0


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ([0, 0], "selected twice"),
        ([9], "cannot be selected"),
        (3, "select a list of rows"),
        ((0, 1), "one dimension"),
    ],
)
def test_rows_that_cannot_be_chosen(said, key, words):
    with pytest.raises(InputError, match=words):
        said[key]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([0], [3], [1, 1]), "row 3 is among the losers; there are rows 0 to 1"),
        (([-1], [0], [1, 1]), "row -1 is among the winners"),
        (([0.5], [1], [1, 1]), "winners must be a one-dimensional array of whole row numbers"),
        (([0], [1, 1], [1, 1]), "1 winners but 2 losers"),
        (([0], [0], [1, 1]), "row 0 is compared with itself"),
        (([0], [1], [1, 2]), "rows 0 and 1 are compared but belong to different queries"),
        (([0], [1], [1, 1], [-1]), "a weight is negative or not finite"),
        (([0], [1], [1, 1], [np.nan]), "a weight is negative or not finite"),
        (([0], [1], [1, 1], None, None, [-1]), "a count is negative or not finite"),
        (([0], [1], [1, 1], [1, 1]), r"weights have shape \(2,\); expected \(1,\), one for each pair"),
        (([0, 2], [1, 3], [1, 1, 2, 2], None, [4, 4]), "a label has comparisons of two queries"),
        (([0], [1], [[1, 1]]), r"queries have shape \(1, 2\)"),
    ],
)
def test_wrong_preferences_are_refused(arguments, words):
    with pytest.raises(InputError, match=words):
        Preferences(*arguments)


def test_grades_are_one_label_a_query():
    said = Preferences.from_grades([3, 0, 1, 1, 0], ["x", "y", "x", "y", "y"])
    assert pairs(said) == [(0, 2, 2.0), (3, 1, 1.0), (3, 4, 1.0)]
    assert [query.total for query in said.by_query()] == [1, 1]
    assert len(Preferences.from_grades([], []).winners) == 0
    for wrong in ([1, np.nan], [1]):
        with pytest.raises(InputError, match="give 2 finite grades"):
            Preferences.from_grades(wrong, [1, 1])
    with pytest.raises(InputError, match="query 'long' has 5001 items; at most 5000 are allowed"):
        Preferences.from_grades(np.arange(5001), ["long"] * 5001)
    with pytest.raises(InputError, match="has 5001 items; at most 5000 are allowed"):
        list(Preferences([0], [1], ["long"] * 5001).by_query())


def test_wins_are_labels_of_their_own():
    matrices = [np.array([[0, 2], [1, 0]]), np.array([[0, 0, 1], [0, 0, 0], [4, 0, 0]])]
    said = Preferences.from_wins(matrices)
    for query, matrix in zip(said.by_query(), matrices, strict=True):
        assert (query.wins.tolist(), query.total) == (matrix.tolist(), matrix.sum())
    assert len(Preferences.from_wins([])) == 0
    for wrong, words in (([[0, 0.5], [0, 0]], "whole numbers"), ([[0, 1]], "square"), ([[1]], "itself")):
        with pytest.raises(InputError, match=words):
            Preferences.from_wins([wrong])


@pytest.fixture
def graded():
    grades = np.random.default_rng(0).integers(0, 3, 60)
    return grades[:, None] + 0.0, Preferences.from_grades(grades, np.repeat(np.arange(12), 5))


def test_scikit_learn_splits_them(graded):
    X, y = graded
    check_consistent_length(X, y)
    left, right, y_left, y_right = train_test_split(X, y, random_state=0)
    for part, said in ((left, y_left), (right, y_right)):
        assert len(part) == len(said)
        assert (part[said.winners, 0] - part[said.losers, 0] == said.weights).all()
    for train, test in GroupKFold(3).split(X, groups=y.queries):
        assert y[train].weights.sum() + y[test].weights.sum() == y.weights.sum()


def test_they_can_be_copied_and_not_changed(said):
    for other in (copy.deepcopy(said), pickle.loads(pickle.dumps(said))):
        assert pairs(other) == pairs(said)
    with pytest.raises(ValueError, match="read-only"):
        said.winners[0] = 5


@st.composite
def clicks(draw):
    m = draw(st.integers(1, 6))
    shown = [
        draw(st.permutations(range(m)))[: draw(st.integers(1, m))] for _ in range(draw(st.integers(0, 5)))
    ]
    clicked = [draw(st.integers(-1, len(one) - 1)) for one in shown]
    return Clicks(shown, clicked, [0] * m), draw(st.lists(st.integers(0, m - 1), unique=True))


@given(clicks())
def test_of_some_rows_the_sessions_say_what_they_said(given_):
    seen, rows = given_
    part = seen[rows]
    assert len(part) == len(rows)
    for before, after in zip(seen.counts(), part.counts(), strict=True):
        assert after.tolist() == before[rows].tolist()


def test_items_below_a_click_are_not_examined():
    seen = Clicks([[0, 1, 2], [2, 1], [1, 0]], [1, None, -1], [5, 5, 5])
    clicked, examined = seen.counts()
    assert (clicked.tolist(), examined.tolist()) == ([0, 1, 0], [2, 3, 1])
    assert CascadeMLE().scores(clicked, examined).tolist() == [0, 1 / 3, 0]
    assert (seen.shape, len(seen)) == ((3,), 3)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([[0, 1]], [2], [1, 1]), "session 0 has a click at position 2; its positions are 0 to 1"),
        (([[0], []], [0, 0], [1]), "session 1 shows no rows"),
        (([[0, 1]], [0], [1, 2]), "session 0 shows rows of different queries"),
        (([[0, 0]], [0], [1]), "shows a row twice"),
        (([[4]], [0], [1]), "row 4 is among the rows shown"),
        (([[0]], [], [1]), "1 sessions, but clicks for 0"),
    ],
)
def test_wrong_clicks_are_refused(arguments, words):
    with pytest.raises(InputError, match=words):
        Clicks(*arguments)
