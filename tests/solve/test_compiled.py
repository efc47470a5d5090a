"""Machine code and NumPy find the same minimizers, judge alike, and are loaded only when it pays."""

import os
import shutil
import subprocess
import sys
from fractions import Fraction
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import consistency_lab
from consistency_lab import Effort, Term, pair, surrogate
from consistency_lab.numbers.exact import LogRational
from consistency_lab.numbers.phi import named, parse
from consistency_lab.search.forward import compare_with_optimum, space, surely_attained, suspects_of_weight
from consistency_lab.search.size import TermTable
from consistency_lab.solve.batch import minimize_batch
from consistency_lab.solve.connectivity import strong_components
from consistency_lab.solve.machine import PARABOLA, packed, pays, shape_of
from consistency_lab.solve.numeric import RiskStructure, compiled

ONE = Fraction(1)
KNOWN = ["logistic", "exponential", "squared-hinge", "square", "smoothed-hinge", "huberized-hinge"]


def all_pairs(text, m):
    phi = parse(text)
    return RiskStructure.of([pair(ONE, phi, i, j) for i, j in permutations(range(m), 2)], m)


def weights(m, seed, spread, share):
    """Weights of 200 risks over so many orders of magnitude, each present with this probability."""
    generator = np.random.default_rng(seed)
    shape = (200, m * (m - 1))
    return 10.0 ** generator.uniform(-spread, 0, shape) * (generator.random(shape) < share)


def connected(row, m):
    arcs = {(i, j) for c, (i, j) in zip(row, permutations(range(m), 2), strict=True) if c > 0}
    return len(strong_components(arcs, m)) == 1


@pytest.mark.parametrize("name", KNOWN)
@settings(max_examples=6)
@given(
    m=st.integers(2, 7),
    seed=st.integers(0, 10**6),
    spread=st.sampled_from([0.0, 1.0, 6.0]),
    share=st.sampled_from([0.3, 0.7, 1.0]),
)
def test_both_engines_find_the_same_minimum(name, m, seed, spread, share):
    structure = all_pairs(named(name).text, m)
    C = weights(m, seed, spread, share)
    slow = minimize_batch(structure, C, compiled=False)
    fast = minimize_batch(structure, C, compiled=True)
    assert (fast.converged | ~slow.converged).all()
    assert (fast.gradient_norm[fast.converged] <= 1e-10).all()
    assert fast.value == pytest.approx(slow.value, rel=1e-9, abs=1e-9)
    assert np.abs(fast.scores.mean(axis=1)).max() <= 1e-9 * (1 + np.abs(fast.scores).max())
    attained = [connected(row, m) for row in C]
    there = fast.scores[attained]
    assert fast.value[attained] == pytest.approx(structure.value(C[attained], there), rel=1e-12, abs=1e-12)
    if name in ("logistic", "exponential", "square"):  # strictly convex: the minimizer is unique
        assert there == pytest.approx(slow.scores[attained], abs=1e-9)


@pytest.mark.parametrize("name", KNOWN)
@pytest.mark.parametrize("m", [2, 3, 4, 10])
def test_nothing_ordinary_is_left_to_numpy(name, m):
    structure = all_pairs(named(name).text, m)
    risks = packed(structure)
    assert risks is not None
    C = weights(m, 3, 1.0, 1.0)
    from consistency_lab.solve.newton_kernels import minimizers

    assert minimizers(risks, C, 1e-10, 100)[2].max() <= 1e-10


@settings(max_examples=20)
@given(x=st.lists(st.floats(-60, 60), min_size=2, max_size=2), ahead=st.floats(0, 5), behind=st.floats(0, 5))
@pytest.mark.parametrize("name", KNOWN)
def test_value_and_slope_of_one_pair_are_those_of_the_expression(name, x, ahead, behind):
    from consistency_lab.solve.newton_kernels import measure

    phi = named(name).expression
    structure = all_pairs(named(name).text, 2)
    risks = packed(structure)
    C, scores, value, norm = np.array([[ahead, behind]]), np.array([x]), np.empty(1), np.empty(1)
    measure(C, risks.pairs, risks.shape.kind, risks.shape.numbers, 0, 1, scores, value, norm)
    gap = np.array([x[0] - x[1], x[1] - x[0]])
    values, slopes, _ = compiled(phi)(gap)
    scale = max(ahead, behind) or 1.0
    assert value[0] == pytest.approx(ahead * values[0] + behind * values[1], rel=1e-12)
    assert norm[0] * scale == pytest.approx(abs(ahead * slopes[0] - behind * slopes[1]), rel=1e-9, abs=1e-13)


@pytest.mark.parametrize(
    "text", ["max(0,1-x)", "sqrt(1+x**2)-x", "max(0,1-x)**3", "1/(1+exp(x))", "log(1+exp(-2*x))", "2-x"]
)
def test_other_functions_are_not_known_but_any_parabola_that_goes_on_as_its_tangents_is(text):
    assert shape_of(parse(text)) is None
    assert shape_of(parse("3+max(0,2-x)**2-max(0,-3-x)**2")).kind == PARABOLA


def test_offsets_single_items_and_several_functions_are_left_to_numpy():
    phi = parse("exp(-x)")
    risks = [
        [pair(ONE, phi, 0, 1, LogRational(Fraction(1, 2)))],
        [pair(ONE, phi, 0, 1), Term(ONE, phi, ((0, 1),))],
        [pair(ONE, phi, 0, 1), pair(ONE, parse("(1-x)**2"), 1, 0)],
        [Term(ONE, phi, ((0, 2), (1, -2)))],
    ]
    assert [packed(RiskStructure.of(terms, 2)) for terms in risks] == [None] * 4
    structure = RiskStructure.of(risks[2], 2)
    assert minimize_batch(structure, np.ones((3, 2)), compiled=True).converged.all()


def test_more_risks_than_lanes_and_pieces_keep_their_places():
    structure = all_pairs("log(1+exp(-x))", 2)
    C = np.random.default_rng(8).uniform(0.1, 9, (10_001, 2))
    found = minimize_batch(structure, C, compiled=True).scores
    assert found[:, 0] - found[:, 1] == pytest.approx(np.log(C[:, 0] / C[:, 1]), abs=1e-9)
    assert minimize_batch(structure, np.zeros((0, 2)), compiled=True).scores.shape == (0, 2)
    nothing = minimize_batch(structure, np.zeros((2, 2)), compiled=True)
    assert nothing.converged.all() and (nothing.value == 0).all()


@pytest.mark.parametrize("m", [2, 3, 4, 5])
@pytest.mark.parametrize("dtype", [np.int64, np.float64])
def test_both_judges_agree(m, dtype):
    generator = np.random.default_rng(m)
    a = generator.integers(0, 5, (500, m, m)).astype(dtype) * ~np.eye(m, dtype=bool)
    scores = generator.integers(0, 3, (500, m)) + 1e-9 * generator.normal(size=(500, m))
    fast, slow = (compare_with_optimum(a, scores, compiled=which) for which in (True, False))
    assert (fast.wrong == slow.wrong).all()
    assert (fast.strict == slow.strict).all()
    assert fast.regret == pytest.approx(slow.regret)


@pytest.mark.parametrize("name", ["logistic", "difference-logistic"])
@pytest.mark.parametrize("m", [2, 3, 4, 6])
def test_both_screenings_agree_with_the_strong_components(name, m):
    table = TermTable(surrogate(name), m)
    a = np.random.default_rng(m).integers(-3, 4, (300, m, m)).clip(0) * ~np.eye(m, dtype=bool)
    used = np.maximum(a - a.transpose(0, 2, 1), 0) if table.difference else a
    expected = [len(strong_components({(int(i), int(j)) for i, j in np.argwhere(u)}, m)) == 1 for u in used]
    assert surely_attained(a, table, compiled=False).tolist() == expected
    assert surely_attained(a, table, compiled=True).tolist() == expected


@pytest.mark.parametrize("name", ["logistic", "squared-hinge"])
def test_both_engines_list_the_same_suspects(name):
    table, aggregates = TermTable(surrogate(name), 3), space("additive", 3, True)
    for total in range(2, 13):
        first, later = Effort(600), Effort(600, distributions=10**9)
        plain, machine = (list(suspects_of_weight(aggregates, total, table, e)) for e in (first, later))
        assert [s.a for s in plain] == [s.a for s in machine]
        assert [s.strict for s in plain] == [s.strict for s in machine]


def run(code, folder=None, **environment):
    command, given = [sys.executable, "-W", "error", "-c", code], {**os.environ, **environment}
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder, env=given)
    return done.stdout.strip()


def test_a_small_batch_loads_no_compiler():
    code = (
        "import sys, numpy as np\n"
        "from consistency_lab.model.surrogates import surrogate\n"
        "from consistency_lab.search.size import TermTable\n"
        "from consistency_lab.solve.batch import minimize_batch\n"
        "minimize_batch(TermTable(surrogate('logistic'), 3).structure, np.ones((2000, 6)))\n"
        "print('numba' in sys.modules)"
    )
    assert run(code) == "False"
    assert not pays(3, 0)


def test_compiling_asks_for_linear_algebra_only_where_it_is_used():
    code = (
        "import sys, numpy as np\n"
        "from consistency_lab.numbers.compiling import inlined\n"
        "twice, dot = inlined(lambda x: 2.0 * x), inlined(lambda x: x @ x)\n"
        "print(twice(3.0), 'scipy.linalg' in sys.modules, dot(np.array([1.0, 2.0])))"
    )
    assert run(code) == "6.0 False 5.0"


def test_without_the_compiler_the_plain_programs_do_everything():
    """However many risks, items or programs there are; the compiler is hidden as if it were not installed."""
    code = (
        "import sys, numpy as np\n"
        "sys.modules['numba'] = None\n"
        "from fractions import Fraction\n"
        "from consistency_lab.model.surrogates import surrogate\n"
        "from consistency_lab.search.inverse import InversePrograms\n"
        "from consistency_lab.search.inverse import shapes\n"
        "from consistency_lab.search.forward import compare_with_optimum\n"
        "from consistency_lab.search.size import TermTable\n"
        "from consistency_lab.solve import machine\n"
        "from consistency_lab.solve.batch import minimize_batch\n"
        "from consistency_lab.solve.optimal import optimal_orders\n"
        "machine._START = 0  # it would pay for any number\n"
        "loss = surrogate('logistic')\n"
        "table = TermTable(loss, 3)\n"
        "found = minimize_batch(table.structure, np.ones((2000, 6)))\n"
        "assert found.converged.all()\n"
        "assert not compare_with_optimum(np.ones((2000, 3, 3)), found.scores).strict.any()\n"
        "programs = InversePrograms(table, next(iter(shapes(loss, 'additive', 3))))\n"
        "scores = np.array([[0.5, 0.25, 0.0]])\n"
        "for wanted in (None, True): programs.solve(scores, ties=True, machine_code=wanted)\n"
        "rows = [[Fraction(int(i < j)) for j in range(12)] for i in range(12)]\n"
        "print(optimal_orders(rows).count())"
    )
    assert run(code) == "1"


@pytest.mark.long
def test_machine_code_is_kept_with_the_user_where_the_package_is_read_only(tmp_path):
    """And runs all the same where nothing can be written at all."""
    package = tmp_path / "site" / "consistency_lab"
    package.parent.mkdir()
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(consistency_lab.__file__).parent, package, ignore=ignored)
    (package / "solve" / "__pycache__").write_text("in the way: no folder can be made here, even by root")
    code = (
        "import numpy as np\n"
        "from consistency_lab.solve.order_kernels import connect\n"
        "found = np.zeros(1, dtype=bool)\n"
        "connect(np.array([[[0, 1], [1, 0]]]), False, 0, 1, found)\n"
        "print(found[0])"
    )
    cache = tmp_path / "cache"
    environment = {"PYTHONDONTWRITEBYTECODE": "1", "NUMBA_CACHE_DIR": ""}
    assert run(code, package.parent, XDG_CACHE_HOME=str(cache), **environment) == "True"
    assert list(cache.rglob("*.nbi"))
    cache.joinpath("file").touch()
    assert run(code, package.parent, XDG_CACHE_HOME=str(cache / "file"), **environment) == "True"
