"""Values of small functions that learning and its reports are made of."""

import numpy as np
import pytest

from consistency_lab.apps.learn.aggregate.judgments import Names
from consistency_lab.apps.learn.aggregate.labels import shown
from consistency_lab.apps.learn.aggregate.preferences import codes
from consistency_lab.apps.learn.experiments.exact import disagreement
from consistency_lab.apps.learn.experiments.movielens import linear
from consistency_lab.apps.learn.experiments.ratings import Pairs
from consistency_lab.apps.learn.experiments.report import _mean, cell, grid
from consistency_lab.apps.learn.experiments.web import band

FREQUENCIES = np.array([[0.0, 0.75], [0.25, 0.0]])
PAIR = Pairs(np.array([0]), np.array([1]), np.array([2.0]), np.array([True]))
"""Row 0 is preferred to row 1 by 2."""


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (lambda: [shown(x) for x in (3.0, -0.0, 0.1)], ["3", "0", "0.1"]),
        (lambda: codes(["b", "a", "b"], "queries").tolist(), [0, 1, 0]),
        (lambda: disagreement(4 * FREQUENCIES, np.zeros(2)), 2.0),
        (lambda: linear(np.eye(2), PAIR, [0.5])[0].round(4).tolist(), [1.9996, -1.9996]),
        (lambda: cell([0.5]), "0.5000"),
        (lambda: cell([1.0, 2.0, 3.0], 2), "2.00 ± 1.69"),
        (lambda: _mean({"mean": 0.46, "standard_error": None}), "0.4600"),
        (lambda: _mean({"mean": 0.46, "standard_error": 0.004}, 3, "+"), "+0.460 (0.004)"),
        (lambda: [round(x, 4) for x in band([1.0, 2.0, 3.0])], [2.0, 0.3141, 3.6859]),
        (
            lambda: [round(x, 4) for x in (*band([0.0, 1.0]), *band([2.0]))],
            [0.5, -2.6569, 3.6569, 2.0, 2.0, 2.0],
        ),
    ],
)
def test_values(value, expected):
    assert value() == expected


def test_names_are_numbered_over_all_queries():
    names = Names(["a", "X", "b", "Y"], np.array([0, 2, 0]), np.array([1, 1, 3]))
    assert names["a"] == {"X": 0, "Y": 2}
    assert (names.query.tolist(), names.place.tolist()) == ([0, 1, 0], [0, 0, 1])


def test_a_grid_has_a_row_for_each_key_and_a_column_for_each_value():
    measured = [{"n": 1, "k": k, "risks": [k / 4]} for k in (1, 2)]
    table = grid(measured, lambda row: "n = 1", lambda row: str(row["k"]), "risks", "k", 2)
    assert table.lines(80) == ["   k         1     2", "   n = 1  0.25  0.50"]
