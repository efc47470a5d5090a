"""Every mistake in a file gets one clear sentence that names the file and the line."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from consistency_lab.data.profile import read_profile
from consistency_lab.data.text import MAX_BYTES
from consistency_lab.errors import InputError

TWO = "# NUMBER ALTERNATIVES: 2\n"
THREE = "# NUMBER ALTERNATIVES: 3\n"
ONE, OTHER = "# ALTERNATIVE NAME 1: ", "# ALTERNATIVE NAME 2: "
GRAPH = {"probability": "1", "edges": [["A", "B", "1"]]}
AB = {"items": ["A", "B"], "graphs": [GRAPH]}

SOC = [
    ("# NUMBER ALTERNATIVES: 1\n5: 1\n", ": there is only one alternative"),
    (TWO + "0: 1,2\n", ": there are no voters"),
    (TWO, ": there are no voters"),
    (TWO + "# NUMBER VOTERS: 7\n5: 1,2\n", ", line 2: the header says 7 voters, but the ballots have 5"),
    (TWO + "# NUMBER UNIQUE ORDERS: 2\n5: 1,2\n", ", line 2: the header says 2 unique orders, but"),
    (THREE + ONE + "A\n" + OTHER + "B\n1: 1,2\n", ", line 1: the header says 3 alternatives, but it names 2"),
    (TWO + ONE + "A\n# ALTERNATIVE NAME 3: B\n1: 1,2\n", ", line 1: alternative 2 of 2 has no '# ALT"),
    (ONE + "A\n" + ONE + "B\n1: 1,2\n", ", line 2: ALTERNATIVE NAME 1 appears twice in the header"),
    (ONE + "\n" + OTHER + "B\n1: 1,2\n", ", line 1: the name of alternative 1 is missing"),
    ("# NUMBER ALTERNATIVES: two\n1: 1,2\n", ", line 1: NUMBER ALTERNATIVES is 'two'; it must be"),
    ("# NUMBER ALTERNATIVES: 9999999999\n1: 1,2\n", ", line 1: there are 9999999999 alternatives; at most"),
    ('# ALTERNATIVE NAME 1: ""\n1: 1,2\n', ", line 1: the name of alternative 1 is missing"),
    ("5: 1,2\n", ": there is no header; PrefLib files have"),
    ("# DATA TYPE: wmd\n" + TWO + "1: 1,2\n", ", line 1: the data type 'wmd' is not one of soc"),
    (TWO + "5: 1,3\n", ", line 2: alternative 3 is out of range; the alternatives are"),
    (TWO + "5: 0,1\n", ", line 2: alternative 0 is out of range"),
    (TWO + "1: 1,2\n5: 2,2\n", ", line 3: alternative 2 is ranked twice"),
    (TWO + "-5: 1,2\n", ", line 2: the count is '-5'; it must be a whole number"),
    (TWO + "2.5: 1,2\n", ", line 2: the count is '2.5'; it must be a whole number"),
    (TWO + "9" * 5000 + ": 1,2\n", ", line 2: the count has 5000 digits; at most 18"),
    (TWO + "5 1,2\n", ", line 2: there is no ':' in '5 1,2'"),
    (THREE + "5: 1,2\n", ", line 2: 2 of 3 alternatives are ranked, but a .soc"),
    ("3\n1,A\n", ": the file ends inside its header"),
    ("2\n1,A\n5,5,1\n5,1,2\n", ", line 3: '5,5,1' is not '2,name'"),
    ("2\n1,A\n2,B\n5,5\n5,1,2\n", ", line 4: '5,5' is not 'voters,sum of"),
    ("2\n1,A\n2,B\n5,6,1\n5,1,2\n", ", line 4: the header says 6 voters, but the ballots have 5"),
    ("2\n1,A\n2,B\n5,5,1\n5\n", ", line 5: there is no ':' in '5'"),
    ("1\n1,A\n5,5,1\n5,1\n", ": there is only one alternative"),
]

TOI = [
    (TWO + "5: {2,2}\n", ", line 2: alternative 2 is ranked twice"),
    (TWO + "5: {1,2\n", ", line 2: a brace '{' is not closed"),
    (TWO + "5: 1,2}\n", ", line 2: a brace '}' closes nothing"),
    (TWO + "5: {1,{2}}\n", ", line 2: '{1,{2}}' cannot be read"),
    (TWO + "5: {1}{2}\n", ", line 2: '{1}{2}' cannot be read"),
    (TWO + "5: 1,{}\n", ", line 2: an alternative is missing"),
    (TWO + "5: 1,,2\n", ", line 2: an alternative is missing between two commas"),
    (TWO + "5: 1,\n", ", line 2: the ballot ends with a comma"),
    (TWO + "5:\n", ", line 2: the ballot ranks nothing"),
    (TWO + "5: 1,Bob\n", ", line 2: an alternative is 'Bob'; it must be a whole number"),
]

SOI = [(TWO + "5: {1,2}\n", ", line 2: there is a tie, but a .soi ballot must not")]

CSV = [
    ("A,B\n", ", line 1: 'A,B' has no columns winner and loser, is not winner,loser,count"),
    ("home,away,goals\n", ", line 1: 'home,away,goals' has no columns"),
    ("A,B,1\nA,B\n", ", line 2: there are 2 cells; expected winner,loser,count"),
    ("A,B,1\nA,,1\n", ", line 2: an item has no name"),
    ("A,B,1\nA,A,1\n", ", line 2: 'A' is compared with itself"),
    ("A,B,-1\n", ", line 1: the count is '-1'; it must be a whole number"),
    ("A,B,0.5\n", ", line 1: the count is '0.5'; it must be a whole number"),
    ("A,B,1\nB,A,nan\n", ", line 2: the count is 'nan'"),
    ("A,B,0\n", ": there are no comparisons"),
    ("winner,loser,count\n", ": there are no games; it has no rows"),
    ('A,B,1\n"A"x,B,1\n', ", line 2: this is not CSV"),
    (f"winner,loser\n{131_073 * 'a'},B\n", ": one of the first lines is not CSV: field larger"),
    (",A,B\nA,0,1\n", ": there are 1 rows for 2 names; a matrix of wins must be square"),
    (",A,B\nA,0,1\nC,1,0\n", ", line 3: the row is 'C', but column 2 is 'B'"),
    (",A,B\nA,0,1\nB,1\n", ", line 3: there are 2 cells, but 3 in the first row"),
    (",A,B\nA,0,x\nB,1,0\n", ", line 2: the number of wins over B"),
    (",A,B\nA,0,-1\nB,1,0\n", ", line 2: the number of wins over B is negative"),
    (",A,A\nA,0,1\nA,1,0\n", ": two items are called 'A'"),
    (',A,B,"C\nA,0,1,2\nB,1,0,1\nC,1,1,0\n', ", line 5: this is not CSV: unexpected end of data"),
    (',A,B,"C\nA,0,1,2\nB,1,0,1\nC,1,1,0"\n', ": there are 0 rows for 4 names"),
]

DOCUMENTS = [
    ({"a": 1}, "this is not a distribution; expected"),
    ([1], "this is not a distribution; expected"),
    (AB | {"x": 1}, "'x' is not a key of a distribution"),
    (AB | {"format": "other"}, "the format is 'other'; it must be consistency-lab/witness/1"),
    (AB | {"format": "consistency-lab/witness/2"}, "the format is 'consistency-lab/witness/2'; this version"),
    (AB | {"items": ["A"]}, "there are 1 items; a ranking needs at least 2"),
    (AB | {"items": "AB"}, "'items' must be a list of names"),
    (AB | {"items": [str(i) for i in range(1001)]}, "there are 1001 items; at most 1000 are read"),
    (AB | {"items": ["A", 2]}, "an item is called 2; item names are"),
    (AB | {"graphs": []}, "'graphs' must be a list of at least one graph"),
    (AB | {"graphs": [3]}, "graph 1: it must be an object"),
    (AB | {"graphs": [{"probability": "1"}]}, "graph 1: 'probability' or 'edges' is missing"),
    (AB | {"title": 3}, "'title' must be a string"),
]

GRAPHS = [
    ({"edges": {}}, "graph 1: 'edges' must be a list"),
    ({"edges": [["A", "B"]]}, "graph 1: an edge is ['A', 'B']; expected"),
    ({"edges": [["A", "b", "1"]]}, "graph 1: an edge has the unknown item 'b'"),
    ({"edges": [["Bobb", "A", 1]]}, "did you mean 'Bob'?"),
    ({"edges": [["A", "A", "1"]]}, "graph 1: edge A → A joins an item to itself"),
    ({"edges": [["A", "B", 1], ["A", "B", 2]]}, "graph 1: edge A → B appears twice"),
    ({"edges": [["A", "B", "-1"]]}, "graph 1: the weight of edge A → B is -1"),
    ({"edges": [["A", "B", "9**9"]]}, "graph 1: the weight of edge A → B is '9**9'"),
    ({"probability": None, "edges": []}, "graph 1: the probability is None"),
    ({"probability": "2/3", "edges": []}, "the probabilities sum to 2/3, 1/3 under 1"),
    ({"weight": "1"}, "graph 1: 'weight' is not a key of a graph"),
    ({"edges": [["A", "B", 1], ["B", "Bob", 1], ["Bob", "A", 1]]}, "graph 1: the preferences form a cycle"),
]


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def refusal(name):
    with pytest.raises(InputError) as caught:
        read_profile(name)
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 300
    return message


CATEGORIES = (
    "# DATA TYPE: cat\n# NUMBER ALTERNATIVES: 3\n# NUMBER VOTERS: 4\n# NUMBER UNIQUE PREFERENCES: 3\n"
    "# NUMBER CATEGORIES: 3\n# CATEGORY NAME 1: Yes\n# CATEGORY NAME 2: Maybe\n# CATEGORY NAME 3: No\n"
    "# ALTERNATIVE NAME 1: Ann\n# ALTERNATIVE NAME 2: Lee\n# ALTERNATIVE NAME 3: Bob\n"
)
CAT = [
    (CATEGORIES + "4: 1,{2,3}\n", ", line 12: there are 2 elements, but the header names 3 categories"),
    (CATEGORIES + "4: 1,{1},{2,3}\n", ", line 12: alternative 1 is ranked twice"),
    (CATEGORIES.replace("RIES: 3", "RIES: 2") + "4: 1,2,3\n", ", line 5: the header says 2 categories"),
    ("# DATA TYPE: cat\n# NUMBER ALTERNATIVES: 2\n1: 1,2\n", ": the categories have no names"),
]

ENDINGS = {"cat": CAT, "soc": SOC, "toi": TOI, "soi": SOI, "csv": CSV}


@pytest.mark.parametrize(
    ("ending", "text", "sentence"), [(ending, *row) for ending, rows in ENDINGS.items() for row in rows]
)
def test_text(ending, text, sentence):
    name = f"v.{ending}"
    Path(name).write_text(text, encoding="utf-8")
    assert refusal(name).startswith(name + sentence)


@pytest.mark.parametrize(
    ("document", "sentence"),
    [(document, f"v.json: {sentence}") for document, sentence in DOCUMENTS]
    + [({"items": ["A", "B", "Bob"], "graphs": [GRAPH | change]}, words) for change, words in GRAPHS],
)
def test_document(document, sentence):
    Path("v.json").write_text(json.dumps(document), encoding="utf-8")
    assert sentence in refusal("v.json")


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("v.toc", b"", "v.toc is empty; expected a profile"),
        ("v.toc", b" \n\n", "v.toc is empty; expected a profile"),
        ("v.toc", b"# TITLE: a\n# TITLE: \xe9\n", "v.toc, line 2: this is not UTF-8; save the file in UTF-8"),
        ("v.toc", b"\xff\xfe#\x00a", "v.toc begins like UTF-16 but is not; save it in UTF-8"),
        ("v.toc", b"\x1f\x8b\x08", "v.toc cannot be unpacked: "),
        ("v.csv", b"A,B,1\n\x1b[2J,B,1", "v.csv, line 2: there is a control character, '\\x1b'; remove it"),
        ("v.csv", b"\x89PNG\0", "v.csv is a binary file; a table must be UTF-8 text or Parquet"),
        ("v.csv", b"\x1f\x8b\x08", "v.csv cannot be unpacked: "),
        ("v.soc", b"\x89PNG\0", "v.soc is a binary file; a profile must be UTF-8 text"),
        ("v.txt", b"hello", "v.txt: neither the name nor the first line shows the format; name it .soc,"),
        ("v.cvs", b"hello", "v.cvs: neither the name nor the first line shows the format; did you mean .csv"),
        ("v.json", b'{"items": [', "v.json is not a JSON document (the file ends too early)"),
    ],
)
def test_bytes(name, content, sentence):
    Path(name).write_bytes(content)
    assert refusal(name).startswith(sentence)


def test_what_is_no_file_to_read():
    """A sample goes by its bare name only."""
    Path("a.toc").mkdir()
    assert refusal("a.toc") == "a.toc is a folder; give a file in it"
    assert refusal("nothing.csv").startswith("nothing.csv does not exist; samples are alaska.csv, burlington")
    assert refusal("elsewhere/vermont.toc").startswith("elsewhere/vermont.toc does not exist; did you mean")
    with Path("v.toc").open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    assert refusal("v.toc") == "v.toc is 50_000_001 bytes long; at most 50_000_000 bytes are read"


def with_denominators(probabilities, weights):
    """Graphs of one edge each; the probabilities are 1 over these numbers, but for the last."""
    parts = [Fraction(1, n) for n in probabilities]
    parts.append(1 - sum(parts))
    edges = [[["A", "B", f"1/{n}"]] for n in weights] + [[["A", "B", "1"]]] * len(parts)
    graphs = [{"probability": str(p), "edges": e} for p, e in zip(parts, edges, strict=False)]
    return {"items": ["A", "B"], "graphs": graphs}


ODD, NEXT = 10**250 + 1, 10**250 + 3


@pytest.mark.parametrize(
    ("probabilities", "weights"), [([2, 3, 4], [ODD, NEXT, 10 * ODD - 9]), ([ODD, NEXT], []), ([ODD], [NEXT])]
)
def test_long_common_denominators_are_refused_in_the_words_of_the_file(probabilities, weights):
    """None of these numbers is long; what a sum of them would be is."""
    Path("v.json").write_text(json.dumps(with_denominators(probabilities, weights)))
    assert refusal("v.json") == (
        "v.json: the common denominator of the probabilities times that of the weights has more than 500 "
        "digits; round them, for instance to six decimals"
    )


def test_common_denominators_are_measured_before_any_sum():
    """The probabilities of these graphs do not sum to 1, which only a sum can tell."""
    graphs = [{"probability": f"1/{10**900 + n}", "edges": []} for n in range(1, 200)]
    Path("v.json").write_text(json.dumps({"items": ["A", "B"], "graphs": graphs}))
    assert "the common denominator of the probabilities" in refusal("v.json")


def test_long_denominators_in_common_are_read():
    Path("v.json").write_text(json.dumps(with_denominators([4], [10**490 + 1] * 2)))
    assert read_profile("v.json").distribution.aggregate[0][1] == Fraction(1, 10**490 + 1)


def test_too_many_items_says_the_limit_and_why():
    Path("v.soi").write_text("# NUMBER ALTERNATIVES: 1001\n1: 1\n")
    assert refusal("v.soi").startswith("v.soi: there are 1001 items; at most 1000 are supported; keep fewer")
    assert read_profile("v.soi", items=["1", "1001"]).distribution.m == 2


@pytest.mark.parametrize(
    ("items", "sentence"),
    [
        (["Beck", "Faye"], "vermont.toc: there is no item 'Faye'; did you mean 'Fay'?"),
        (["Beck", "Q"], "vermont.toc: there is no item 'Q'; the items are Beck, Fay, South, Willhoit"),
        (["Beck", "Beck"], "vermont.toc: two items are called 'Beck'; names must differ"),
        (["Beck"], "vermont.toc: there are 1 items; a ranking needs at least 2"),
    ],
)
def test_items_and_what_is_unranked(items, sentence):
    with pytest.raises(InputError) as caught:
        read_profile("vermont.toc", items=items)
    assert str(caught.value) == sentence
    with pytest.raises(InputError, match="unranked is 'first'; pass 'last' or 'unknown'"):
        read_profile("vermont.toc", "first")


@pytest.mark.parametrize(
    "line", ["# A" + " " * 200_000 + "B", "1: " + "1" + " " * 200_000 + "{", "1: " + "," * 200_000]
)
def test_a_long_line_of_nonsense_is_refused(line):
    """No pattern goes back and forth over a line: were it so, this would not end."""
    Path("v.toi").write_text(TWO + line + "\n")
    refusal("v.toi")
