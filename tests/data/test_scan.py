"""What machine code reads of JSON lines is what `json` reads, in every spelling."""

import json
import random

import pytest

from consistency_lab import InputError
from consistency_lab.data import scan, tables
from consistency_lab.data.games import GameColumns, read_games

ODD = (
    *("null", "true", "1", "2.50", "1e5", "-0", "01", "1.", "NaN", "-Infinity", '"\\u0041"', '"a\\/b"'),
    *('"\\q"', '"tab\t"', '"é"', f'"{1001 * "w"}"', '" A"', '""', '{"winner": "Z"}', "[1, {}]", "[1,]"),
    *(
        '{"a" 1}',
        '"open',
        60 * "[" + "1" + 60 * "]",
        61 * "[" + 61 * "]",
        '["\\ud800", true, {"a": [null, -1.5E+3]}]',
        "tru",
    ),
)
ENDS = ("", "", "", " ", "\t", ",", "}", " x", "\r")
COLUMNS = (
    GameColumns("winner", loser="loser"),
    GameColumns("winner", a="loser", b="other"),
    GameColumns("winner", loser="other", count="count", cluster="loser"),
)


def _told(path, columns):
    try:
        found = read_games(path, columns, there=("winner", "loser", "other", "judge"))
    except InputError as error:
        return str(error)
    clusters = None if found.clusters is None else [one.tolist() for one in found.clusters]
    return found.items, found.counts.listed, found.ties.listed, clusters, found.said, found.left


def _same_in_blocks(path, columns, monkeypatch, size):
    found = []
    for worth, block in ((10**9, 10**9), (-1, 10**9), (-1, size)):
        monkeypatch.setattr(tables, "_WORTH", worth)
        monkeypatch.setattr(tables, "_BLOCK", block)
        found.append([_told(path, one) for one in columns])
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("seed", range(16))
def test_what_is_parsed_in_blocks_is_what_json_reads(tmp_path, monkeypatch, seed):
    """Keys that are missing, there twice or capitalized otherwise, and what is no JSON, too."""
    drawn = random.Random(seed)
    keys = ("winner", "loser", "other", drawn.choice(["judge", "date"]), drawn.choice(["count", "Count"]))

    def line():
        names = [*keys, *drawn.choices(["winner", "COUNT", "\\u0077inner", "x"], k=drawn.random() < 0.1)]
        names = names if drawn.random() < 0.9 else drawn.sample(names, len(names) - 1)
        plain = {"count": "2", "Count": "3"}
        values = [
            drawn.choice(ODD) if drawn.random() < 0.05 else plain.get(name, json.dumps(drawn.choice("ABC")))
            for name in names
        ]
        blank = drawn.choice(["", "", " "])
        pairs = (f'"{name}"{blank}:{blank}{value}' for name, value in zip(names, values, strict=True))
        return "{" + f"{blank},{blank}".join(pairs) + "}" + drawn.choice(ENDS)

    mark, end = drawn.choice(["", "\ufeff"]), drawn.choice(["\n", "\r\n", "\n\n"])
    (tmp_path / "games.jsonl").write_bytes((mark + end.join(line() for _ in range(60))).encode())
    _same_in_blocks(tmp_path / "games.jsonl", COLUMNS, monkeypatch, 300)


CELLS = ["A", "B", " A", "", "é", "both bad", "a", "NaN", "2", "1/2", "-1", "w" * 1001]
CELLS += ['"q"', '"a,b"', '"a""b"']
BROKEN = ['"two\nlines"', 'a"b', "\x1b", "\u2028", '"open']


@pytest.mark.parametrize("seed", range(12))
def test_what_is_parsed_in_blocks_is_what_csv_reads(tmp_path, monkeypatch, seed):
    """With lines too short and too long, blank ones, and now and then what only `csv` can read."""
    drawn = random.Random(seed)
    cells = CELLS + BROKEN * (seed % 4 == 0)
    end = drawn.choice(["\n", "\r\n", "\n\n"])
    lines = [",".join(drawn.choices(cells, k=drawn.choice([4, 4, 4, 5, 3, 1]))) for _ in range(30)]
    text = "winner,loser,other,count" + end + end.join(lines) + drawn.choice(["", end])
    (tmp_path / "games.csv").write_bytes(text.encode())
    _same_in_blocks(tmp_path / "games.csv", COLUMNS, monkeypatch, 100)


@pytest.mark.parametrize("forgotten", [10, 1 << 25])
def test_many_texts_have_room_and_are_forgotten(tmp_path, monkeypatch, forgotten):
    monkeypatch.setattr(tables, "_WORTH", -1)
    monkeypatch.setattr(tables, "_BLOCK", 2000)
    monkeypatch.setattr(scan, "_TEXTS", 8)
    monkeypatch.setattr(scan, "_FORGOTTEN", forgotten)
    path = tmp_path / "games.csv"
    path.write_text("winner,loser\n" + "".join(f"item {k % 300},item {(k + 1) % 300}\n" for k in range(900)))
    found = read_games(path, GameColumns("winner", loser="loser"))
    assert found.counts.listed == [(k, (k + 1) % 300, 3) for k in range(300)]
