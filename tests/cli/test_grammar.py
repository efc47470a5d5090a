"""How a command line is read, and what its help says."""

from pathlib import Path
from typing import Annotated

import pytest

from consistency_lab.cli.grammar import Argument, Option, read
from consistency_lab.cli.help import command_help
from consistency_lab.errors import InputError


def draw(
    first: Annotated[str, Argument(metavar="FIRST", help="What is drawn.")],
    others: Annotated[list[str] | None, Argument(metavar="[OTHER...]", help="What else is drawn.")] = None,
    h: Annotated[str | None, Option(metavar="EXPR", help="A function.")] = None,
    name: Annotated[
        list[str] | None, Option("--name", metavar="NAME", help="A name; may be repeated.")
    ] = None,
    seed: Annotated[int, Option(metavar="N", help="Where to begin.", panel="Chance")] = 0,
    line_width: Annotated[float | None, Option(metavar="W", help="Of a line.")] = None,
    out: Annotated[Path, Option(metavar="DIR", help="Where the picture goes.")] = Path("pictures"),
    save: Annotated[bool, Option("--save/--no-save", help="Keep it.")] = True,
    json: Annotated[bool, Option(help="Print JSON.")] = False,
) -> int:
    """Draw a picture.

    It may be large.
    """
    return 0


@pytest.mark.parametrize(
    ("line", "values"),
    [
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
def test_what_is_typed_is_what_is_meant(line: str, values: dict[str, object]) -> None:
    assert read(draw, line.split()) == values


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "the argument FIRST is missing"),
        ("--json", "the argument FIRST is missing"),
        ("a --sed 3", "there is no option --sed; did you mean --seed?"),
        ("a -j", "there is no option -j"),
        ("a --seed", "--seed needs a value behind it"),
        ("a --seed x", "--seed is 'x'; it must be an integer"),
        ("a --seed 1.5", "--seed is '1.5'; it must be an integer"),
        ("a --line-width wide", "--line-width is 'wide'; it must be a number"),
        ("a --json=yes", "--json is a flag and takes no value"),
    ],
)
def test_what_cannot_be_read_is_named(line: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        read(draw, line.split())
    assert str(raised.value) == message


def test_one_argument_too_many() -> None:
    def show(file: Annotated[str, Argument(metavar="FILE", help="A file.")]) -> int:
        return 0

    with pytest.raises(InputError, match="'b' is one argument too many"):
        read(show, ["a", "b"])


def test_the_help_names_every_option_with_its_default() -> None:
    assert command_help("lab draw", draw, 60).startswith(
        """\
Usage: lab draw [OPTIONS] FIRST [OTHER...]

Draw a picture.

It may be large.

Arguments:
  FIRST              What is drawn.
  [OTHER...]         What else is drawn.

Options:
  --h EXPR           A function.
  --name NAME        A name; may be repeated.
  --line-width W     Of a line.
  --out DIR          Where the picture goes. [default:
                     pictures]
  --save, --no-save  Keep it. [default: save]
  --json             Print JSON.
  --help             Show this message and exit.

Chance:
  --seed N           Where to begin. [default: 0]

Exit codes: 0 consistent"""
    )


def test_no_line_of_the_help_is_wider_than_the_page() -> None:
    assert all(len(line) <= 50 for line in command_help("lab draw", draw, 50).splitlines())
