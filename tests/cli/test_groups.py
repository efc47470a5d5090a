"""A command that has commands of its own."""

import io
import sys

import pytest

from consistency_lab.apps.learn.experiments.command import EXPERIMENTS
from consistency_lab.cli.streams import progress, warn


def test_the_help_has_every_experiment(cli) -> None:
    ran = cli("experiment", "--help")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("Usage: consistency-lab experiment EXPERIMENT ...")
    assert all(f"\n  {name}" in ran.out for name in EXPERIMENTS)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_each_has_a_help_of_its_own(cli, name: str) -> None:
    ran = cli("experiment", name, "--help")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(f"Usage: consistency-lab experiment {name} ")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "an experiment is missing"),
        (("movilens",), "there is no experiment 'movilens'; did you mean movielens?"),
        (("--seed",), "there is no option --seed"),
    ],
)
def test_one_sentence_says_which_there_are(cli, words: tuple[str, ...], said: str) -> None:
    """Without a name the help is shown as well."""
    ran = cli("experiment", *words)
    assert (ran.code, ran.err) == (2, f"{said}; see consistency-lab experiment --help\n")
    assert bool(ran.out) is not bool(words)


def test_an_option_is_that_of_the_experiment(cli) -> None:
    ran = cli("experiment", "movielens", "--dat", "x")
    assert ran.err.startswith("there is no option --dat; did you mean --data?; see consistency-lab ")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_bar_counts_what_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", Terminal())
    with progress(3) as tell:
        tell("the first [half]")
    assert "1/3" in sys.stderr.getvalue()
    assert "the first [half]" in sys.stderr.getvalue()


def test_nothing_is_shown_where_nobody_looks(capsys: pytest.CaptureFixture[str]) -> None:
    with progress(2) as tell:
        tell("one")
    assert capsys.readouterr() == ("", "")


def test_a_run_leaves_a_line_for_each_piece_where_nobody_looks(capsys: pytest.CaptureFixture[str]) -> None:
    with progress(otherwise=warn) as tell:
        tell("one")
    assert capsys.readouterr() == ("", "one\n")


def test_a_command_that_is_killed_leaves_the_terminal_its_cursor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", Terminal())
    with progress():
        written = sys.stderr.getvalue()
    hidden, shown = (written.rfind(code) for code in ("\x1b[?25l", "\x1b[?25h"))
    assert 0 <= hidden < shown
