"""Tables of games that are counted apart, here or on a cluster, and then added up."""

import pytest

from consistency_lab import InputError
from consistency_lab.data.games import GameColumns, read_games, read_parts

GAMES = ["A,B,a\nB,C,b\nA,C,tie\n", "C,A,tie\nB,A,a\nB,B,a\n", "D,A,a\nC,B,a\nA,B,a\n"]
COLUMNS = GameColumns("winner", a="a", b="b")


@pytest.fixture
def parts(tmp_path):
    for k, games in enumerate(GAMES):
        (tmp_path / f"{k}.csv").write_text(f"a,b,winner\n{games}")
    return [tmp_path / f"{k}.csv" for k in range(len(GAMES))]


def test_two_workers_count_what_one_table_holds(parts, tmp_path):
    import distributed

    whole = tmp_path / "all.csv"
    whole.write_text("a,b,winner\n" + "".join(GAMES))
    once = read_games(whole, COLUMNS)
    quiet = {"host": "127.0.0.1", "dashboard_address": None, "silence_logs": "CRITICAL"}
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, **quiet) as running:
        there = read_parts(parts, COLUMNS, scheduler=running.scheduler_address)
    here = read_parts(parts, COLUMNS)
    for found in (here, there):
        assert found.items == once.items and found.share == once.share
        assert found.counts.listed == once.counts.listed and found.ties.listed == once.ties.listed
        assert [one.count for one in found.left] == [one.count for one in once.left] == [1]
    assert here.said == there.said
    assert here.said[0] == "ties counted as half a win for each: 2"
    assert here.said[-1].endswith("1.csv: 1 row is left out: an item is compared with itself (line 4)")


def test_what_cannot_be_counted_apart_is_refused(parts):
    with pytest.raises(InputError, match="counted apart have no clusters"):
        read_parts(parts, GameColumns("winner", a="a", b="b", cluster="judge"))
    with pytest.raises(InputError, match=r"0.csv has no column 'judge'"):
        read_parts(parts, GameColumns("judge", a="a", b="b"))
