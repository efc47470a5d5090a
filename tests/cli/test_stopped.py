"""Work is counted; a clock only stops it, and the answer admits to that."""

from itertools import count

import pytest

ASKED = ("check", "difference-hinge", "--condition", "any", "--items", "3", "--no-save", "--json")


def test_the_command_says_that_the_clock_ended_it(cli, monkeypatch):
    monkeypatch.setattr("consistency_lab.search.effort.monotonic", count(1e9, 1000.0).__next__)
    assert cli(*ASKED).code == 1
    ran = cli(*ASKED, "--stop-after", "5")
    assert ran.code == 4
    assert (ran.document["verdict"], ran.document["effort"]["stopped_by_clock"]) == ("UNDECIDED", True)
    assert "stopped by the clock after 5 s" in ran.document["answers"][0]["reason"]
    assert "stopped by the clock after 5 s" in ran.err


def test_so_does_another(cli, monkeypatch):
    monkeypatch.setattr("consistency_lab.search.effort.monotonic", count(1e9, 1000.0).__next__)
    ran = cli("measure margin-logistic --condition additive --stop-after 5")
    assert ran.code == 4
    assert "stopped by the clock after 5 s" in ran.err


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf"])
def test_a_clock_needs_seconds(refused, seconds):
    assert "--stop-after" in refused(*ASKED, "--stop-after", seconds)


def test_cells_of_an_atlas_are_never_stopped(refused):
    assert "--stop-after does not fit" in refused("measure --surrogates hinge,logistic --stop-after 5")
