"""``consistency-lab list``: what there is to ask about."""

from typing import Annotated

from consistency_lab.cli.grammar import CONSISTENT, Argument, Option
from consistency_lab.cli.streams import say, say_json


def list_known(
    what: Annotated[
        str | None,
        Argument(
            metavar="TABLE",
            help="One of surrogates, task-surrogates, targets, conditions, label-conditions, decoders, phi, "
            "forms, theorems, libraries; all but the last without it.",
        ),
    ] = None,
    library: Annotated[
        str | None,
        Option(
            metavar="NAME",
            help="The losses that a library ships: xgboost, lightgbm, tf-ranking, rax or allrank.",
        ),
    ] = None,
    json: Annotated[bool, Option(help="Print one JSON document.")] = False,
) -> int:
    """List surrogates, target losses, conditions, decoders, scalar losses, forms, theorems and libraries."""
    from consistency_lab.report.listing import chosen_listings

    listings = chosen_listings(what, library)
    if json:
        say_json({listing.name: listing.records() for listing in listings})
        return CONSISTENT
    from consistency_lab.cli.streams import say_table
    from consistency_lab.report.listing import listing_table

    for listing in listings:
        say(listing.title)
        say_table(listing_table(listing))
    return CONSISTENT
