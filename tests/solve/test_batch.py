"""Batched minimization: stationarity, known closed forms, two engines, and what it refuses."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consistency_lab import InputError, Term, minimize, pair
from consistency_lab.numbers.exact import LogRational
from consistency_lab.numbers.phi import named, parse
from consistency_lab.solve.batch import minimize_batch
from consistency_lab.solve.numeric import RiskStructure, stack
from consistency_lab.solve.straight import count_points, lattice_of

ONE = Fraction(1)
SMOOTH = [
    *("log(1+exp(-x))", "exp(-x)", "max(0,1-x)**2", "(1-x)**2", "max(0,1-x)**2/2-max(0,-x)**2/2"),
    *("max(0,1-x)**2-max(0,-1-x)**2", "max(0,1-x)**3", "log(1+exp(-2*x))", "exp(-x)+exp(-2*x)"),
    *("sqrt(1+x**2)-x", "x**4-x"),
]


def all_pairs(text, m):
    phi = parse(text)
    return RiskStructure.of([pair(ONE, phi, i, j) for i, j in permutations(range(m), 2)], m)


def coefficients(structure, batch, seed, spread):
    """Positive weights on all ordered pairs, so that the support is strongly connected."""
    exponents = np.random.default_rng(seed).uniform(-spread, 0, (batch, len(structure.V)))
    return 10.0**exponents


@pytest.mark.parametrize("text", SMOOTH)
@pytest.mark.parametrize(("m", "spread"), [(2, 6.0), (5, 0.5), (8, 6.0)])
def test_newton_reaches_a_stationary_point_even_where_weights_differ_by_a_million(text, m, spread):
    structure = all_pairs(text, m)
    C = coefficients(structure, 100, m, spread)
    found = minimize_batch(structure, C)
    assert found.converged.all()
    assert found.gradient_norm.max() <= 1e-10
    assert np.abs(found.scores.mean(axis=1)).max() <= 1e-9
    assert found.value == pytest.approx(structure.value(C, found.scores), rel=1e-12)
    moves = np.random.default_rng(5).normal(size=(9, m))
    for move in np.vstack([1e-3 * moves, moves]):
        lower = structure.value(C, found.scores + move) < found.value - 1e-12 * C.sum(axis=1)
        assert not lower.any()


@pytest.mark.parametrize("text", ["log(1+exp(-x))", "exp(-x)", "(1-x)**2"])
def test_two_items_have_closed_forms(text):
    structure = all_pairs(text, 2)
    C = coefficients(structure, 100, 7, 4.0)
    forward, backward = C.T
    closed = {
        "log(1+exp(-x))": np.log(forward / backward),
        "exp(-x)": np.log(forward / backward) / 2,
        "(1-x)**2": (forward - backward) / (forward + backward),
    }
    found = minimize_batch(structure, C).scores
    assert found[:, 0] - found[:, 1] == pytest.approx(closed[text], rel=1e-9, abs=1e-9)


def test_square_loss_solves_its_linear_system():
    m = 5
    structure = all_pairs("(1-x)**2", m)
    C = coefficients(structure, 50, 3, 2.0)
    found = minimize_batch(structure, C).scores
    for row, scores in zip(C, found, strict=True):
        laplacian = structure.V.T @ (structure.V * row[:, None])
        assert laplacian @ scores == pytest.approx(structure.V.T @ row, abs=1e-10)


@settings(max_examples=20)
@given(
    weights=st.lists(st.integers(1, 20), min_size=6, max_size=6),
    factor=st.integers(1, 10**6),
    order=st.permutations(range(3)),
)
def test_scaling_changes_nothing_and_relabeling_relabels(weights, factor, order):
    phi = parse("log(1+exp(-x))")
    pairs = list(permutations(range(3), 2))
    risk = [pair(Fraction(w), phi, i, j) for w, (i, j) in zip(weights, pairs, strict=True)]
    scaled = [Term(term.c * factor, term.phi, term.v) for term in risk]
    moved = [pair(Fraction(w), phi, order[i], order[j]) for w, (i, j) in zip(weights, pairs, strict=True)]
    found = minimize_batch(*stack([risk, scaled, moved], 3))
    assert found.scores[1] == pytest.approx(found.scores[0], abs=1e-11)
    assert found.value[1] == pytest.approx(found.value[0] * factor)
    assert found.scores[2][order] == pytest.approx(found.scores[0], abs=1e-11)


def test_different_functions_offsets_and_directions_go_together():
    terms = [
        pair(Fraction(3), parse("log(1+exp(-x))"), 0, 1, LogRational(Fraction(1, 2))),
        pair(Fraction(1), parse("exp(-x)"), 1, 0),
        pair(Fraction(2), parse("max(0,1-x)**2"), 2, 1, LogRational(Fraction(0), Fraction(2))),
        pair(Fraction(2), parse("-x"), 0, 2),
        *(Term(ONE, parse("x**2/2"), ((i, 1),)) for i in range(3)),
        Term(ONE, parse("log(exp(x)+exp(-x))"), ((0, 2), (1, -1))),
    ]
    structure, C = stack([terms, terms[:1] + terms[3:]], 3)
    assert not structure.shift_invariant
    found = minimize_batch(structure, C)
    assert found.converged.all()
    assert found.value == pytest.approx(structure.value(C, found.scores))
    rise = [
        structure.value(C, found.scores + h) - structure.value(C, found.scores - h) for h in 1e-5 * np.eye(3)
    ]
    assert np.abs(rise).max() < 2e-13


@pytest.mark.parametrize("m", [2, 3, 4])
@pytest.mark.parametrize("name", ["hinge", "ramp"])
def test_the_lattice_is_as_low_as_a_fine_grid(name, m):
    structure = all_pairs(named(name).text, m)
    C = np.random.default_rng(m).integers(0, 6, (200, len(structure.V))).astype(float)
    found = minimize_batch(structure, C)
    assert found.converged.all()
    assert found.value == pytest.approx(structure.value(C, found.scores))
    places = np.arange(-m, m + 0.25, 0.5 if m == 4 else 0.25)
    grid = np.stack(np.meshgrid(*[places] * (m - 1)), axis=-1).reshape(-1, m - 1)
    for point in np.hstack([grid, np.zeros((len(grid), 1))])[:: 1 if m < 4 else 7]:
        assert (structure.value(C, np.tile(point, (len(C), 1))) >= found.value - 1e-9).all()


def test_lattice_and_linear_program_find_the_same_least_value():
    structure = all_pairs("max(0,1-x,1/2-2*x)", 4)
    C = np.random.default_rng(2).integers(0, 9, (20, len(structure.V))).astype(float)
    found = minimize_batch(structure, C)
    pairs = list(permutations(range(4), 2))
    phi = structure.functions[0]
    for row, value in zip(C, found.value, strict=True):
        terms = [pair(Fraction(int(c)), phi, i, j) for c, (i, j) in zip(row, pairs, strict=True)]
        assert minimize(terms, 4).value == pytest.approx(value)


@pytest.mark.parametrize(
    ("m", "gap", "count"), [(2, 1, 3), (3, 1, 13), (4, 1, 75), (5, 1, 541), (2, 3, 7), (3, 2, 37)]
)
def test_lattice_sizes_are_ordered_bell_numbers_for_unit_gaps(m, gap, count):
    """OEIS A000670."""
    assert count_points(m, gap) == count
    text = f"max(0,{gap}-x)" if gap == 1 else f"max(0,{gap}-x,{gap}+1-2*x)"
    lattice = lattice_of(all_pairs(text, m))
    assert len(lattice.scores) == count


@pytest.mark.parametrize(("text", "m"), [("max(0,1-x)", 8), ("max(0,1-x)+exp(-x)", 3)])
def test_hinge_of_more_items_than_the_lattice_holds_and_other_kinks_are_minimized_one_at_a_time(text, m):
    structure = all_pairs(text, m)
    assert lattice_of(structure) is None
    C = np.random.default_rng(1).integers(0, 9, (2, len(structure.V))).astype(float)
    found = minimize_batch(structure, C)
    assert found.converged.all()
    assert found.value == pytest.approx(structure.value(C, found.scores))


def test_no_risks_and_empty_risks_are_answered():
    structure = all_pairs("log(1+exp(-x))", 3)
    assert minimize_batch(structure, np.zeros((0, 6))).scores.shape == (0, 3)
    nothing = minimize_batch(structure, np.zeros((2, 6)))
    assert nothing.converged.all()
    assert (nothing.value == 0).all()


@pytest.mark.parametrize(
    ("C", "message"),
    [
        (np.ones((2, 5)), "expected 6 columns"),
        (np.ones(6), "expected 6 columns"),
        (-np.ones((1, 6)), "at least 0"),
        (np.full((1, 6), np.nan), "not finite"),
    ],
)
def test_bad_coefficients_are_refused(C, message):
    with pytest.raises(InputError, match=message):
        minimize_batch(all_pairs("exp(-x)", 3), C)
    with pytest.raises(InputError, match=r"item 2, but items are 0\.\.1"):
        RiskStructure.of([pair(ONE, parse("exp(-x)"), 0, 2)], 2)
