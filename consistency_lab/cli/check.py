"""``consistency-lab check``: decide a surrogate, in general or at one given distribution."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from consistency_lab.cli.arguments import budget_seconds, chosen_items, item_numbers
from consistency_lab.cli.exit_codes import CONSISTENT, INCONSISTENT, UNDECIDED
from consistency_lab.cli.streams import say_json, say_report, warn
from consistency_lab.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from consistency_lab.certify.witness import Witness
    from consistency_lab.decide import Verdict
    from consistency_lab.model.surrogates import Surrogate
    from consistency_lab.report.answer import Files

ITEMS: Final = "2,3,4,5"
BUDGET: Final = 20.0
WITNESSES: Final = Path("witnesses")


def check(
    surrogate: Annotated[
        str | None,
        typer.Argument(metavar="SURROGATE", help="A name (see list), an alias, or module:object of yours."),
    ] = None,
    phi: Annotated[
        str | None, typer.Option(metavar="EXPR", help="In place of a name: phi(x), as in 'log(1+exp(-2*x))'.")
    ] = None,
    form: Annotated[
        str | None, typer.Option(metavar="edge|margin|difference", help="What is made of phi (edge).")
    ] = None,
    h: Annotated[
        str | None, typer.Option(metavar="EXPR", help="h(a): the weight or the margin of an edge (a).")
    ] = None,
    r: Annotated[
        str | None, typer.Option(metavar="EXPR", help="linear: the regularizer r(x) (x**2/2).")
    ] = None,
    nu: Annotated[
        str | None, typer.Option(metavar="Q", help="linear: the rational weight of the regularizer (1).")
    ] = None,
    condition: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A noise condition; may be repeated (all five)."),
    ] = None,
    items: Annotated[
        str | None, typer.Option(metavar="2,3|3..5", help=f"Numbers of items to search with ({ITEMS}).")
    ] = None,
    profile: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Decide this one distribution: .soc .soi .toc .toi, a CSV winner,loser,count, or JSON.",
        ),
    ] = None,
    unranked: Annotated[
        str | None,
        typer.Option(metavar="last|unknown", help="What unranked items of a ballot stand for (last)."),
    ] = None,
    select: Annotated[
        str | None, typer.Option(metavar="A,B,C", help="Keep these items of the profile, in this order.")
    ] = None,
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="Where witnesses are saved.", show_default=True)
    ] = WITNESSES,
    save: Annotated[bool, typer.Option("--save/--no-save", help="Save the witnesses that are found.")] = True,
    budget: Annotated[float, typer.Option(metavar="SECONDS", help="Time for all searches.")] = BUDGET,
    seed: Annotated[
        int,
        typer.Option(metavar="N", help="Seed of the search: the same seed finds the same witness."),
    ] = 0,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> int:
    """Decide whether a surrogate is consistent, under each noise condition, with evidence.

    CONSISTENT: by a theorem whose hypotheses were checked, or an exact proof.

    INCONSISTENT: by a witness that the kernel accepts. UNDECIDED: anything else.

    With --profile the answer is about one given distribution.
    """
    budget_seconds(budget)
    _refuse_mixed(profile, condition, items, unranked, select)
    if save:
        from consistency_lab.report.saving import check_writable

        check_writable(out)
    asked = _surrogate(surrogate, phi, form, h, r, nu)
    command = _command(
        surrogate,
        [
            ("--phi", [phi]),
            ("--form", [form]),
            ("--h", [h]),
            ("--r", [r]),
            ("--nu", [nu]),
            ("--condition", condition or []),
            ("--items", [items]),
            ("--profile", [Path(profile).name if profile else None]),
            ("--unranked", [unranked]),
            ("--select", [select]),
            ("--seed", [str(seed) if seed else None]),
        ],
    )
    folder = out if save else None
    if profile is not None:
        return _check_profile(asked, profile, unranked, select, folder, command, json)
    return _check_in_general(asked, condition, items or ITEMS, budget, seed, folder, command, json)


def _refuse_mixed(
    profile: str | None,
    condition: list[str] | None,
    items: str | None,
    unranked: str | None,
    select: str | None,
) -> None:
    about_all = {"--condition": condition, "--items": items}
    about_one = {"--unranked": unranked, "--select": select}
    for option, value in (about_one if profile is None else about_all).items():
        if value:
            other = (
                "it describes a profile: give --profile too"
                if profile is None
                else "a profile is one distribution, and all that holds for it is shown: leave it out"
            )
            raise InputError(f"{option} does not fit: {other}")


def _surrogate(
    name: str | None, phi: str | None, form: str | None, h: str | None, r: str | None, nu: str | None
) -> "Surrogate":
    from consistency_lab.model.surrogates import load_surrogate, surrogate

    if name is not None and ":" in name:
        given = {"--phi": phi, "--form": form, "--h": h, "--r": r, "--nu": nu}
        for option, value in given.items():
            if value is not None:
                raise InputError(f"{option} does not apply to a surrogate class of your own; leave it out")
        return load_surrogate(name)
    weight: dict[str, object] = {} if nu is None else {"nu": nu}
    return surrogate(name, phi=phi, form=form, h=h, r=r, **weight)


def _command(name: str | None, options: "Iterable[tuple[str, Iterable[str | None]]]") -> str:
    """What to type for the same answer, without what only concerns where files lie."""
    words = ["consistency-lab", "check", *([name] if name is not None else [])]
    for option, values in options:
        for value in values:
            if value is not None:
                words += [option, value]
    return shlex.join(words)


def _check_in_general(
    asked: "Surrogate",
    conditions: list[str] | None,
    items: str,
    budget: float,
    seed: int,
    folder: Path | None,
    command: str,
    json: bool,
) -> int:
    from consistency_lab.cli.progress import progress
    from consistency_lab.model.conditions import CONDITIONS, condition
    from consistency_lab.search.judge import LARGEST

    names = [condition(name).name for name in conditions or CONDITIONS]
    numbers = item_numbers(items, LARGEST)
    from consistency_lab.decide import decide
    from consistency_lab.search.effort import Effort

    with progress(budget) as report:
        effort = Effort(seconds=budget, report=report)
        decision = decide(asked, names, items=numbers, effort=effort, command=command, seed=seed)
    files = _save(decision.witnesses, folder)
    if json:
        from consistency_lab.report.answer import decision_document

        say_json(decision_document(decision, files))
    else:
        from consistency_lab.cli.tables import say_table
        from consistency_lab.report.decision import answers_table, heading, theorems, witnesses

        say_report(heading(decision))
        say_table(answers_table(decision))
        say_report(theorems(decision))
        say_report(witnesses(decision, files))
    if effort.interrupted:
        warn("interrupted: this is the best so far")
    warn(f"searched: {effort.summary()} in {effort.spent:.1f} s")
    return _code(decision.verdict)


def _check_profile(
    asked: "Surrogate",
    file: str,
    unranked: str | None,
    select: str | None,
    folder: Path | None,
    command: str,
    json: bool,
) -> int:
    from consistency_lab.data import read_profile
    from consistency_lab.decide import decide_profile

    kept = None if select is None else chosen_items(select)
    profile = read_profile(file, unranked or "last", kept)  # type: ignore[arg-type]
    decision = decide_profile(asked, profile.distribution, notes=profile.notes, command=command)
    files = _save([] if decision.witness is None else [decision.witness], folder)
    if json:
        from consistency_lab.report.answer import profile_document

        say_json(profile_document(decision, files, profile.voters, profile.counted))
    else:
        from consistency_lab.report.profile import profile_answer, profile_heading

        say_report(profile_heading(decision, profile))
        say_report(profile_answer(decision, profile, _minimizer(decision.witness), files))
    return _code(decision.verdict)


def _minimizer(witness: "Witness | None") -> list[float] | None:
    """Where W is least, in floats, for reading; None if that is unknown, or the scores of the witness."""
    from consistency_lab.report.answer import gap
    from consistency_lab.solve.minimize import minimize

    if witness is None or gap(witness) is None:
        return None

    p = witness.distribution
    minimum = minimize(witness.surrogate.risk_terms(p), p.m)
    return [float(x) for x in minimum.scores]


def _save(witnesses: "Iterable[Witness]", folder: Path | None) -> "Files":
    """Save each witness; the files by digest. An answer is shown even if the disk is full by now."""
    if folder is None:
        return {}
    from consistency_lab.report.saving import save

    files: dict[str, Path] = {}
    for witness in witnesses:
        try:
            files[str(witness.document["digest"])] = save(witness.document, folder)
        except InputError as error:
            warn(f"a witness is not saved: {error}")
    return files


def _code(verdict: "Verdict") -> int:
    return {"CONSISTENT": CONSISTENT, "INCONSISTENT": INCONSISTENT, "UNDECIDED": UNDECIDED}[str(verdict)]
