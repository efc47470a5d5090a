"""Plain text that fits a page: wrapping, aligned columns, decimals, names of scores."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from itertools import zip_longest
from textwrap import wrap
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final
from unicodedata import combining, east_asian_width

from consistency_lab.frozen import frozen
from consistency_lab.numbers.exact import LogRational, working_precision
from consistency_lab.shown import HEIGHT, WIDTH

if TYPE_CHECKING:
    from rich.table import Table

_PLAIN: Final = re.compile(r"\w+")
_GROUP: Final = re.compile(r"(?:\\(?:text|mathbf|mathrm|operatorname))?(?<!\\)\{([^{}\\]*)\}")
_COMMAND: Final = re.compile(r"\\([a-zA-Z]+|[^a-zA-Z])")
_SYMBOLS: Final = (
    "ge ≥ le ≤ ne ≠ to → mid | cdot · infty ∞ langle < rangle > top T ell l ldots ... dots ... subset inside "
    "prod product alpha α beta β gamma γ theta θ nu ν pi π varphi φ phi φ psi ψ "
    "implies implies sum sum in in inf inf arg arg min min max max log log exp exp"
)
_COMMANDS: Final[Mapping[str, str]] = MappingProxyType(
    dict(zip(_SYMBOLS.split()[::2], _SYMBOLS.split()[1::2], strict=True))
    | {"quad": " ", "forall": "for all", "iff": "if and only if"}
    | {",": "", " ": " ", "(": "", ")": "", "{": "{", "}": "}"}
)
_LONGEST_EXACT: Final = 24
_LONGEST_IN_ROW: Final = 12
_LONGEST_HEAD: Final = 20
_NARROWEST: Final = 20
_BITS: Final = 128
_TIGHT: Final = "\N{NO-BREAK SPACE}"


@frozen
class Paragraph:
    """A sentence or more, broken into lines when the width of the page is known."""

    text: str  #: Without line ends.
    indent: int  #: Spaces before the first line.
    hanging: int  #: Further spaces before the later ones.

    def lines(self, width: int) -> list[str]:
        """The lines, of at most `width` characters unless a single word is longer."""
        broken = wrap(
            self.text.replace(" = ", tight(" = ")).replace("Eq. ", tight("Eq. ")),
            width,
            initial_indent=" " * self.indent,
            subsequent_indent=" " * (self.indent + self.hanging),
            break_long_words=False,
            break_on_hyphens=False,
        )
        return [line.replace(_TIGHT, " ") for line in broken]


@frozen
class Blocks:
    """Rows of cells under a head, in as many blocks of columns as the page needs."""

    rows: tuple[tuple[str, ...], ...]  #: The head first.
    indent: int  #: Spaces before each line.
    keys: int = 1  #: So many cells of each row stand in every block.
    numbers: bool = True  #: Whether the others are flush right.

    def lines(self, width: int) -> list[str]:
        """The lines, of at most `width` columns unless one column is wider; free lines between blocks."""
        every = list(zip(*self.rows, strict=True))
        names, rest = every[: self.keys], every[self.keys :]
        widths = [max(map(cells, column)) for column in rest]
        room = width - self.indent + 2 - sum(max(map(cells, column)) + 2 for column in names)
        blocks: list[list[tuple[str, ...]]] = []
        left = 0
        for column, wide in zip(rest, widths, strict=True):
            if not blocks or left < wide + 2:
                blocks.append([])
                left = room
            blocks[-1].append(column)
            left -= wide + 2
        lines: list[str] = []
        for block in blocks:
            right = range(self.keys, self.keys + len(block)) if self.numbers else ()
            table = columns([*zip(*names, *block, strict=True)], self.indent, right)
            lines += ["", *table] if lines else table
        return lines


@frozen
class Grid:
    """Rows of cells as aligned lines; words in the last column are broken where the page ends."""

    rows: tuple[tuple[str, ...], ...]  #: The first one may be a head.
    indent: int  #: Spaces before each line.
    right: tuple[int, ...]  #: The columns that are flush right.
    head: bool  #: Whether the first row is a head.

    def lines(self, width: int) -> list[str]:
        """A line a row, and further ones where its last cell is long."""
        *before, last = zip(*self.rows, strict=True)
        room = width - self.indent - sum(max(map(cells, column)) + 2 for column in before)
        if max(map(cells, last)) <= max(room, _NARROWEST) or len(before) in self.right:
            return columns(self.rows, self.indent, self.right)
        rows: list[tuple[str, ...]] = []
        for row in self.rows:
            parts = wrap(row[-1], max(room, _NARROWEST), break_long_words=False, break_on_hyphens=False)
            rows += [(*row[:-1], *parts[:1])] if parts else [row]
            rows += [(*[""] * len(before), part) for part in parts[1:]]
        return columns(rows, self.indent, self.right)


@frozen
class Heading:
    """The title of a report, or of one of its sections."""

    text: str  #: With its number.
    level: int  #: 0 for the title.

    def lines(self, _: int) -> list[str]:
        """The text after a free line, at the top without one."""
        return ["", self.text] if self.level else [self.text]


Line = str | Paragraph | Blocks | Grid | Heading
"""What a report is made of: lines that stay as they are, and what is broken to the width of the page."""


def tabular(
    rows: Iterable[Sequence[str]], indent: int = 3, right: Iterable[int] = (), head: bool = True
) -> list[Line]:
    """A report of one table; of none if it has no rows."""
    grid = Grid(tuple(map(tuple, rows)), indent, tuple(right), head)
    return [grid] if grid.rows else []


def paragraph(text: str, indent: int = 3, hanging: int = 0) -> list[Line]:
    """A report of one paragraph."""
    return [Paragraph(text, indent, hanging)]


def flush(text: str) -> list[Line]:
    """A paragraph that begins at the margin; its later lines are moved in."""
    return paragraph(text, 0, 2)


def inset(text: str) -> list[Line]:
    """A paragraph under such a one."""
    return paragraph(text, 2, 2)


def fitted(pages: Iterable[Sequence[Line]]) -> Sequence[Line]:
    """The first of these pages that fits a screen, else the last; each says less than the one before."""
    page: Sequence[Line] = ()
    for page in pages:
        if len([*rendered(page)]) <= HEIGHT:
            break
    return page


def rendered(report: Iterable[Line], width: int = WIDTH) -> Iterator[str]:
    """The lines of a report on a page of the given width, of which paragraphs take at most `WIDTH`."""
    for line in report:
        if isinstance(line, Paragraph):
            yield from line.lines(min(width, WIDTH))
        elif isinstance(line, str):
            yield line
        else:
            yield from line.lines(width)


# --- Formulas between backticks, for reports that are typeset too -----------------------------------------
# Characters of private use stand for a backtick of a name, and around it; no name holds them (`isprintable`).

QUOTES: Final = "\ue000\ue001"
"""What stands around a name within a formula."""
_TICK: Final = "\ue002"
_FREE: Final = {**dict.fromkeys(map(ord, QUOTES)), ord(_TICK): "`"}


def guarded(name: str) -> str:
    """A name whose backticks begin no formula."""
    return name.replace("`", _TICK)


def quoted(name: str) -> str:
    """A name within a formula."""
    return f"{QUOTES[0]}{guarded(name)}{QUOTES[1]}"


def free(text: str) -> str:
    """The text with its names as they are."""
    return text.translate(_FREE)


def ticked(text: str) -> str:
    """A number as a formula, unless it consists of digits alone."""
    return text if re.fullmatch(r"[\d.]*", text) else f"`{text}`"


def unticked(report: Iterable[Line]) -> Iterator[Line]:
    """The report as plain text shows it: without the backticks of its formulas, the names as they are."""
    for line in report:
        if isinstance(line, str):
            yield _bare(line)
        elif isinstance(line, Paragraph | Heading):
            yield replace(line, text=_bare(line.text))
        else:
            yield replace(line, rows=tuple(tuple(map(_bare, row)) for row in line.rows))


def _bare(text: str) -> str:
    return free(text.replace("`", ""))


def tight(text: str) -> str:
    """The text with spaces at which `paragraph` does not break a line."""
    return text.replace(" ", _TIGHT)


def cells(text: str) -> int:
    """How many columns of a terminal a text takes."""
    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def cut(name: str, longest: int = 60) -> str:
    """A name that fits beside a picture."""
    return name if len(name) <= longest else f"{name[: longest - 1].rstrip()}…"


def columns(rows: Sequence[Sequence[str]], indent: int = 3, right: Iterable[int] = ()) -> list[str]:
    """Rows of cells as aligned lines; the columns numbered in `right` are flush right."""
    flush = set(right)
    widths = [max(map(cells, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        padded = []
        for number, (cell, width) in enumerate(zip(row, widths, strict=True)):
            space = " " * (width - cells(cell))
            padded.append(space + cell if number in flush else cell + space)
        lines.append((" " * indent + "  ".join(padded)).rstrip().replace(_TIGHT, " "))
    return lines


def beside(table: Sequence[str], text: str) -> list[str]:
    """A text at the right of a table."""
    across = max(map(cells, table)) + 3
    lines = (line + " " * (across - cells(line)) for line in table)
    rows = zip_longest(lines, wrap(text, WIDTH - across))
    return [((line or " " * across) + (part or "")).rstrip() for line, part in rows]


def short_citation(citation: str) -> str:
    """The short name of a theorem."""
    ours = re.fullmatch(r"ours \([^,]*, (.*)\)", citation)
    return ours[1] if ours else re.sub(r" \([^()]*\)$", "", citation)


def table(heads: Mapping[str, Mapping[str, Any]], rows: Iterable[Sequence[str | tuple[str, str]]]) -> "Table":
    """A table for a terminal: columns with their options of Rich; a cell is a text, or one with its style."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    drawn = Table(box=SIMPLE_HEAD, pad_edge=False)
    for head, options in heads.items():
        # A name must be whole, since a person types it.
        drawn.add_column(head, **{"overflow": "ellipsis" if "no_wrap" in options else "fold"} | dict(options))
    for row in rows:
        drawn.add_row(*(Text(cell) if isinstance(cell, str) else Text(*cell) for cell in row))
    return drawn


def decimal(value: Fraction | LogRational | float, digits: int = 6) -> str:
    """A decimal with `digits` digits behind the point, correctly rounded; never "-0"."""
    if isinstance(value, LogRational):
        with working_precision(_BITS):
            value = Fraction(value.ball().mid().str(40, radius=False))
    exact = Fraction(value)
    whole = len(str(abs(exact.numerator) // exact.denominator))
    context = Context(prec=digits + whole + 60, rounding=ROUND_HALF_EVEN)
    quotient = context.divide(Decimal(exact.numerator), Decimal(exact.denominator))
    rounded = quotient.quantize(Decimal(1).scaleb(-digits), context=context)
    return str(abs(rounded) if rounded == 0 else rounded)


def outward(value: Fraction, digits: int, direction: Callable[[Fraction], int]) -> str:
    """A decimal rounded by `floor` or `ceil`, so that the text is still a bound."""
    return decimal(Fraction(direction(value * 10**digits), 10**digits), digits)


def number(value: Fraction) -> str:
    """A rational, followed by a decimal where that helps; a long one as a decimal only."""
    text = str(value)
    if value.denominator == 1 and len(text) <= _LONGEST_EXACT:
        return text
    return f"{text} {as_decimal(value)}" if len(text) <= _LONGEST_EXACT else as_decimal(value)


def as_decimal(value: Fraction | LogRational) -> str:
    """The decimal behind "=" if it is exact, and else behind "≈"."""
    text = decimal(value)
    exact = value.as_rational() if isinstance(value, LogRational) else value
    return f"= {text.rstrip('0').rstrip('.')}" if exact == Fraction(text) else f"≈ {text}"


def short(value: Fraction | LogRational, longest: int = _LONGEST_EXACT) -> str:
    """The exact number if its text is short, and else a decimal marked as one."""
    text = str(value)
    return text if len(text) <= longest else f"≈{decimal(value)}"


def compact(value: Fraction | LogRational) -> str:
    """The same for a table, where it is one of many in a row."""
    return short(value, _LONGEST_IN_ROW)


def score_rows(names: Iterable[str], scores: Iterable[LogRational]) -> list[Line]:
    """Scores by their names in formulas, one a line, with a decimal unless whole."""
    ends = ((x, "" if x.q == 1 and x.a.denominator == 1 else f"`{as_decimal(x)}`") for x in scores)
    rows = ([f"`{name}`", "`=`", ticked(str(x)), end] for name, (x, end) in zip(names, ends, strict=True))
    return tabular(rows, indent=5, head=False)


def score(name: str) -> str:
    """How a formula writes the score of an item."""
    return f"α_{quoted(name)}" if _PLAIN.fullmatch(name) else f"α[{quoted(name)}]"


def matrix(entries: Sequence[Sequence[Fraction]], names: Sequence[str], indent: int = 3) -> Blocks:
    """A matrix with the names on its sides; what is wider than the page continues below."""
    return Blocks(tuple(map(tuple, with_names(entries, names))), indent)


def with_names(entries: Sequence[Sequence[Fraction]], names: Sequence[str]) -> list[list[str]]:
    """Its rows under a head, of numbers where names would make columns wide; the diagonal is a point."""
    heads = names
    if max(map(cells, names)) > _LONGEST_HEAD:
        heads = [str(k) for k in range(1, len(names) + 1)]
        names = [f"{k:>{len(heads[-1])}} {name}" for k, name in zip(heads, names, strict=True)]
    body = [
        [name, *("." if i == j else short(x) for j, x in enumerate(row))]
        for i, (name, row) in enumerate(zip(names, entries, strict=True))
    ]
    return [["", *heads], *body]


def chain(names: Sequence[str], order: Iterable[int]) -> str:
    """An order, best item first."""
    return " > ".join(names[i] for i in order)


def combination(parts: Iterable[tuple[Fraction, str]]) -> str:
    """A sum of multiples in words."""
    text = ""
    for factor, what in parts:
        if not factor:
            continue
        size = what if abs(factor) == 1 else f"{short(abs(factor))}·{what}"
        if text:
            text += f" {'-' if factor < 0 else '+'} {size}"
        else:
            text = f"-{size}" if factor < 0 else size
    return text or "0"


def plain(latex: str) -> str:
    """The few LaTeX commands that statements here use, as plain text."""
    text = _GROUP.sub(lambda match: match[1], latex)
    return " ".join(_COMMAND.sub(lambda match: _COMMANDS.get(match[1], match[0]), text).split())


def listed(words: Sequence[str], last: str = "and") -> str:
    """Words as a list in a sentence."""
    return " ".join([*([", ".join(words[:-1]), last] if len(words) > 1 else []), *words[-1:]])


_POWER: Final = re.compile(r"exp\((-?\w+(?:\*\w+)*?|\([^()]*\)(?:/\d+)?)\*log\((\d+(?:/\d+)?)\)\)")
_BINARY_LOGARITHM: Final = re.compile(r"log\(([^()]*)\)/log\(2\)")
_ATOM: Final = re.compile(r"\w+")


def typed(expression: str) -> str:
    """The canonical text of a formula with powers and binary logarithms as they are typed."""
    powers = _POWER.sub(
        lambda match: f"{match[2]}**{match[1] if _ATOM.fullmatch(match[1]) else f'({match[1]})'}", expression
    )
    return _BINARY_LOGARITHM.sub(r"log2(\1)", powers)
