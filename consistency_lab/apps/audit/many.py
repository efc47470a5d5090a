"""Audits of many profiles: read, made in parallel, and stored in a folder, so that a run can resume."""

import json
import os
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from functools import partial
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any, Final, final

from consistency_lab.apps.audit.audit import RESAMPLES, SIMULATIONS, Audit
from consistency_lab.apps.audit.losses import DEFAULT
from consistency_lab.certify.proofs.file import save
from consistency_lab.data.formats import FORMATS
from consistency_lab.data.packed import unpacked_name
from consistency_lab.data.profile import Profile, Reading
from consistency_lab.data.rows import STANDARD_INPUT
from consistency_lab.data.text import place_of
from consistency_lab.errors import ConsistencyLabError, InputError, NotWrittenError, reason
from consistency_lab.files import canonical, prepare_folder, read_bytes, write_document
from consistency_lab.frozen import frozen
from consistency_lab.processes import ProcessDied, Undone, at_once, check_address, on_cluster
from consistency_lab.version import __version__

# --- What is to be audited: files, and the queries of files with several ---------------------------------


@final
@dataclass(frozen=True, eq=False)
class Piece:
    """One profile to audit."""

    name: str  #: Its name in lists: the file, and the query.
    profile: Profile | None = None  #: Set if it was already read, to list the queries of its file.
    why: str = ""  #: Why it cannot be read, if already known.

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
        """The digest of the file, or of the profile read; None if there is no such file."""
        if self.profile is not None:
            return sha256(repr((self.profile.contents, self.profile.kept)).encode()).hexdigest()
        try:
            with place_of(self.name)[0].open("rb") as file:
                return file_digest(file, "sha256").hexdigest()
        except (OSError, ValueError):
            return None


def files_of(data: Sequence[str]) -> list[str]:
    """The files named, and all files with the extension of a format in the folders named, sorted."""
    files: list[str] = []
    for name in data:
        path = Path(name)
        if name == STANDARD_INPUT or not path.is_dir():
            files.append(name)
            continue
        inside = sorted(
            os.fspath(one)
            for one in path.rglob("*")
            if Path(unpacked_name(one.name)).suffix.lower().removeprefix(".") in FORMATS and one.is_file()
        )
        if not inside:
            raise InputError(f"{name} is a folder without profiles; they end in .{', .'.join(FORMATS)}")
        files += inside
    return files


def pieces_of(files: Sequence[str], reading: Reading) -> list[Piece]:
    """A piece for each file, or for each query of each file."""
    pieces: list[Piece] = []
    for name in files:
        if name != STANDARD_INPUT and not reading.by_query:
            pieces.append(Piece(name))
            continue
        try:
            profiles = list(reading.profiles(name))
        except ConsistencyLabError as error:
            pieces.append(Piece(name, why=str(error)))
            continue
        pieces += [Piece(f"{name}, query {one.title}" if reading.by_query else name, one) for one in profiles]
    return pieces


# --- Questions about a profile and their outcomes: plain data that processes exchange --------------------

WITNESSES: Final = "witnesses"
"""The subfolder of witness files."""


@frozen
class Question:
    """The question about each profile; the parameters are those of `audit.audit`."""

    losses: tuple[str, ...] = DEFAULT
    resamples: int = RESAMPLES
    simulations: int = SIMULATIONS
    seed: int = 0
    flips: bool | None = None
    folder: str | None = None  #: Where the files will be; None if nothing is saved.
    #: Whether the files that prove it are saved too; of hundreds of items each has megabytes.
    witnesses: bool = True
    page: bool = False  #: Whether a page is wanted.
    #: The folder beside the page that has the witness files, to which it links; None where it names them.
    proofs: str | None = None
    digests: bool = True  #: Whether the digests of proofs are told: of hundreds of items they take longest.

    @property
    def saved(self) -> str | None:
        """The folder for files other than audits."""
        return self.folder if self.witnesses else None


@frozen
class Part:
    """The part of a page about one profile: only text, so that another process may make it."""

    #: The data and their number, as plain text.
    title: str
    size: str
    body: str  #: Markup.


@final
@dataclass(frozen=True, eq=False, slots=True)
class Made:
    """What is known of a profile; the first three are what is stored."""

    #: Plain data.
    document: Mapping[str, Any]
    rows: tuple[Mapping[str, Any], ...]
    part: Part | None = None  #: Its part of the page, if one is written.
    witnesses: tuple[dict[str, Any], ...] = ()  #: The files that prove it.
    audit: Audit | None = None  #: In the process that made it.


Make = Callable[[Profile, Question], Made]
"""Audits a profile, or raises ConsistencyLabError; a module-level function, since processes get its name."""

Message = tuple[Profile | str, Question]
"""A profile, or why there is none, with the question."""


def _tried(make: Make, message: Message) -> Made | str:
    """Plain data for another process, or why there are none; one profile must not stop the others."""
    profile, question = message
    if isinstance(profile, str):
        return profile
    try:
        return replace(make(profile, question), audit=None)
    except Exception as error:
        return reason(error)


# --- Audits on disk --------------------------------------------------------------------------------------
# One file each, named by the digest of data and question; damaged files count as missing.

FORMAT: Final = "consistency-lab/audit-entry/5"


@frozen
class Store:
    """A folder of audits with the same reading and question."""

    folder: Path  #: Where they are.
    #: What else a result depends on.
    reading: Reading
    question: Question

    def prepare(self) -> None:
        """Make the folder (InputError if that fails)."""
        prepare_folder(self.folder, "audits")

    def path(self, piece: Piece) -> Path | None:
        """Where a piece is stored; None if its file cannot be read."""
        content = piece.digest()
        if content is None:
            return None
        columns = type(self.reading.columns).__name__
        asked = {**asdict(self.question), "folder": None, "page": None, "proofs": None}
        del asked["digests"]  # what is stored has them
        reading = asdict(self.reading)
        del reading["most"]  # what has more items is not stored
        key = [FORMAT, __version__, content, columns, reading, asked]
        stem = "".join(c if c.isalnum() else "-" for c in Path(piece.name).stem)[:60]
        return self.folder / f"{stem}-{sha256(canonical(key)).hexdigest()[:20]}.json"

    def read(self, path: Path, warn: Callable[[str], None]) -> Made | None:
        """The stored audit, with its part of the page if needed; damaged files are reported to `warn`."""
        if not path.exists():
            return None
        try:
            record = json.loads(read_bytes(path))
            content = record["audit"], record["rows"], record["page"], record["witnesses"]
            # The digest covers the name, so that a renamed file is not taken for another audit.
            if record["format"] != FORMAT or record["digest"] != _digest(path.name, *content):
                raise ValueError("another digest")
            for name, known in content[3].items():
                if _digest_of(self.folder / WITNESSES / name) != known:
                    raise InputError(f"{self.folder / WITNESSES / name} is missing or damaged")
        except InputError as error:
            warn(f"{error}; computing {path.name} again")
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            warn(f"{path} is damaged; computing it again")
        else:
            part = None if content[2] is None else Part(**content[2])
            lacks = self.question.page and part is None
            return None if lacks else Made(content[0], tuple(content[1]), part)
        return None

    def write(self, path: Path, name: str, made: Made) -> None:
        """Store an audit, after its witnesses (InputError if that fails)."""
        saved = [save(witness, self.folder / WITNESSES) for witness in made.witnesses]
        witnesses = {one.name: _digest_of(one) for one in saved}
        rows = list(made.rows)
        page = None if made.part is None else asdict(made.part)
        document = {"format": FORMAT, "source": name, "audit": made.document, "rows": rows, "page": page}
        known = _digest(path.name, made.document, rows, page, witnesses)
        # In this order its keys are shown, whether it was there or is made now.
        write_document(path, {**document, "witnesses": witnesses, "digest": known}, sort=False)


def _digest_of(file: Path) -> str | None:
    """The digest of a file; None if it cannot be read."""
    try:
        with file.open("rb") as opened:
            return f"sha256:{file_digest(opened, 'sha256').hexdigest()}"
    except (OSError, ValueError):
        return None


def _digest(*content: object) -> str:
    """The digest of JSON with floats, which read back exactly."""
    return f"sha256:{sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()}"


# --- Audit many profiles in parallel, skipping those in the folder ---------------------------------------

ATTEMPTS: Final = 2
"""A profile fails after this many processes died on it."""

Outcomes = Generator[tuple[int, Made | str], None, None]


@frozen
class Ended:
    """The outcome of a run."""

    #: How many audits were stored before, made, and failed; how many of those made could not be stored.
    kept: int
    made: int
    failed: int
    lost: int
    missing: int  #: How many are still to be made.
    interrupted: bool  #: Whether the user ended the run.


@final
class _Messages(Sequence[Message]):
    """Profiles read when they are sent, so that few are in memory at once."""

    def __init__(self, pieces: Sequence[Piece], reading: Reading, question: Question) -> None:
        self._pieces, self._reading, self._question = pieces, reading, question

    def __len__(self) -> int:
        return len(self._pieces)

    def __getitem__(self, number: Any) -> Any:
        if isinstance(number, slice):
            return _Messages(self._pieces[number], self._reading, self._question)
        return self._pieces[number].read(self._reading), self._question


def audit_all(
    pieces: Sequence[Piece],
    reading: Reading,
    question: Question,
    make: Make,
    *,
    jobs: int,
    scheduler: str | None = None,
    take: Callable[[int, Made], None],
    report: Callable[[str], None],
    warn: Callable[[str], None],
    refused: Callable[[int, str], None] = lambda number, why: None,
) -> Ended:
    """Audit the pieces that are not in the folder yet; Ctrl-C ends that and keeps what is done."""
    if scheduler is not None:
        check_address(scheduler)
    store = None if question.folder is None else Store(Path(question.folder), reading, question)
    paths: list[Path | None] = [None] * len(pieces)
    todo: list[int] = []
    kept = made = failed = lost = 0
    interrupted = False
    try:
        if store is not None:
            store.prepare()
        for number, piece in enumerate(pieces):
            paths[number] = path = None if store is None else store.path(piece)
            there = None if store is None or path is None else store.read(path, warn)
            if there is None:
                todo.append(number)
            else:
                kept += 1
                take(number, there)
        if store is not None:
            report(f"{kept} of {len(pieces)} audits are already stored")
        messages = _Messages([pieces[number] for number in todo], reading, question)
        with closing(_outcomes(partial(_tried, make), messages, jobs, scheduler)) as outcomes:
            for place, outcome in outcomes:
                number = todo[place]
                name, path = pieces[number].name, paths[number]
                if isinstance(outcome, str):
                    failed += 1
                    warn(f"{name}: not audited: {outcome.removeprefix(f'{name}: ')}")
                    refused(number, outcome)
                    continue
                if store is not None and path is not None:
                    try:
                        store.write(path, name, outcome)
                    except NotWrittenError as error:  # what was found is told all the same
                        lost += 1
                        warn(f"{name}: not kept: {error}")
                made += 1
                take(number, outcome)
                report(f"{kept + made + failed} of {len(pieces)}: {name}")
    except KeyboardInterrupt:
        interrupted = True
    return Ended(kept, made, failed, lost, len(pieces) - kept - made - failed, interrupted)


def _outcomes(
    work: Callable[[Message], Made | str], messages: _Messages, jobs: int, scheduler: str | None
) -> Outcomes:
    answers: Generator[tuple[int, Made | str | Undone | ProcessDied], None, None] = (
        at_once(work, messages, jobs, attempts=ATTEMPTS)
        if scheduler is None
        else on_cluster(work, messages, scheduler)
    )
    with closing(answers) as found:
        for number, one in found:
            if isinstance(one, ProcessDied):
                one = "its processes died without a result"
            yield number, one.reason if isinstance(one, Undone) else one
