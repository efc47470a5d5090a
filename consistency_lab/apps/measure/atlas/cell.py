"""One cell of the atlas: a question and its outcome, as plain data that can be sent to another machine."""

import math
from collections.abc import Mapping, Sequence
from typing import Final

from consistency_lab.errors import InputError
from consistency_lab.frozen import frozen
from consistency_lab.model.conditions import CONDITIONS, condition
from consistency_lab.model.surrogates import surrogate
from consistency_lab.show.documents import Record

# --- One cell of the atlas: a question, as plain data that another process or machine can be given -------

FORMAT: Final = "consistency-lab/atlas-cell/1"

PARTS: Final = ("smallest", "rate", "worst")
"""What is measured, in this order; unused budget goes to later parts."""

BUDGET: Final = 60.0
SAMPLES: Final = 100_000


@frozen
class Cell:
    """A surrogate under a condition with a number of items, and the budget."""

    #: The name of a surrogate, the name of a condition, the number of items.
    surrogate: str
    condition: str
    m: int
    budget: str = f"{BUDGET:g}"  #: Seconds for all parts together, as a text: a document has no floats.
    #: How many distributions the rate draws, and the seed of all that is random.
    samples: int = SAMPLES
    seed: int = 0
    parts: tuple[str, ...] = PARTS  #: Which of `PARTS` are wanted, besides the verdict.

    @property
    def name(self) -> str:
        return f"{self.surrogate}-{self.condition}-{self.m}items"

    @property
    def title(self) -> str:
        return f"{self.surrogate}, {self.condition}, {self.m} items"

    @property
    def command(self) -> str:
        """The command that makes this cell alone."""
        chosen = "" if self.parts == PARTS else "".join(f" --{part}" for part in self.parts)
        return (
            f"consistency-lab measure --surrogates {self.surrogate} --condition {self.condition} "
            f"--items {self.m} --out atlas{chosen} --budget {self.budget} --samples {self.samples} "
            f"--seed {self.seed}"
        )

    def parameters(self) -> dict[str, object]:
        """The question as plain data, as it is stored and sent."""
        return dict(PARAMETERS(self))

    @staticmethod
    def of(parameters: Mapping[str, object]) -> "Cell":
        """The cell with these parameters."""
        match parameters:
            case {
                "surrogate": str(name),
                "condition": str(under),
                "items": int(m),
                "budget": str(budget),
                "samples": int(samples),
                "seed": int(seed),
                "parts": [*parts],
            }:
                try:
                    seconds = float(budget)
                except ValueError:
                    raise InputError(
                        f"the budget of a cell is {budget[:40]!r}; it must be a number of seconds"
                    ) from None
                (cell,) = cells([name], [under], [m], seconds, samples, seed, [str(part) for part in parts])
                return cell
        raise InputError("these are not the parameters of a cell of the atlas")


PARAMETERS: Final = Record(Cell, "surrogate condition items=m budget samples seed parts")


def cells(
    surrogates: Sequence[str],
    conditions: Sequence[str],
    items: Sequence[int],
    budget: float = BUDGET,
    samples: int = SAMPLES,
    seed: int = 0,
    parts: Sequence[str] = PARTS,
) -> tuple[Cell, ...]:
    """All cells of an atlas, each once, with few items first, which are quick."""
    from consistency_lab.search.effort import LARGEST

    wrong = next((part for part in parts if part not in PARTS), None if parts else "")
    if wrong is not None:
        raise InputError(f"there is no part {wrong!r} of a cell; choose from {', '.join(PARTS)}")
    for m in items:
        if not 2 <= m <= LARGEST:
            raise InputError(f"there are {m} items; cells of the atlas have 2 to {LARGEST}")
    if not (math.isfinite(budget) and budget > 0):
        raise InputError(f"the budget of a cell is {budget}; it must be a positive number of seconds")
    if samples < 1:
        raise InputError(f"samples is {samples}; it must be at least 1")
    if not 0 <= seed < 2**63:
        raise InputError(f"the seed is {seed}; it must be a whole number from 0 to 2^63 - 1")
    names = dict.fromkeys(surrogate(name).name for name in surrogates)
    asked = {condition(name).name for name in conditions}
    wanted = tuple(part for part in PARTS if part in parts)
    return tuple(
        Cell(name, under, m, f"{budget:.12g}", samples, seed, wanted)
        for m in sorted(set(items))
        for name in names
        for under in CONDITIONS
        if under in asked
    )


# --- What becomes of a cell ------------------------------------------------------------------------------


@frozen
class Made:
    """A cell and its document."""

    cell: Cell
    document: Mapping[str, object]


@frozen
class Failed:
    """A cell without a document, and why."""

    cell: Cell
    reason: str


Outcome = Made | Failed
"""One of the two."""
