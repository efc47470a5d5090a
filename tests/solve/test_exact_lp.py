"""Exact linear programs: every status is proved, and agrees with SciPy's HiGHS interface."""

from fractions import Fraction

import highspy
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from consistency_lab.errors import InputError
from consistency_lab.solve.lp import FloatSolver, LPStatus, new_highs, optimal_basis, solve_lp

ENTRY = st.one_of(st.just(Fraction(0)), st.fractions(min_value=-4, max_value=4, max_denominator=3))


def _vector(*values):
    return [Fraction(value) for value in values]


@st.composite
def programs(draw):
    n, k, rest = draw(st.integers(1, 6)), draw(st.integers(0, 3)), draw(st.integers(0, 4))
    row = st.lists(ENTRY, min_size=n, max_size=n)
    A_eq = draw(st.lists(row, min_size=k, max_size=k))
    A_ub = draw(st.lists(row, min_size=rest, max_size=rest))
    if draw(st.booleans()):  # make it feasible
        x = draw(st.lists(st.fractions(0, 3, max_denominator=2), min_size=n, max_size=n))
        b_eq = [_dot(r, x) for r in A_eq]
        b_ub = [_dot(r, x) + draw(st.integers(0, 1)) for r in A_ub]
    else:
        b_eq, b_ub = [draw(ENTRY) for _ in A_eq], [draw(ENTRY) for _ in A_ub]
    return draw(row), A_eq, b_eq, A_ub, b_ub


def _dot(left, right):
    return sum((a * b for a, b in zip(left, right, strict=True)), Fraction(0))


def _columns(rows, n):
    return [[row[j] for row in rows] for j in range(n)]


def _check(program, solution):
    c, A_eq, b_eq, A_ub, b_ub = program
    n = len(c)
    if solution.status is LPStatus.INFEASIBLE:
        c = [Fraction(0)] * n
    else:
        assert all(x >= 0 for x in solution.x)
        assert all(_dot(row, solution.x) == b for row, b in zip(A_eq, b_eq, strict=True))
        assert all(_dot(row, solution.x) <= b for row, b in zip(A_ub, b_ub, strict=True))
    if solution.status is LPStatus.UNBOUNDED:
        assert all(r >= 0 for r in solution.ray)
        assert _dot(c, solution.ray) < 0
        assert all(_dot(row, solution.ray) == 0 for row in A_eq)
        assert all(_dot(row, solution.ray) <= 0 for row in A_ub)
        return
    u, w = solution.dual_eq, solution.dual_ub
    assert all(value >= 0 for value in w)
    for cost, equal, upper in zip(c, _columns(A_eq, n), _columns(A_ub, n), strict=True):
        assert cost - _dot(equal, u) + _dot(upper, w) >= 0
    bound = _dot(b_eq, u) - _dot(b_ub, w)
    assert bound > 0 if solution.status is LPStatus.INFEASIBLE else bound == solution.value


@given(program=programs())
def test_the_answer_is_proved_and_is_scipys(program):
    c, A_eq, b_eq, A_ub, b_ub = program
    solution = solve_lp(*program)
    _check(program, solution)
    n = len(c)
    reference = linprog(
        np.array(c, dtype=float),
        A_ub=np.array(A_ub, dtype=float).reshape(-1, n),
        b_ub=np.array(b_ub, dtype=float),
        A_eq=np.array(A_eq, dtype=float).reshape(-1, n),
        b_eq=np.array(b_eq, dtype=float),
    )
    names = {0: LPStatus.OPTIMAL, 2: LPStatus.INFEASIBLE, 3: LPStatus.UNBOUNDED}
    # SciPy's status 4 leaves open whether the program is infeasible or unbounded.
    assert reference.status == 4 or names[reference.status] is solution.status
    if solution.value is not None:
        assert reference.fun == pytest.approx(float(solution.value), abs=1e-7)

    basis = optimal_basis(c, [*A_eq, *A_ub], [*b_eq, *b_ub], len(A_eq), 1000)
    assert (basis is not None) == (solution.status is LPStatus.OPTIMAL)
    if basis is not None:
        assert len(set(basis)) == len(A_eq) + len(A_ub)


def test_a_program_that_floats_cannot_tell_from_an_infeasible_one():
    # x <= 1 and x >= 1 + 10^-30: no tolerance of a float solver sees the difference.
    gap = Fraction(1, 10**30)
    program = (_vector(1), [], [], [_vector(1), _vector(-1)], [Fraction(1), -1 - gap])
    solution = solve_lp(*program)
    assert solution.status is LPStatus.INFEASIBLE
    _check(program, solution)


def test_an_optimum_that_floats_cannot_tell_from_its_neighbor():
    tilt = Fraction(1, 10**20)
    program = ([-1 - tilt, Fraction(-1)], [], [], [_vector(1, 1)], _vector(1))
    solution = solve_lp(*program)
    assert list(solution.x) == [1, 0]
    assert solution.value == -1 - tilt


def test_numbers_beyond_the_range_of_floats():
    huge = Fraction(10) ** 400
    solution = solve_lp([-Fraction(1)], A_ub=[[huge]], b_ub=[3 * huge])
    assert list(solution.x) == [3]
    small = solve_lp([-Fraction(1)], A_ub=[[1 / huge]], b_ub=[3 / huge])
    assert list(small.x) == [3]


def test_programs_without_rows_or_columns_and_rows_of_zeros_or_there_twice():
    assert solve_lp(_vector(1, 0)).value == 0
    assert solve_lp(_vector(-1)).status is LPStatus.UNBOUNDED
    assert solve_lp([], [[]], [Fraction(1)]).status is LPStatus.INFEASIBLE
    assert solve_lp([], [[]], [Fraction(0)]).value == 0
    zero, row = _vector(0, 0), _vector(1, 2)
    assert solve_lp(_vector(1, 1), [zero], _vector(0)).value == 0
    assert solve_lp(_vector(1, 1), [zero], _vector(1)).status is LPStatus.INFEASIBLE
    assert solve_lp(_vector(1, 1), A_ub=[zero], b_ub=_vector(-1)).status is LPStatus.INFEASIBLE
    assert solve_lp(_vector(1, -1), A_ub=[zero], b_ub=_vector(1)).status is LPStatus.UNBOUNDED
    assert solve_lp(_vector(1, 1), [row, row, _vector(2, 4)], _vector(2, 2, 4)).value == 1


def test_highs_is_silent_before_its_constructor_calls_what_prints(monkeypatch):
    """Of 1.16 the callbacks print a banner on stdout, into a JSON answer; earlier ones print there later."""
    heard = []
    before = highspy.Highs.enableCallbacks

    def enabled(highs):
        heard.append(highs.getOptionValue("output_flag")[1])
        before(highs)

    monkeypatch.setattr(highspy.Highs, "enableCallbacks", enabled)
    new_highs()
    assert heard == [False]


@given(program=programs())
def test_the_float_version_agrees_and_its_solver_can_be_reused(program):
    solver = FloatSolver()
    n = len(program[0])
    c, A_eq, b_eq, A_ub, b_ub = (np.array(part, dtype=float) for part in program)
    A_eq, A_ub = A_eq.reshape(-1, n), A_ub.reshape(-1, n)
    exact = solve_lp(*program, solver=solver)
    answers = [solver.solve(c, A_eq, b_eq, A_ub, b_ub) for _ in range(2)]
    for answer in answers:
        assert answer.status in (exact.status, LPStatus.UNDECIDED)
        if exact.value is not None:
            assert answer.value == pytest.approx(float(exact.value), abs=1e-7)
            bound = b_eq @ answer.dual_eq - b_ub @ answer.dual_ub
            assert bound == pytest.approx(float(exact.value), abs=1e-6)
            assert (answer.dual_ub >= -1e-9).all()


def test_shapes_must_fit():
    with pytest.raises(InputError, match="a row has 1 entries; expected 2"):
        solve_lp(_vector(1, 1), [_vector(1)], _vector(1))
    with pytest.raises(InputError, match="each row needs one"):
        solve_lp(_vector(1), [_vector(1)], [])
