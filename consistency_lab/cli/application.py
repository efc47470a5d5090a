"""The commands: where each of them lives, and which one a command line asks for."""

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Final

from consistency_lab.cli.exit_codes import CONSISTENT
from consistency_lab.cli.grammar import Command, read
from consistency_lab.cli.streams import page_width, say
from consistency_lab.errors import InputError
from consistency_lab.version import __version__

NAME: Final = "consistency-lab"
ABOUT: Final = (
    "Decide whether a surrogate ranking loss orders items rightly in the limit of infinite data.\n\n"
    "Floats propose, exact arithmetic decides, and a small separate kernel checks what is shown."
)

COMMANDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "check": "check.check",
        "construct": "construct.construct",
        "search": "search.search",
        "calibration": "calibration.calibration",
        "atlas": "atlas.atlas",
        "audit": "audit.audit",
        "verify": "verify.verify",
        "show": "show.show",
        "list": "listing.list_known",
        "gallery": "gallery.gallery",
        "reproduce": "reproduce.reproduce",
    }
)
"""The module and the function of each command; only that of the command that is asked for is imported."""


def dispatch(words: list[str]) -> int:
    """Run a command and return its exit code.

    Raises
    ------
    InputError
        If there is no such command, or an option is unknown, missing or badly written.
    """
    name, *rest = words or [""]
    if name == "--version":
        say(f"{NAME} {__version__}")
        return CONSISTENT
    if name in COMMANDS:
        command = _command(name)
        if "--help" in rest[: rest.index("--") if "--" in rest else None]:
            from consistency_lab.cli.help import command_help

            say(command_help(f"{NAME} {name}", command, page_width()))
            return CONSISTENT
        try:
            values = read(command, rest)
        except InputError as error:
            raise InputError(f"{error}; see {NAME} {name} --help") from None
        return command(**values)
    if not name or name == "--help":
        from consistency_lab.cli.help import first_sentence, overview

        about = {known: first_sentence(_command(known)) for known in COMMANDS}
        say(overview(NAME, ABOUT, about, page_width()))
        if name:
            return CONSISTENT
        raise InputError(f"a command is missing; see {NAME} --help")
    kind = "option" if name.startswith("-") else "command"
    raise InputError(f"there is no {kind} {name[:40]!r}; see {NAME} --help")


def _command(name: str) -> Command:
    module, _, function = COMMANDS[name].partition(".")
    found: Command = getattr(import_module(f"consistency_lab.cli.{module}"), function)
    return found
