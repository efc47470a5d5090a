"""``consistency-lab list``: what there is to ask about."""

from typing import Annotated

import typer

from consistency_lab.cli.exit_codes import CONSISTENT
from consistency_lab.cli.streams import say, say_json


def list_known(
    what: Annotated[
        str | None,
        typer.Argument(
            metavar="[surrogates|targets|conditions|phi|forms|theorems]",
            help="One of the tables; all without it.",
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> int:
    """List surrogates, target losses, noise conditions, scalar losses, forms and theorems, with citations."""
    from consistency_lab.report.catalogue import chosen_listings

    listings = chosen_listings(what)
    if json:
        say_json({listing.name: listing.records() for listing in listings})
        return CONSISTENT
    from consistency_lab.cli.tables import say_table
    from consistency_lab.report.catalogue import listing_table

    for listing in listings:
        say(listing.title)
        say_table(listing_table(listing))
    return CONSISTENT
