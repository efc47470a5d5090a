"""The commands: where each of them lives, and which one a command line asks for."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from consistency_lab.cli.exit_codes import CONSISTENT
from consistency_lab.cli.group import Group
from consistency_lab.cli.streams import say
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
        "experiment": "experiment.experiment",
    }
)
"""The module and the function (or the group) of each command."""

ALIASES: Final[Mapping[str, str]] = MappingProxyType({"search": "measure"})
"""Earlier names, which stand in files and scripts."""


TOOL: Final = Group(
    ABOUT, COMMANDS, aliases=ALIASES, flags=MappingProxyType({"--version": "show the version and exit"})
)
"""All that can be asked."""


def dispatch(words: list[str]) -> int:
    """Run a command and return its exit code.

    Raises
    ------
    InputError
        If there is no such command, or an option is unknown, missing or badly written.
    """
    if words[:1] == ["--version"]:
        say(f"{NAME} {__version__}")
        return CONSISTENT
    return TOOL.run(NAME, words)
