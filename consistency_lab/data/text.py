"""Bounded reading of texts and of the samples in the package, with one clear sentence for every failure."""

import csv
import json
import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from consistency_lab.data.packed import read_content
from consistency_lab.errors import InputError

MAX_BYTES: Final = 50_000_000
"""The longest profile."""

MAX_COUNT_DIGITS: Final = 18
"""The longest count."""

NOTHING: Final = frozenset({"", "-", "na", "n/a", "nan", "none", "null"})
"""What stands in a cell of numbers where there is none, in lower case."""

# Names are printed, so nothing that moves a cursor may be in them.
_CONTROL: Final = re.compile(r"[^\t\n\r\x20-\x7e\xa0-\U0010ffff]")
UTF_16: Final = (b"\xff\xfe", b"\xfe\xff")
"""Its byte order marks."""
EXCEL: Final = re.compile(r"sep=([ -~\t])\s*(\n|$)")
"""A first line that tells Excel how cells are separated."""


def read_text(path: str | os.PathLike[str], what: str = "profile", limit: int = MAX_BYTES) -> str:
    """Read a text in UTF-8, in UTF-16 with a mark, or in UTF-8 read as Latin-1; `-` is stdin."""
    name = os.fspath(path)
    if name == "-":
        name, content = "standard input", sys.stdin.buffer.read(limit + 1)
        if len(content) > limit:
            raise InputError(f"{name} is too long; at most {limit:_} bytes are read")
    else:
        content = read_content(path, limit)
    if not content.strip():
        raise InputError(f"{name} is empty; expected a {what}")
    content = in_utf_8(name, content)
    if b"\0" in content:
        raise InputError(f"{name} is a binary file; a {what} must be UTF-8 text")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(f"{name}, line {line}: this is not UTF-8; save the file in UTF-8") from None
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if _CONTROL.search(text):
        text = "\n".join(map(repaired, text.split("\n")))
    if found := _CONTROL.search(text):
        line = text.count("\n", 0, found.start()) + 1
        raise InputError(f"{name}, line {line}: there is a control character, {found[0]!r}; remove it")
    return text


def in_utf_8(name: str, content: bytes) -> bytes:
    """A text in UTF-16 with a byte order mark, as Excel saves it, in UTF-8; any other one as it is."""
    if not content.startswith(UTF_16):
        return content
    try:
        return content.decode("utf-16").encode()
    except UnicodeError:
        raise InputError(f"{name} begins like UTF-16 but is not; save it in UTF-8") from None


CELLS: Final = json.JSONDecoder(parse_int=str, parse_float=str)
"""Of JSON whose numbers stay texts, as they are written and of any length."""


def json_cells(text: str) -> Any:
    """Parse JSON with `CELLS`."""
    try:
        return CELLS.decode(text)
    except RecursionError:
        raise ValueError("it nests too many arrays and objects") from None


def csv_rows(name: str, text: str, delimiter: str = ",") -> Iterator[tuple[int, list[str]]]:
    """The lines of a CSV in which some cell is not blank: their numbers, and their cells, stripped."""
    reader = csv.reader(text.split("\n"), delimiter=delimiter, strict=True)
    try:
        for row in reader:
            cells = [cell.strip() for cell in row]
            if any(cells) and not (reader.line_num == 1 and EXCEL.match(text)):
                yield reader.line_num, cells
    except csv.Error as error:
        raise InputError(f"{name}, line {reader.line_num}: this is not CSV: {error}") from None


def repaired(text: str) -> str:
    """A text whose UTF-8 was once read as Latin-1, as it was meant; any other text as it is."""
    try:
        return text.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return text


def whole_number(text: str, what: str) -> int:
    """Read a whole number that is at least 0."""
    digits = text.strip()
    if not (digits.isascii() and digits.isdigit()):
        raise InputError(f"{what} is {digits[:40]!r}; it must be a whole number, at least 0")
    if len(digits) > MAX_COUNT_DIGITS:
        raise InputError(f"{what} has {len(digits)} digits; at most {MAX_COUNT_DIGITS} are allowed")
    return int(digits)


@contextmanager
def located(where: str) -> Iterator[None]:
    """Put the place, ``"file, line 3"``, before the sentence of an `InputError` raised inside the block."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{where}: {error}") from None


# --- The samples in the package; those called made-up are invented ---------------------------------------

_FOLDER: Final = Path(__file__).parent / "samples"

_INVENTED: Final = "invented"
SAMPLES: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        # Begich's pairs: J. N. Clelland, arXiv:2303.00108, page 6; the other: the certified final round.
        "alaska.csv": (
            "Alaska, US House 2022: Begich beats both; Peltola was elected",
            "arXiv:2303.00108; State of Alaska",
        ),
        "burlington.toc": (
            "Burlington, mayor 2009: Montroll beats both; Kiss was elected",
            "Gierzynski, Hamilton and Smith 2009",
        ),
        "made-up-clicks.csv": ("Clicks on a list of documents", _INVENTED),
        "made-up-games.csv": ("Battles of models, by judge", _INVENTED),
        "made-up-grades.csv": ("Grades, by judge", _INVENTED),
        "san-francisco.csv": ("Supervisor 2008, District 1: most losses swap two", "PrefLib 00021-00000001"),
        "vermont.toc": ("Vermont House 2014: approval ballots", "J. A. Hansen 2016; PrefLib 00031-00000010"),
    }
)
"""By name: what it is, and where its numbers come from."""


def samples() -> tuple[str, ...]:
    """Names of the bundled samples, which whatever reads preferences takes as they are."""
    return tuple(SAMPLES)


def sample_path(name: str) -> Path | None:
    """Where the sample of this name lies, with or without its ending, or None if there is none."""
    return next((_FOLDER / one for one in samples() if name in (one, Path(one).stem)), None)


def place_of(name: str) -> tuple[Path, tuple[str, ...]]:
    """The file of this name, else the sample of that name if there is one, with notes."""
    path, sample = Path(name), sample_path(name)
    if sample is None or path.exists():
        return path, ()
    return sample, (f"{name} is not in this folder; reading the sample {sample.name} in the package",)
