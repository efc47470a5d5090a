"""The one base exception of the project and its kinds; packages and memory that must be there."""

import os
import re
import signal
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from importlib.util import find_spec
from types import FrameType, MappingProxyType
from typing import Final, NoReturn

__all__ = [
    "EXTRAS",
    "ConsistencyLabError",
    "InputError",
    "NotWrittenError",
    "RejectedError",
    "Terminated",
    "UnsupportedError",
    "did_you_mean",
    "need",
    "need_room",
    "printed",
    "reason",
    "shortened",
    "terminate",
]

_LONGEST: Final = 1000
_HEAD: Final = 300
_TAIL: Final = 500
"""The end of a message says what would be right, so more of it is kept."""

_WORD: Final = re.compile(r"\S{301,}")
_ENDS: Final = 60
"""Of a longer word so many characters are kept at each end."""


def shortened(message: str) -> str:
    """The message without the middle of a name or number that would fill the page."""
    message = _WORD.sub(lambda found: _without_middle(found[0], _ENDS, _ENDS), message)
    return message if len(message) <= _LONGEST else _without_middle(message, _HEAD, _TAIL)


_PLAIN: Final = re.compile(r"[\w./+-]+( [\w./+-]+)*")


def printed(name: str) -> str:
    r"""A name of a stranger's choice, as a line may have it: in quotes unless it is nothing but words.

    So no name reads like a part of the sentence that it stands in, begins a line or steers a terminal.
    """
    return name if _PLAIN.fullmatch(name) else repr(name)


def _one_line(text: str) -> str:
    """The text with what breaks a line or steers a terminal spelled out: a message may quote a stranger."""
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode() for c in text
    )


def _without_middle(text: str, head: int, tail: int) -> str:
    return f"{text[:head]}… ({len(text) - head - tail} characters) …{text[-tail:]}"


class ConsistencyLabError(Exception):
    """Base of every error that this package raises on purpose.

    The message is one sentence that names the offending thing and says what would be right; a long one is
    shortened in the middle.
    """

    def __init__(self, message: str = "") -> None:
        super().__init__(shortened(_one_line(message)))


class InputError(ConsistencyLabError, ValueError):
    """What the user typed, or what a file contains, is not a well-posed question."""


class NotWrittenError(InputError):
    """An answer is there and cannot be written, as on a full disk."""


class UnsupportedError(ConsistencyLabError):
    """The question is well posed, but this version cannot treat it exactly."""


class RejectedError(ConsistencyLabError):
    """A proof or a name beside it is not accepted: the message names the first claim that fails."""


class Terminated(BaseException):
    """Somebody asks the process to end, as `kill` and `timeout` do; files and processes are cleaned up."""


def terminate(number: int, _: FrameType | None) -> NoReturn:
    """How the command handles SIGTERM."""
    signal.signal(number, signal.SIG_DFL)  # who asks twice does not want to wait
    raise Terminated


def reason(error: BaseException) -> str:
    """An error in words; one that is not meant for a reader says what it is."""
    return str(error) if isinstance(error, ConsistencyLabError) else f"{type(error).__name__}: {error}"


def nearest(name: str, known: Iterable[str], most: int = 1, alike: float = 0.6) -> list[str]:
    """The known names that are at least so much `alike` this one (1 if equal), the nearest first."""
    from difflib import get_close_matches

    return get_close_matches(name, known, most, alike)


def did_you_mean(
    name: str,
    known: Collection[str],
    listed: str,
    names: Iterable[str] = (),
    *,
    shown: Callable[[str], str] = repr,
) -> str:
    """The end of a refusal of a name: the nearest one that is known, or else a list of names."""
    near = nearest(name, known)
    return f"did you mean {shown(near[0])}?" if near else f"{listed} {', '.join(names or known)}"


# --- Packages that an extra of this one installs ------------------------------------------------------------

EXTRAS: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "matplotlib": ("Matplotlib", "plot"),
        "distributed": ("Dask", "cluster"),
        "networkx": ("networkx", "graphs"),
        "polars": ("Polars", "tables"),
        "pandas": ("pandas", "frames"),
        "evalica": ("evalica", "ratings"),
        "pref_voting": ("pref_voting", "elections"),
        "cvxpy": ("cvxpy", "convex"),
        "clarabel": ("Clarabel", "convex"),
        "sklearn": ("scikit-learn", "learn"),
        "torch": ("PyTorch", "torch"),
    }
)
"""By the name under which it is imported: what it is called, and the extra that installs it."""


def need(package: str, what: str) -> None:
    """Require a package of `EXTRAS` for what needs it (UnsupportedError: it is not installed)."""
    if find_spec(package) is None:
        name, extra = EXTRAS[package]
        raise UnsupportedError(
            f"{what} needs {name}, which is not installed here; install it with: "
            f"pip install 'consistency-lab[{extra}]'"
        )


# --- Memory -------------------------------------------------------------------------------------------------

ROOM: Final = 640 << 20
"""The address space, in bytes, that NumPy and SciPy take, with what they are loaded for."""


def need_room(size: int = ROOM) -> None:
    """Refuse to load libraries into a limited address space: they would spin, deaf to SIGTERM, or crash."""
    if sys.platform == "win32":
        return
    import resource

    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return
    if limit < size:
        raise UnsupportedError(
            f"the address space is limited to {limit >> 20:,} MB, and this needs {size >> 20:,} MB; allow "
            f"it, as by ulimit -v {size >> 10}"
        )
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # each thread takes 80 MB
