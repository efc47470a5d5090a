"""Which families, conditions and discounts the kernel takes: as the document on the format says."""

import re
from pathlib import Path
from typing import Final

import pytest

from consistency_lab.core.numbers import BITS
from consistency_lab.errors import ConsistencyLabError, InputError, RejectedError
from consistency_lab.exact import working_precision
from consistency_lab.model.tasks.catalogue import target
from consistency_lab.model.tasks.discrete import MatrixTask
from consistency_lab.model.tasks.labels import Rows
from consistency_lab.model.tasks.task import Task

from ..mutations import replaced
from ..oracle.tasks import verify_task
from ..oracle.tasks.conditions import CONDITIONS, Condition
from ..oracle.tasks.families import FAMILIES, read_surrogate
from ..oracle.tasks.family import AtomFamily, MeanFamily
from ..oracle.tasks.targets import read_target
from . import witnesses
from .test_agreement import SURROGATES, TASKS

ROOT: Final = Path(__file__).parents[3]
DOCUMENT: Final = "".join(
    (ROOT / path).read_text("utf-8") for path in ("docs/proof-format.md", "docs/task-witness-format.md")
)

ONLY: Final = {
    "map-full": {"map"},
    "map-diagonal": {"map"},
    "pd-least-squares": {"pairwise", "kendall"},
    **{name: {"zero-one"} for name in ("indicator", "crammer-singer", "weston-watkins", "lee-lin-wahba")},
}
"""Families for some targets alone."""

EXAMPLES: Final = {
    (name, str(entry.get(key, ""))): entry
    for surrogate in SURROGATES
    for entry in [surrogate.describe(TASKS["ndcg"])]
    for name, key in [(str(entry["family"]), "f" if entry["family"] == "regression" else "weights")]
}


def taken(entry: dict[str, object], task: Task) -> bool:
    """Whether the kernel has features, or atoms, of every label."""
    with working_precision(BITS):
        ours = read_target(task.describe(), "target")
        try:
            family = read_surrogate(entry, "surrogate", ours)
            for label in task.space.labels:
                if isinstance(family, MeanFamily):
                    family.features(ours, label)
                else:
                    assert isinstance(family, AtomFamily)
                    family.atoms(ours, label)
        except RejectedError:
            return False
    return True


@pytest.mark.parametrize("example", EXAMPLES, ids="-".join)
def test_families_fit_the_targets_that_the_document_names(example: tuple[str, str]) -> None:
    family, parameter = example
    for name, task in TASKS.items():
        kind = task.space.kind
        if family in ONLY:
            expected = task.target in ONLY[family]
        elif family == "list-mle":
            expected = kind in ("grades", "rankings")
        elif parameter in ("net", "unit"):
            expected = kind in ("grades", "rankings", "dags")
        else:
            expected = kind == "grades"
        if parameter == "zhang" and name in ("ndcg", "ndcg@2"):
            # At k = 2 and at k = m = 3 some 1/Z is irrational.
            expected = False
        assert taken(EXAMPLES[example], task) == expected, name


def test_the_document_says_which_families_need_certain_targets() -> None:
    (told,) = re.findall(r"\*\*What fits what\.\*\*(.*?)\n\n", DOCUMENT, re.DOTALL)
    words = set(re.findall("`(.*?)`", told))
    assert set(ONLY) | {"factor", "sigmoid", "list-mle"} == words & set(FAMILIES)
    assert {target for targets in ONLY.values() for target in targets} <= words


SPACES: Final = {
    "grades": target("ndcg"),
    "binary": target("map"),
    "rankings": target("kendall"),
    "dags": target("pairwise", labels="dags"),
    "classes": target("zero-one"),
    "rows": MatrixTask(Rows(("a", "b")), ("s", "t"), TASKS["matrix"].rows),  # type: ignore[attr-defined]
}


@pytest.mark.parametrize("kind", SPACES)
def test_conditions_fit_the_labels_that_the_document_names(kind: str) -> None:
    task = SPACES[kind]
    ours = read_target(task.describe(), "target")
    refused = set()
    for name in CONDITIONS:
        try:
            Condition(name).holds(ours, {task.space.labels[0]: 1}, None)  # type: ignore[dict-item]
        except RejectedError:
            refused.add(name)
    needs = {"p-f"}
    if kind != "binary":
        needs |= {"reinforce"}
    if kind not in ("grades", "binary"):
        needs |= {"independent"}
    if kind == "dags":
        needs |= {"order-preserving", "rank-differentiable"}
    assert refused == (set(CONDITIONS) - {"any"} if kind in ("classes", "rows") else needs)
    assert "`order-preserving` and `rank-differentiable` are refused for `dags`" in DOCUMENT


def test_attracting_is_no_choice() -> None:
    with pytest.raises(RejectedError, match="attracting"):
        verify_task(replaced(witnesses.xgboost(), ("certificate", "attracting"), False))
    assert "`false` is rejected where that is so" in DOCUMENT


@pytest.mark.parametrize("weights", ["zhang", "zhang-gain"])
@pytest.mark.parametrize("name", ["err", "mrr", "map", "pairwise", "precision", "eru"])
def test_z_is_1_unless_the_target_is_ndcg(weights: str, name: str) -> None:
    """So that G/Z means one thing: the kernel and the model agree, for pairs and for regression."""
    task = TASKS[name]
    ours = read_target(task.describe(), "target")
    assert {ours.scale(label) for label in task.space.labels} == {1}
    assert {task.scale(label) for label in task.space.labels} == {1}
    assert taken(EXAMPLES["pairs", weights], task)
    assert taken(EXAMPLES["regression", "gain/Z"], task)
    assert "1 for\nevery other target" in DOCUMENT


def test_a_discount_may_not_fall_where_it_does_not_count() -> None:
    with pytest.raises(InputError, match="falls from position 1 to position 2"):
        target("ndcg", discount="1/j", k=1)
    falling = {**target("ndcg", discount="j", k=1).describe(), "discount": "1/j"}
    with pytest.raises(ConsistencyLabError, match="must be positive and not fall"):
        read_target(falling, "target")
