"""``consistency-lab check``: decide a surrogate, for preference graphs or for a target loss on labels."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from consistency_lab.cli import question as options
from consistency_lab.cli.arguments import budget_seconds, chosen_items, clock_seconds, item_numbers
from consistency_lab.cli.grammar import CONSISTENT, INCONSISTENT, STOPPED, UNDECIDED
from consistency_lab.cli.question import (
    AskedSurrogate,
    AskedTarget,
    Given,
    Question,
    command,
    graph_surrogate,
    question,
)
from consistency_lab.cli.streams import say_json, say_report, warn
from consistency_lab.errors import InputError
from consistency_lab.frozen import frozen

if TYPE_CHECKING:
    from consistency_lab.data import Profile
    from consistency_lab.data.labels import LabelProfile
    from consistency_lab.decide import Verdict
    from consistency_lab.model.surrogates import Surrogate
    from consistency_lab.model.surrogates.tasks.base import TaskSurrogate
    from consistency_lab.model.surrogates.tasks.libraries import Entry
    from consistency_lab.model.tasks.task import Task
    from consistency_lab.report.answer import Files
    from consistency_lab.search.effort import Effort


# --- What every question of ``check`` has in common: the search's budget, saving, and the exit code ------

CODES: Final[Mapping[str, int]] = {
    "CONSISTENT": CONSISTENT,
    "INCONSISTENT": INCONSISTENT,
    "UNDECIDED": UNDECIDED,
}


@frozen
class Run:
    """How an answer is found, kept and shown."""

    budget: float  #: What all searches may do, in seconds of an ordinary machine.
    clock: float | None  #: Seconds by the clock after which they are stopped; None for never.
    seed: int  #: Seed of the search.
    folder: Path | None  #: Where witnesses are saved; None to save nothing.
    command: str  #: What to type for the same answer.
    json: bool  #: Whether to print JSON.

    @contextmanager
    def search(self) -> "Iterator[Effort]":
        """A budget, with a bar on stderr while it is spent."""
        from consistency_lab.cli.streams import progress
        from consistency_lab.search.effort import Effort

        with progress() as report:
            yield Effort(seconds=self.budget, report=report, clock=self.clock)

    def save(self, documents: "Iterable[Mapping[str, object]]") -> "Files":
        """Save documents; the files by digest.

        An answer is shown even if the disk is full by now.
        """
        if self.folder is None:
            return {}
        from consistency_lab.certify.document import save

        files: dict[str, Path] = {}
        for document in documents:
            try:
                files[str(document["digest"])] = save(document, self.folder)
            except InputError as error:
                warn(f"a witness is not saved: {error}")
        return files


def say_effort(effort: "Effort") -> None:
    """Say on stderr what the search cost."""
    if effort.interrupted:
        warn("interrupted: this is the best so far")
    elif effort.stopped:
        warn(f"{effort.ending.removesuffix('; ')}: this is the best so far, and another run may find more")
    warn(f"searched: {effort.summary()} in {effort.elapsed:.1f} s")


def exit_code(verdict: "Verdict", effort: "Effort | None" = None) -> int:
    """The exit code of a verdict; where the clock ended the search, one that says so of what is undecided."""
    code = CODES[str(verdict)]
    return STOPPED if code == UNDECIDED and effort is not None and effort.stopped else code


# --- From a question of ``check`` to the answer on the screen --------------------------------------------
# Decide, save, report, whatever it is about.


def for_graphs(surrogate: "Surrogate", conditions: list[str] | None, items: str, run: Run) -> int:
    """Decide a surrogate of preference graphs under each noise condition, and show the answer."""
    from consistency_lab.search.forward import LARGEST

    return _in_general(surrogate, conditions, run, items=item_numbers(items, LARGEST))


def for_labels(asked: AskedSurrogate, target: AskedTarget, conditions: list[str] | None, run: Run) -> int:
    """Decide a surrogate, or an objective of a library, for a target, and show the answer."""
    from consistency_lab.model.tasks.conditions import task_condition

    task, entry = target.task(), asked.entry()
    for name in conditions or ():
        task_condition(name, task.space)
    if entry is not None:
        return _of_library(entry, task, conditions, run)
    return _in_general(asked.surrogate(task), conditions, run, target=task, larger=target.larger())


def at_graphs(surrogate: "Surrogate", file: str, unranked: str | None, select: str | None, run: Run) -> int:
    """Decide a surrogate at the preference graphs of a file, and show the answer."""
    from consistency_lab.data import read_profile

    profile = read_profile(file, unranked or "last", _kept(select))  # type: ignore[arg-type]
    return _at_profile(surrogate, None, profile, run)


def at_labels(
    asked: AskedSurrogate, target: AskedTarget, file: str, unranked: str | None, select: str | None, run: Run
) -> int:
    """Decide a surrogate for a target at the labels of a file, and show the answer."""
    from consistency_lab.data.labels import read_labels

    entry, task = asked.entry(), target.task()
    if entry is not None:
        raise InputError(
            f"{entry.name} is decided for all distributions only: leave --profile out, or name a surrogate "
            "(list task-surrogates)"
        )
    profile = read_labels(file, task.space.kind, unranked or "last", _kept(select))  # type: ignore[arg-type]
    task = replace(target, items=str(len(profile.items))).task()
    return _at_profile(asked.surrogate(task), task, profile, run)


def _kept(select: str | None) -> Sequence[str] | None:
    return None if select is None else chosen_items(select)


def _in_general(
    surrogate: "Surrogate | TaskSurrogate",
    conditions: list[str] | None,
    run: Run,
    *,
    target: "Task | None" = None,
    items: Sequence[int] | None = None,
    larger: "Sequence[Task]" = (),
) -> int:
    from consistency_lab.decide import decide

    with run.search() as effort:
        decision = decide(
            surrogate,
            conditions or None,
            target=target,
            items=items,
            larger=larger,
            effort=effort,
            command=run.command,
            seed=run.seed,
        )
    proofs = decision.proof_documents(run.command)
    files = run.save((*(witness.document for witness in decision.witnesses), *proofs.values()))
    if run.json:
        from consistency_lab.report.answer import decision_document

        say_json(decision_document(decision, proofs, files))
    else:
        from consistency_lab.cli.streams import say_table
        from consistency_lab.report.decision import answers_table, evidence, heading

        say_report(heading(decision))
        say_table(answers_table(decision))
        say_report(evidence(decision, proofs, files))
    say_effort(effort)
    return exit_code(decision.verdict, effort)


def _at_profile(
    surrogate: "Surrogate | TaskSurrogate", target: "Task | None", profile: "Profile | LabelProfile", run: Run
) -> int:
    from consistency_lab.decide import decide_profile

    decision = decide_profile(surrogate, profile, target=target, command=run.command)
    files = run.save([] if decision.witness is None else [decision.witness.document])
    if run.json:
        from consistency_lab.report.answer import profile_document

        say_json(profile_document(decision, profile, files))
    else:
        from consistency_lab.report.profile import profile_answer, profile_heading

        say_report(profile_heading(decision, profile))
        say_report(profile_answer(decision, profile, files))
    return exit_code(decision.verdict)


def _of_library(entry: "Entry", target: "Task", conditions: list[str] | None, run: Run) -> int:
    """Decide an objective of a library: the plain loss underneath, and what is shipped."""
    from consistency_lab.decide.tasks import decide_library
    from consistency_lab.report.library import verdict, witnesses_of

    with run.search() as effort:
        decision = decide_library(
            entry, target, conditions, effort=effort, command=run.command, seed=run.seed
        )
    files = run.save(witness.document for witness in witnesses_of(decision))
    if run.json:
        from consistency_lab.report.library import library_document

        say_json(library_document(decision, target, files))
    else:
        from consistency_lab.cli.streams import say_table
        from consistency_lab.report.library import evidence, heading, rows_table

        say_report(heading(decision, target))
        say_table(rows_table(decision))
        say_report(evidence(decision, files))
    say_effort(effort)
    return exit_code(verdict(decision), effort)


# --- The command itself: it reads the options and finds out which question they ask ----------------------


def check(
    surrogate: options.Name = None,
    target: options.Target = None,
    matrix: options.Matrix = None,
    labels: options.Labels = None,
    gain: options.Gain = None,
    discount: options.Discount = None,
    k: options.K = None,
    v: options.V = None,
    w: options.W = None,
    on: options.On = None,
    decode: options.Decode = None,
    weights: options.Weights = None,
    label_weights: options.LabelWeights = None,
    phi: options.Phi = None,
    form: options.Form = None,
    h: options.H = None,
    r: options.R = None,
    nu: options.Nu = None,
    condition: options.Conditions = None,
    items: options.Items = None,
    profile: options.Profile = None,
    unranked: options.Unranked = None,
    select: options.Select = None,
    out: options.Out = options.WITNESSES,
    save: options.Save = True,
    budget: options.Budget = options.BUDGET,
    stop_after: options.StopAfter = None,
    seed: options.Seed = 0,
    json: options.Json = False,
) -> int:
    """Decide whether a surrogate is consistent, under each noise condition, with evidence.

    CONSISTENT: by a theorem whose hypotheses were checked, or an exact proof.

    INCONSISTENT: by a witness that the core accepts. UNDECIDED: anything else.

    With --target the question is a target loss on labels, such as NDCG on grades.

    With --profile the answer is about one given distribution.
    """
    budget_seconds(budget)
    given: Given = {
        "--target": target,
        "--matrix": matrix,
        "--labels": labels,
        "--gain": gain,
        "--discount": discount,
        "--k": k,
        "--v": v,
        "--w": w,
        "--on": on,
        "--decode": decode,
        "--weights": weights,
        "--label-weights": label_weights,
        "--phi": phi,
        "--form": form,
        "--h": h,
        "--r": r,
        "--nu": nu,
        "--condition": condition,
        "--items": items,
        "--profile": profile,
        "--unranked": unranked,
        "--select": select,
        "--seed": seed or None,
    }
    asked = question(given)
    run = Run(budget, clock_seconds(stop_after), seed, _folder(out, save), command(surrogate, given), json)
    if asked is Question.TASK:
        about_labels = AskedSurrogate(surrogate, on, decode, weights, phi, label_weights)
        for_target = AskedTarget(target, matrix, labels, items, gain, discount, k, v, w)
        if profile is not None:
            return at_labels(about_labels, for_target, profile, unranked, select, run)
        return for_labels(about_labels, for_target, condition, run)
    about = graph_surrogate(surrogate, phi, form, h, r, nu)
    if profile is not None:
        return at_graphs(about, profile, unranked, select, run)
    return for_graphs(about, condition, items or options.ITEMS, run)


def _folder(out: "Path", save: bool) -> "Path | None":
    """Where to save, found writable before a long search."""
    if not save:
        return None
    from consistency_lab.files import check_writable

    check_writable(out)
    return out
