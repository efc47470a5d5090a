"""``consistency-lab construct`` and ``recommend``: a surrogate that is right for a target, made or chosen."""

from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, final

from consistency_lab.cli.codes import CONSISTENT
from consistency_lab.cli.command import JSON, argument, option
from consistency_lab.cli.question import TASKS, Target, command_line
from consistency_lab.cli.streams import need_stdout, say, say_json, say_report
from consistency_lab.errors import InputError

if TYPE_CHECKING:
    from consistency_lab.model.tasks.discrete import LossMatrix
    from consistency_lab.show.advice import Advice


@final
class Construct(Target):
    """Build a calibrated surrogate and decoder for a loss matrix.

    loss(y, t) = <alpha_y, beta_t> + c_y + b_t with as few coordinates as possible gives the surrogate psi(y,
    u) = sum_i (u_i - alpha_yi)^2 and the decoder argmin_t <u, beta_t> + b_t, which is calibrated for every
    distribution (RAT13 Theorem 3).

    It is saved as JSON and as a Python module; pass that JSON to check it again.
    """

    file: str | None = argument(
        "A loss matrix, one row per label, or a saved JSON.", None, metavar="FILE.csv|json"
    )
    items: int | None = option("Number of items or classes (3).", metavar="M", panel=TASKS)
    offsets: Literal["none", "constant", "label", "both"] | None = option(
        "What may be added to <alpha, beta> (the fewest offsets that minimize the dimension).", rare=True
    )
    out: Path = option("Folder for the two files.", Path("constructions"), metavar="DIR")
    save: bool = option("Save the JSON document and the Python module.", True)
    details: bool = option("Print the least dimensions and the bound on the risk too.", False)
    json: bool = JSON

    def run(self) -> int:
        """Construct, or check again."""
        asked = self.given("target", "items", "labels", "gain", "discount", "k", "v", "w", "offsets")
        if self.file is None and self.target is None:
            raise InputError("no loss is given; name a CSV file with a loss matrix, or give --target NAME")
        for other in asked:
            if self.file is not None and other != "--offsets":
                raise InputError(f"{other} and a file are two different questions; give one of them")
        if self.file is not None and self.file.lower().endswith(".json"):
            if self.offsets is not None:
                raise InputError("--offsets does not fit a saved construction, which is only checked again")
            return self._again(self.file)
        if self.save:
            from consistency_lab.files import check_writable

            check_writable(self.out)
        from consistency_lab.model.tasks.construction import Offsets, construct
        from consistency_lab.show.construction import answer, document_of, first_line, report, save

        name, title, matrix = self._losses()
        construction = construct(matrix, None if self.offsets is None else Offsets(self.offsets))
        command = command_line("construct", None if self.file is None else Path(self.file).name, asked)
        document = document_of(construction, {"source": title, "command": command})
        saved = save(construction, document, name, self.out) if self.save else None
        if self.json:
            say_json({**answer(construction, saved, document), "line1": first_line(construction, title)})
            return CONSISTENT
        say_report(report(construction, title, self.details))
        if saved is not None:
            say(f"\nTo check again:    {saved.document}")
            say(f"Module of Python:  {saved.module}")
        if self.file is not None and len(matrix.labels) <= _FEW_LABELS:
            say(f"A hinge instead:   consistency-lab embed bayes-hinge --target {self.file}")
        return CONSISTENT

    def _again(self, file: str) -> int:
        from consistency_lab.data.matrix import read_construction
        from consistency_lab.show.construction import AGAIN, first_line, report

        construction = read_construction(file)
        if self.json:
            say_json({**AGAIN(construction, file), "line1": first_line(construction, Path(file).name)})
            return CONSISTENT
        say_report(report(construction, Path(file).name, self.details))
        say("\nChecked again: the identity, the least dimensions, the bound, the digest.")
        return CONSISTENT

    def _losses(self) -> "tuple[str, str, LossMatrix]":
        """What they are called in a file's name and in a report, and the losses."""
        if self.file is not None:
            from consistency_lab.data.matrix import read_matrix

            return Path(self.file).stem, Path(self.file).name, read_matrix(self.file)
        from consistency_lab.model.tasks.discrete import matrix_of

        task = self.task(self.items)
        title = f"{task.title}, {task.space.m} {_UNITS.get(task.space.kind, 'items')}"
        return f"{self.target}-{task.space.m}", title, matrix_of(task)


_FEW_LABELS: Final = 3
"""Most labels of a hinge that takes a moment."""

_UNITS: Final = {"classes": "classes", "rows": "rows"}


# --- What to train instead, and a program that does -------------------------------------------------------


@final
class Recommend(Target):
    """Say what to train for a target or with TRL, or print a program that trains a loss."""

    name: str | None = argument("Print the program that trains this loss.", None, metavar="LOSS")
    library: Literal["lightgbm", "xgboost", "catboost", "pytorch", "trl"] = option(
        "The library you train with.", "lightgbm"
    )
    details: bool = option("Print all that is proved, with theorems and costs.", False)
    json: bool = JSON

    def run(self) -> int:
        """An answer, or with a name a program."""
        need_stdout()
        from consistency_lab.show.advice import for_pairs, for_target

        if self.library == "trl":
            if other := self.given("name", "target"):
                raise InputError(f"--library trl is about pairs of answers; leave out {', '.join(other)}")
            return self._say(for_pairs(self.library))

        if self.target is None:
            raise InputError(
                "recommend needs a target, such as --target ndcg, or --library trl (list --library trl says "
                "where each loss of TRL is right)"
            )
        if self.name is None:
            return self._say(for_target(self.task(), self.library))
        if self.json:
            raise InputError("--json does not fit a program; leave out the loss")
        from consistency_lab.show.advice import program

        say(program(self.task(), self.library, self.name).rstrip())
        return CONSISTENT

    def _say(self, advice: "Advice") -> int:
        from consistency_lab.show.advice import ADVICE

        if self.json:
            say_json(ADVICE(advice))
        else:
            say_report(advice.long if self.details else advice.short)
        return CONSISTENT
