"""Make cells in processes of this machine; a process that dies takes only its own attempt along."""

from collections.abc import Generator, Sequence
from contextlib import closing
from typing import Final

from consistency_lab.atlas.cell import Cell
from consistency_lab.atlas.make import tried
from consistency_lab.atlas.outcome import Failed, Outcome, outcome
from consistency_lab.processes import Lost, at_once

ATTEMPTS: Final = 3
"""So many processes may die over a cell; then it has failed."""


def make_locally(cells: Sequence[Cell], jobs: int) -> Generator[Outcome, None, None]:
    """Make cells, `jobs` at once; what becomes of each, in the order in which they finish.

    Close the iterator to stop the processes that still work.
    """
    messages = [cell.parameters() for cell in cells]
    with closing(at_once(tried, messages, jobs, attempts=ATTEMPTS)) as found:
        for number, answer in found:
            if isinstance(answer, Lost):
                why = f"{ATTEMPTS} processes ended over it, the last with exit code {answer.exit_code}"
                yield Failed(cells[number], why)
            else:
                yield outcome(cells[number], *answer)
