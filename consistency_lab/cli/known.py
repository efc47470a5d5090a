"""``explain``, ``list`` and the schemas of all answers: what the platform knows, with what the apps add."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, final

from consistency_lab.cli.apps import APPS
from consistency_lab.cli.codes import CONSISTENT
from consistency_lab.cli.command import JSON, Command, argument, loaded, option
from consistency_lab.cli.streams import say, say_json, say_report, warn
from consistency_lab.errors import InputError
from consistency_lab.shown import Text

if TYPE_CHECKING:
    from consistency_lab.show.documents import Record
    from consistency_lab.show.text import Line


def _explained(word: str) -> "list[Line]":
    from consistency_lab.show.glossary import explained

    return explained(word, [loaded(place) for app in APPS.values() for place in app.explains])


def explain(word: str) -> Text:
    """What a word of the answers means, with an example.

    Parameters
    ----------
    word
        A term, a noise condition or a target.

    Examples
    --------
    >>> explain("low noise").startswith("low")
    True
    """
    from consistency_lab.model.checked import fitting
    from consistency_lab.show.text import rendered

    return Text("\n".join(rendered(_explained(fitting(word, "word", str)))))


@final
class Explain(Command):
    """Explain a word with an example of three items."""

    word: tuple[str, ...] = argument("The term, as in: explain low noise (all terms).", (), metavar="WORD")
    details: bool = option("Without a term: what each means.", False)

    def run(self) -> int:
        """One word of the glossary, or all."""
        from consistency_lab.show.glossary import glossary, terms

        say_report(_explained(" ".join(self.word)) if self.word else glossary() if self.details else terms())
        return CONSISTENT


@final
class ListKnown(Command):
    """List losses, targets, conditions, theorems, samples, ..."""

    what: str | None = argument(
        "One of surrogates, task-surrogates, targets, conditions, label-conditions, decoders, phi, forms, "
        "theorems, samples, libraries.",
        None,
        metavar="TABLE",
    )
    library: str | None = option(
        "List the losses that ship with xgboost, lightgbm, catboost, tf-ranking, rax, allrank or trl.",
        metavar="NAME",
    )
    details: bool = option("Also formulas, notes and sources.", False)
    map: bool = option("Show which convex loss is right under which preferences and comparisons.", False)
    plot: Path | None = option("With --map, also draw it into this file.", metavar="OUT.svg|png")
    json: bool = JSON

    def run(self) -> int:
        """One table a kind."""
        if self.map:
            return self._map()
        if self.plot is not None:
            raise InputError("--plot draws the map; add --map")
        from consistency_lab.show.listing import (
            chosen_listings,
            listed_document,
            listing_table,
            on_one_screen,
        )
        from consistency_lab.show.text import flush

        others = {name: loaded(place) for app in APPS.values() for name, place in app.lists.items()}
        listings = chosen_listings(self.what, self.library, others)
        if self.json:
            say_json(listed_document(listings))
            return CONSISTENT
        if not self.details:
            for line in on_one_screen(listings, self.what, self.library):
                say(line)
            return CONSISTENT
        for listing in listings:
            title, *more = listing.title.splitlines()
            say_report([*flush(title), *more, listing_table(listing)])
        return CONSISTENT

    def _map(self) -> int:
        from consistency_lab.cli.question import checked_picture
        from consistency_lab.show.frontier import map_lines, map_picture, map_records
        from consistency_lab.show.listing import LISTED

        if self.what is not None or self.library is not None:
            raise InputError(f"--map is a table of its own; leave out {self.what or '--library'}")
        checked_picture(self.plot)
        if self.plot is not None:
            map_picture().save(self.plot)
            warn(f"written: {self.plot}")
        if self.json:
            say_json({**LISTED([]), "map": map_records()})
        else:
            say_report(map_lines())
        return CONSISTENT


# --- The schema of every answer that is one JSON document ------------------------------------------------

_RECORDS: Final = (
    *("consistency_lab.show.answer.decision_document", "consistency_lab.show.answer.ON_GRAPHS"),
    *("consistency_lab.show.answer.ON_LABELS", "consistency_lab.show.lists.comparison_document"),
    "consistency_lab.show.decision.library_document",
    *("consistency_lab.show.construction.answer", "consistency_lab.show.construction.AGAIN"),
    *("consistency_lab.show.listing.LISTED", "consistency_lab.show.verification.VERIFIED"),
    *("consistency_lab.show.verification.SHOWN", "consistency_lab.show.advice.ADVICE"),
)
"""Those of the platform; two are of one format where preferences and labels have different keys."""


def published() -> dict[str, Any]:
    """What docs/schemas.json holds: a schema that every document fits, made of one for each format."""
    by_format: dict[str, list[dict[str, Any]]] = {}
    for place in (*_RECORDS, *(place for app in APPS.values() for place in app.records)):
        record: Record | str = loaded(place)
        if isinstance(record, str):  # a format whose keys a page of the documents describes
            only = {"properties": {"format": {"const": record}}, "required": ["format"]}
            by_format.setdefault(record, []).append(only)
        else:
            by_format.setdefault(record.format, []).append(record.schema)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The answers of consistency-lab with --json",
        "description": "Exact numbers are text, as in 6645/2; what rests on floats is a number.",
        "oneOf": [{"$ref": f"#/$defs/{name.replace('/', '~1')}"} for name in sorted(by_format)],
        "$defs": {
            name: schemas[0] if len(schemas) == 1 else {"anyOf": schemas}
            for name, schemas in sorted(by_format.items())
        },
    }
