"""The cells of an atlas as they are shown: what a witness is said to prove, the core has to accept."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, final

from consistency_lab.atlas import Cell, Store
from consistency_lab.certify.witness import Witness
from consistency_lab.errors import InputError, RejectedError
from consistency_lab.model.conditions import CONDITIONS
from consistency_lab.model.surrogates import surrogate, surrogate_names
from consistency_lab.proofs.dispatch import as_proof
from consistency_lab.search.size import total_weight

Document = Mapping[str, Any]


@final
@dataclass(frozen=True, slots=True)
class Entry:
    """One cell.

    Parameters
    ----------
    cell
        The question.
    verdict
        INCONSISTENT with witnesses that the core has just accepted; CONSISTENT by a theorem whose
        hypotheses have just been checked.
    failure
        "strict" if a witness inverts a pair under every tie rule, "tie" if all only tie it; None without one.
    parts
        The stored parts, by name: ``verdict``, ``smallest``, ``rate``, ``worst``.
    lightest
        The least total weight of the accepted witnesses, by kind of failure.
    """

    cell: Cell
    verdict: str
    failure: str | None
    parts: Mapping[str, Document]
    lightest: Mapping[str, int]

    def part(self, name: str) -> Document | None:
        """A part, unless it was not asked for or is unsupported."""
        found = self.parts.get(name)
        return None if found is None or "unsupported" in found else found


def entries(folder: Path) -> list[Entry]:
    """Every cell in a folder, by number of items, surrogate and condition.

    Raises
    ------
    InputError
        If the folder or a file in it cannot be read, or is not a cell.
    RejectedError
        If a cell claims more than its witnesses prove; the message names it.
    """
    found = [entry(document) for document in Store(folder).documents()]
    if not found:
        raise InputError(f"{folder} holds no cells; make some with: consistency-lab measure --surrogates ...")
    surrogates, conditions = surrogate_names(), list(CONDITIONS)
    return sorted(
        found,
        key=lambda one: (
            one.cell.m,
            surrogates.index(one.cell.surrogate),
            conditions.index(one.cell.condition),
        ),
    )


def entry(document: Document) -> Entry:
    """One cell as `read_cell` gives it, its witnesses verified.

    Raises
    ------
    InputError
        If a witness in it cannot be read.
    RejectedError
        If it claims more than its witnesses prove.
    """
    cell = Cell.of(document["parameters"])
    conclusion, parts, witnesses = (document[name] for name in ("conclusion", "parts", "witnesses"))
    proved = {digest: _proved(cell, witness) for digest, witness in witnesses.items()}
    kinds = {witness.verified.failure for witness in proved.values()}
    failure = None if not kinds else "strict" if "strict" in kinds else "tie"
    if conclusion["failure"] != failure or (conclusion["verdict"] == "INCONSISTENT") != bool(proved):
        raise RejectedError(f"{cell.title}: the conclusion is not what its witnesses prove")
    if conclusion["verdict"] == "CONSISTENT" and not _is_proved(cell):
        raise RejectedError(f"{cell.title}: no theorem proves that it is consistent")
    for digest in _named(parts):
        if digest not in witnesses:
            raise RejectedError(f"{cell.title}: a witness that it names is not in it")
    _check_smallest(cell, parts.get("smallest", {}), proved)
    _check_worst(cell, parts.get("worst", {}), proved)
    return Entry(cell, str(conclusion["verdict"]), failure, parts, _lightest(proved))


def _named(parts: Mapping[str, Document]) -> Iterator[str]:
    """The digests of the witnesses that the parts name."""
    for part in parts.values():
        for name in ("witness", "strict_witness"):
            if part.get(name) is not None:
                yield part[name]
        yield from part.get("witnesses", ())


def _proved(cell: Cell, document: Document) -> Witness:
    """A witness, if it is one for this cell."""
    try:
        witness = Witness.of(as_proof(document))
    except (InputError, RejectedError) as error:
        raise type(error)(f"{cell.title}: {error}") from None
    verified = witness.verified
    if (
        cell.surrogate not in verified.recomputed
        or verified.surrogate != cell.surrogate
        or verified.m != cell.m
        or not witness.fails_under(cell.condition)
    ):
        raise RejectedError(f"{cell.title}: a witness in it is about something else")
    return witness


def _lightest(proved: Mapping[str, Witness]) -> dict[str, int]:
    found: dict[str, int] = {}
    for witness in proved.values():
        weight = _weight(witness)
        kind = str(witness.verified.failure)
        found[kind] = min(weight, found.get(kind, weight))
    return found


def _is_proved(cell: Cell) -> bool:
    from consistency_lab.theorems.catalogue import consistency_theorem

    return consistency_theorem(surrogate(cell.surrogate), cell.condition) is not None


def _check_smallest(cell: Cell, part: Document, proved: Mapping[str, Witness]) -> None:
    """The totals must be those of the witnesses."""
    for total, digest in (("total", "witness"), ("strict_total", "strict_witness")):
        if part.get(total) is None:
            continue
        if part[digest] is None or part[total] != _weight(proved[part[digest]]):
            raise RejectedError(f"{cell.title}: the smallest witness has another total weight")
    strict = part.get("strict_witness")
    if strict is not None and proved[strict].verified.failure != "strict":
        raise RejectedError(f"{cell.title}: the smallest strict inversion is a tie")


def _check_worst(cell: Cell, part: Document, proved: Mapping[str, Witness]) -> None:
    """The lower end must be at most the normalized regret of its witness, which is proved."""
    if part.get("witness") is None:
        if part.get("lower", "0") != "0":
            raise RejectedError(f"{cell.title}: the lower end of the worst case has no witness")
        return
    if Fraction(part["lower"]) > proved[part["witness"]].normalized_regret:
        raise RejectedError(f"{cell.title}: the lower end of the worst case is above its witness")


def _weight(witness: Witness) -> int:
    return total_weight(witness.distribution.aggregate)
