"""The help of a command, and of all of them."""

from collections.abc import Iterator, Mapping, Sequence
from textwrap import fill, wrap
from typing import Final

from consistency_lab.cli.exit_codes import EXPLANATION
from consistency_lab.cli.grammar import Argument, Command, Parameter, parameters

_GAP: Final = 2
_LEAST: Final = 28
"""Columns that the right-hand side of a list keeps at least."""

Row = tuple[str, str]


def overview(name: str, about: str, commands: Mapping[str, str], width: int) -> str:
    """The help of the tool.

    Parameters
    ----------
    name, about
        What is typed, and what it is for.
    commands
        The first sentence about each command.
    width
        Columns of a line.
    """
    options = [("--version", "Show the version and exit."), ("--help", "Show this message and exit.")]
    lists = _listed({"Options": options, "Commands": list(commands.items())}, width)
    return "\n".join([f"Usage: {name} COMMAND ...", "", *_paragraphs(about, width), *lists])


def command_help(name: str, command: Command, width: int) -> str:
    """The help of one command."""
    known = parameters(command)
    panels: dict[str, list[Row]] = {"Arguments": [], "Options": []}
    for one in known:
        panel = "Arguments" if isinstance(one.about, Argument) else one.about.panel
        panels.setdefault(panel, []).append(_row(one))
    panels["Options"].append(("--help", "Show this message and exit."))
    words = [_metavar(one) for one in known if isinstance(one.about, Argument)]
    usage = " ".join([f"Usage: {name} [OPTIONS]", *words])
    return "\n".join([usage, "", *_paragraphs(command.__doc__ or "", width), *_listed(panels, width)])


def first_sentence(command: Command) -> str:
    """What a command is for."""
    return " ".join((command.__doc__ or "").split("\n\n")[0].split())


def _metavar(one: Parameter) -> str:
    """In brackets, if it may be left out."""
    shown = one.about.metavar
    return shown if one.required or shown.startswith("[") else f"[{shown}]"


def _row(one: Parameter) -> Row:
    if isinstance(one.about, Argument):
        return one.about.metavar, one.about.help
    left = ", ".join(one.names) + (f" {one.about.metavar}" if one.about.metavar else "")
    default = f" [default: {_default(one)}]" if _has_default(one) else ""
    return left, one.about.help + default


def _has_default(one: Parameter) -> bool:
    return one.default is not None and (one.kind is not bool or len(one.names) > 1)


def _default(one: Parameter) -> str:
    return one.names[0 if one.default else 1].lstrip("-") if one.kind is bool else str(one.default)


def _paragraphs(text: str, width: int) -> Iterator[str]:
    for paragraph in text.strip().split("\n\n"):
        yield fill(" ".join(paragraph.split()), width)
        yield ""


def _listed(panels: Mapping[str, Sequence[Row]], width: int) -> Iterator[str]:
    rows = [row for panel in panels.values() for row in panel]
    column = min(max(len(left) for left, _ in rows) + _GAP, max(_LEAST, width // 2))
    for title, panel in ((title, panel) for title, panel in panels.items() if panel):
        yield f"{title}:"
        for left, right in panel:
            lines = wrap(right, max(_LEAST, width - column - _GAP)) or [""]
            head = f"{'':{_GAP}}{left:{column}}"
            if len(left) + _GAP > column:
                yield f"{'':{_GAP}}{left}"
                head = " " * (_GAP + column)
            yield (head + lines[0]).rstrip()
            yield from (" " * (_GAP + column) + line for line in lines[1:])
        yield ""
    yield fill(EXPLANATION, width)
