"""``consistency-lab show``: a witness as a proof that a person can follow."""

from pathlib import Path
from typing import Annotated

from consistency_lab.cli.grammar import CONSISTENT, Argument, Option
from consistency_lab.cli.streams import say, say_json, say_report
from consistency_lab.errors import InputError, RejectedError, printed


def show(
    file: Annotated[str, Argument(metavar="FILE", help="A witness file.")],
    plot: Annotated[
        Path | None,
        Option(metavar="OUT.svg|png", help="Also draw the plane of scores of 3 items into this file."),
    ] = None,
    json: Annotated[bool, Option(help="Print one JSON document.")] = False,
) -> int:
    """Check a witness file, and write out its proof."""
    if plot is not None:
        from consistency_lab.files import check_file
        from consistency_lab.report.canvas import picture_format

        picture_format(plot)
        check_file(plot)
    from consistency_lab.files import read_json
    from consistency_lab.proofs.file import as_proof
    from consistency_lab.proofs.file import verify as check
    from consistency_lab.report.verification import accepted_document

    document = read_json(file)
    try:
        if not isinstance(document, dict):
            raise InputError("this is not a witness; a witness is a JSON object")
        shown = as_proof(document)
        verified = check(shown)
    except InputError as error:
        raise InputError(f"{printed(file)}: {error}") from None
    except RejectedError as error:
        raise RejectedError(f"{printed(file)}: {error}") from None
    if plot is not None:
        from consistency_lab.certify.witness import Witness
        from consistency_lab.report.pictures import witness_plane

        if not verified.about_preferences:
            raise InputError(
                f"{printed(file)}: a picture shows a witness about preference graphs, and this is another"
            )
        witness_plane(Witness.of(shown, verified)).save(plot)
    if json:
        from consistency_lab.report.task_proof import reached

        graphs = verified.about_preferences or verified.proof is None
        floats = {} if graphs else {"reached_from_zero_in_floats": reached(shown)}
        picture = {} if plot is None else {"picture": str(plot)}
        said = {"status": "ok", **accepted_document(verified), **floats, **picture}
        say_json({"file": file, **said, "witness": document})
        return CONSISTENT
    from consistency_lab.report.proof import explicit_proof as proof

    say_report(proof({**shown, "digest": document["digest"]}, verified, Path(file).name))
    if plot is not None:
        say(f"\nThe plane of scores: {plot}")
    return CONSISTENT
