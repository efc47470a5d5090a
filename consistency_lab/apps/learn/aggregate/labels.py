"""Labels made of judgments, and training files of LightGBM, XGBoost and CatBoost."""

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from types import MappingProxyType
from typing import BinaryIO, Final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.apps.learn.aggregate.judgments import ClickCounts, Judgments, Names
from consistency_lab.apps.learn.aggregate.preferences import check_size
from consistency_lab.errors import InputError
from consistency_lab.files import opened_atomic
from consistency_lab.frozen import frozen
from consistency_lab.numbers.arrays import Floats
from consistency_lab.solve.structure_kernels import components
from consistency_lab.solve.structures import CascadeMLE, PairStructure, Structure, scores_of

# --- Labels made of judgments: one number for each item of each query, and the weights of its pairs ------


@frozen
class Labels:
    """What a structure says of judgments."""

    judgments: Judgments | ClickCounts  #: What was read.
    structure: Structure  #: What they were aggregated by.
    scores: Floats  #: One for each row of `judgments.items`; NaN where nothing is known.
    notes: tuple[str, ...]  #: Notes, a sentence each.

    @property
    def items(self) -> Names:
        return self.judgments.items

    def graded(self, count: int) -> Floats:
        """The scores as grades 0 to count - 1, by quantiles of the scores of all queries together.

        Equal scores get equal grades, and no order is reversed; but items of one grade are tied, and the gaps
        between scores are lost.
        """
        if count < 2:
            raise InputError(f"the number of grades is {count}; it must be at least 2")
        known = self.scores[~np.isnan(self.scores)]
        edges = np.quantile(known, np.arange(1, count) / count)
        return np.where(np.isnan(self.scores), np.nan, np.searchsorted(edges, self.scores, side="left"))

    def pair_weights(self) -> Iterator[tuple[list[int], Floats]]:
        """The rows of each query, and [s_ij - s_ji]_+ among them (DMJ13's consistent pairwise loss)."""
        if isinstance(self.judgments, ClickCounts):
            for query, named in self.items.items():
                check_size(query, len(named))
                rows = list(named.values())
                scores = self.scores[rows]
                yield rows, np.nan_to_num(np.maximum(np.subtract.outer(scores, scores), 0.0))
        elif isinstance(self.structure, PairStructure):
            for wins in self.judgments.wins(self.structure.shares):
                yield wins.rows, self.structure.pair_weights(wins.wins, wins.total or None)


def labels_of(judgments: Judgments | ClickCounts, structure: Structure) -> Labels:
    """Aggregate the judgments of each query."""
    if isinstance(judgments, ClickCounts):
        if not isinstance(structure, CascadeMLE):
            raise InputError(f"clicks need the structure cascade-mle, got {structure.name}")
        scores = structure.scores(judgments.clicks, judgments.examined)
        unseen = judgments.examined == 0
        scores[unseen] = np.nan
        said = (
            (f"items without a label because they were never examined: {unseen.sum()}",)
            if unseen.any()
            else ()
        )
        return Labels(judgments, structure, scores, (*said, *judgments.notes))
    if not isinstance(structure, PairStructure):
        raise InputError("cascade-mle aggregates clicks; name the columns of sessions, positions and clicks")
    scores = np.empty(len(judgments.items.query))
    apart = 0
    for wins in judgments.wins(structure.shares):
        scores[wins.rows] = scores_of(structure, wins.wins, wins.total)
        apart += bool(components(wins.wins).any())
    queries = "query" if apart == 1 else "queries"
    note = (
        f"in {apart} {queries} the comparisons do not connect all items; labels are not comparable between "
        "items that no chain of comparisons connects"
    )
    said = (note,) if apart else ()
    return Labels(judgments, structure, scores, (*said, *judgments.notes))


# --- Training files of LightGBM, XGBoost and CatBoost: features of the user, with aggregated labels ------

PAIRS: Final = ".pairs"
COLUMNS: Final = ".cd"

_LINE: Final = re.compile(
    # A value is printable, has no colon, and is never cut in two: else a line of colons takes forever.
    rb"\s*\S+\s+qid:(?P<query>\S+)\s+(?P<features>(?:\d++:[!\"$-9;-~]++\s*+)*+)"
    rb"#\s*(?:docid\s*=\s*)?(?P<item>\S+)"
)


@frozen
class Layout:
    """How a library wants its file."""

    library: str  #: What it is called.
    has_queries: bool  #: Whether lines name their query, as in ``qid:1``.
    sizes: str = ""  #: How the name of a file with the number of lines of each query ends; none if empty.
    #: The content of a file of that ending, which says what stands before the features; none if empty.
    columns: str = ""


FORMATS: Final[Mapping[str, Layout]] = MappingProxyType(
    {
        "lightgbm": Layout("LightGBM", has_queries=False, sizes=".query"),
        "xgboost": Layout("XGBoost", has_queries=True),
        "catboost": Layout("CatBoost", has_queries=True, columns="0\tLabel\n1\tGroupId\n"),
    }
)


def written_files(out: str | os.PathLike[str], layout: Layout) -> list[str]:
    """The file, and its companion files."""
    endings = ("", PAIRS, layout.sizes or "", COLUMNS if layout.columns else "")
    return list(dict.fromkeys(f"{os.fspath(out)}{ending}" for ending in endings))


def write_training(
    out: str | os.PathLike[str],
    layout: Layout,
    features: str | os.PathLike[str],
    labels: Labels,
    values: Floats,
) -> tuple[list[str], list[str]]:
    """Write the lines of the features that have labels, with these, and the files that belong to them.

    Beside the file stands one of pairs, ``row of the winner, row of the loser, weight`` with tabs between,
    the weights those of DMJ13's consistent loss, rows counted from 0.
    """
    path = Path(out)
    written = written_files(path, layout)
    line_of = np.full(len(labels.items.query), -1, np.int64)
    sizes: list[int] = []
    without = 0
    with ExitStack() as stack:
        file = stack.enter_context(opened_atomic(path))
        before, count = None, 0
        for query, item, rest in feature_lines(features):
            known = labels.items.get(query)
            row = -1 if known is None else known.get(item, -1)
            if row < 0 or np.isnan(values[row]):
                without += 1
                continue
            if line_of[row] >= 0:
                raise InputError(f"{features}: the item {item[:40]} of query {query[:40]} appears twice")
            line_of[row] = count
            count += 1
            if query != before:
                before = query
                sizes.append(0)
            sizes[-1] += 1
            named = f" qid:{len(sizes)}" if layout.has_queries else ""
            file.write(f"{shown(values[row])}{named} ".encode() + rest + b"\n")
        if not count:
            raise InputError(f"{features}: no item has a label; check that queries and items match")
        pairs = stack.enter_context(opened_atomic(written[1]))
        _write_pairs(pairs, labels, line_of)
        for ending, text in (
            (layout.sizes, "".join(f"{size}\n" for size in sizes)),
            (layout.columns and COLUMNS, layout.columns),
        ):
            if ending:
                stack.enter_context(opened_atomic(f"{path}{ending}")).write(text.encode())
    notes = [f"feature lines left out because their item has no label: {without}"] if without else []
    missing = int((line_of[~np.isnan(values)] < 0).sum())
    if missing:
        notes.append(f"labeled items without features: {missing}")
    return written, notes


def feature_lines(path: str | os.PathLike[str]) -> Iterator[tuple[str, str, bytes]]:
    """The query, the item and the features of each line; only one line is in memory at a time."""
    name = os.fspath(path)
    left: set[str] = set()
    before = None
    try:
        with Path(path).open("rb") as file:
            for number, line in enumerate(file, start=1):
                if not line.strip():
                    continue
                parts = _LINE.match(line)
                if parts is None:
                    raise InputError(
                        f"{name}, line {number}: expected a line such as 0 qid:7 1:0.5 2:3 # D4, with the "
                        "name of the item after the #"
                    )
                query = parts["query"].decode("utf-8", "replace")
                if query != before:
                    if query in left:
                        raise InputError(
                            f"{name}, line {number}: query {query[:40]} resumes here; keep its lines together"
                        )
                    left.add(query)
                    before = query
                yield query, parts["item"].decode("utf-8", "replace"), parts["features"].rstrip()
    except OSError as error:
        raise InputError(f"{name} cannot be read: {(error.strerror or str(error)).lower()}") from None


def shown(value: float) -> str:
    """A label with the fewest digits that read back as the same number."""
    return str(int(value)) if value == int(value) else repr(float(value))


def _write_pairs(file: BinaryIO, labels: Labels, line_of: NDArray[np.int64]) -> None:
    for rows, weights in labels.pair_weights():
        line = line_of[rows]
        i, j = np.nonzero(weights * np.outer(line >= 0, line >= 0))
        file.write(
            "".join(
                f"{line[x]}\t{line[y]}\t{shown(weights[x, y])}\n" for x, y in zip(i, j, strict=True)
            ).encode()
        )
