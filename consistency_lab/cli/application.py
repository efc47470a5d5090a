"""The commands: where each of them lives, and which one a command line asks for."""

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Final

from consistency_lab.cli.exit_codes import CONSISTENT
from consistency_lab.cli.grammar import Command, Grammar, Parser, near
from consistency_lab.cli.streams import say
from consistency_lab.errors import InputError
from consistency_lab.version import __version__

NAME: Final = "consistency-lab"
ABOUT: Final = (
    "Decide whether a surrogate ranking loss orders items rightly in the limit of infinite data.\n\n"
    "Floats propose, exact arithmetic decides, and a small core checks what is shown."
)

COMMANDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "check": "check.check",
        "construct": "construct.construct",
        "measure": "measure.measure",
        "calibration": "calibration.calibration",
        "atlas": "atlas.atlas",
        "audit": "audit.audit",
        "aggregate": "aggregate.aggregate",
        "verify": "verify.verify",
        "show": "show.show",
        "list": "listing.list_known",
        "gallery": "gallery.gallery",
        "reproduce": "reproduce.reproduce",
    }
)
"""The module and the function of each command; only that of the command that is asked for is imported."""

ALIASES: Final[Mapping[str, str]] = MappingProxyType({"search": "measure"})
"""Earlier names, which stand in files and scripts."""


def dispatch(words: list[str]) -> int:
    """Run a command and return its exit code.

    Raises
    ------
    InputError
        If there is no such command, or an option is unknown, missing or badly written.
    """
    name, *rest = words or [""]
    name = ALIASES.get(name, name)
    if name == "--version":
        say(f"{NAME} {__version__}")
    elif name in COMMANDS:
        command = _command(name)
        grammar = Grammar(f"{NAME} {name}", command)
        values = grammar.read(rest)
        if values is not None:
            return command(**values)
        grammar.show()
    elif name in ("", "--help"):
        _overview().print_help()
        if not name:
            raise InputError(f"a command is missing; see {NAME} --help")
    else:
        kind = "option" if name.startswith("-") else "command"
        raise InputError(
            f"there is no {kind} {name[:40]!r}{near(name, [*COMMANDS, *ALIASES])}; see {NAME} --help"
        )
    return CONSISTENT


def _overview() -> Parser:
    """The help of the tool."""
    parser = Parser(NAME, ABOUT, usage="%(prog)s COMMAND ...")
    parser.add_argument("--version", action="version", help="show the version and exit")
    parser.add_argument("--help", action="help", help="show this message and exit")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for name in COMMANDS:
        about = (_command(name).__doc__ or "").partition("\n\n")[0]
        earlier = [alias for alias, meant in ALIASES.items() if meant == name]
        commands.add_parser(name, aliases=earlier, help=" ".join(about.split()))
    return parser


def _command(name: str) -> Command:
    module, _, function = COMMANDS[name].partition(".")
    found: Command = getattr(import_module(f"consistency_lab.cli.{module}"), function)
    return found
