"""The index of a folder of witnesses: a Markdown table of what the kernel has accepted."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Final, final

from consistency_lab.errors import InputError, RejectedError
from consistency_lab.exact import integer_multiple
from consistency_lab.files import read_bytes, read_json
from consistency_lab.kernel import Verified, verify
from consistency_lab.kernel.families import FAMILIES
from consistency_lab.model.conditions import CONDITIONS
from consistency_lab.report.naming import narrowest

INDEX: Final = "README.md"

_MOST_WEIGHTS: Final = 12
_LETTERS: Final = 8

_INTRODUCTION: Final = """\
# Counterexamples

Each file here is a witness: a distribution over preference graphs at which minimizing a surrogate ranking
loss certainly gives a wrong order, with exact evidence. The kernel has accepted every one of them. Check
them again, or read one as a proof:

```
consistency-lab verify {folder}/*.json
consistency-lab show {folder}/FILE
```

*Condition* is the narrowest noise condition that holds; the surrogate is inconsistent under it and under all
wider ones. *Failure* says whether the scores are inverted (wrong under every rule for ties) or tied (wrong
since ties put the higher index first). *Preferences* is the aggregate in whole numbers: `1→2: 3` means that
item 1 is preferred to item 2 with weight 3. *Regret* is the share of all preferences that is lost. The
certificate is *stationary* (the slopes at the scores add up to zero exactly) or a *separation* with its gap.

This file is written by `consistency-lab gallery`.

| surrogate | condition | items | failure | preferences | regret | certificate | file |
|---|---|---|---|---|---|---|---|
"""


@final
@dataclass(frozen=True)
class Entry:
    """A verified file.

    Parameters
    ----------
    name
        Its name in the folder.
    document, verified
        What it says, and what the kernel says.
    """

    name: str
    document: Mapping[str, Any]
    verified: Verified


def entries(folder: Path) -> list[Entry]:
    """Every witness in a folder, by surrogate and condition.

    Raises
    ------
    InputError
        If the folder or a file in it cannot be read.
    RejectedError
        If the kernel rejects a file; the message names it.
    """
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder; name the folder of the witness files")
    found = [_entry(path) for path in sorted(folder.glob("*.json"))]
    families, conditions = list(FAMILIES), list(CONDITIONS)

    def place(entry: Entry) -> tuple[int, str, int, int, str]:
        described = entry.document["surrogate"]
        condition = conditions.index(narrowest(entry.verified.conditions))
        family = families.index(described["family"])
        return family, described["name"], condition, entry.verified.m, entry.name

    return sorted(found, key=place)


def _entry(path: Path) -> Entry:
    document = read_json(path)
    if not isinstance(document, dict):
        raise InputError(f"{path} is not a witness; a witness is a JSON object")
    try:
        return Entry(path.name, document, verify(document))
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
    verified = entry.verified
    kind = {"strict": "inversion", "tie": "tie", None: "none (right order)"}[verified.failure]
    certificate = "stationary" if verified.gap is None else f"separation, gap {float(verified.gap):.3g}"
    if verified.universal:
        certificate += "; for every convex φ"
    share = Fraction(entry.document["optimum"]["normalized_regret"])
    return [
        _cell(verified.surrogate),
        narrowest(verified.conditions),
        str(verified.m),
        kind,
        _cell(weights_text(entry.document)),
        str(share),
        certificate,
        f"[{entry.name.rpartition('-')[2].removesuffix('.json')[:_LETTERS]}]({entry.name})",
    ]


def weights_text(document: Mapping[str, Any]) -> str:
    """The aggregate in the smallest whole numbers of the same proportions.

    Examples
    --------
    >>> weights_text({"items": ["A", "B"], "aggregate": [["0", "1/2"], ["1/4", "0"]]})
    'A→B: 2, B→A: 1'
    """
    names = document["items"]
    a = [[Fraction(x) for x in row] for row in document["aggregate"]]
    whole, _ = integer_multiple(x for row in a for x in row)
    m = len(names)
    parts = [
        f"{names[i]}→{names[j]}: {whole[i * m + j]}" for i in range(m) for j in range(m) if whole[i * m + j]
    ]
    if len(parts) > _MOST_WEIGHTS:
        return f"{len(parts)} pairs of {m} items"
    return ", ".join(parts)


def _cell(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("*", "\\*")
