"""One cell of the atlas: a question and its outcome, as plain data that can be sent to another machine."""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from fractions import Fraction
from functools import partial
from types import MappingProxyType
from typing import Annotated, Any, Final, Literal

from consistency_lab.apps.measure.rate import FailureRate, Rate, rate
from consistency_lab.apps.measure.smallest import Smallest, smallest
from consistency_lab.apps.measure.worst import worst_case
from consistency_lab.apps.measure.worst_nearby import ClosedForm, WorstCase
from consistency_lab.certify.witness import Witness
from consistency_lab.decide.answers import Verdict
from consistency_lab.decide.surrogate import decide
from consistency_lab.errors import ConsistencyLabError, InputError, UnsupportedError, reason
from consistency_lab.files import canonical, with_digest
from consistency_lab.frozen import frozen
from consistency_lab.model.conditions import CONDITIONS, condition
from consistency_lab.model.surrogates import surrogate
from consistency_lab.search.effort import Effort
from consistency_lab.show.documents import Record, Schema, schema
from consistency_lab.version import __version__

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


# --- The parts of a cell as JSON documents ---------------------------------------------------------------
# Rationals and floats are texts in it, and its parts name witnesses by their digests.

Part = dict[str, object]


@frozen
class Asked:
    """A cell while it is made, and the witnesses that its parts have found, by digest."""

    cell: Cell
    witnesses: dict[str, Witness] = field(default_factory=dict)

    def keep(self, witness: Witness | None) -> str | None:
        """The digest of a witness, which is kept if it is one for this very cell."""
        if witness is None or not self.fits(witness):
            return None
        digest = witness.digest
        self.witnesses[digest] = witness
        return digest

    def fits(self, witness: Witness) -> bool:
        """Whether the core has found an inconsistency of this condition and number of items in it."""
        return witness.verified.m == self.cell.m and witness.fails_under(self.cell.condition)


def _kept(witness: Witness | None, asked: Asked) -> str | None:
    return asked.keep(witness)


_Ends = Annotated[list[Fraction], {"minItems": 2, "maxItems": 2}]

_SHARE: Final = Record(
    FailureRate,
    "margin samples failures strict interval",
    interval=(_Ends, lambda interval: [f"{end:.6f}" for end in interval]),
)
_SMALLEST: Final = Record(
    Smallest,
    "total proved witness strict_total strict_proved strict_witness=strict levels note",
    witness=_kept,
    strict_witness=_kept,
)
_RATE: Final = Record(
    Rate,
    "overall by_margin witnesses method proved_zero note",
    overall=_SHARE,
    by_margin=_SHARE,
    witnesses=(list[str], lambda found, asked: [digest for one in found if (digest := asked.keep(one))]),
)
_WORST: Final = Record(
    WorstCase,
    "lower upper witness attained strict closed_form boxes finished note",
    witness=_kept,
    strict=(Fraction | None, lambda strict: None if strict is None else f"{strict:.6f}"),
    closed_form=Record(ClosedForm, "text value proved", value=(Fraction, str)),
)


def verdict_part(asked: Asked, effort: Effort) -> Part:
    """The answer of `check` with this number of items."""
    cell = asked.cell
    decision = decide(
        surrogate(cell.surrogate),
        [cell.condition],
        items=[cell.m],
        effort=effort,
        command=cell.command,
        seed=cell.seed,
        prescribe=False,
    )
    (answer,) = decision.answers
    digest = asked.keep(answer.witness)
    verdict, why = answer.verdict, answer.reason
    if verdict is Verdict.INCONSISTENT and digest is None:
        verdict, why = (Verdict.UNDECIDED, f"no witness with {cell.m} items was found, only with others")
    return {
        "verdict": str(verdict),
        "scope": answer.scope if verdict is Verdict.CONSISTENT else f"m = {cell.m}",
        "reason": why,
        "citation": answer.citation,
        "witness": digest,
    }


def _measured(
    measure: Callable[..., object], record: Record, asked: Asked, effort: Effort, **more: int
) -> Part:
    """The result of a measure for the surrogate of a cell, as a document."""
    cell = asked.cell
    question = surrogate(cell.surrogate), cell.condition, cell.m
    measured = measure(*question, effort=effort, provenance={"command": cell.command}, **more)
    return dict(record(measured, asked))


def rate_part(asked: Asked, effort: Effort) -> Part:
    """The shares of failures, which are estimates."""
    return _measured(rate, _RATE, asked, effort, samples=asked.cell.samples, seed=asked.cell.seed)


MAKERS: Final[Mapping[str, Callable[[Asked, Effort], Part]]] = MappingProxyType(
    {
        "verdict": verdict_part,
        "smallest": partial(_measured, smallest, _SMALLEST),
        "rate": rate_part,
        "worst": partial(_measured, worst_case, _WORST),
    }
)
"""How each part is made."""

_TOLD: Final[Mapping[str, Mapping[str, Any]]] = {
    "verdict": {"verdict": Verdict, "scope": str, "reason": str, "citation": str, "witness": str | None},
    "unsupported": {"unsupported": str},
}
_MEASURED: Final = {"smallest": _SMALLEST, "rate": _RATE, "worst": _WORST}
_USED_UP: Final = {"budget_used_up": schema(bool)}
FORMS: Final[Mapping[str, Mapping[str, Schema]]] = {
    **{part: {key: schema(kind) for key, kind in kinds.items()} | _USED_UP for part, kinds in _TOLD.items()},
    **{part: record.schema["properties"] | _USED_UP for part, record in _MEASURED.items()},
    "conclusion": {"verdict": schema(Verdict), "failure": schema(Literal["tie", "strict"] | None)},
}
"""What the entries of each part look like, of one that is not supported, and of the conclusion."""


def conclusion(asked: Asked, parts: Mapping[str, Part]) -> Part:
    """The verdict on the cell: a witness of any part settles it, and a strict one its kind of failure."""
    verdict = str(parts.get("verdict", {}).get("verdict", Verdict.UNDECIDED))
    if not asked.witnesses:
        return {"verdict": verdict, "failure": None}
    if verdict == Verdict.CONSISTENT:
        raise ConsistencyLabError(
            f"{asked.cell.title} has both a proof of consistency and a witness; one of them is wrong, so "
            "please report this"
        )
    kinds = {witness.verified.failure for witness in asked.witnesses.values()}
    return {"verdict": str(Verdict.INCONSISTENT), "failure": "strict" if "strict" in kinds else "tie"}


# --- A whole cell -----------------------------------------------------------------------------------------


def make(parameters: Mapping[str, object]) -> dict[str, object]:
    """The document of a cell.

    It holds neither times nor the name of a machine, and its budget is counted, not timed: a cell has the
    same digest whenever it is made. A part whose budget is used up says so; it would go further with more.
    """
    cell = Cell.of(parameters)
    asked, parts = Asked(cell), dict[str, Part]()
    left = float(cell.budget)
    names = ("verdict", *cell.parts)
    for number, name in enumerate(names):
        effort = Effort(seconds=left / (len(names) - number))
        try:
            part = MAKERS[name](asked, effort)
        except UnsupportedError as error:
            part = {"unsupported": str(error)}
        if effort.interrupted:
            raise KeyboardInterrupt  # the best so far is not what the cell asks for
        left = max(left - effort.spent, 0.0)
        parts[name] = {**part, "budget_used_up": effort.used_up}
    document = with_digest(
        {
            "format": FORMAT,
            "parameters": cell.parameters(),
            "command": cell.command,
            "tool": {"name": "consistency-lab", "version": __version__},
            "conclusion": conclusion(asked, parts),
            "parts": parts,
            "witnesses": {digest: dict(part.document) for digest, part in asked.witnesses.items()},
        }
    )
    # Exactly as it will be read again, and nothing in it but plain data.
    plain: dict[str, object] = json.loads(canonical(document))
    return plain


def tried(parameters: Mapping[str, object]) -> tuple[dict[str, object] | None, str]:
    """The document of a cell, or None and why there is none: one cell must not stop the others."""
    try:
        return make(parameters), ""
    except Exception as error:
        return None, reason(error)
