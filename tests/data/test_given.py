"""What Python hands over: data frames, arrays, lists; and what is refused."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from pandas import DataFrame

from consistency_lab.data.profile import Profile
from consistency_lab.errors import InputError

HALF = Fraction(1, 2)


def battles(**columns):
    return DataFrame(
        {"a": ["A", "B", "A", "A"], "b": ["B", "C", "C", None], "won": ["a", "C", "tie", "a"]} | columns
    )


def test_a_frame_with_two_players_and_ties(wins):
    found = Profile.from_pandas(battles(), winner="won", a="a", b="b")
    assert wins(found) == {("A", "B"): 1, ("C", "B"): 1, ("A", "C"): HALF, ("C", "A"): HALF}
    assert found.notes[:3] == (
        "Warning: 25 % of the rows are left out (1 of 4)",
        "ties counted as half a win for each: 1",
        "1 row is left out: an item has no name (row 4)",
    )
    dropped = Profile.from_pandas(battles(), winner="won", a="a", b="b", ties="drop")
    assert wins(dropped) == {("A", "B"): 1, ("C", "B"): 1}


@pytest.mark.parametrize("kind", [str, object, "category"])
def test_a_frame_of_winners_and_losers(wins, kind):
    frame = DataFrame({"w": ["A", "B", "A"], "l": ["B", "A", "B"], "n": [2.5, 1, np.nan]})
    found = Profile.from_pandas(frame.astype({"w": kind, "l": kind}), winner="w", loser="l", count="n")
    assert wins(found) == {("A", "B"): Fraction(5, 2), ("B", "A"): 1}
    assert "(row 3)" in found.notes[1]


def test_a_column_count_and_the_values_of_a_counter_count(wins):
    frame = DataFrame({"w": ["A", "B"], "l": ["B", "A"], "count": [3, 2]})
    assert wins(Profile.from_pandas(frame, winner="w", loser="l")) == {("A", "B"): 3, ("B", "A"): 2}
    assert wins(Profile.from_pairs(Counter({("A", "B"): 3, ("B", "A"): 2}))) == {("A", "B"): 3, ("B", "A"): 2}
    assert wins(Profile.from_pairs({("A", "B"): "1/2"})) == {("A", "B"): HALF}


def test_lists_and_bytes_are_no_names():
    frame = DataFrame({"w": ["A", ["B"], b"C"] + 40 * ["A"], "l": ["B", "A", "A"] + 40 * ["B"]})
    found = Profile.from_pandas(frame, winner="w", loser="l")
    assert found.notes[:2] == (
        "1 row is left out: a cell is a list, not a string or number (row 2)",
        "1 row is left out: a cell is a bytes, not a string or number (row 3)",
    )


@pytest.mark.parametrize(
    ("frame", "options", "sentence"),
    [
        (battles(), {"winner": "won", "loser": "l"}, "has no column 'l'; it has ['a', 'b', 'won']"),
        (battles().iloc[:0], {"winner": "won", "a": "a", "b": "b"}, "there are no games; it has no rows"),
        (battles(), {"winner": "won", "a": "a", "b": "b", "bad_rows": "fail"}, "row 4: an item has no name"),
        (battles(), {"winner": "won"}, "give the names of the columns winner and loser, or a, b and winner"),
        (battles(), {"winner": "a", "loser": "b", "ties": "never"}, "ties is 'never'"),
        (DataFrame([[1, 2, 3]], columns=list("wwl")), {"winner": "w", "loser": "l"}, "more than one column"),
        ([1, 2], {"winner": "w", "loser": "l"}, "the data frame has no column 'w'"),
    ],
)
def test_a_frame_without_that_is_refused(frame, options, sentence):
    with pytest.raises(InputError) as caught:
        Profile.from_pandas(frame, **options)
    assert sentence in str(caught.value)


def test_an_array_and_a_frame_are_matrices_and_their_diagonal_does_not_count(wins):
    square = np.array([[np.nan, 3], [1, np.nan]])
    by_array = Profile.from_matrix(square, np.array(["A", "B"]))
    by_frame = Profile.from_matrix(DataFrame(square, index=["A", "B"], columns=["A", "B"]))
    assert wins(by_array) == wins(by_frame) == {("A", "B"): 3, ("B", "A"): 1}
    assert all(type(name) is str for name in by_array.items)


@pytest.mark.parametrize(
    ("made", "sentence"),
    [
        (lambda: Profile.from_matrix(np.array([1, 2])), "wins[0] is 1; pass a sequence"),
        (lambda: Profile.from_matrix(np.ones((2, 3))), "must be square"),
        (lambda: Profile.from_matrix([[0, -1], [1, 0]]), "is negative"),
        (lambda: Profile.from_matrix([[0, 0], [0, 0]]), "there are no comparisons"),
        (lambda: Profile.from_matrix(DataFrame([[0, 1], [1, 0]], columns=["A", "B"])), "the same names"),
        (lambda: Profile.from_pairs([]), "there are 0 items; a ranking needs at least 2"),
        (lambda: Profile.from_pairs([("A", "B", "C")]), "pairs[0] is a tuple of 3; pass 2 values"),
        (lambda: Profile.from_pairs([("A", None)]), "an item is called 'None'; names must be strings or"),
        (lambda: Profile.from_rankings([]), "there are 0 items"),
        (lambda: Profile.from_rankings([[0.5, 1]]), "an item is called '0.5'"),
    ],
)
def test_what_is_no_profile_is_refused_in_a_sentence(made, sentence):
    with pytest.raises(InputError) as caught:
        made()
    assert sentence in str(caught.value)


def test_items_may_be_numbers_of_an_array(wins):
    assert wins(Profile.from_rankings(np.array([[1, 0], [1, 0]]))) == {("1", "0"): 2}
    assert wins(Profile.from_pairs(np.array([[1, 0], [0, 1]]))) == {("1", "0"): 1, ("0", "1"): 1}
