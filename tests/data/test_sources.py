"""Files that tell all of themselves: games by their head, matrices, categories; and what is refused."""

import io
import shlex
import sys
from fractions import Fraction

import pytest

from consistency_lab.cli.running import run
from consistency_lab.data.games import GameColumns
from consistency_lab.data.profile import JudgmentColumns, Profile, RatingColumns, Reading, read_profile

CATEGORIES = (
    "# DATA TYPE: cat\n# NUMBER ALTERNATIVES: 3\n# NUMBER VOTERS: 4\n# NUMBER UNIQUE PREFERENCES: 3\n"
    "# NUMBER CATEGORIES: 3\n# CATEGORY NAME 1: Yes\n# CATEGORY NAME 2: Maybe\n# CATEGORY NAME 3: No\n"
    '# ALTERNATIVE NAME 1: Ann\n# ALTERNATIVE NAME 2: "Lee, Sue"\n# ALTERNATIVE NAME 3: R ""Bob"" Jones\n'
)
BALLOTS = "2: 1,{},{2,3}\n1: {},{1,2,3},{}\n1: {2},{ 3 }, 1\n"


def test_categories_become_weak_orders(write, read):
    profile = read_profile(write("votes.cat", CATEGORIES + BALLOTS))
    assert profile.items == ("Ann", "Lee, Sue", 'R "Bob" Jones')
    assert [[int(x) for x in row] for row in profile.wins] == [[0, 2, 2], [1, 0, 1], [1, 0, 0]]
    assert profile.notes[0] == "categories are read as an order: Yes above Maybe above No"
    assert profile.voters == 4


@pytest.mark.parametrize("mark", [",", ";", "\t"])
@pytest.mark.parametrize("corner", ["", "item"])
def test_a_square_matrix_with_names(write, wins, mark, corner):
    jr = '"C, Jr."'
    rows = [[corner, "A", "B", jr], ["A", "0", "2.5", ""], ["B", "1/2", "-", "3"], [jr, "4", "0", ""]]
    path = write("wins.csv", "\n".join(mark.join(row) for row in rows) + "\n")
    found = wins(read_profile(path))
    expected = {"AB": Fraction(5, 2), "BA": Fraction(1, 2), "BC": 3, "CA": 4}
    assert {x[0] + y[0]: n for (x, y), n in found.items()} == expected


def test_counts_may_be_halves_and_bad_rows_are_told(write, refusal, wins):
    path = write("games.csv", "winner,loser,count\nA,B,2.5\nB,A,many\nB,A,1\n")
    (profile,) = Reading().profiles(path)
    assert wins(profile) == {("A", "B"): Fraction(5, 2), ("B", "A"): 1}
    assert "line 3" in profile.notes[1]
    assert "games.csv, line 3: the count" in refusal(path, bad_rows="fail")


@pytest.mark.parametrize(
    ("name", "line"), [("train.csv", "2 qid:1 1:0.5 2:1\n"), ("train.dat", "-1 1:0.43 3:0.12\n")]
)
def test_one_label_a_document_is_refused_with_the_reason(write, refusal, name, line):
    found = refusal(write(name, line * 3))
    assert "line 1: this is a LETOR or SVMlight file with one label per document" in found
    assert "several judges" in found


@pytest.mark.parametrize("text", ["2 qid:1 1:0.5 2:1\n", "301 0 FT911-3 1\n"])
def test_the_refusal_of_one_judge_ends_with_a_command_that_runs(write, refusal, capsys, text):
    found = refusal(write("train.txt", text))
    program, *line = shlex.split(found.rpartition(": ")[2])
    asked = ["recommend", "--target", "ndcg", "--library", "lightgbm"]
    assert (program, line) == ("consistency-lab", asked)
    assert run(line) == 0 and "NDCG" in capsys.readouterr().out


@pytest.mark.parametrize("head", ["query,session,document,rank,click", "Query ID,Session id,Doc,Pos,Clicks"])
def test_the_refusal_of_clicks_ends_with_a_command_that_makes_labels(write, refusal, capsys, head):
    rows = ["q,1,a,1,1", "q,1,b,2,0", "q,2,a,1,0", "q,2,b,2,1"]
    path = write("my clicks.csv", "\n".join([head, *rows]) + "\n")
    program, *line = shlex.split(refusal(path).rpartition(": ")[2])
    assert program == "consistency-lab" and str(path) in line
    assert run(line) == 0
    assert capsys.readouterr().out.splitlines() == ["query,item,label", "q,a,0.5", "q,b,1"]


def test_a_column_of_clicks_that_is_not_recognized_is_left_to_fill_in(write, refusal):
    found = refusal(write("clicks.csv", "page,what,rank,click\nq,a,1,0\n"))
    assert "--item COLUMN --session COLUMN --position rank --clicked click --structure" in found


def test_standard_input_tells_its_columns_or_is_told(refusal, wins, monkeypatch):
    def given(text):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(text.encode()))))

    given("w,l\nA,B\n")
    assert wins(next(Reading(GameColumns("w", loser="l")).profiles("-"))) == {("A", "B"): 1}
    given("w,l\nA,B\n")
    said = refusal("-")
    assert said.startswith("standard input, line 1: 'w,l' has no columns") and "its columns are w, l" in said


@pytest.mark.parametrize(
    "text",
    ["A > B > C\nB > A > C\n", "voter,A,B,C\n1,5,3,2\n", ",A,B\nA,0,1\nB,2,0\n", "winner,loser\nA,B\n"],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_standard_input_is_what_a_file_is(wins, tmp_path, monkeypatch, text, encoding):
    path = tmp_path / "table.csv"
    path.write_text(text, encoding)
    stream = io.TextIOWrapper(io.BufferedReader(io.BytesIO(path.read_bytes())))
    monkeypatch.setattr(sys, "stdin", stream)
    assert wins(next(Reading().profiles("-"))) == wins(next(Reading().profiles(path)))


def test_the_most_compared_of_many_items(write, refusal):
    """1,000 players are never compared in a table of a million pairs."""
    games = "".join(f"P{i},P{i + 1}\n" for i in range(1000)) + "P7,P500\n" * 3
    path = write("games.csv", "winner,loser\n" + games)
    assert "there are 1001 items; at most 1000 are supported" in refusal(path)
    (profile,) = Reading(top=2).profiles(path)
    assert profile.items == ("P7", "P500")
    assert profile.notes[0].startswith("2 of 1001 items are kept")


def test_the_most_compared_of_ballots_are_those_of_their_wins():
    profile = Profile.from_rankings([["A", "B"], ["B", "C", "A"], ["D", "B"]])
    compared = [sum(row) + sum(line[i] for line in profile.wins) for i, row in enumerate(profile.wins)]
    assert profile.contents.compared("last") == compared


def test_ratings_and_judgments_by_their_columns(write):
    path = write("r.csv", "u,i,r\n1,x,5\n1,y,3\n2,x,1\n2,y,4\n3,z,1\n3,x,2\n")
    (profile,) = Reading(RatingColumns("u", "i", "r"), top=2).profiles(path)
    assert profile.items == ("x", "y")
    assert profile.notes[0] == "2 of 3 items are kept; preferences about the others are ignored"
    rows = [f"{q},{d},{j},{(q + d * j) % 3}\n" for q in (1, 2) for d in (1, 2) for j in (1, 2)]
    path = write("j.csv", "q,d,j,g\n" + "".join(rows))
    found = list(Reading(JudgmentColumns("q", "d", "j", "g")).profiles(path))
    assert [profile.title for profile in found] == ["1", "2"]


def test_queries_that_cannot_be_audited_are_counted(write, refusal):
    """One has one judge, one has one item, and two have more items than are treated."""
    rows = [f"{q},{d},{j},{d * j % 7}" for q in range(96) for d in (1, 2) for j in (1, 2)]
    rows += ["one judge,a,X,1", "one judge,b,X,2", "one item,a,X,1", "one item,a,Y,2"]
    rows += [f"big {n},{d},{j},{d}" for n in (1, 2) for d in range(1001 + n) for j in (1, 2)]
    path = write("j.csv", "q,d,j,g\n" + "\n".join(rows) + "\n")
    columns = JudgmentColumns("q", "d", "j", "g")
    found = list(Reading(columns).profiles(path))
    assert len(found) == 96
    (left,) = found[0].contents.left
    assert (left.what, left.count, left.of) == ("queries", 4, 100)
    assert [note.partition(";")[0] for note in left.why] == [
        "2 queries are left out: there are too many items",
        "1 query is left out: one judge's grades are an order, which no loss contradicts",
        "1 query is left out: it has only one item (query one item)",
    ]
    assert set(left.why) <= set(found[0].notes)
    assert len(list(Reading(columns, top=300).profiles(path))) == 98
    few = write("few.csv", "q,d,j,g\n1,a,X,1\n1,a,Y,1\n2,a,X,1\n2,b,X,1\n")
    assert (
        "few.csv: no query can be audited; 1 query is left out: it has only one item (query 1); 1 query is"
        in refusal(few, columns=columns)
    )


def test_rows_that_are_bad_in_many_ways_are_told_in_few_sentences(write):
    path = write("games.csv", "winner,loser,count\nA,B,1\n" + "".join(f"A,B,x{n}\n" for n in range(99)))
    (profile,) = Reading().profiles(path)
    told = [note for note in profile.notes if "left out" in note]
    assert len(told) == 12
    assert told[0] == "Warning: 99 % of the rows are left out (99 of 100)"
    assert told[-1] == "89 rows are left out for other reasons"


def test_who_did_not_rate_an_item_has_said_nothing_of_it(write, wins):
    """Two of three have seen x only, so nobody but the third prefers anything."""
    path = write("r.csv", "u,i,r\n1,x,1\n2,x,1\n3,x,1\n3,y,5\n")
    columns = RatingColumns("u", "i", "r")
    (profile,) = Reading(columns).profiles(path)
    assert wins(profile) == {("y", "x"): 1}
    (profile,) = Reading(columns, unranked="last").profiles(path)
    assert wins(profile) == {("y", "x"): 1, ("x", "y"): 2}
