"""Surrogates of preference graphs: in general, or at one given distribution."""

from typing import TYPE_CHECKING

from consistency_lab.cli.arguments import chosen_items, item_numbers
from consistency_lab.cli.check.names import refuse_without_target
from consistency_lab.cli.check.run import Run, exit_code, say_effort
from consistency_lab.cli.streams import say_json, say_report
from consistency_lab.errors import InputError

if TYPE_CHECKING:
    from consistency_lab.model.surrogates import Surrogate


def graph_surrogate(
    name: str | None,
    phi: str | None,
    form: str | None,
    h: str | None,
    r: str | None,
    nu: str | None,
    *,
    asked: str = "check",
) -> "Surrogate":
    """The surrogate that is named, or made from phi, or a class of the user's own, for this command.

    Raises
    ------
    InputError
        If there is none, or an option does not fit it.
    """
    from consistency_lab.model.surrogates import load_surrogate, surrogate

    if name is not None:
        refuse_without_target(name, asked=asked)
    if name is not None and ":" in name:
        given = {"--phi": phi, "--form": form, "--h": h, "--r": r, "--nu": nu}
        for option, value in given.items():
            if value is not None:
                raise InputError(f"{option} does not apply to a surrogate class of your own; leave it out")
        return load_surrogate(name)
    weight: dict[str, object] = {} if nu is None else {"nu": nu}
    return surrogate(name, phi=phi, form=form, h=h, r=r, **weight)


def check_in_general(asked: "Surrogate", conditions: list[str] | None, items: str, run: Run) -> int:
    """Decide a surrogate under each noise condition, and show the answer."""
    from consistency_lab.model.conditions import CONDITIONS, condition
    from consistency_lab.search.judge import LARGEST

    names = [condition(name).name for name in conditions or CONDITIONS]
    numbers = item_numbers(items, LARGEST)
    from consistency_lab.decide import decide

    with run.search() as effort:
        decision = decide(asked, names, items=numbers, effort=effort, command=run.command, seed=run.seed)
    proofs = decision.proof_documents(run.command)
    found = (*(witness.document for witness in decision.witnesses), *proofs.values())
    files = run.save(found)
    if run.json:
        from consistency_lab.report.answer import decision_document

        say_json(decision_document(decision, proofs, files))
    else:
        from consistency_lab.cli.tables import say_table
        from consistency_lab.report.decision import (
            answers_table,
            heading,
            infeasible,
            instead,
            theorems,
            witnesses,
        )

        say_report(heading(decision))
        say_table(answers_table(decision))
        say_report(theorems(decision))
        say_report(infeasible(proofs, files))
        say_report(witnesses(decision, files))
        say_report(instead(decision))
    say_effort(effort)
    return exit_code(decision.verdict, effort)


def check_profile(asked: "Surrogate", file: str, unranked: str | None, select: str | None, run: Run) -> int:
    """Decide a surrogate at the distribution of a file, and show the answer."""
    from consistency_lab.data import read_profile
    from consistency_lab.decide import decide_profile

    kept = None if select is None else chosen_items(select)
    profile = read_profile(file, unranked or "last", kept)  # type: ignore[arg-type]
    decision = decide_profile(asked, profile.distribution, notes=profile.notes, command=run.command)
    files = run.save([] if decision.witness is None else [decision.witness.document])
    if run.json:
        from consistency_lab.report.answer import profile_document

        say_json(profile_document(decision, files, profile.voters, profile.counted))
    else:
        from consistency_lab.report.profile import profile_answer, profile_heading

        say_report(profile_heading(decision, profile))
        say_report(profile_answer(decision, profile, files))
    return exit_code(decision.verdict)
