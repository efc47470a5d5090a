"""The index of a folder of witnesses: a Markdown table of what the core has accepted."""

import re
from collections.abc import Sequence
from fractions import Fraction
from html import escape
from pathlib import Path
from typing import Final
from urllib.parse import quote

from consistency_lab.atlas.gallery import Entry, entries
from consistency_lab.certify.document import narrowest
from consistency_lab.errors import InputError, printed
from consistency_lab.exact import integer_multiple
from consistency_lab.files import read_bytes

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
