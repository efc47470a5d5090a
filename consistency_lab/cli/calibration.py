"""``consistency-lab calibration``: how much excess surrogate risk a regret must cost."""

from pathlib import Path
from typing import final

from consistency_lab.cli.arguments import item_numbers
from consistency_lab.cli.codes import CONSISTENT, STOPPED, UNDECIDED
from consistency_lab.cli.grammar import option
from consistency_lab.cli.question import GraphSurrogate, Search, counted
from consistency_lab.cli.streams import say, say_json, say_report, warn
from consistency_lab.errors import InputError


@final
class Calibration(Search, GraphSurrogate):
    """The calibration function H of a surrogate under a noise condition, and the risk bound it gives.

    H(eps) is the least excess surrogate risk of scores whose regret is eps or more (DMJ10 Eq. 3). It is exact
    for linear (quadratic r), regression and losses of the difference graph; others have proved bounds.

    Exit code 0: something is proved of H; 3: nothing.
    """

    condition: str = option(
        "A noise condition (see list conditions).", "low-noise", metavar="NAME", tables=("conditions",)
    )
    items: str = option("The number of items.", "3", metavar="M")
    plot: Path | None = option("Also draw H and the risk bound into this file.", metavar="OUT.svg|png")
    budget: float = counted(60.0)

    def run(self) -> int:
        """Prove what can be proved in the budget."""
        if self.plot is not None:
            from consistency_lab.files import check_file
            from consistency_lab.report.canvas import picture_format

            picture_format(self.plot)
            check_file(self.plot)
        numbers = item_numbers("--items", self.items)
        if len(numbers) > 1:
            raise InputError(
                f"--items is {self.items[:40]!r}; a calibration function has one number of items, such as 3"
            )
        surrogate = self.surrogate("calibration")
        from consistency_lab.decide.cases import illustrated_theorem
        from consistency_lab.measure.calibration import calibration

        with self.effort() as effort:
            found = calibration(
                surrogate,
                self.condition,
                numbers[0],
                effort=effort,
                seed=self.seed,
                provenance={"citation": illustrated_theorem(surrogate)},
            )
        if self.plot is not None:
            from consistency_lab.report.calibration import calibration_plot

            calibration_plot(found).save(self.plot)
        if self.json:
            from consistency_lab.report.calibration import calibration_document

            picture = {} if self.plot is None else {"picture": str(self.plot)}
            say_json({**calibration_document(found), **picture})
        else:
            from consistency_lab.report.calibration import calibration_report

            say_report(calibration_report(found))
            if self.plot is not None:
                say(f"\nThe calibration function: {self.plot}")
        if effort.interrupted:
            warn("interrupted: this is what was proved by then")
        elif effort.stopped:
            warn(f"{effort.ending.removesuffix('; ')}: this is what was proved by then")
        if found.answered:
            return CONSISTENT
        return STOPPED if effort.stopped else UNDECIDED
