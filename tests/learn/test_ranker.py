"""The ranker among the tools of scikit-learn."""

import pickle
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import estimator_checks_generator

from consistency_lab import InputError
from consistency_lab.apps.learn import StructureRanker, aggregate, u_statistic_risk

TRUE = np.array([2.0, -1.0, 0.5, 0.0])


def judged(queries=30, items=5, each=40, seed=0):
    """Features, and comparisons by the Bradley-Terry-Luce model with scores x'TRUE."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(queries * items, 4))
    query = np.repeat(np.arange(queries), items)
    start = items * rng.integers(0, queries, queries * each)
    i = rng.integers(0, items, start.size)
    j = (i + rng.integers(1, items, start.size)) % items
    won = rng.random(start.size) < 1 / (1 + np.exp((X[start + j] - X[start + i]) @ TRUE))
    return X, aggregate.Preferences(start + np.where(won, i, j), start + np.where(won, j, i), query)


def direction(ranker):
    return float(ranker.coef_ @ TRUE / np.linalg.norm(ranker.coef_) / np.linalg.norm(TRUE))


CHECKED = [StructureRanker(steps=20), StructureRanker(loss="regression", solver="closed", k=None)]
NOT_ASKED = {"check_array_api_input": "asked only where SciPy is told to take other arrays than NumPy's"}
CHECKS = [
    (estimator, check)
    for one in CHECKED
    for estimator, check in estimator_checks_generator(one)
    if check.func.__name__ not in NOT_ASKED
]


@pytest.mark.parametrize(
    ("estimator", "check"), CHECKS, ids=lambda one: getattr(one, "func", type(one)).__name__
)
def test_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize(
    "parameters",
    [
        {"loss": "hinge"},
        {"loss": "logistic"},
        {"loss": "difference-logistic"},
        {"loss": "difference-hinge", "structure": aggregate.AverageAdjacency(), "k": None},
        {"loss": "regression", "structure": aggregate.Borda(), "steps": 50_000},
        {"loss": "softmax"},
        {"loss": "logistic", "penalty": "l1-ball", "radius": 4.0},
        {"loss": "linear", "solver": "closed"},
        {"loss": "regression", "solver": "closed", "k": None},
    ],
)
def test_the_weights_behind_the_judgments_are_found(parameters):
    X, said = judged()
    ranker = StructureRanker(random_state=0, **parameters).fit(X, said)
    assert direction(ranker) > 0.98
    # The weights that made the judgments have the score 0.812.
    assert ranker.score(X, said) > 0.80
    assert (ranker.predict(X) == X @ ranker.coef_).all()


@pytest.mark.parametrize(
    ("loss", "k", "structure"),
    [
        ("linear", 3, aggregate.BTLLogOdds(c=0.5)),
        ("linear", None, aggregate.AverageAdjacency()),
        ("regression", 3, aggregate.Borda()),
        ("regression", None, aggregate.BTLLogOdds(c=0.5)),
    ],
)
def test_the_closed_form_is_where_the_gradient_vanishes(loss, k, structure):
    X, said = judged(queries=3, each=6)
    for rows in (X, scipy.sparse.csr_array(X)):
        ranker = StructureRanker(structure, loss, k, lam=0.3, nu=0.7, solver="closed").fit(rows, said)
        slope = u_statistic_risk(X @ ranker.coef_, said, loss, structure, k, nu=0.7)[1]
        assert X.T @ slope + 0.3 * ranker.coef_ == pytest.approx(np.zeros(4), abs=1e-12)


def test_the_steps_lead_to_the_closed_form():
    X, said = judged()
    exact = StructureRanker(loss="linear", solver="closed").fit(X, said)
    steps = StructureRanker(loss="linear", steps=50_000, average=10_000, random_state=0).fit(X, said)
    assert steps.coef_ == pytest.approx(exact.coef_, abs=1e-2)


def test_a_pipeline_and_a_grid_over_groups():
    X, said = judged()
    pipe = Pipeline([("scale", StandardScaler()), ("rank", StructureRanker(steps=2000, random_state=0))])
    grid = GridSearchCV(
        pipe, {"rank__k": [1, 8], "rank__structure": [None, aggregate.BTLLogOdds(c=0.1)]}, cv=GroupKFold(3)
    )
    grid.fit(X * 10 + 3, said, groups=said.queries)
    assert np.isfinite(grid.cv_results_["mean_test_score"]).all()
    assert grid.best_score_ > 0.7
    assert grid.best_estimator_.score(X * 10 + 3, said) > 0.7
    scores = cross_val_score(
        StructureRanker(steps=2000, random_state=0), X, said, groups=said.queries, cv=GroupKFold(3)
    )
    assert (scores > 0.7).all()


def test_parameters_of_a_structure():
    X, said = judged()
    ranker = StructureRanker(aggregate.BTLLogOdds(c=2), steps=300, random_state=0)
    other = clone(ranker).set_params(structure__c=0.1)
    assert (ranker.structure, other.structure) == (aggregate.BTLLogOdds(c=2), aggregate.BTLLogOdds(c=0.1))
    assert other.get_params()["structure__c"] == 0.1 and "structure__c" not in other.get_params(deep=False)
    other.set_params(structure=aggregate.ThurstoneMosteller(), structure__of__c=3.0)
    assert other.structure == aggregate.ThurstoneMosteller(of=aggregate.BTLLogOdds(c=3))
    grid = GridSearchCV(make_pipeline(ranker), {"structureranker__structure__c": [0.1, 1]}, cv=GroupKFold(3))
    assert grid.fit(X, said, groups=said.queries).best_params_["structureranker__structure__c"] in (0.1, 1)
    with pytest.raises(InputError, match="no parameter 'structure__c' of the structure None"):
        StructureRanker().set_params(structure__c=1)
    with pytest.raises(
        InputError, match=re.escape("no parameter 'structure__of' of the structure BTLLogOdds(")
    ):
        ranker.set_params(structure__of=1)
    with pytest.raises(InputError, match="smoothing"):
        ranker.set_params(structure__c=0)


def test_pairs_of_rows_are_preferences_with_groups_as_queries():
    X, said = judged()
    ranker = StructureRanker(aggregate.BTLLogOdds(c=1), steps=300, random_state=0).fit(X, said)
    pairs = np.c_[said.winners, said.losers]
    for given in (pairs, pairs.tolist()):
        again = clone(ranker).fit(X, given, groups=said.queries)
        assert (again.coef_ == ranker.coef_).all()
        assert again.score(X, given, groups=said.queries) == ranker.score(X, said)
    assert clone(ranker).fit(X, [(0, 149)]).n_iter_ == 300
    with pytest.raises(InputError, match="belong to different queries"):
        ranker.fit(X, [(0, 149)], groups=said.queries)
    with pytest.raises(InputError, match="row 150 is among the winners"):
        ranker.fit(X, [(150, 0)])


def test_a_state_gives_the_same_weights_again():
    X, said = judged()
    one, two, other = (StructureRanker(steps=500, random_state=s).fit(X, said) for s in (3, 3, 4))
    assert (one.coef_ == two.coef_).all() and (one.coef_ != other.coef_).all()
    state = np.random.RandomState(3)
    again = StructureRanker(steps=500, random_state=state)
    assert (again.fit(X, said).coef_ == one.coef_).all()
    assert (again.fit(X, said).coef_ != one.coef_).all()
    assert (pickle.loads(pickle.dumps(one)).predict(X) == one.predict(X)).all()


def test_more_steps_go_on_where_the_last_ones_ended():
    X, said = judged()
    ranker = StructureRanker(k=8, steps=300, random_state=0)
    first = ranker.partial_fit(X, said).coef_
    assert (first == clone(ranker).fit(X, said).coef_).all()
    curvature = ranker._walk.curvature
    for _ in range(20):
        ranker.partial_fit(X[:75], said[:75]).partial_fit(X[75:], said[75:])
    assert ranker.n_iter_ == 300 * 41
    assert len(ranker.loss_curve_) == 20 * 41
    assert ranker._walk.curvature == curvature
    assert direction(ranker) > max(direction(clone(ranker).fit(X, said)), 0.99)
    assert (ranker.fit(X, said).coef_ == first).all()


def test_more_steps_are_as_the_parameters_are_then():
    X, said = judged()
    ranker = StructureRanker(steps=2000, random_state=0).fit(X, said)
    ranker.set_params(penalty="l2-ball", radius=0.01, average=False).partial_fit(X, said)
    assert np.linalg.norm(ranker.coef_) <= 0.01 + 1e-12
    ranker.set_params(loss="linear", penalty="l2", solver="closed").fit(X, said).set_params(solver="sgd")
    assert ranker.partial_fit(X, said).n_iter_ == 2000


def test_the_curve_goes_down():
    X, said = judged()
    ranker = StructureRanker(loss="logistic", steps=20_000, eta0=0.01, random_state=0).fit(X, said)
    assert len(ranker.loss_curve_) == 20
    assert ranker.loss_curve_[0] > 1.15 * np.mean(ranker.loss_curve_[-5:])
    value = u_statistic_risk(ranker.predict(X), said, "logistic", k=1)[0]
    assert np.mean(ranker.loss_curve_[10:]) == pytest.approx(value, rel=0.05)


def test_the_last_iterate_or_a_mean():
    X, said = judged()
    last, mean, later = (
        StructureRanker(steps=500, random_state=0, average=a).fit(X, said) for a in (False, True, 499)
    )
    assert (later.coef_ == last.coef_).all() and (last.coef_ != mean.coef_).all()
    assert (StructureRanker(steps=500, random_state=0, average=900).fit(X, said).coef_ == last.coef_).all()


def test_sparse_rows():
    X, said = judged()
    X = X * (np.abs(X) > 0.3)
    for kind in (scipy.sparse.csr_matrix, scipy.sparse.csc_array, scipy.sparse.coo_array):
        ranker = StructureRanker(steps=2000, random_state=0).fit(kind(X), said)
        assert ranker.coef_ == pytest.approx(StructureRanker(steps=2000, random_state=0).fit(X, said).coef_)
        assert ranker.predict(kind(X)) == pytest.approx(ranker.predict(X))


def test_names_of_features():
    X, said = judged()
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    ranker = StructureRanker(steps=100, random_state=0).fit(frame, said)
    assert ranker.feature_names_in_.tolist() == ["a", "b", "c", "d"]
    assert ranker.n_features_in_ == 4
    with pytest.raises(ValueError, match="feature names should match"):
        ranker.predict(frame[["b", "a", "c", "d"]])


def test_grades_are_preferences_of_one_judge_a_query():
    X = judged()[0]
    query, grades = np.repeat(np.arange(30), 5), np.round(X @ TRUE)
    ranker = StructureRanker(aggregate.AverageAdjacency(), steps=3000, random_state=0).fit(
        X, grades, groups=query
    )
    assert direction(ranker) > 0.98
    said = aggregate.Preferences.from_grades(grades, query)
    assert (ranker.coef_ == clone(ranker).fit(X, said).coef_).all()
    assert (
        ranker.coef_ == clone(ranker).fit(X, said, groups=np.char.add("q", query.astype(str))).coef_
    ).all()
    assert ranker.score(X, grades, groups=query) == ranker.score(X, said) > 0.95


def test_clicks():
    rng = np.random.default_rng(0)
    X, queries = rng.normal(size=(20, 4)), np.repeat([0, 1, 2, 3], 5)
    chance = 1 / (1 + np.exp(-X @ TRUE))
    shown, clicked = [], []
    for session in range(2000):
        rows = rng.permutation(5) + 5 * (session % 4)
        hits = np.flatnonzero(rng.random(5) < chance[rows])
        shown.append(rows)
        clicked.append(int(hits[0]) if hits.size else None)
    seen = aggregate.Clicks(shown, clicked, queries)
    for loss in ("regression", "softmax", "difference-logistic"):
        ranker = StructureRanker(aggregate.CascadeMLE(), loss, k=50, random_state=0).fit(X, seen)
        assert direction(ranker) > 0.85
        assert ranker.score(X, seen) > 0.5


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"k": 0}, "k is 0; it must be a whole number, at least 1"),
        ({"k": 1.5}, "k is 1.5; it must be a whole number"),
        ({"steps": None}, "steps is None; it must be a whole number, at least 1"),
        ({"lam": -1}, "lam is -1; it must be a finite number, at least 0"),
        ({"lam": "1"}, "lam is '1'; it must be a finite number, at least 0"),
        ({"nu": float("nan")}, "nu is nan; it must be a finite number, at least 0"),
        ({"eta0": 0.0}, "eta0 is 0.0; it must be a finite number above 0"),
        ({"average": -1}, "average is -1; it must be True, False or a whole number, at least 0"),
        ({"penalty": "l1"}, "the penalty is 'l1'; it must be one of 'l2', 'l2-ball', 'l1-ball', None"),
        ({"penalty": ["l2"]}, "the penalty is ['l2']; it must be one of"),
        ({"solver": "newton"}, "the solver is 'newton'; it must be 'sgd' or 'closed'"),
        ({"solver": "closed"}, "the loss difference-logistic has no closed form"),
        ({"solver": "closed", "loss": "linear", "penalty": "l1-ball"}, "no closed form for the penalty"),
        ({"loss": "ranknet"}, "there is no loss 'ranknet'; they are hinge, logistic"),
        (
            {"loss": "hinge", "structure": aggregate.Borda()},
            "it needs the structure AverageAdjacency(), got Borda(",
        ),
        ({"structure": aggregate.CascadeMLE()}, "cascade-mle takes clicks, got preferences"),
        ({"eta0": 1e200, "loss": "regression"}, "the weights overflowed; use a smaller eta0"),
    ],
)
def test_parameters_that_make_no_sense(parameters, message):
    X, said = judged(queries=3)
    with pytest.raises(InputError, match=re.escape(message)):
        StructureRanker(random_state=0, **parameters).fit(X, said)


def test_data_that_make_no_sense():
    X, said = judged(queries=3)
    ranker = StructureRanker(steps=10)
    with pytest.raises(NotFittedError):
        ranker.predict(X)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        ranker.fit(X[:-1], said)
    with pytest.raises(InputError, match="the groups do not match the queries"):
        ranker.fit(X, said, groups=np.zeros(15))
    with pytest.raises(InputError, match="there are no preferences"):
        ranker.fit(X, np.ones(15))
    assert hasattr(ranker, "partial_fit") and not hasattr(StructureRanker(solver="closed"), "partial_fit")
    ranker.fit(X, said)
    with pytest.raises(ValueError, match="has 3 features, but StructureRanker is expecting 4"):
        ranker.partial_fit(X[:, :3], said)


@pytest.mark.long
@pytest.mark.parametrize(
    ("call", "name", "extra"),
    [
        ("from consistency_lab.apps.learn import StructureRanker", "scikit-learn", "learn"),
        ("import consistency_lab.apps.learn.torch", "PyTorch", "torch"),
    ],
)
def test_one_sentence_says_what_is_missing(call, name, extra):
    code = (
        "import sys, consistency_lab.errors as extras\n"
        "extras.find_spec = lambda name: None\n"
        "import consistency_lab.apps.learn\n"
        "print('sklearn' in sys.modules, 'torch' in sys.modules)\n"
        f"try:\n    {call}\nexcept Exception as error:\n    print(error)\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    imported, error = ran.stdout.splitlines()
    assert imported == "False False"
    assert f"needs {name}, which is not installed here" in error
    assert f"pip install 'consistency-lab[{extra}]'" in error
