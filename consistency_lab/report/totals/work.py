"""Audit one profile: the one function that workers are given, from plain data to plain data."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, final

from consistency_lab.audits.audit import RESAMPLES, SIMULATIONS, Audit, audit
from consistency_lab.audits.losses import DEFAULT
from consistency_lab.data.profile import Profile
from consistency_lab.errors import reason
from consistency_lab.report.audit import Part, audit_document, audit_rows, page_part
from consistency_lab.report.naming import file_name

WITNESSES: Final = "witnesses"
"""The folder of witness files in that of the audits."""


@final
@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of each profile; the parameters are those of `audit.audit`.

    Parameters
    ----------
    folder
        Where the files will be; None if nothing is saved.
    witnesses
        Whether the files that prove it are saved too; of hundreds of items each has megabytes.
    page
        Whether a page is wanted.
    attached
        Whether it holds the witness files: of hundreds of profiles nobody could open it.
    """

    losses: tuple[str, ...] = DEFAULT
    resamples: int = RESAMPLES
    simulations: int = SIMULATIONS
    seed: int = 0
    flips: bool | None = None
    folder: str | None = None
    witnesses: bool = True
    page: bool = False
    attached: bool = True

    @property
    def saved(self) -> str | None:
        """The folder of what is saved besides the audits."""
        return self.folder if self.witnesses else None


@final
@dataclass(frozen=True, eq=False, slots=True)
class Made:
    """What is known of a profile.

    Parameters
    ----------
    document, rows
        Plain data; no document if the profile could not be read or audited.
    witnesses
        The files that prove it.
    why
        Why there is no document.
    part
        What a page says of it, if one is wanted.
    audit
        In the process that made it.
    """

    document: dict[str, Any] | None = None
    rows: tuple[Mapping[str, object], ...] = ()
    witnesses: tuple[dict[str, Any], ...] = ()
    why: str = ""
    part: Part | None = None
    audit: Audit | None = None


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
