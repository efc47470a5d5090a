"""An atlas as rows, one a cell."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from consistency_lab.report.atlas.entries import Entry
from consistency_lab.report.atlas.words import (
    attained_words,
    failure_words,
    rate_words,
    smallest_words,
    worst_words,
)
from consistency_lab.report.text import Line, columns

COLUMNS: Final[Mapping[str, Callable[[Entry], str]]] = MappingProxyType(
    {
        "surrogate": lambda entry: entry.cell.surrogate,
        "condition": lambda entry: entry.cell.condition,
        "verdict": lambda entry: entry.verdict,
        "failure": failure_words,
        "smallest": smallest_words,
        "worst regret": worst_words,
        "worst case": attained_words,
        "rate": rate_words,
    }
)
"""What is said of a cell."""

_ON_A_TERMINAL: Final = ("surrogate", "condition", "verdict", "failure", "smallest", "worst regret", "rate")


def rows(found: Sequence[Entry]) -> Iterator[list[str]]:
    """The columns' names, then one row a cell."""
    yield list(COLUMNS)
    for entry in found:
        yield [words(entry) for words in COLUMNS.values()]


def markdown(found: Sequence[Entry]) -> Iterator[str]:
    """The rows as a table in Markdown."""
    head, *body = rows(found)
    yield f"| {' | '.join(head)} |"
    yield "| " + " | ".join("---" for _ in head) + " |"
    for row in body:
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"


def atlas_report(found: Sequence[Entry]) -> Iterator[Line]:
    """The rows as lines of text, the numbers of items apart."""
    for number, m in enumerate(sorted({entry.cell.m for entry in found})):
        if number:
            yield ""
        yield f"{m} items"
        chosen = [[COLUMNS[name](entry) for name in _ON_A_TERMINAL] for entry in found if entry.cell.m == m]
        yield from columns([list(_ON_A_TERMINAL), *chosen], indent=2)


def atlas_document(found: Sequence[Entry]) -> list[dict[str, object]]:
    """The cells as JSON, without the witnesses."""
    return [
        {
            **entry.cell.parameters(),
            "verdict": entry.verdict,
            "failure": entry.failure,
            "measured": {name: dict(part) for name, part in entry.parts.items()},
        }
        for entry in found
    ]
