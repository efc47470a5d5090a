"""How a command line is read, and what its help says."""

from pathlib import Path
from typing import Annotated

import pytest

from consistency_lab.cli import streams
from consistency_lab.cli.grammar import Argument, Grammar, Option
from consistency_lab.errors import InputError


def draw(
    first: Annotated[str, Argument(metavar="FIRST", help="What is drawn.")],
    others: Annotated[list[str] | None, Argument(metavar="OTHER", help="What else is drawn.")] = None,
    h: Annotated[str | None, Option(metavar="EXPR", help="A function.")] = None,
    name: Annotated[list[str] | None, Option(metavar="NAME", help="A name; may be repeated.")] = None,
    seed: Annotated[int, Option(metavar="N", help="Where to begin.", panel="Chance")] = 0,
    line_width: Annotated[float | None, Option(metavar="W", help="Of a line.")] = None,
    out: Annotated[Path, Option(metavar="DIR", help="Where the picture goes.")] = Path("pictures"),
    save: Annotated[bool, Option(help="Keep it: 100 %.")] = True,
    json: Annotated[bool, Option(help="Print JSON.")] = False,
) -> int:
    """Draw a picture.

    It may be large.
    """
    return 0


@pytest.mark.parametrize(
    ("line", "values"),
    [
        ("a --json b --seed 3 c", {"first": "a", "others": ["b", "c"], "seed": 3, "json": True}),
        ("a --h --nothing", {"first": "a", "h": "--nothing"}),
        ("a -- --seed", {"first": "a", "others": ["--seed"]}),
        ("a --help", None),
        ("--help --sed", None),
        ("-- --help", {"first": "--help"}),
        ("a", {"first": "a"}),
        ("a b c", {"first": "a", "others": ["b", "c"]}),
        ("--seed 3 a --json b", {"first": "a", "others": ["b"], "seed": 3, "json": True}),
        ("a --seed=3", {"first": "a", "seed": 3}),
        ("a --seed -3", {"first": "a", "seed": -3}),
        ("a --h -a**2", {"first": "a", "h": "-a**2"}),
        ("a --h=-a=1", {"first": "a", "h": "-a=1"}),
        ("a --h=", {"first": "a", "h": ""}),
        ("a --name x --name=y", {"first": "a", "name": ["x", "y"]}),
        ("a --seed 1 --seed 2", {"first": "a", "seed": 2}),
        ("a --line-width 0.5 --out x/y", {"first": "a", "line_width": 0.5, "out": Path("x/y")}),
        ("a --no-save", {"first": "a", "save": False}),
        ("a --no-save --save", {"first": "a", "save": True}),
        ("-- --json -x", {"first": "--json", "others": ["-x"]}),
        ("-", {"first": "-"}),
    ],
)
def test_what_is_typed_is_what_is_meant(line: str, values: dict[str, object] | None) -> None:
    assert Grammar("lab draw", draw).read(line.split()) == values


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "the following arguments are required: FIRST"),
        ("--json", "the following arguments are required: FIRST"),
        ("a --sed 3", "there is no option --sed; did you mean --seed?"),
        ("--sed=3", "there is no option --sed; did you mean --seed?"),
        ("a --line 3", "there is no option --line; did you mean --name?"),
        ("a -j", "there is no option -j"),
        ("a --seed", "argument --seed: expected one argument"),
        ("a --seed --json", "argument --seed: expected one argument"),
        ("a --seed x", "argument --seed: invalid int value: 'x'"),
        ("a --seed 1.5", "argument --seed: invalid int value: '1.5'"),
        ("a --line-width wide", "argument --line-width: invalid float value: 'wide'"),
        ("a --json=yes", "argument --json: ignored explicit argument 'yes'"),
    ],
)
def test_what_cannot_be_read_is_named(line: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        Grammar("lab draw", draw).read(line.split())
    assert str(raised.value) == f"{message}; see lab draw --help"


def test_one_argument_too_many() -> None:
    def show(file: Annotated[str, Argument(metavar="FILE", help="A file.")]) -> int:
        return 0

    with pytest.raises(InputError, match=r"^unrecognized arguments: b; see lab show --help$"):
        Grammar("lab show", show).read(["a", "b"])


def shown(width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    monkeypatch.setattr(streams, "PIPE_WIDTH", width)
    Grammar("lab draw", draw).show()
    return capsys.readouterr().out


def test_the_help_names_every_option_with_its_default(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert shown(60, monkeypatch, capsys).startswith(
        """\
usage: lab draw [OPTIONS] FIRST [OTHER...]

Draw a picture.

It may be large.

positional arguments:
  FIRST              What is drawn.
  OTHER              What else is drawn.

options:
  --help             show this message and exit
  --h EXPR           A function.
  --name NAME        A name; may be repeated.
  --line-width W     Of a line.
  --out DIR          Where the picture goes. (default:
                     pictures)
  --save, --no-save  Keep it: 100 %.
  --json             Print JSON.

Chance:
  --seed N           Where to begin. (default: 0)

Exit codes: 0 consistent"""
    )


def test_no_line_of_the_help_is_wider_than_the_page(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert all(len(line) <= 50 for line in shown(50, monkeypatch, capsys).splitlines())
