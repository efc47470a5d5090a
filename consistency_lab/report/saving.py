"""Save witness documents, and find out before a search whether that will be possible."""

import json
import os
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from consistency_lab.errors import InputError
from consistency_lab.files import check_readable, write_atomic
from consistency_lab.report.naming import file_name


def check_writable(folder: Path) -> None:
    """Find out whether files can be written to a folder that may not exist yet; nothing is left behind.

    Raises
    ------
    InputError
        If it is a file, or it or the folder in which it would be made cannot be written to.
    """
    try:
        with suppress(FileNotFoundError):
            folder.stat()
        existing = next(place for place in (folder, *folder.absolute().parents) if os.path.lexists(place))
        if not existing.is_dir():
            raise InputError(f"{folder} cannot hold files: {existing} is not a folder")
        with tempfile.TemporaryFile(dir=existing):
            pass
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

    Raises
    ------
    InputError
        If it is a folder or an input, or its own folder does not exist or cannot be written to.
    """
    for one in inputs:
        if path.resolve() == one.resolve():
            raise InputError(f"{option} {path} is what is read; name another file")
    try:
        with suppress(FileNotFoundError):
            path.stat()  # a name that no file can have
        if path.is_dir():
            raise InputError(f"{path} cannot be written: is a directory")
        if path.exists() and not path.is_file():  # a device or a pipe
            return
        with tempfile.TemporaryFile(dir=path.parent):
            pass
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path} cannot be written: {_words(error)}") from None


def save(document: Mapping[str, object], folder: Path, name: str | None = None) -> Path:
    """Write a witness document into a folder, which is made if need be.

    Parameters
    ----------
    document, folder
        What to write, and where.
    name
        What to call it, unless by what it says of itself.

    Raises
    ------
    InputError
        If that is not possible, or it could not be read again; then nothing is written.
    """
    path = folder / (name or file_name(document))
    text = json.dumps(document, sort_keys=True, indent=1, ensure_ascii=False) + "\n"
    check_readable(text.encode(), path.name)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise _unwritable(folder, error) from None
    write_atomic(path, text)
    return path


def _unwritable(folder: Path, error: OSError | ValueError) -> InputError:
    return InputError(f"{folder} cannot be written to: {_words(error)}; name another folder")


def _words(error: OSError | ValueError) -> str:
    words = error.strerror if isinstance(error, OSError) else None
    return (words or str(error)).lower()
