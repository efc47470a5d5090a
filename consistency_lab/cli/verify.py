"""``consistency-lab verify``, ``show``: check witness files, and write out their proofs."""

from collections.abc import Sequence
from typing import Annotated, Final

from consistency_lab.cli.grammar import BAD_QUESTION, CONSISTENT, INCONSISTENT, Argument, Option
from consistency_lab.cli.streams import say, say_json, warn
from consistency_lab.errors import InputError, RejectedError, printed, shortened

# --- Verify files of every format ------------------------------------------------------------------------

_ENOUGH: Final = 50
"""A reason that begins with so much of a file's name names it already."""


def plain_files(arguments: Sequence[str]) -> Sequence[str] | None:
    """The files of a command line ``verify FILE...`` without options, None for every other command line.

    Examples
    --------
    >>> plain_files(["verify", "a.json"]), plain_files(["verify", "--json", "a.json"])
    (['a.json'], None)
    """
    if arguments[:1] != ["verify"] or len(arguments) < 2 or any(word.startswith("-") for word in arguments):
        return None
    return arguments[1:]


def verify_files(files: Sequence[str], json: bool = False) -> int:
    """Verify each file, one line or one JSON object a file; a bad one does not stop the others."""
    from consistency_lab.proofs.file import verify_file
    from consistency_lab.report.verification import accepted_document, accepted_line

    worst = CONSISTENT
    documents: list[dict[str, object]] = []
    for name in files:
        try:
            verified = verify_file(name)
        except RejectedError as error:
            worst = max(worst, INCONSISTENT)
            documents.append({"file": name, "status": "rejected", "reason": str(error)})
            if not json:
                say(shortened(f"REJECTED {printed(name)}: {error}"))
        except InputError as error:
            worst = max(worst, BAD_QUESTION)
            reason = str(error).replace(name, printed(name))
            documents.append({"file": name, "status": "unreadable", "reason": reason})
            warn(
                reason
                if reason.startswith(printed(name)[:_ENOUGH])
                else shortened(f"{printed(name)}: {reason}")
            )
        else:
            documents.append({"file": name, "status": "ok", **accepted_document(verified)})
            if not json:
                say(f"ok  {printed(name)}: {accepted_line(verified)}")
    if json:
        say_json(documents)
    return worst


# --- ``consistency-lab verify``: check witness files -----------------------------------------------------


def verify(
    files: Annotated[list[str], Argument(metavar="FILE", help="Witness files.")],
    json: Annotated[bool, Option(help="Print one JSON document.")] = False,
) -> int:
    """Check witness files, of which nothing is believed; one line a file."""
    return verify_files(files, json)
