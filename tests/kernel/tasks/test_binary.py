"""Relevance is 0 or 1: precision@k, winner-takes-all and average precision know no other grade."""

import copy
from typing import Any

import pytest

from consistency_lab.errors import InputError

from ..oracle.tasks.targets import read_target

BINARY: dict[str, Any] = {"kind": "grades", "items": 3, "grades": [0, 1]}
TARGETS = (
    {"loss": "precision", "labels": BINARY, "q": 2},
    {"loss": "wta", "labels": BINARY},
    {"loss": "map", "labels": BINARY},
)


@pytest.mark.parametrize("entry", TARGETS, ids=lambda entry: entry["loss"])
@pytest.mark.parametrize("grades", [[0, 2], [1, 2], [0, 1, 2]])
def test_other_grades_are_refused(entry: dict[str, Any], grades: list[int]) -> None:
    read_target(entry, "target")
    graded = copy.deepcopy(entry)
    graded["labels"]["grades"] = grades
    with pytest.raises(InputError, match="must have the grades 0 and 1"):
        read_target(graded, "target")
