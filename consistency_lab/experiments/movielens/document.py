"""What was measured, as a plain document."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from math import sqrt
from statistics import fmean, stdev
from typing import Any

from consistency_lab.experiments.movielens.methods import LAMBDAS, NU
from consistency_lab.experiments.movielens.ratings import SOURCE, Ratings
from consistency_lab.experiments.movielens.settings import METHODS, PAPER, VARIANTS, Settings

Row = dict[str, Any]
"""What a method has reached in a run: run, method, pairs, lambda, and the losses validation and test."""

Document = dict[str, Any]

_DIGITS = 6


def document(data: Ratings, settings: Settings, rows: Sequence[Row]) -> Document:
    """The table, the differences, and the rows of all runs.

    ``table``: for each method and number of pairs the mean test loss and its standard error over the runs,
    in how many runs the method is ``lowest``, and what the paper printed. ``differences``: the loss of the
    linear method less that of another in the same run, and in how many runs it is ``lower``.
    """
    users, films = data.shape
    decided = {"about": VARIANTS[settings.variant].about, "nu": NU, "lambdas": {**LAMBDAS}}
    return {
        "experiment": "movielens",
        "citation": "DMJ10 §4, Table 1",
        "data": {"source": data.source, "ratings": len(data.ratings), "users": users, "films": films},
        "settings": asdict(settings) | decided,
        "table": list(_table(data, settings, rows)),
        "differences": list(_differences(settings, rows)),
        "rows": list(rows),
    }


def _losses(rows: Sequence[Row], method: str, pairs: int) -> list[float]:
    return [row["test"] for row in rows if row["method"] == method and row["pairs"] == pairs]


def _mean(values: Sequence[float]) -> Row:
    error = stdev(values) / sqrt(len(values)) if len(values) > 1 else None
    return {
        "mean": round(fmean(values), _DIGITS),
        "standard_error": None if error is None else round(error, _DIGITS),
    }


def _table(data: Ratings, settings: Settings, rows: Sequence[Row]) -> Iterator[Row]:
    for pairs in settings.pairs:
        losses = {method: _losses(rows, method, pairs) for method in METHODS}
        least = [min(run) for run in zip(*losses.values(), strict=True)]
        for method, found in losses.items():
            lowest = sum(one == other for one, other in zip(found, least, strict=True))
            paper = PAPER.get((method, pairs)) if data.source == SOURCE else None
            yield {"method": method, "pairs": pairs, **_mean(found), "lowest": lowest, "paper": paper}


def _differences(settings: Settings, rows: Sequence[Row]) -> Iterator[Row]:
    for pairs in settings.pairs:
        linear = _losses(rows, "linear", pairs)
        for method in METHODS[:-1]:
            apart = [a - b for a, b in zip(linear, _losses(rows, method, pairs), strict=True)]
            yield {"than": method, "pairs": pairs, **_mean(apart), "lower": sum(one < 0 for one in apart)}
