"""An atlas as a page of documentation."""

from collections.abc import Sequence
from pathlib import Path
from textwrap import fill
from typing import Final

from consistency_lab.atlas import PARTS
from consistency_lab.errors import InputError
from consistency_lab.files import write_atomic
from consistency_lab.report.atlas.entries import Entry
from consistency_lab.report.atlas.heat_map import heat_map
from consistency_lab.report.atlas.table import markdown
from consistency_lab.report.pictures.canvas import picture_format
from consistency_lab.report.text import listed

_WIDTH: Final = 110

_PAGE: Final = """\
# Atlas

{introduction}

![Heat map of the atlas]({picture})

{tables}

- **verdict**: INCONSISTENT has a witness that the core accepted when this page was written; CONSISTENT is
  a theorem whose hypotheses were checked then; UNDECIDED is neither.
- **failure**: *strict* inverts a pair under every tie rule. *tie* is wrong by the tie rule alone, and no
  strict inversion was found.
- **smallest**: the least total weight of a witness in whole numbers, and of a strict one where it is another.
  "≤" says that none smaller was found, but that is not proved.
- **worst regret**: the largest normalized regret of scores that minimize the surrogate risk. The lower end is
  a certified witness, the upper end was proved when the cell was made; one number alone is the exact value.
- **worst case**: a *conjectured* closed form was recognized from decimals; where the worst case is attained
  is what floats see.
- **rate**: the share of the condition's normalized polytope on which the surrogate fails, a float estimate
  with its 95 % interval.
- "–" says that nothing is known.

Every witness, how far every proof reaches and every number behind the table are in the JSON files of
`{folder}`.

## How it was made

```
{command}
consistency-lab atlas {folder} --render {page}
```

Each cell is one file, written when it is finished and all at once. A run that is interrupted or killed loses
the cells in work; the same command makes those that are missing, and nothing twice. A damaged file, and one
that was made with another budget, seed or number of samples, is made again.

A cell that keeps within its budget has the same digest whenever it is made{used_up}

## On a cluster

The same command continues on a Dask cluster that runs already, with the extra `cluster` of this package
installed here and on the workers:

```
dask scheduler --host 127.0.0.1
dask worker tcp://127.0.0.1:8786 --nworkers 2 --nthreads 1
{command} \\
  --scheduler tcp://127.0.0.1:8786
```

A worker makes one cell at a time, so one thread is enough for it. The cells of a worker that dies go to
another; a cell over which workers die again and again is named at the end, and the next run tries it again.
Whoever can reach the scheduler can run code on its workers: keep it on a network that you trust.
"""


def write_page(found: Sequence[Entry], folder: Path, page: Path) -> Path:
    """Write the page, and the heat map beside it; returns where the picture is.

    Raises
    ------
    InputError
        If the page is not called ``*.md``, or cannot be written.
    """
    picture = picture_of(page)
    heat_map(found).save(picture)
    write_atomic(page, page_text(found, folder, page))
    return picture


def picture_of(page: Path) -> Path:
    """Where the picture of a page is.

    Raises
    ------
    InputError
        If the page is not called ``*.md``.
    UnsupportedError
        If Matplotlib is not installed.

    Examples
    --------
    >>> picture_of(Path("docs/atlas.md")).name
    'atlas.svg'
    """
    if page.suffix.lower() != ".md":
        raise InputError(f"{page} cannot hold the page of an atlas; its name must end in .md")
    picture = page.with_suffix(".svg")
    picture_format(picture)
    return picture


def page_text(found: Sequence[Entry], folder: Path, page: Path) -> str:
    """The page.

    Parameters
    ----------
    found
        The cells, from `entries`.
    folder, page
        As they are named in the commands on the page.
    """
    items = sorted({entry.cell.m for entry in found})
    tables = []
    for m in items:
        tables += [f"## {m} items", "", *markdown([entry for entry in found if entry.cell.m == m]), ""]
    surrogates = list(dict.fromkeys(entry.cell.surrogate for entry in found))
    conditions = list(dict.fromkeys(entry.cell.condition for entry in found))
    used_up = [entry.cell.title for entry in found if _used_up(entry)]
    return _PAGE.format(
        introduction=fill(
            f"What is known of {listed(surrogates)}, for the conditions {listed(conditions)}, with "
            f"{listed([str(m) for m in items], 'or')} items.",
            _WIDTH,
        ),
        picture=picture_of(page).name,
        tables="\n".join(tables).rstrip(),
        folder=folder.as_posix(),
        page=page.as_posix(),
        command=_command(found, folder),
        used_up="; here every cell does."
        if not used_up
        else f".\nMore time would bring more here: {'; '.join(used_up)}.",
    )


def _used_up(entry: Entry) -> bool:
    return any(part["budget_used_up"] for part in entry.parts.values())


def _command(found: Sequence[Entry], folder: Path) -> str:
    """The command that makes these cells, if they are a product."""
    cells = [entry.cell for entry in found]
    first = cells[0]
    surrogates = ",".join(dict.fromkeys(cell.surrogate for cell in cells))
    conditions = " ".join(f"--condition {name}" for name in dict.fromkeys(cell.condition for cell in cells))
    items = ",".join(map(str, sorted({cell.m for cell in cells})))
    chosen = "" if first.parts == PARTS else "".join(f" --{part}" for part in first.parts)
    return (
        f"consistency-lab measure --surrogates {surrogates} \\\n  {conditions} \\\n  --items {items}{chosen} "
        f"--budget {first.budget} --samples {first.samples} --seed {first.seed} --out {folder.as_posix()}"
    )
