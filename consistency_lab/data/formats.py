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
from consistency_lab.data.pairs import read_pairs
from consistency_lab.data.preflib import read_preflib
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
PAIRS: Final = Format("CSV of pair counts", _from_text(read_pairs), re.compile(r"[^,]+,[^,]+,[^,]+$"))

FORMATS: Final[Mapping[str, Format]] = MappingProxyType(
    {
        "soc": PREFLIB,
        "soi": PREFLIB,
        "toc": PREFLIB,
        "toi": PREFLIB,
        "csv": PAIRS,
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
    kind = path.suffix.lower().removeprefix(".")
    if kind in FORMATS:
        return FORMATS[kind].read(Source(path), kind)
    source = Source(path)
    first = source.text.lstrip().partition("\n")[0].strip()
    for known in dict.fromkeys(FORMATS.values()):
        if known.begins.match(first[:1000]):
            return known.read(source, "")
    near = difflib.get_close_matches(kind, FORMATS, n=1)
    hint = f"did you mean .{near[0]}?" if near else f"name it .{', .'.join(FORMATS)}"
    raise InputError(f"{path}: neither the name nor the first line tells the format; {hint}")
