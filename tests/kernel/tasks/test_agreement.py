"""The kernel derives losses, features and atoms by itself; the model's are the same."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

import pytest

from consistency_lab.core.numbers import BITS, Real
from consistency_lab.errors import InputError, UnsupportedError
from consistency_lab.exact import working_precision
from consistency_lab.model.surrogates.tasks.base import AtomSurrogate, MeanSurrogate, TaskSurrogate
from consistency_lab.model.surrogates.tasks.listwise import (
    NORMALIZATIONS,
    ListMleSurrogate,
    Softmax,
    UniqueSoftmax,
)
from consistency_lab.model.surrogates.tasks.low_rank import MapDiagonal, MapRegression, PairRegression
from consistency_lab.model.surrogates.tasks.multiclass import (
    LOSSES,
    CrammerSinger,
    Indicator,
    LeeLinWahba,
    WestonWatkins,
)
from consistency_lab.model.surrogates.tasks.pairs import (
    WEIGHTS,
    PairAbsolute,
    PairSquareSurrogate,
    PairsSurrogate,
)
from consistency_lab.model.surrogates.tasks.pointwise import OrdinalSurrogate, Regression, Sigmoid
from consistency_lab.model.surrogates.tasks.relaxed import SmoothPositions, SoftPairs
from consistency_lab.model.tasks.catalogue import target
from consistency_lab.model.tasks.discrete import MatrixTask
from consistency_lab.model.tasks.labels import Rows
from consistency_lab.model.tasks.real import Exact, as_ball
from consistency_lab.model.tasks.task import Task
from consistency_lab.phi import parse

from ..oracle.tasks.families import FAMILIES, FIELD, read_surrogate
from ..oracle.tasks.family import AtomFamily, MeanFamily
from ..oracle.tasks.targets import TARGETS, read_target

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


def equal(x: Real | Exact, y: Real | Exact) -> bool:
    """Equal rationals, or balls of a common number."""
    if isinstance(x, Fraction) and isinstance(y, Fraction):
        return x == y
    gap = abs(as_ball(x) - as_ball(y))
    return bool(as_ball(x).overlaps(as_ball(y))) and bool(gap < 1e-60)


def normal(atoms: Sequence[object]) -> object:
    """Atoms with the linear ones added up, and those of one coordinate among them."""
    linear: dict[int, Fraction] = {}
    sums: dict[tuple[int, ...], Fraction] = {}
    rest = []
    for atom in atoms:
        kind = type(atom).__name__
        if kind == "Linear":
            for i, c in atom.v:
                linear[i] = linear.get(i, Fraction(0)) + c
        elif kind == "LogSumExp" and len(atom.over) == 1:
            linear[atom.over[0]] = linear.get(atom.over[0], Fraction(0)) + atom.c
        elif kind == "LogSumExp":
            sums[atom.over] = sums.get(atom.over, Fraction(0)) + atom.c
        elif kind == "Max":
            rest.append((atom.c, [(sorted(v), b) for v, b in atom.pieces]))
        else:
            rest.append((atom.c, atom.phi, atom.v, str(atom.b)))
    return {i: c for i, c in linear.items() if c}, {s: c for s, c in sums.items() if c}, rest


@pytest.mark.parametrize("name", TASKS)
def test_losses(name: str) -> None:
    task = TASKS[name]
    with working_precision(BITS):
        ours = read_target(task.describe(), "target")
        assert ours.predictions == task.predictions
        for label in task.space.labels:
            ours.space.check(label)
            assert all(equal(ours.loss(label, t), task.loss(label, t)) for t in task.predictions)


def test_every_target_is_compared() -> None:
    assert {task.target for task in TASKS.values()} | {"wta"} == set(TARGETS)


@pytest.mark.parametrize("surrogate", SURROGATES, ids=lambda s: f"{s.describe(TASKS['ndcg'])['family']}")
def test_features_and_atoms(surrogate: TaskSurrogate) -> None:
    compared = 0
    for task in TASKS.values():
        try:
            surrogate.check(task)
            with working_precision(BITS):
                compared += agree(surrogate, task)
        except (InputError, UnsupportedError):
            continue  # it does not fit, or has irrational weights
    assert compared


def agree(surrogate: TaskSurrogate, task: Task) -> int:
    """Compare all labels; how many there are."""
    ours = read_target(task.describe(), "target")
    family = read_surrogate(surrogate.describe(task), "surrogate", ours)
    assert surrogate.decoder in family.decoders
    for label in task.space.labels:
        if isinstance(surrogate, MeanSurrogate):
            assert isinstance(family, MeanFamily)
            right = surrogate.features(task, label)
            if surrogate.scaled:
                right = tuple(x * task.scale(label) for x in right)
            found = family.features(ours, label)
            assert len(found) == len(right) and all(map(equal, found, right))
        else:
            assert isinstance(surrogate, AtomSurrogate) and isinstance(family, AtomFamily)
            right = surrogate.atoms(task, label)
            assert normal(family.atoms(ours, label)) == normal(right)
    return len(task.space.labels)


def test_every_family_is_compared() -> None:
    """A factor is read from the file, and a field has its own tests."""
    compared = {surrogate.describe(TASKS["ndcg"])["family"] for surrogate in SURROGATES}
    assert compared | {"factor"} == set(FAMILIES)
    assert FIELD not in FAMILIES
