"""Elo in the order of time: it needs times, and only its order is compared with the majorities."""

import json
import random
import sys

import numpy as np
import pytest

from consistency_lab import Reading, Verdict
from consistency_lab.apps.audit.audit import audit
from consistency_lab.apps.audit.screen import line1
from consistency_lab.apps.audit.words import Facts, answer
from consistency_lab.cli.running import run

GAMES = [("A", "B"), ("A", "B"), ("A", "B"), ("B", "C"), ("C", "A"), ("B", "A"), ("B", "A"), ("C", "B")]
QUICK = ("--resamples", "40", "--simulations", "0", "--no-flips")


def by_hand(games, k=4):
    """One game after another, each by the formula of A. Elo (1978)."""
    ratings = dict.fromkeys(sorted({one for game in games for one in game}), 1000.0)
    for winner, loser in games:
        change = k / (1 + 10 ** ((ratings[winner] - ratings[loser]) / 400))
        ratings[winner] += change
        ratings[loser] -= change
    return ratings


def written(folder, head, rows, name="games.csv"):
    path = folder / name
    path.write_text("\n".join([head, *rows]) + "\n", encoding="utf-8")
    return path


def in_order(folder, games):
    return written(
        folder, "date,winner,loser", [f"{k},{one},{other}" for k, (one, other) in enumerate(games)]
    )


def audited(path, losses=("elo",), **options):
    (profile,) = Reading(ordered=True, **options).profiles(path)
    return audit(profile, losses, resamples=40, simulations=0)


@pytest.mark.parametrize(
    ("column", "times"),
    [
        ("tstamp", [f"2026-05-{day:02}" for day in range(1, 9)]),
        ("UTCDate", [f"2026-05-31T10:0{minute}:00+02:00" for minute in range(8)]),
        ("played at", [str(seconds) for seconds in range(9, 17)]),
        ("tstamp", [f"{seconds}.5" for seconds in range(1_760_000_000, 1_760_000_008)]),
    ],
)
def test_games_are_rated_by_their_times_and_not_by_their_rows(tmp_path, column, times):
    rows = [f"{when},{winner},{loser}" for when, (winner, loser) in zip(times, GAMES, strict=True)]
    expected = by_hand(GAMES)
    for seed in range(3):
        random.Random(seed).shuffle(rows)
        found = audited(written(tmp_path, f"{column},winner,loser", rows))
        scores = dict(zip(found.profile.items, found.findings[0].scores.tolist(), strict=True))
        assert scores == pytest.approx(expected)
    assert by_hand(GAMES) != pytest.approx(by_hand(GAMES[::-1]))


def test_pgn_has_its_dates_in_tags(tmp_path):
    games = [
        f'[UTCDate "2026.05.{20 - k:02}"]\n[White "{winner}"]\n[Black "{loser}"]\n[Result "1-0"]\n\n1. e4\n'
        for k, (winner, loser) in enumerate(GAMES)
    ]
    found = audited(written(tmp_path, "", games, "games.pgn"))
    scores = dict(zip(found.profile.items, found.findings[0].scores.tolist(), strict=True))
    assert scores == pytest.approx(by_hand(GAMES[::-1]))


@pytest.mark.parametrize(
    ("head", "rows", "why"),
    [
        ("winner,loser", ["A,B", "B,C"], "needs a column of their times, such as date"),
        ("winner,loser,date", ["A,B,2026-05-31", "B,C,"], "but one has none"),
        ("winner,loser,date", ["A,B,05/31/2026", "B,C,2026-05-31"], "but one has '05/31/2026'"),
        ("winner,loser,date", ["A,B,1780000000", "B,C,2026-05-31"], "some are dates and some are numbers"),
        ("winner,loser,date,count", ["A,B,2026-05-31,2", "B,C,2026-05-31,1"], "a row stands for several"),
        ("A,B,3", ["B,C,2"], "needs a column of their times"),
    ],
)
def test_without_an_order_one_sentence_says_why_and_the_rest_goes_on(tmp_path, capsys, head, rows, why):
    path = written(tmp_path, head, rows)
    assert run(["audit", str(path), "--loss", "elo,linear", *QUICK]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert said.count("elo is skipped") == 1 and why in said
    assert "by linear" in said and "by elo" not in said


def test_elo_may_contradict_majorities_and_is_never_called_consistent(tmp_path):
    """B loses 100 of 190 games to A, but wins the last 90."""
    games = [("A", "B")] * 100 + [("B", "A")] * 90
    found = audited(in_order(tmp_path, games))
    (finding,) = found.findings
    (one,) = finding.contradictions
    assert [found.profile.items[i] for i in (one.above, one.below)] == ["A", "B"]
    assert (one.votes, one.against) == (100, 90)
    assert finding.certified.verdict is Verdict.UNDECIDED
    assert finding.stability is None and finding.flip is None
    told = answer(Facts(found))
    assert told.count("Elo (in time order, evalica, K=4)") == 1
    assert "goes against one majority, 100 : 90 for A over B" in told
    assert "above noise" not in line1(Facts(found))


def test_a_contradicted_majority_above_chance_is_left_open_as_nothing_is_drawn_again(tmp_path):
    games = [("A", "B")] * 400 + [("B", "A")] * 200
    found = audited(in_order(tmp_path, games))
    assert len(found.findings[0].contradictions) == 1 and found.findings[0].above_noise is None
    assert "as games in time order are not drawn again, it is unknown" in answer(Facts(found))


def test_ties_are_draws_unless_they_are_left_out_and_items_may_be_chosen(tmp_path):
    rows = ["1,A,B,A", "2,A,B,tie", "3,C,A,C", "4,A,B,B"]
    path = written(tmp_path, "date,a,b,winner", rows)
    assert audited(path, ties="drop", select=("B", "A")).findings[0].scores == pytest.approx(
        np.array([by_hand([("A", "B"), ("B", "A")])[one] for one in "BA"])
    )
    half = audited(path, select=("B", "A")).findings[0].scores
    assert half.sum() == pytest.approx(2000) and half[0] > 1000


def test_what_is_written_has_elo_like_the_losses(tmp_path, capsys):
    path = in_order(tmp_path, GAMES)
    page = tmp_path / "page.html"
    assert run(["audit", str(path), "--loss", "elo,linear", "--json", "--html", str(page), *QUICK]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [one["loss"] for one in found["findings"]] == ["elo", "linear"]
    assert found["findings"][0]["title"] == "Elo (in time order, evalica, K=4)"
    assert "Elo (in time order, evalica, K=4)" in page.read_text(encoding="utf-8")


def test_without_evalica_one_sentence_says_what_to_install(tmp_path, monkeypatch, capsys):
    path = written(tmp_path, "date,winner,loser", ["1,A,B", "2,B,C"])
    monkeypatch.setitem(sys.modules, "evalica", None)
    assert run(["audit", str(path), "--loss", "elo", *QUICK]) == 2
    assert capsys.readouterr().err.endswith("install it with: pip install 'consistency-lab[ratings]'\n")
