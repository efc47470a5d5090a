"""A folder of witnesses, one or two for each named surrogate: read and verified, and filled by a search."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from shlex import join
from typing import Final

from consistency_lab.certify.document import narrowest, save
from consistency_lab.certify.witness import Witness
from consistency_lab.decide import Decision, decide
from consistency_lab.decide.frontier import pairs_of
from consistency_lab.errors import InputError, RejectedError
from consistency_lab.files import read_json
from consistency_lab.frozen import frozen
from consistency_lab.model.conditions import CONDITIONS
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import Surrogate, surrogate, surrogate_names
from consistency_lab.phi import convexity_proof
from consistency_lab.proofs.file import as_proof
from consistency_lab.proofs.names import FAMILIES
from consistency_lab.search.effort import Effort


@frozen
class Entry:
    """A verified file."""

    name: str  #: Its name in the folder.
    witness: Witness  #: What it says and proves.


def entries(folder: Path) -> list[Entry]:
    """Every witness in a folder, by surrogate and condition.

    Raises
    ------
    RejectedError
        If a file is rejected; the message names it.
    """
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder; give the folder of the witness files")
    found = [_entry(path) for path in sorted(folder.glob("*.json"))]
    families, conditions = list(FAMILIES), list(CONDITIONS)

    def place(entry: Entry) -> tuple[int, str, int, int, str]:
        verified = entry.witness.verified
        family = entry.witness.document["named"].get("surrogate", {}).get("family")
        kind = families.index(family) if family in families else len(families)
        condition = conditions.index(narrowest(verified.conditions))
        return kind, verified.surrogate, condition, verified.m, entry.name

    return sorted(found, key=place)


def _entry(path: Path) -> Entry:
    document = read_json(path)
    if not isinstance(document, dict):
        raise InputError(f"{path} is not a witness file; a witness file is a JSON object")
    try:
        witness = Witness.of(as_proof(document))
    except RejectedError as error:
        raise RejectedError(f"{path}: {error}") from None
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    if not isinstance(witness.about, Distribution):
        raise InputError(f"{path} is about labels; the index lists only witnesses about preference graphs")
    return Entry(path.name, witness)


# --- Find the smallest witness for every named surrogate, and keep a folder of them ----------------------

_EVERY_CONVEX_PHI: Final = "logistic"
"""The surrogate that also keeps the witness against every convex phi, which is the same for all."""


def curate(folder: Path, seconds: float, report: Callable[[str], None] | None = None) -> Iterator[str]:
    """Search for each named surrogate in turn, save the witnesses, and yield a sentence on each.

    A file that the folder has for the same surrogate and condition gives way to the new one.
    """
    for name in surrogate_names():
        asked = surrogate(name)
        if any(convexity_proof(phi) is None for phi in asked.functions):
            continue
        decision = _decided(asked, seconds, report)
        found = _kept(decision)
        if not found:
            yield f"{name}: no witness ({', '.join(f'{a.condition} {a.verdict}' for a in decision.answers)})"
        for witness in found:
            path = save(witness.document, folder)
            yield f"{name}: {path.name}"
        if found:
            yield from _removed(folder, name, found)
        if decision.effort.interrupted:
            raise KeyboardInterrupt


def _decided(asked: Surrogate, seconds: float, report: Callable[[str], None] | None) -> Decision:
    """The answers under all conditions; the command in the file names the narrowest that fails."""
    effort = Effort(seconds=seconds, report=report)
    return decide(asked, effort=effort, command=join(["consistency-lab", "check", asked.name]))


def _kept(decision: Decision) -> list[Witness]:
    """The witness for the narrowest condition that fails, and a strict inversion where that one is a tie."""
    by_condition = {a.condition: a.witness for a in decision.answers if a.witness is not None}
    kept = [next(by_condition[c] for c in CONDITIONS if c in by_condition)] if by_condition else []
    if decision.strict is not None:
        kept.append(decision.strict)
    if decision.universal is not None and decision.surrogate.name == _EVERY_CONVEX_PHI:
        kept.append(decision.universal)
    return kept


def _removed(folder: Path, name: str, found: Sequence[Witness]) -> Iterator[str]:
    """Remove earlier witnesses for the same surrogate if a new one has all their conditions and designs."""
    known = [(witness.digest, pairs_of(witness)) for witness in found]
    for entry in entries(folder):
        mine, own = entry.witness.verified.surrogate == name, pairs_of(entry.witness)
        if mine and all(entry.witness.digest != digest for digest, _ in known):
            if not any(own <= pairs for _, pairs in known):
                continue
            (folder / entry.name).unlink()
            yield f"{name}: {entry.name} replaced by a new one"
