"""The bundled elections: St Johnsbury 2014, San Francisco 2008, Burlington 2009 and Alaska 2022."""

from fractions import Fraction
from importlib.resources import files
from itertools import combinations

import pytest

from consistency_lab import Verdict, audit, check_profile
from consistency_lab.data.games import GameColumns
from consistency_lab.data.profile import Reading, read_profile
from consistency_lab.data.text import SAMPLES, samples

PAIRS = ((0, 908, 944, 461), (631, 0, 310, 752), (620, 263, 0, 684), (209, 777, 756, 0))
"""Voters who approve of the row but not of the column: Beck, Fay, South, Willhoit."""


@pytest.fixture(autouse=True)
def _empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_pair_counts_are_the_published_ones():
    profile = read_profile("vermont.toc")
    assert profile.distribution.aggregate == tuple(tuple(Fraction(n, 1960) for n in row) for row in PAIRS)
    assert profile.distribution.items == ("Beck", "Fay", "South", "Willhoit")
    assert (profile.voters, profile.counted, profile.format) == (1960, "voters", "PrefLib toc")
    assert profile.title == "St Johnsbury, Vermont House of Representatives, 2014"

    d = profile.distribution.difference  # of approval ballots, y_i - y_j with y the approval shares
    assert all(d[i][j] == d[i][0] - d[j][0] for i in range(4) for j in range(4))
    assert profile.notes == (
        "vermont.toc is not in this folder; reading the sample vermont.toc in the package",
        "30 of 1960 ballots do not rank any item above another",
    )


def test_a_file_of_that_name_goes_first(tmp_path):
    (tmp_path / "vermont.toc").write_text("# NUMBER ALTERNATIVES: 2\n1: 1,2\n")
    profile = read_profile("vermont.toc")
    assert (profile.voters, profile.title, profile.notes) == (1, "vermont", ())


def test_samples_are_listed():
    """What is no election says that it is invented."""
    made_up = [f"made-up-{name}.csv" for name in ("clicks", "games", "grades")]
    assert samples() == ("alaska.csv", "burlington.toc", *made_up, "san-francisco.csv", "vermont.toc")
    folder = files("consistency_lab.data").joinpath("samples")
    assert sorted(path.name for path in folder.iterdir()) == list(samples())
    assert [name for name, (_, source) in SAMPLES.items() if source == "invented"] == made_up


def test_a_table_of_games_may_be_a_sample_and_says_so():
    columns = GameColumns("winner", a="model_a", b="model_b")
    (profile,) = Reading(columns).profiles("made-up-games.csv")
    assert set(profile.items) == {"Amber", "Birch", "Coral", "Dune"}
    told = "made-up-games.csv is not in this folder; reading the sample made-up-games.csv in the package"
    assert told in profile.notes


@pytest.mark.parametrize(("stem", "name"), [("burlington", "burlington.toc"), ("alaska", "alaska.csv")])
def test_a_sample_is_found_without_its_ending(stem, name):
    profile = read_profile(stem)
    assert profile.wins == read_profile(name).wins
    assert f"{stem} is not in this folder; reading the sample {name} in the package" in profile.notes


def test_some_items_in_another_order():
    profile = read_profile("vermont.toc", items=["Willhoit", "Fay"])
    assert profile.distribution.items == ("Willhoit", "Fay")
    assert [1960 * profile.distribution.aggregate[i][j] for i, j in ((0, 1), (1, 0))] == [777, 752]
    assert "2 of 4 items are kept; preferences about the others are ignored" in profile.notes
    assert sum(profile.distribution.probabilities) == 1


def test_a_majority_prefers_mar_and_the_logistic_loss_puts_lee_first():
    profile = read_profile("san-francisco.csv")
    mar, lee = profile.items.index("Eric Mar"), profile.items.index("Sue Lee")
    assert (profile.wins[mar][lee], profile.wins[lee][mar]) == (13214, 12782)
    found = audit(profile, ["logistic", "linear", "difference-logistic"], resamples=0, simulations=0)
    firsts = [profile.items[finding.order[0]] for finding in found.findings]
    assert firsts == ["Sue Lee", "Sue Lee", "Eric Mar"]
    verdicts = [finding.certified.verdict for finding in found.findings]
    assert verdicts == [Verdict.INCONSISTENT, Verdict.INCONSISTENT, Verdict.CONSISTENT]
    assert round(float(found.audit.tests.p[mar, lee]), 4) == 0.0075
    witness = check_profile("logistic", profile).witness
    assert witness.fails_under("acyclic") and not witness.verified.conditions["low-noise"]


# The head-to-head counts that the sources publish, winner : loser.
PUBLISHED = [
    ("burlington.toc", "Montroll Kiss Wright", [(4067, 3477), (4597, 3668), (4314, 4064)]),
    ("alaska.csv", "Begich Peltola Palin", [(88126, 79486), (101438, 63666), (91266, 86026)]),
]


@pytest.mark.parametrize(("name", "order", "counts"), PUBLISHED)
def test_counts_are_the_published_ones_and_each_loss_puts_the_condorcet_winner_first(name, order, counts):
    profile = read_profile(name)
    pairs = combinations(map(profile.items.index, order.split()), 2)
    assert [(profile.wins[i][j], profile.wins[j][i]) for i, j in pairs] == counts
    found = audit(profile, ["logistic", "linear", "hinge"], resamples=0, simulations=0)
    assert [profile.items[one.order[0]] for one in found.findings] == [order.split()[0]] * 3
