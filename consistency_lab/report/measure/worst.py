"""A worst case as text and JSON."""

from collections.abc import Iterator

from consistency_lab.measure.worst import WorstCase
from consistency_lab.report.answer import Files
from consistency_lab.report.measure.smallest import file_of
from consistency_lab.report.text import Line, number, paragraph
from consistency_lab.report.witness import saved, witness_block


def worst_report(found: WorstCase, files: Files) -> Iterator[Line]:
    """The bracket, where it is attained, the closed form, and the witness at the lower end."""
    what = (
        f"The worst normalized regret of {found.surrogate.name} with {found.m} items under {found.condition}"
    )
    yield from paragraph(f"{what} {_bracket(found)}.", indent=0, hanging=2)
    if found.witness is not None:
        how = "the witness shows it" if found.shown_strict else "as floats see it"
        yield from paragraph(f"Attained: {found.attained} ({how}).", indent=2, hanging=2)
    if found.closed_form is not None:
        form = found.closed_form
        sure = "proved" if form.proved else "conjectured"
        digits = "" if form.value == form.text else f" = {form.value}"
        yield from paragraph(f"Closed form, {sure}: {form.text}{digits}.", indent=2, hanging=2)
    if found.note:
        yield from paragraph(f"Note: {found.note}.", indent=2, hanging=2)
    if found.witness is not None:
        yield ""
        yield from witness_block("Near the worst case", found.witness)
        path = files.get(found.witness.digest)
        if path is not None:
            yield from saved(path)


def _bracket(found: WorstCase) -> str:
    if found.upper is None:
        proved = "nothing is proved of its upper end"
    elif found.upper == 0:
        return f"is 0 (proved; {found.boxes:,} boxes)"
    else:
        proved = f"{number(found.upper)} (proved; {found.boxes:,} boxes)"
    if found.witness is None:
        return f"is not known: {proved}" if found.upper is None else f"is at most {proved}"
    lower = f"{number(found.lower)} (a certified witness)"
    return f"is at least {lower}; {proved}" if found.upper is None else f"lies between {lower} and {proved}"


def worst_document(found: WorstCase, files: Files) -> dict[str, object]:
    """The same as a JSON document."""
    form = found.closed_form
    return {
        "lower": str(found.lower),
        "upper": None if found.upper is None else str(found.upper),
        "attained": found.attained,
        "strict": found.strict,
        "closed_form": None
        if form is None
        else {"text": form.text, "value": form.value, "proved": form.proved},
        "boxes": found.boxes,
        "finished": found.finished,
        "witness": file_of(found.witness, files),
        "note": found.note,
    }
