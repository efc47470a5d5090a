"""A folder of witnesses: read and verified, told in an index, and filled by a search."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from html import escape
from pathlib import Path
from shlex import join
from typing import Final
from urllib.parse import quote

from consistency_lab.certify.proofs.file import as_proof, narrowest, save
from consistency_lab.certify.proofs.names import FAMILY_CLASSES
from consistency_lab.certify.witness import Witness
from consistency_lab.decide.answers import Decision
from consistency_lab.decide.frontier import pairs_of
from consistency_lab.decide.surrogate import decide
from consistency_lab.errors import InputError, RejectedError, printed
from consistency_lab.files import read_bytes, read_json
from consistency_lab.frozen import frozen
from consistency_lab.model.conditions import CONDITIONS, implies, whole
from consistency_lab.model.designs import DESIGNS, design_implies
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import surrogate, surrogate_names
from consistency_lab.numbers.phi import convexity_proof
from consistency_lab.search.effort import Effort
from consistency_lab.show.canvas import filled

# --- A folder of witnesses, one or two for each named surrogate ------------------------------------------


@frozen
class GalleryFile:
    """A verified file."""

    name: str  #: Its name in the folder.
    witness: Witness  #: What it says and proves.


def entries(folder: Path) -> list[GalleryFile]:
    """Every witness in a folder, by surrogate and condition."""
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder; give the folder of the witness files")
    found = [_entry(path) for path in sorted(folder.glob("*.json"))]
    families, conditions = list(FAMILY_CLASSES), list(CONDITIONS)

    def place(entry: GalleryFile) -> tuple[int, str, int, int, str]:
        verified = entry.witness.verified
        family = entry.witness.document["named"].get("surrogate", {}).get("family")
        kind = families.index(family) if family in families else len(families)
        condition = conditions.index(narrowest(verified.conditions))
        return kind, verified.surrogate, condition, verified.m, entry.name

    return sorted(found, key=place)


def _entry(path: Path) -> GalleryFile:
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
    return GalleryFile(path.name, witness)


# --- The index ---------------------------------------------------------------------------------------------

INDEX: Final = "README.md"

_MOST_WEIGHTS: Final = 12
_LETTERS: Final = 8


def index_text(folder: Path) -> str:
    """The content of the index."""
    rows = [_row(entry) for entry in entries(folder)]
    return filled(__file__, "gallery.md.j2", folder=folder.name or ".", rows=rows)


def is_current(folder: Path) -> bool:
    """Whether the index says what it would say if it were written now."""
    text = index_text(folder)
    try:
        return read_bytes(folder / INDEX) == text.encode()
    except InputError:
        return False


def _row(entry: GalleryFile) -> list[str]:
    witness, verified, a = entry.witness, entry.witness.verified, entry.witness.distribution.aggregate
    kind = {"strict": "inversion", "tie": "tie", None: "none (right order)"}[verified.failure]
    certificate = "minimum" if verified.gap is None else f"separation, gap {float(verified.gap):.3g}"
    if verified.universal:
        certificate += "; for every convex φ"
    return [
        _cell(verified.called),
        ", ".join(smallest({c for c, holds in verified.conditions.items() if holds}, CONDITIONS, implies)),
        ", ".join(smallest({d for d, row in DESIGNS.items() if row.holds(a)}, DESIGNS, design_implies)),
        str(verified.m),
        kind,
        _cell(weights_text(witness.distribution.items, a)),
        str(witness.normalized_regret),
        certificate,
        f"[{_cell(printed(entry.name.rpartition('-')[2].removesuffix('.json')[:_LETTERS]))}]({quote(entry.name)})",
    ]


def smallest(holding: set[str], table: Iterable[str], inside: Callable[[str, str], bool]) -> tuple[str, ...]:
    """Those of a table that hold, without those that follow from another."""
    follow = {name for name in holding for other in holding - {name} if inside(other, name)}
    return tuple(name for name in table if name in holding - follow)


def weights_text(names: Sequence[str], a: Sequence[Sequence[Fraction]]) -> str:
    """The aggregate in the smallest whole numbers of the same proportions."""
    rows = zip(names, whole(a), strict=True)
    parts = [f"{i}→{j}: {x}" for i, row in rows for j, x in zip(names, row, strict=True) if x]
    return ", ".join(parts) if len(parts) <= _MOST_WEIGHTS else f"{len(parts)} pairs of {len(names)} items"


def _cell(text: str) -> str:
    """Without anything that Markdown or HTML would take for more than text."""
    return re.sub(r"[\\|*_`\[\]]", r"\\\g<0>", escape(text, quote=False))


# --- Find the smallest witness for every named surrogate, and keep a folder of them ----------------------

_EVERY_CONVEX_PHI: Final = "logistic"
"""The surrogate that also keeps the witness against every convex phi, which is the same for all."""


def curate(folder: Path, seconds: float, report: Callable[[str], None] | None = None) -> Iterator[str]:
    """Search for each surrogate in turn, save witnesses in place of old ones, and tell a sentence on each."""
    for name in surrogate_names():
        asked = surrogate(name)
        if any(convexity_proof(phi) is None for phi in asked.functions):
            continue
        effort = Effort(seconds=seconds, report=report)
        decision = decide(asked, effort=effort, command=join(["consistency-lab", "check", name]))
        witnesses = _kept(decision)
        if not witnesses:
            yield f"{name}: no witness ({', '.join(f'{a.condition} {a.verdict}' for a in decision.answers)})"
        for witness in witnesses:
            path = save(witness.document, folder)
            yield f"{name}: {path.name}"
        if witnesses:
            yield from _removed(folder, name, witnesses)
        if decision.effort.interrupted:
            raise KeyboardInterrupt


def _kept(decision: Decision) -> list[Witness]:
    """The witness for the narrowest condition that fails, and a strict inversion where that one is a tie."""
    by_condition = {a.condition: a.witness for a in decision.answers if a.witness is not None}
    kept = [next(by_condition[c] for c in CONDITIONS if c in by_condition)] if by_condition else []
    if decision.strict is not None:
        kept.append(decision.strict)
    if decision.universal is not None and decision.surrogate.name == _EVERY_CONVEX_PHI:
        kept.append(decision.universal)
    return kept


def _removed(folder: Path, name: str, witnesses: Sequence[Witness]) -> Iterator[str]:
    """Remove earlier witnesses for the same surrogate if a new one has all their conditions and designs."""
    known = [(witness.digest, pairs_of(witness)) for witness in witnesses]
    for entry in entries(folder):
        mine, own = entry.witness.verified.surrogate == name, pairs_of(entry.witness)
        if mine and all(entry.witness.digest != digest for digest, _ in known):
            if not any(own <= pairs for _, pairs in known):
                continue
            (folder / entry.name).unlink()
            yield f"{name}: {entry.name} replaced by a new one"
