"""Conditions on distributions over labels: known examples, and agreement with the model."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Final

import pytest

from consistency_lab.errors import ConsistencyLabError, InputError, RejectedError
from consistency_lab.model.surrogates.tasks.base import net
from consistency_lab.model.tasks.catalogue import target as model_target
from consistency_lab.model.tasks.conditions import TASK_CONDITIONS
from consistency_lab.model.tasks.task import Task

from ..mutations import replaced
from ..oracle.tasks import verify_task
from ..oracle.tasks.conditions import CONDITIONS, Condition, read_condition
from ..oracle.tasks.features import FEATURES
from ..oracle.tasks.labels import Label
from ..oracle.tasks.target import Target
from ..oracle.tasks.targets import read_target
from .witnesses import WITNESSES, independent, map_diagonal


def p(**probabilities: str) -> dict[Label, Fraction]:
    """From keywords such as y21="3/5": the digits are the label."""
    return {tuple(int(digit) for digit in word[1:]): Fraction(x) for word, x in probabilities.items()}


def kernel_target(task: Task) -> Target:
    return read_target(task.describe(), "target")


RANKINGS: Final = model_target("kendall")
GRADES: Final = model_target("pairwise")
DAGS: Final = model_target("pairwise", labels="dags")
BINARY: Final = model_target("map")

PLACKETT_LUCE: Final = p(y012="1/3", y021="1/6", y102="1/4", y120="1/12", y201="1/10", y210="1/15")
"""Strengths 3, 2, 1: order-preserving (Xia et al. 2008)."""

CASES: Final[tuple[tuple[Task, str, Mapping[Label, Fraction], bool], ...]] = (
    (RANKINGS, "order-preserving", PLACKETT_LUCE, True),
    (RANKINGS, "order-preserving", p(y012="1"), False),
    (RANKINGS, "rank-differentiable", p(y012="1"), True),
    (RANKINGS, "rank-differentiable", p(y012="1/2", y210="1/2"), False),
    (RANKINGS, "rank-differentiable", p(y012="2/3", y210="1/3"), False),
    (GRADES, "independent", p(y000="1/2", y100="1/2"), True),
    (GRADES, "independent", p(y000="1/2", y110="1/2"), False),
    (GRADES, "independent", p(y000="1/4", y010="1/4", y200="1/4", y210="1/4"), True),
    (BINARY, "reinforce", p(y100="1/2", y010="1/4", y001="1/4"), True),
    # u_22 = 2/5 > 3/10 = u_11, but item 1 gains 3/10 more from item 3 (RAT13 §6).
    (BINARY, "reinforce", p(y010="2/5", y101="3/5"), False),
    (DAGS, "acyclic", p(y01="1/3", y12="1/3", y20="1/3"), False),
    (DAGS, "acyclic", p(y01="1/2", y12="1/4", y20="1/4"), False),
    (DAGS, "low-noise", p(y01="1/2", y12="1/2"), False),
    (DAGS, "low-noise", p(y01="1/4", y12="1/4", y02="1/2"), True),
    (DAGS, "additive", p(y01="1/4", y12="1/4", y02="1/2"), True),
    (DAGS, "net-order", p(y01="1/2", y12="1/2"), True),
    (DAGS, "net-order", p(y01="1/6", y12="5/6"), False),  # the nets are 1/6, 4/6 and -5/6
)


@pytest.mark.parametrize(("task", "name", "weights", "holds"), CASES)
def test_known_examples(task: Task, name: str, weights: Mapping[Label, Fraction], holds: bool) -> None:
    assert Condition(name).holds(kernel_target(task), weights, None) is holds


@pytest.mark.parametrize(
    "task", [RANKINGS, GRADES, DAGS, BINARY], ids=["rankings", "grades", "dags", "binary"]
)
def test_the_kernel_and_the_model_agree(task: Task) -> None:
    """Two implementations, on every distribution of small whole weights on a few labels."""
    target = kernel_target(task)
    step = max(1, len(task.space.labels) // 5)
    chosen = task.space.labels[1::step][:5]
    seen: set[tuple[str, bool]] = set()
    for code in range(1, 3**5):
        counts = [code // 3**k % 3 for k in range(len(chosen))]
        total = sum(counts)
        if not total:
            continue
        weights = {y: Fraction(n, total) for y, n in zip(chosen, counts, strict=True) if n}
        for name, condition in TASK_CONDITIONS.items():
            if not condition.fits(task.space):
                right = condition.holds(task.space, weights, lambda y: net(task, y))
                assert Condition(name).holds(target, weights, FEATURES["net"]) is right, (name, weights)
                seen.add((name, right))
    assert len(seen) > len(TASK_CONDITIONS) / 2


@pytest.mark.parametrize("witness", WITNESSES)
@pytest.mark.parametrize("name", CONDITIONS)
def test_a_file_may_claim_a_condition_if_and_only_if_it_holds(witness: str, name: str) -> None:
    document = WITNESSES[witness]()
    target = read_target(document["target"], "target")
    weights = {tuple(e["label"]): Fraction(e["probability"]) for e in document["distribution"]}
    try:
        holds = Condition(name, "net" if name == "p-f" else "").holds(target, weights, None)
    except ConsistencyLabError:
        holds = False
    entry = {"name": name, "f": "net"} if name == "p-f" else {"name": name}
    changed = replaced(document, ("condition",), entry)
    if holds:
        assert verify_task(changed).condition == name
    else:
        with pytest.raises(RejectedError):
            verify_task(changed)


def test_p_f_is_about_the_surrogate_unless_it_names_features() -> None:
    """E y = (2/3, 3/4), and item 1 has the higher grade with probability 1/3: P_f holds for grades."""
    assert verify_task(replaced(independent(), ("condition",), {"name": "p-f"})).condition == "p-f"
    # E G = (1/4, 3/16) is the other way round.
    with pytest.raises(RejectedError, match="p-f"):
        verify_task(replaced(independent(), ("condition",), {"name": "p-f", "f": "gain"}))
    with pytest.raises(RejectedError, match="none"):
        verify_task(replaced(WITNESSES["ranknet"](), ("condition",), {"name": "p-f"}))


@pytest.mark.parametrize("name", ["order-preserving", "reinforce", "independent"])
def test_conditions_about_other_labels(name: str) -> None:
    target = kernel_target(model_target("zero-one"))
    with pytest.raises(RejectedError):
        Condition(name).holds(target, {(0,): Fraction(1)}, None)


def test_reinforcement_would_make_the_diagonal_right() -> None:
    """RAT13 Theorem 4: so its witness cannot satisfy the condition."""
    with pytest.raises(RejectedError, match="the condition reinforce does not hold"):
        verify_task(replaced(map_diagonal(), ("condition", "name"), "reinforce"))


@pytest.mark.parametrize(
    "entry", [{"name": "any", "f": "net"}, {"name": "other"}, {}, "any", {"name": "p-f", "f": 1}]
)
def test_unreadable_conditions(entry: object) -> None:
    with pytest.raises(InputError):
        read_condition(entry, "condition")
