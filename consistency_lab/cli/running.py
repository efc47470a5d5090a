"""The commands, and every way in which one can end: an exit code and at most one sentence."""

import gc
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from types import FrameType, MappingProxyType
from typing import TYPE_CHECKING, Final, NoReturn

from consistency_lab.cli.codes import (
    ANSWER_LOST,
    BAD_QUESTION,
    BROKEN_PIPE,
    CONSISTENT,
    INCONSISTENT,
    INTERRUPTED,
    OWN_ERROR,
    TERMINATED,
)
from consistency_lab.cli.streams import AnswerLostError, need_stdout, prepared_streams, warn
from consistency_lab.errors import (
    ConsistencyLabError,
    NotWrittenError,
    RejectedError,
    Terminated,
    need_room,
    terminate,
)

if TYPE_CHECKING:
    from consistency_lab.cli.command import Command, Group

# --- The commands: where each of them lives, and which one a command line asks for -----------------------

NAME: Final = "consistency-lab"
ABOUT: Final = "Decide whether a ranking loss orders items correctly, given enough data."

SECTIONS: Final[Mapping[str, Sequence[str]]] = MappingProxyType(
    {
        "decide": ("check", "recommend", "explain", "explore", "list"),
        "data": ("audit", "aggregate"),
        "proofs": ("verify", "show", "export", "reproduce", "gallery"),
        "research": (
            "measure",
            "calibration",
            "construct",
            "atlas",
            "experiment",
            "align",
            "embed",
            "exercises",
        ),
    }
)
"""What commands are about."""

_PLACES: Final[Mapping[str, str]] = {
    "check": "consistency_lab.cli.check.Check",
    "recommend": "consistency_lab.cli.construct.Recommend",
    "construct": "consistency_lab.cli.construct.Construct",
    "explain": "consistency_lab.cli.known.Explain",
    "list": "consistency_lab.cli.known.ListKnown",
    "verify": "consistency_lab.cli.witnesses.Verify",
    "show": "consistency_lab.cli.witnesses.Show",
    "gallery": "consistency_lab.cli.witnesses.Gallery",
}


def places() -> Mapping[str, str]:
    """The module and the class (or the group) of each command, those of the apps too."""
    from consistency_lab.cli.apps import APPS  # which a plain `verify` does without

    every = dict(_PLACES)
    for app in APPS.values():
        every |= app.commands
    return {name: every[name] for names in SECTIONS.values() for name in names}


ALIASES: Final[Mapping[str, str]] = MappingProxyType({"search": "measure"})
"""Earlier names, which stand in files and scripts."""

SMALL: Final = frozenset({"verify", "export", "explore"})
"""The commands that do without NumPy."""

ANSWERS: Final = frozenset({"check", "align", "list", "show", "explain", "reproduce", "measure", "atlas"})
"""The commands whose answer is what they print, not their exit code alone."""

COMPLETION: Final = "_CONSISTENCY_LAB_COMPLETE"
"""The variable by which a shell asks what may be typed."""


def tool() -> "Group":
    """All that can be asked."""
    from consistency_lab.cli.command import Group, shows  # with Click, which a plain `verify` does without
    from consistency_lab.version import __version__

    version = shows(["--version"], lambda _: f"{NAME} {__version__}", "Show the version and exit.")
    return Group(NAME, ABOUT, places(), aliases=ALIASES, sections=SECTIONS, options=[version])


def _asked(words: Sequence[str]) -> Sequence[str]:
    """`help check` is another way to write `check --help`."""
    return [*words[1:], "--help"] if words and words[0] == "help" else words


def command(words: Sequence[str]) -> "Command | None":
    """The command that a command line asks for; None if it asked for a help that is shown."""
    from consistency_lab.cli.command import read

    return read(tool(), NAME, _asked(words))


def dispatch(words: Sequence[str]) -> int:
    """Run a command and return its exit code."""
    if COMPLETION in os.environ:
        from click.shell_completion import shell_complete

        return shell_complete(tool(), {}, NAME, COMPLETION, os.environ[COMPLETION])
    if words[:1] == ["verify"] and words[1:] and not any(word.startswith("-") for word in words):
        from consistency_lab.cli.verify import verify_files  # without Click, which takes as long to load

        return verify_files(words[1:])
    asked = command(words)
    if asked is None:
        return CONSISTENT
    if words[0] in ANSWERS:
        need_stdout()
    if words[0] not in SMALL:
        need_room()
    return asked.run()


# --- Run one command: every way in which it can end becomes an exit code and at most one sentence --------

_YOUNG: Final = 50_000
"""So many new objects are looked through for garbage at once: with 700, loading alone does it 120 times."""


def main() -> NoReturn:
    """Run the command that the process was started with."""
    gc.set_threshold(_YOUNG)
    signal.signal(signal.SIGTERM, terminate)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # else it is ignored, as after nohup
        signal.signal(signal.SIGINT, _interrupt)
    sys.exit(run(sys.argv[1:]))


def _interrupt(number: int, _: FrameType | None) -> NoReturn:
    """The first Ctrl-C; that there was one can be told by the handler that it leaves."""
    signal.signal(number, _interrupt_again)
    raise KeyboardInterrupt


def _interrupt_again(_: int, __: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


def run(arguments: Sequence[str]) -> int:
    """Run a command line and return the exit code."""
    with prepared_streams():
        try:
            return _ended(list(arguments))
        except AnswerLostError as error:
            if isinstance(error.cause, BrokenPipeError):  # as in `| head`: nobody is left to be told
                return BROKEN_PIPE
            warn(str(error))
            return ANSWER_LOST


def _ended(arguments: list[str]) -> int:
    try:
        code = _run(arguments)
        sys.stdout.flush()
    except AnswerLostError:
        raise
    except KeyboardInterrupt:
        warn("interrupted before an answer was ready")
        return INTERRUPTED
    except Terminated:
        warn("terminated before an answer was ready")
        return TERMINATED
    except BaseException:  # an error of ours must not end with a code that reads as an answer
        if signal.getsignal(signal.SIGINT) is _interrupt_again:
            # NumPy, while it is imported, makes another error of it.
            warn("interrupted before an answer was ready")
            return INTERRUPTED
        import traceback

        traceback.print_exc()
        warn("this is a bug in consistency-lab; please report it with the lines above")
        return OWN_ERROR
    return code


def _run(arguments: list[str]) -> int:
    try:
        return dispatch(arguments)
    except RejectedError as error:
        warn(f"REJECTED {error}")
        return INCONSISTENT
    except NotWrittenError as error:
        warn(str(error))
        return ANSWER_LOST
    except ConsistencyLabError as error:
        warn(str(error))
        return BAD_QUESTION
    except MemoryError:
        warn("there is not enough memory for this; give it more, or ask about less")
        return BAD_QUESTION
    except SystemExit as ending:  # nothing here calls exit, so its code is no answer of ours
        warn(f"your code called exit({ending.code!r}); it must return, or raise an error")
        return BAD_QUESTION
