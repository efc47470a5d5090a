"""``consistency-lab check``: decide a surrogate, for preference graphs or for a target loss on labels."""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from shlex import quote
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, final

from consistency_lab.cli.arguments import item_numbers, one_number
from consistency_lab.cli.codes import UNDECIDED, exit_code
from consistency_lab.cli.command import Command, argument, loaded, option
from consistency_lab.cli.losses import MADE_OF, AnyLoss, shipped
from consistency_lab.cli.question import (
    GRAPHS,
    PROFILE,
    TASKS,
    Profiled,
    SavedSearch,
    command_line,
    say_effort,
)
from consistency_lab.cli.streams import progress, say_json, say_report
from consistency_lab.errors import InputError, UnsupportedError, printed

if TYPE_CHECKING:
    from consistency_lab.data.labels import LabelLists
    from consistency_lab.data.profile import Profile
    from consistency_lab.decide.answers import Decision
    from consistency_lab.model.labels import LabelProfile
    from consistency_lab.model.surrogates import Surrogate
    from consistency_lab.model.surrogates.tasks.base import TaskSurrogate
    from consistency_lab.model.surrogates.tasks.libraries import PairEntry
    from consistency_lab.model.surrogates.tasks.shipped import LibraryLoss
    from consistency_lab.model.tasks.task import Task

_GENERAL: Final = "In general (without --profile)"
_ITEMS: Final = "2,3,4,5"

_in_general = partial(option, panel=_GENERAL)


@final
class Check(SavedSearch, AnyLoss, Profiled):
    """Say where a loss is right and where it can be wrong.

    Right: proved; wrong: an example is certified; open: all else. Exit code 1 if anything asked is wrong: in
    CI name the --condition.
    """

    moved = MappingProxyType(dict.fromkeys(("--features", "--axiom", "--reference", "--beta"), "align"))
    name: str | None = argument(
        "A name, an objective such as rank:ndcg or trl:ipo, or file.py:function.",
        None,
        metavar="SURROGATE",
        tables=("surrogates", "task-surrogates"),
    )
    condition: tuple[str, ...] = _in_general(
        "A noise condition; may be repeated.", (), metavar="NAME", tables=("conditions", "label-conditions")
    )
    design: str | None = _in_general(
        "How often pairs are compared: any, balanced, product, complete, forest, ratio:R, counts:FILE.",
        metavar="NAME",
    )
    items: str | None = _in_general(
        f"Numbers of items to search ({_ITEMS}; with --target: 3).", metavar="3|2,3|3..5"
    )
    any_decoder: bool = _in_general(
        "A sum of maxima: is any decoder right for the target? As embed says.", False, rare=True
    )
    details: bool = option("Also hypotheses, certificates, what else was found.", False)

    def run(self) -> int:
        """Find out which question is asked, and answer it."""
        if self.any_decoder:
            return self._of_any_decoder()
        self.understand()
        # The target of preference graphs of any weights is what is asked without --target too.
        graphs = (self.target, self.labels) in (("pairwise", "graphs"), ("pairwise-disagreement", None))
        about_labels = not graphs and (self.target is not None or self.matrix is not None)
        self._refuse_what_does_not_fit(about_labels, ("target", "labels") if graphs else ())
        if self.name is not None and "," in self.name and re.search(r"\{|\(\s*\w+\s*=", self.name):
            raise InputError(
                f"{printed(self.name)} holds several options, and only names are read; name the loss alone, "
                "such as trl:ipo or rank:ndcg, which is asked with its defaults"
            )
        if self.name is not None and "," in self.name and not (about_labels and self.profile):
            data = "FILE" if self.profile is None else quote(self.profile)
            where = f"with consistency-lab audit {data} --loss {quote(self.name)}"
            where = "at the labels of a file, which --at FILE names" if about_labels else where
            raise InputError(
                f"{self.name} names several losses; compare them {where}, or check one at a time"
            )
        self.prepare()
        if not about_labels:
            return self._of_graphs()
        return self._of_labels() if self.profile is None else self._at_labels(self.profile)

    def _of_any_decoder(self) -> int:
        """The question of the command `embed`."""
        from consistency_lab.cli.apps import APPS

        command: type[Command] = loaded(APPS["embed"].commands["embed"])
        if self.name is None or self.profile is not None:
            raise InputError("--any-decoder asks about a surrogate with a name or a file, at no profile")
        if len(self.condition) > 1:
            raise InputError("--any-decoder takes one --condition")
        others = ("design", "on", "decode", "weights", "label_weights", *MADE_OF)
        self.refuse(": --any-decoder asks about all distributions and decoders", *others)
        same = command.declared().keys() & self.declared().keys() - {"items", "target", "condition"}
        values = {name: getattr(self, name) for name in same}
        items = None if self.items is None else one_number("--items", self.items)
        one = next(iter(self.condition), None)
        return command(**values, items=items, target=self.matrix or self.target, condition=one).run()

    def _refuse_what_does_not_fit(self, about_labels: bool, besides: tuple[str, ...]) -> None:
        """The options of a panel fit some questions only; an option of none fits all."""
        labels, profile = about_labels, self.profile is not None
        reasons = {
            TASKS: "" if labels else "it describes a ranking task; give --target too",
            GRAPHS: "it applies to preference graphs and --target to labels; leave one of them out"
            if labels
            else "",
            _GENERAL: "a profile is one distribution with its own items; leave it out" if profile else "",
            PROFILE: "" if profile else "it describes a profile; give --profile too",
        }
        for name, declared in self.declared().items():
            reason = reasons.get(declared.panel)
            if reason and name not in besides:
                self.refuse(f": {reason}", name)

    def _command(self) -> str:
        """What to type for the same answer: the options that are part of the question, and the seed."""
        panels = (TASKS, GRAPHS, _GENERAL, PROFILE)
        names = [name for name, one in self.declared().items() if one.panel in panels or name == "phi"]
        seed = {"--seed": self.seed} if self.seed else {}
        name = self.one_name() if self.target is None and self.matrix is None else self.name
        return command_line("check", name, self.given(*names) | seed)

    def _of_graphs(self) -> int:
        """A surrogate of preference graphs, in general or at the graphs of a file."""
        from consistency_lab.model.surrogates.tasks.libraries import PAIR_LIBRARIES, pair_entry

        shipped = None if self.name is None else pair_entry(self.name)
        if shipped is None or self.json or not self.details:
            try:
                return self._answered()
            except InputError as error:
                one = PAIR_LIBRARIES.get(f"trl:{self.name}")
                if one is None or one.loss in (None, self.name):
                    raise
                raise InputError(f"{error}; {one.name} is decided at its defaults, as {one.loss}") from None
        from consistency_lab.show.decision import pair_lines

        if shipped.loss is not None:
            say_report([f"{shipped.name} is decided as {shipped.loss}; the note at the end says why."])
        code = UNDECIDED if shipped.loss is None else self._answered()
        say_report(pair_lines(shipped))
        return code

    def _answered(self) -> int:
        """What is asked about a surrogate of preference graphs."""
        surrogate = self.surrogate()
        if self.profile is None and (self.design or "").startswith(("counts:", "support:")):
            return self._with_counts(surrogate)
        if self.profile is None:
            return self._decided(surrogate, items=item_numbers("--items", self.items or _ITEMS))
        from consistency_lab.data.profile import read_profile

        profile = read_profile(self.profile, self.unranked, self.selected())
        return self._decided_at(surrogate, profile, None)

    def _of_labels(self) -> int:
        """A surrogate, or an objective of a library, for a target."""
        from consistency_lab.model.conditions import task_condition
        from consistency_lab.model.surrogates.tasks.shipped import LibraryLoss
        from consistency_lab.model.tasks.task import ITEMS

        task = self.task(None if self.items is None else one_number("--items", self.items))
        loss = self.of_labels(task, self.name)
        for name in self.condition:
            task_condition(name, task.space)
        if isinstance(loss, LibraryLoss):
            return self._decided_as_shipped(loss, task)
        larger: list[Task] = []
        # Where no number is asked for, one item more is searched too.
        if self.items is None and self.matrix is None:
            with suppress(UnsupportedError):
                larger.append(self.task(ITEMS + 1))
        return self._decided(loss, target=task, larger=tuple(larger))

    def _at_labels(self, file: str) -> int:
        """Surrogates for a target, at the labels of a file."""
        from consistency_lab.data.labels import read_label_lists
        from consistency_lab.model.surrogates.tasks.shipped import LibraryLoss

        listed = [] if self.name is None else self.name.strip(", ").split(",")
        names: list[str | None] = [*map(str.strip, listed)] or [None]
        if len(names) > 1:
            why = " several losses; name a single loss that takes it (list task-surrogates)"
            self.refuse(why, "on", "weights", "phi", "label_weights")
        task = self.task(alike=True)
        lists = read_label_lists(file, task.space.kind, self.unranked or "last", self.selected())
        losses = [self.of_labels(task, name) for name in names]
        alone = self.json and len(names) == 1 and not isinstance(losses[0], LibraryLoss)
        if alone and lists.only is not None:
            task = self.task(len(lists.only.items), alike=True)
            loss = self.of_labels(task, names[0])
            assert not isinstance(loss, LibraryLoss)
            return self._decided_at(loss, lists.only, task)
        trained = [shipped(one, task) if isinstance(one, LibraryLoss) else one for one in losses]
        called = [one if isinstance(one, str) else one.name for one in trained]
        typed = [self._asked] if len(names) == 1 else [*map(str, names)]
        return self._compared(trained, lists, dict(zip(called, typed, strict=True)))

    def _compared(
        self, surrogates: "Sequence[TaskSurrogate | str]", lists: "LabelLists", asked: "Mapping[str, str]"
    ) -> int:
        """Several surrogates, or several queries: decide, save, and show; a word was asked for each name."""
        from consistency_lab.decide.lists import decide_lists
        from consistency_lab.show.lists import comparison_document, comparison_lines, said, verdict

        with progress(len(lists.queries)) as tell:
            tasks = partial(self.task, alike=True)
            comparison = decide_lists(surrogates, lists, tasks, command=self._command(), tell=tell)
        decisions = (answer.decision for one in comparison.queries for answer in one.answers)
        proofs = (one.witness.document for one in decisions if one is not None and one.witness is not None)
        files = self.saved({str(document["digest"]): document for document in proofs}.values())
        if self.json:
            say_json(comparison_document(comparison, files) | said(comparison, asked))
        else:
            say_report(comparison_lines(comparison, files, asked, details=self.details))
        return exit_code(verdict(comparison))

    def _decided(
        self,
        surrogate: "Surrogate | TaskSurrogate | str",
        *,
        target: "Task | None" = None,
        items: Sequence[int] | None = None,
        larger: "Sequence[Task]" = (),
    ) -> int:
        """Decide in general, save, and show."""
        from consistency_lab.decide.surrogate import decide

        command = self._command()
        with self.effort() as effort:
            decision = decide(
                surrogate,
                self.condition or None,
                target=target,
                design=self.design or "any",
                items=items,
                larger=larger,
                effort=effort,
                command=command,
                seed=self.seed,
            )
        return self._told(decision)

    def _with_counts(self, surrogate: "Surrogate") -> int:
        """An edge loss at the counts of a file."""
        from consistency_lab.data.profile import read_profile
        from consistency_lab.decide.profile import decide_design

        self.refuse(": the file of counts names the items; leave it out", "items")
        kind, _, file = (self.design or "").partition(":")
        profile, support = read_profile(file), kind == "support"
        decision = decide_design(surrogate, profile, self.condition, support=support, command=self._command())
        return self._told(decision)

    def _told(self, decision: "Decision") -> int:
        """Save what was decided in general, and show it."""
        command, effort = self._command(), decision.effort
        proofs = decision.proof_documents(command)
        files = self.saved((*(witness.document for witness in decision.witnesses), *proofs.values()))
        page: Any
        if decision.target is None:
            from consistency_lab.show import frontier as page

            about: tuple[object, ...] = (decision, self._asked, self._entry())
        else:
            from consistency_lab.show import labels as page

            about = (decision, self._asked)
        if self.json:
            from consistency_lab.show.answer import decision_document

            say_json(decision_document(decision, files, proofs) | page.told(*about))
        else:
            say_report(page.screen(*about, files, self._assumed, self.details))
            if self.details:
                from consistency_lab.show.decision import evidence, heading

                shown = page.example_of(decision)
                say_report(["", *heading(decision), *evidence(decision, proofs, files, shown)])
        say_effort(effort, self.details)
        return exit_code(decision.verdict, effort)

    def _entry(self) -> "PairEntry | None":
        """The objective of a library that the name is, if it is one."""
        from consistency_lab.model.surrogates.tasks.libraries import pair_entry_of

        return None if self.name is None else pair_entry_of(self.name)

    def _decided_at(
        self,
        surrogate: "Surrogate | TaskSurrogate | str",
        profile: "Profile | LabelProfile",
        target: "Task | None",
    ) -> int:
        """Decide at one distribution, save, and show."""
        from consistency_lab.data.profile import Profile
        from consistency_lab.decide.profile import decide_profile
        from consistency_lab.show.profile import first_line, profile_details, profile_screen

        asked = self.name or str(self.phi)
        decision = decide_profile(surrogate, profile, target=target, command=self._command())
        files = self.saved([] if decision.witness is None else [decision.witness.document])
        if self.json:
            from consistency_lab.show.answer import profile_document

            line1 = {"line1": first_line(decision, profile, asked)} if isinstance(profile, Profile) else {}
            say_json({**profile_document(decision, profile, files), **line1})
        elif isinstance(profile, Profile):
            say_report(profile_screen(decision, profile, asked, str(self.profile), files, self.details))
            say_report(profile_details(decision, profile) if self.details else ())
        return exit_code(decision.verdict)

    def _decided_as_shipped(self, objective: "LibraryLoss", target: "Task") -> int:
        """Decide an objective of a library: the plain loss underneath, and what is shipped."""
        from consistency_lab.decide.tasks import decide_library
        from consistency_lab.show.decision import library_evidence as evidence
        from consistency_lab.show.decision import library_heading as heading
        from consistency_lab.show.labels import example_of, shipped_screen, shipped_told

        with self.effort() as effort:
            decision = decide_library(
                objective,
                target,
                self.condition or None,
                effort=effort,
                command=self._command(),
                seed=self.seed,
            )
        files = self.saved(witness.document for witness in decision.witnesses)
        if self.json:
            from consistency_lab.show.decision import library_document

            said = shipped_told(decision, self._asked, target)
            say_json(library_document(decision, files, target) | said)
        else:
            say_report(shipped_screen(decision, self._asked, target, files, self._assumed, self.details))
            if self.details:
                told = evidence(decision, files, example_of(decision))
                say_report(["", *heading(decision, target), *told])
        say_effort(effort, self.details)
        return exit_code(decision.verdict, effort)
