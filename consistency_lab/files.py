"""Files in and out: canonical JSON and its digest, bounded reading, atomic writing."""

import hashlib
import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from decimal import Decimal, InvalidOperation
from errno import EDQUOT, EFBIG, EIO, ENOSPC
from io import StringIO
from pathlib import Path
from typing import BinaryIO, Final, NoReturn, final

from consistency_lab.errors import InputError, NotWrittenError

__all__ = [
    "MAX_BYTES",
    "MAX_DEPTH",
    "MAX_VALUES",
    "canonical",
    "check_file",
    "check_readable",
    "check_writable",
    "csv_text",
    "digest",
    "make_folder",
    "opened_atomic",
    "prepare_folder",
    "read_bytes",
    "read_json",
    "write_atomic",
    "write_document",
]

MAX_BYTES: Final = 20_000_000
"""Longest file that is read."""

MAX_DEPTH: Final = 50
"""Deepest nesting of arrays and objects that is parsed."""

_FULL: Final = frozenset({ENOSPC, EDQUOT, EFBIG, EIO})
"""Errors that no other name of a file would have avoided."""

_OURS: Final = ".consistency-lab-"
"""How the names of hidden files begin."""

MAX_VALUES: Final = 1_500_000
"""Most values in a document: parsed, each takes up to a hundred times its place in the file."""

_MARK: Final = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"?|[\[\]{},]', re.DOTALL)
"""A text, which is passed over, or what opens, closes or separates values."""


def canonical(document: object) -> bytes:
    """The one spelling of a JSON document: sorted keys, no spaces, UTF-8.

    Examples
    --------
    >>> canonical({"b": [1, True], "a": "½"}).decode()
    '{"a":"½","b":[1,true]}'
    """
    try:
        _refuse_floats(document)
        return json.dumps(
            document, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
        ).encode()
    except UnicodeEncodeError as error:
        raise InputError(f"the text {error.object[error.start :][:1]!r} is not a Unicode character") from None
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"the document has no canonical JSON: {error}") from None


def _refuse_floats(value: object) -> None:
    if isinstance(value, float | Decimal):
        raise TypeError(f"{value} must be written as a text, so that it is not rounded")
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if not isinstance(key, str):
                raise TypeError(f"the key {key!r} must be a text")
            if not isinstance(inner, str):
                _refuse_floats(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            if not isinstance(inner, str):
                _refuse_floats(inner)


def digest(document: Mapping[str, object]) -> str:
    """``"sha256:<hex>"`` of the canonical JSON of a document without its key ``digest``."""
    content = {key: value for key, value in document.items() if key != "digest"}
    return f"sha256:{hashlib.sha256(canonical(content)).hexdigest()}"


def with_digest(document: Mapping[str, object]) -> dict[str, object]:
    """The document with the digest that belongs to it."""
    return {**document, "digest": digest(document)}


def read_bytes(path: str | os.PathLike[str], limit: int = MAX_BYTES) -> bytes:
    """The content of a file of at most `limit` bytes."""
    name = os.fspath(path)
    try:
        with Path(path).open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            # The size of a pipe or a device is unknown beforehand, so one byte too many is the test there.
            content = b"" if size > limit else file.read(limit + 1)
    except (OSError, ValueError) as error:
        raise InputError(f"{name} cannot be read: {_reason(error)}") from None
    if max(size, len(content)) > limit:
        found = f"{size:_} bytes long" if size > limit else "too long"
        raise InputError(f"{name} is {found}; at most {limit:_} bytes are read")
    return content


def read_json(path: str | os.PathLike[str], content: bytes | None = None) -> object:
    """Read a JSON file; numbers with a point or an exponent come back as Decimal, so nothing is rounded.

    What it holds is not read again if it is given as `content`.

    Size, nesting and the number of values are decided before anything is parsed.
    """
    name = os.fspath(path)
    content = read_bytes(path) if content is None else content
    _check_shape(content, name)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{name} is not UTF-8 text (byte {error.start}); save it as UTF-8") from None
    if not text.strip():
        raise InputError(f"{name} is empty; a JSON document is expected")

    def whole(digits: str) -> int:
        try:
            return int(digits)
        except ValueError:
            raise InputError(f"{name} holds an integer of {len(digits)} digits; that is too long") from None

    def decimal(digits: str) -> Decimal:
        try:
            return Decimal(digits)
        except InvalidOperation:
            raise InputError(f"{name} holds the number {digits[:40]}, which is out of range") from None

    def constant(word: str) -> NoReturn:
        raise InputError(f"{name} holds {word}; numbers must be finite")

    def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
        found: dict[str, object] = {}
        for key, value in pairs:
            if key in found:
                raise InputError(f"{name} has the key {key[:40]!r} twice in one object; give each key once")
            found[key] = value
        return found

    try:
        parsed: object = json.loads(
            text, parse_int=whole, parse_float=decimal, parse_constant=constant, object_pairs_hook=unique
        )
    except json.JSONDecodeError as error:
        end = " (the file ends too early)" if not text[error.pos :].strip() else ""
        where = f"line {error.lineno}, column {error.colno}"
        raise InputError(f"{name} is not a JSON document{end}: {error.msg} at {where}") from None
    except RecursionError:
        raise InputError(f"{name} nests too many arrays and objects") from None
    return parsed


def check_readable(content: bytes, name: str) -> None:
    """Find out whether a document, once written, could be read again."""
    if len(content) > MAX_BYTES:
        raise InputError(f"{name} is {len(content):_} bytes long; at most {MAX_BYTES:_} bytes are read")
    _check_shape(content, name)


def _check_shape(content: bytes, name: str) -> None:
    """Refuse what nests too deep or has too many values, as far as the content is JSON."""
    depth, values = 0, 1
    for mark in _MARK.finditer(content):
        byte = content[mark.start()]
        if byte in b"[{":
            depth += 1
        elif byte in b"]}":
            depth -= 1
        # Each value but the first follows a comma or an opening bracket.
        values += byte in b"[{,"
        if depth > MAX_DEPTH:
            raise InputError(
                f"{name} nests more than {MAX_DEPTH} arrays and objects; no file of this tool does"
            )
        if values > MAX_VALUES:
            raise InputError(f"{name} has more than {MAX_VALUES:_} values; no file of this tool has so many")


def csv_text(rows: Iterable[Sequence[object]], warn: Callable[[str], None]) -> str:
    """A table in CSV; what a spreadsheet would take for a formula gets a ' before it, and `warn` is told."""
    cells = _Cells()
    lines = [
        ",".join([cells[x] if isinstance(x, str) else "" if x is None else str(x) for x in row])
        for row in rows
    ]
    if found := cells.formulas:
        others = f" and {len(found) - 1} more" if len(found) > 1 else ""
        it = "them for formulas" if others else "it for a formula"
        warn(f"the table has a ' before {found[0]!r}{others}, so that no spreadsheet takes {it}")
    return "\n".join([*lines, ""])


@final
class _Cells(dict[str, str]):
    """How texts are written, with quotes where needed; each is looked at once."""

    def __init__(self) -> None:
        super().__init__()
        self.formulas: list[str] = []

    def __missing__(self, cell: str) -> str:
        import csv  # which --help and verify do without

        text, shown = StringIO(), cell
        if cell.startswith(("=", "+", "-", "@")):
            try:
                float(cell)
            except ValueError:
                self.formulas.append(cell)
                shown = f"'{cell}"
        csv.writer(text).writerow([shown, ""])
        self[cell] = text.getvalue()[:-3]
        return self[cell]


def write_atomic(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write a file, a text as UTF-8, all of it or nothing; see `opened_atomic`."""
    with opened_atomic(path) as file:
        file.write(content.encode() if isinstance(content, str) else content)


@contextmanager
def opened_atomic(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file to write into, which is there when the block ends, all of it or nothing.

    The content goes to a hidden file in the same folder, which takes the place of `path` when it is safely on
    the disk; on any failure, an interruption included, the hidden file is removed and `path` is as before.
    What a run that was killed has left is removed by the next one that writes into the folder; the hidden
    files of runs that are still writing are locked, so they stay. A device or a pipe is written into; a link
    stays, and what it leads to is replaced.

    Raises
    ------
    NotWrittenError
        If the disk is full.
    """
    try:
        target = _led_to(path)
        if target.exists() and not target.is_file() and not target.is_dir():
            with target.open("wb") as file:
                yield file
            return
        _remove_abandoned(target.parent)
        with _temporary(target.parent) as (temporary, file):
            yield file
            file.flush()
            os.fsync(file.fileno())
            if sys.platform == "win32":  # open files keep their names there
                file.close()
            temporary.replace(target)
    except InputError:  # of the block
        raise
    except (OSError, ValueError) as error:
        kind = NotWrittenError if isinstance(error, OSError) and error.errno in _FULL else InputError
        raise kind(f"{os.fspath(path)} cannot be written: {_reason(error)}") from None


def _led_to(path: str | os.PathLike[str]) -> Path:
    """The file that a path leads to, which may not be there yet (OSError if its links form a loop)."""
    found = Path(os.path.realpath(path))
    with suppress(FileNotFoundError):
        found.stat()
    return found


def write_document(path: Path, document: Mapping[str, object], *, sort: bool = True) -> None:
    """Write a document as JSON for people; an interruption ends the run only when the file is there.

    Its keys are sorted, or stay in their order.
    """
    text = json.dumps(document, sort_keys=sort, indent=1, ensure_ascii=False) + "\n"
    try:
        write_atomic(path, text)
    except KeyboardInterrupt:
        write_atomic(path, text)
        raise


def _try_to_write(folder: Path) -> None:
    from tempfile import TemporaryFile  # which `verify` does without

    with TemporaryFile(dir=folder):
        pass


def prepare_folder(folder: Path, what: str) -> None:
    """Make a folder, and find out whether files can be written there.

    Parameters
    ----------
    folder
        It may be there already.
    what
        What it is to hold, for the message.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _try_to_write(folder)
    except (OSError, ValueError) as error:
        raise InputError(f"{folder} cannot hold {what}: {_reason(error)}; name another folder") from None


def check_writable(folder: Path) -> None:
    """Find out whether files can be written to a folder that may not exist yet; nothing is left behind."""
    try:
        with suppress(FileNotFoundError):
            folder.stat()
        existing = next(place for place in (folder, *folder.absolute().parents) if os.path.lexists(place))
        if not existing.is_dir():
            raise InputError(f"{folder} cannot hold files: {existing} is not a folder")
        _try_to_write(existing)
    except (OSError, ValueError) as error:
        raise _unwritable(folder, error) from None


def check_file(path: Path, option: str = "", inputs: Iterable[Path] = ()) -> None:
    """Find out whether a file can be written, before the work whose answer it is to hold.

    Parameters
    ----------
    path, option
        The file, and what names it, for messages.
    inputs
        What is read: it must be none of these.
    """
    try:
        target = _led_to(path)
        for one in inputs:
            if target == Path(os.path.realpath(one)):
                raise InputError(f"{option} {path} is an input file; name another file")
        if target.is_dir():
            raise InputError(f"{path} cannot be written: is a directory")
        if target.exists() and not target.is_file():  # a device or a pipe
            return
        _try_to_write(target.parent)
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path} cannot be written: {_reason(error)}") from None


def make_folder(folder: Path) -> None:
    """Make a folder that may be there already."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise _unwritable(folder, error) from None


def _unwritable(folder: Path, error: OSError | ValueError) -> InputError:
    return InputError(f"{folder} cannot be written to: {_reason(error)}; name another folder")


@contextmanager
def _temporary(folder: Path) -> Iterator[tuple[Path, BinaryIO]]:
    """A hidden file of our own, locked while it is open, and gone after a failure."""
    while True:
        temporary = folder / f"{_OURS}{os.urandom(8).hex()}.tmp"
        # Unlike the tempfile module this honors the user's umask.
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        try:
            with os.fdopen(descriptor, "wb") as file:
                _lock(file.fileno(), wait=True)
                # Before it was locked another run may have taken it for abandoned.
                if os.fstat(file.fileno()).st_nlink:
                    yield temporary, file
                    return
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise


def _remove_abandoned(folder: Path) -> None:
    """Remove hidden files of ours that nobody is writing."""
    for path in folder.glob(f"{_OURS}*.tmp"):
        with suppress(OSError), path.open("rb") as file:  # another run was quicker, or it is somebody else's
            if _lock(file.fileno(), wait=False):
                path.unlink()


def _lock(descriptor: int, *, wait: bool) -> bool:
    """Lock a file until it is closed; False if another process has, or if there are no locks here."""
    if sys.platform == "win32":
        return False
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
        return False
    return True


def _reason(error: OSError | ValueError) -> str:
    """The system's own words, without its numbers and paths."""
    words = error.strerror if isinstance(error, OSError) else None
    return (words or str(error)).lower()
