"""One risk at a time: known minimizers, agreement of the engines, exactness, and what is refused."""

from fractions import Fraction
from itertools import permutations

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consistency_lab import Distribution, InputError, Term, UnsupportedError, minimize, pair, surrogate
from consistency_lab.numbers.exact import LogRational
from consistency_lab.numbers.phi import exact_slopes, parse
from consistency_lab.solve.conic import conic_minimizer
from consistency_lab.solve.numeric import stack
from consistency_lab.solve.stationary import argument, stationary_slopes

ONE = Fraction(1)
VERMONT = Distribution.from_aggregate(
    [[0, 908, 944, 461], [631, 0, 310, 752], [620, 263, 0, 684], [209, 777, 756, 0]],
    ["Beck", "Fay", "South", "Willhoit"],
)
"""Voters who prefer row to column, St Johnsbury 1960 (PrefLib 00031-00000010)."""

WEIGHTS = st.lists(st.integers(1, 9), min_size=6, max_size=6)


def at(name, p):
    return minimize(surrogate(name).risk_terms(p), p.m)


def edges(text, weights, m=3):
    phi = parse(text)
    pairs = zip(weights, permutations(range(m), 2), strict=True)
    return [pair(Fraction(w), phi, i, j) for w, (i, j) in pairs if w]


def test_vermont_logistic_ranks_fay_above_willhoit():
    """A majority of 25 prefers Willhoit to Fay; the published minimizer has them the other way round."""
    found = at("logistic", VERMONT)
    assert found.scores[1] == pytest.approx(-0.0703, abs=5e-5)
    assert found.scores[3] == pytest.approx(-0.1156, abs=5e-5)
    assert found.gradient_norm < 1e-12
    assert (found.attained, found.unique, found.exact) == (True, True, None)

    for name in ("exponential", "squared-hinge"):
        other = at(name, VERMONT)
        assert other.scores[1] > other.scores[3] + 1e-3


def test_vermont_linear_loss_is_right_and_equals_the_net_preferences():
    """DMJ10 Eq. 15 with r = x**2/2, nu = 1: alpha_i = sum_j d_ij."""
    found = at("linear", VERMONT)
    assert found.exact == tuple(LogRational(sum(row, Fraction(0))) for row in VERMONT.difference)
    assert found.exact[1] < found.exact[3]


@given(WEIGHTS)
@settings(max_examples=25)
def test_two_items_logistic_is_the_log_of_the_ratio_exactly(weights):
    forward, backward, *_ = weights
    found = minimize(edges("log(1+exp(-x))", [forward, backward], 2), 2)
    assert found.exact[0] - found.exact[1] == LogRational(Fraction(0), Fraction(forward, backward))
    assert found.unique is True


@given(st.lists(st.integers(1, 12), min_size=4, max_size=4))
@settings(max_examples=25)
def test_logistic_recovers_bradley_terry_scores_exactly(strengths):
    """If a_ij / a_ji = q_i / q_j for all pairs, alpha_i = log q_i is stationary term by term."""
    weights = [strengths[i] for i, _ in permutations(range(4), 2)]
    found = minimize(edges("log(1+exp(-x))", weights, 4), 4)
    least = min(strengths)
    assert found.exact == tuple(LogRational(Fraction(0), Fraction(q, least)) for q in strengths)


@pytest.mark.parametrize("name", ["square", "squared-hinge", "smoothed-hinge", "huberized-hinge", "hinge"])
@given(weights=WEIGHTS)
@settings(max_examples=10)
def test_piecewise_polynomials_of_degree_two_are_minimized_exactly(name, weights):
    terms = edges(surrogate(name).functions[0].text(), weights)
    found = minimize(terms, 3)
    assert found.exact is not None
    assert found.attained is True
    slopes = stationary_slopes(terms, 3, found.exact)
    assert slopes is not None
    total = [Fraction(0)] * 3
    for term, slope in zip(terms, slopes, strict=True):
        left, right = exact_slopes(term.phi, argument(term, found.exact))
        assert left is not None
        assert right is not None
        assert left <= slope <= right
        for item, n in term.v:
            total[item] += term.c * slope * n
    assert not any(total)


def test_square_loss_is_the_rational_solution_of_its_normal_equations():
    found = minimize(edges("(1-x)**2", [1, 4, 0, 1, 2, 0]), 3)
    # Weights 1→2: 1, 1→3: 4, 2→3: 1, 3→1: 2: sum_j (a_ij + a_ji)(alpha_i - alpha_j) = sum_j d_ij.
    assert [str(x) for x in found.exact or ()] == ["6/13", "3/13", "0"]


@pytest.mark.parametrize(
    "text",
    [
        *("log(1+exp(-x))", "exp(-x)", "max(0,1-x)**2", "sqrt(1+x**2)-x/2", "-log(1/(1+exp(-x)))"),
        *("log(exp(-x)+1+exp(x))-x/2", "log(exp(-x)*(1+exp(-x)))+x", "exp(-x)+x*x", "(1-x)**4"),
    ],
)
def test_newton_and_a_conic_solver_agree(text):
    terms = edges(text, [5, 1, 2, 7, 3, 4])
    newton = minimize(terms, 3)
    assert newton.gradient_norm < 1e-11
    assert conic_minimizer(terms, 3) == pytest.approx(newton.scores, abs=1e-5)


@pytest.mark.parametrize("text", ["max(0,1-x)", "abs(1-x)", "max(0,1-x,2-4*x)"])
@given(weights=WEIGHTS)
@settings(max_examples=2)
def test_linear_program_and_conic_solver_agree(text, weights):
    terms = edges(text, weights)
    exact, quick = minimize(terms, 3), minimize(terms, 3, exact=False)
    structure, C = stack([terms], 3)
    conic = conic_minimizer(terms, 3)
    assert exact.value == pytest.approx(quick.value)
    assert float(structure.value(C, conic[None])[0]) == pytest.approx(exact.value, abs=1e-5)


ATOMS = {
    "max(0,1-x)+exp(-x)": lambda x: cp.pos(1 - x) + cp.exp(-x),
    "max(exp(-x),1-x)": lambda x: cp.maximum(cp.exp(-x), 1 - x),
    "max(0,1-x)-log(1/(1+exp(-x)))": lambda x: cp.pos(1 - x) + cp.logistic(-x),
    "max(0,1-x)+sqrt(1+x**2)": lambda x: cp.pos(1 - x) + cp.norm(cp.hstack([1, x])),
}


@pytest.mark.parametrize("text", ATOMS)
def test_any_other_convex_function_is_as_low_as_a_direct_conic_model(text):
    weights = [5, 1, 2, 7, 3, 4]
    found = minimize(edges(text, weights), 3)
    alpha, pairs = cp.Variable(3), list(permutations(range(3), 2))
    risk = sum(w * ATOMS[text](alpha[i] - alpha[j]) for w, (i, j) in zip(weights, pairs, strict=True))
    problem = cp.Problem(cp.Minimize(risk), [cp.sum(alpha) == 0])
    problem.solve(solver=cp.CLARABEL)
    assert found.value == pytest.approx(problem.value, rel=1e-6)
    assert found.gradient_norm < 1e-9


@pytest.mark.parametrize(
    "text",
    [
        "max(0,1-x)**2/2-max(0,-x)**2/2",
        "max(0,1-x)**2-max(0,-1-x)**2",
        "max(0,1-x)**2+max(0,x-2)**2/4-max(0,x-3)**2/4",
    ],
)
def test_lines_and_parabolas_are_convex_for_the_conic_solver_too(text):
    terms = edges(text, [5, 1, 2, 7, 3, 4])
    newton = minimize(terms, 3)
    assert newton.exact is not None
    assert conic_minimizer(terms, 3) == pytest.approx(newton.scores, abs=1e-6)
    mixed = [*terms, *edges("max(0,1-x)", [1, 0, 2, 0, 0, 1])]
    found = minimize(mixed, 3)
    assert found.exact is not None
    assert stationary_slopes(mixed, 3, found.exact) is not None


def test_margins_shift_the_argument():
    phi = parse("max(0,1-x)")
    b = LogRational(Fraction(3, 2))
    found = minimize([pair(Fraction(2), phi, 0, 1, b), pair(ONE, phi, 1, 0, b)], 2)
    assert [str(x) for x in found.exact or ()] == ["5/2", "0"]
    b = LogRational(Fraction(0), Fraction(2))  # an irrational margin is minimized in floats
    found = minimize([pair(Fraction(2), phi, 0, 1, b), pair(ONE, phi, 1, 0, b)], 2)
    assert found.exact is None
    assert found.scores[0] - found.scores[1] == pytest.approx(1 + np.log(2))


def test_a_minimum_next_to_a_jump_of_the_curvature_is_met():
    """The minimizer lies at a breakpoint of the Huberized hinge; a short last step would leap over it."""
    huberized, cosh = parse("max(0,1-x)**2-max(0,-1-x)**2"), parse("log(exp(x)+exp(-x))")
    terms = [
        Term(Fraction(1, 3), huberized, ((0, -1), (1, 1))),
        Term(Fraction(3), cosh, ((0, -1), (1, 1))),
        Term(ONE, huberized, ((0, 2), (1, -1)), LogRational(Fraction(1, 2))),
        Term(ONE, huberized, ((0, 1), (1, -1)), LogRational(Fraction(-3))),
        Term(Fraction(2), huberized, ((0, -1), (1, 1)), LogRational(Fraction(-3))),
    ]
    assert minimize(terms, 2).gradient_norm < 1e-12


def test_a_parabola_with_a_kink_is_exact_after_the_conic_solver_and_so_is_nothing_at_all():
    found = minimize(edges("max(0,1-x)+x**2", [3, 1, 1, 2, 0, 2]), 3)
    assert found.exact is not None and found.unique is True
    nothing = minimize([], 3)
    assert (nothing.value, nothing.attained, nothing.unique) == (0.0, True, False)
    assert nothing.exact == (LogRational(Fraction(0)),) * 3


def test_bad_questions_are_refused_in_one_sentence():
    with pytest.raises(InputError, match="at least 0"):
        minimize([pair(Fraction(-1), parse("exp(-x)"), 0, 1)], 2)
    with pytest.raises(UnsupportedError, match="plainly convex"):
        minimize(edges("max(0,1-x)+x*x*x*x", [1, 1, 1, 1, 1, 1]), 3)
    with pytest.raises(UnsupportedError, match="not known to be convex"):
        minimize(edges("min(abs(x),1)+exp(-x)", [1, 1, 1, 1, 1, 1]), 3)


@given(weights=WEIGHTS, order=st.permutations(range(3)), factor=st.fractions(1, 50))
@settings(max_examples=20)
def test_exact_minimizers_relabel_and_do_not_scale(weights, order, factor):
    terms = edges("(1-x)**2", weights)
    moved = [Term(t.c * factor, t.phi, tuple(sorted((order[i], n) for i, n in t.v))) for t in terms]
    before, after = minimize(terms, 3).exact, minimize(moved, 3).exact
    assert before is not None
    assert tuple(after[k] for k in order) == before


def test_a_constant_that_no_float_holds_is_refused_with_the_reason():
    terms = [pair(ONE, parse("max(exp(1e15),x)"), 0, 1), pair(ONE, parse("max(0,1-x)"), 0, 1)]
    with pytest.raises(UnsupportedError, match=r"exp\(1000000000000000\) is larger than floats can hold"):
        conic_minimizer(terms, 2)
    phi = parse("max(0,1-x)*exp(1e3)")
    with pytest.raises(UnsupportedError, match=r"exp\(1000\) is larger than floats can hold"):
        minimize([pair(Fraction(1), phi, 0, 1), pair(Fraction(1), phi, 1, 0)], 2)
