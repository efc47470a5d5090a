"""What ``consistency-lab verify`` does, without Click, which takes as long to load as a file to check."""

from collections.abc import Sequence
from typing import Final

from consistency_lab.cli.codes import BAD_QUESTION, CONSISTENT, INCONSISTENT
from consistency_lab.cli.streams import say, say_json, warn
from consistency_lab.errors import InputError, RejectedError, printed, shortened

_ENOUGH: Final = 50
"""A reason that begins with so much of a file's name names it already."""


def verify_files(files: Sequence[str], json: bool = False) -> int:
    """Verify each file, one line or one JSON object a file; a bad one does not stop the others."""
    from consistency_lab.proofs.file import verify_file
    from consistency_lab.report.verification import ACCEPTED, REFUSED, VERIFIED, accepted_line

    worst = CONSISTENT
    documents: list[dict[str, object]] = []
    for name in files:
        try:
            verified = verify_file(name)
        except RejectedError as error:
            worst = max(worst, INCONSISTENT)
            documents.append(REFUSED(str(error), name, "rejected"))
            if not json:
                say(shortened(f"REJECTED {printed(name)}: {error}"))
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
            if not json:
                say(f"ok  {printed(name)}: {accepted_line(verified)}")
    if json:
        say_json(VERIFIED(documents))
    return worst
