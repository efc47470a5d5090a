"""From a question of ``check`` to the answer on the screen: decide, save, report, whatever it is about."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from consistency_lab.cli.arguments import chosen_items, item_numbers
from consistency_lab.cli.check.run import Run, exit_code, say_effort
from consistency_lab.cli.check.tasks import AskedSurrogate, AskedTarget
from consistency_lab.cli.streams import say_json, say_report
from consistency_lab.errors import InputError

if TYPE_CHECKING:
    from consistency_lab.data import Profile
    from consistency_lab.data.labels import LabelProfile
    from consistency_lab.model.surrogates import Surrogate
    from consistency_lab.model.surrogates.tasks.base import TaskSurrogate
    from consistency_lab.model.surrogates.tasks.libraries import Entry
    from consistency_lab.model.tasks.task import Task


def for_graphs(surrogate: "Surrogate", conditions: list[str] | None, items: str, run: Run) -> int:
    """Decide a surrogate of preference graphs under each noise condition, and show the answer."""
    from consistency_lab.search.judge import LARGEST

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
        from consistency_lab.cli.tables import say_table
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
        from consistency_lab.cli.tables import say_table
        from consistency_lab.report.library import evidence, heading, rows_table

        say_report(heading(decision, target))
        say_table(rows_table(decision))
        say_report(evidence(decision, files))
    say_effort(effort)
    return exit_code(verdict(decision), effort)
