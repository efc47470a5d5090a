"""The claims about losses on the difference graph, on exact examples."""

from fractions import Fraction
from itertools import combinations, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consistency_lab.decide.theorems.catalogue import consistency_theorem
from consistency_lab.model.conditions import conditions_of
from consistency_lab.model.posets import orientations
from consistency_lab.model.surrogates import surrogate
from consistency_lab.numbers.exact.linear import solve_linear
from consistency_lab.numbers.phi import PiecewisePolynomial, parse

Weights = dict[tuple[int, int], Fraction]


@st.composite
def acyclic_weights(draw: st.DrawFn) -> tuple[int, Weights]:
    m = draw(st.integers(2, 4))
    relation = draw(st.sampled_from(orientations(m)[1:]))
    return m, {pair: draw(st.fractions(Fraction(1, 3), 3, max_denominator=3)) for pair in sorted(relation)}


@pytest.mark.parametrize("text", ["max(0,1-x)", "max(0,1-x)**2", "max(0,min(1,1-x))"])
@given(question=acyclic_weights(), data=st.data())
def test_a_wrong_edge_costs_its_weight_times_the_fall_of_phi(
    text: str, question: tuple[int, Weights], data: st.DataObject
) -> None:
    # W* = sum d inf phi, and a wrong edge costs at least d_ij (phi(0) - inf phi) more. Here inf phi = 0.
    phi = PiecewisePolynomial.of(parse(text))
    assert phi is not None
    m, d = question
    spread = [Fraction(m - item) for item in range(m)]
    assert _risk(phi, d, spread) == 0
    scores = data.draw(st.lists(st.fractions(-3, 3, max_denominator=2), min_size=m, max_size=m))
    for (i, j), weight in d.items():
        if scores[i] <= scores[j]:
            assert _risk(phi, d, scores) >= weight * phi.value(Fraction(0))


def _risk(phi: PiecewisePolynomial, d: Weights, scores: list[Fraction]) -> Fraction:
    return sum((w * phi.value(scores[i] - scores[j]) for (i, j), w in d.items()), Fraction(0))


def _square_minimizer(d: list[list[Fraction]]) -> list[Fraction]:
    """Minimize sum [d_ij]_+ (1 - alpha_i + alpha_j)^2 with last score 0, by the normal equations."""
    m = len(d)
    total = [sum(map(abs, row), Fraction(0)) for row in d]
    rows = [[total[i] if i == j else -abs(d[i][j]) for j in range(m)] for i in range(m)]
    rows.append([Fraction(j == m - 1) for j in range(m)])
    scores = solve_linear(rows, [*(sum(row, Fraction(0)) for row in d), Fraction(0)])
    assert scores is not None
    return scores


def _differences(m: int, weights: Weights) -> list[list[Fraction]]:
    d = [[Fraction(0)] * m for _ in range(m)]
    for (i, j), weight in weights.items():
        d[i][j], d[j][i] = weight, -weight
    return d


@given(y=st.lists(st.fractions(0, 4, max_denominator=4), min_size=2, max_size=7))
def test_the_square_loss_orders_additive_differences(y: list[Fraction]) -> None:
    if len(set(y)) == 1:
        return
    scores = _square_minimizer([[above - below for below in y] for above in y])
    for i, j in permutations(range(len(y)), 2):
        assert (scores[i] > scores[j]) == (y[i] > y[j])


def test_the_square_loss_fails_on_an_acyclic_graph_of_four_items() -> None:
    # A long way round: 1 → 2 → 3 → 4 wants three steps, 1 → 4 wants one, and 2 → 3 weighs least.
    d = _differences(4, {(0, 1): Fraction(4), (1, 2): Fraction(1), (2, 3): Fraction(4), (0, 3): Fraction(4)})
    scores = _square_minimizer(d)
    assert scores[1] - scores[2] == Fraction(-1, 7)
    assert [name for name, held in conditions_of(d).items() if held] == ["acyclic", "any"]


def test_the_square_loss_fails_for_low_noise_on_four_items() -> None:
    weights = zip(combinations(range(4), 2), (9, 15, 72, 6, 7, 1), strict=True)
    d = _differences(4, {pair: Fraction(weight) for pair, weight in weights})
    assert _square_minimizer(d)[2] == Fraction(-1, 38)
    assert next(name for name, held in conditions_of(d).items() if held) == "low-noise"


def test_the_square_loss_is_right_on_all_small_acyclic_graphs_of_three_items() -> None:
    for relation in orientations(3):
        for weights in ((1, 2, 3), (3, 1, 2), (9, 1, 9), (1, 9, 1)):
            d = _differences(3, dict(zip(sorted(relation), map(Fraction, weights), strict=False)))
            connected = all(any(value for value in row) for row in d)
            if connected:
                scores = _square_minimizer(d)
                assert all(scores[i] > scores[j] for i, j in combinations(range(3), 2) if d[i][j] > 0)


@pytest.mark.parametrize(
    ("phi", "proved"),
    [("(1-x)**2", True), ("3*x**2-x/2+7", True), ("x**2", False), ("x**2+x", False), ("x**4-x", False)],
)
def test_parabolas_that_fall_at_zero_are_consistent_on_additive_differences(phi: str, proved: bool) -> None:
    loss = surrogate(phi=phi, form="difference")
    assert (consistency_theorem(loss, "additive") is not None) is proved
    assert consistency_theorem(loss, "low-noise") is None
