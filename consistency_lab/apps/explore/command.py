"""``explore``, one page on which the counts of three items can be dragged, and ``exercises``."""

import re
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal, final
from urllib.parse import unquote

from consistency_lab.cli.arguments import whole
from consistency_lab.cli.codes import CONSISTENT
from consistency_lab.cli.command import Command, argument, option
from consistency_lab.cli.streams import say, say_report
from consistency_lab.errors import InputError, printed

SCRIPTS: Final = ("exact.js", "risk.js", "page.js")
"""In the folder `explorer`: proofs in exact arithmetic, risks of three items, and the page."""

_COUNT: Final = "([0-9]{1,6}|1000000)"
_LOSS: Final = "(logistic|exponential|hinge|squared-hinge|margin-logistic|linear|difference-logistic)"
_BALLOT: Final = rf"(abc|acb|bac|bca|cab|cba|[abc]):{_COUNT}"
_PAIR: Final = (rf"{_COUNT}:{_COUNT}", "3:1, at most a million")
ADDRESS: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "n": (r"([^%]|%[0-9A-Fa-f]{2})+", "A,B,C: three different names"),
        "ab": _PAIR,
        "ac": _PAIR,
        "bc": _PAIR,
        "ballots": (
            rf"{_BALLOT}(,{_BALLOT})*",
            "abc:5,b:2: orders of a, b and c or one of them, with counts",
        ),
        "loss": (rf"{_LOSS}(,{_LOSS})*", "logistic,linear: losses of the page"),
        "view": ("plane", "plane"),
    }
)
"""The parts of the page's address: what each must match, and how to write it."""


def checked_address(text: str) -> str:
    """The part of the page's address behind `#`, if the page can read all of it."""
    for part in filter(None, text.split("&")):
        key, _, value = part.partition("=")
        if key not in ADDRESS:
            raise InputError(f"--at has {printed(part)}; the keys are {', '.join(ADDRESS)}")
        pattern, written = ADDRESS[key]
        names = [unquote(name).strip() for name in value.split(",")]  # bad codes decode to \ufffd
        alike = key == "n" and (not len(names) == len(set(names) - {""}) == 3 or "\ufffd" in "".join(names))
        if alike or not re.fullmatch(pattern, value):
            raise InputError(f"--at has {printed(part)}; write {key}={written}")
    return text


def explorer_page(at: str = "") -> str:
    """The page as one HTML file that needs nothing else."""
    from markupsafe import Markup

    from consistency_lab.show.canvas import filled

    folder = Path(__file__).with_name("page")
    script = "\n".join((folder / name).read_text(encoding="utf-8") for name in SCRIPTS)
    # The text is ours, so that it needs no escape; nothing in it may end the element.
    assert "</script" not in script
    return filled(__file__, "explorer.html.j2", script=Markup(script), at=at)


@final
class Explore(Command):
    """Write a page: drag counts and see which losses fail."""

    out: Path = option("The page: one file, no network.", Path("explorer.html"), metavar="FILE.html")
    at: str = option(
        "What it shows first, as in its address: n=A,B,C&ab=3:0&ac=8:4&bc=1:0&loss=logistic.",
        "",
        metavar="STATE",
    )

    def run(self) -> int:
        """The page is the same for everybody, but for what it shows first."""
        from consistency_lab.files import write_atomic

        write_atomic(self.out, explorer_page(checked_address(self.at)))
        say(f"Wrote {self.out}; open it in a browser")
        return CONSISTENT


_ON_A_SCREEN: Final = 3
"""Elections that a terminal shows."""


@final
class Exercises(Command):
    """Print a sheet of small elections for a class.

    A terminal shows the first ones; a file or a pipe has the whole sheet.
    """

    number: int = argument("How many (3).", 3, metavar="N", read=whole(1, 60))
    answers: bool = option("Print the solutions beside the elections.", False)
    seed: int = option("Seed of the sheet: another one for each student.", 0, metavar="N", read=whole(0))
    format: Literal["text", "latex"] = option("The format of the sheet.", "text")

    def run(self) -> int:
        """The same seed prints the same sheet."""
        from consistency_lab.apps.explore.exercises import latex_sheet, sheet

        if self.format == "latex":
            say(latex_sheet(self.number, self.seed, self.answers))
            return CONSISTENT
        most = _ON_A_SCREEN if sys.stdout.isatty() else None
        say_report(sheet(self.number, self.seed, self.answers, most))
        return CONSISTENT
