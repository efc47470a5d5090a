"""``consistency-lab aggregate``: raw judgments in, one label for each item of each query out."""

from functools import partial
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, final

from consistency_lab.cli.codes import CONSISTENT
from consistency_lab.cli.command import argument, option
from consistency_lab.cli.question import Columns
from consistency_lab.cli.streams import need_stdout, say, warn
from consistency_lab.errors import InputError

if TYPE_CHECKING:
    from consistency_lab.apps.learn.aggregate.judgments import ClickCounts, Judgments
    from consistency_lab.apps.learn.aggregate.labels import Labels
    from consistency_lab.solve.structures import Structure

_KINDS: Final = {
    "pairs": ("winner", "loser", "a", "b", "count"),
    "grades": ("grade",),
    "clicks": ("session", "position", "clicked"),
}
"""The columns that tables of one kind alone have."""

_of_clicks = partial(option, metavar="COLUMN", panel="Columns of clicks")
_of_training = partial(option, panel="Training files")


@final
class Aggregate(Columns):
    """Make one label per item from the judgments of each query.

    Name the columns of pairs (--winner, --loser), of grades (--item, --judge, --grade) or of clicks (--item,
    --session, --position, --clicked).
    """

    judgments: str = argument("CSV, JSON lines or Parquet; - for standard input.", metavar="JUDGMENTS")
    structure: str = option("Such as borda.", "btl-log-odds", metavar="NAME")
    smoothing: float | None = option("Smoothing c of log odds and ratios (1).", metavar="C", rare=True)
    of: str | None = option(
        "thurstone-mosteller, borda: the matrix to start from.", metavar="NAME", rare=True
    )
    session: str | None = _of_clicks("The session: one list shown to a user.", rare=True)
    position: str | None = _of_clicks("The item's position in the list, a number.", rare=True)
    clicked: str | None = _of_clicks("1 if the item was clicked, 0 if not.", rare=True)
    out: Path | None = option("The file for the labels (stdout).", metavar="FILE")
    grades: int | None = option("Write grades 0 to N-1, by quantiles of the labels.", metavar="N")
    format: Literal["csv", "lightgbm", "xgboost", "catboost"] = _of_training("What is written.", "csv")
    features: Path | None = _of_training(
        "Lines such as 0 qid:7 1:0.5 2:3 # D4, with an item at each end.", metavar="FILE"
    )

    def run(self) -> int:
        from consistency_lab.apps.learn.aggregate.labels import (
            FORMATS,
            labels_of,
            write_training,
            written_files,
        )
        from consistency_lab.data.rows import WARNING
        from consistency_lab.files import check_file, write_atomic

        out, features = self.out, self.features
        if (self.format == "csv") is not (features is None):
            raise InputError("--features and a --format other than csv go together; give both or neither")
        if features is not None and out is None:
            raise InputError(f"--format {self.format} writes several files; give --out FILE")
        if out is None:
            need_stdout()
        else:
            inputs = [Path(given) for given in (self.judgments, features) if given is not None]
            for file in [str(out)] if features is None else written_files(out, FORMATS[self.format]):
                check_file(Path(file), "--out", inputs)
        how = _structure(self.structure, self.smoothing, self.of)
        labels = labels_of(self._read(), how)
        values = labels.scores if self.grades is None else labels.graded(self.grades)
        for note in sorted(labels.notes, key=lambda note: not note.startswith(WARNING)):
            warn(note)
        if out is None:
            say(_table(labels, values).rstrip("\n"))
            return CONSISTENT
        written = [str(out)]
        if features is None:
            write_atomic(out, _table(labels, values))
        else:
            written, said = write_training(out, FORMATS[self.format], features, labels, values)
            for note in said:
                warn(note)
        warn(f"written: {', '.join(written)}")
        return CONSISTENT

    def _read(self) -> "Judgments | ClickCounts":
        """Read the kind of table whose columns are named."""
        from consistency_lab.apps.learn.aggregate.judgments import read_clicks, read_grades, read_pairs
        from consistency_lab.data.games import GameColumns

        kind, path, query, bad = self._kind(), self.judgments, self.query, self.bad_rows
        if kind == "pairs":
            games = GameColumns(self._named("winner"), self.loser, self.a, self.b, self.count)
            return read_pairs(path, games, query, self.judge, ties=self.ties, bad_rows=bad)
        item = self._named("item")
        if kind == "grades":
            return read_grades(path, item, self._named("judge"), self._named("grade"), query, bad_rows=bad)
        session, position, clicked = map(self._named, _KINDS["clicks"])
        return read_clicks(path, item, session, position, clicked, query, bad_rows=bad)

    def _kind(self) -> str:
        """Which kind of table has the columns that are named."""
        kinds = [kind for kind, own in _KINDS.items() if self.given(*own)]
        if len(kinds) != 1:
            named = f"columns of {' and of '.join(kinds)}" if kinds else "no columns"
            raise InputError(
                f"{named} are named; name those of pairs (--winner and --loser), of grades (--item, "
                "--judge and --grade) or of clicks (--item, --session, --position and --clicked)"
            )
        for option_, alien in (("item", "pairs"), ("judge", "clicks")):
            if kinds == [alien] and self.given(option_):
                raise InputError(f"{alien} have no --{option_}; leave it out")
        return kinds[0]

    def _named(self, column: str) -> str:
        for found in self.given(column).values():
            return str(found)
        raise InputError(f"--{column} is missing; name that column")


def _structure(name: str, smoothing: float | None, of: str | None) -> "Structure":
    """The structure with its options; smoothing applies to the one that it is made from."""
    from consistency_lab.solve.structures import structure

    smoothed: dict[str, Any] = {} if smoothing is None else {"c": smoothing}
    of = of or ("btl-log-odds" if name == "thurstone-mosteller" else None)
    return structure(name, **smoothed) if of is None else structure(name, of=structure(of, **smoothed))


def _table(labels: "Labels", values: "Any") -> str:
    import numpy as np

    from consistency_lab.apps.learn.aggregate.labels import shown
    from consistency_lab.files import csv_text

    kinds, kind_of = np.unique(values, return_inverse=True)
    texts = ["" if isnan(value) else shown(value) for value in kinds.tolist()]
    listed = [texts[kind] for kind in kind_of.tolist()]
    known = (
        (query, item, listed[row])
        for query, named in labels.items.items()
        for item, row in named.items()
        if listed[row]
    )
    return csv_text([("query", "item", "label"), *known], warn)
