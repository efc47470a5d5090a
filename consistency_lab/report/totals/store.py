"""Audits on disk: one file each, named by what was read and what was asked; what is damaged is missing."""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any, Final, final

from consistency_lab.data.sources import Reading
from consistency_lab.errors import InputError
from consistency_lab.files import canonical, prepare_folder, read_bytes, write_document
from consistency_lab.report.audit import Part
from consistency_lab.report.saving import save
from consistency_lab.report.totals.pieces import Piece
from consistency_lab.report.totals.work import WITNESSES, Made, Question
from consistency_lab.version import __version__

FORMAT: Final = "consistency-lab/audit-entry/3"


@final
@dataclass(frozen=True, slots=True)
class Entry:
    """What is kept of an audit: its document, its rows, and what a page says of it if one was wanted."""

    document: Mapping[str, Any]
    rows: tuple[Mapping[str, Any], ...]
    part: Part | None = None


@final
@dataclass(frozen=True, slots=True)
class Store:
    """A folder of audits, all read and asked alike.

    Parameters
    ----------
    folder
        Where they are.
    reading, question
        Whatever else a result depends on.
    """

    folder: Path
    reading: Reading
    question: Question

    def prepare(self) -> None:
        """Make the folder, or say why that cannot be (InputError)."""
        prepare_folder(self.folder, "audits")

    def path(self, piece: Piece) -> Path | None:
        """Where a piece is stored; None if it cannot be told, for its file cannot be read."""
        content = piece.digest()
        if content is None:
            return None
        columns = type(self.reading.columns).__name__
        asked = {**asdict(self.question), "folder": None, "page": None, "attached": None}
        key = [FORMAT, __version__, content, columns, asdict(self.reading), asked]
        stem = "".join(c if c.isalnum() else "-" for c in Path(piece.name).stem)[:60]
        return self.folder / f"{stem}-{sha256(canonical(key)).hexdigest()[:20]}.json"

    def read(self, path: Path, warn: Callable[[str], None]) -> Entry | None:
        """What is there, with its part of the page if one is wanted; of a damaged file `warn` is told."""
        if not path.exists():
            return None
        try:
            found = json.loads(read_bytes(path))
            content = found["audit"], found["rows"], found["page"], found["witnesses"]
            # With the name, for a file in the place of another one is an answer to something else.
            if found["format"] != FORMAT or found["digest"] != _digest(path.name, *content):
                raise ValueError("another digest")
            for name, known in content[3].items():
                if _digest_of(self.folder / WITNESSES / name) != known:
                    raise InputError(f"{self.folder / WITNESSES / name} is missing or damaged")
        except InputError as error:
            warn(f"{error}; {path.name} is made again")
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            warn(f"{path} is damaged; it is made again")
        else:
            part = None if content[2] is None else Part(**content[2])
            lacks = self.question.page and part is None
            return None if lacks else Entry(content[0], tuple(content[1]), part)
        return None

    def write(self, path: Path, name: str, made: Made) -> None:
        """Store an audit, after its witnesses (InputError if that is not possible)."""
        saved = [save(witness, self.folder / WITNESSES) for witness in made.witnesses]
        witnesses = {one.name: _digest_of(one) for one in saved}
        rows = list(made.rows)
        page = None if made.part is None else asdict(made.part)
        document = {"format": FORMAT, "source": name, "audit": made.document, "rows": rows, "page": page}
        known = _digest(path.name, made.document, rows, page, witnesses)
        # In this order its keys are shown, whether it was there or is made now.
        write_document(path, {**document, "witnesses": witnesses, "digest": known}, sort=False)


def _digest_of(file: Path) -> str | None:
    """That of the content of a file; None if it cannot be read."""
    try:
        with file.open("rb") as opened:
            return f"sha256:{file_digest(opened, 'sha256').hexdigest()}"
    except (OSError, ValueError):
        return None


def _digest(*content: object) -> str:
    """Of JSON with floats, which come back as they were written."""
    return f"sha256:{sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()}"
