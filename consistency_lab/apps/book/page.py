"""Pages of the book: statements with their proofs as text, of which the marked lines are checked.

A page is Markdown, pages/NAME.md. What stands above its first statement is not read. Then:

    ## name: Title                  a statement; below it what it says, in LaTeX
    - words: In one sentence.       also `assume`, `source`, `scope`, `remark`, and `evidence` (stored files)
    - false: A variant. `call`      a false variant, and what refutes it
    ### A claim                     a step; with #### it only confirms what other steps prove
    *scope* — how                   for which m, h, φ; and how it was checked
        A line of the proof.        moved in by four, as all that follows
        ✓ a(b + c) = ab + ac        parsed and checked as it is shown (`ticked`)
            for a, b, c > 0         moved in further, "for" or a relation goes on with the line above
        ▸ call                      what a function finds comes here
    *as above*                      alone below a claim: what stands below the same claim further up

A field, or the line below a claim, may go on in the next lines, a field's moved in by two. A call is the name
of a function and words for it: `on_task hinge, ndcg` is on_task("hinge", "ndcg"). It stands in the companion,
statements/NAME.py, or for all pages where `SHARED` says. Behind ▸ it returns one or several of these: a truth
value, `Cases`, a `Line`, a line of text, and a mapping whose values replace its {keys} in the step's text.
"### ▸ call" stands for whole steps, which the function returns.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from inspect import signature
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple, final

from consistency_lab.apps.book.statement import (
    Cases,
    FalseVariant,
    Line,
    Refutation,
    Statement,
    Step,
    also,
    check,
    step,
)
from consistency_lab.apps.book.ticked import ticked
from consistency_lab.errors import InputError, did_you_mean

PAGES: Final = Path(__file__).parent / "pages"
COMPANIONS: Final = Path(__file__).parent / "statements"

SHARED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "by_core": "consistency_lab.apps.book.risk",
        "on_task": "consistency_lab.apps.book.rat13",
        "where_right": "consistency_lab.apps.book.risk",
    }
)
"""Functions that every page may call, and the module of each."""

_HEAD: Final = re.compile(r"^## ([a-z0-9.-]+): (.+)$", re.MULTILINE)
_ONE: Final = ("words", "source", "scope")
_MANY: Final = ("assume", "remark", "evidence", "false")
_FALSE: Final = re.compile(r"(.+) `([^`]+)`")
_TOLD: Final = re.compile(r"\*(.+)\* — (.+)")
_MORE: Final = re.compile(r" {4,}(?:for |[=<>≤≥] )")
_CALL: Final = "▸ "
_TICK: Final = "✓ "
_BLOCK: Final = " " * 4
_AGAIN: Final = "*as above*"

Shown = Line | Cases | str | bool | Mapping[str, str]
"""What a function behind ▸ finds: one of these, or several."""


def names(page: str, folder: Path = PAGES) -> Mapping[str, str]:
    """The title of each statement of a page, by its name; nothing if there is no such page."""
    path = folder / f"{page}.md"
    return dict(_HEAD.findall(path.read_text("utf-8"))) if path.is_file() else {}


@cache
def read(path: Path) -> Mapping[str, Statement]:
    """The statements of a page by name; what they call is looked up when they are checked.

    Raises
    ------
    InputError
        With file and line, if it is not written as this module says.
    """
    lines = [_Row(path, number, text) for number, text in enumerate(path.read_text("utf-8").split("\n"), 1)]
    found: dict[str, Statement] = {}
    told: dict[str, list[_Row]] = {}
    for head, body in _parts(lines, "## ")[1]:
        one = _statement(head, _told_again(body, told))
        if one.name in found:
            raise head.wrong(f"there are two statements {one.name!r}")
        found[one.name] = one
    return MappingProxyType(found)


@final
class _Row(NamedTuple):
    """A line of a page."""

    path: Path
    number: int
    text: str

    def wrong(self, why: str) -> InputError:
        return InputError(f"{self.path.parent.name}/{self.path.name}, line {self.number}: {why}")

    def call(self, text: str) -> Callable[[], Any]:
        """A call that stands in this line."""
        return lambda: self._called(text)

    def _called(self, text: str) -> Any:
        name, _, rest = text.strip().partition(" ")
        words = rest.split(", ") if rest else []
        own = _companion(self.path.stem)
        known = [key for key, value in own.items() if callable(value) and not key.startswith("_")]
        if name not in (*known, *SHARED):
            hint = did_you_mean(name, (*known, *SHARED), "there are", SHARED)
            raise self.wrong(
                f"there is no function {name!r} for it in statements/{self.path.stem}.py; {hint}"
            )
        function = own[name] if name in known else getattr(import_module(SHARED[name]), name)
        try:
            signature(function).bind(*words)
        except TypeError as error:
            raise self.wrong(f"{name} is called with {len(words)} words: {error}") from None
        return function(*words)


def _companion(page: str) -> Mapping[str, Any]:
    if not (COMPANIONS / f"{page}.py").is_file():
        return {}
    return vars(import_module(f"consistency_lab.apps.book.statements.{page}"))


Part = tuple[_Row, list[_Row]]


def _parts(rows: Sequence[_Row], *marks: str) -> tuple[list[_Row], list[Part]]:
    """The rows before the first that begins with a mark; then each that does, with those below it."""
    before: list[_Row] = []
    parts: list[Part] = []
    for row in rows:
        if row.text.startswith(marks):
            parts.append((row, []))
        else:
            (parts[-1][1] if parts else before).append(row)
    return before, parts


def _told_again(body: Sequence[_Row], told: dict[str, list[_Row]]) -> list[_Row]:
    """The rows of a statement, with what was told of a claim before where only that is said of it."""
    rows, steps = _parts(body, "### ", "#### ")
    for head, below in steps:
        if _joined(*(row.text for row in below)) != _AGAIN:
            told[head.text] = below
        elif head.text not in told:
            raise head.wrong("nothing is told of this claim further up on the page")
        rows += [head, *told[head.text]]
    return rows


def _joined(*texts: str) -> str:
    return " ".join(filter(None, map(str.strip, texts)))


# --- A statement -----------------------------------------------------------------------------------------


def _statement(head: _Row, body: Sequence[_Row]) -> Statement:
    match = _HEAD.fullmatch(head.text)
    if match is None:
        raise head.wrong('a statement begins with its name and its title, as in "## lemma-9: DMJ10 Lemma 9"')
    top, steps = _parts(body, "### ", "#### ")
    said, fields = _parts(top, "- ")
    latex = _joined(*(row.text for row in said))
    if not latex:
        raise head.wrong("nothing is stated below this line")
    found: dict[str, list[tuple[_Row, str]]] = {key: [] for key in (*_ONE, *_MANY)}
    for row, more in fields:
        key, _, text = row.text.removeprefix("- ").partition(": ")
        if key not in found:
            raise row.wrong(f"there is no field {key!r}; {did_you_mean(key, found, 'fields are')}")
        for other in more:
            if other.text and not other.text.startswith("  "):
                raise other.wrong("a field goes on in lines that are moved in by two")
        found[key].append((row, _joined(text, *(other.text for other in more))))
    for key in _ONE:
        if len(found[key]) != 1:
            raise head.wrong(f"it has {len(found[key])} fields {key!r}, and needs one")
    texts = {key: tuple(text for _, text in rows) for key, rows in found.items()}
    proof = [_step(*one) for one in steps]
    return Statement(
        latex=latex,
        plain=texts["words"][0],
        hypotheses=texts["assume"],
        citation=texts["source"][0],
        check=check(texts["scope"][0], lambda: [s for made in proof for s in made()], *texts["remark"]),
        variants=tuple(_variant(*one) for one in found["false"]),
        files=texts["evidence"],
        name=match[1],
        title=match[2],
        text="\n".join(row.text for row in (head, *body)).strip(),
    )


def _variant(row: _Row, text: str) -> FalseVariant:
    match = _FALSE.fullmatch(text)
    if match is None:
        raise row.wrong("behind a false variant stands what refutes it, such as `on_task hinge, ndcg`")
    call = row.call(match[2])

    def refute() -> Refutation:
        found: Refutation = call()
        return found

    return FalseVariant(match[1], refute)


# --- A step of its proof ---------------------------------------------------------------------------------


def _step(head: _Row, body: Sequence[_Row]) -> Callable[[], Iterator[Step]]:
    """What makes the steps under a heading."""
    marks, _, claim = head.text.partition(" ")
    confirms = marks == "####"
    first = next((at for at, row in enumerate(body) if row.text.startswith(_BLOCK)), len(body))
    told = _joined(*(row.text for row in body[:first]))
    block = [row for row in body[first:] if row.text]
    if claim.startswith(_CALL):
        if told or block:
            raise head.wrong("nothing stands below a heading with a call, which makes its steps")
        return lambda: _steps(head, claim.removeprefix(_CALL), confirms)
    match = _TOLD.fullmatch(told)
    if match is None:
        raise head.wrong('below a claim stands "*scope* — how", for which m, h, φ and how it was checked')
    for row in block:
        if not row.text.startswith(_BLOCK):
            raise row.wrong("a line of a proof is moved in by four")
    scope, how = match.groups()

    def made() -> Iterator[Step]:
        shown: list[Line | Cases | str | bool] = []
        filled: dict[str, str] = {}
        for one in _lines(block):
            if isinstance(one, Mapping):
                filled |= one
            else:
                shown.append(one)
        texts = [claim, scope, how, *(one for one in shown if isinstance(one, str))]
        if unused := [key for key in filled if not any(f"{{{key}}}" in text for text in texts)]:
            raise head.wrong(f"{{{unused[0]}}} stands nowhere in this step")
        put = [_put(one, filled) if isinstance(one, str) else one for one in shown]
        found = step(_put(claim, filled), _put(scope, filled), _put(how, filled), *put)
        yield also(found) if confirms else found

    return made


def _steps(head: _Row, call: str, confirms: bool) -> Iterator[Step]:
    for one in _all(head.call(call)()):
        if not isinstance(one, Step):
            raise head.wrong(f"the function returns a {type(one).__name__}, not steps")
        yield also(one) if confirms else one


def _put(text: str, filled: Mapping[str, str]) -> str:
    for key, value in filled.items():
        text = text.replace(f"{{{key}}}", value)
    return text


def _lines(block: Sequence[_Row]) -> Iterator[Shown]:
    """What the lines of a proof show, each tick after it is checked."""
    rows = [(row, row.text.removeprefix(_BLOCK)) for row in block]
    while rows:
        row, text = rows.pop(0)
        if text.startswith(_CALL):
            yield from _found(row, row.call(text.removeprefix(_CALL))())
        elif text.startswith(_TICK):
            line = text.removeprefix(_TICK)
            further = bool(rows) and _MORE.match(rows[0][1]) and _indent(rows[0][1]) > _indent(line)
            yield _ticked(row, line, rows.pop(0)[1] if further else "")
        else:
            yield text


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())


def _ticked(row: _Row, text: str, below: str) -> Line:
    try:
        return ticked(text, below)
    except ValueError as error:
        raise row.wrong(str(error)) from None


def _found(row: _Row, found: Any) -> Iterator[Shown]:
    for one in _all(found):
        if not isinstance(one, Line | Cases | str | bool | Mapping):
            raise row.wrong(f"a {type(one).__name__} is nothing that a proof shows")
        if isinstance(one, str) and one.lstrip().startswith(("✓", "✗")):
            raise row.wrong("a function gives a tick with a Line, not in a text")
        yield one


def _all(found: Any) -> Iterable[Any]:
    """What was found, one or several."""
    return found if isinstance(found, Iterable) and not isinstance(found, str | Mapping) else (found,)
