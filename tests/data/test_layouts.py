"""Tables as arenas, competitions, federations and surveys write them are recognized without options."""

import csv
import json
from fractions import Fraction
from io import StringIO

import pandas
import pyarrow
import pyarrow.parquet
import pytest

from consistency_lab import InputError, Reading, read_profile
from consistency_lab.cli.running import run
from consistency_lab.data import tables
from consistency_lab.data.formats import answers_to_prompts
from consistency_lab.data.profile import GameColumns, Profile

HALF = Fraction(1, 2)
ARENA = "id,Model_A,model b,WINNER\n1,X,Y,model_a\n2,X,Y,model_b\n3,X,Z,tie (bothbad)\n4,Y,X,A\n"
KAGGLE = (
    "id,model_a,model_b,winner_model_a,winner_model_b,winner_tie\n"
    "1,X,Y,1,0,0\n2,X,Y,0,1,0\n3,X,Z,0,0,1\n4,Y,X,1.0,0.0,0.0\n"
)
CHESS = "White;Black;Result\nX;Y;1-0\nX;Y;0-1\nX;Z;1/2-1/2\nY;X;1-0\n"
SIDES = "Left model,Right model,Outcome\nX,Y,left\nX,Y,Right\nX,Z,tie\nY,X,left\n"
GAMES = {("X", "Y"): 1, ("Y", "X"): 2, ("X", "Z"): HALF, ("Z", "X"): HALF}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("text", [ARENA, KAGGLE, CHESS, SIDES, CHESS.replace("-", "\N{EN DASH}")])
def test_games_are_told_by_their_head(read, wins, tmp_path, text, encoding):
    assert wins(read(text, encoding=encoding)) == GAMES
    assert wins(read_profile(tmp_path / "t.csv")) == GAMES


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("X;Y;3\nY;X;1\n;;\n", {("X", "Y"): 3, ("Y", "X"): 1}),
        ("X\tY\t3\nY\tX\t1\n", {("X", "Y"): 3, ("Y", "X"): 1}),
        ("winner;loser;count\nX;Y;1,5\nY;X;2\n", {("X", "Y"): Fraction(3, 2), ("Y", "X"): 2}),
        ("User;Item;Rating\nu;X;4,5\nu;Y;4,25\nv;X;1,0\nv;Y;1,5\n", {("X", "Y"): 1, ("Y", "X"): 1}),
        ("id,P,Q\n7,1,2\n9,2,1\n8,1,2\n", {("P", "Q"): 2, ("Q", "P"): 1}),  # ranks
        (
            "Respondent,P,Q,R\nu,5,5,1\nv,2,4,4\n",
            {("P", "R"): 1, ("Q", "R"): 1, ("Q", "P"): 1, ("R", "P"): 1},
        ),
        ("date\tWinner\tsurface\tLoser\n1\tX\tclay\tY\n2\tY\tclay\tX\n", {("X", "Y"): 1, ("Y", "X"): 1}),
        (KAGGLE + "5,X,Y,0,0,0\n6,X,Y,1,1,0\n", GAMES),  # rows of no outcome and of two are left out
    ],
)
def test_tables_without_a_word(read, wins, text, expected):
    assert wins(read(text)) == expected


@pytest.mark.parametrize("name", ["t.csv", "t.txt"])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sep=;\nwinner;loser\nX;Y\nY;\nX;Y\n", {("X", "Y"): 2}),
        ("sep=;\r\nnote, if any;winner;loser\r\n;X;Y\r\n", {("X", "Y"): 1}),
        ("sep=|\nwinner|loser\nX, Jr.|Y\n", {("X, Jr.", "Y"): 1}),
        ("sep=;\nrank1;rank2\nX;Y\nY;X\n", {("X", "Y"): 1, ("Y", "X"): 1}),
        ("sep=;\n;X;Y\nX;0;2\nY;1;0\n", {("X", "Y"): 2, ("Y", "X"): 1}),
        ("sep=;\nX;Y;3\n", {("X", "Y"): 3}),
    ],
)
def test_a_first_line_for_excel_tells_what_separates_cells(read, wins, name, text, expected):
    found = read(text, name)
    assert wins(found) == expected
    assert all("(line 4)" in note for note in found.notes if "no name" in note)


@pytest.mark.parametrize("name", ["votes.txt", "votes.csv"])
def test_orders_as_people_write_them(read, name):
    found = read("Ann Lee > Bob = C-3\n2: Bob > Ann Lee\n", name)
    assert found.voters == 3 and found.wins[1][0] == 2 and found.wins[0][1] == 1
    with pytest.raises(InputError, match=r"line 2: an item appears twice"):
        read("A > B\nA > A\n", name)
    with pytest.raises(InputError, match=r"line 2: 'A, B' is not an order"):
        read("A > B\nA, B\n", name)


@pytest.mark.parametrize("line", ["{} A > B > C", '{},"A > B > C"', "A > B > C: {}", "{} x A > B"])
def test_a_count_in_another_place_is_no_part_of_a_name(read, line):
    with pytest.raises(InputError, match="each line has a number beside its order; a count reads 3: A > B"):
        read(f"{line.format(12)}\n{line.format(5)}\n", "votes.txt")
    for text in ("12 Monkeys > Alien\nAlien > Top\n", "1 > 2\n2 = 3 > 1\n", "M 1 > M 3\nM 1 > M 2\n"):
        assert read(text, "votes.txt").m == 3


def test_a_refusal_proposes_the_columns_that_it_sees(read, tmp_path):
    name = str(tmp_path / "t.csv")
    for text, asked in (
        ("left,right,verdict\nA,B,A\nB,C,C\n", "--a left --b right --winner verdict"),
        ("who,film,stars\nu,A,3\nu,B,4\n", "--user who --item film --rating stars"),
        ("better one,other\nA,B\nB,C\n", "--winner 'better one' --loser other"),
    ):
        with pytest.raises(InputError) as caught:
            read(text)
        assert str(caught.value).endswith(f"consistency-lab audit {name} {asked}")


def test_answers_to_prompts_are_apart(wins, tmp_path):
    long = "word " * 400
    rows = [("p", "x\ny", long), ("p", long, "z"), ("p", "z", "x y"), ("q", "x", "z")]
    for wrapped in (False, True):
        lines = [
            {key: [{"role": "r", "content": x}] if wrapped else x for key, x in zip(KEYS, row, strict=True)}
            for row in rows
        ]
        path = tmp_path / "trl.jsonl"
        path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
        columns = GameColumns("chosen", "rejected")
        (found,) = Reading(columns, query="prompt").profiles(path)
        assert found.title == "p" and found.m == 3 and sum(wins(found).values()) == 3
        assert found.items[0] == "x y" and found.items[1].startswith("word word") and len(found.items[1]) < 60
        assert any("it compares only one pair" in note for note in found.notes)


KEYS = ("prompt", "chosen", "rejected")


def test_texts_under_one_prompt_each_are_answers_and_models_are_not(tmp_path, capsys):
    def written(name, rows):
        path = tmp_path / name
        path.write_text("\n".join(json.dumps(dict(zip(KEYS, row, strict=True))) for row in rows), "utf-8")
        return str(path)

    answers = written("dpo.jsonl", ((f"p{k}", f"good {k}", f"bad {k}") for k in range(300)))
    assert answers_to_prompts(answers)
    assert run(["audit", answers]) == 2
    assert "each of 300 queries compares only one pair, which no loss contradicts" in capsys.readouterr().err
    models = written("models.jsonl", ((f"p{k}", "ABC"[k % 3], "BCA"[k % 3]) for k in range(300)))
    assert not answers_to_prompts(models)
    assert not answers_to_prompts(written("one.jsonl", [("p", "x", "y"), ("p", "y", "z")]))


RANKS = "voter,P,Q,R,S\n" + "1,1,2,3,4\n" * 30


def test_no_single_row_turns_ranks_into_ratings(read, wins):
    found = read(RANKS + "2,1,2,2,4\n3,2,,1,NA\n")
    assert "ranks, 1 the best" in found.notes[0] and found.unranked == "last"
    assert wins(found)["P", "Q"] == 32 and wins(found)["Q", "R"] == 30 and wins(found)["R", "Q"] == 1
    with pytest.raises(InputError, match=r"line 32: the number of S: it is '44'; most rows rank .* 1 to 4"):
        read(RANKS + "2,1,2,3,44\n")


def test_ratings_of_a_survey_may_be_missing_or_have_decimal_commas(read, wins, tmp_path):
    found = read("Rater ID;P;Q;R\nu;4,5;4,25;\nv;NA;1;3\n")
    assert wins(found) == {("P", "Q"): 1, ("R", "Q"): 1} and found.unranked == "unknown"
    assert wins(read_profile(tmp_path / "t.csv")) == wins(found)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("A,B\nC,A\nB,C\nA,C\n", "line 1.* its first line holds items, like the others; add a first line"),
        ("w|l\nA|B\n", "separate columns by commas, semicolons or tabs"),
        ("home,away,h,a\nA,B,1,0\nB,A,2,2\n", "no column says which of home and away won; add one called"),
        ("id,p,q,r\n1,A,B,C\n2,B,C,A\n", "if each line ranks items, write it as A > B > C"),
        ("week,P\n1,77\n2,5\n", "none of them tells who was preferred to whom"),
        ("time,P,Q\n1,4,3\n2,5,5\n", "if each row ranks or rates .* call the column of the voters"),
    ],
)
def test_nothing_is_proposed_that_would_mislead(read, text, said):
    with pytest.raises(InputError, match=said):
        read(text)


STAMPS = "2024-05-{0:02} 10:00:0{0},2024-05-{0:02} 11:00:0{0},2024-05-{0:02} 11:00:0{0}"
TOLD = ("chat", "web")


@pytest.mark.parametrize(
    ("head", "row"),
    [
        ("source,instruction", lambda k: f"{TOLD[k % 2]},Explain {k}."),
        ("prompt,completion", lambda k: f"What is {k}?,It is {k}."),
        ("prompt,completion,score", lambda k: f"What is {k}?,It is {k}.,{k % 5}"),
        ("Timestamp,Name,Score", lambda k: f"5/{k + 1}/2024 10:00:00,Ann {k % 3},{k % 5}"),
        ("Session,Remark,Score", lambda k: f"s{k},fine {k % 3},{k % 5}"),
        ("StartDate,EndDate,RecordedDate", STAMPS.format),
        ("id,chat_id", lambda k: f"x{k},x{k}"),
        ("id,reply_to", lambda k: f"x{k},x{k + 4}"),
    ],
)
def test_columns_are_proposed_only_where_values_fit(read, head, row):
    text = "\n".join([head, *map(row, range(9))])
    rows = list(csv.DictReader(StringIO(text)))
    lines = "\n".join(map(json.dumps, rows))
    for name, written in (("t.csv", text), ("t.jsonl", lines), ("t.json", json.dumps(rows))):
        with pytest.raises(InputError, match=r"its columns are .*none of them tells who was preferred"):
            read(written, name)


def test_a_proposal_looks_at_many_rows(read):
    """Sorted by user, the first hundred rows name no film twice."""
    rows = [f"u{user},film {film},{film % 5}" for user in range(3) for film in range(100)]
    with pytest.raises(InputError, match="--user who --item film --rating stars"):
        read("\n".join(["who,film,stars", *rows]))


@pytest.mark.parametrize("indent", [None, 1])
def test_a_list_of_objects_as_arenas_publish_it(read, wins, tmp_path, indent):
    rows = [
        {"model_a": "X", "model_b": "Y", "winner": won, "conversation": [{"role": "user"}]}
        for won in ("model_b", "tie (bothbad)", "?")
    ]
    found = read(json.dumps(rows, indent=indent), "t.json")
    assert wins(found) == {("Y", "X"): 1 + HALF, ("X", "Y"): HALF}
    assert found.contents.left[0].count == 1
    assert wins(read(json.dumps(rows[:1]), "u.json")) == wins(read_profile(tmp_path / "u.json"))
    with pytest.raises(InputError, match=r"t.json is no list in JSON"):
        read(json.dumps(rows)[:-1], "t.json")
    with pytest.raises(InputError, match="answers to prompts are read with --query prompt"):
        read(json.dumps({"prompt": "p", "chosen": "a\nb", "rejected": "c"}), "t.jsonl")


def parquet(folder, rows):
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), folder / "t.parquet")
    return folder / "t.parquet"


@pytest.mark.parametrize("text", [ARENA, KAGGLE, CHESS, "User,Item,Rating\nu,A,4.5\nu,B,4\nv,A,1\nv,B,3\n"])
def test_parquet_has_the_layouts_of_csv(read, wins, tmp_path, text):
    delimiter = ";" if ";" in text else ","
    path = parquet(tmp_path, [dict(row) for row in csv.DictReader(StringIO(text), delimiter=delimiter)])
    (found,) = Reading().profiles(path)
    assert wins(found) == wins(read(text))


def test_answers_to_prompts_in_parquet_are_texts_or_messages(wins, tmp_path):
    rows = [("p", "x", "y"), ("p", "y", "z")]
    plain = parquet(tmp_path, [dict(zip(KEYS, row, strict=True)) for row in rows])
    (found,) = Reading(GameColumns("chosen", "rejected"), query="prompt").profiles(plain)
    messages = [
        {key: [{"content": "?"}, {"content": text}] for key, text in zip(KEYS, row, strict=True)}
        for row in rows
    ]
    (same,) = Reading(GameColumns("chosen", "rejected"), query="prompt").profiles(parquet(tmp_path, messages))
    assert wins(found) == wins(same) == {("x", "y"): 1, ("y", "z"): 1}


def test_a_table_has_a_limit(read, tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "MAX_ROWS", 3)
    assert read("winner,loser\n" + "A,B\n" * 3).voters == 3
    many = "winner,loser\n" + "A,B\n" * 4
    for path in (tmp_path / "t.csv", parquet(tmp_path, [{"winner": "A", "loser": "B"}] * 4)):
        (tmp_path / "t.csv").write_text(many, encoding="utf-8")
        with pytest.raises(InputError, match=r"t\.\w+ has more than 3 rows; add up equal ones, with"):
            list(Reading().profiles(path))


@pytest.mark.parametrize("worth", [0, 10**9])
def test_a_row_with_more_cells_than_the_head_is_left_out(read, wins, monkeypatch, worth):
    """`Smith, John,Lee` is not Smith over John; empty cells at the end are nothing."""
    monkeypatch.setattr(tables, "_WORTH", worth)
    found = read('winner,loser\nSmith, John,Lee\n"Smith, John",Lee\nLee,Ann,,\nLee,Ann,,x\n')
    assert wins(found) == {("Smith, John", "Lee"): 1, ("Lee", "Ann"): 1}
    assert any(note.startswith("2 rows are left out: it has more than 2 cells") for note in found.notes)
    assert "line 2" in "".join(found.notes)


@pytest.mark.parametrize("column", ["prompt", "Question ID", "instruction"])
def test_games_of_several_prompts_are_not_added_up_in_silence(wins, tmp_path, column):
    text = f"winner,loser,{column}\nX,Y,p\nY,X,q\n"
    rows = list(csv.DictReader(StringIO(text)))
    (tmp_path / "t.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    quoted = f"'{column}'" if " " in column else column
    said = f"Warning: rows that differ in '{column}' count together; --query {quoted} reads each apart"
    (tmp_path / "t.csv").write_text(text, encoding="utf-8")
    for path in (tmp_path / "t.csv", tmp_path / "t.jsonl", parquet(tmp_path, rows)):
        (found,) = Reading().profiles(path)
        assert found.notes[0] == said
        assert wins(found) == {("X", "Y"): 1, ("Y", "X"): 1}
    columns = GameColumns("winner", "loser", cluster=column)
    (told,) = Reading(columns).profiles(tmp_path / "t.csv")
    assert not any(note.startswith("Warning") for note in told.notes)
    frame = Profile.from_pandas(pandas.DataFrame(rows), winner="winner", loser="loser")
    assert frame.notes[0] == f"Warning: rows that differ in '{column}' count together"


# Tables from strangers: numbers, texts and nesting of any size, quotes that nobody closed


@pytest.mark.parametrize("form", ["{}", "[{0}, {0}]"])
@pytest.mark.parametrize("more", ['"text": "' + "x" * 30_000 + '"', '"id": ' + "9" * 5_000, '"id": 1e400'])
def test_the_first_object_may_be_long(tmp_path, form, more):
    path = tmp_path / ("games.json" if "[" in form else "games.jsonl")
    path.write_text(form.replace("{}", "{0}").format(f'{{"winner": "A", "loser": "B", {more}}}'))
    assert read_profile(str(path)).items == ("A", "B")


@pytest.mark.parametrize("form", ["{}", "[{}]"])
def test_deep_nesting_is_one_sentence(tmp_path, form):
    path = tmp_path / ("games.json" if "[" in form else "games.jsonl")
    path.write_text(form.format('{"winner": "A", "loser": ' + "[" * 20_000 + "]" * 20_000 + "}"))
    with pytest.raises(InputError, match="nests"):
        read_profile(str(path))
