"""Losses, features, atoms, decoders and conditions of the model are those that the oracle tells again."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import permutations, product
from typing import Any, Final

import pytest
from flint import arb

from consistency_lab.errors import InputError, RejectedError, UnsupportedError
from consistency_lab.model.conditions import TASK_CONDITIONS
from consistency_lab.model.labels import Rows
from consistency_lab.model.surrogates.tasks.atoms import (
    WEIGHTS,
    CrammerSinger,
    LeeLinWahba,
    ListMleSurrogate,
    PairAbsolute,
    PairsSurrogate,
    UniqueSoftmax,
    WestonWatkins,
)
from consistency_lab.model.surrogates.tasks.base import AtomSurrogate, MeanSurrogate, TaskSurrogate, net
from consistency_lab.model.surrogates.tasks.decoders import DECODERS as MODEL_DECODERS
from consistency_lab.model.surrogates.tasks.means import (
    LOSSES,
    NORMALIZATIONS,
    Indicator,
    MapDiagonal,
    MapRegression,
    OrdinalSurrogate,
    PairRegression,
    PairSquareSurrogate,
    Regression,
    Sigmoid,
    SmoothPositions,
    Softmax,
    SoftPairs,
)
from consistency_lab.model.tasks.catalogue import target
from consistency_lab.model.tasks.discrete import MatrixTask
from consistency_lab.model.tasks.task import Task
from consistency_lab.numbers.exact import working_precision
from consistency_lab.numbers.phi import parse
from consistency_lab.numbers.tape import as_ball

from .oracle.conditions import ON_DIFFERENCES, ON_LABELS, holds
from .oracle.decoders import DECODERS
from .oracle.numbers import Misfit, ball
from .oracle.surrogates import FAMILIES, MeanFamily, family
from .oracle.targets import LOSSES as TARGETS
from .oracle.targets import Label, Target

ZERO: Final = Fraction(0)
LOGISTIC: Final = parse("log(1+exp(-x))")

TASKS: Final[dict[str, Task]] = {
    "ndcg": target("ndcg"),
    "ndcg@2": target("ndcg", k=2),
    "ndcg-rational": target("ndcg", gain="s", discount="j"),
    "precision": target("precision", k=2),
    "wta": target("wta"),
    "err": target("err", discount="1+j/2"),
    "mrr": target("mrr"),
    "mrr@2": target("mrr@2", labels=(0, 1, 2), v=Fraction(1)),
    "map": target("map"),
    "eru": target("eru", v=Fraction(1, 2)),
    "eru-roots": target("eru", w=Fraction(3)),
    "pairwise": target("pairwise"),
    "pairwise-rankings": target("pairwise", labels="rankings"),
    "pairwise-dags": target("pairwise", labels="dags"),
    "kendall": target("kendall", items=4),
    "zero-one": target("zero-one", items=4),
    "matrix": MatrixTask(Rows(("a", "b")), ("s", "t"), ((ZERO, Fraction(1, 3)), (Fraction(2), ZERO))),
}

SURROGATES: Final[tuple[TaskSurrogate, ...]] = (
    *(Regression(f) for f in ("grade", "gain", "gain/Z", "net")),
    *(Softmax(labels) for labels in NORMALIZATIONS),
    *(Sigmoid(f) for f in ("grade", "gain")),
    *(PairSquareSurrogate(weights=weights) for weights in ("grade", "gain")),
    *(OrdinalSurrogate(n=n) for n in (1, 2)),
    MapRegression(),
    MapRegression(decoder="diagonal"),
    MapDiagonal(),
    PairRegression(),
    *(SmoothPositions(metric) for metric in ("ndcg", "mrr")),
    *(SoftPairs(share) for share in ("none", "pairs")),
    *(Indicator(psi) for psi in LOSSES),
    *(
        PairsSurrogate("pairs", LOGISTIC, weights, share)
        for weights in WEIGHTS
        for share in ("none", "pairs")
    ),
    *(PairAbsolute(share) for share in ("none", "pairs")),
    *(ListMleSurrogate(ties=ties) for ties in ("average", "input")),
    UniqueSoftmax(),
    CrammerSinger(),
    WestonWatkins(),
    LeeLinWahba(),
)


def told_again(task: Task) -> Target:
    return Target(task.describe())


def equal(x: Any, y: Any) -> bool:
    """Equal rationals, or balls of a common number."""
    if isinstance(x, Fraction) and isinstance(y, Fraction):
        return x == y
    mine, theirs = x if isinstance(x, arb) else ball(x), as_ball(y)
    return bool(mine.overlaps(theirs)) and bool(abs(mine - theirs) < 1e-60)


def of_the_model(atom: Any) -> tuple[object, ...]:
    """An atom as the oracle writes it."""
    match type(atom).__name__:
        case "LogSumExp":
            return "log-sum-exp", atom.c, tuple(atom.over)
        case "Linear":
            return "linear", tuple(atom.v)
        case "Max":
            return "max", atom.c, tuple((tuple(sorted(v)), b) for v, b in atom.pieces)
    return "phi", atom.c, str(atom.phi), tuple(sorted(atom.v)), atom.b.as_rational()


def added_up(atoms: Sequence[tuple[Any, ...]]) -> object:
    """Linear atoms as one, sums over one item among them, and sums of exponentials by their items."""
    linear: dict[int, Fraction] = {}
    sums: dict[tuple[int, ...], Fraction] = {}
    rest = []
    for kind, *parts in atoms:
        if kind == "linear":
            for i, c in parts[0]:
                linear[i] = linear.get(i, ZERO) + c
        elif kind == "log-sum-exp" and len(parts[1]) == 1:
            linear[parts[1][0]] = linear.get(parts[1][0], ZERO) + parts[0]
        elif kind == "log-sum-exp":
            sums[parts[1]] = sums.get(parts[1], ZERO) + parts[0]
        elif kind == "max":
            rest.append((parts[0], tuple((tuple(sorted(v)), b) for v, b in parts[1])))
        else:
            rest.append(tuple(parts))
    return {i: c for i, c in linear.items() if c}, {s: c for s, c in sums.items() if c}, rest


@pytest.mark.parametrize("name", TASKS)
def test_losses(name: str) -> None:
    task, ours = TASKS[name], told_again(TASKS[name])
    with working_precision(256):
        assert set(ours.predictions) == set(task.predictions)
        for label in task.space.labels:
            assert all(equal(ours.loss(label, t), task.loss(label, t)) for t in task.predictions)
            if task.space.kind == "grades":
                assert equal(ours.scale(label), task.scale(label))


def test_every_target_and_family_is_compared() -> None:
    """A factor is written out in the file, and a field has its own tests."""
    assert {task.target for task in TASKS.values()} | {"wta"} == set(TARGETS)
    assert {surrogate.describe(TASKS["ndcg"])["family"] for surrogate in SURROGATES} == set(FAMILIES)


@pytest.mark.parametrize("surrogate", SURROGATES, ids=lambda s: f"{s.describe(TASKS['ndcg'])['family']}")
def test_features_and_atoms(surrogate: TaskSurrogate) -> None:
    """Equal for all labels of all targets that a surrogate fits; slopes go by position, so the order counts.

    What the model takes the oracle takes too; irrational weights are refused by both.
    """
    compared = 0
    for name, task in TASKS.items():
        with working_precision(256):
            try:
                surrogate.check(task)
                for label in task.space.labels:
                    agree(surrogate, task, label)
                compared += 1
            except (InputError, UnsupportedError, RejectedError):
                with pytest.raises(Misfit):
                    for label in task.space.labels:
                        parts(surrogate, task, label)
                    pytest.fail(f"the oracle takes {name}")
    assert compared


def parts(surrogate: TaskSurrogate, task: Task, label: Label) -> tuple[Any, ...]:
    """The features or atoms of a label, told again."""
    ours = told_again(task)
    told = family(surrogate.describe(task), ours)
    assert surrogate.decoder in told.decoders
    return told.features(ours, label) if isinstance(told, MeanFamily) else told.atoms(ours, label)


def agree(surrogate: TaskSurrogate, task: Task, label: Label) -> None:
    if isinstance(surrogate, MeanSurrogate):
        theirs: Any = surrogate.features(task, label)
        if surrogate.scaled:
            theirs = tuple(x * task.scale(label) for x in theirs)
        found = parts(surrogate, task, label)
        assert len(found) == len(theirs) and all(map(equal, found, theirs))
    else:
        assert isinstance(surrogate, AtomSurrogate)
        theirs = [of_the_model(atom) for atom in surrogate.atoms(task, label)]
        found = parts(surrogate, task, label)
        assert added_up(found) == added_up(theirs)


# --- Decoders --------------------------------------------------------------------------------------------

DECODED: Final = (
    *(
        (PairRegression(decoder=decoder), target("pairwise", labels="dags"), 3)
        for decoder in ("linear", "algorithm-1")
    ),
    *((MapRegression(decoder=decoder), target("map"), 2) for decoder in ("linear", "diagonal")),
    (Regression("grade"), target("ndcg"), 3),
    (CrammerSinger(), target("zero-one", items=4), 3),
)


@pytest.mark.parametrize(("surrogate", "task", "most"), DECODED, ids=lambda x: getattr(x, "decoder", None))
def test_decoders(surrogate: TaskSurrogate, task: Task, most: int) -> None:
    """At all scores 0, 1, ...: ties go any way."""
    ours = told_again(task)
    told = family(surrogate.describe(task), ours)
    form = told.form if isinstance(told, MeanFamily) else None
    size = 6 if surrogate.decoder in ("linear", "algorithm-1", "diagonal") else task.space.m
    for scores in product(range(most), repeat=size):
        u = list(map(Fraction, scores))
        mine = DECODERS[surrogate.decoder](u, ours, form and (lambda t: form(ours, t)))
        assert mine == MODEL_DECODERS[surrogate.decoder].returns(surrogate, task, u)


def test_algorithm_1_breaks_ties_in_every_way() -> None:
    """A circle of equal weights: any of its edges may go (RAT13 Algorithm 1)."""
    circle = [Fraction(pair in ((0, 1), (1, 2), (2, 0))) for pair in permutations(range(3), 2)]
    found = DECODERS["algorithm-1"](circle, told_again(target("kendall")), None)
    assert found == ((0, 1, 2), (1, 2, 0), (2, 0, 1))


# --- Conditions ------------------------------------------------------------------------------------------


def p(**probabilities: str) -> dict[Label, Fraction]:
    """From keywords such as y21="3/5": the digits are the label."""
    return {tuple(int(digit) for digit in word[1:]): Fraction(x) for word, x in probabilities.items()}


RANKINGS: Final = target("kendall")
GRADES: Final = target("pairwise")
DAGS: Final = target("pairwise", labels="dags")
BINARY: Final = target("map")

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


@pytest.mark.parametrize(("task", "name", "weights", "expected"), CASES)
def test_known_examples(task: Task, name: str, weights: Mapping[Label, Fraction], expected: bool) -> None:
    assert holds(name, told_again(task), weights) is expected
    assert TASK_CONDITIONS[name].holds_for(task.space, weights, lambda y: net(task, y)) is expected


@pytest.mark.parametrize(
    "task", [RANKINGS, GRADES, DAGS, BINARY], ids=["rankings", "grades", "dags", "binary"]
)
def test_conditions(task: Task) -> None:
    """On every distribution of small whole weights on a few labels; what fits the model fits the oracle."""
    ours = told_again(task)
    chosen = task.space.labels[1 :: max(1, len(task.space.labels) // 5)][:5]
    seen: set[tuple[str, bool]] = set()
    for counts in product(range(3), repeat=len(chosen)):
        if not sum(counts):
            continue
        weights = {y: Fraction(n, sum(counts)) for y, n in zip(chosen, counts, strict=True) if n}
        for name, condition in TASK_CONDITIONS.items():
            if name not in (*ON_DIFFERENCES, *ON_LABELS):
                continue
            if condition.fits(task.space):
                with pytest.raises(Misfit):
                    holds(name, ours, weights)
            else:
                right = condition.holds_for(task.space, weights, lambda y: net(task, y))
                assert holds(name, ours, weights) is right, (name, weights)
                seen.add((name, right))
    assert len(seen) > len(ON_DIFFERENCES)


def test_every_condition_is_compared() -> None:
    assert set(ON_DIFFERENCES) | set(ON_LABELS) <= set(TASK_CONDITIONS)
