"""Make an atlas: what is missing in its folder, and nothing else."""

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import final

from consistency_lab.atlas.cell import BUDGET, PARTS, SAMPLES, Cell, cells
from consistency_lab.atlas.cluster import make_on_cluster
from consistency_lab.atlas.local import make_locally
from consistency_lab.atlas.outcome import Failed, Outcome
from consistency_lab.atlas.store import Store
from consistency_lab.cluster import check_address
from consistency_lab.errors import InputError
from consistency_lab.processes import cores


@final
@dataclass(frozen=True, slots=True)
class Summary:
    """What a run has done.

    Parameters
    ----------
    asked
        All cells of the atlas.
    kept
        Those that were there, made with the same parameters.
    made
        Those that were made now, in the order in which they were stored.
    failed
        Those that could not be made, and why; nothing is stored of them, so the next run tries again.
    interrupted
        Whether the user ended the run before all were tried.
    """

    asked: tuple[Cell, ...]
    kept: tuple[Cell, ...]
    made: tuple[Cell, ...]
    failed: tuple[Failed, ...]
    interrupted: bool

    @property
    def missing(self) -> tuple[Cell, ...]:
        """What is still to be made."""
        there = {*self.kept, *self.made}
        return tuple(cell for cell in self.asked if cell not in there)


def run_atlas(
    surrogates: Sequence[str],
    conditions: Sequence[str],
    items: Sequence[int],
    out: Path,
    *,
    scheduler: str | None = None,
    jobs: int | None = None,
    budget_per_cell: float = BUDGET,
    samples: int = SAMPLES,
    seed: int = 0,
    parts: Sequence[str] = PARTS,
    report: Callable[[str], None] | None = None,
    warn: Callable[[str], None] | None = None,
) -> Summary:
    """Make the cells of an atlas that are not in its folder yet.

    Each is stored when it is finished, so that a run that is killed loses only the cells in work. Ctrl-C ends
    the run and keeps what is done.

    Parameters
    ----------
    surrogates, conditions, items
        The atlas is their product.
    out
        Its folder.
    scheduler
        The address of a Dask scheduler; None for processes of this machine.
    jobs
        How many processes; as many as there are processors if None.
    budget_per_cell
        Seconds for each cell.
    samples, seed
        For the rates.
    parts
        Which of `PARTS` to find out.
    report
        Is told how far the run is.
    warn
        Is told of damaged files and of cells that failed.

    Raises
    ------
    InputError
        If the question is wrong, the folder cannot be written to, or no scheduler answers.
    """
    asked = cells(surrogates, conditions, items, budget_per_cell, samples, seed, parts)
    if jobs is not None and jobs < 1:
        raise InputError(f"there are {jobs} jobs; at least one process must work")
    if scheduler is not None:
        check_address(scheduler)
    report, warn = report or _silent, warn or _silent
    store = Store(out)
    store.prepare()
    kept = tuple(cell for cell in asked if store.has(cell, warn))
    todo = [cell for cell in asked if cell not in set(kept)]
    made: list[Cell] = []
    failed: list[Failed] = []
    interrupted = False
    report(f"{len(kept)} of {len(asked)} cells are there already")
    try:
        with closing(_outcomes(todo, scheduler, jobs)) as outcomes:
            for outcome in outcomes:
                if isinstance(outcome, Failed):
                    failed.append(outcome)
                    warn(f"{outcome.cell.title}: not made: {outcome.reason}")
                    continue
                store.write(outcome.cell, outcome.document)
                made.append(outcome.cell)
                report(f"{len(kept) + len(made)} of {len(asked)} cells: {outcome.cell.title}")
    except KeyboardInterrupt:
        interrupted = True
    return Summary(asked, kept, tuple(made), tuple(failed), interrupted)


def _outcomes(
    todo: Sequence[Cell], scheduler: str | None, jobs: int | None
) -> Generator[Outcome, None, None]:
    if scheduler is not None:
        return make_on_cluster(todo, scheduler)
    return make_locally(todo, jobs or cores())


def _silent(text: str) -> None:
    """Say nothing."""
