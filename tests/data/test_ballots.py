"""A sample for each row of the table of layouts, and what becomes of the rows that do not fit."""

import json
from fractions import Fraction

import polars
import pytest

from consistency_lab import InputError, Reading
from consistency_lab.data.formats import LAYOUTS

HALF = Fraction(1, 2)


@pytest.fixture
def wins(wins):
    """By the first letters of the two."""
    return lambda profile: {i[0] + j[0]: x for (i, j), x in wins(profile).items()}


def lines(*rows):
    return "\n".join(map(json.dumps, rows))


PGN = """[Event "Club \\"A\\""]
[White "Ann"]
[Black "Bob"]
[Result "1-0"]

1. e4 {a move} e5 1-0

[Event "Club"]
[White "Bob"]
[Black "Cy"]
[Result "1/2-1/2"]
[Event "Club"]
[White "Ann"]
[Black "Cy"]
[Result "*"]

1. e4 *
"""
FORM = (
    "Timestamp,Email Address,Name,Rank [Ann],Rank [Bob],Rank [Cy],Comments\n"
    "11/1/2025 10:00:00,a@b.c,Pat,1st,2nd,3rd,fine\n11/1/2025 10:01:00,d@b.c,Lee,2,1,3,\n"
)
JUDGED = ("model_1 model_1", "model_1 tie", "model_2 model_2", "model_1 model_2", "error tie")
MT_BENCH = lines(
    *(
        {"model_1": "Ann", "model_2": "Bob"} | {"g1_winner": first, "g2_winner": second}
        for first, second in map(str.split, JUDGED)
    )
)


def rated(*scores):
    named = zip(("Ann", "Bob", "Cy"), scores, strict=False)
    return {"instruction": "?", "completions": [{"model": one, "overall_score": x} for one, x in named]}


def liked(*rows):
    return lines(*(dict(zip(("prompt", "completion", "label"), row, strict=True)) for row in rows))


SAMPLES = {
    "2 qid:1 1:0.5": ("t.txt", "2 qid:1 1:0.5\n0 qid:1 1:0.25\n", "LETOR or SVMlight .* one judge's grades"),
    "301 0 FT911-3 1": ("t.txt", "7 0 d-1 2\n7 0 d-2 0\n", "a qrels file of TREC .* one judge's grades"),
    "query, document, position, clicked": (
        "t.csv",
        "query,doc,position,clicked\nq,a,1,0\nq,b,2,1\n",
        r"clicks, which depend on the positions \(position bias\)",
    ),
    '[White "Ann"]': ("t.pgn", PGN, {"AB": 1, "BC": HALF, "CB": HALF}),
    "winner, loser; chosen, rejected; model_a, model_b, winner; white, black, result": (
        "t.csv",
        "winner,loser\nAnn,Bob\n",
        {"AB": 1},
    ),
    "model_a, model_b, winner_model_a, winner_model_b, winner_tie": (
        "t.csv",
        "model_a,model_b,winner_model_a,winner_model_b,winner_tie\nAnn,Bob,1,0,0\nAnn,Bob,0,0,1\n",
        {"AB": 1 + HALF, "BA": HALF},
    ),
    "model_1, model_2, g1_winner, g2_winner": ("t.jsonl", MT_BENCH, {"AB": 2, "BA": 2}),
    "home, away, home_goals, away_goals": (
        "t.csv",
        "home,away,home_goals,away_goals\nAnn,Bob,2,1\nBob,Ann,0,0\nBob,Ann,10,9\nAnn,Bob,,\n",
        {"AB": 1 + HALF, "BA": 1 + HALF},
    ),
    "player, opponent, result": (
        "t.csv",
        "Player,Opponent,Result\nAnn,Bob,1\nBob,Ann,0\nAnn,Bob,0.5\nBob,Ann,Win\nAnn,Bob,2\n",
        {"AB": 2 + HALF, "BA": 1 + HALF},
    ),
    '"completions": [{"model": "A", "overall_score": 7}, ...]': (
        "t.jsonl",
        lines(rated(4, 3, "2.5"), rated(1, 10), rated("N/A", 1), {"completions": None}),
        {"AB": 1, "AC": 1, "BC": 1, "BA": 1},
    ),
    "prompt, completion, label": (
        "t.jsonl",
        liked(("p", "Ann", True), ("p", "Bob", False), ("q", "Bob", True), ("q", "Ann", True)),
        {"AB": 1},
    ),
    "names in the first line and the first column": (
        "t.csv",
        ",Ann,Bob\nAnn,0,3\nBob,1,0\n",
        {"AB": 3, "BA": 1},
    ),
    "A > B = C; 3: A > B": ("t.txt", "2: Ann > Bob = Cy\n", {"AB": 2, "AC": 2}),
    "rank1, rank2; choice 1, choice 2; 1st choice, 2nd choice": (
        "t.csv",
        "rank1,rank2,rank3\nAnn,Bob,Cy\nBob,skipped,Ann\nCy,overvote,Ann\nAnn,,\nskipped,,\n",
        {"AB": 2, "AC": 3, "BC": 2, "BA": 1, "CA": 1, "CB": 1},
    ),
    "Ann:1, Ann:2": (
        "t.csv",
        "Cvr,X:Board:Ann:1,Ann:2,Bob:1,Bob:2\n1,1,0,0,1\n2,0,0,0,1\n3,1,0,1,0\n4,1,1,0,0\n5,?,0,0,0\n",
        {"AB": 2, "BA": 1},
    ),
    "Timestamp, Name, one column for each item": ("t.csv", FORM, {"AB": 1, "BA": 1, "AC": 2, "BC": 2}),
    "A,B,3": ("t.csv", "Ann,Bob,3\n", {"AB": 3}),
}


def test_each_layout_has_a_sample():
    assert list(SAMPLES) == [layout.like for layout in LAYOUTS]


#: Those of one layout in other clothes.
OTHERS = [
    ("t.csv", "rank1,rank2\nAnn,Bob\nCy,overvote\n", {"AB": 1, "AC": 1, "BC": 1, "CA": 1, "CB": 1}),
    ("t.csv", "Ann,Bob,Cy\n3,1,2\n1,2,3\n3,2,1\n", {"BC": 2, "BA": 2, "CA": 2, "AB": 1, "AC": 1, "CB": 1}),
    ("t.csv", "A,B\nA,0,2\nB,1,0\n", {"AB": 2, "BA": 1}),  # a matrix without a corner
    ("t.csv", "1,2,5\n2,1,3\n", {"12": 5, "21": 3}),  # no matrix, but two items and a count
    ("t.csv", "prompt,completion,label\np,A,True\np,B,False\nq,A,true\nq,C,false\n", {"AB": 1, "AC": 1}),
    ("t.json", json.dumps([rated(4.5, 3.25), rated(1.0, 2.0)], indent=1), {"AB": 1, "BA": 1}),
    ("t.csv", "home,away,home_goals,away_goals\na,model_a,0,1\n", {"ma": 1}),
    ("t.csv", "voter,A,B\nx,999,3\ny,4,5\n", "has no columns winner and loser"),
    ("t.csv", "voter,A,B\nx,4,3\ny,much,5\n", "has no columns winner and loser"),
    ("t.csv", "Name,J1,J2\nAnn,7,8\nBob,5,9\n", "has no columns winner and loser"),  # judges in columns
    (
        "t.csv",
        "Country,J1,J2,J3\nA,1,2,3\nB,2,3,1\nC,3,1,2\n",
        "has no columns winner and loser",
    ),  # both rank
    ("t.csv", "Timestamp,A,B\n2024-01-01,20,21\n2024-01-02,22,21\n", "has no columns winner and loser"),
    ("t.csv", "choice1,choice2,choice3\n1,3,2\n2,1,3\n", "may be items or ranks; write the names of the"),
    ("t.csv", "A 1st choice,A 2nd choice,B 1st choice,B 2nd choice\nx,y,z,u\n", "2 contests, 'a', 'b'; keep"),
    ("t.csv", "M:A:1,M:A:2,M:B:1,M:B:2,N:C:1,N:C:2\n1,0,0,1,1,0\n", "ballots of 2 contests, 'M', 'N'"),
    ("t.csv", "question,choice1,choice2,answer\n?,cat,dog,cat\n!,dog,cow,cow\n", "has no columns winner and"),
    ("t.csv", "question,choice1,choice2,choice3\n?,a,b,c\n!,d,e,f\n", "has no columns winner and loser"),
    ("t.csv", "rank1,rank2\nskipped,\n,overvote\n", "there are no ballots; 2 rows are left out: it ranks no"),
]


@pytest.mark.parametrize(("name", "text", "expected"), [*SAMPLES.values(), *OTHERS])
def test_a_sample_is_read_or_refused_with_the_reason(read, wins, name, text, expected):
    if isinstance(expected, str):
        with pytest.raises(InputError, match=expected):
            read(text, name)
    else:
        assert wins(read(text, name)) == expected


@pytest.mark.parametrize(
    ("like", "said"),
    [
        ('[White "Ann"]', ["1 row is left out: the winner is missing (line 12)"]),
        (
            "model_1, model_2, g1_winner, g2_winner",
            [
                "a model wins where both judgments name it; where they differ, it is a tie",
                "ties counted as half a win for each: 2",
                "1 row is left out: the winner is missing (line 5)",
            ],
        ),
        ("home, away, home_goals, away_goals", ["1 row is left out: the winner is missing (line 5)"]),
        (
            '"completions": [{"model": "A", "overall_score": 7}, ...]',
            [
                "1 row is left out: a completion has no 'model', or no number 'overall_score' (line 3)",
                "1 row is left out: it has no list 'completions' (line 4)",
                "by the 'overall_score'",
            ],
        ),
        (
            "prompt, completion, label",
            ["each label judges one completion alone", "1 of 2 prompts compare nothing"],
        ),
        (
            "rank1, rank2; choice 1, choice 2; 1st choice, 2nd choice",
            [
                "1 ballot with an overvote: what stands there and below is not counted",
                "1 ballot with a skipped rank: the next items move up",
                "1 row is left out: it ranks no item (line 6)",
            ],
        ),
        (
            "Ann:1, Ann:2",
            [
                "1 ballot with an item at two ranks: the higher one counts",
                "columns not read: Cvr",
                "1 row is left out: it ranks no item (line 4)",
                "1 row is left out: a mark is '?', neither 0 nor 1 (line 6)",
            ],
        ),
        (
            "Timestamp, Name, one column for each item",
            ["ranks, 1 the best; columns not read: Timestamp, Email Address, Name, Comments"],
        ),
    ],
)
def test_what_is_not_counted_is_said(read, like, said):
    name, text, _ = SAMPLES[like]
    notes = "\n".join(read(text, name).notes)
    assert [one for one in said if one not in notes] == []


HEADS = [
    "Choice 1,Choice 2,Choice 3",
    "First Choice,Second Choice,Third Choice",
    "Mayor 1st Choice W2,Mayor 2nd Choice W2,Mayor 3rd Choice W2",
    "Vote [1st choice],Vote [2nd choice],Vote [3rd choice]",
]


@pytest.mark.parametrize("head", HEADS)
def test_ranks_in_columns_by_many_names(read, wins, head):
    found = read(f"Precinct,{head},count\n7,Ann,Bob,Cy,2\n7,Bob,undervote,Ann,1\n")
    assert wins(found) == {"AB": 2, "AC": 3, "BC": 3, "BA": 1}
    assert "columns not read: Precinct" in found.notes[0] and "count" not in found.notes[0]


@pytest.mark.parametrize(
    ("scale", "head"),
    [((0, 50, 100), "Respondent,{}"), ((-2, 0, 2), "age,voter,{}"), ((1, 3, 5), "Timestamp,Name,{}")],
)
def test_ratings_of_any_scale(read, wins, scale, head):
    low, middle, high = scale
    others = head.count(",") - 1
    rows = [("x," * (others + 1)) + cells for cells in (f"{high},{middle},{low}", f"{low},{low},{high}")]
    rows = [row.replace("x,", "31,", 1) for row in rows] if head.startswith("age") else rows
    found = read("\n".join([head.format("Ann,Bob,Cy"), *rows]))
    assert wins(found) == {"AB": 1, "AC": 1, "BC": 1, "CA": 1, "CB": 1}
    assert "ratings, larger is better; columns not read" in found.notes[0]
    long = "user,item,rating\n" + "".join(f"u,{one},{x}\n" for one, x in zip("ABC", scale, strict=True))
    assert wins(read(long, "u.csv")) == {"CB": 1, "CA": 1, "BA": 1}


def test_no_late_row_leaves_the_scale(read):
    rows = "x,4,3\n" * 25
    with pytest.raises(InputError, match=r"line 27: the number of B: it is '-99'; .* rate them from 0 to 10"):
        read(f"voter,A,B\n{rows}y,4,-99\n")
    ranked, rated = "x,1,2,3\n" * 20, "x,3,3,1\n" * 30
    with pytest.raises(InputError, match="the first rows rank the items from 1, but most rows do not"):
        read(f"voter,A,B,C\n{ranked}{rated}")


def test_numbers_of_rows_are_no_item(read):
    found = read("Nr,voter,Ann,Bob\n1,x,5,4\n2,y,3,3\n3,z,2,4\n")
    assert found.items == ("Ann", "Bob") and "columns not read: Nr, voter" in found.notes[0]


@pytest.mark.parametrize("name", ["A\x1b[2J", "A" * 1_001])
def test_names_that_cannot_be_printed(read, name):
    rows = lines({"instruction": "?", "completions": [{"model": one, "score": 1} for one in (name, "B")]})
    with pytest.raises(InputError, match="there are no ratings; 1 row is left out: a cell has"):
        read(rows, "t.jsonl")


def test_rows_that_are_left_out_are_warned_of_or_refused(read):
    found = read("rank1,rank2\nAnn,Bob\nBob,Ann\nAnn\n")
    assert found.notes[0].startswith("Warning: 33.3 % of the rows are left out (1 of 3)")
    text = SAMPLES["rank1, rank2; choice 1, choice 2; 1st choice, 2nd choice"][1]
    with pytest.raises(InputError, match=r"t.csv, line 6: it ranks no item"):
        read(text, bad_rows="fail")


def test_what_liked_completions_tell(read, wins, tmp_path):
    apart = liked(("p", "x", True), ("p", "y", False), ("q", "z", True), ("q", "u", "false"))
    with pytest.raises(InputError, match=r"stands under one prompt, .* an order that no loss contradicts"):
        read(apart, "t.jsonl")
    with pytest.raises(InputError, match="nothing is compared; such rows say whether an answer is good"):
        read(liked(("p", "x", True), ("q", "y", False)), "t.jsonl")
    with pytest.raises(InputError, match="there are no labels; 1 row is left out: the prompt or the"):
        read(liked(("p", "", True)), "t.jsonl")
    path = tmp_path / "t.parquet"
    polars.DataFrame([rated(4.5, 3.25), rated(1.0, 2.0)]).write_parquet(path)
    assert wins(next(Reading().profiles(path))) == {"AB": 1, "BA": 1}
    columns = {"prompt": list("ppqq"), "completion": list("ABAC"), "label": [True, False, True, False]}
    polars.DataFrame(columns).write_parquet(path)
    assert wins(next(Reading().profiles(path))) == {"AB": 1, "AC": 1}
    shares = liked(("p", "A", True), ("p", "A", False), ("p", "B", True), ("q", "A", 1), ("q", "B", 0))
    assert wins(read(shares, "t.jsonl")) == {"BA": 1, "AB": 1}


def test_chess_of_another_coding(tmp_path):
    (tmp_path / "t.pgn").write_bytes(PGN.replace("Bob", "Bj\xf6rn").encode("latin-1"))
    with pytest.raises(InputError, match=r"t.pgn is not UTF-8; save it in UTF-8"):
        list(Reading().profiles(tmp_path / "t.pgn"))


def test_what_is_left_out_is_counted_in_the_notes_and_in_left_alike(read):
    for name, text, expected in SAMPLES.values():
        if not isinstance(expected, str):
            profile = read(text, name)
            told = sum("left out: " in note for note in profile.notes)
            assert told == sum(len(left.why) for left in profile.contents.left)
