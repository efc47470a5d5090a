"""``consistency-lab atlas``: what is known of many surrogates, kept in a folder of cells."""

from pathlib import Path
from typing import TYPE_CHECKING, Final, final

from consistency_lab.cli.codes import CONSISTENT
from consistency_lab.cli.grammar import JSON, Command, argument, option
from consistency_lab.cli.streams import say, say_json, say_report, warn

if TYPE_CHECKING:
    from consistency_lab.atlas import Summary

FOLDER: Final = Path("atlas")


@final
class Atlas(Command):
    """Show an atlas that measure --surrogates has made: one row per surrogate, condition and number of items.

    Every witness in it is verified by the core first.
    """

    folder: Path = argument("The folder of the cells.", FOLDER, metavar="DIR")
    render: Path | None = option(
        "Also write a page with the table, and its heat map beside it.", metavar="FILE.md"
    )
    json: bool = JSON

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


def say_cells(summary: "Summary", folder: Path, json: bool) -> None:
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
