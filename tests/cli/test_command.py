"""How a command line is read, what its help says, and commands that have commands of their own."""

import io
import re
import sys
from pathlib import Path
from typing import Literal

import click
import pytest

from consistency_lab.apps.learn.experiments.command import EXPERIMENTS
from consistency_lab.cli import arguments, streams
from consistency_lab.cli.command import Command, argument, leaf, option, read
from consistency_lab.cli.losses import refuse_with_target, refuse_without_target
from consistency_lab.cli.question import command_line
from consistency_lab.cli.running import COMPLETION, places, tool
from consistency_lab.cli.streams import progress, warn
from consistency_lab.errors import InputError
from docs.tables import TABLES


class Draw(Command):
    """Draw a picture.

    It may be large.
    """

    first: str = argument("What is drawn.", metavar="FIRST")
    others: tuple[str, ...] = argument("What else is drawn.", (), metavar="OTHER")
    h: str | None = option("A function.", metavar="EXPR")
    name: tuple[str, ...] = option("A name; may be repeated.", (), metavar="NAME")
    seed: int = option("Where to begin.", 0, metavar="N", panel="Chance")
    line_width: float | None = option("Of a line.", metavar="W", rare=True)
    style: Literal["dashed", "dotted"] = option("Of all lines.", "dashed")
    sizes: tuple[int, ...] = option("Of the page.", "4,3", metavar="N,N", read=arguments.whole_numbers)
    out: Path = option("Where the picture goes.", Path("pictures"), metavar="DIR")
    save: bool = option("Keep it: 100 %.", True)
    json: bool = option("Print JSON.", False)

    def run(self):
        return 0


UNSAID = {
    "others": (),
    "h": None,
    "name": (),
    "seed": 0,
    "line_width": None,
    "style": "dashed",
    "sizes": (4, 3),
    "out": Path("pictures"),
    "save": True,
    "json": False,
}


def drawn(words):
    """The values of a command line; None if it asks for the help."""
    command = read(leaf("draw", Draw), "lab draw", words)
    return None if command is None else vars(command)


@pytest.mark.parametrize(
    ("line", "values"),
    [
        ("a --json b --seed 3 c", {"first": "a", "others": ("b", "c"), "seed": 3, "json": True}),
        ("a --h --nothing", {"first": "a", "h": "--nothing"}),
        ("a -- --seed", {"first": "a", "others": ("--seed",)}),
        ("a --help", None),
        ("-h", None),
        ("--help --seed=x", None),
        ("-- --help", {"first": "--help"}),
        ("a", {"first": "a"}),
        ("a b c", {"first": "a", "others": ("b", "c")}),
        ("--seed 3 a --json b", {"first": "a", "others": ("b",), "seed": 3, "json": True}),
        ("a --seed=3", {"first": "a", "seed": 3}),
        ("a --seed -3", {"first": "a", "seed": -3}),
        ("a --h -a**2", {"first": "a", "h": "-a**2"}),
        ("a --h=-a=1", {"first": "a", "h": "-a=1"}),
        ("a --h=", {"first": "a", "h": ""}),
        ("a --name x --name=y", {"first": "a", "name": ("x", "y")}),
        ("a --line-width 0.5 --out x/y", {"first": "a", "line_width": 0.5, "out": Path("x/y")}),
        ("a --no-save", {"first": "a", "save": False}),
        ("a --no-save --save", {"first": "a", "save": True}),
        ("-- --json -x", {"first": "--json", "others": ("-x",)}),
        ("-", {"first": "-"}),
        ("a --style dotted --sizes 5,1", {"first": "a", "style": "dotted", "sizes": (5, 1)}),
    ],
)
def test_what_is_typed_is_what_is_meant(line, values):
    assert drawn(line.split()) == (None if values is None else UNSAID | values)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "missing argument 'FIRST'"),
        ("--json", "missing argument 'FIRST'"),
        ("a --sed 3", "there is no option --sed; did you mean --seed?"),
        ("--sed=3", "there is no option --sed; did you mean --seed?"),
        ("--help --sed", "there is no option --sed; did you mean --seed?"),
        ("a --line 3", "there is no option --line"),
        ("a -j", "there is no option -j"),
        ("a --seed", "option '--seed' requires an argument"),
        ("a --seed --json", "option '--seed' requires an argument"),
        ("a --out --json", "option '--out' requires an argument"),
        ("a --name x --name --no-save", "option '--name' requires an argument"),
        ("a --seed x", "invalid value for '--seed': 'x' is not a valid integer"),
        ("a --seed 1.5", "invalid value for '--seed': '1.5' is not a valid integer"),
        ("a --line-width wide", "invalid value for '--line-width': 'wide' is not a valid float"),
        ("a --json=yes", "option '--json' does not take a value"),
    ],
)
def test_what_cannot_be_read_is_named(line, message):
    with pytest.raises(InputError) as raised:
        drawn(line.split())
    assert str(raised.value) == f"{message}; see lab draw --help"


def test_a_value_that_is_not_known_is_told_with_those_that_are():
    with pytest.raises(InputError, match=r"^--style is 'wavy'; it must be one of dashed, dotted$"):
        drawn(["a", "--style", "wavy"])
    with pytest.raises(InputError, match=r"^--sizes is '4x3'; it must read like 1,10,100$"):
        drawn(["a", "--sizes", "4x3"])


def test_one_argument_too_many():
    class Show(Command):
        file: str = argument("A file.", metavar="FILE")

        def run(self):
            return 0

    with pytest.raises(InputError, match=r"^got unexpected extra argument \(b\); see lab show --help$"):
        read(leaf("show", Show), "lab show", ["a", "b"])


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("consistency-lab ver", {"verify"}),
        ("consistency-lab experiment ", {"movielens", "web", "judges"}),
        ("consistency-lab check --stop", {"--stop-after"}),
        ("consistency-lab check logistic --condition low", {"low-noise"}),
        ("consistency-lab check softm", {"softmax"}),
    ],
)
def test_a_shell_is_told_what_may_be_typed(cli, monkeypatch, typed, offered):
    for name, value in (
        ("COMP_WORDS", typed),
        ("COMP_CWORD", str(typed.count(" "))),
        (COMPLETION, "bash_complete"),
    ):
        monkeypatch.setenv(name, value)
    assert {line.partition(",")[2] for line in cli().out.splitlines()} == offered


def shown(width, more, monkeypatch, capsys):
    monkeypatch.setattr(streams, "PIPE_WIDTH", width)
    drawn(["--help", *more.split()])
    return capsys.readouterr().out


def test_the_help_names_every_option_with_its_default(monkeypatch, capsys):
    told = shown(60, "--all", monkeypatch, capsys)
    assert told.startswith(
        "Usage: lab draw [OPTIONS] FIRST [OTHER...]\n\n  Draw a picture.\n\n  It may be large.\n"
    )
    for line in (
        "  FIRST       What is drawn.",
        "  --h EXPR                 A function.",
        "  --style [dashed|dotted]  Of all lines.  [default: dashed]",
        "  --out DIR                Where the picture goes.\n                           [default: pictures]",
        "  --save / --no-save       Keep it: 100 %.",
        "  --all                    With --help: also what few need.",
        "\nChance:\n  --seed N  Where to begin.  [default: 0]\n\n  Exit codes: 0 consistent",
    ):
        assert line in told


def test_a_help_leaves_out_what_few_need_and_says_so(monkeypatch, capsys):
    short = shown(60, "", monkeypatch, capsys)
    assert "--line-width" not in short and "Exit codes" not in short and "--seed" in short
    assert short.endswith("--help --all shows 1 more option and the exit codes.\n")
    with pytest.raises(InputError, match=r"^--all belongs to a help: lab draw --help --all"):
        drawn(["a", "--all"])


def test_an_option_that_is_given_twice_is_refused(cli):
    """The first value would be lost; what may be repeated, such as --condition, is not meant."""
    ran = cli("audit vermont.toc --loss hinge --loss logistic")
    assert ran.code == 2
    assert ran.err.startswith("--loss is given twice; give it once")
    ran = cli("check linear --condition low-noise --condition net-order --no-save")
    assert ran.code == 0


def test_the_tables_of_the_site_have_every_option_and_the_document_no_other():
    """`make docs` puts the tables in place of a line of docs/cli.md."""
    text = Path(__file__).parents[2].joinpath("docs", "cli.md").read_text("utf-8")
    assert "\n<!-- table: options -->\n" in text
    _, *tables = TABLES["options"]().split("### Options of ")
    told = set()
    for table in tables:
        command = tool()
        for word in table.splitlines()[0].split():
            command = command.get_command(click.Context(command), word)
        assert command.help and command.help.split("\n\n")[0].split() == table.splitlines()[2].split()
        options = {one.opts[0] for one in command.params if isinstance(one, click.Option)} - {"-h", "--all"}
        assert set(re.findall(r"^\| `(--[a-z-]+)", table, re.MULTILINE)) == options
        told |= options
    assert len(tables) == len(places()) - 1 + 3  # of the experiments
    assert set(re.findall(r"`(--[a-z][a-z-]*)", text)) <= told | {"--at", "--all", "--help"}


def test_the_help_has_every_experiment_and_each_has_its_own(cli):
    shown = cli("experiment --help").out
    assert shown.startswith("Usage: consistency-lab experiment EXPERIMENT ...")
    for name in EXPERIMENTS:
        ran = cli("experiment", name, "--help")
        assert f"\n  {name}" in shown and (ran.code, ran.err) == (0, "")
        assert ran.out.startswith(f"Usage: consistency-lab experiment {name} ")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "an experiment is missing"),
        (("movilens",), "there is no experiment 'movilens'; did you mean movielens?"),
        (("--seed",), "there is no option --seed"),
    ],
)
def test_one_sentence_says_which_there_are(cli, words, said):
    ran = cli("experiment", *words)
    assert (ran.code, ran.err) == (2, f"{said}; see consistency-lab experiment --help\n")
    assert bool(ran.out) is not bool(words)


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_bar_counts_what_is_done(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", Terminal())
    with progress(3) as tell:
        tell("the first [half]")
    assert "1/3" in sys.stderr.getvalue()
    assert "the first [half]" in sys.stderr.getvalue()


def test_nothing_is_shown_where_nobody_looks(capsys):
    with progress(2) as tell:
        tell("one")
    assert capsys.readouterr() == ("", "")


def test_a_run_leaves_a_line_for_each_piece_where_nobody_looks(capsys):
    with progress(otherwise=warn) as tell:
        tell("one")
    assert capsys.readouterr() == ("", "one\n")


def test_a_command_that_is_killed_leaves_the_terminal_its_cursor(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", Terminal())
    with progress():
        written = sys.stderr.getvalue()
    hidden, shown = (written.rfind(code) for code in ("\x1b[?25l", "\x1b[?25h"))
    assert 0 <= hidden < shown


@pytest.mark.parametrize(
    ("read", "text", "expected"),
    [
        (arguments.whole(1, 64), "8", 8),
        (arguments.item_numbers, "2, 4..6", (2, 4, 5, 6)),
        (arguments.label_values, "0..2", (0, 1, 2)),
        (arguments.label_values, "0, 1, 3", (0, 1, 3)),
        (arguments.label_values, " 0, 1,2", (0, 1, 2)),
        (arguments.label_values, "Rankings", "rankings"),
        (arguments.whole_numbers, "1, 10,100", (1, 10, 100)),
        (arguments.decimals, "1e-3,0.5", (0.001, 0.5)),
        (arguments.chosen_items, "Fay, Willhoit", ("Fay", "Willhoit")),
        (arguments.chosen_items, '"Lee, Sue",Willhoit', ("Lee, Sue", "Willhoit")),
    ],
)
def test_what_is_read(read, text, expected):
    assert read("--option", text) == expected


def test_what_to_type_for_the_same_answer():
    asked = {"--target": "ndcg", "--condition": ("any", "low-noise"), "--profile": "folder/v.toc"}
    assert command_line("check", "regression", asked) == (
        "consistency-lab check regression --target ndcg --condition any --condition low-noise --profile v.toc"
    )


def test_a_name_belongs_to_one_question():
    refuse_without_target("logistic")
    refuse_with_target("softmax")
    for refuse, name in ((refuse_without_target, "zhang"), (refuse_with_target, "difference-logistic")):
        with pytest.raises(InputError, match=f"^{name} is a surrogate of "):
            refuse(name)
