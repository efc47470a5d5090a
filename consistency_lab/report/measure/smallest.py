"""The smallest witnesses, and what was gone through to prove it, as text and JSON."""

from collections.abc import Iterator
from dataclasses import astuple

from consistency_lab.certify.witness import Witness
from consistency_lab.exact import integer_multiple
from consistency_lab.measure.smallest import Smallest
from consistency_lab.report.answer import Files
from consistency_lab.report.text import Line, columns, paragraph
from consistency_lab.report.witness import saved, witness_block

_HEAD = ("total", "aggregates", "suspect", "right", "tied", "wrong", "at infinity", "open")


def smallest_report(found: Smallest, files: Files) -> Iterator[Line]:
    """The answer in a sentence, the witnesses, and one row a total weight."""
    yield from paragraph(headline(found), indent=0, hanging=2)
    if found.total is not None:
        yield from paragraph(f"Total weight {found.total}: {found.note}.", indent=2, hanging=2)
    if found.witness is not None and found.witness is not found.strict:
        yield from paragraph(strict_sentence(found), indent=2, hanging=2)
    yield ""
    for title, witness in _witnesses(found):
        yield from witness_block(title, witness)
        path = files.get(witness.digest)
        if path is not None:
            yield from saved(path)
        yield ""
    if found.levels:
        yield "Aggregates by total weight, up to relabeling and multiples:"
        rows = [[f"{n:,}" for n in astuple(level)] for level in found.levels if level.aggregates]
        yield from columns([list(_HEAD), *rows], indent=2, right=range(len(_HEAD)))


def headline(found: Smallest) -> str:
    """The answer in a sentence."""
    if found.witness is None:
        return f"No smallest witness with {found.m} items: {found.note}."
    kind = "a tie" if found.witness.verified.failure == "tie" else "a strict inversion"
    sure = "The smallest witness" if found.proved else "The smallest witness found"
    return f"{sure} with {found.m} items under {found.condition}, by total weight, is {kind}."


def strict_sentence(found: Smallest) -> str:
    """What is known of strict inversions where the lightest witness is a tie."""
    if found.strict is None:
        most = found.levels[-1].total if found.levels else 0
        return f"No strict inversion of total weight up to {most} was found."
    sure = "smallest" if found.strict_proved else "smallest found"
    return f"The {sure} strict inversion has total weight {found.strict_total}."


def smallest_document(found: Smallest, files: Files) -> dict[str, object]:
    """The same as a JSON document."""
    return {
        "total": found.total,
        "proved": found.proved,
        "failure": None if found.witness is None else found.witness.verified.failure,
        "aggregate": _aggregate(found.witness),
        "witness": file_of(found.witness, files),
        "strict": {
            "total": found.strict_total,
            "proved": found.strict_proved,
            "aggregate": _aggregate(found.strict),
            "witness": file_of(found.strict, files),
        },
        "open": found.open,
        "note": found.note,
        "levels": [
            {
                "total": level.total,
                "aggregates": level.aggregates,
                "suspects": level.screened,
                "right": level.certified_right,
                "ties": level.ties,
                "wrong": level.wrong,
                "at_infinity": level.escapes,
                "open": level.open,
            }
            for level in found.levels
        ],
    }


def file_of(witness: Witness | None, files: Files) -> str | None:
    """Where a witness was saved."""
    path = None if witness is None else files.get(witness.digest)
    return None if path is None else str(path)


def _aggregate(witness: Witness | None) -> list[list[int]] | None:
    """The aggregate in its smallest whole numbers."""
    if witness is None:
        return None
    m = witness.distribution.m
    whole, _ = integer_multiple(x for row in witness.distribution.aggregate for x in row)
    return [whole[i * m : (i + 1) * m] for i in range(m)]


def _witnesses(found: Smallest) -> Iterator[tuple[str, Witness]]:
    if found.witness is not None:
        yield f"The smallest witness{'' if found.proved else ' found'}", found.witness
    if found.strict is not None and found.strict is not found.witness:
        yield f"The smallest strict inversion{'' if found.strict_proved else ' found'}", found.strict
