"""The commands and their options."""

from typing import Annotated, Final, Protocol, runtime_checkable

import typer

from consistency_lab.cli.atlas import atlas
from consistency_lab.cli.calibration import calibration
from consistency_lab.cli.check import check
from consistency_lab.cli.construct import construct
from consistency_lab.cli.exit_codes import EXPLANATION
from consistency_lab.cli.gallery import gallery
from consistency_lab.cli.listing import list_known
from consistency_lab.cli.reproduce import reproduce
from consistency_lab.cli.search import search
from consistency_lab.cli.show import show
from consistency_lab.cli.streams import say
from consistency_lab.cli.verify import verify
from consistency_lab.errors import InputError

NAME: Final = "consistency-lab"


def application() -> typer.Typer:
    """The whole command line."""
    app = typer.Typer(name=NAME, add_completion=False, no_args_is_help=True, epilog=EXPLANATION)
    app.callback()(_start)
    app.command(epilog=EXPLANATION)(check)
    app.command(epilog=EXPLANATION)(construct)
    app.command(epilog=EXPLANATION)(search)
    app.command(epilog=EXPLANATION)(calibration)
    app.command(epilog=EXPLANATION)(atlas)
    app.command(epilog=EXPLANATION)(verify)
    app.command(epilog=EXPLANATION)(show)
    app.command("list", epilog=EXPLANATION)(list_known)
    app.command(epilog=EXPLANATION)(gallery)
    app.command(epilog=EXPLANATION)(reproduce)
    return app


def dispatch(arguments: list[str]) -> int:
    """Run a command and return its exit code.

    Raises
    ------
    InputError
        If there is no such command, or an option is unknown, missing or badly written.
    """
    try:
        # Not command.main(): that one turns a closed pipe into exit code 1, which here means something else.
        command = typer.main.get_command(application())
        with command.make_context(NAME, arguments) as context:
            return int(command.invoke(context) or 0)
    except typer.Exit as ending:
        return ending.exit_code
    except typer.Abort:
        raise KeyboardInterrupt from None
    except Exception as error:
        if not isinstance(error, _UsageError):
            raise
        message = error.format_message().rstrip(".") or "a command is missing"
        raise InputError(f"{message}; see {NAME} --help") from None


@runtime_checkable
class _UsageError(Protocol):
    """What Typer raises for a command line that it cannot read; where the class lives differs by version."""

    exit_code: int

    def format_message(self) -> str:
        """What is wrong."""


def _version(wanted: bool) -> None:
    if not wanted:
        return
    from importlib.metadata import PackageNotFoundError, version

    try:
        found = version(NAME)
    except PackageNotFoundError:
        found = "(not installed)"
    say(f"{NAME} {found}")
    raise typer.Exit


def _start(
    _: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Decide whether a surrogate ranking loss orders items rightly in the limit of infinite data.

    Floats propose, exact arithmetic decides, and a small separate kernel checks what is shown.
    """
