"""``explore`` and ``exercises``."""

import sys
from pathlib import Path
from typing import Final, Literal, final

from consistency_lab.cli.arguments import whole
from consistency_lab.cli.codes import CONSISTENT
from consistency_lab.cli.command import Command, argument, option
from consistency_lab.cli.streams import say, say_report


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
        from consistency_lab.apps.explore.explorer import checked_address, explorer_page
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
