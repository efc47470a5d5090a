"""Training files, read by the libraries for which they are written."""

import catboost
import lightgbm
import numpy as np
import pytest
import xgboost
from sklearn.datasets import load_svmlight_file

from consistency_lab import GameColumns, InputError
from consistency_lab.apps.learn.aggregate import BTLLogOdds
from consistency_lab.apps.learn.aggregate.judgments import read_pairs
from consistency_lab.apps.learn.aggregate.labels import FORMATS, feature_lines, labels_of, write_training
from consistency_lab.apps.learn.aggregate.objectives import DifferenceLogistic

JUDGMENTS = "q,winner,loser\n7,A,B\n7,A,B\n7,B,A\n7,B,C\n9,C,A\n9,C,A\n"
FEATURES = """\
0 qid:9 1:1 #docid = A inc = 1 prob = 0.5
2 qid:9 3:1 # C of query 9
1 qid:7 2:1 4:0.5 #B

0 qid:7 1:1 4:-1e-3 #A
1 qid:7 3:1 #docid=C
0 qid:8 1:1 #D
0 qid:8 2:1 #C
"""
"""Features 1, 2 and 3 say that it is A, B or C; the fourth nothing."""


@pytest.fixture
def labels(tmp_path):
    path = tmp_path / "judgments.csv"
    path.write_text(JUDGMENTS, encoding="utf-8")
    return labels_of(read_pairs(path, GameColumns("winner", loser="loser"), "q"), BTLLogOdds(c=1))


@pytest.fixture
def features(tmp_path):
    path = tmp_path / "features.txt"
    path.write_text(FEATURES, encoding="utf-8")
    return path


@pytest.fixture
def expected(labels):
    return [labels.scores[labels.items[q][item]] for q, item in ("9A", "9C", "7B", "7A", "7C")]


def test_lightgbm_reads_its_file(tmp_path, labels, features, expected):
    out = tmp_path / "train.txt"
    written, notes = write_training(out, FORMATS["lightgbm"], features, labels, labels.scores)
    assert written == [f"{out}{ending}" for ending in ("", ".pairs", ".query")]
    assert notes == ["feature lines left out because their item has no label: 2"]
    settings = {"min_data_in_bin": 1, "min_data_in_leaf": 1, "feature_pre_filter": False, "verbose": -1}
    data = lightgbm.Dataset(str(out), params=settings).construct()
    assert data.get_label().tolist() == pytest.approx(expected, rel=1e-6)
    assert data.get_group().tolist() == [2, 3]
    loss = DifferenceLogistic.read(f"{out}.pairs")
    learn = settings | {"objective": loss, "min_sum_hessian_in_leaf": 0, "num_threads": 1, "num_leaves": 4}
    model = lightgbm.train(learn, data, 100)
    scores = model.predict(np.eye(5)[1:4])
    assert data.num_feature() == 5, "features 1 to 4, and a column 0 that is empty"
    with pytest.raises(lightgbm.basic.LightGBMError, match="number of features in data"):
        model.predict(np.eye(4))
    assert model.predict(np.c_[np.zeros(3), np.eye(4)[:3]]).tolist() == scores.tolist()
    with pytest.raises(lightgbm.basic.LightGBMError, match="label should be int type"):
        lightgbm.train(learn | {"metric": "ndcg"}, lightgbm.Dataset(str(out), params=settings), 1)
    assert loss.value(np.zeros(5)) > 0 and scores[1] > scores[2]


def test_xgboost_reads_its_file(tmp_path, labels, features, expected):
    out = tmp_path / "train.txt"
    written, _ = write_training(out, FORMATS["xgboost"], features, labels, labels.scores)
    assert written == [f"{out}{ending}" for ending in ("", ".pairs")]
    X, y, query = load_svmlight_file(str(out), query_id=True)
    assert (X.shape, y.tolist(), query.tolist()) == ((5, 4), pytest.approx(expected), [1, 1, 2, 2, 2])
    data = xgboost.DMatrix(X, y, qid=query)
    learn = {"min_child_weight": 0, "nthread": 1, "base_score": 0.0}
    ours = xgboost.train(learn, data, 100, obj=DifferenceLogistic.read(f"{out}.pairs"))
    scores = ours.predict(data, output_margin=True)
    assert scores[1] > scores[0] and scores[3] > scores[2] > scores[4]
    real = xgboost.train(learn | {"objective": "rank:pairwise"}, data, 20).predict(data)
    assert real[1] > real[0] and real[3] > real[2] > real[4]


@pytest.mark.parametrize("objective", ["rank:ndcg", "rank:map"])
def test_xgboost_s_other_rankings_want_grades(tmp_path, labels, features, objective):
    out = tmp_path / "train.txt"
    learn = {"objective": objective, "min_child_weight": 0, "nthread": 1}
    write_training(out, FORMATS["xgboost"], features, labels, labels.scores)
    X, y, query = load_svmlight_file(str(out), query_id=True)
    with pytest.raises(xgboost.core.XGBoostError):
        xgboost.train(learn, xgboost.DMatrix(X, y, qid=query), 1)
    write_training(out, FORMATS["xgboost"], features, labels, labels.graded(2))
    X, y, query = load_svmlight_file(str(out), query_id=True)
    assert y.tolist() == [0, 1, 0, 1, 0]
    data = xgboost.DMatrix(X, y, qid=query)
    scores = xgboost.train(learn, data, 20).predict(data)
    assert scores[1] > scores[0] and scores[3] > scores[4]


def test_lambdarank_wants_grades(tmp_path, labels, features):
    out = tmp_path / "train.txt"
    learn = {"objective": "lambdarank", "min_data_in_bin": 1, "min_data_in_leaf": 1, "num_threads": 1}
    learn |= {"feature_pre_filter": False, "min_sum_hessian_in_leaf": 0, "verbose": -1}
    write_training(out, FORMATS["lightgbm"], features, labels, labels.scores)
    with pytest.raises(lightgbm.basic.LightGBMError, match="label"):
        lightgbm.train(learn, lightgbm.Dataset(str(out), params=learn), 1)
    write_training(out, FORMATS["lightgbm"], features, labels, labels.graded(2))
    model = lightgbm.train(learn, lightgbm.Dataset(str(out), params=learn), 20)
    scores = model.predict(np.eye(5)[1:4])
    assert scores[2] > scores[1]


def test_catboost_reads_its_files(tmp_path, labels, features, expected):
    out = tmp_path / "train.txt"
    written, _ = write_training(out, FORMATS["catboost"], features, labels, labels.scores)
    assert written == [f"{out}{ending}" for ending in ("", ".pairs", ".cd")]
    pool = catboost.Pool(f"libsvm://{out}", column_description=f"{out}.cd", pairs=f"{out}.pairs")
    assert pool.shape == (5, 4)
    assert [float(one) for one in pool.get_label()] == pytest.approx(expected)
    assert pool.get_group_id_hash().tolist() == [1, 1, 2, 2, 2]
    loss = DifferenceLogistic.read(f"{out}.pairs")
    assert pool.num_pairs() == len(loss.winners) == 3
    learn = {"loss_function": "PairLogit", "iterations": 50, "thread_count": 1, "random_seed": 0}
    model = catboost.CatBoost(learn | {"allow_writing_files": False, "logging_level": "Silent"}).fit(pool)
    scores = model.predict(pool)
    assert scores[1] > scores[0] and loss.value(scores) < 0.9 * loss.value(np.zeros(5))


def test_weights_of_pairs_are_those_of_the_structure(tmp_path, labels, features):
    out = tmp_path / "train.txt"
    write_training(out, FORMATS["xgboost"], features, labels, labels.scores)
    loss = DifferenceLogistic.read(f"{out}.pairs")
    weights = BTLLogOdds(c=1).pair_weights([[0, 2, 0], [1, 0, 1], [0, 0, 0]])
    other = BTLLogOdds(c=1).pair_weights([[0, 0], [2, 0]])
    found = zip(loss.winners.tolist(), loss.losers.tolist(), loss.weights, strict=True)
    assert sorted(found) == [(1, 0, other[1, 0]), (2, 4, weights[1, 2]), (3, 2, weights[0, 1])]


def test_labeled_items_without_features_are_told(tmp_path, labels, features):
    features.write_text("0 qid:7 1:1 #A\n", encoding="utf-8")
    _, notes = write_training(tmp_path / "t", FORMATS["xgboost"], features, labels, labels.scores)
    assert notes == ["labeled items without features: 4"]
    assert (tmp_path / "t.pairs").read_text(encoding="utf-8") == ""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("0 qid:7 1:1\n", "line 1: expected a line such as 0 qid:7 1:0.5 2:3 # D4"),
        ("0 1:1 #A\n", "line 1: expected a line such as"),
        ("0 qid:7 1:1 x #A\n", "line 1: expected a line such as"),
        ("0 qid:7 1:1 #A\n0 qid:9 1:1 #A\n0 qid:7 1:1 #B\n", "line 3: query 7 resumes here"),
        ("0 qid:7 1:1 #A\n0 qid:7 1:2 #A\n", "the item A of query 7 appears twice"),
        ("0 qid:5 1:1 #A\n", "no item has a label; check that queries and items match"),
    ],
)
def test_wrong_features_are_refused_and_nothing_is_written(tmp_path, labels, features, text, words):
    features.write_text(text, encoding="utf-8")
    before = sorted(tmp_path.iterdir())
    with pytest.raises(InputError, match=words):
        write_training(tmp_path / "train", FORMATS["catboost"], features, labels, labels.scores)
    assert sorted(tmp_path.iterdir()) == before


def test_features_that_are_not_there(tmp_path):
    with pytest.raises(InputError, match="cannot be read: no such file"):
        list(feature_lines(tmp_path / "missing"))


@pytest.mark.parametrize(
    "line", [5_000 * "1:", f"0 qid:7 {5_000 * '1:1'} # A", f"0 qid:7 {5_000 * '1:'}", "0 qid:7 1:\x1b[2J # A"]
)
def test_a_line_of_many_colons_is_refused_at_once(tmp_path, line):
    path = tmp_path / "features.txt"
    path.write_text(f"0 qid:7 1:0.5 2:nan # A\n{line}\n", encoding="utf-8")
    lines = feature_lines(path)
    assert next(lines) == ("7", "A", b"1:0.5 2:nan")
    with pytest.raises(InputError, match="line 2: expected a line such as"):
        next(lines)
