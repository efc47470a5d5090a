"""What `measure` says first."""

from collections.abc import Iterator

from consistency_lab.model.surrogates import Surrogate
from consistency_lab.report.answer import surrogate_document
from consistency_lab.report.formula import formula
from consistency_lab.report.text import Line, paragraph


def search_heading(surrogate: Surrogate) -> Iterator[Line]:
    """The surrogate and its formula."""
    yield from paragraph(f"{surrogate.name}: {formula(surrogate)}", indent=0, hanging=2)


def search_document(surrogate: Surrogate, condition: str, m: int) -> dict[str, object]:
    """The question, as the head of a JSON document."""
    return {"surrogate": surrogate_document(surrogate), "condition": condition, "items": m}
