"""What `reproduce` runs and shows: a table of outcomes, proofs in readable mathematics, and JSON."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Final

from consistency_lab.apps.book.book import Examined, statement, statements
from consistency_lab.apps.book.formal import coq_lines
from consistency_lab.apps.book.statement import Finding, Formal, Kind, Outcome
from consistency_lab.decide.theorems.catalogue import theorems
from consistency_lab.errors import InputError
from consistency_lab.show.documents import Make, Record, as_json
from consistency_lab.show.frontier import labeled
from consistency_lab.show.glossary import spoken
from consistency_lab.show.listing import STATED, Listing
from consistency_lab.show.text import (
    Line,
    flush,
    inset,
    listed,
    paragraph,
    plain,
    rendered,
    short_citation,
    table,
)

if TYPE_CHECKING:
    from rich.table import Table


# --- What `reproduce` shows: a table of outcomes, proofs in readable mathematics, and JSON ---------------

STYLES: Final[Mapping[Outcome, str]] = MappingProxyType(
    {Outcome.HOLDS: "bold green", Outcome.REFUTED: "bold magenta", Outcome.OPEN: "bold yellow"}
)
UNEXPECTED: Final = "bold red"

_TITLE: Final = 22
_KIND: Final = 15
_SCOPE: Final = 15
"""Widths of columns: no name, no word of a kind, and no time is cut."""

_VERBS: Final[Mapping[Outcome, tuple[str, str]]] = MappingProxyType(
    {
        Outcome.HOLDS: ("holds", "hold"),
        Outcome.REFUTED: ("is refuted", "are refuted"),
        Outcome.OPEN: ("is open", "are open"),
    }
)


def chosen(names: Iterable[str]) -> list[str]:
    """The names of statements as the book has them, each once; the whole book if there are none."""
    return [found.name for found in statements(names)]


def verdict(examined: Examined) -> str:
    """The outcome, in capitals where it is not what the book claims."""
    if examined.checked is None:
        return f"ERROR (claimed: {examined.claimed})"
    outcome = examined.checked.outcome
    if outcome is not examined.claimed:
        return f"{outcome.upper()} (claimed: {examined.claimed})"
    return str(outcome)


def style(examined: Examined) -> str:
    """The color of a verdict."""
    if examined.checked is None or not examined.as_claimed:
        return UNEXPECTED
    return STYLES[examined.checked.outcome]


def outcomes_table(book: Iterable[Examined]) -> "Table":
    """One row a statement."""
    heads: dict[str, dict[str, Any]] = {
        "statement": {"min_width": _TITLE, "max_width": _TITLE},
        "verdict": {"overflow": "fold"},
        "evidence": {"min_width": _KIND, "max_width": _KIND},
        "scope": {"max_width": _SCOPE},
    }
    rows = (
        (
            f"{one.name}\n{one.title}",
            (verdict(one).replace(" (", "\n("), style(one)),
            one.checked.label if one.checked else "",
            one.checked.scope if one.checked else "",
        )
        for one in book
    )
    return table(heads, rows)


_MOST: Final = 14
"""Statements that are named on one screen."""


def screen(book: Sequence[Examined], asked: int) -> Iterator[Line]:
    """One statement in words with its evidence; of several how many hold, and what is not as claimed."""
    if asked == len(book) == 1:
        yield from _one(book[0])
        return
    yield from summary(book, asked)
    odd = [one for one in book if not one.as_claimed]
    few = book if len(book) <= _MOST else odd[:_MOST]
    yield from ("", *(one for line in few for one in paragraph(_row(line), 1, 2))) if few else ()
    if len(few) < len(odd):
        yield f" and {len(odd) - len(few)} more that are not as claimed: --details"
    yield ""
    yield from labeled("more:", "--details   reproduce NAME   list theorems")


def _row(one: Examined) -> str:
    said = f" ended in an error: {one.error}" if one.error else f": {_found(one)}"
    return one.name + said


def _one(one: Examined) -> Iterator[Line]:
    """The outcome and the statement, how that is known, and what is to be said of the printed text."""
    asked, checked = statement(one.name), one.checked
    if checked is None:
        yield from paragraph(f"{one.name} ended in an error: {one.error}", 0)
        return
    said = _VERBS[checked.outcome][0]
    odd = "" if one.as_claimed else f" (the book claims that it {_VERBS[one.claimed][0]})"
    yield from paragraph(f"{one.name} {said}{odd}: {asked.plain}", 0)
    files = ", ".join(dict.fromkeys(found.file for found in checked.formal))
    where = f" (formal/{files})" if files else ""
    how = "Proved in Coq" if checked.label == "formal" else f"Evidence: {checked.label}"
    yield from paragraph(f"{how}{where}; {checked.scope}. Source: {asked.citation}.", 0)
    yield from troubles([one])
    told = [*(f"Assuming: {plain(text)}" for text in asked.hypotheses), *checked.remarks]
    room = _ROOM - len([*rendered(paragraph(asked.plain, 0))])
    shown: list[Line] = []
    for text in told:
        more = paragraph(text, 1)
        if len([*rendered([*shown, "", *more])]) > room:
            shown += [" (more: --details)"]
            break
        shown += ["", *more]
    yield from (*shown, "")
    yield from labeled("more:", "--details   --explain   --formal")


_ROOM: Final = 14
"""Lines for what is said of a statement."""


def summary(book: Sequence[Examined], asked: int) -> Iterator[Line]:
    """How many hold, and which are not as claimed."""
    counts = Counter(one.checked.outcome for one in book if one.checked)
    parts = [f"{n} {_VERBS[outcome][n != 1]}" for outcome in Outcome if (n := counts[outcome])]
    odd = [one.name for one in book if not one.as_claimed]
    errors = sum(one.checked is None for one in book)
    if errors:
        parts.append(f"{errors} ended in an error")
    of = "" if len(book) == asked else f" of {asked}"
    unit = "statement" if asked == 1 else "statements"
    tally = f": {listed(parts)}" if parts else ""
    judged = f"not as claimed: {listed(odd)}" if odd else "every outcome is as the book claims"
    yield from paragraph(f"{len(book)}{of} {unit} checked{tally}{f'; {judged}' if book else ''}.", 0)
    kinds = Counter(one.checked.kind for one in book if one.checked)
    shown = [f"{n} {kind}" for kind in reversed(Kind) if (n := kinds[kind])]
    if partly := sum(bool(one.checked and one.checked.part) for one in book):
        shown.append(f"{partly} of these formal in part")
    if shown:
        yield from paragraph(f"By evidence: {', '.join(shown)}.", 0)


def troubles(book: Iterable[Examined]) -> Iterator[Line]:
    """The errors, and the false variants that were not refuted; each in one sentence."""
    for one in book:
        if one.error:
            yield from flush(f"{one.name} ended in an error: {one.error}")
        for text, refutation in one.variants:
            if not refutation.refuted:
                yield from flush(f"{one.name}: a false variant is not refuted ({text}): {refutation.witness}")


def remarks(book: Iterable[Examined]) -> Iterator[Line]:
    """Slips in the printed texts, and hypotheses that are missing or not needed; the names on the left."""
    found = {one.name: one.checked.remarks for one in book if one.checked and one.checked.remarks}
    if not found:
        return
    yield from ("", "Remarks")
    width = max(map(len, found))
    for name, texts in found.items():
        for number, text in enumerate(texts):
            # The blanks before later remarks must not be broken off as a line of their own.
            label = name.ljust(width) if number == 0 else ""
            indent = 2 if label else width + 4
            yield from paragraph(f"{label}  {text}" if label else text, indent, width + 4 - indent)


def formal(examined: Examined) -> Iterator[Line]:
    """What Coq proves of a statement: each theorem, its file, its axioms, what it says."""
    yield from _heading(examined)
    found = examined.checked
    if found is None or not found.formal:
        yield from ("  Coq proves nothing about it.", "")
        return
    yield from paragraph(statement(examined.name).plain, 2)
    for finding in found.findings:
        if finding.kind is Kind.FORMAL:
            yield from paragraph(f"{finding.claim}; {finding.how.partition(': ')[2]}.", 2)
    for one in found.formal:
        yield ""
        told = {"theorem": one.theorem, "file": f"formal/{one.file}", "axioms": ", ".join(one.axioms)}
        for label, text in told.items():
            yield from paragraph(f"{label.ljust(9)} {text}", 2, 10)
        yield from ("", *(f"  {line}" for line in coq_lines(one)[1:]))
    yield ""


def _heading(examined: Examined) -> Iterator[Line]:
    heading = f"{examined.name}: {examined.title}"
    yield from (heading, "─" * len(heading))


def explanation(examined: Examined) -> Iterator[Line]:
    """A statement, what was checked and how, and the proof as the machine found it."""
    asked = statement(examined.name)
    yield from _heading(examined)
    labelled = {
        "in words": [asked.plain],
        "in LaTeX": [asked.latex],
        "assuming": asked.hypotheses,
        "where": [f"{symbol}: {meaning}" for symbol, meaning in asked.symbols.items()],
        "source": [asked.citation],
        "verdict": [_found(examined)],
        "error": filter(None, [examined.error]),
        "evidence": asked.files,
    }
    for label, texts in labelled.items():
        for text in texts:
            yield from paragraph(f"{label.ljust(9)} {text}", 2, 10)
    if examined.checked is not None:
        for number, finding in enumerate(examined.checked.findings, start=1):
            yield from _finding(number, finding)
        yield from _bullets("Remarks", examined.checked.remarks)
    variants = [
        f"{text} {'Refuted' if refutation.refuted else 'NOT REFUTED'}: {refutation.witness}"
        for text, refutation in examined.variants
    ]
    yield from _bullets("False variants", variants)
    yield ""


def _found(examined: Examined) -> str:
    checked = examined.checked
    if checked is None:
        return verdict(examined)
    parts = (verdict(examined), checked.label, checked.scope)
    return "; ".join(filter(None, parts))


def _finding(number: int, finding: Finding) -> Iterator[Line]:
    yield ""
    yield from flush(f"{number}. {finding.claim}")
    yield from paragraph(f"[{finding.kind}; {finding.scope}] {finding.how}", 2)
    if finding.details:
        yield ""
        for line in finding.details:
            words = line.lstrip()
            yield from paragraph(words, 2 + len(line) - len(words), 4) if words else ("",)


def _bullets(title: str, texts: Sequence[str]) -> Iterator[Line]:
    if texts:
        yield from ("", title)
        for text in texts:
            yield from inset(f"- {text}")


def _in_book(key: str) -> Make:
    """What the book says of a statement."""
    return lambda examined: getattr(statement(examined.name), key)


_STATEMENT: Final = Record(
    Examined,
    "name title plain=. latex=. hypotheses=. symbols=. citation=. files=. claimed as_claimed error "
    "outcome=checked.outcome kind=checked.kind label=checked.label scope=checked.scope part=checked.part "
    "formal=checked findings=checked remarks=checked variants",
    plain=(str, _in_book("plain")),
    latex=(str, _in_book("latex")),
    hypotheses=(list[str], _in_book("hypotheses")),
    symbols=(dict[str, str], _in_book("symbols")),
    citation=(str, _in_book("citation")),
    files=(list[str], _in_book("files")),
    error=(str | None, lambda error: error or None),
    formal=(list[Formal], lambda checked: [] if checked is None else checked.formal),
    findings=(list[Finding], lambda checked: [] if checked is None else checked.findings),
    remarks=(list[str], lambda checked: [] if checked is None else checked.remarks),
    variants=(
        list[dict[str, bool | str]],
        lambda variants: [{"statement": said, **as_json(found)} for said, found in variants],
    ),
)
book_document: Final = Record(
    list,
    "as_claimed=. interrupted=. statements=.",
    format="consistency-lab/reproduce/2",
    as_claimed=(bool, lambda book, asked: len(book) == asked and all(one.as_claimed for one in book)),
    interrupted=(bool, lambda book, asked: len(book) < asked),
    statements=(list[Annotated[Any, _STATEMENT]], _STATEMENT),
)
"""The answer as one JSON document (docs/cli.md), with how many were asked for."""


# --- What the book adds to `list` and `explain` ----------------------------------------------------------


def listing() -> Listing:
    """The table of statements."""
    title = "These are the statements of the theorem book; reproduce checks them."
    rows = tuple((s.name, s.title, s.plain, s.citation) for s in statements())
    return Listing("theorems", title, STATED, rows)


def explained(word: str) -> list[Line]:
    """The statement of this name, or the one whose proof a theorem cited so has; nothing if there is none."""
    cited = {spoken(short_citation(one.citation)): one.statement for one in theorems()}
    try:
        proved = statement(cited.get(spoken(word), word))
    except InputError:
        return []
    return [*flush(f"{proved.title}: {proved.plain}"), "", f" more: reproduce --explain {proved.name}"]
