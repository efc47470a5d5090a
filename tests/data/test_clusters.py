"""Games that depend on each other: which column says so, and what is drawn together."""

import json

import pytest

from consistency_lab import Profile, Reading
from consistency_lab.data.games import GameColumns
from consistency_lab.data.rows import PairCounts


def _games(tmp_path, text, name="games.csv", **options):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    (profile,) = Reading(**options).profiles(path)
    assert isinstance(profile.contents, PairCounts)
    return profile.contents


ROWS = ("A,B,j,{},1", "B,A,k,{},2", "A,C,j,{},3", "C,A,k,{},4")


def _of(found):
    assert found.clusters is not None
    return tuple(tuple(one.tolist()) for one in found.clusters)


@pytest.mark.parametrize(
    "name",
    [
        *("judge", "user", "voter", "annotator", "rater", "worker", "session", "Question ID"),
        *("userId", "annotator-name", "evaluation_session_id"),
    ],
)
def test_games_are_clustered_by_a_column_that_says_who_judged(tmp_path, name):
    """Two clusters; a column of this kind that tells all rows apart, or none, groups nothing."""
    rows = "\n".join(row.format("same") for row in ROWS)
    found = _games(tmp_path, f"winner,loser,{name},rater_name,labeler\n{rows}\n")
    assert found.by == name and found.grouped == f"in 2 clusters by {name}"
    assert _of(found) == ((0, 1, 0, 1), ())
    assert any(f"games of one {name} are drawn together; --cluster none" in note for note in found.said)
    named = GameColumns("winner", "loser")
    assert _games(tmp_path, f"winner,loser,{name},x,y\n{rows}\n", columns=named).by == name
    alone = GameColumns("winner", "loser", cluster="none")
    assert _games(tmp_path, f"winner,loser,{name},x,y\n{rows}\n", columns=alone).clusters is None
    (told,) = {_games(tmp_path, f"winner,loser,{one},x,y\n{rows}\n").by for one in ("users", "judgement")}
    assert told is None


def test_who_judged_goes_before_what_was_judged_and_the_others_are_named(tmp_path):
    text = "question_id,winner,loser,user,judge\n1,A,B,u,j\n1,B,A,u,k\n2,A,C,v,j\n2,C,A,v,k\n"
    found = _games(tmp_path, text)
    assert found.by == "judge" and _of(found) == ((0, 1, 0, 1), ())
    (said,) = [note for note in found.said if "drawn together" in note]
    assert said.endswith(
        "; --cluster user would group them by that; --cluster question_id would group them by that"
    )
    chosen = _games(tmp_path, text, columns=GameColumns("winner", "loser", cluster="user"))
    assert chosen.by == "user" and _of(chosen) == ((0, 0, 1, 1), ())


def test_no_row_is_lost_for_a_cluster_that_nobody_asked_for(tmp_path):
    """A missing judge stands alone; a user is a message with line breaks, or a list."""
    found = _games(tmp_path, "winner,loser,judge\nA,B,j\nB,A,\nA,C,\nC,A,j\n")
    assert _of(found) == ((0, 1, 2, 0), ()) and found.left == ()
    text = 'winner,loser,user\nA,B,"Hello\nthere"\nB,A,"Hello\nthere"\nA,C,x\n'
    assert _of(_games(tmp_path, text)) == ((0, 0, 1), ())
    lines = [("A", "B", "j"), ("B", "A", ["x", "y"]), ("A", "C", "j"), ("C", "A", None)]
    rows = "".join(
        json.dumps({"winner": winner, "loser": loser, "judge": judge}) + "\n"
        for winner, loser, judge in lines
    )
    found = _games(tmp_path, rows, "games.jsonl")
    assert _of(found) == ((0, 1, 0, 2), ()) and found.left == ()


def test_a_data_frame_is_clustered_too():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"w": ["A", "B", "A"], "l": ["B", "A", "C"], "judge_id": [1, 1, 2]})
    found = Profile.from_pandas(frame, winner="w", loser="l").contents
    assert isinstance(found, PairCounts) and _of(found) == ((0, 0, 1), ())
    alone = Profile.from_pandas(frame, winner="w", loser="l", cluster="none").contents
    assert isinstance(alone, PairCounts) and alone.clusters is None
