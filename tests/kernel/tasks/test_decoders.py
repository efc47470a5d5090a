"""Closed cells of decoders: what may be returned when ties go any way."""

from fractions import Fraction
from itertools import permutations, product

import pytest

from consistency_lab.errors import RejectedError
from consistency_lab.exact import LogRational, enclose
from consistency_lab.model.surrogates.tasks.decoders import DECODERS as MODEL
from consistency_lab.model.surrogates.tasks.low_rank import MapRegression, PairRegression
from consistency_lab.model.tasks.catalogue import target as model_target

from ..oracle.tasks.decoders import DECODERS, levels
from ..oracle.tasks.families import read_surrogate
from ..oracle.tasks.family import MeanFamily
from ..oracle.tasks.targets import read_target

RANKED = read_target({"loss": "kendall", "labels": {"kind": "rankings", "items": 3}}, "target")
CLASSES = read_target({"loss": "zero-one", "labels": {"kind": "classes", "classes": 3}}, "target")


def numbers(*values: int | str) -> list[Fraction]:
    return list(map(Fraction, values))


def test_sort_returns_every_order_of_equal_scores() -> None:
    assert DECODERS["sort"](numbers(1, 2, 1), RANKED, None) == ((1, 0, 2), (1, 2, 0))
    assert len(DECODERS["sort"](numbers(0, 0, 0), RANKED, None)) == 6


def test_argmax_returns_every_largest_class() -> None:
    assert DECODERS["argmax"](numbers(1, 2, 2), CLASSES, None) == ((1,), (2,))


def test_exact_scores_are_told_apart_however_close() -> None:
    """log(10^9 + 1) > log(10^9), and exp is not rational: 1 and log(2.718281828) differ."""
    scores = [LogRational.parse(x) for x in ("log(1000000001)", "log(1000000000)", "log(1000000001)")]
    assert levels(scores) == (1, 0, 1)
    assert levels([LogRational.parse("1"), LogRational.parse("log(2718281828/1000000000)")]) == (1, 0)


def test_balls_that_overlap_are_not_ordered() -> None:
    with pytest.raises(RejectedError, match="not certain"):
        DECODERS["sort"]([enclose(2).sqrt(), enclose(2).sqrt(), Fraction(0)], RANKED, None)


@pytest.mark.parametrize("decoder", ["sort", "argmax", "diagonal", "linear", "algorithm-1"])
def test_a_decoder_refuses_scores_that_are_not_its_own(decoder: str) -> None:
    target = CLASSES if decoder == "sort" else RANKED
    with pytest.raises((RejectedError, ValueError)):
        DECODERS[decoder](numbers(1, 2, 3, 4), target, None)


@pytest.mark.parametrize("decoder", ["linear", "algorithm-1"])
def test_pairs_of_three_items_as_in_the_model(decoder: str) -> None:
    """All scores 0, 1, 2 of the pairs of three items, by two implementations."""
    task = model_target("pairwise", labels="dags")
    surrogate = PairRegression(decoder=decoder)
    target = read_target(task.describe(), "target")
    family = read_surrogate(surrogate.describe(task), "surrogate", target)
    assert isinstance(family, MeanFamily) and family.form is not None
    form = family.form
    for scores in product(range(3), repeat=6):
        u = numbers(*scores)
        ours = DECODERS[decoder](u, target, lambda t: form(target, t))
        assert ours == MODEL[decoder].returns(surrogate, task, u)


@pytest.mark.parametrize("decoder", ["linear", "diagonal"])
def test_map_scores_as_in_the_model(decoder: str) -> None:
    task = model_target("map")
    surrogate = MapRegression(decoder=decoder)
    target = read_target(task.describe(), "target")
    family = read_surrogate(surrogate.describe(task), "surrogate", target)
    assert isinstance(family, MeanFamily) and family.form is not None
    form = family.form
    for scores in product(range(2), repeat=6):
        u = numbers(*scores)
        ours = DECODERS[decoder](u, target, lambda t: form(target, t))
        assert ours == MODEL[decoder].returns(surrogate, task, u)


def test_algorithm_1_breaks_ties_in_every_way() -> None:
    """A circle of equal weights: any of its edges may go (RAT13 Algorithm 1)."""
    u = dict.fromkeys(permutations(range(3), 2), Fraction(0)) | dict.fromkeys(
        [(0, 1), (1, 2), (2, 0)], Fraction(1)
    )
    found = DECODERS["algorithm-1"](list(u.values()), RANKED, None)
    assert found == ((0, 1, 2), (1, 2, 0), (2, 0, 1))
