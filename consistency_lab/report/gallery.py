"""A folder of witnesses: its index as a Markdown table, and the search that fills it."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from html import escape
from pathlib import Path
from shlex import join
from typing import Final, final
from urllib.parse import quote

from consistency_lab.certify.document import narrowest, save
from consistency_lab.certify.witness import Witness
from consistency_lab.decide import Decision, decide
from consistency_lab.errors import InputError, RejectedError, printed
from consistency_lab.exact import integer_multiple
from consistency_lab.files import read_bytes, read_json
from consistency_lab.model.conditions import CONDITIONS
from consistency_lab.model.surrogates import Surrogate, surrogate, surrogate_names
from consistency_lab.phi import convexity_proof
from consistency_lab.proofs.dispatch import as_proof
from consistency_lab.proofs.names import FAMILIES
from consistency_lab.search.effort import Effort

# --- The index of a folder of witnesses: a Markdown table of what the core has accepted ------------------

INDEX: Final = "README.md"

_MOST_WEIGHTS: Final = 12
_LETTERS: Final = 8

_INTRODUCTION: Final = """\
# Counterexamples

Each file here is a witness: a distribution over preference graphs at which minimizing a surrogate ranking
loss certainly gives a wrong order, with exact evidence. The core has accepted every one of them. Check
them again, or read one as a proof:

```
consistency-lab verify {folder}/*.json
consistency-lab show {folder}/FILE
```

*Condition* is the narrowest noise condition that holds; the surrogate is inconsistent under it and under all
wider ones. *Failure* says whether the scores are inverted (wrong under every rule for ties) or tied (some
order of the tied items is wrong, and so are scores as close as one likes). *Preferences* is the aggregate in
whole numbers: `1→2: 3` means that item 1 is preferred to item 2 with weight 3. *Regret* is the share of all
preferences that is lost. The certificate is a *minimum* (the slopes at the scores add up to zero exactly) or
a *separation* with its gap.

This file is written by `consistency-lab gallery`.

| surrogate | condition | items | failure | preferences | regret | certificate | file |
|---|---|---|---|---|---|---|---|
"""


@final
@dataclass(frozen=True)
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
        raise InputError(f"{folder} is not a folder; name the folder of the witness files")
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
        raise InputError(f"{path} is not a witness; a witness is a JSON object")
    try:
        return Entry(path.name, Witness.of(as_proof(document)))
    except RejectedError as error:
        raise RejectedError(f"{path}: {error}") from None
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def index_text(folder: Path) -> str:
    """The content of the index.

    Raises
    ------
    InputError, RejectedError
        As `entries` does.
    """
    rows = [_row(entry) for entry in entries(folder)]
    return _INTRODUCTION.format(folder=folder.name or ".") + "".join(
        f"| {' | '.join(row)} |\n" for row in rows
    )


def is_current(folder: Path) -> bool:
    """Whether the index says what it would say if it were written now.

    Raises
    ------
    InputError, RejectedError
        As `entries` does.
    """
    text = index_text(folder)
    try:
        return read_bytes(folder / INDEX) == text.encode()
    except InputError:
        return False


def _row(entry: Entry) -> list[str]:
    witness, verified = entry.witness, entry.witness.verified
    kind = {"strict": "inversion", "tie": "tie", None: "none (right order)"}[verified.failure]
    certificate = "minimum" if verified.gap is None else f"separation, gap {float(verified.gap):.3g}"
    if verified.universal:
        certificate += "; for every convex φ"
    return [
        _cell(verified.called),
        narrowest(verified.conditions),
        str(verified.m),
        kind,
        _cell(weights_text(witness.distribution.items, witness.distribution.aggregate)),
        str(witness.normalized_regret),
        certificate,
        f"[{_cell(printed(entry.name.rpartition('-')[2].removesuffix('.json')[:_LETTERS]))}]({quote(entry.name)})",
    ]


def weights_text(names: Sequence[str], a: Sequence[Sequence[Fraction]]) -> str:
    """The aggregate in the smallest whole numbers of the same proportions.

    Examples
    --------
    >>> weights_text("AB", [[Fraction(0), Fraction(1, 2)], [Fraction(1, 4), Fraction(0)]])
    'A→B: 2, B→A: 1'
    """
    whole, _ = integer_multiple(x for row in a for x in row)
    m = len(names)
    parts = [
        f"{names[i]}→{names[j]}: {whole[i * m + j]}" for i in range(m) for j in range(m) if whole[i * m + j]
    ]
    if len(parts) > _MOST_WEIGHTS:
        return f"{len(parts)} pairs of {m} items"
    return ", ".join(parts)


def _cell(text: str) -> str:
    """Without anything that Markdown or HTML would take for more than text."""
    return re.sub(r"[\\|*_`\[\]]", r"\\\g<0>", escape(text, quote=False))


# --- Find the smallest witness for every named surrogate, and keep a folder of them ----------------------

_EVERY_CONVEX_PHI: Final = "logistic"
"""The surrogate for which the witness against every convex phi is kept too: it is the same for all."""


def curate(folder: Path, seconds: float, report: Callable[[str], None] | None = None) -> Iterator[str]:
    """Search for each named surrogate in turn, save what is found, and say so, a sentence each.

    A file that the folder has for the same surrogate and condition gives way to the new one.

    Parameters
    ----------
    folder
        Made if need be.
    seconds
        The budget of each surrogate.
    report
        For a progress bar.
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
            yield from _removed(folder, name, {witness.digest for witness in found})
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


def _removed(folder: Path, name: str, digests: set[str]) -> Iterator[str]:
    """Earlier witnesses for the same surrogate go, since a gallery has one for each."""
    for entry in entries(folder):
        if entry.witness.verified.surrogate == name and entry.witness.digest not in digests:
            (folder / entry.name).unlink()
            yield f"{name}: {entry.name} removed, as there is a new one"
