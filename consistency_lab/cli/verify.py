"""What ``consistency-lab verify`` does, without Click, which takes as long to load as a file to check."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from consistency_lab.cli.codes import BAD_QUESTION, CONSISTENT, INCONSISTENT
from consistency_lab.cli.streams import say, say_json, warn
from consistency_lab.errors import InputError, RejectedError, printed, shortened

if TYPE_CHECKING:
    from consistency_lab.certify.proofs.record import VerifiedProof

_ENOUGH: Final = 50
"""A reason that begins with so much of a file's name names it already."""


def verify_files(files: Sequence[str], json: bool = False, details: bool = False) -> int:
    """Verify each file, those of a folder too; several are summed up. A bad one stops no other."""
    from consistency_lab.certify.proofs.file import verify_file
    from consistency_lab.show.verification import ACCEPTED, REFUSED, VERIFIED, accepted_line, summary, wrapped

    files = [file for name in files for file in _files(name)]
    worst = CONSISTENT
    documents: list[dict[str, object]] = []
    accepted: list[VerifiedProof] = []
    rejected: list[tuple[str, str]] = []
    lines: list[tuple[str, str]] = []
    for name in files:
        try:
            verified = verify_file(name)
        except RejectedError as error:
            worst = max(worst, INCONSISTENT)
            documents.append(REFUSED(str(error), name, "rejected"))
            file, why = shortened(printed(name)), shortened(str(error))
            rejected.append((file, why))
            lines.append((f"REJECTED {file}: ", why))
        except InputError as error:
            worst = max(worst, BAD_QUESTION)
            reason = str(error).replace(name, printed(name))
            documents.append(REFUSED(reason, name, "unreadable"))
            warn(
                reason
                if reason.startswith(printed(name)[:_ENOUGH])
                else shortened(f"{printed(name)}: {reason}")
            )
        else:
            documents.append(ACCEPTED(verified, name))
            accepted.append(verified)
            lines.append((f"ok  {printed(name)}: ", accepted_line(verified)))
    if json:
        say_json(VERIFIED(documents))
    elif details or len(files) == 1:
        for head, told in lines:
            say(head + told if details else "\n".join(wrapped(told, head, "    ")))
    else:
        for line in summary(accepted, rejected, len(files)):
            say(line)
    return worst


def _files(name: str) -> Iterator[str]:
    """The JSON files of a folder, by name; anything else as it is, and so a folder without any is refused."""
    inside: Iterable[Path] = ()
    with suppress(OSError):  # a name may be too long for one
        inside = Path(name).glob("*.json") if Path(name).is_dir() else ()
    yield from sorted(map(str, inside)) or [name]
