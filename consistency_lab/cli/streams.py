"""Text to stdout and stderr that never crashes and never runs, tables, and progress."""

import codecs
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from errno import EBADF
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TextIO, cast, final

from consistency_lab.shown import WIDTH

if TYPE_CHECKING:
    from rich.table import Table

    from consistency_lab.show.text import Line


# --- Text to stdout and stderr that never crashes and never runs -----------------------------------------
# Symbols are spelled, control codes shown.

PIPE_WIDTH: Final = WIDTH

_HANDLER: Final = "consistency_lab.spell"

_SYMBOLS: Final = (
    "→ ->;≥ >=;≤ <=;≠ !=;≈ ~;∈ in;∞ oo;∉ not in;ℓ l;∂ d;√ sqrt;∏ product;⇒ implies;⊂ inside;"
    "⊊ properly inside;≡ ==;≻ >;ᵀ ^T;² ^2;½ 1/2;⅓ 1/3;₁ _1;₂ _2;✓ yes;ä a;è e;Σ sum;· *;− -;– -;… ...;"
    "─ -;⟨ <;⟩ >;× x;§ section ;′ ';"
    "α alpha;β beta;γ gamma;δ delta;ε epsilon;θ theta;λ lambda;ν nu;π pi;σ sigma;τ tau;φ phi;ψ psi"
)
_SPELLED: Final = {pair[0]: pair[2:] for pair in _SYMBOLS.split(";")}
"""For encodings that lack a symbol."""


def _spell(error: UnicodeError) -> tuple[str | bytes, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lost = error.object[error.start : error.end]
    spelled = "".join(
        _SPELLED.get(character) or character.encode("ascii", "backslashreplace").decode()
        for character in lost
    )
    return spelled, error.end


class AnswerLostError(Exception):
    """What is printed to stdout does not arrive; the cause says why."""

    def __init__(self, cause: OSError) -> None:
        super().__init__(f"the answer cannot be written: {(cause.strerror or str(cause)).lower()}")
        self.cause = cause


@final
class _Stream:
    """A stream that, when it cannot be written to, forgets its buffer, as Python would try again at exit."""

    def __init__(self, stream: TextIO, lost: Callable[[OSError], None], closed: bool = False) -> None:
        self._stream = stream
        self._lost = lost
        self._error: OSError | None = None
        self.is_closed = closed

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        self._attempt(self._stream.write, text)
        return len(text)

    def flush(self) -> None:
        self._attempt(self._stream.flush)

    def _attempt(self, what: Callable[..., object], *given: str) -> None:
        try:
            what(*given)
        except OSError as error:
            self._error = error
            with suppress(OSError, ValueError):  # it may not be a real file
                os.dup2(os.open(os.devnull, os.O_WRONLY), self._stream.fileno())
        if self._error is not None:
            self._lost(self._error)


def _lose_answer(error: OSError) -> None:
    raise AnswerLostError(error) from None


@contextmanager
def prepared_streams() -> Iterator[None]:
    """While a command runs: what an encoding lacks is spelled, and every stream is there.

    A closed stdin is empty. A closed stdout is /dev/null: whoever closes it wants the exit code alone, unless
    the command `need_stdout`. A stdout that cannot be written to raises `AnswerLostError`; words for a stderr
    that cannot be written to are lost.
    """
    codecs.register_error(_HANDLER, _spell)
    _occupy_closed_descriptors()
    before = sys.stdin, sys.stdout, sys.stderr
    nowhere = partial(Path(os.devnull).open, encoding="utf-8")
    sys.stdin = before[0] or nowhere("r")
    out, err = (stream or nowhere("w") for stream in before[1:])
    for stream in (out, err):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors=_HANDLER)
    sys.stdout = cast("TextIO", _Stream(out, _lose_answer, closed=before[1] is None))
    # Nobody can be told of words that are lost, and the answer does not depend on them.
    sys.stderr = cast("TextIO", _Stream(err, lambda _: None))
    try:
        yield
    finally:
        sys.stdin, sys.stdout, sys.stderr = before


def need_stdout() -> None:
    """Find out whether stdout is there, for a command that answers by nothing else (AnswerLostError)."""
    if getattr(sys.stdout, "is_closed", False):
        raise AnswerLostError(OSError(EBADF, "stdout is closed"))


def _occupy_closed_descriptors() -> None:
    """A file that is opened later must not become what a solver takes for stdout."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # the lowest free number, so this one


def knows_unicode() -> bool:
    """Whether stdout can show every character."""
    return (getattr(sys.stdout, "encoding", None) or "ascii").lower().replace("_", "-") in ("utf-8", "utf8")


def shown(text: str) -> str:
    """The text with control characters made visible: a file must not steer the terminal."""
    if text.replace("\n", "").replace("\t", "").isprintable():
        return text
    return "".join(
        c if c.isprintable() or c in "\n\t" else c.encode("unicode_escape", "surrogatepass").decode()
        for c in text
    )


def page_width() -> int:
    """How many columns a line on stdout may take: those of the terminal, or `PIPE_WIDTH`."""
    if not sys.stdout.isatty():
        return PIPE_WIDTH
    from shutil import get_terminal_size  # which imports every kind of archive

    return get_terminal_size().columns


def say(line: str) -> None:
    """Print one line of plain text to stdout: it is part of the answer."""
    print(shown(line))


def say_report(report: "Iterable[Line | Table]") -> None:
    """Print lines, paragraphs and tables to stdout; on a terminal the words of a verdict have colors."""
    from consistency_lab.show.text import Line, rendered

    painted = sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    for part in report:
        if isinstance(part, Line):
            for line in rendered([part], page_width()):
                print(_VERDICT.sub(_painted, shown(line)) if painted else shown(line))
        else:
            _say_table(part)


_COLORS: Final = {"right": 32, "wrong": 31, "open": 33}
_VERDICT: Final = re.compile(rf"(?<=^ )({'|'.join(_COLORS)})(?=  )")


def _painted(word: re.Match[str]) -> str:
    return f"\x1b[{_COLORS[word[0]]}m{word[0]}\x1b[0m"


def say_json(document: object) -> None:
    """Print the answer as one JSON document."""
    import json  # which --help does without

    print(json.dumps(document, ensure_ascii=not knows_unicode(), indent=2))


def warn(text: str) -> None:
    """Print one sentence to stderr, after what stdout has; that it is lost is told at the end of the run."""
    with suppress(AnswerLostError):
        sys.stdout.flush()
    if sys.stderr.isatty():
        from textwrap import fill

        text = fill(text, PIPE_WIDTH, break_long_words=False, break_on_hyphens=False)
    print(shown(text), file=sys.stderr)


def _say_table(table: "Table") -> None:
    """Print a table: colored on a terminal, plain and wide enough in a pipe."""
    from io import StringIO

    from rich.console import Console

    target = Console(file=sys.stdout)
    colored = target.is_terminal and not target.no_color
    console = Console(
        file=StringIO(),
        force_terminal=colored,
        color_system=target.color_system if colored else None,  # type: ignore[arg-type]
        width=page_width(),
    )
    console.print(table)
    text = console.file.getvalue()  # type: ignore[attr-defined]
    print("\n".join(line.rstrip() for line in text.splitlines()))


# --- How far a command is, on stderr ---------------------------------------------------------------------


@contextmanager
def progress(
    total: int | None = None, otherwise: Callable[[str], None] = lambda _: None
) -> Iterator[Callable[[str], None]]:
    """Says what is being done: on a terminal in a line that vanishes at the end, elsewhere `otherwise`."""
    if not sys.stderr.isatty():
        yield otherwise
        return
    from rich import progress as rich
    from rich.console import Console
    from rich.markup import escape

    known = (
        rich.BarColumn(),
        rich.MofNCompleteColumn(),
        rich.TimeRemainingColumn(elapsed_when_finished=True),
    )
    columns = (rich.SpinnerColumn(), rich.TimeElapsedColumn()) if total is None else known
    text = rich.TextColumn("{task.description}")
    with rich.Progress(*columns, text, console=Console(stderr=True), transient=True) as line:
        line.console.show_cursor(True)  # a command that is killed would leave the terminal without one
        task = line.add_task("starting", total=total)
        yield lambda words: line.update(task, description=escape(words), advance=int(total is not None))
