"""``consistency-lab atlas``: what is known of many surrogates, kept in a folder of cells."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, final

from consistency_lab.cli.codes import CONSISTENT, INTERRUPTED, UNDECIDED
from consistency_lab.cli.grammar import Command, argument, option
from consistency_lab.cli.question import refuse_without_target
from consistency_lab.cli.streams import say, say_json, say_report, told, warn
from consistency_lab.errors import InputError

if TYPE_CHECKING:
    from consistency_lab.atlas import Summary

FOLDER: Final = Path("atlas")


@final
class Atlas(Command):
    """Show an atlas that measure --surrogates has made: one row a surrogate, condition and number of items.

    Every witness in it is verified by the core first.
    """

    folder: Path = argument("The folder of the cells.", FOLDER, metavar="DIR")
    render: Path | None = option(
        "Also write a page with the table, and its heat map beside it.", metavar="FILE.md"
    )
    json: bool = option("Print one JSON document.", False)

    def run(self) -> int:
        """Show it, and write the page."""
        from consistency_lab.atlas.folder import entries
        from consistency_lab.report.atlas import (
            atlas_document,
            atlas_report,
            picture_of,
            write_page,
        )

        if self.render is not None:
            from consistency_lab.files import check_file

            check_file(picture_of(self.render))
            check_file(self.render)
        found = entries(self.folder)
        if self.render is not None:
            picture = write_page(found, self.folder, self.render)
            warn(f"written: {self.render} and {picture}")
        if self.json:
            say_json(atlas_document(found))
        else:
            say_report(atlas_report(found))
        return CONSISTENT


def make_atlas(
    surrogates: Sequence[str],
    conditions: Sequence[str],
    items: Sequence[int],
    folder: Path,
    *,
    parts: Sequence[str] = (),
    scheduler: str | None = None,
    jobs: int | None = None,
    budget: float,
    samples: int,
    seed: int = 0,
    json: bool = False,
) -> int:
    """Make the cells of an atlas that are not in its folder, and show it: what `measure` does with several.

    Parameters
    ----------
    surrogates, conditions, items
        The atlas is their product.
    folder
        Where the cells are kept.
    parts
        Some of ``smallest``, ``rate`` and ``worst``; all if there are none.
    scheduler, jobs
        A Dask scheduler, or how many processes of this machine.
    budget, samples, seed
        For each cell.
    json
        Whether to print JSON.

    Returns
    -------
    int
        The exit code: 0 if every cell is there, 3 if some could not be made, 130 after an interruption.
    """
    from consistency_lab.atlas import PARTS, run_atlas

    if not surrogates:
        raise InputError("an atlas needs surrogates; give some as in --surrogates hinge,logistic")
    for one in surrogates:
        refuse_without_target(one, asked="an atlas")
        if ":" in one:
            raise InputError(
                f"an atlas takes surrogates by name (list surrogates), and {one} is none; ask about a class "
                "of yours with one --condition and one number of --items"
            )
    with told() as report:
        summary = run_atlas(
            surrogates,
            conditions,
            items,
            folder,
            scheduler=scheduler,
            jobs=jobs,
            budget_per_cell=budget,
            samples=samples,
            seed=seed,
            parts=parts or PARTS,
            report=report,
            warn=warn,
        )
    _show(summary, folder, json)
    warn(
        f"{len(summary.made)} cells made, {len(summary.kept)} were there, {len(summary.missing)} are missing"
    )
    if summary.interrupted:
        warn("interrupted: what is finished is kept, and the same command goes on")
        return INTERRUPTED
    return UNDECIDED if summary.missing else CONSISTENT


def _show(summary: "Summary", folder: Path, json: bool) -> None:
    """The cells of this run that are there, which need not be all in the folder."""
    from consistency_lab.atlas import Store
    from consistency_lab.atlas.folder import entry, read_cell
    from consistency_lab.report.atlas import atlas_document, atlas_report

    store, missing = Store(folder), {*summary.missing}
    found = [entry(read_cell(store.path(cell))) for cell in summary.asked if cell not in missing]
    if json:
        say_json(
            {
                **atlas_document(found),
                "failed": [{**one.cell.parameters(), "reason": one.reason} for one in summary.failed],
                "missing": len(summary.missing),
                "interrupted": summary.interrupted,
            }
        )
    elif found:
        say_report(atlas_report(found))
        say(f"\nThe cells: {folder}")
