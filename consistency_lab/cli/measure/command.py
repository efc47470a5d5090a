"""The command itself: it reads the options and finds out what is asked."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Final

from consistency_lab.cli.arguments import budget_seconds, clock_seconds, item_numbers
from consistency_lab.cli.atlas import FOLDER, make_atlas
from consistency_lab.cli.check.options import (
    WITNESSES,
    Form,
    GraphName,
    H,
    Json,
    Nu,
    Phi,
    R,
    Save,
    Seed,
    StopAfter,
)
from consistency_lab.cli.check.run import Run
from consistency_lab.cli.grammar import Option
from consistency_lab.errors import InputError

BUDGET: Final = 60.0
CONDITION: Final = "low-noise"
SAMPLES: Final = 100_000
_MOST_SAMPLES: Final = 10_000_000

Condition = Annotated[list[str] | None, Option(metavar="NAME", help=f"A noise condition ({CONDITION}).")]
Items = Annotated[str, Option(metavar="M", help="The number of items.")]
Worst = Annotated[bool, Option(help="The worst normalized regret: a bracket, and a witness near it.")]
Smallest = Annotated[bool, Option(help="The smallest witness, and the proof that none is smaller.")]
Rate = Annotated[bool, Option(help="The share of distributions on which it fails.")]
Samples = Annotated[int, Option(metavar="N", help="How many distributions --rate draws.")]
Surrogates = Annotated[str | None, Option(metavar="A,B,C", help="Several surrogates at once: an atlas.")]
Scheduler = Annotated[
    str | None, Option(metavar="ADDRESS", help="For an atlas: the Dask cluster that makes it.")
]
Jobs = Annotated[
    int | None, Option(metavar="N", help="For an atlas: how many cells are made at once (cores).")
]
Folder = Annotated[
    Path | None,
    Option(metavar="DIR", help=f"Where witnesses ({WITNESSES}) or cells ({FOLDER}) go."),
]
Budget = Annotated[
    float, Option(metavar="SECONDS", help="What each question may do: counted, 1 takes about a second.")
]


def measure(
    name: GraphName = None,
    surrogates: Surrogates = None,
    phi: Phi = None,
    form: Form = None,
    h: H = None,
    r: R = None,
    nu: Nu = None,
    condition: Condition = None,
    items: Items = "3",
    worst: Worst = False,
    smallest: Smallest = False,
    rate: Rate = False,
    samples: Samples = SAMPLES,
    scheduler: Scheduler = None,
    jobs: Jobs = None,
    out: Folder = None,
    save: Save = True,
    budget: Budget = BUDGET,
    stop_after: StopAfter = None,
    seed: Seed = 0,
    json: Json = False,
) -> int:
    """How wrong a surrogate is under a noise condition: --worst, --smallest and --rate, one or several.

    Without any of the three: --smallest. Witnesses are certified; upper ends of brackets, and that no witness
    is smaller, are proved; a rate is an estimate with an interval.

    Exit code 1: there is a witness; 0: it is proved that there is none; 3: neither.
    """
    budget_seconds(budget)
    if not 1 <= samples <= _MOST_SAMPLES:
        raise InputError(f"--samples is {samples}; it must be between 1 and {_MOST_SAMPLES}")
    from consistency_lab.model.conditions import condition as condition_named
    from consistency_lab.search.judge import LARGEST

    numbers = item_numbers(items, LARGEST)
    wanted = {"worst": worst, "smallest": smallest, "rate": rate}
    conditions = tuple(condition_named(one).name for one in condition or [CONDITION])
    if (
        surrogates is not None
        or scheduler is not None
        or jobs is not None
        or len(numbers) > 1
        or len(conditions) > 1
    ):
        for option, value in {"--phi": phi, "--form": form, "--h": h, "--r": r, "--nu": nu}.items():
            if value is not None:
                raise InputError(f"{option} does not fit: the surrogates of an atlas are named; leave it out")
        if name is not None and surrogates is not None:
            raise InputError(f"give the surrogates in one place: add {name} to --surrogates, or leave it out")
        if stop_after is not None:
            raise InputError(
                "--stop-after does not fit: cells of an atlas are the same everywhere; leave it out"
            )
        if not save:
            raise InputError("--no-save does not fit: an atlas is kept in its folder; leave it out")
        return make_atlas(
            tuple(one.strip() for one in (surrogates or name or "").split(",") if one.strip()),
            conditions,
            numbers,
            out or FOLDER,
            parts=tuple(part for part, flag in wanted.items() if flag),
            scheduler=scheduler,
            jobs=jobs,
            budget=budget,
            samples=samples,
            seed=seed,
            json=json,
        )
    from consistency_lab.cli.check.graphs import graph_surrogate
    from consistency_lab.cli.measure.questions import Question, answer

    asked = graph_surrogate(name, phi, form, h, r, nu, asked="measure")
    parts = tuple(part for part, flag in wanted.items() if flag) or ("smallest",)
    given = {"--phi": phi, "--form": form, "--h": h, "--r": r, "--nu": nu}
    given |= {"--condition": conditions[0], "--items": str(numbers[0])}
    given |= {"--samples": str(samples) if rate else None, "--seed": str(seed) if seed else None}
    command = _command(name, given, parts)
    folder = out or WITNESSES
    if save:
        from consistency_lab.report.saving import check_writable

        check_writable(folder)
    run = Run(budget, clock_seconds(stop_after), seed, folder if save else None, command, json)
    return answer(Question(asked, conditions[0], numbers[0], samples), parts, run)


def _command(name: str | None, given: Mapping[str, str | None], parts: Sequence[str]) -> str:
    """What to type for the same answer."""
    words = ["consistency-lab", "measure", *([name] if name is not None else [])]
    for option, value in given.items():
        if value is not None:
            words += [option, value]
    return shlex.join([*words, *(f"--{part}" for part in parts)])
