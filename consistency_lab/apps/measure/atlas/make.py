"""Make a cell: the function that workers run, from plain data to plain data.

Rationals and floats are texts in it, and its parts name witnesses by their digests.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import field
from fractions import Fraction
from functools import partial
from types import MappingProxyType
from typing import Annotated, Any, Final, Literal

from consistency_lab.apps.measure.atlas.cell import FORMAT, Cell
from consistency_lab.apps.measure.rate import Rate, Share, rate
from consistency_lab.apps.measure.smallest import Smallest, smallest
from consistency_lab.apps.measure.worst import worst_case
from consistency_lab.apps.measure.worst_nearby import ClosedForm, WorstCase
from consistency_lab.certify.document import sealed
from consistency_lab.certify.witness import Witness
from consistency_lab.decide.answers import Verdict
from consistency_lab.decide.surrogate import decide
from consistency_lab.errors import ConsistencyLabError, UnsupportedError, reason
from consistency_lab.files import canonical
from consistency_lab.frozen import frozen
from consistency_lab.model.surrogates import surrogate
from consistency_lab.search.effort import Effort
from consistency_lab.show.documents import Record, Schema, schema
from consistency_lab.version import __version__

# --- The parts of a cell as JSON documents ---------------------------------------------------------------

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
    Share,
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
    document = sealed(
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
