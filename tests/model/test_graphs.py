"""Surrogates and conditions on preference graphs: the model's, and the oracle's telling of them."""

from fractions import Fraction
from itertools import combinations, product
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consistency_lab.model.conditions import CONDITIONS, conditions_of
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import surrogate, surrogate_names

from .oracle.conditions import ON_DIFFERENCES
from .oracle.graphs import risk

HALF: Final = Fraction(1, 2)
DISTRIBUTIONS: Final = (
    Distribution.of(3, [(1, {(0, 1): 2, (1, 2): 1})]),
    Distribution.of(3, [(HALF, {(0, 1): 2, (0, 2): 3}), (HALF, {(1, 0): 1, (2, 1): 5, (2, 0): 4})]),
    Distribution.of(4, [(Fraction(1, 3), {(0, 3): 1, (1, 2): 1}), (Fraction(2, 3), {(3, 0): 7, (0, 2): 1})]),
)


@pytest.mark.parametrize("options", [{}, {"h": "a**2"}, {"nu": 3}], ids=str)
@pytest.mark.parametrize("name", surrogate_names())
def test_terms(name: str, options: dict[str, Any]) -> None:
    family = surrogate(name).describe(DISTRIBUTIONS[0])["family"]
    if not set(options) <= {"edge": {"h"}, "margin": {"h"}, "linear": {"nu"}}.get(str(family), set()):
        return
    for distribution in DISTRIBUTIONS:
        one = surrogate(name, **options)
        graphs = [(weight, tuple(graph)) for weight, graph in zip(*probabilities(distribution), strict=True)]
        theirs = {(str(t.phi), tuple(t.v), str(t.b)): t.c for t in one.risk_terms(distribution)}
        assert theirs == risk(one.describe(distribution), graphs, distribution.m)


def probabilities(distribution: Distribution) -> tuple[Any, Any]:
    return distribution.probabilities, distribution.graphs


def antisymmetric(m: int, upper: list[int]) -> list[list[Fraction]]:
    """The difference matrix with these entries above the diagonal."""
    d = [[Fraction(0)] * m for _ in range(m)]
    for (i, j), x in zip(combinations(range(m), 2), upper, strict=True):
        d[i][j], d[j][i] = Fraction(x), -Fraction(x)
    return d


@pytest.mark.parametrize(
    ("upper", "narrowest"),
    [
        ([1, 3, 2], "additive"),  # d_13 = d_12 + d_23
        ([0, 0, 0], "additive"),
        ([1, 4, 2], "low-noise"),  # Definition 8 with room to spare
        ([2, 1, 1], "net-order"),  # d_13 < d_12 + d_23, net preferences 3 > -1 > -2
        ([1, 0, 3], "acyclic"),  # net preferences 1 < 2 although 1 is preferred to 2 (Eq. 16 fails)
        ([1, -1, 1], "any"),  # a circle
    ],
)
def test_conditions_of_three_items(upper: list[int], narrowest: str) -> None:
    names = list(ON_DIFFERENCES)
    found = [test(antisymmetric(3, upper)) for test in ON_DIFFERENCES.values()]
    assert found == [names.index(name) >= names.index(narrowest) for name in names]


def test_conditions_on_all_small_matrices() -> None:
    assert set(ON_DIFFERENCES) <= set(CONDITIONS)
    for upper in product(range(-2, 3), repeat=3):
        compare(antisymmetric(3, list(upper)))


@given(st.lists(st.integers(-3, 3), min_size=6, max_size=6))
def test_conditions_of_four_items(upper: list[int]) -> None:
    compare(antisymmetric(4, upper))


def compare(d: list[list[Fraction]]) -> None:
    theirs = conditions_of(d)
    assert {name: test(d) for name, test in ON_DIFFERENCES.items()} == {
        name: theirs[name] for name in ON_DIFFERENCES
    }
