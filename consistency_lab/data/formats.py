"""The table of file formats. A new format is one reader and one line here."""

import difflib
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final, final

from consistency_lab.data.contents import Contents
from consistency_lab.data.document import read_document
from consistency_lab.data.preflib import read_preflib
from consistency_lab.data.rows import STANDARD_INPUT
from consistency_lab.data.tables import LABELED, read_table
from consistency_lab.data.text import Source
from consistency_lab.errors import InputError


@final
@dataclass(frozen=True, slots=True)
class Format:
    """A way to write preferences into a file.

    Parameters
    ----------
    title
        What it is, for people.
    read
        Its reader, given the file and the data type that the extension stands for.
    begins
        What the first line of such a file looks like, for files whose extension says nothing.
    """

    title: str
    read: Callable[[Source, str], Contents]
    begins: re.Pattern[str]


def _from_text(read: Callable[[str, str, str], Contents]) -> Callable[[Source, str], Contents]:
    return lambda source, kind: read(os.fspath(source.path), source.text, kind)


JSON: Final = Format(
    "JSON distribution or witness", lambda source, _: read_document(source.path), re.compile(r"\s*\{")
)
PREFLIB: Final = Format("PrefLib orders", _from_text(read_preflib), re.compile(r"#|\d+\s*$|\d+\s*:"))
TABLE: Final = Format(
    "table of games, pair counts or a matrix of wins",
    lambda source, _: read_table(source.path),
    re.compile(rf"[^,]+,[^,]+,[^,]+$|{LABELED.pattern}|(?i:(?=.*\bwinner\b).*\bloser\b)"),
)

FORMATS: Final[Mapping[str, Format]] = MappingProxyType(
    {
        "soc": PREFLIB,
        "soi": PREFLIB,
        "toc": PREFLIB,
        "toi": PREFLIB,
        "cat": PREFLIB,
        "csv": TABLE,
        "tsv": TABLE,
        "jsonl": TABLE,
        "parquet": TABLE,
        "json": JSON,
    }
)
"""By extension."""


def read_contents(path: Path) -> Contents:
    """Read a file by its extension, or, if that says nothing, by its first line.

    Raises
    ------
    InputError
        If the format is not known, or the file cannot be read in it.
    """
    source = Source(path)
    return format_of(path, source).read(source, _kind(path))


def format_of(path: Path, source: Source | None = None) -> Format:
    """The format of a file, by its extension, or, if that says nothing, by its first line.

    Raises
    ------
    InputError
        If that says nothing either.

    Examples
    --------
    >>> format_of(Path("election.soc")).title
    'PrefLib orders'
    """
    if os.fspath(path) == STANDARD_INPUT:
        return TABLE
    kind = _kind(path)
    if kind:
        return FORMATS[kind]
    first = (source or Source(path)).text.lstrip().partition("\n")[0].strip()
    for known in dict.fromkeys(FORMATS.values()):
        if known.begins.match(first[:1000]):
            return known
    near = difflib.get_close_matches(path.suffix.lower()[1:], FORMATS, n=1)
    hint = f"did you mean .{near[0]}?" if near else f"name it .{', .'.join(FORMATS)}"
    raise InputError(f"{path}: neither the name nor the first line tells the format; {hint}")


def _kind(path: Path) -> str:
    """The extension, if it is one of ours; of PrefLib's files it is their data type."""
    kind = path.suffix.lower().removeprefix(".")
    return kind if kind in FORMATS else ""
