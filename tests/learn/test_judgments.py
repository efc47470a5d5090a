"""Tables of judgments against the same judgments said in Python, and what becomes of bad rows."""

import csv
import random
from itertools import pairwise

import numpy as np
import pytest

from consistency_lab import GameColumns, InputError
from consistency_lab.apps.learn import LOSSES, aggregate
from consistency_lab.apps.learn.aggregate import preferences as of_features
from consistency_lab.apps.learn.aggregate.judgments import read_clicks, read_grades, read_pairs
from consistency_lab.apps.learn.aggregate.labels import labels_of
from consistency_lab.apps.learn.compiled import label_table
from consistency_lab.apps.learn.risk import terms

GAMES = GameColumns("winner", loser="loser")


@pytest.fixture
def table(tmp_path):
    def write(*rows):
        path = tmp_path / "table.csv"
        with path.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(rows)
        return path

    return write


def said(read, shares=True):
    """For each query the wins by name, and the number of labels."""
    found = {}
    for (query, named), wins in zip(read.items.items(), read.wins(shares), strict=True):
        assert wins.rows == list(named.values())
        names = list(named)
        i, j = np.nonzero(wins.wins)
        counts = {(names[x], names[y]): float(wins.wins[x, y]) for x, y in zip(i, j, strict=True)}
        found[query] = counts, wins.total
    return found


STRUCTURES_OF_PAIRS = [
    aggregate.AverageAdjacency(),
    aggregate.BTLLogOdds(c=0.3),
    aggregate.ThurstoneMosteller(),
    aggregate.ThurstoneMosteller(of=aggregate.AverageAdjacency()),
    aggregate.Borda(),
    aggregate.Borda(of=aggregate.BTLLogOdds()),
    aggregate.AmmarShah(),
    aggregate.PrincipalEigenvector(),
]


def of_both(read, preferences, structure):
    """The scores of the command, and what is said of the same rows in Python."""
    expected = np.full(len(preferences), np.nan)
    for rows, wins, total in preferences.by_query(structure.shares):
        expected[rows] = structure.scores(wins, total or None)
    learned = expected.copy()
    table = label_table(preferences, structure)
    made = terms(table, LOSSES["regression"], structure, None, 0.0)
    for query, (begin, end) in enumerate(pairwise(table.label_start.tolist())):
        rows = table.rows[table.row_start[query] : table.row_start[query + 1]]
        slope = np.zeros(len(preferences))  # at scores 0 it is -s/m
        made.add(query, np.arange(begin, end), np.zeros(len(preferences)), slope)
        learned[rows] = -rows.size * slope[rows]
    assert learned == pytest.approx(expected, abs=1e-12)
    return labels_of(read, structure).scores.tolist(), pytest.approx(expected.tolist(), abs=1e-12)


@pytest.mark.long
@pytest.mark.parametrize("structure", STRUCTURES_OF_PAIRS, ids=repr)
@pytest.mark.parametrize(("judge", "ties"), [(None, "half"), ("who", "drop"), ("who", "both")])
def test_weights_and_ties_are_the_same_in_python(table, structure, judge, ties):
    each = {"half": 0.5, "drop": 0.0, "both": 1.0}[ties]
    rows = ["u,a,A,B,1000", "v,b,A,B,0", "v,tie,B,C,3", "v,a,C,A,1"]
    read = read_pairs(
        table(("who", "won", "a", "b", "n"), *(row.split(",") for row in rows)),
        GameColumns("won", a="a", b="b", count="n"),
        judge=judge,
        ties=ties,
    )
    said = aggregate.Preferences(
        [0, 1, 1, 2, 2],
        [1, 0, 2, 1, 0],
        [0, 0, 0],
        [1000, 0, 3 * each, 3 * each, 1],
        None if judge is None else list("uvvvv"),
    )
    command, python = of_both(read, said, structure)
    assert command == python


@pytest.mark.parametrize("structure", STRUCTURES_OF_PAIRS, ids=repr)
def test_grades_are_the_same_in_python(table, structure):
    rng = random.Random(3)
    rows = [(rng.choice("xyz"), rng.choice("ABCD"), rng.choice("uvw"), rng.randrange(3)) for _ in range(40)]
    rows += [("x", "A", "tied", 1), ("x", "B", "tied", 1), ("y", "A", "alone", 1), ("last", "A", "u", 0)]
    read = read_grades(table(("q", "i", "j", "g"), *rows), "i", "j", "g", "q")
    assert list(read.items["x"]) == list(dict.fromkeys(item for query, item, *_ in rows if query == "x"))
    query, item, judge, grade = zip(*rows, strict=True)
    command, python = of_both(
        read, aggregate.Preferences.from_judgments(query, item, judge, grade), structure
    )
    assert command == python


@pytest.mark.parametrize(
    ("ties", "each", "note"),
    [("half", 2.0, "count 0.5"), ("drop", 0.0, "count 0 "), ("both", 4.0, "count 1 ")],
)
def test_counts_and_ties(table, ties, each, note):
    path = table(("a", "b", "won", "n"), ("A", "B", "a", 3), ("A", "B", "tie", 4), ("B", "A", "B", "1/2"))
    read = read_pairs(path, GameColumns("won", a="a", b="b", count="n"), ties=ties)
    assert said(read)[""] == ({("A", "B"): 3 + each, ("B", "A"): 0.5 + each}, 3.5 + 2 * each)
    assert note in read.notes[0]


def test_grades_of_a_judge_are_one_label(table):
    path = table(
        ("query", "item", "judge", "grade"),
        ("1", "A", "u", 3),
        ("2", "A", "u", 1),
        ("1", "B", "u", 1),
        ("1", "A", "v", 2),
        ("1", "B", "v", 2.5),
        ("1", "C", "v", 0),
        ("1", "A", "u", 4),
        ("2", "B", "u", 1),
    )
    read = read_grades(path, "item", "judge", "grade", "query")
    one = {("A", "B"): 3, ("A", "C"): 2, ("B", "A"): 0.5, ("B", "C"): 2.5}
    assert said(read, shares=False) == {"1": (one, 2), "2": ({}, 1)}
    assert said(read) == {"1": (dict.fromkeys(one, 1.0), 2), "2": ({}, 1)}
    assert read.notes == ("grades replaced by a later one of the same judge and item: 1",)
    labels = labels_of(read, aggregate.AverageAdjacency())
    assert labels.scores[[read.items["1"][name] for name in "ABC"]].tolist() == [0.375, 0, -0.375]
    assert "in 1 query the comparisons do not connect all items" in labels.notes[0]


def test_clicks_are_those_of_sessions(table):
    rng = random.Random(2)
    rows, shown, clicked = [], [], []
    for session in range(60):
        items = rng.sample("ABCD", rng.randint(1, 4))
        click = rng.choice([None, *range(len(items))])
        shown.append(["ABCD".index(item) for item in items])
        clicked.append(click)
        rows += [(session, item, 10 + place, int(place == click)) for place, item in enumerate(items)]
    rng.shuffle(rows)
    read = read_clicks(
        table(("session", "item", "position", "hit"), *rows), "item", "session", "position", "hit"
    )
    expected = aggregate.Clicks(shown, clicked, [0] * 4).counts()
    order = [read.items[""][name] for name in "ABCD"]
    assert (read.clicks[order].tolist(), read.examined[order].tolist()) == tuple(x.tolist() for x in expected)
    assert labels_of(read, aggregate.CascadeMLE()).scores[order] == pytest.approx(expected[0] / expected[1])


def test_the_first_click_ends_a_session_and_what_was_never_examined_has_no_label(table):
    rows = [("s", "i", "p", "c"), (1, "A", 1, "yes"), (1, "B", 2, "true"), (1, "C", 3, "")]
    read = read_clicks(table(*rows), "i", "s", "p", "c")
    labels = labels_of(read, aggregate.CascadeMLE())
    assert labels.scores[0] == 1 and np.isnan(labels.scores[1:]).all()
    assert labels.notes == (
        "items without a label because they were never examined: 2",
        "clicks ignored after the first in their session: 1",
    )
    assert [weights.tolist() for _, weights in labels.pair_weights()] == [np.zeros((3, 3)).tolist()]


@pytest.mark.parametrize(
    ("rows", "read", "note"),
    [
        (("A", ""), lambda p: read_pairs(p, GAMES), "an item has no name"),
        (("A", "A"), lambda p: read_pairs(p, GAMES), "an item is compared with itself"),
        (("A",), lambda p: read_pairs(p, GAMES), "fewer than 2 cells"),
        (("A", "x"), lambda p: read_grades(p, "winner", "winner", "loser"), "the grade is not a number"),
        (("A", "nan"), lambda p: read_grades(p, "winner", "winner", "loser"), "the grade is not a number"),
        (("", "1"), lambda p: read_grades(p, "winner", "winner", "loser"), "judge or query has no name"),
        (("1", "2"), lambda p: read_clicks(p, *["winner"] * 3, "loser"), "neither 1 nor 0"),
        (("A", "1"), lambda p: read_clicks(p, *["winner"] * 3, "loser"), "the position is not a number"),
    ],
)
def test_bad_rows_are_told(table, rows, read, note):
    with pytest.raises(InputError, match=f"there are no judgments; 1 row is left out: .*{note}"):
        read(table(("winner", "loser"), rows))


def test_a_missing_query_is_a_bad_row(table):
    rows = [("q", "winner", "loser"), ("", "A", "B"), ("1", "A", "B")]
    assert read_pairs(table(*rows), GAMES, "q").notes == (
        "Warning: 50 % of the rows are left out (1 of 2)",
        "1 row is left out: a query or judge has no name (line 2)",
    )
    with pytest.raises(InputError, match="line 2: a query or judge has no name"):
        read_pairs(table(*rows), GAMES, "q", bad_rows="fail")


def test_a_query_of_too_many_items_is_refused(table, monkeypatch):
    monkeypatch.setattr(of_features, "MAX_PER_QUERY", 2)
    read = read_pairs(table(("winner", "loser"), ("A", "B"), ("C", "B")), GAMES)
    with pytest.raises(InputError, match="has 3 items; at most 2 are allowed"):
        labels_of(read, aggregate.BTLLogOdds())
    clicks = read_clicks(table(("s", "i", "p", "c"), *((1, x, 1, 1) for x in "ABC")), "i", "s", "p", "c")
    with pytest.raises(InputError, match="has 3 items; at most 2 are allowed"):
        list(labels_of(clicks, aggregate.CascadeMLE()).pair_weights())


def test_grades_whose_difference_no_float_holds_are_refused(table):
    read = read_grades(table(("i", "j", "g"), ("A", 1, 1e308), ("B", 1, -1e308)), "i", "j", "g")
    with pytest.raises(InputError, match="are too large to be added up"):
        labels_of(read, aggregate.AverageAdjacency())


def test_structures_belong_to_their_judgments(table):
    pairs = read_pairs(table(("winner", "loser"), ("A", "B")), GAMES)
    with pytest.raises(InputError, match="cascade-mle aggregates clicks"):
        labels_of(pairs, aggregate.CascadeMLE())
    clicks = read_clicks(table(("s", "i", "p", "c"), (1, "A", 1, 1)), "i", "s", "p", "c")
    with pytest.raises(InputError, match="clicks need the structure cascade-mle, got borda"):
        labels_of(clicks, aggregate.Borda())


def test_grades_by_quantiles_keep_the_order(table):
    rows = [(w, x) for k, w in enumerate("ABCDEFGH") for x in "ABCDEFGH"[k + 1 :]]
    labels = labels_of(read_pairs(table(("winner", "loser"), *rows), GAMES), aggregate.AmmarShah())
    assert labels.graded(4).tolist() == [3, 3, 2, 2, 1, 1, 0, 0]
    assert labels.graded(2).tolist() == [1, 1, 1, 1, 0, 0, 0, 0]
    with pytest.raises(InputError, match="the number of grades is 1; it must be at least 2"):
        labels.graded(1)
