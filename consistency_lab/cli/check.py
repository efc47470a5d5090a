"""``consistency-lab check``: decide a surrogate, for preference graphs or for a target loss on labels."""

from abc import ABC
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Final, Literal, final

from consistency_lab.cli.arguments import chosen_items, item_numbers, one_number
from consistency_lab.cli.codes import OF_VERDICT, STOPPED, UNDECIDED
from consistency_lab.cli.grammar import argument, option
from consistency_lab.cli.question import (
    GRAPHS,
    TASKS,
    GraphSurrogate,
    SavedSearch,
    Target,
    command_line,
    of_tasks,
    refuse_with_target,
    say_effort,
)
from consistency_lab.cli.streams import progress, say_json, say_report, warn
from consistency_lab.errors import InputError, UnsupportedError

if TYPE_CHECKING:
    from consistency_lab.data import Profile
    from consistency_lab.data.labels import LabelLists, LabelProfile
    from consistency_lab.decide import Decision, ProfileDecision, Verdict
    from consistency_lab.model.surrogates import Surrogate
    from consistency_lab.model.surrogates.tasks.base import TaskSurrogate
    from consistency_lab.model.surrogates.tasks.libraries import Entry
    from consistency_lab.model.tasks.task import Task
    from consistency_lab.search.effort import Effort

_GENERAL: Final = "In general (without --profile)"
_PROFILE: Final = "At one distribution"
_FEATURES: Final = "For scores that are linear in features"
_ITEMS: Final = "2,3,4,5"
_MADE_OF: Final = ("on", "decode", "weights", "phi", "label_weights")
"""The options of a surrogate of labels."""

_in_general = partial(option, panel=_GENERAL)
_at_one = partial(option, panel=_PROFILE)
_of_features = partial(option, panel=_FEATURES)


class LabelQuestion(Target, ABC):
    """A target, which may be a matrix in a file, and what a surrogate of labels is made of."""

    matrix: str | None = of_tasks(
        "Use this loss matrix as the target: a row per label, a column per prediction.", metavar="FILE.csv"
    )
    on: str | None = of_tasks("regression: the quantity to fit.", metavar="gain|gain/Z|grade|net")
    decode: str | None = of_tasks(
        "How to decode scores into a prediction: sort, argmax, linear, diagonal, algorithm-1.",
        metavar="NAME",
        tables=("decoders",),
    )
    weights: str | None = of_tasks(
        "Pairwise losses: the weight of a pair: unit, difference, square-difference, gain-difference, zhang, "
        "zhang-gain.",
        metavar="NAME",
    )
    label_weights: str | None = of_tasks(
        "softmax: how to turn grades into weights: sum, exp, none, gain-sum, gain-none.", metavar="NAME"
    )


@final
class Check(SavedSearch, GraphSurrogate, LabelQuestion):
    """Decide whether a surrogate is consistent, under each noise condition, with evidence.

    CONSISTENT: a theorem whose hypotheses were checked, or an exact proof.

    INCONSISTENT: a witness that the core accepts; at one distribution also a theorem. UNDECIDED: all else.

    With --target, decide it for a target loss on labels, such as NDCG on grades.

    With --profile, decide it at one given distribution.
    """

    name: str | None = argument(
        "A name (see list), an alias, a library's objective such as xgboost:rank:ndcg or trl:ipo, or "
        "module:object or file.py:function of yours.",
        None,
        metavar="SURROGATE",
        tables=("surrogates", "task-surrogates"),
    )
    condition: tuple[str, ...] = _in_general(
        "A noise condition; may be repeated.", (), metavar="NAME", tables=("conditions", "label-conditions")
    )
    design: str | None = _in_general(
        "How often each pair is compared: balanced, product, complete, forest, ratio:R, counts:FILE (as in a "
        "profile), or support:FILE (only the pairs of a profile) (any).",
        metavar="NAME",
    )
    items: str | None = _in_general(
        f"Numbers of items to search ({_ITEMS}); with --target one number (3).", metavar="3|2,3|3..5"
    )
    profile: str | None = _at_one(
        "Decide this one distribution: .soc .soi .toc .toi, a CSV winner,loser,count, or JSON; "
        "for grades a CSV judge,item,grade or a line of items, then one a judge; or a LETOR file.",
        metavar="FILE",
        also=("--at",),
    )
    details: bool = option("Print hypotheses, certificates and everything else that was found.", False)
    unranked: Literal["last", "unknown"] | None = _at_one(
        "What a ballot says about the items it does not rank (last)."
    )
    select: str | None = _at_one(
        'Keep these items of the profile, in this order; quote a name that has a comma: "Lee, Sue".',
        metavar="A,B,C",
    )

    features: str | None = _of_features(
        "Let scores be linear in these features, a CSV with an item and its features per row. With "
        "--profile, decide that distribution; else search for a profile that fails.",
        metavar="FILE.csv",
    )
    axiom: str | None = _of_features(
        "Axioms to test: best, pareto, majority (all; pareto in a search).", metavar="A,B"
    )
    reference: str | None = _at_one(
        "The reference policy: a CSV answer,logp with log pi_ref of each answer (per token for ipo); also "
        "report the order of the policy.",
        metavar="FILE",
    )
    beta: str | None = _at_one("With --reference: the parameter beta of the loss (0.1).", metavar="Q")

    def run(self) -> int:
        """Find out which question is asked, and answer it."""
        if self.name is not None and "," not in self.name:
            from consistency_lab.model.surrogates.tasks.libraries import full_name

            self.name = full_name(self.name)
        # The target of preference graphs of any weights is what is asked without --target too.
        graphs = self.target == "pairwise" and self.labels == "graphs"
        about_labels = not graphs and (self.target is not None or self.matrix is not None)
        if self.reference is None:
            self.refuse(": it belongs to a reference; give --reference too", "beta")
        self._refuse_what_does_not_fit(about_labels, ("target", "labels") if graphs else ())
        if self.name is not None and "," in self.name and not (about_labels and self.profile):
            raise InputError(
                f"{self.name} names several losses; compare them on a file of labels with --target and --at, "
                "on preferences with audit --loss, or check one at a time"
            )
        self.prepare()
        if not about_labels:
            return self._of_graphs()
        return self._of_labels() if self.profile is None else self._at_labels(self.profile)

    def _refuse_what_does_not_fit(self, about_labels: bool, besides: tuple[str, ...]) -> None:
        """The options of a panel fit some questions only; an option of none fits all."""
        labels, profile = about_labels, self.profile is not None
        reasons = {
            TASKS: "" if labels else "it describes a ranking task; give --target too",
            GRAPHS: "it applies to preference graphs and --target to labels; leave one of them out"
            if labels
            else "",
            _GENERAL: "a profile is one distribution with its own items; leave it out" if profile else "",
            _PROFILE: "" if profile else "it describes a profile; give --profile too",
            _FEATURES: ""
            if self.features
            else "it applies to scores that are linear in features; give --features too",
        }
        if self.features:
            without = "features belong to one set of items; leave it out"
            reasons |= {_GENERAL: without, TASKS: without, _FEATURES: ""}
        for name, declared in self.declared().items():
            reason = reasons.get(declared.panel)
            if reason and name not in besides:
                self.refuse(f": {reason}", name)

    def _command(self) -> str:
        """What to type for the same answer: the options that are part of the question, and the seed."""
        panels = (TASKS, GRAPHS, _GENERAL, _PROFILE, _FEATURES)
        names = [name for name, one in self.declared().items() if one.panel in panels or name == "phi"]
        seed = {"--seed": self.seed} if self.seed else {}
        return command_line("check", self.name, self.given(*names) | seed)

    def _of_graphs(self) -> int:
        """A surrogate of preference graphs, in general or at the graphs of a file."""
        from consistency_lab.model.surrogates.tasks.libraries import pair_entry

        shipped = None if self.name is None else pair_entry(self.name)
        if shipped is None or self.json or not self.details:
            return self._answered()
        from consistency_lab.report.library import pair_lines

        if shipped.loss is not None:
            say_report([f"{shipped.name} is decided as {shipped.loss}; the note at the end says why."])
        code = UNDECIDED if shipped.loss is None else self._answered()
        say_report(pair_lines(shipped))
        return code

    def _answered(self) -> int:
        """What is asked about a surrogate of preference graphs."""
        surrogate = self.surrogate()
        if self.features is not None:
            return self._decided_with(surrogate, self.features)
        if self.profile is None and (self.design or "").startswith(("counts:", "support:")):
            return self._with_counts(surrogate)
        if self.profile is None:
            return self._decided(surrogate, items=item_numbers("--items", self.items or _ITEMS))
        from consistency_lab.data import read_profile

        profile = read_profile(self.profile, self.unranked, self._selected())
        return self._decided_at(surrogate, profile, None)

    def _of_labels(self) -> int:
        """A surrogate, or an objective of a library, for a target."""
        from consistency_lab.model.conditions import task_condition
        from consistency_lab.model.tasks.task import ITEMS

        task = self.task(None if self.items is None else one_number("--items", self.items))
        objective = self._objective(self.name)
        for name in self.condition:
            task_condition(name, task.space)
        if objective is not None:
            return self._decided_as_shipped(objective, task)
        larger: list[Task] = []
        # Where no number is asked for, one item more is searched too.
        if self.items is None and self.matrix is None:
            with suppress(UnsupportedError):
                larger.append(self.task(ITEMS + 1))
        return self._decided(self._label_surrogate(task, self.name), target=task, larger=tuple(larger))

    def _at_labels(self, file: str) -> int:
        """Surrogates for a target, at the labels of a file."""
        from consistency_lab.data.labels import read_label_lists

        listed = [] if self.name is None else self.name.strip(", ").split(",")
        names: list[str | None] = [*map(str.strip, listed)] or [None]
        for name in names:
            objective = self._objective(name)
            if objective is not None:
                raise InputError(
                    f"{objective.name} can only be decided for all distributions; leave the profile out, or "
                    "name a surrogate (list task-surrogates)"
                )
        if len(names) > 1:
            why = " several losses; name a single loss that takes it (list task-surrogates)"
            self.refuse(why, "on", "weights", "phi", "label_weights")
        task = self.task(alike=True)
        lists = read_label_lists(file, task.space.kind, self.unranked or "last", self._selected())
        if len(names) > 1 or lists.only is None:
            return self._compared([self._label_surrogate(task, name) for name in names], lists)
        task = self.task(len(lists.only.items), alike=True)
        return self._decided_at(self._label_surrogate(task, names[0]), lists.only, task)

    def _compared(self, surrogates: "Sequence[TaskSurrogate | str]", lists: "LabelLists") -> int:
        """Several surrogates, or several queries: decide, save, and show."""
        from consistency_lab.decide.lists import decide_lists
        from consistency_lab.report.lists import comparison_document, comparison_lines, verdict

        with progress(len(lists.queries)) as tell:
            tasks = partial(self.task, alike=True)
            found = decide_lists(surrogates, lists, tasks, command=self._command(), tell=tell)
        decisions = (answer.decision for one in found.queries for answer in one.answers)
        proofs = (one.witness.document for one in decisions if one is not None and one.witness is not None)
        files = self.saved({str(document["digest"]): document for document in proofs}.values())
        if self.json:
            say_json(comparison_document(found, files))
        else:
            say_report(comparison_lines(found, files))
        return _exit_code(verdict(found))

    def task(self, items: int | None = None, *, alike: bool = False) -> "Task":
        """The task of so many items or classes; that of a matrix is told by its file."""
        if self.matrix is None and (self.target or "").lower() != "matrix":
            return super().task(items, alike=alike)
        if (self.target or "matrix").lower() != "matrix":
            self.refuse(f": the target is {self.target}; leave one of them out", "matrix")
        if self.matrix is None:
            raise InputError("the target matrix needs a file; give --matrix FILE.csv")
        every = ("labels", "items", "gain", "discount", "k", "v", "w")
        self.refuse(": the matrix defines the whole target; leave it out", *every)
        from consistency_lab.data.matrix import read_matrix
        from consistency_lab.model.labels import Rows
        from consistency_lab.model.tasks.discrete import MatrixTask

        read = read_matrix(self.matrix)
        return MatrixTask(Rows(read.labels), read.predictions, read.rows)

    def _objective(self, name: str | None) -> "Entry | None":
        """The objective of a library, if that is what is named."""
        if name is None or ".py:" in name:
            return None
        from consistency_lab.model.surrogates.tasks.libraries import entry, full_name

        name = full_name(name)
        refuse_with_target(name)
        if ":" not in name:
            return None
        found = entry(name)
        self.refuse(f": {found.name} is decided as shipped; leave it out", *_MADE_OF)
        return found

    def _label_surrogate(self, task: "Task", name: str | None) -> "TaskSurrogate | str":
        """The surrogate for a target, or the name of a function; phi alone stands for a loss of pairs."""
        if name is not None and ".py:" in name:
            self.refuse(f" {name}, a loss of scores and labels; leave it out", *_MADE_OF)
            return name
        if name is None and self.phi is None:
            raise InputError(
                "a target needs the name of a surrogate, such as softmax; see list task-surrogates"
            )
        from consistency_lab.model.surrogates.tasks.catalogue import task_surrogate
        from consistency_lab.model.surrogates.tasks.decoders import decoder_name

        found = task_surrogate(
            "pairs" if name is None else name,
            on=self.on,
            decode=None if self.decode is None else decoder_name(self.decode),
            weights=self.weights,
            phi=self.phi,
            label_weights=self.label_weights,
        )
        try:
            found.check(task)
        except InputError as error:
            hint = "; the surrogate constructed works for any matrix" if task.target == "matrix" else ""
            raise InputError(f"{error}{hint}") from None
        return found

    def _selected(self) -> tuple[str, ...] | None:
        return None if self.select is None else chosen_items("--select", self.select)

    def _decided(
        self,
        surrogate: "Surrogate | TaskSurrogate | str",
        *,
        target: "Task | None" = None,
        items: Sequence[int] | None = None,
        larger: "Sequence[Task]" = (),
    ) -> int:
        """Decide in general, save, and show."""
        from consistency_lab.decide import decide

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
        from consistency_lab.data import read_profile
        from consistency_lab.decide.profile import decide_design

        self.refuse(": the file of counts names the items; leave it out", "items")
        kind, _, file = (self.design or "").partition(":")
        profile, support = read_profile(file), kind == "support"
        found = decide_design(surrogate, profile, self.condition, support=support, command=self._command())
        return self._told(found)

    def _told(self, decision: "Decision") -> int:
        """Save what was decided in general, and show it."""
        command, effort = self._command(), decision.effort
        proofs = decision.proof_documents(command)
        files = self.saved((*(witness.document for witness in decision.witnesses), *proofs.values()))
        if self.json:
            from consistency_lab.report.answer import decision_document

            say_json(decision_document(decision, files, proofs))
            say_effort(effort)
            return _exit_code(decision.verdict, effort)
        if decision.target is None:
            from consistency_lab.model.surrogates.tasks.libraries import pair_entry_of
            from consistency_lab.report.frontier import screen

            entry = None if self.name is None else pair_entry_of(self.name)
            say_report(screen(decision, self.name or str(self.phi), entry, files))
        if decision.target is not None or self.details:
            from consistency_lab.report.decision import answers_table, evidence, heading, opening

            told = *heading(decision), *evidence(decision, proofs, files)
            say_report([*opening(decision), answers_table(decision), *told])
        say_effort(effort)
        return _exit_code(decision.verdict, effort)

    def _decided_at(
        self,
        surrogate: "Surrogate | TaskSurrogate | str",
        profile: "Profile | LabelProfile",
        target: "Task | None",
    ) -> int:
        """Decide at one distribution, save, and show."""
        from consistency_lab.decide import decide_profile

        decision = decide_profile(surrogate, profile, target=target, command=self._command())
        if self.reference is not None:
            decision = self._trained(decision, self.reference)
        files = self.saved([] if decision.witness is None else [decision.witness.document])
        if self.json:
            from consistency_lab.report.answer import profile_document

            say_json(profile_document(decision, profile, files))
        else:
            from consistency_lab.report.profile import policy_answer, profile_answer, profile_heading

            say_report(profile_heading(decision, profile))
            say_report(profile_answer(decision, profile, files))
            if decision.policy is not None:
                say_report(policy_answer(decision.policy, decision.distribution.items))
        return _exit_code(decision.verdict)

    def _decided_with(self, surrogate: "Surrogate", file: str) -> int:
        """Decide scores that are linear in the features of a file, save, and show."""
        from consistency_lab.data import read_profile
        from consistency_lab.data.matrix import read_features
        from consistency_lab.decide.features import check_features
        from consistency_lab.report.features import features_answer, features_document

        features, profile = read_features(file), None
        if self.profile is not None:
            profile = read_profile(self.profile, self.unranked, self._selected())
        axioms = None if self.axiom is None else chosen_items("--axiom", self.axiom)
        decision = check_features(surrogate, features, profile, axioms=axioms, command=self._command())
        proofs = [decision.witness, *(answer.witness for answer in decision.answers)]
        documents = [one.document for one in proofs if one is not None]
        files = self.saved([*documents, *(one.proof for one in decision.answers if one.proof is not None)])
        if self.json:
            say_json(features_document(decision, files))
        else:
            say_report(features_answer(decision, files))
        return _exit_code(decision.verdict)

    def _trained(self, decision: "ProfileDecision", file: str) -> "ProfileDecision":
        """With the order of a policy that started from the reference."""
        from dataclasses import replace

        from consistency_lab.data.rows import read_reference
        from consistency_lab.decide.profile import policy
        from consistency_lab.exact import rational

        beta = rational(self.beta or "0.1", "--beta")
        if beta <= 0:
            raise InputError(f"--beta is {beta}; it must be positive")
        try:
            return replace(decision, policy=policy(decision, read_reference(file), beta))
        except UnsupportedError as error:  # the verdict stands without it
            warn(f"Note: {error}.")
            return decision

    def _decided_as_shipped(self, objective: "Entry", target: "Task") -> int:
        """Decide an objective of a library: the plain loss underneath, and what is shipped."""
        from consistency_lab.decide.tasks import decide_library
        from consistency_lab.report.library import (
            evidence,
            heading,
            opening,
            rows_table,
        )

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
            from consistency_lab.report.library import library_document

            say_json(library_document(decision, files, target))
        else:
            told = *heading(decision, target), *evidence(decision, files)
            say_report([*opening(decision, target), rows_table(decision), *told])
        say_effort(effort)
        return _exit_code(decision.verdict, effort)


def _exit_code(verdict: "Verdict", effort: "Effort | None" = None) -> int:
    """That of a verdict; where the clock ended the search, one that says so of what is undecided."""
    code = OF_VERDICT[str(verdict)]
    return STOPPED if code == UNDECIDED and effort is not None and effort.stopped else code
