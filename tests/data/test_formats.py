"""Each file format, by extension and by content."""

import json
from fractions import Fraction

import pytest

from consistency_lab.data.profile import read_profile

NAMES = "# ALTERNATIVE NAME 1: Ann\n# ALTERNATIVE NAME 2: Bob\n# ALTERNATIVE NAME 3: Cy\n"
HALF = Fraction(1, 2)


def read(folder, name, text, **options):
    (folder / name).write_text(text, encoding="utf-8")
    return read_profile(folder / name, **options)


def counts(profile):
    """Pair counts, without the pairs of which there are none."""
    names, rows = profile.distribution.items, profile.distribution.aggregate
    wins = {(names[i], names[j]): x for i, row in enumerate(rows) for j, x in enumerate(row) if x}
    return {pair: x * profile.voters for pair, x in wins.items()}


@pytest.mark.parametrize(
    ("name", "body", "expected"),
    [
        ("v.soc", "2: 1,2,3\n1: 3,2,1\n", {"AB": 2, "AC": 2, "BC": 2, "CB": 1, "CA": 1, "BA": 1}),
        ("v.toc", "2: {1,3},2\n1:2,{1,3}\n", {"AB": 2, "CB": 2, "BA": 1, "BC": 1}),
        ("v.soi", "3: 2\n", {"BA": 3, "BC": 3}),
        ("v.toi", "3: {2,1}\n", {"AC": 3, "BC": 3}),
        ("v.txt", " 1 : 3 , { 2 , 1 } \n", {"CA": 1, "CB": 1}),
        ("v", "1: 1\n\n# a remark\n2: 3,2,1\n0: 2\n", {"AB": 1, "AC": 1, "CB": 2, "CA": 2, "BA": 2}),
    ],
)
def test_present_preflib(tmp_path, name, body, expected):
    long = {"A": "Ann", "B": "Bob", "C": "Cy"}
    found = counts(read(tmp_path, name, NAMES + body))
    assert found == {(long[pair[0]], long[pair[1]]): count for pair, count in expected.items()}


def test_older_preflib(tmp_path):
    text = "3\n1,Ann\n2,Bob, Jr.\n3,Cy\n4,4,2\n3,{1,2},3\n1,3,1,2\n"
    profile = read(tmp_path, "v.toc", text)
    assert profile.distribution.items == ("Ann", "Bob, Jr.", "Cy")
    found = {x[0] + y[0]: n for (x, y), n in counts(profile).items()}
    assert found == {"AC": 3, "BC": 3, "CA": 1, "CB": 1, "AB": 1}


def test_preflibs_names_are_read_as_they_were_meant(tmp_path):
    # As in 00018-00000001.soi and 00043-00000018.soi: quotes doubled, and UTF-8 that was read as Latin-1.
    written = ["R. D''Silva", 'Robert ""Bob"" Jones', "cutter 3-8''", "TH\xc3\x89VENET", "Ren\xe9", "\u0141"]
    names = [f"# ALTERNATIVE NAME {k}: {name}\n" for k, name in enumerate(written, start=1)]
    profile = read(tmp_path, "v.soc", "".join([*names, "1: 1,2,3,4,5,6\n"]))
    meant = ("R. D'Silva", 'Robert "Bob" Jones', "cutter 3-8''", "TH\xc9VENET", "Ren\xe9", "\u0141")
    assert profile.items == meant


def test_alternatives_of_one_name_are_told_apart_by_their_numbers(tmp_path):
    names = "# ALTERNATIVE NAME 1: Ren\xc3\xa9\n# ALTERNATIVE NAME 2: Ann\n# ALTERNATIVE NAME 3: Ren\xe9\n"
    assert read(tmp_path, "v.soc", names + "1: 1,2,3\n").items == ("Ren\xe9 (1)", "Ann", "Ren\xe9 (3)")


def test_the_data_type_in_the_header_goes_before_the_extension(tmp_path):
    profile = read(tmp_path, "v.soc", "# DATA TYPE: toi\n" + NAMES + "1: {1,2}\n")
    assert profile.format == "PrefLib toi"


def test_windows_line_ends_and_a_byte_order_mark(tmp_path):
    (tmp_path / "v.csv").write_bytes("\ufeffwinner,loser,count\r\nÉva,Bob,2\r\n".encode())
    assert counts(read_profile(tmp_path / "v.csv")) == {("Éva", "Bob"): 2}


@pytest.mark.parametrize("name", ["v.csv", "v.txt"])
@pytest.mark.parametrize(
    "text",
    [
        "winner,loser,count\nAnn,Bob,3\nBob,Ann,1\n",
        "Ann,Bob,3\nBob,Ann,1\n",
        "Count, Loser, Winner\n3,Bob,Ann\n1,Ann,Bob\n",
        '"Ann","Bob",2\n\nBob, Ann, 1\nAnn,Bob,1\nCy,Ann,0\n',
    ],
)
def test_pair_counts(tmp_path, name, text):
    profile = read(tmp_path, name, text)
    assert counts(profile) == {("Ann", "Bob"): 3, ("Bob", "Ann"): 1}
    assert (profile.voters, profile.counted, profile.title) == (4, "comparisons", "v")
    assert profile.notes == (
        "voters are not known: each counted comparison is one preference graph with a single edge",
    )
    assert profile.distribution.probabilities == (Fraction(3, 4), Fraction(1, 4))


DOCUMENT = {
    "items": ["A", "B", "C"],
    "graphs": [
        {"probability": "1/2", "edges": [["A", "B", "3"], ["A", "C", 1]]},
        {"probability": "0.5", "edges": [["C", "B", "1/2"]]},
    ],
}


@pytest.mark.parametrize("name", ["v.json", "v.txt"])
def test_distribution(tmp_path, name):
    profile = read(tmp_path, name, json.dumps({"title": "Two graphs", **DOCUMENT}))
    assert counts(profile) == {("A", "B"): Fraction(3, 2), ("A", "C"): HALF, ("C", "B"): Fraction(1, 4)}
    assert (profile.voters, profile.counted, profile.title) == (1, "probability", "Two graphs")
    assert (profile.format, profile.notes) == ("JSON distribution", ())


def test_witness(tmp_path):
    """Its items and graphs are the distribution; the rest is the kernel's business."""
    profile = read(
        tmp_path, "w.json", json.dumps({"format": "consistency-lab/witness/1", **DOCUMENT, "x": 1})
    )
    assert profile.format == "JSON witness"
    assert profile.distribution.probabilities == (HALF, HALF)


def test_unranked_last(tmp_path):
    profile = read(tmp_path, "v.soi", NAMES + "4: 2\n1: 1,2,3\n")
    assert counts(profile) == {("Bob", "Ann"): 4, ("Ann", "Bob"): 1, ("Ann", "Cy"): 1, ("Bob", "Cy"): 5}
    assert profile.notes == (
        "4 of 5 ballots do not rank every item; unranked items are placed last and tied",
    )


def test_unranked_unknown(tmp_path):
    profile = read(tmp_path, "v.soi", NAMES + "1: 2\n4: 2,1\n", unranked="unknown")
    assert counts(profile) == {("Bob", "Ann"): 4}
    assert profile.voters == 5
    assert profile.notes == (
        "5 of 5 ballots do not rank every item; nothing is assumed about unranked items",
        "1 of 5 ballots does not rank any item above another",
    )


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ('"Lee, Sue"', "Lee, Sue"),
        ('Robert ""Bob"" Jones', 'Robert "Bob" Jones'),
        ('"Robert ""Bob"" Jones"', 'Robert "Bob" Jones'),
        ('""Bob""', '"Bob"'),
        ('Robert "Bob" Jones', 'Robert "Bob" Jones'),
        ('5" nails', '5" nails'),
    ],
)
def test_quotes_of_csv_are_no_part_of_a_preflib_name(tmp_path, written, name):
    present = f"# ALTERNATIVE NAME 1: {written}\n# ALTERNATIVE NAME 2: Ann\n1: 1,2\n"
    for text in (present, f"2\n1,{written}\n2,Ann\n1,1,1\n1,1,2\n"):
        assert read(tmp_path, "votes.soc", text).distribution.items == (name, "Ann")


@pytest.mark.parametrize("count", [10**15, 10**16, 9 * 10**17])
def test_wins_are_exact_however_many_there_are(tmp_path, count):
    names = "# ALTERNATIVE NAME 1: A\n# ALTERNATIVE NAME 2: B\n"
    ballots = f"{count + 1}: 1,2\n{count}: 2,1\n" + f"{count}: 1,2\n" * 20
    (tmp_path / "votes.soc").write_text(names + ballots)
    wins = read_profile(tmp_path / "votes.soc").wins
    assert (wins[0][1], wins[1][0]) == (21 * count + 1, count)


def test_unranked_among_the_kept_items(tmp_path):
    """A ballot for the items that are left out alone says nothing of the others."""
    profile = read(tmp_path, "v.soi", NAMES + "4: 2\n1: 1\n", items=("Ann", "Cy"))
    assert counts(profile) == {("Ann", "Cy"): 1}
    assert profile.voters == 5


def test_orders_with_one_graph_are_one_graph(tmp_path):
    profile = read(tmp_path, "v.toi", NAMES + "1: 1\n2: 2\n3: {1,2}\n", unranked="unknown")
    assert len(profile.distribution.graphs) == 1
    assert profile.distribution.probabilities == (Fraction(1),)
