"""Several searches at once are an atlas."""

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import final

from consistency_lab.errors import InputError


@final
@dataclass(frozen=True, slots=True)
class Cells:
    """Several searches at once.

    Parameters
    ----------
    surrogates, conditions, items
        Every combination is one cell.
    folder
        Where the cells are kept.
    budget
        Seconds for each question of each cell.
    seed
        Of all searches.
    scheduler
        The address of a Dask cluster, None for local processes.
    """

    surrogates: tuple[str, ...]
    conditions: tuple[str, ...]
    items: tuple[int, ...]
    folder: Path
    budget: float
    seed: int
    scheduler: str | None


def hand_over(cells: Cells) -> int:
    """Give several cells to the atlas.

    Raises
    ------
    InputError
        Always: only the command ``atlas`` makes several cells.
    """
    words = ["consistency-lab", "atlas", "--surrogates", ",".join(cells.surrogates) or "A,B"]
    words += ["--items", ",".join(map(str, cells.items)), "--out", str(cells.folder)]
    raise InputError(f"a search has one surrogate, condition and number of items; try {shlex.join(words)}")
