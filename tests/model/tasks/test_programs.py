"""The programs of fields for the core say what the enclosures and the floats of the same fields say."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations
from random import Random

import numpy as np
import pytest

from consistency_lab.core.equilibrium import DIFFERENCE, Program
from consistency_lab.model.surrogates.tasks.fields import FIELDS, GradientField, differences, field
from consistency_lab.numbers.exact import enclose, working_precision
from consistency_lab.numbers.tape import Number, exp, log

ENTRIES = [
    *FIELDS.values(),
    field("xgboost:rank:ndcg", lambdarank_pair_method="mean", lambdarank_num_pair_per_sample=3),
    field("xgboost:rank:ndcg", lambdarank_num_pair_per_sample=1, ndcg_exp_gain=False),
    field("xgboost:rank:pairwise", lambdarank_normalization=False, lambdarank_score_normalization=False),
    field("lightgbm:lambdarank", sigmoid="3/2", label_gain=("0", "1/3", "2", "7")),
    field("tf-ranking:neural_sort_ndcg_loss", temperature="2/7"),
]


def labels_for(entry: GradientField, m: int) -> list[tuple[int, ...]]:
    top = min(entry.highest, 3)
    return [(0,) * m, tuple(min(top, k) for k in range(m)), tuple(top * (k % 2) for k in range(m))]


def points(order: Sequence[int], count: int, seed: int) -> list[list[Fraction]]:
    """Rational scores in this order, the last item's 0."""
    random = Random(seed)
    found = []
    for _ in range(count):
        down = sorted(random.sample(range(-4000, 4000), len(order)), reverse=True)
        by_item = dict(zip(order, down, strict=True))
        found.append([Fraction(by_item[k] - by_item[len(order) - 1], 1000) for k in range(len(order))])
    return found


@pytest.mark.parametrize("m", [2, 3, 4])
@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_a_program_agrees_with_enclosures_and_floats(entry: GradientField, m: int) -> None:
    for number, order in enumerate(list(permutations(range(m)))[::3]):
        for label in labels_for(entry, m):
            piece = entry.piece(label, order)
            found = piece.program(m)
            for u in points(order, 2, number):
                with working_precision(192):
                    mine = found.run([enclose(x) for x in u[:-1]])
                floats = piece.floats(np.array([float(x) for x in u]))
                for i, dual in enumerate(mine):
                    assert abs(float(dual.value.mid()) - floats[i]) < 1e-9
                    assert all(slope.rad() < 1e-40 for slope in dual.slopes)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_no_step_is_there_twice_or_for_nothing(entry: GradientField) -> None:
    found = entry.piece(labels_for(entry, 4)[1], (2, 0, 3, 1)).program(4)
    assert len(set(found.steps)) == len(found.steps)
    used = set(found.gradient)
    for step in found.steps:
        if isinstance(step, tuple) and step[0] != DIFFERENCE:
            used.update(step[1:])
    assert used == set(range(len(found.steps)))


def test_the_same_program_is_written_again() -> None:
    found = [field("lightgbm:rank_xendcg").piece((2, 0, 1), (1, 0, 2)).program(3) for _ in range(2)]
    assert found[0] == found[1]


def test_ranknet_by_hand() -> None:
    """-1/(1 + exp(u_1 - u_2)) for item 1."""
    plain = field(
        "xgboost:rank:pairwise", lambdarank_normalization=False, lambdarank_score_normalization=False
    )
    steps = (
        Fraction(0),
        Fraction(1),
        (DIFFERENCE, 0, 1),
        ("exp", 2),
        ("add", 3, 1),
        ("divide", 1, 4),
        ("subtract", 0, 5),
    )
    assert plain.piece((1, 0), (0, 1)).program(2) == Program(steps, (6,))


def test_what_is_known_is_not_written_out() -> None:
    u, v, zero = differences(3)
    assert isinstance(u, Number)
    known = [u - u, u - differences(3)[0], zero * u, zero / u, exp(v - v), log((u - u) + 1), -zero]
    assert known == [0, 0, 0, 0, 1, 0, 0]
    assert all(x is u for x in (u + zero, zero + u, u - zero, u * 1, 1 * u, u / 1))
    assert [x.op for x in (u - v, -u, exp(u) - v) if isinstance(x, Number)] == [(0, 1), (2, 0), "subtract"]
