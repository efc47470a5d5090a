"""Audits of many profiles: several at once, kept in a folder, added up."""

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from fractions import Fraction
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any, Final, NamedTuple, final, overload

from consistency_lab.audits.audit import RESAMPLES, SIMULATIONS, Audit, audit
from consistency_lab.audits.certified import NO_LOSS
from consistency_lab.audits.losses import DEFAULT
from consistency_lab.certify.document import file_name, save
from consistency_lab.cluster import Undone, check_address, on_cluster
from consistency_lab.data.bundled import place_of
from consistency_lab.data.formats import FORMATS
from consistency_lab.data.profile import JudgmentColumns, Profile, Reading
from consistency_lab.data.rows import STANDARD_INPUT, WARNING, LeftOut
from consistency_lab.decide.answers import Verdict
from consistency_lab.errors import ConsistencyLabError, InputError, NotWrittenError, reason
from consistency_lab.files import canonical, prepare_folder, read_bytes, write_document
from consistency_lab.frozen import frozen
from consistency_lab.processes import Lost, at_once
from consistency_lab.report.audit import audit_document, audit_rows
from consistency_lab.report.audit_page import Part, page_part
from consistency_lab.report.text import Blocks, Line, paragraph
from consistency_lab.version import __version__

# --- What is to be audited: files, and the queries of files that hold many -------------------------------


@final
@dataclass(frozen=True, eq=False)
class Piece:
    """One profile that is to be audited."""

    name: str  #: What it is called in lists: the file, and which query of it.
    profile: Profile | None = None  #: If it had to be read already, to find out what there is in its file.
    why: str = ""  #: Why it cannot be read, if that is known already.

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
    """Files as they are named, and of folders all files whose extension is that of a format, by name."""
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


# --- Audit one profile: the one function that workers are given, from plain data to plain data -----------

WITNESSES: Final = "witnesses"
"""The folder of witness files in that of the audits."""


@frozen
class Question:
    """What is asked of each profile; the parameters are those of `audit.audit`."""

    losses: tuple[str, ...] = DEFAULT
    resamples: int = RESAMPLES
    simulations: int = SIMULATIONS
    seed: int = 0
    flips: bool | None = None
    folder: str | None = None  #: Where the files will be; None if nothing is saved.
    #: Whether the files that prove it are saved too; of hundreds of items each has megabytes.
    witnesses: bool = True
    page: bool = False  #: Whether a page is wanted.
    #: Whether it holds the witness files: of hundreds of profiles nobody could open it.
    attached: bool = True

    @property
    def saved(self) -> str | None:
        """The folder of what is saved besides the audits."""
        return self.folder if self.witnesses else None


@final
@dataclass(frozen=True, eq=False, slots=True)
class Made:
    """What is known of a profile."""

    #: Plain data; no document if the profile could not be read or audited.
    document: dict[str, Any] | None = None
    rows: tuple[Mapping[str, object], ...] = ()
    witnesses: tuple[dict[str, Any], ...] = ()  #: The files that prove it.
    why: str = ""  #: Why there is no document.
    part: Part | None = None  #: What a page says of it, if one is wanted.
    audit: Audit | None = None  #: In the process that made it.


Message = tuple[Profile | str, Question]
"""A profile, or why there is none, and what is asked of it."""


def made(profile: Profile, question: Question, progress: Callable[[str], None] = lambda text: None) -> Made:
    """Audit a profile.

    Raises
    ------
    ConsistencyLabError
        If that cannot be done.
    """
    found = audit(
        profile,
        question.losses,
        resamples=question.resamples,
        simulations=question.simulations,
        seed=question.seed,
        flips=question.flips,
        progress=progress,
    )
    known = [one.certified for one in found.findings]
    # What a theorem decides needs no file, so one is made only to be saved.
    documents = [one.document for one in known if question.saved is not None or one.theorem is None]
    witnesses = {str(one["digest"]): dict(one) for one in documents if one is not None}
    files = {}
    if question.saved is not None:
        folder = Path(question.saved) / WITNESSES
        files = {digest: folder / file_name(one) for digest, one in witnesses.items()}
    kept = tuple(witnesses.values()) if question.witnesses else ()
    part = page_part(found, question.attached) if question.page else None
    return Made(audit_document(found, files), tuple(audit_rows(found)), kept, part=part, audit=found)


def tried(message: Message) -> Made:
    """Audit a profile in this process; one that cannot be audited must not stop the others."""
    profile, question = message
    if isinstance(profile, str):
        return Made(why=profile)
    try:
        return made(profile, question)
    except Exception as error:
        return Made(why=reason(error))


def tried_elsewhere(message: Message) -> Made:
    """The same in another process, from which only plain data come back."""
    return replace(tried(message), audit=None)


# --- Audits on disk --------------------------------------------------------------------------------------
# One file each, named by what was read and what was asked; what is damaged is missing.

FORMAT: Final = "consistency-lab/audit-entry/3"


@frozen
class Entry:
    """What is kept of an audit: its document, its rows, and what a page says of it if one was wanted."""

    document: Mapping[str, Any]
    rows: tuple[Mapping[str, Any], ...]
    part: Part | None = None


@frozen
class Store:
    """A folder of audits, all read and asked alike."""

    folder: Path  #: Where they are.
    #: Whatever else a result depends on.
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


# --- Audits added up -------------------------------------------------------------------------------------
# How often each loss is wrong or right, what is not decided and why, what stands out.
#
# They may come in any order.

_SHOWN: Final = 10
"""So many findings and reasons are shown."""

_COLUMNS: Final = ("", "wrong", "above noise", "right", "undecided")


@final
class Found(NamedTuple):
    """A certified contradiction that is above noise."""

    share: Fraction
    name: str
    title: str
    loss: str
    preferred: str
    over: str
    votes: str
    against: str


@final
@dataclass(slots=True)
class Totals:
    """What was found in many audits, added up one by one."""

    audited: int = 0
    decided: int = 0
    cells: Counter[tuple[str, str]] = field(default_factory=Counter)
    undecided: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    found: list[Found] = field(default_factory=list)
    left: dict[tuple[str, str], LeftOut] = field(default_factory=dict)
    _first: dict[str, tuple[int, str]] = field(default_factory=dict)

    def add(self, place: int, name: str, document: Mapping[str, Any]) -> None:
        """Add the document of an audit, which has this place among all."""
        self.audited += 1
        for one in document["profile"]["left_out"]:
            self.left[one["file"], one["what"]] = LeftOut(**one | {"why": tuple(one["why"])})
        undecided = False
        for finding in document["findings"]:
            loss, verdict, above = finding["loss"], finding["verdict"], finding["above_noise"]
            self.cells[loss, verdict] += 1
            if verdict == Verdict.UNDECIDED:
                undecided |= finding["reason"] != NO_LOSS
                self._count(self.undecided, finding["reason"], place, name)
            if verdict == Verdict.INCONSISTENT and above:
                self.cells[loss, "above noise"] += 1
                self.found.append(_largest(name, document, finding))
        self.decided += not undecided
        self.found.sort(key=lambda one: (-one.share, one.name, one.loss))

    def refuse(self, place: int, name: str, why: str) -> None:
        """Add a profile that could not be read or audited."""
        self._count(self.refused, why.replace(name, "the file"), place, name)

    def _count(self, where: Counter[str], why: str, place: int, name: str) -> None:
        kind = re.sub(r"'[^']*'", "'…'", re.sub(r"\d+", "N", why))
        where[kind] += 1
        self._first[kind] = min(self._first.get(kind, (place, name)), (place, name))

    @property
    def verdict(self) -> Verdict:
        """INCONSISTENT if some loss is certainly wrong somewhere, else UNDECIDED if one is undecided."""
        if any(verdict == Verdict.INCONSISTENT for _, verdict in self.cells):
            return Verdict.INCONSISTENT
        return Verdict.CONSISTENT if self.decided == self.audited else Verdict.UNDECIDED

    def document(self) -> dict[str, object]:
        """All of it, as JSON."""
        return {
            "audited": self.audited,
            "decided": self.decided,
            "left_out": [asdict(one) for one in self._left],
            "losses": {loss: self._row(loss) for loss in self._losses},
            "undecided": [self._reason(*one) for one in _falling(self.undecided)],
            "refused": [self._reason(*one) for one in _falling(self.refused)],
            "above_noise": [
                {key: value for key, value in one._asdict().items() if key != "share"} for one in self.found
            ],
        }

    def lines(self) -> Iterator[Line]:
        """The summary, for a person."""
        refused = self.refused.total()
        yield from paragraph(
            f"{self.audited + refused} instances: {self.decided} decided for every loss, "
            f"{self.audited - self.decided} undecided for some, {refused} not audited.",
            indent=0,
            hanging=0,
        )
        told = [
            f"{WARNING}{one.file}: {note.removeprefix(WARNING)}"
            if note.startswith(WARNING)
            else f"{one.file}: {note}."
            for one in self._left
            for note in (*one.warning, *one.why)
        ]
        for note in told[:_SHOWN]:
            yield from paragraph(note, indent=2, hanging=2)
        if len(told) > _SHOWN:
            yield f"  {len(told) - _SHOWN} more sentences on what is left out are in --json."
        if self._losses:
            yield ""
            rows = [(loss, *map(str, self._row(loss).values())) for loss in self._losses]
            yield Blocks((_COLUMNS, *rows), 2)
        yield from self._reasons("Not audited", self.refused)
        yield from self._reasons("Undecided", self.undecided)
        yield ""
        if not self.found:
            yield "Nothing that is certified is above noise."
            return
        said: dict[str, list[str]] = {}
        for one in self.found:
            said.setdefault(_words(one), []).append(one.loss)
        shown = f"; the {_SHOWN} of the largest share" if len(said) > _SHOWN else ""
        yield f"Certified and above noise: {len(self.found)} findings{shown}:"
        for words, losses in list(said.items())[:_SHOWN]:
            yield from paragraph(f"{words} ({', '.join(losses)})", indent=2, hanging=4)

    @property
    def _left(self) -> list[LeftOut]:
        """What is left out, the largest shares first."""
        return sorted(self.left.values(), key=lambda one: (-one.count / one.of, one.file, one.what))

    @property
    def _losses(self) -> Sequence[str]:
        return list(dict.fromkeys(loss for loss, _ in self.cells))

    def _row(self, loss: str) -> dict[str, int]:
        asked = {
            "wrong": Verdict.INCONSISTENT,
            "above_noise": "above noise",
            "right": Verdict.CONSISTENT,
            "undecided": Verdict.UNDECIDED,
        }
        return {key: self.cells[loss, str(value)] for key, value in asked.items()}

    def _reason(self, why: str, count: int) -> dict[str, object]:
        return {"reason": why, "count": count, "first": self._first[why][1]}

    def _reasons(self, title: str, counted: Counter[str]) -> Iterator[Line]:
        if not counted:
            return
        yield ""
        yield f"{title}:"
        for why, count in _falling(counted)[:_SHOWN]:
            yield from paragraph(f"{count}  {why} (first {self._first[why][1]})", indent=2, hanging=4)
        if len(counted) > _SHOWN:
            yield f"  and {len(counted) - _SHOWN} other reasons"


def _falling(counted: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counted.items(), key=lambda one: (-one[1], one[0]))


def _largest(name: str, document: Mapping[str, Any], finding: Mapping[str, Any]) -> Found:
    """The contradicted majority above noise whose share of its pair is the largest."""

    def share(one: Mapping[str, Any]) -> Fraction:
        votes, against = Fraction(one["votes"]), Fraction(one["against"])
        return (votes - against) / (votes + against)

    one = max((one for one in finding["contradictions"] if one["above_noise"]), key=share)
    told = (one[key] for key in ("preferred", "over", "votes", "against"))
    return Found(share(one), name, document["profile"]["title"], finding["loss"], *told)


def _grouped(number: str) -> str:
    return f"{int(number):,}" if number.isdecimal() else number


def _words(found: Found) -> str:
    majority = f"{_grouped(found.votes)} : {_grouped(found.against)} for {found.preferred} over {found.over}"
    return f"{found.title}, {found.name}: contradicted {majority}"


# --- Audit many profiles: what is missing in the folder, several at once; what is done stays done --------

ATTEMPTS: Final = 2
"""So many processes may die over a profile; then it has failed."""

Outcomes = Generator[tuple[int, Made], None, None]


@frozen
class Ended:
    """How a run has ended."""

    #: How many audits were there, were made, and could not be; how many of those made could not be kept.
    kept: int
    made: int
    failed: int
    lost: int
    missing: int  #: How many are still to be made.
    interrupted: bool  #: Whether the user ended the run.


@final
class _Messages(Sequence[Message]):
    """Profiles that are read when they are sent, so that not all of them are in memory at once."""

    def __init__(self, pieces: Sequence[Piece], reading: Reading, question: Question) -> None:
        self._pieces, self._reading, self._question = pieces, reading, question

    def __len__(self) -> int:
        return len(self._pieces)

    @overload
    def __getitem__(self, number: int) -> Message: ...

    @overload
    def __getitem__(self, number: slice) -> Sequence[Message]: ...

    def __getitem__(self, number: int | slice) -> Message | Sequence[Message]:
        if isinstance(number, slice):
            return _Messages(self._pieces[number], self._reading, self._question)
        return self._pieces[number].read(self._reading), self._question


def audit_all(
    pieces: Sequence[Piece],
    reading: Reading,
    question: Question,
    *,
    jobs: int,
    scheduler: str | None = None,
    take: Callable[[int, Entry], None],
    report: Callable[[str], None],
    warn: Callable[[str], None],
    refused: Callable[[int, str], None] = lambda number, why: None,
) -> Ended:
    """Audit the pieces that are not in the folder yet; Ctrl-C ends that and keeps what is done.

    Parameters
    ----------
    pieces, reading, question
        What is audited, how it is read, and what is asked.
    jobs, scheduler
        How many processes, or the address of a Dask scheduler.
    take
        Is given what is there, and what is made, with the number of the piece, in any order.
    report, warn
        Are told how far the run is, and what went wrong.
    refused
        Is told what could not be read or audited, and why.
    """
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
            report(f"{kept} of {len(pieces)} audits are there already")
        messages = _Messages([pieces[number] for number in todo], reading, question)
        with closing(_outcomes(messages, jobs, scheduler)) as outcomes:
            for place, outcome in outcomes:
                number = todo[place]
                name, path = pieces[number].name, paths[number]
                if outcome.document is None:
                    failed += 1
                    warn(f"{name}: not audited: {outcome.why.removeprefix(f'{name}: ')}")
                    refused(number, outcome.why)
                    continue
                if store is not None and path is not None:
                    try:
                        store.write(path, name, outcome)
                    except NotWrittenError as error:  # what was found is told all the same
                        lost += 1
                        warn(f"{name}: not kept: {error}")
                made += 1
                take(number, Entry(outcome.document, outcome.rows, outcome.part))
                report(f"{kept + made + failed} of {len(pieces)}: {name}")
    except KeyboardInterrupt:
        interrupted = True
    return Ended(kept, made, failed, lost, len(pieces) - kept - made - failed, interrupted)


def _outcomes(messages: _Messages, jobs: int, scheduler: str | None) -> Outcomes:
    if scheduler is not None:
        with closing(on_cluster(tried_elsewhere, messages, scheduler)) as found:
            for number, answer in found:
                yield number, Made(why=answer.reason) if isinstance(answer, Undone) else answer
    else:
        with closing(at_once(tried_elsewhere, messages, jobs, attempts=ATTEMPTS)) as done:
            for number, one in done:
                why = "its processes ended without an answer"
                yield number, Made(why=why) if isinstance(one, Lost) else one
