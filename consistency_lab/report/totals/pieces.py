"""What is to be audited: files, and the queries of files that hold many."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import file_digest, sha256
from pathlib import Path
from typing import final

from consistency_lab.data.bundled import place_of
from consistency_lab.data.formats import FORMATS
from consistency_lab.data.profile import Profile
from consistency_lab.data.rows import STANDARD_INPUT
from consistency_lab.data.sources import JudgmentColumns, Reading
from consistency_lab.errors import ConsistencyLabError, InputError


@final
@dataclass(frozen=True, eq=False)
class Piece:
    """One profile that is to be audited.

    Parameters
    ----------
    name
        What it is called in lists: the file, and which query of it.
    profile
        If it had to be read already, to find out what there is in its file.
    why
        Why it cannot be read, if that is known already.
    """

    name: str
    profile: Profile | None = None
    why: str = ""

    def read(self, reading: Reading) -> Profile | str:
        """The profile, or why there is none: one file must not stop the others."""
        if self.why or self.profile is not None:
            return self.why or self.profile or ""
        try:
            (profile,) = reading.profiles(self.name)
        except ConsistencyLabError as error:
            return str(error)
        return profile

    def digest(self) -> str | None:
        """That of the content: of the file, or of what was read of it; None if there is no such file."""
        if self.profile is not None:
            return sha256(repr((self.profile.contents, self.profile.kept)).encode()).hexdigest()
        try:
            with place_of(self.name)[0].open("rb") as file:
                return file_digest(file, "sha256").hexdigest()
        except (OSError, ValueError):
            return None


def files_of(data: Sequence[str]) -> list[str]:
    """Files as they are named, and of folders all files whose extension is that of a format, by name.

    Raises
    ------
    InputError
        If a folder has no such file.
    """
    found: list[str] = []
    for name in data:
        path = Path(name)
        if name == STANDARD_INPUT or not path.is_dir():
            found.append(name)
            continue
        inside = sorted(
            os.fspath(one)
            for one in path.rglob("*")
            if one.suffix.lower().removeprefix(".") in FORMATS and one.is_file()
        )
        if not inside:
            raise InputError(f"{name} is a folder without profiles; they end with .{', .'.join(FORMATS)}")
        found += inside
    return found


def pieces_of(files: Sequence[str], reading: Reading) -> list[Piece]:
    """One for each file, or for each query of each."""
    found: list[Piece] = []
    for name in files:
        if name != STANDARD_INPUT and not isinstance(reading.columns, JudgmentColumns):
            found.append(Piece(name))
            continue
        try:
            profiles = list(reading.profiles(name))
        except ConsistencyLabError as error:
            found.append(Piece(name, why=str(error)))
            continue
        several = isinstance(reading.columns, JudgmentColumns)
        found += [Piece(f"{name}, query {one.title}" if several else name, one) for one in profiles]
    return found
