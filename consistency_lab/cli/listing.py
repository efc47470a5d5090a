"""``consistency-lab list``: what there is to ask about."""

from typing import final

from consistency_lab.cli.codes import CONSISTENT
from consistency_lab.cli.grammar import JSON, Command, argument, option
from consistency_lab.cli.streams import say, say_json, say_table


@final
class ListKnown(Command):
    """List surrogates, target losses, conditions, decoders, scalar losses, forms, theorems and libraries."""

    what: str | None = argument(
        "One of surrogates, task-surrogates, targets, conditions, label-conditions, decoders, phi, forms, "
        "theorems, libraries; all but the last without it.",
        None,
        metavar="TABLE",
    )
    library: str | None = option(
        "The losses that a library ships: xgboost, lightgbm, tf-ranking, rax or allrank.", metavar="NAME"
    )
    json: bool = JSON

    def run(self) -> int:
        """One table a kind."""
        from consistency_lab.report.listing import chosen_listings, listed_document, listing_table

        listings = chosen_listings(self.what, self.library)
        if self.json:
            say_json(listed_document(listings))
            return CONSISTENT
        for listing in listings:
            say(listing.title)
            say_table(listing_table(listing))
        return CONSISTENT
