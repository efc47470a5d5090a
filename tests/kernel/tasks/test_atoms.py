"""The oracle derives the atoms and features of a surrogate from a file; they are those of the model."""

from fractions import Fraction
from math import exp, log

import numpy as np
import pytest

from consistency_lab.model.surrogates.tasks.base import AtomSurrogate
from consistency_lab.model.surrogates.tasks.listwise import ListMleSurrogate
from consistency_lab.model.surrogates.tasks.multiclass import CrammerSinger, LeeLinWahba, WestonWatkins
from consistency_lab.model.surrogates.tasks.pairs import WEIGHTS, PairSquareSurrogate, PairsSurrogate
from consistency_lab.model.surrogates.tasks.pointwise import OrdinalSurrogate
from consistency_lab.model.tasks.catalogue import target
from consistency_lab.model.tasks.task import Task
from consistency_lab.phi import named

from ..oracle.tasks.families import read_surrogate
from ..oracle.tasks.family import AtomFamily, MeanFamily
from ..oracle.tasks.targets import read_target

RATIONAL_NDCG = target("ndcg", discount="j")


def logistic(weights: str = "unit", normalized: str = "none") -> PairsSurrogate:
    return PairsSurrogate("logistic", named("logistic").expression, weights, normalized)


def value(atoms: object, u: list[float]) -> float:
    """Of atoms that are linear, or logarithms of sums of exponentials."""
    found = 0.0
    for atom in atoms:
        over, c = getattr(atom, "over", None), float(getattr(atom, "c", 1))
        found += (
            sum(float(x) * u[i] for i, x in getattr(atom, "v", ()))
            if over is None
            else c * log(sum(exp(u[i]) for i in over))
        )
    return found


MULTICLASS = (CrammerSinger(), WestonWatkins(), LeeLinWahba())
CASES = [
    *((logistic(weights, share), RATIONAL_NDCG) for weights in WEIGHTS for share in ("none", "pairs")),
    *((logistic(), target("pairwise", labels=labels)) for labels in ("rankings", "dags")),
    (logistic("gain-difference"), target("err")),
    (logistic("zhang-gain"), target("eru", v=Fraction(1))),
    (logistic("gain-difference"), target("map")),
    *((surrogate, target("zero-one", items=4)) for surrogate in MULTICLASS),
]


@pytest.mark.parametrize(("surrogate", "task"), CASES)
def test_the_oracle_derives_the_same_terms(surrogate: AtomSurrogate, task: Task) -> None:
    """Two implementations agree on terms, coefficients and order: slopes are listed by position."""
    goal = read_target(task.describe(), "target")
    family = read_surrogate(surrogate.describe(task), "surrogate", goal)
    assert isinstance(family, AtomFamily)
    for label in task.space.labels:
        ours = surrogate.atoms(task, label)
        theirs = family.atoms(goal, label)
        assert [_facts(atom) for atom in ours] == [_facts(atom) for atom in theirs]


def _facts(atom: object) -> tuple[object, ...]:
    names = ("c", "phi", "v", "b", "over")
    pieces = [(dict(v), b) for v, b in getattr(atom, "pieces", ())]
    return (*(getattr(atom, name, None) for name in names), pieces)


@pytest.mark.parametrize("task", [RATIONAL_NDCG, target("kendall", items=4)])
def test_the_oracle_derives_the_same_likelihood(task: Task) -> None:
    """Its atoms come in another order and with single items as sums; the function is one."""
    surrogate = ListMleSurrogate()
    goal = read_target(task.describe(), "target")
    family = read_surrogate(surrogate.describe(task), "surrogate", goal)
    assert isinstance(family, AtomFamily)
    u = np.random.default_rng(2).normal(size=task.space.m).tolist()
    for label in task.space.labels:
        ours, theirs = (
            value(found.atoms(*at), u) for found, at in ((surrogate, (task, label)), (family, (goal, label)))
        )
        assert ours == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("surrogate", [OrdinalSurrogate(), OrdinalSurrogate(n=1), PairSquareSurrogate()])
def test_the_oracle_derives_the_same_means(surrogate: OrdinalSurrogate | PairSquareSurrogate) -> None:
    task = target("ndcg")
    goal = read_target(task.describe(), "target")
    family = read_surrogate(surrogate.describe(task), "surrogate", goal)
    assert isinstance(family, MeanFamily)
    assert all(surrogate.features(task, y) == family.features(goal, y) for y in task.space.labels)
