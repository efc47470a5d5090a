"""Audit many profiles: what is missing in the folder, several at once; what is done stays done."""

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final, final, overload

from consistency_lab.cluster import Undone, check_address, on_cluster
from consistency_lab.data.sources import Reading
from consistency_lab.errors import NotWrittenError
from consistency_lab.processes import Lost, at_once
from consistency_lab.report.totals.pieces import Piece
from consistency_lab.report.totals.store import Entry, Store
from consistency_lab.report.totals.work import Made, Message, Question, tried_elsewhere

ATTEMPTS: Final = 2
"""So many processes may die over a profile; then it has failed."""

Outcomes = Generator[tuple[int, Made], None, None]


@final
@dataclass(frozen=True, slots=True)
class Ended:
    """How a run has ended.

    Parameters
    ----------
    kept, made, failed, lost
        How many audits were there, were made, and could not be; how many of those made could not be kept.
    missing
        How many are still to be made.
    interrupted
        Whether the user ended the run.
    """

    kept: int
    made: int
    failed: int
    lost: int
    missing: int
    interrupted: bool


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

    Raises
    ------
    InputError
        If the folder cannot be written to, or no scheduler answers.
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
