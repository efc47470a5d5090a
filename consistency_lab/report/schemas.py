"""The schema of every answer that is one JSON document, derived from the records that make them."""

from typing import Any, Final

from consistency_lab.documents import Record
from consistency_lab.report.advice import ADVICE
from consistency_lab.report.answer import ON_GRAPHS, ON_LABELS, decision_document
from consistency_lab.report.atlas import atlas_document
from consistency_lab.report.audit import DOCUMENT
from consistency_lab.report.calibration import calibration_document
from consistency_lab.report.construction import AGAIN, answer
from consistency_lab.report.experiments import EXPERIMENT
from consistency_lab.report.features import features_document
from consistency_lab.report.labels import lost_document
from consistency_lab.report.library import library_document
from consistency_lab.report.listing import LISTED
from consistency_lab.report.lists import comparison_document
from consistency_lab.report.measure import over_document, search_document
from consistency_lab.report.theorem_book import book_document
from consistency_lab.report.totals import AUDITS
from consistency_lab.report.verification import SHOWN, VERIFIED

RECORDS: Final[tuple[Record, ...]] = (
    *(decision_document, ON_GRAPHS, ON_LABELS, features_document),
    *(
        comparison_document,
        library_document,
        lost_document,
        search_document,
        over_document,
        calibration_document,
    ),
    *(DOCUMENT, AUDITS, answer, AGAIN, book_document, atlas_document, LISTED, VERIFIED, SHOWN, ADVICE),
)
"""Every kind of document; two are of one format where preferences and labels have different keys."""


def published() -> dict[str, Any]:
    """What docs/schemas.json holds: a schema that every document fits, made of one for each format."""
    by_format: dict[str, list[dict[str, Any]]] = {
        # Every single run of an experiment, whose keys docs/research.md describes.
        EXPERIMENT: [{"properties": {"format": {"const": EXPERIMENT}}, "required": ["format"]}]
    }
    for record in RECORDS:
        by_format.setdefault(record.format, []).append(record.schema)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The answers of consistency-lab with --json",
        "description": "Exact numbers are text, as in 6645/2; what rests on floats is a number.",
        "oneOf": [{"$ref": f"#/$defs/{name.replace('/', '~1')}"} for name in by_format],
        "$defs": {
            name: found[0] if len(found) == 1 else {"anyOf": found} for name, found in by_format.items()
        },
    }
