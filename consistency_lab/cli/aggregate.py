"""``consistency-lab aggregate``: raw judgments in, one label for each item of each query out."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

from consistency_lab.cli.arguments import one_of
from consistency_lab.cli.grammar import CONSISTENT, Argument, Option
from consistency_lab.cli.streams import need_stdout, say, warn
from consistency_lab.errors import InputError
from consistency_lab.frozen import frozen

if TYPE_CHECKING:
    from consistency_lab.aggregate.judgments import ClickCounts, Judgments
    from consistency_lab.aggregate.labels import Labels
    from consistency_lab.aggregate.structures import Structure

_KINDS: Final = {
    "pairs": ("winner", "loser", "a", "b", "count"),
    "grades": ("grade",),
    "clicks": ("session", "position", "clicked"),
}
"""The columns that tables of one kind alone have."""

_PAIRS: Final = "Columns of pairwise judgments"
_GRADES: Final = "Columns of grades"
_CLICKS: Final = "Columns of clicks"
_TRAINING: Final = "Training files"


def aggregate(
    judgments: Annotated[
        str, Argument(metavar="JUDGMENTS", help="CSV, JSON lines or Parquet; - for standard input.")
    ],
    structure: Annotated[
        str, Option(metavar="NAME", help="What is made of the judgments of a query, as borda.")
    ] = "btl-log-odds",
    smoothing: Annotated[
        float | None, Option(metavar="C", help="Smoothing c of log odds and ratios (1 if not given).")
    ] = None,
    of: Annotated[
        str | None, Option(metavar="NAME", help="The matrix that thurstone-mosteller and borda start from.")
    ] = None,
    query: Annotated[str | None, Option(metavar="COLUMN", help="The query; without it there is one.")] = None,
    item: Annotated[
        str | None, Option(metavar="COLUMN", help="What is graded or shown: with --grade or --clicked.")
    ] = None,
    judge: Annotated[
        str | None,
        Option(metavar="COLUMN", help="Who judges; all that a judge says of a query is one label."),
    ] = None,
    winner: Annotated[
        str | None, Option(metavar="COLUMN", help="Who won; or which of --a and --b did.", panel=_PAIRS)
    ] = None,
    loser: Annotated[str | None, Option(metavar="COLUMN", help="Who lost.", panel=_PAIRS)] = None,
    a: Annotated[
        str | None, Option(metavar="COLUMN", help="The first of two that are compared.", panel=_PAIRS)
    ] = None,
    b: Annotated[str | None, Option(metavar="COLUMN", help="The second one.", panel=_PAIRS)] = None,
    count: Annotated[str | None, Option(metavar="COLUMN", help="How often (once).", panel=_PAIRS)] = None,
    ties: Annotated[
        str, Option(metavar="half|drop|both", help="What a tie counts for each of the two.", panel=_PAIRS)
    ] = "half",
    grade: Annotated[str | None, Option(metavar="COLUMN", help="The grade, a number.", panel=_GRADES)] = None,
    session: Annotated[
        str | None, Option(metavar="COLUMN", help="One list that was shown to somebody.", panel=_CLICKS)
    ] = None,
    position: Annotated[
        str | None, Option(metavar="COLUMN", help="The item's place in it, a number.", panel=_CLICKS)
    ] = None,
    clicked: Annotated[
        str | None, Option(metavar="COLUMN", help="1 if it was clicked, 0 if not.", panel=_CLICKS)
    ] = None,
    bad_rows: Annotated[
        str, Option(metavar="report|fail", help="What becomes of rows that cannot be read.")
    ] = "report",
    out: Annotated[
        Path | None, Option(metavar="FILE", help="Where the labels go; stdout if not given.")
    ] = None,
    grades: Annotated[
        int | None, Option(metavar="N", help="Write grades 0 to N-1 by quantiles of the labels.")
    ] = None,
    format: Annotated[
        str, Option(metavar="csv|lightgbm|xgboost|catboost", help="What is written.", panel=_TRAINING)
    ] = "csv",
    features: Annotated[
        Path | None,
        Option(
            metavar="FILE", help="Lines like 0 qid:7 1:0.5 2:3 # D4, with the item last.", panel=_TRAINING
        ),
    ] = None,
) -> int:
    """Aggregate the judgments of each query into one label for each item, by a structure function.

    Name the columns of pairwise judgments (--winner and --loser), of grades (--item, --judge and --grade)
    or of clicks (--item, --session, --position and --clicked). Written is a table query,item,label, or with
    --features the training file of a library.
    """
    from consistency_lab.aggregate.labels import FORMATS, labels_of, write_training, written_files
    from consistency_lab.data.rows import WARNING
    from consistency_lab.files import check_file, write_atomic

    chosen = one_of("--format", format, ("csv", *FORMATS))
    if (chosen == "csv") is not (features is None):
        raise InputError("--features and a --format other than csv go together; give both or neither")
    if features is not None and out is None:
        raise InputError(f"--format {chosen} writes several files; give --out FILE")
    if out is None:
        need_stdout()
    else:
        inputs = [Path(given) for given in (judgments, features) if given is not None]
        for file in [str(out)] if chosen == "csv" else written_files(out, FORMATS[chosen]):
            check_file(Path(file), "--out", inputs)
    how = _structure(structure, smoothing, of)
    columns = _Columns(query, item, judge, winner, loser, a, b, count, grade, session, position, clicked)
    labels = labels_of(columns.read(judgments, ties, bad_rows), how)
    values = labels.scores if grades is None else labels.graded(grades)
    for note in sorted(labels.notes, key=lambda note: not note.startswith(WARNING)):
        warn(note)
    written = [] if out is None else [str(out)]
    if features is not None and out is not None:
        written, said = write_training(out, FORMATS[chosen], features, labels, values)
        for note in said:
            warn(note)
    elif out is not None:
        write_atomic(out, _table(labels, values))
    else:
        say(_table(labels, values).rstrip("\n"))
    if written:
        warn(f"written: {', '.join(written)}")
    return CONSISTENT


@frozen
class _Columns:
    """What the columns are called, those of one kind of table."""

    query: str | None
    item: str | None
    judge: str | None
    winner: str | None
    loser: str | None
    a: str | None
    b: str | None
    count: str | None
    grade: str | None
    session: str | None
    position: str | None
    clicked: str | None

    def read(self, path: str, ties: str, bad_rows: str) -> "Judgments | ClickCounts":
        """Read the table that they belong to."""
        from consistency_lab.aggregate.judgments import read_clicks, read_grades, read_pairs
        from consistency_lab.data.games import GameColumns, Ties
        from consistency_lab.data.rows import BadRows

        bad: BadRows = one_of("--bad-rows", bad_rows, ("report", "fail"))
        tied: Ties = one_of("--ties", ties, ("half", "drop", "both"))
        kind = self._kind()
        if kind == "pairs":
            winner = self._named("winner")
            games = GameColumns(winner, self.loser, self.a, self.b, self.count)
            return read_pairs(path, games, self.query, self.judge, ties=tied, bad_rows=bad)
        item = self._named("item")
        if kind == "grades":
            return read_grades(
                path, item, self._named("judge"), self._named("grade"), self.query, bad_rows=bad
            )
        session, position, clicked = map(self._named, _KINDS["clicks"])
        return read_clicks(path, item, session, position, clicked, self.query, bad_rows=bad)

    def _kind(self) -> str:
        """Which kind of table has the columns that are named."""
        kinds = [kind for kind, own in _KINDS.items() if any(getattr(self, one) is not None for one in own)]
        if len(kinds) != 1:
            named = f"columns of {' and of '.join(kinds)}" if kinds else "no columns"
            raise InputError(
                f"{named} are named; name those of pairs (--winner and --loser), of grades (--item, --judge "
                "and --grade) or of clicks (--item, --session, --position and --clicked)"
            )
        for option, alien in (("item", "pairs"), ("judge", "clicks")):
            if kinds == [alien] and getattr(self, option) is not None:
                raise InputError(f"{alien} have no --{option}; leave it out")
        return kinds[0]

    def _named(self, option: str) -> str:
        found: str | None = getattr(self, option)
        if found is None:
            raise InputError(f"--{option} is missing; name the column of that")
        return found


def _structure(name: str, smoothing: float | None, of: str | None) -> "Structure":
    """The structure with what is said of it; what it is made from is smoothed, if it can be."""
    from consistency_lab.aggregate.structures import structure

    smoothed: dict[str, Any] = {} if smoothing is None else {"c": smoothing}
    if of is not None:
        return structure(name, of=structure(of, **smoothed))
    if name == "thurstone-mosteller":
        return structure(name, of=structure("btl-log-odds", **smoothed))
    return structure(name, **smoothed)


def _table(labels: "Labels", values: "Any") -> str:
    from consistency_lab.aggregate.labels import shown
    from consistency_lab.files import csv_text

    known = (
        (query, item, shown(values[row]))
        for query, named in labels.items.items()
        for item, row in named.items()
        if values[row] == values[row]
    )
    return csv_text([("query", "item", "label"), *known])
