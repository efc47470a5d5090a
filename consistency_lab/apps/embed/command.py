"""``consistency-lab embed``: the loss that a polyhedral surrogate solves, and if any decoder is right."""

from pathlib import Path
from typing import TYPE_CHECKING, Final, final

from consistency_lab.cli.codes import CONSISTENT, INCONSISTENT
from consistency_lab.cli.command import JSON, argument, option
from consistency_lab.cli.question import Saved, Target, checked_picture, command_line
from consistency_lab.cli.streams import say_json, say_report, warn
from consistency_lab.errors import InputError

if TYPE_CHECKING:
    from consistency_lab.apps.embed.embedding import LinkDecision
    from consistency_lab.model.polyhedral import Polyhedral
    from consistency_lab.model.tasks.discrete import LossMatrix

_OF_TASKS: Final = ("labels", "gain", "discount", "k", "v", "w")
"""Options of targets that `check` knows."""


@final
class Embed(Saved, Target):
    """Say which finite loss a sum of maxima solves, and whether any decoder is right for a target.

    Exit code 0 if one is (or the one that is named), 1 if none can be (or it is not).
    """

    name: str = argument(
        "A name (ranksvm, weston-watkins, ...), FILE.json, FILE.csv or file.py:function.", metavar="SURROGATE"
    )
    items: int | None = option("The number of items.", metavar="N")
    classes: int | None = option("The number of classes.", metavar="K")
    condition: str | None = option(
        "Ask only about distributions with this noise.", metavar="NAME", tables=("conditions",)
    )
    decoder: str | None = option("Judge this decoder: sort, argmax or FILE.json of cells.", metavar="NAME")
    csv: Path | None = option("Also write the loss that it solves into a table.", metavar="FILE.csv")
    plot: Path | None = option(
        "Also draw it into this file (two scores, or three items).", metavar="OUT.svg|png"
    )
    details: bool = option("All reports.", False)
    json: bool = JSON

    def run(self) -> int:
        """Embed, link, save, show."""
        from consistency_lab.apps.embed.embedding import EVERYWHERE, decide_link, embed, link_document
        from consistency_lab.apps.embed.report import embed_answer, embed_document, plane_of, write_losses
        from consistency_lab.model.polyhedral import condition_cones

        if self.items is not None and self.classes is not None:
            raise InputError("give --items or --classes, one of the two")
        self.prepare()
        checked_picture(self.plot)
        if self.csv is not None:
            from consistency_lab.files import check_file

            read = (one for one in (self.name, self.target, self.decoder) if one)
            if self.plot is not None and self.csv.resolve() == self.plot.resolve():
                raise InputError(f"--csv and --plot both name {self.csv}; name two files")
            check_file(self.csv, "--csv", [Path(one) for one in read])
        psi, losses, target, known = self._asked()
        if self.decoder is not None and losses is None:
            raise InputError("a decoder is right for a target; give one, as in --target FILE.csv")
        if self.decoder is not None and self.condition is not None:
            raise InputError("a decoder is judged at every distribution; leave --condition out")
        if self.plot is not None:
            plane_of(psi)  # before the work, since not all can be drawn
        embedding = embed(psi)
        decision = None
        if losses is not None:
            cones = (EVERYWHERE,) if self.condition is None else condition_cones(psi, self.condition)
            condition = "" if cones == (EVERYWHERE,) else self.condition or ""
            decision = decide_link(embedding, losses, target, cones, condition)
        elif self.condition is not None:
            raise InputError("a noise condition asks about a target; give one, as in --target FILE.csv")
        if self.plot is not None:
            from consistency_lab.apps.embed.report import embed_plot

            embed_plot(embedding, decision).save(self.plot)
            warn(f"written: {self.plot}")
        if self.csv is not None:
            write_losses(embedding, self.csv, warn)
        given = self.given("items", "classes", "target", "labels", "condition", "decoder")
        command = command_line("embed", self.name, given)
        if decision is not None and self.decoder is not None:
            return self._of_decoder(decision, known, command)
        documents = [] if decision is None else [link_document(decision, known, {"command": command})]
        files = self.saved(documents)
        if self.json:
            say_json(embed_document(embedding, decision, files))
        else:
            said = f"{self.name} on {psi.size} {self._unit()}" if psi.size else self.name
            say_report(embed_answer(embedding, decision, said, files, self.details))
        return CONSISTENT if decision is None or decision.exists else INCONSISTENT

    def _of_decoder(self, decision: "LinkDecision", known: bool, command: str) -> int:
        """Whether the decoder is right."""
        from consistency_lab.apps.embed.asked import decoder_of
        from consistency_lab.apps.embed.embedding import decide_decoder
        from consistency_lab.apps.embed.embedding import decoder_document as proof_of
        from consistency_lab.apps.embed.report import decoder_answer, decoder_document

        assert self.decoder is not None
        psi, losses = decision.embedding.psi, decision.target
        found = decide_decoder(decision, decoder_of(psi, losses, self.decoder))
        files = self.saved([proof_of(found, known, {"command": command})])
        if self.json:
            say_json(decoder_document(found, self.decoder, files))
        else:
            said = f"{self.name} on {psi.size} {self._unit()}" if psi.size else self.name
            say_report(decoder_answer(found, said, self.decoder, files))
        return CONSISTENT if found.right else INCONSISTENT

    def _unit(self) -> str:
        from consistency_lab.apps.embed.asked import MADE_OF_LOSSES
        from consistency_lab.model.polyhedral import ROWS

        return (
            ROWS[self.name].unit
            if self.name in ROWS
            else "labels"
            if self.name in MADE_OF_LOSSES
            else "items"
        )

    def _asked(self) -> "tuple[Polyhedral, LossMatrix | None, str, bool]":
        """The surrogate, the losses, what the target is called, and whether both have names here."""
        from consistency_lab.apps.embed.asked import MADE_OF_LOSSES, losses_for, of_task, read_surrogate
        from consistency_lab.model.polyhedral import ROWS, of_graphs, polyhedral

        size, target = self.classes if self.items is None else self.items, self.target or ""
        if self.name in ROWS:
            self.refuse(f": {self.name} has its own labels and targets", *_OF_TASKS)
        elif self.name.lower().endswith((".json", ".csv")) or self.name in MADE_OF_LOSSES:
            self.refuse(": the file says how many there are", "items", "classes", *_OF_TASKS)
        if self.name in ROWS:
            psi, target = polyhedral(self.name, size), target or ROWS[self.name].target
            return psi, losses_for(psi, target), target, not target.endswith(".csv")
        if self.name in MADE_OF_LOSSES:
            from consistency_lab.data.matrix import read_matrix

            if not target.endswith(".csv"):
                raise InputError(f"{self.name} is made of a loss matrix; give one, as in --target FILE.csv")
            matrix = read_matrix(target)
            return MADE_OF_LOSSES[self.name](matrix), matrix, target, False
        if self.name.lower().endswith((".json", ".csv")):
            psi = read_surrogate(self.name)
            return psi, losses_for(psi, target) if target else None, target, False
        task_target = target not in ("", "pairwise") or self.labels is not None
        if ".py:" in self.name or task_target:
            from consistency_lab.model.surrogates.listwise import load_listwise
            from consistency_lab.model.surrogates.tasks.base import AtomSurrogate
            from consistency_lab.model.surrogates.tasks.catalogue import task_surrogate

            if not target:
                raise InputError(
                    "a function of scores and labels needs a target; give one, as in --target ndcg"
                )
            task = self.task(size)
            loss = load_listwise(self.name, [task])[0] if ".py:" in self.name else task_surrogate(self.name)
            if not isinstance(loss, AtomSurrogate):
                raise InputError(f"{self.name} is no sum of maxima of affine functions, which embed needs")
            psi, losses = of_task(loss, task)
            return psi, losses, target, False
        from consistency_lab.model.surrogates.own import load_surrogate

        try:
            of_pairs = load_surrogate(self.name)
        except InputError:
            if ":" in self.name:
                raise
            polyhedral(self.name)  # says which names there are
            raise
        psi = of_graphs(of_pairs, size)
        return psi, losses_for(psi, "pairwise"), "pairwise", ":" not in self.name
