"""Tables of games, ratings and judgments, in every form that is read."""

import json
from fractions import Fraction

import numpy as np
import polars
import pyarrow
import pytest
from pyarrow.parquet import write_table

from consistency_lab.data.games import GameColumns, read_games, read_queries, read_ratings
from consistency_lab.data.profile import Profile
from consistency_lab.data.rows import numbered
from consistency_lab.errors import InputError

BATTLES = GameColumns("winner", a="left", b="right")
GAMES = GameColumns("winner", loser="loser")


def _wins(found):
    wins, items = Profile.of(found).wins, found.items
    return {(items[i], items[j]): x for i, row in enumerate(wins) for j, x in enumerate(row) if x}


LINES = "id,left,right,winner\n0,A,B,left\n1,A,B,right\n2,B,A,B\n3,A,C,tie\n"


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_columns_are_named_and_others_are_passed_over(write, mark):
    found = read_games(write("table.csv", LINES.replace(",", mark)), BATTLES)
    half = Fraction(1, 2)
    assert _wins(found) == {("A", "B"): 1, ("B", "A"): 2, ("A", "C"): half, ("C", "A"): half}
    assert found.said == ("ties counted as half a win for each: 1",)


@pytest.mark.parametrize(("ties", "wins"), [("drop", None), ("both", 1), ("half", Fraction(1, 2))])
def test_ties(write, ties, wins):
    assert _wins(read_games(write("table.csv", LINES), BATTLES, ties=ties)).get(("C", "A")) == wins


def test_parquet(tmp_path):
    path = tmp_path / "games.parquet"
    write_table(pyarrow.table({"loser": ["B", None], "winner": ["A", "A"], "other": [1, 2]}), path)
    found = read_games(path, GAMES)
    assert _wins(found) == {("A", "B"): 1}
    assert found.said[1:] == ("1 row is left out: an item has no name (line 2)",)
    assert [(one.what, one.count, one.of) for one in found.left] == [("rows", 1, 2)]


def test_one_name_of_megabytes_in_many_rows_is_one_text_and_no_name(tmp_path):
    """A file of a few kilobytes, which would take 5 GB if each row had a copy."""
    names = pyarrow.DictionaryArray.from_arrays(pyarrow.array([0] + 999 * [1]), ["A", 5_000_000 * "x"])
    write_table(pyarrow.table({"winner": names, "loser": 1000 * ["B"]}), tmp_path / "games.parquet")
    found = read_games(tmp_path / "games.parquet", GAMES)
    assert _wins(found) == {("A", "B"): 1}
    assert found.said[1] == ("999 rows are left out: a cell has more than 1,000 characters (first: line 2)")


@pytest.mark.parametrize("winner", [[b"A", b"B"], [["A"], ["B"]], [{"a": 1}, {"a": 2}]])
def test_bytes_and_lists_are_no_names(tmp_path, winner):
    write_table(pyarrow.table({"winner": winner, "loser": ["B", "A"]}), tmp_path / "games.parquet")
    with pytest.raises(InputError, match=r"its column 'winner' contains .*; names must be strings"):
        read_games(tmp_path / "games.parquet", GAMES)


def test_not_a_number_is_no_name(tmp_path):
    write_table(pyarrow.table({"winner": [1.5, float("nan")], "loser": ["B", "A"]}), tmp_path / "g.parquet")
    found = read_games(tmp_path / "g.parquet", GAMES)
    assert (_wins(found), found.said[1][-8:]) == ({("1.5", "B"): 1}, "(line 2)")


def test_a_panic_of_polars_is_a_damaged_file(tmp_path, monkeypatch):
    """Its exception is none to Python: whoever catches `Exception` does not catch it."""
    write_table(pyarrow.table({"winner": ["A"], "loser": ["B"]}), tmp_path / "games.parquet")

    def panic(*_):
        raise polars.exceptions.PanicException("called `Option::unwrap()`\non a `None` value")

    monkeypatch.setattr(polars, "scan_parquet", panic)
    with pytest.raises(InputError, match=r"is a damaged Parquet file: called `Option::unwrap\(\)`$"):
        read_games(tmp_path / "games.parquet", GAMES)


@pytest.mark.parametrize(
    ("name", "count"), [("games.csv", "Count"), ("games.jsonl", "count"), ("games.parquet", "Count")]
)
def test_a_column_called_count_counts_though_it_is_not_named(write, tmp_path, name, count):
    rows = [{"winner": "A", "loser": "B", count: 3}, {"winner": "B", "loser": "A", count: 2}]
    if name.endswith("csv"):
        path = write("table.csv", "Count,winner,loser\n3,A,B\n2,B,A\n")
    elif name.endswith("jsonl"):
        once = {"winner": "B", "loser": "A"}
        path = write(name, "\n".join(map(json.dumps, [rows[0], once, once])))
    else:
        path = tmp_path / name
        write_table(pyarrow.Table.from_pylist(rows), path)
    found = read_games(path, GAMES)
    assert _wins(found) == {("A", "B"): 3, ("B", "A"): 2}
    assert found.said == ("each row counts as often as its column count says",)


@pytest.mark.parametrize("name", ["None", "Tiengen 07", "Drawsko", "Bothwell", "Equality"])
def test_names_that_begin_like_a_tie_are_names(write, name):
    for word in ("tie", "Draw", "both bad", "tie (bothbad)", "tie (both bad)", "neither"):
        found = read_games(write("table.csv", f"left,right,winner\nA,B,{word}\n"), BATTLES)
        assert found.ties.listed == [(0, 1, 1)]
    found = read_games(write("table.csv", f"left,right,winner\nA,B,{name}\nA,B,left\n"), BATTLES)
    assert (found.ties.listed, found.left[0].count) == ([], 1)
    assert f"the winner, such as {name!r}, is neither player nor a tie (line 2)" in found.said[1]


def test_bad_rows_are_told_or_refused(write, tmp_path):
    text = "winner,loser,n\nA,B,1\nA,A,1\nA,,1\nA\nB,A,many\nB,A,1/2\nB,A,-3\n"
    columns = GameColumns("winner", loser="loser", count="n")
    found = read_games(write("table.csv", text), columns)
    assert _wins(found) == {("A", "B"): 1, ("B", "A"): Fraction(1, 2)}
    assert any("compared with itself (line 3)" in note for note in found.said)
    assert any("fewer than 3 cells (line 5)" in note for note in found.said)
    assert any("line 6" in note and "many" in note for note in found.said)
    with pytest.raises(InputError, match=r"table.csv, line 3: an item is compared with itself"):
        read_games(tmp_path / "table.csv", columns, bad_rows="fail")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"),
        ("winner,other\nA,B\n", "has no column 'loser'; its columns are winner, other"),
        ('{"winner": 1}\n', "there are no games"),
        ('{"one": 1}\n', "has no column 'winner'"),
        (b"winner,loser\nA,\xff\n", "is not UTF-8"),
        ("winner,loser\nA,A\n", "there are no games"),
        ("winner,winner,loser\nA,B,C\n", "more than one column 'winner'"),
        (b"PAR1 and no more", "damaged Parquet"),
    ],
)
def test_what_cannot_be_read_is_refused_in_a_sentence(write, text, said):
    with pytest.raises(InputError, match=said):
        read_games(write("table.csv", text), GAMES)


RATINGS = "userId,movieId,rating\n1,x,4.5\n1,y,3\n2,x,3\n2,y,3\n3,z,1\n3,x,0.5\n1,y,4.50\n4,x,good\n"


def test_ratings_become_weak_orders(write):
    found = read_ratings(write("table.csv", RATINGS), "userId", "movieId", "rating")
    assert found.items == ("x", "y", "z")
    assert set(found.ballots) == {(2, ((0, 1),)), (1, ((2,), (0,)))}
    assert found.said[0].startswith("grades replaced by a later one")
    assert "the grade is not a number (line 9)" in found.said[2]
    assert read_ratings(write("table.csv", RATINGS), "userId", "movieId", "rating", top=2).items == ("x", "y")


JUDGED = "q,d,j,g\n1,a,X,2\n1,b,X,0\n1,a,Y,1\n1,b,Y,1\n2,a,X,1\n"


def test_judgments_are_a_profile_a_query(write):
    found = read_queries(write("table.csv", JUDGED), "q", "d", "j", "g")
    assert set(found["1"].ballots) == {(1, ((0,), (1,))), (1, ((0, 1),))}
    assert "several judges are needed" in found["2"]


def test_what_many_rows_of_parquet_share_or_lack(tmp_path):
    names = pyarrow.array(["A", None, "B", " A", "A"]).dictionary_encode()
    table = pyarrow.table({"winner": names, "loser": ["B", "A", None, "B", "C"], "count": [1, 1, 1, 2, 5]})
    write_table(table, tmp_path / "g.parquet")
    found = read_games(tmp_path / "g.parquet", GAMES)
    assert _wins(found) == {("A", "B"): 3, ("A", "C"): 5}
    assert "2 rows are left out: an item has no name (first: line 2)" in found.said


def test_columns_must_belong_together():
    with pytest.raises(InputError, match="give both"):
        GameColumns("winner", a="a")
    with pytest.raises(InputError, match="winner and loser"):
        GameColumns("winner")


@pytest.mark.parametrize("size", [50, 1 << 22, 1 << 40, 1 << 62])
def test_keys_are_numbered_in_the_order_in_which_they_appear(size):
    kinds = np.random.default_rng(0).integers(0, size, 400)
    keys = np.random.default_rng(1).choice(kinds, 3000)
    order = list(dict.fromkeys(keys.tolist()))
    wanted = [order.index(key) for key in keys.tolist()]
    numbers, first = numbered(keys.copy(), size)
    assert numbers.tolist() == wanted
    assert first.tolist() == [wanted.index(k) for k in range(len(order))]
