"""The cells on disk: one JSON file each, all of it or nothing; what is damaged counts as missing."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

from consistency_lab.atlas.body import check_body
from consistency_lab.atlas.cell import Cell
from consistency_lab.atlas.make import FORMAT
from consistency_lab.errors import InputError
from consistency_lab.files import digest, prepare_folder, read_json, write_document

__all__ = ["FORMAT", "Store", "read_cell"]


@final
@dataclass(frozen=True, slots=True)
class Store:
    """A folder of cells.

    Parameters
    ----------
    folder
        Where they are; it is made when the first is written.
    """

    folder: Path

    def path(self, cell: Cell) -> Path:
        """Where a cell is stored."""
        return self.folder / f"{cell.name}.json"

    def has(self, cell: Cell, warn: Callable[[str], None]) -> bool:
        """Whether this cell is there, made with these parameters; of a damaged file `warn` is told."""
        path = self.path(cell)
        if not path.exists():
            return False
        try:
            document = read_cell(path)
        except InputError as error:
            warn(f"{error}; it is made again")
            return False
        return bool(document["parameters"] == cell.parameters())

    def write(self, cell: Cell, document: Mapping[str, object]) -> None:
        """Store a cell; an interruption ends the run only when it is there.

        Raises
        ------
        InputError
            If the folder cannot be written to.
        """
        write_document(self.path(cell), document)

    def prepare(self) -> None:
        """Make the folder, and find out whether files can be written there.

        Raises
        ------
        InputError
            If that is not possible.
        """
        prepare_folder(self.folder, "an atlas")

    def documents(self) -> Iterator[dict[str, Any]]:
        """All cells that are there, by file name.

        Raises
        ------
        InputError
            If there is no such folder, or a file in it is not a cell.
        """
        try:
            there = self.folder.is_dir()
        except OSError:  # as for a name that is too long
            there = False
        if not there:
            raise InputError(f"{self.folder} is not a folder; name the folder of an atlas")
        for path in sorted(self.folder.glob("*.json")):
            yield read_cell(path)


def read_cell(path: Path) -> dict[str, Any]:
    """The document of a cell, if its format, digest, parameters and the form of its body are in order.

    Raises
    ------
    InputError
        If it is not one, or was changed.
    """
    document = read_json(path)
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise InputError(f"{path} is not a cell of an atlas; its format must be {FORMAT}")
    try:
        same = document.get("digest") == digest(document)
    except InputError as error:
        raise InputError(f"{path} is damaged: {error}") from None
    if not same:
        raise InputError(f"{path} is damaged: its digest is not that of its content")
    parameters = document.get("parameters")
    try:
        if not isinstance(parameters, dict) or Cell.of(parameters).name != path.stem:
            raise InputError("its parameters are those of another cell")
        check_body(document)
    except InputError as error:
        raise InputError(f"{path} is not a cell of an atlas: {error}") from None
    return document
