"""``consistency-lab calibration``: how much excess surrogate risk a regret must cost."""

from pathlib import Path
from typing import Annotated, Final

from consistency_lab.cli.arguments import budget_seconds, clock_seconds, item_numbers
from consistency_lab.cli.grammar import CONSISTENT, STOPPED, UNDECIDED, Option
from consistency_lab.cli.question import Form, GraphName, H, Json, Nu, Phi, R, Seed, StopAfter
from consistency_lab.cli.streams import say, say_json, say_report, warn
from consistency_lab.errors import InputError

BUDGET: Final = 60.0

Condition = Annotated[str, Option(metavar="NAME", help="A noise condition (see list conditions).")]
Items = Annotated[str, Option(metavar="M", help="The number of items.")]
Plot = Annotated[
    Path | None,
    Option(metavar="OUT.svg|png", help="Also draw H and the risk bound into this file."),
]
Budget = Annotated[
    float,
    Option(metavar="SECONDS", help="What may be done: counted, 1 takes about a second."),
]


def calibration(
    name: GraphName = None,
    phi: Phi = None,
    form: Form = None,
    h: H = None,
    r: R = None,
    nu: Nu = None,
    condition: Condition = "low-noise",
    items: Items = "3",
    plot: Plot = None,
    budget: Budget = BUDGET,
    stop_after: StopAfter = None,
    seed: Seed = 0,
    json: Json = False,
) -> int:
    """The calibration function H of a surrogate under a noise condition, and the risk bound it gives.

    H(eps) is the least excess surrogate risk of scores whose regret is eps or more (DMJ10 Eq. 3). It is exact
    for linear (quadratic r), regression and losses of the difference graph; others have proved bounds.

    Exit code 0: something is proved of H; 3: nothing.
    """
    seconds = budget_seconds(budget)
    if plot is not None:
        from consistency_lab.files import check_file
        from consistency_lab.report.canvas import picture_format

        picture_format(plot)
        check_file(plot)
    from consistency_lab.cli.question import graph_surrogate
    from consistency_lab.cli.streams import progress
    from consistency_lab.search.forward import LARGEST

    numbers = item_numbers(items, LARGEST)
    if len(numbers) > 1:
        raise InputError(
            f"--items is {items[:40]!r}; a calibration function has one number of items, such as 3"
        )
    asked = graph_surrogate(name, phi, form, h, r, nu, asked="calibration")
    from consistency_lab.decide.cases import illustrated_theorem
    from consistency_lab.measure.calibration import calibration as calibrate
    from consistency_lab.search.effort import Effort

    with progress() as report:
        effort = Effort(seconds=seconds, report=report, clock=clock_seconds(stop_after))
        found = calibrate(
            asked,
            condition,
            numbers[0],
            effort=effort,
            seed=seed,
            provenance={"citation": illustrated_theorem(asked)},
        )
    if plot is not None:
        from consistency_lab.report.calibration import calibration_plot

        calibration_plot(found).save(plot)
    if json:
        from consistency_lab.report.calibration import calibration_document

        picture = {} if plot is None else {"picture": str(plot)}
        say_json({**calibration_document(found), **picture})
    else:
        from consistency_lab.report.calibration import calibration_report

        say_report(calibration_report(found))
        if plot is not None:
            say(f"\nThe calibration function: {plot}")
    if effort.interrupted:
        warn("interrupted: this is what was proved by then")
    elif effort.stopped:
        warn(f"{effort.ending.removesuffix('; ')}: this is what was proved by then")
    if found.answered:
        return CONSISTENT
    return STOPPED if effort.stopped else UNDECIDED
