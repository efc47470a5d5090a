"""``verify``, ``show`` and ``gallery``."""

from pathlib import Path
from typing import Literal, final

from consistency_lab.cli.arguments import seconds
from consistency_lab.cli.codes import CONSISTENT, INCONSISTENT
from consistency_lab.cli.command import JSON, Command, argument, option
from consistency_lab.cli.question import checked_picture
from consistency_lab.cli.streams import progress, say, say_json, say_report, warn
from consistency_lab.errors import InputError, RejectedError, printed


@final
class Verify(Command):
    """Check witness files without trusting their claims."""

    files: tuple[str, ...] = argument("Witness files, or folders of them.", metavar="FILE")
    details: bool = option("Print one line per file.", False)
    json: bool = JSON

    def run(self) -> int:
        """Check each."""
        from consistency_lab.cli.verify import verify_files

        return verify_files(self.files, self.json, self.details)


@final
class Show(Command):
    """Check a witness file and print its proof."""

    file: str = argument("A witness file.", metavar="FILE")
    format: Literal["text", "markdown", "latex"] = option("The format of the proof.", "text")
    plot: Path | None = option(
        "Also draw a picture: the plane of scores for 3 items, two orders for more.",
        metavar="OUT.svg|png|pdf",
    )
    script: Literal["lightgbm", "xgboost", "catboost", "torch", "trl"] | None = option(
        "Instead, print a short program that trains this library on the witness."
    )
    wide: bool = option("With --plot: 16:9, for a slide.", False)
    details: bool = option("Print the whole proof: every number can be checked by hand.", False)
    json: bool = JSON

    def run(self) -> int:
        """Check it first."""
        file, plot = self.file, self.plot
        checked_picture(plot)
        if self.script is not None and (plot is not None or self.json):
            raise InputError("--script prints a program and nothing else; leave out --plot and --json")
        from consistency_lab.certify.proofs.file import as_proof
        from consistency_lab.certify.proofs.file import verify as check
        from consistency_lab.files import read_json
        from consistency_lab.show.verification import SHOWN

        document = read_json(file)
        try:
            if not isinstance(document, dict):
                raise InputError("this is not a witness file; a witness file is a JSON object")
            shown = as_proof(document)
            verified = check(shown)
        except InputError as error:
            raise InputError(f"{printed(file)}: {error}") from None
        except RejectedError as error:
            raise RejectedError(f"{printed(file)}: {error}") from None
        if self.script is not None:
            from consistency_lab.certify.witness import Witness
            from consistency_lab.show.script import script

            if verified.proof is None:
                raise InputError(f"{printed(file)}: the proof has no distribution to train on")
            say(script(Witness.of(shown, verified), self.script, Path(file).name).rstrip())
            return CONSISTENT
        if plot is not None:
            from dataclasses import replace

            from consistency_lab.show.pictures import SLIDE, witness_picture

            try:
                picture = witness_picture(shown, verified)
            except InputError as error:
                raise InputError(f"{printed(file)}: {error}") from None
            (replace(picture, width=SLIDE[0], height=SLIDE[1]) if self.wide else picture).save(plot)
        if self.json:
            from consistency_lab.show.proof import first_line
            from consistency_lab.show.task_proof import reached

            graphs = verified.about_preferences or verified.proof is None
            floats = {} if graphs else {"reached_from_zero_in_floats": reached(shown)}
            drawn = {} if plot is None else {"picture": str(plot)}
            line1 = {"line1": first_line(shown, verified)}
            say_json({**SHOWN(verified, file), **line1, **floats, **drawn, "witness": document})
            return CONSISTENT
        from consistency_lab.show.proof import explicit_proof, proof_screen, ticked_proof

        as_text = explicit_proof if self.details else proof_screen
        proof = as_text if self.format == "text" else ticked_proof
        report = list(proof({**shown, "digest": document["digest"]}, verified, Path(file).name))
        if self.format != "text":
            from consistency_lab.certify.witness import Witness
            from consistency_lab.show.typeset import written

            witness = None if verified.proof is None else Witness.of(shown, verified)
            say(written(report, self.format, witness).rstrip())
            return CONSISTENT
        say_report(report)
        if plot is not None:
            say(f"\nThe picture: {plot}")
        return CONSISTENT


@final
class Gallery(Command):
    """Verify a folder of witness files and rewrite its index."""

    folder: Path = argument("The folder.", Path("counterexamples"), metavar="DIR")
    search: bool = option("First find the smallest witness for each named surrogate.", False)
    check: bool = option("Change nothing; exit 1 if the index is out of date.", False)
    budget: float = option(
        "With --search: the counted budget of each surrogate.", 20.0, metavar="SECONDS", read=seconds
    )

    def run(self) -> int:
        """Only --check leaves the index as it is."""
        from consistency_lab.files import check_writable, write_atomic
        from consistency_lab.show.gallery import INDEX, curate, index_text, is_current

        folder = self.folder
        if self.check:
            if self.search:
                raise InputError("--check and --search exclude each other; give one of the two")
            if is_current(folder):
                say(f"{folder / INDEX} is up to date")
                return CONSISTENT
            say(f"{folder / INDEX} is out of date; write it with: consistency-lab gallery {folder}")
            return INCONSISTENT
        check_writable(folder)
        if self.search:
            with progress() as report:
                for line in curate(folder, self.budget, report):
                    warn(line)
        write_atomic(folder / INDEX, index_text(folder))
        say(f"{folder / INDEX} written")
        return CONSISTENT
