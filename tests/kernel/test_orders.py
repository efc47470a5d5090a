"""The subset table against all m! orders."""

from collections.abc import Callable
from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consistency_lab.exact import LogRational
from consistency_lab.proofs.format_1.distribution import Integers
from consistency_lab.proofs.format_1.orders import Costs, Optimum, levels_of, order_of


@st.composite
def aggregates(draw: st.DrawFn) -> Integers:
    m = draw(st.integers(2, 5))
    weights = st.integers(0, 4)
    return tuple(tuple(0 if i == j else draw(weights) for j in range(m)) for i in range(m))


def loss(a: Integers, order: tuple[int, ...]) -> int:
    """sum of a_ij over pairs with j above i."""
    return sum(a[i][j] for place, i in enumerate(order) for j in order[:place])


@given(aggregates())
def test_loss_number_and_forced_pairs(a: Integers) -> None:
    losses = {order: loss(a, order) for order in permutations(range(len(a)))}
    least = min(losses.values())
    best = [order for order, value in losses.items() if value == least]
    costs = Costs.of(a, 1)
    found = Optimum.of(costs)
    assert found.loss == least
    assert found.count == len(best)
    assert all(costs.loss(order) == value for order, value in losses.items())
    for i, j in permutations(range(len(a)), 2):
        assert found.forced(i, j) == all(order.index(i) < order.index(j) for order in best)


@given(aggregates(), st.data())
def test_extremes_under_precedence(a: Integers, data: st.DataObject) -> None:
    m = len(a)
    pairs = data.draw(st.lists(st.tuples(st.integers(0, m - 1), st.integers(0, m - 1)), max_size=4))
    pairs = [(above, below) for above, below in pairs if above != below]
    required = [0] * m
    for above, below in pairs:
        required[below] |= 1 << above
    allowed = [
        loss(a, order)
        for order in permutations(range(m))
        if all(order.index(above) < order.index(below) for above, below in pairs)
    ]
    costs = Costs.of(a, 1)
    both: tuple[Callable[[int, int], int], ...] = (min, max)
    for choose in both:
        expected = None
        for value in allowed:
            expected = value if expected is None else choose(expected, value)
        assert costs.extreme(choose, required) == expected


def test_a_circle_of_precedences_leaves_no_order() -> None:
    assert Costs.of(((0, 1), (2, 0)), 1).extreme(min, [0b10, 0b01]) is None


def test_units_are_taken_out_again() -> None:
    found = Optimum.of(Costs.of(((0, 3), (2, 0)), 6))
    assert found.loss == Fraction(1, 3)


@pytest.mark.parametrize(
    ("texts", "order", "levels"),
    [
        ("2 1 0", (0, 1, 2), (0, 1, 2)),
        ("0 0 0", (2, 1, 0), (0, 0, 0)),
        ("1 0 1", (2, 0, 1), (0, 1, 0)),
        ("log(3) 1 log(2)", (0, 1, 2), (0, 1, 2)),
        ("1/2+log(2) log(3) log(3)", (0, 2, 1), (0, 1, 1)),
    ],
)
def test_ties_put_the_higher_index_first(texts: str, order: tuple[int, ...], levels: tuple[int, ...]) -> None:
    scores = [LogRational.parse(text) for text in texts.split()]
    assert order_of(scores) == order
    assert levels_of(scores, order) == levels
