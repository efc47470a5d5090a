"""Text to stdout and stderr that never crashes and never runs: symbols are spelled, control codes shown."""

import codecs
import json
import sys
from collections.abc import Iterable, Mapping
from shutil import get_terminal_size
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from consistency_lab.report.text import Line

PIPE_WIDTH: Final = 100
"""Wide enough for every table, and narrow enough to read."""

_HANDLER: Final = "consistency_lab.spell"

_SPELLED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "→": "->",
        "≥": ">=",
        "≤": "<=",
        "≠": "!=",
        "≈": "~",
        "∈": "in",
        "∞": "oo",
        "∉": "not in",
        "ℓ": "l",
        "∂": "d",
        "√": "sqrt",
        "∏": "product",
        "⇒": "implies",
        "⊂": "inside",
        "⊊": "properly inside",
        "≡": "==",
        "≻": ">",
        "ᵀ": "^T",
        "²": "^2",
        "½": "1/2",
        "⅓": "1/3",
        "₁": "_1",
        "₂": "_2",
        "✓": "yes",
        "ä": "a",
        "è": "e",
        "α": "alpha",
        "β": "beta",
        "γ": "gamma",
        "ε": "epsilon",
        "θ": "theta",
        "π": "pi",
        "σ": "sigma",
        "τ": "tau",
        "ψ": "psi",
        "δ": "delta",
        "λ": "lambda",
        "ν": "nu",
        "φ": "phi",
        "Σ": "sum",
        "·": "*",
        "−": "-",
        "–": "-",
        "…": "...",
        "─": "-",
        "⟨": "<",
        "⟩": ">",
        "×": "x",
        "§": "section ",
        "′": "'",
    }
)
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


def prepare_streams() -> None:
    """Let stdout and stderr spell what their encoding does not have, in place of failing."""
    codecs.register_error(_HANDLER, _spell)
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors=_HANDLER)


def knows_unicode() -> bool:
    """Whether stdout can show every character."""
    return (getattr(sys.stdout, "encoding", None) or "ascii").lower().replace("_", "-") in ("utf-8", "utf8")


def shown(text: str) -> str:
    """The text with control characters made visible: a file must not steer the terminal."""
    return "".join(
        c if c.isprintable() or c in "\n\t" else c.encode("unicode_escape", "surrogatepass").decode()
        for c in text
    )


def page_width() -> int:
    """How many columns a line on stdout may take: those of the terminal, or `PIPE_WIDTH`."""
    return get_terminal_size().columns if sys.stdout.isatty() else PIPE_WIDTH


def say(line: str) -> None:
    """Print one line of plain text to stdout: it is part of the answer."""
    print(shown(line))


def say_report(report: "Iterable[Line]") -> None:
    """Print lines and paragraphs to stdout."""
    from consistency_lab.report.text import rendered

    for line in rendered(report, page_width()):
        say(line)


def say_json(document: object) -> None:
    """Print the answer as one JSON document."""
    print(json.dumps(document, ensure_ascii=not knows_unicode(), indent=2))


def warn(text: str) -> None:
    """Print one sentence to stderr."""
    sys.stdout.flush()
    print(shown(text), file=sys.stderr)
