"""The parts of a cell as JSON documents: rationals and floats as texts, witnesses by their digest."""

from collections.abc import Callable, Mapping
from dataclasses import field
from functools import partial
from types import MappingProxyType
from typing import Final

from consistency_lab.apps.measure.atlas.cell import Cell
from consistency_lab.apps.measure.rate import Rate, Share, rate
from consistency_lab.apps.measure.smallest import Smallest, smallest
from consistency_lab.apps.measure.worst import worst_case
from consistency_lab.apps.measure.worst_nearby import ClosedForm, WorstCase
from consistency_lab.certify.witness import Witness
from consistency_lab.decide import Verdict, decide
from consistency_lab.errors import ConsistencyLabError
from consistency_lab.frozen import frozen
from consistency_lab.model.surrogates import surrogate
from consistency_lab.search.effort import Effort
from consistency_lab.show.documents import Record

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
        found = witness.digest
        self.witnesses[found] = witness
        return found

    def fits(self, witness: Witness) -> bool:
        """Whether the core has found an inconsistency of this condition and number of items in it."""
        return witness.verified.m == self.cell.m and witness.fails_under(self.cell.condition)


def _kept(witness: Witness | None, asked: Asked) -> str | None:
    return asked.keep(witness)


_SHARE: Final = Record(
    Share,
    "margin samples failures strict interval",
    interval=(list[str], lambda interval: [f"{end:.6f}" for end in interval]),
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
    strict=(str | None, lambda strict: None if strict is None else f"{strict:.6f}"),
    closed_form=Record(ClosedForm, "text value proved"),
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
    found = asked.keep(answer.witness)
    verdict, why = answer.verdict, answer.reason
    if verdict is Verdict.INCONSISTENT and found is None:
        verdict, why = (Verdict.UNDECIDED, f"no witness with {cell.m} items was found, only with others")
    return {
        "verdict": str(verdict),
        "scope": answer.scope if verdict is Verdict.CONSISTENT else f"m = {cell.m}",
        "reason": why,
        "citation": answer.citation,
        "witness": found,
    }


def _measured(
    measure: Callable[..., object], record: Record, asked: Asked, effort: Effort, **more: int
) -> Part:
    """The result of a measure for the surrogate of a cell, as a document."""
    cell = asked.cell
    question = surrogate(cell.surrogate), cell.condition, cell.m
    found = measure(*question, effort=effort, provenance={"command": cell.command}, **more)
    return dict(record(found, asked))


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
