"""Files compressed by gzip, zip or zstd, as what they hold."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader, BytesIO, RawIOBase
from typing import IO, TYPE_CHECKING, Any, Final, cast, final

from consistency_lab.errors import InputError, need, need_room
from consistency_lab.files import read_bytes

if TYPE_CHECKING:
    from zipfile import ZipFile

MAX_UNPACKED: Final = 2_000_000_000
"""Most bytes that a compressed file may hold."""

_BUFFER: Final = 1_000_000
ROOM: Final = 1536 << 20
"""The address space that Polars takes, in bytes."""
_GZIP: Final = b"\x1f\x8b\x08"
_ZIP: Final = b"PK\x03\x04"
_ZSTD: Final = b"\x28\xb5\x2f\xfd"
PACKED: Final = (_GZIP, _ZIP, _ZSTD)
"""How compressed files begin."""

_ENDING: Final = re.compile(r"\.(gz|zip|zst)$", re.IGNORECASE)


def read_content(path: str | os.PathLike[str], limit: int) -> bytes:
    """The content of a file of at most `limit` bytes, packed and unpacked."""
    content, name = read_bytes(path, limit), os.fspath(path)
    if content.startswith(PACKED):
        content = unpacked(name, BufferedReader(cast("RawIOBase", BytesIO(content)))).read(limit + 1)
    if len(content) > limit:
        raise InputError(f"{name} is too long once it is unpacked; at most {limit:_} bytes are read")
    return content


def unpacked(name: str, file: BufferedReader) -> BufferedReader:
    """What a gzip, zip or zstd file holds, as its first bytes tell; any other file as it is."""
    start = file.peek(len(_ZSTD))
    if not start.startswith(PACKED):
        return file
    content: IO[bytes]
    with _whole(name):
        if start.startswith(_GZIP):
            from gzip import GzipFile

            content = cast("IO[bytes]", GzipFile(fileobj=file))
        elif start.startswith(_ZIP):
            from zipfile import ZipFile

            content = _only_member(name, ZipFile(file))
        else:
            need("polars", f"{name}, compressed by zstd,")
            need_room(ROOM)
            import polars as pl

            try:
                content = BytesIO("\n".join(pl.read_lines(file).to_series()).encode())
            except pl.exceptions.PolarsError as error:
                raise OSError(str(error)) from None
    return BufferedReader(_Bounded(name, content), _BUFFER)


def unpacked_name(name: str) -> str:
    """The name of a file without the ending of a compressed one."""
    return _ENDING.sub("", name)


def _only_member(name: str, archive: "ZipFile") -> IO[bytes]:
    members = [one for one in archive.namelist() if not one.endswith("/") and not one.startswith("__MACOSX/")]
    if "xl/workbook.xml" in members:
        raise InputError(f"{name} is a spreadsheet; save its table as CSV")
    if len(members) != 1:
        told = f" ({', '.join(members)[:100]})" if members else ""
        raise InputError(f"{name} holds {len(members)} files{told}; unpack it, or leave one in it")
    return archive.open(members[0])


@contextmanager
def _whole(name: str) -> Iterator[None]:
    """Turn errors of a damaged compressed file into one sentence."""
    from zipfile import BadZipFile
    from zlib import error as BadGzipFile

    try:
        yield
    except (OSError, EOFError, RuntimeError, BadZipFile, BadGzipFile) as error:
        raise InputError(f"{name} cannot be unpacked: {str(error)[:100].lower()}") from None


@final
class _Bounded(RawIOBase):
    """The content of a compressed file, which may hold `MAX_UNPACKED` bytes."""

    def __init__(self, name: str, content: IO[bytes]) -> None:
        super().__init__()
        self._name, self._content, self._left = name, content, MAX_UNPACKED

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        with _whole(self._name):
            content = self._content.read(len(buffer))
        self._left -= len(content)
        if self._left < 0:
            raise InputError(f"{self._name} holds more than {MAX_UNPACKED:_} bytes; unpack it")
        buffer[: len(content)] = content
        return len(content)
