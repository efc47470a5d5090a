"""What `list` shows: the tables of the project, with citations."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from textwrap import wrap
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from consistency_lab.data.text import SAMPLES
from consistency_lab.errors import InputError, did_you_mean
from consistency_lab.frozen import frozen
from consistency_lab.model.conditions import CONDITIONS, TASK_CONDITIONS, implying
from consistency_lab.model.surrogates import FORMS, Surrogate, surrogate, surrogate_names
from consistency_lab.model.surrogates.catalogue import answer_names
from consistency_lab.model.surrogates.own import plugins
from consistency_lab.model.surrogates.tasks.catalogue import TASK_SURROGATES
from consistency_lab.model.surrogates.tasks.decoders import DECODERS
from consistency_lab.model.surrogates.tasks.libraries import (
    PAIR_LIBRARIES,
    PairEntry,
    library_losses,
    library_names,
    pair_libraries,
)
from consistency_lab.model.surrogates.tasks.shipped import SHIPPED, LibraryLoss
from consistency_lab.model.tasks.catalogue import TARGETS
from consistency_lab.numbers.phi import NAMED, OF_ANSWERS
from consistency_lab.show.documents import Record
from consistency_lab.show.text import cells, columns, plain, table
from consistency_lab.shown import WIDTH

if TYPE_CHECKING:
    from rich.table import Table


# --- A table of what there is to ask about ---------------------------------------------------------------


@frozen
class Listing:
    """One table."""

    #: What a user types for it, and its heading.
    name: str
    title: str
    columns: tuple[str, ...]  #: Names of the columns.
    rows: tuple[tuple[str, ...], ...]  #: Texts, one a column.
    shown: int | None = None  #: How many columns a person sees; JSON has all. All if None.

    def records(self) -> list[dict[str, str]]:
        """The rows as JSON objects."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


# --- How the losses of libraries read in a table ---------------------------------------------------------

LIBRARIES_LIST: Final = "libraries"
"""What a user types for all of them."""

ListedLoss = LibraryLoss | PairEntry


_COLUMNS: Final[Mapping[str, Callable[[Any], str]]] = {
    "objective": attrgetter("objective"),
    "by default": lambda entry: SHIPPED[entry.shipped],
    "plain loss": lambda entry: "none" if entry.plain is None else entry.plain.formula,
    "loss here": lambda entry: entry.loss or "none",
    "note": attrgetter("note"),
    "name": attrgetter("name"),
    "formula": attrgetter("formula"),
    "labels": lambda entry: "0 and 1" if entry.binary else "grades",
    "defaults": lambda entry: ", ".join(f"{name} = {value}" for name, value in entry.defaults.items()),
    "citation": attrgetter("citation"),
}
"""What is said of a loss; a person sees it up to the note."""

_OF_LABELS: Final = ("by default", "plain loss", "labels")
_OF_PAIRS: Final = ("loss here",)


def library_listings(library: str | None = None) -> list[Listing]:
    """One table a library."""
    key = None if library is None else library.strip().lower()
    losses: list[ListedLoss] = [] if key in pair_libraries() else [*library_losses(library)]
    losses += [one for one in PAIR_LIBRARIES.values() if key in (None, one.release.library)]
    names = dict.fromkeys(one.release.library for one in losses)
    return [_listing(name, [one for one in losses if one.release.library == name]) for name in names]


def _listing(library: str, losses: Sequence[ListedLoss]) -> Listing:
    pairs = isinstance(losses[0], PairEntry)
    columns = [name for name in _COLUMNS if name not in (_OF_LABELS if pairs else _OF_PAIRS)]
    rows = tuple(tuple(_COLUMNS[name](one) for name in columns) for one in losses)
    of = f"{losses[0].release.text}{' for pairs of answers' if pairs else ''}"
    title = f"These are the losses of {of}; check them as {library}:OBJECTIVE."
    return Listing(library, title, tuple(columns), rows, shown=1 + columns.index("note"))


# --- Losses of pairs of answers on one screen ------------------------------------------------------------

CELLS: Final = (
    ("Bradley-", "Terry", "bradley-terry", "any"),
    ("net order,", "equal", "net-order", "balanced"),
    ("by popu-", "larity[1]", "strong-stochastic-transitivity", "product"),
    ("pairs without", "a cycle", "any", "forest"),
)
"""The two lines of a heading, with the noise condition and the design of the column."""

VERDICTS: Final[Mapping[str | None, str]] = MappingProxyType(
    {
        "dpo": "right right right right",
        "apo-down": "right* right* right* right*",
        "ipo": "wrong right right right",
        "simpo": "wrong wrong right right",
        "slic": "wrong wrong wrong right",
        **dict.fromkeys(("nca", "bco", "sppo", "sft", "cpo"), "wrong right wrong wrong"),
        "cpo-simpo": "wrong open wrong wrong",
        **dict.fromkeys(("exo", "discopop", "kto", "apo-zero"), "open open open open"),
        None: "- - - -",
    }
)
"""By the name of a loss here, the best first; a test recomputes them from theorems and stored examples."""

_LONGEST_NAMES: Final = 31
_MOST_ROWS: Final = 19
"""Rows of a table on one screen."""


def on_one_screen(listings: Sequence[Listing], name: str | None, library: str | None) -> Iterator[str]:
    """What a person sees first: what can be listed, the names of a table, or the verdicts of a library."""
    if library is not None and listings[0].name in pair_libraries():
        yield from pairs_screen(listings[0].name)
    elif len(listings) > 1:
        yield from _menu(listings, library=name == LIBRARIES_LIST)
    else:
        yield from _names(listings[0])


def _menu(listings: Sequence[Listing], *, library: bool) -> Iterator[str]:
    """How many there are of each, and what to type for them."""
    typed = "--library " if library else ""
    yield f"Type one of these, as in: consistency-lab list {typed}{listings[0].name}"
    yield ""
    # The first sentence of a title, without the words that all have.
    said = (one.title.partition(".\n")[0].rstrip(".") for one in listings)
    what = (text.removeprefix("These ").removeprefix("are the ") for text in said)
    rows = [(one.name, str(len(one.rows)), text) for one, text in zip(listings, what, strict=True)]
    if not library:
        count = sum(len(one.rows) for one in library_listings())
        rows.append((LIBRARIES_LIST, str(count), "losses that libraries ship"))
    yield from map(_cut, columns(rows, indent=1, right=[1]))
    yield ""
    more = [] if library else ["list --map (which loss is right where)", "list --library trl"]
    yield f" more: {'   '.join([*more, '--details'])}"


def _names(listing: Listing) -> Iterator[str]:
    """A line for each row, or where there are too many for a screen, the names alone, side by side."""
    yield from wrap(listing.title.partition("\n")[0], WIDTH)
    yield ""
    known = ("statement", "title", "votes")
    shown = next((listing.columns.index(name) for name in known if name in listing.columns), 1)
    lines = columns([(row[0], plain(row[shown])) for row in listing.rows], indent=1)
    if len(lines) > _MOST_ROWS:
        lines = _side_by_side([row[0] for row in listing.rows])
    yield from map(_cut, lines)
    yield ""
    yield " more: --details   --json"


def _side_by_side(names: Sequence[str]) -> list[str]:
    """Names in as many columns as fit, read downward; in a paragraph if those are too long."""
    for across in range(6, 1, -1):
        down = -(-len(names) // across)
        grid = [[*names[k::down], *[""] * across][:across] for k in range(down)]
        lines = columns(grid, indent=1)
        if down <= _MOST_ROWS and max(map(cells, lines)) <= WIDTH:
            return lines
    said = wrap(
        ", ".join(names), WIDTH - 1, break_on_hyphens=False, initial_indent=" ", subsequent_indent=" "
    )
    cut = said[:_MOST_ROWS]
    return [*cut[:-1], f"{cut[-1][: WIDTH - 2]}…"] if len(said) > _MOST_ROWS else cut


def _cut(line: str) -> str:
    """At most as wide as the page."""
    return line if cells(line) <= WIDTH else f"{line[: WIDTH - 2].rstrip()}…"


def pairs_screen(library: str) -> Iterator[str]:
    """Where each loss of a library of pairs is right, losses with equal verdicts on one row."""
    losses = [one for one in PAIR_LIBRARIES.values() if one.release.library == library]
    title = f"{library.upper()} {losses[0].release.version}"
    yield f"The losses of {title}: where each learns the right order, with endless data."
    yield ""
    rows = [["", *(cell[0] for cell in CELLS)], ["loss_type", *(cell[1] for cell in CELLS)]]
    for verdicts in dict.fromkeys(VERDICTS.values()):
        names = [one.objective + _OTHER.get(one.name, "") for one in losses if VERDICTS[one.loss] == verdicts]
        first, *more = wrap(", ".join(names), _LONGEST_NAMES) or [""]
        rows += [[first, *verdicts.split()], *([name, "", "", "", ""] for name in more)]
    yield from columns(rows, indent=1)
    yield from ("", *_PAIRS_NOTES, "", f" more: check {library}:NAME   --details (notes and sources)")


_OTHER: Final = {"trl:simpo": "[2]"}
_PAIRS_NOTES: Final = (
    " right: by a theorem, at the defaults (exo_pair: label_smoothing = 0.001)",
    "     *: the loss is not convex, so training may stop elsewhere",
    " wrong: an example is certified; open: neither is known; -: see --details",
    " [1] strongly transitive preferences, both answers drawn independently",
    " [2] TRL adds cpo_alpha = 1 times the likelihood; the paper's SimPO is alphapo",
)


# --- What `list` shows: the tables of the project, with citations ----------------------------------------

Cells = tuple[str, ...]


def _surrogates() -> Iterator[Cells]:
    for name in (*surrogate_names(), *answer_names()):
        yield _surrogate_row(name, surrogate(name), "")
    for name, known, package in plugins():
        yield (name, known, "", package) if isinstance(known, str) else _surrogate_row(name, known, package)


def _surrogate_row(name: str, known: Surrogate, package: str) -> Cells:
    parameters = ", ".join(f"{k} = {v}" for k, v in known.parameters())
    return name, known.formula, parameters, package or known.citation


def _task_surrogates() -> Iterator[Cells]:
    for line in TASK_SURROGATES.values():
        built = line.build()
        options = ", ".join(f"--{option.replace('_', '-')}" for option in line.options)
        yield line.name, built.formula, options, built.citation


def _targets() -> Iterator[Cells]:
    yield (
        "pairwise-disagreement",
        "sum over i<j of a_ij 1(alpha_i <= alpha_j) + sum over i>j of a_ij 1(alpha_i < alpha_j), "
        "tied items in falling order of their numbers",
        "",
        "DMJ10 Eq. 7, 8",
    )
    for t in TARGETS.values():
        yield t.name, t.formula, ", ".join(f"--{x}" for x in t.options), t.citation


def _inside() -> str:
    """Chains of conditions, each of which implies the next."""
    smallest = [name for name in CONDITIONS if implying(name) == (name,)]
    return "\n".join(f"  {' ⊂ '.join(chain)}" for name in smallest for chain in _chains(name))


def _chains(name: str) -> Iterator[tuple[str, ...]]:
    """Upward from a condition, each of the next larger ones in turn."""
    above = CONDITIONS[name].next_larger
    for larger in above:
        yield from ((name, *chain) for chain in _chains(larger))
    if not above:
        yield (name,)


STATED: Final = ("name", "title", "statement", "citation")
_IN_WORDS: Final = attrgetter("name", "title", "words", "citation")

LISTINGS: Final[Mapping[str, tuple[str, tuple[str, ...], Callable[[], Iterable[Cells]]]]] = MappingProxyType(
    {
        "surrogates": (
            "These are the surrogates of preference graphs.",
            ("name", "formula", "with", "citation"),
            _surrogates,
        ),
        "task-surrogates": (
            "These are the surrogates with --target, in scores u.",
            ("name", "formula", "options", "citation"),
            _task_surrogates,
        ),
        "targets": (
            "These are the target losses: the first applies without --target, the others with --target NAME.",
            ("name", "formula", "options", "citation"),
            _targets,
        ),
        "conditions": (
            f"These are the noise conditions on the aggregate a, with d_ij = a_ij - a_ji.\n{_inside()}",
            STATED,
            lambda: map(_IN_WORDS, CONDITIONS.values()),
        ),
        "label-conditions": (
            "These are further conditions with --target, on the distribution p of the labels.",
            STATED,
            lambda: (_IN_WORDS(c) for c in TASK_CONDITIONS.values() if c.name not in CONDITIONS),
        ),
        "decoders": (
            "These decoders turn scores into a prediction.",
            ("name", "prediction", "takes"),
            lambda: map(attrgetter("name", "title", "cost"), DECODERS.values()),
        ),
        "phi": (
            "These scalar losses phi(x) have names.",
            ("name", "phi(x)", "title", "also called", "citation"),
            lambda: (
                (f.name, f.text, f.title, ", ".join(f.aliases), f.citation)
                for f in (*NAMED.values(), *OF_ANSWERS.values())
            ),
        ),
        "forms": (
            "These losses are built from a scalar loss.",
            ("name", "formula", "called", "citation"),
            lambda: (
                (name, kind.family.formula, f"{kind.family.prefix}NAME", kind.family.citation)
                for name, kind in FORMS.items()
            ),
        ),
        "samples": (
            "These votes come with the package; type a name in place of a file, as in: audit burlington.toc.",
            ("name", "votes", "source"),
            lambda: ((name, *told) for name, told in SAMPLES.items()),
        ),
    }
)
"""By the name that a user types: heading, columns, and what makes the rows."""


def _built(name: str) -> Listing:
    title, columns, rows = LISTINGS[name]
    return Listing(name, title, columns, tuple(rows()))


LISTED: Final = Record(
    list,
    "",
    format="consistency-lab/list/1",
    may={
        "line1": str,
        **dict.fromkeys((*LISTINGS, "theorems", *library_names(), *pair_libraries()), list[dict[str, str]]),
        "map": list[dict[str, str | list[list[int]] | None]],
    },
)


def listed_document(listings: Sequence[Listing]) -> dict[str, object]:
    """The tables as one JSON document."""
    line1 = listings[0].title.partition("\n")[0] if len(listings) == 1 else "Each field is a list."
    return {**LISTED([]), "line1": line1, **{listing.name: listing.records() for listing in listings}}


_NO_OTHERS: Final[Mapping[str, Callable[[], Listing]]] = MappingProxyType({})


def chosen_listings(
    name: str | None, library: str | None = None, others: Mapping[str, Callable[[], Listing]] = _NO_OTHERS
) -> list[Listing]:
    """One table, or all with `others`, or the losses of a library."""
    if name == LIBRARIES_LIST or library is not None:
        if name not in (None, LIBRARIES_LIST, "surrogates"):
            raise InputError(f"--library applies to the list of surrogates, not to that of {name}")
        return library_listings(library)
    if name is None:
        return [*map(_built, LISTINGS), *(made() for made in others.values())]
    if name in others:
        return [others[name]()]
    if name in (*library_names(), *pair_libraries()):
        raise InputError(f"{name} is a library; its losses are in list --library {name}")
    if name not in LISTINGS:
        hint = did_you_mean(name, (*LISTINGS, *others, LIBRARIES_LIST), "the lists are")
        raise InputError(f"there is no list of {name!r}; {hint}")
    return [_built(name)]


def listing_table(listing: Listing) -> "Table":
    """As a Rich table."""
    heads = {
        column: {"no_wrap": number == 0, "overflow": "fold"}
        for number, column in enumerate(listing.columns[: listing.shown])
    }
    return table(heads, ([plain(cell) for cell in row[: listing.shown]] for row in listing.rows))
