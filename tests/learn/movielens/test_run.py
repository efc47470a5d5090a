"""What the three methods minimize, and the runs: what is learned from, tested, and told."""

from collections import Counter
from dataclasses import replace
from statistics import fmean, stdev

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.svm import LinearSVC

from consistency_lab.apps.learn.experiments import movielens as methods
from consistency_lab.apps.learn.experiments import ratings
from consistency_lab.errors import InputError

pytestmark = pytest.mark.long

SCALAR = {"hinge": lambda t: np.maximum(0, 1 - t), "logistic": lambda t: np.log1p(np.exp(-t))}


@pytest.fixture(scope="module")
def problem(tiny):
    everything = np.arange(len(tiny.ratings))
    found = ratings.features(tiny, np.ones(len(everything), bool))
    found = found[:, found.std(0) > 0]
    return (found - found.mean(0)) / found.std(0), ratings.sample(
        tiny, everything, 300, np.random.default_rng(5)
    )


def objective(method, x, pairs, lam, w):
    """As the paper writes it: a sum, a pair after the other, and lam |w|^2."""
    total = 0.0
    for i, j, a in zip(pairs.winners, pairs.losers, pairs.weights, strict=True):
        total += a * (w @ (x[j] - x[i]) if method == "linear" else SCALAR[method](w @ (x[i] - x[j])))
    if method == "linear":
        total += methods.NU * sum((w @ x[i]) ** 2 for i in {*pairs.winners.tolist(), *pairs.losers.tolist()})
    return total + lam * w @ w


@pytest.mark.parametrize("lam", [1e-3, 10])
def test_the_closed_form_is_the_minimum(problem, lam):
    x, pairs = problem
    (w,) = methods.linear(x, pairs, [lam])
    least = objective("linear", x, pairs, lam, w)
    random = np.random.default_rng(0)
    for _ in range(5):  # a quadratic: what a step costs is the same in both directions at its minimum alone
        step = random.normal(size=w.shape) * np.linalg.norm(w) / 10
        there, back = (objective("linear", x, pairs, lam, w + s) for s in (step, -step))
        assert there > least
        assert there - back == pytest.approx(0, abs=1e-6 * (there - least))


def test_nu_is_a_unit(problem, monkeypatch):
    """Whoever multiplies ν and λ by 10 divides w by 10, and no order changes."""
    x, pairs = problem
    (before,) = methods.linear(x, pairs, [0.1])
    monkeypatch.setattr(methods, "NU", 10 * methods.NU)
    np.testing.assert_allclose(methods.linear(x, pairs, [1])[0], before / 10, rtol=1e-9)


@pytest.mark.parametrize(("method", "lam"), [("hinge", 100), ("logistic", 1)])
def test_the_batch_solver_finds_the_minimum(problem, method, lam):
    x, pairs = problem
    _, w, _ = methods.batch(method, x, pairs, [lam / 10, lam, lam * 10])  # in the order asked for
    apart = x[pairs.winners] - x[pairs.losers]
    if method == "hinge":
        sign = np.where(np.arange(len(apart)) % 2, 1.0, -1.0)
        machine = LinearSVC(loss="hinge", C=1 / (2 * lam), fit_intercept=False, max_iter=100_000)
        other = machine.fit(apart * sign[:, None], sign, pairs.weights).coef_[0]
        room = methods.ROUNDED / 2 * pairs.weights.sum()
    else:
        value = lambda v: pairs.weights @ SCALAR[method](apart @ v) + lam * v @ v  # noqa: E731
        other, room = minimize(value, np.zeros(len(w))).x, 1e-4
    ours, theirs = (objective(method, x, pairs, lam, v) for v in (w, other))
    assert ours <= theirs + room
    assert theirs <= ours + 0.03


@pytest.mark.parametrize("method", ["hinge", "logistic"])
def test_stochastic_gradient_comes_near_the_minimum(problem, tiny, method):
    x, pairs = problem
    (w,) = methods.path(method, x, tiny.users, pairs, [15], "sgd")
    assert np.array_equal(w, methods.path(method, x, tiny.users, pairs, [15], "sgd")[0])
    least = objective(method, x, pairs, 15, methods.batch(method, x, pairs, [15])[0])
    assert objective(method, x, pairs, 15, w) < 1.002 * least


def test_under_the_largest_penalty_all_methods_order_alike(problem, tiny):
    x, pairs = problem
    pull = pairs.weights @ (x[pairs.winners] - x[pairs.losers])
    for method in ("hinge", "logistic", "linear"):
        w = methods.path(method, x, tiny.users, pairs, methods.LAMBDAS, "batch")[-1]
        assert w @ pull / np.linalg.norm(w) / np.linalg.norm(pull) > 0.999999


SMALL = ratings.Settings(pairs=(100, 300), runs=2, seed=4, tested=300)


def test_five_parts_of_which_one_is_tested_and_one_validates(tiny):
    """In 15 runs each part is tested three times and validates three times, never with the same other."""
    found = [methods.parts(tiny, ratings.Settings(), run) for run in range(15)]
    assert all(np.array_equal(part, found[0][0]) for part, _, _ in found)
    assert sorted(Counter(found[0][0].tolist()).items()) == [(k, 240) for k in range(5)]
    chosen = [(test, validation) for _, test, validation in found]
    assert len(set(chosen)) == 15
    assert all(test != validation for test, validation in chosen)
    for place in (0, 1):
        assert Counter(pair[place] for pair in chosen) == dict.fromkeys(range(5), 3)
    assert len(methods.CHOICES) == 20
    later, *choice = methods.parts(tiny, ratings.Settings(), 20)
    assert tuple(choice) == chosen[0]
    assert not np.array_equal(later, found[0][0])


def test_the_subsets_of_grouplens_are_fifths_of_the_file(tiny):
    """u1.test is the first fifth of the lines of u.data, u2.test the second, and so on."""
    for run in (0, 20):
        part, *choice = methods.parts(tiny, ratings.Settings(variant="grouplens"), run)
        assert part.tolist() == [k for k in range(5) for _ in range(240)]
        assert (
            choice == methods.parts(tiny, ratings.Settings(), run)[1:]
            or tuple(choice) == methods.CHOICES[run % 20]
        )


def test_only_a_penalty_up_to_the_largest_is_chosen(tiny):
    narrow, wide = (
        methods.one_run(tiny, replace(SMALL, variant=f"leave-one-out{end}"), 0) for end in ("", "-wide")
    )
    for one, other in zip(narrow, wide, strict=True):
        assert one["tests"] == other["tests"]
        assert one["lambda"] <= 10
        assert one["validation"] >= other["validation"]
    assert max(row["lambda"] for row in wide) > 10


def test_the_same_seed_gives_the_same_document(tiny):
    told = list[str]()
    first = methods.movielens(tiny, SMALL, tell=told.append)
    assert methods.movielens(tiny, SMALL) == first
    assert told == ["run 1 is done", "run 2 is done"]
    assert methods.movielens(tiny, replace(SMALL, seed=5))["rows"] != first["rows"]


def test_processes_and_other_sizes_change_nothing(tiny):
    alone = methods.movielens(tiny, SMALL)
    assert methods.movielens(tiny, SMALL, jobs=2) == alone
    assert methods.one_run(tiny, replace(SMALL, pairs=(300,)), 1) == [
        row for row in alone["rows"] if (row["run"], row["pairs"]) == (1, 300)
    ]


def test_nothing_of_the_test_part_is_learned(tiny, monkeypatch):
    part, test, _ = methods.parts(tiny, SMALL, 0)
    others = replace(tiny, ratings=np.where(part == test, 6 - tiny.ratings, tiny.ratings))
    before, after = methods.one_run(tiny, SMALL, 0), methods.one_run(others, SMALL, 0)
    for name in ("method", "pairs", "lambda", "validation"):
        assert [row[name] for row in before] == [row[name] for row in after]
    for one, other in zip(before, after, strict=True):
        assert one["test"] + 0.3 < other["test"]


@pytest.mark.parametrize("variant", [name for name in ratings.VARIANTS if name != "steps"][::2])
def test_each_variant_learns_something(tiny, variant):
    """Half of the weight of the pairs, about .75, would be contradicted by chance, with ties about .55."""
    chance = 0.53 if ratings.VARIANTS[variant].ties else 0.72
    for row in methods.one_run(tiny, replace(SMALL, pairs=(300,), variant=variant), 0):
        assert row["test"] < chance
        assert row["lambda"] <= ratings.VARIANTS[variant].largest
        assert row["test"] == row["tests"][methods.LAMBDAS.index(row["lambda"])]


def test_stochastic_gradient_finds_the_same(tiny, monkeypatch):
    monkeypatch.setattr(methods, "STEPS", methods.STEPS // 10)
    rows = {
        solver: methods.one_run(tiny, ratings.Settings(pairs=(300,), runs=1, variant=solver, tested=300), 0)
        for solver in ("plain", "steps")
    }
    for one, other in zip(rows["plain"], rows["steps"], strict=True):
        assert one["validation"] == pytest.approx(other["validation"], abs=0.04)


def test_the_table_adds_up_the_rows(tiny):
    losses = {"hinge": [0.5, 0.4, 0.3], "logistic": [0.4, 0.4, 0.5], "linear": [0.45, 0.35, 0.3]}
    rows = [
        {"run": run, "method": method, "pairs": 20000, "lambda": 1.0, "validation": 0.5, "test": found[run]}
        | {"tests": [found[run], 0.5, run]}
        for method, found in losses.items()
        for run in range(3)
    ]
    settings = ratings.Settings(pairs=(20000,), runs=3)
    made = methods.document(replace(tiny, source=ratings.SOURCE), settings, rows)
    for row, method in zip(made["table"], ratings.METHODS, strict=True):
        assert row["method"] == method
        assert row["mean"] == pytest.approx(fmean(losses[method]), abs=1e-6)
        assert row["standard_error"] == pytest.approx(stdev(losses[method]) / 3**0.5, abs=1e-6)
        assert row["by_lambda"] == pytest.approx([fmean(losses[method]), 0.5, 1], abs=1e-6)
    assert [row["lowest"] for row in made["table"]] == [1, 1, 2]
    assert [row["paper"]["mean"] for row in made["table"]] == [0.478, 0.479, 0.465]
    assert [(row["than"], row["mean"], row["lower"]) for row in made["differences"]] == [
        ("hinge", -0.033333, 2),
        ("logistic", -0.066667, 2),
    ]
    assert all(row["paper"] is None for row in methods.document(tiny, settings, rows)["table"])
    single = methods.document(tiny, replace(settings, runs=1), [row for row in rows if row["run"] == 0])
    assert [row["standard_error"] for row in single["table"]] == [None] * 3


def test_what_the_paper_printed():
    """DMJ10 Table 1: the linear loss is lowest for each number of pairs."""
    assert ratings.PAPER.keys() == {(method, pairs) for method in ratings.METHODS for pairs in ratings.PAIRS}
    for pairs in ratings.PAIRS:
        printed = {method: ratings.PAPER[method, pairs]["mean"] for method in ratings.METHODS}
        assert min(printed, key=printed.__getitem__) == "linear"
    assert ratings.PAPER["linear", 160_000] == {"mean": 0.461, "standard_error": 0.004}
    assert ratings.PAPER["hinge", 80_000] == {"mean": 0.480, "standard_error": 0.007}
    assert ratings.PAPER["logistic", 20_000] == {"mean": 0.479, "standard_error": 0.010}


def test_too_few_ratings_are_refused_by_every_process(tiny):
    flat = replace(tiny, ratings=np.full_like(tiny.ratings, 3.0))
    with pytest.raises(InputError, match="has no user with two different ratings"):
        methods.movielens(flat, SMALL)
    with pytest.raises(InputError, match="has no user with two different ratings"):
        methods.movielens(flat, SMALL, jobs=2)
