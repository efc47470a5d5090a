"""The columns of a table of judgments, as `audit` and `aggregate` are told them."""

from abc import ABC
from functools import partial
from typing import Final, Literal

from consistency_lab.cli.grammar import Command, option

PAIRS: Final = "Columns of pairs"
GRADES: Final = "Columns of grades"

of_pairs = partial(option, metavar="COLUMN", panel=PAIRS)
of_grades = partial(option, metavar="COLUMN", panel=GRADES)


class Columns(Command, ABC):
    """A table of who won against whom, or of who gave which grade."""

    winner: str | None = of_pairs("Who won; or which of --a and --b did.")
    loser: str | None = of_pairs("Who lost.")
    a: str | None = of_pairs("The first of two that are compared.")
    b: str | None = of_pairs("The second one.")
    count: str | None = of_pairs("How often (once).")
    ties: Literal["half", "drop", "both"] = option(
        "What a tie counts for each of the two.", "half", panel=PAIRS
    )
    query: str | None = option("The query that is judged; without it there is one.", metavar="COLUMN")
    item: str | None = of_grades("What is graded, rated or shown.")
    judge: str | None = of_grades("Who judges; all that a judge says of a query is one label.")
    grade: str | None = of_grades("The grade, a number.")
    bad_rows: Literal["report", "fail"] = option("What becomes of rows that cannot be read.", "report")
