"""The consistent pairwise loss as an objective: its derivatives, and the libraries trained with it.

The judgments are those of a witness of the gallery: the pairwise logistic loss has 3 above 2, though the
preferences are additive, 1 before 2 before 3. It is what the libraries minimize on lists of two when they do
not divide by the differences of scores; CatBoost never does. docs/libraries.md says what each learns.
"""

import json
from fractions import Fraction
from pathlib import Path

import catboost
import lightgbm
import numpy as np
import pytest
import xgboost
from scipy.optimize import check_grad

from consistency_lab.apps.learn.aggregate import AmmarShah, AverageAdjacency, BTLLogOdds, Preferences
from consistency_lab.apps.learn.aggregate.objectives import DifferenceLogistic
from consistency_lab.errors import InputError

GALLERY = Path(__file__).parents[2] / "counterexamples"
ITEMS = np.eye(3)
XGBOOST = {"min_child_weight": 0, "max_depth": 3, "nthread": 1, "base_score": 0.0, "seed": 0}
LIGHTGBM = {
    "num_leaves": 3,
    "min_data_in_leaf": 1,
    "min_sum_hessian_in_leaf": 0,
    "min_data_in_bin": 1,
    "feature_pre_filter": False,
    "num_threads": 1,
    "deterministic": True,
    "force_row_wise": True,
    "verbose": -1,
}
CATBOOST = {"thread_count": 1, "allow_writing_files": False, "logging_level": "Silent"}


@pytest.fixture(scope="module")
def wins():
    """How often the rows of the additive witness were preferred to its columns."""
    document = json.loads((GALLERY / "logistic-additive-3items-ca20d338.json").read_text(encoding="utf-8"))
    counts = np.zeros((3, 3))
    for graph in document["named"]["graphs"]:
        for i, j, weight in graph["edges"]:
            counts[int(i) - 1, int(j) - 1] += float(Fraction(graph["probability"]) * Fraction(weight))
    d = counts - counts.T
    assert d[0, 1] + d[1, 2] == d[0, 2] and (d[[0, 1, 0], [1, 2, 2]] > 0).all()
    return counts


@pytest.fixture(scope="module")
def raw(wins):
    """Each judgment as a list of two documents, the features of which say what item it is."""
    i, j = np.nonzero(wins)
    count = wins[i, j].astype(int)
    return np.stack([np.repeat(i, count), np.repeat(j, count)], axis=1)


def order(scores):
    assert np.diff(np.sort(scores)).min() > 1e-3
    return np.argsort(-np.asarray(scores)).tolist()


@pytest.fixture(scope="module")
def objective(wins):
    return DifferenceLogistic.of(AverageAdjacency(), Preferences.from_wins([wins]))


def test_its_weights_are_the_differences_of_the_aggregate(wins, objective):
    d = (wins - wins.T) / wins.sum()
    assert objective.weights.tolist() == d[objective.winners, objective.losers].tolist()
    assert sorted(zip(objective.winners.tolist(), objective.losers.tolist(), strict=True)) == [
        (0, 1),
        (0, 2),
        (1, 2),
    ]


def test_of_grades_log_odds_count_preferences_and_not_their_weights():
    said = Preferences.from_grades([3, 0], [1, 1])
    assert DifferenceLogistic.of(BTLLogOdds(c=1), said).weights.tolist() == pytest.approx([2 * np.log(2)])
    assert DifferenceLogistic.of(AverageAdjacency(), said).weights.tolist() == [3]


@pytest.mark.parametrize("structure", [AverageAdjacency(), BTLLogOdds(c=0.1), AmmarShah()])
def test_gradient_and_hessian_are_derivatives(structure):
    rng = np.random.default_rng(0)
    said = Preferences.from_wins(
        [np.triu(rng.integers(0, 5, (4, 4)), 1), np.tril(rng.integers(0, 5, (3, 3)), -1)]
    )
    loss = DifferenceLogistic.of(structure, said)
    for _ in range(3):
        scores = rng.normal(size=7)
        assert check_grad(loss.value, lambda x: loss(x)[0], scores) < 1e-6
        for i in range(7):
            up, down = scores.copy(), scores.copy()
            up[i] += 1e-5
            down[i] -= 1e-5
            bend = (loss(up)[0][i] - loss(down)[0][i]) / 2e-5
            assert loss(scores)[1][i] == pytest.approx(bend, abs=1e-8)


def test_far_apart_scores_overflow_nowhere(objective):
    far = np.array([-1e4, 0.0, 1e4])
    gradient, hessian = objective(far)
    assert np.isfinite(objective.value(far)) and (hessian == 0).all()
    assert gradient == pytest.approx([-objective.weights[:2].sum(), *gradient[1:]])


def test_the_page_names_the_versions_that_are_trained_here():
    page = (GALLERY.parent / "docs" / "libraries.md").read_text(encoding="utf-8")
    for name, library in (("CatBoost", catboost), ("XGBoost", xgboost), ("LightGBM", lightgbm)):
        assert f"| {name} {library.__version__}, `" in page


@pytest.mark.parametrize(
    ("target", "of_lists", "of_scores"),
    [
        ("rank:pairwise", True, True),
        ("rank:pairwise", True, False),
        ("rank:ndcg", False, True),
        ("rank:ndcg", False, False),
    ],
)
def test_of_xgboost_s_normalizations_that_of_scores_alone_decides(raw, target, of_lists, of_scores):
    pairs = xgboost.DMatrix(ITEMS[raw].reshape(-1, 3), np.tile([1, 0], len(raw)))
    pairs.set_group([2] * len(raw))
    switches = {"lambdarank_normalization": of_lists, "lambdarank_score_normalization": of_scores}
    asked = {} if of_lists and of_scores else switches
    learned = xgboost.train({"objective": target, "nthread": 1} | asked, pairs, 300)
    scores = learned.predict(xgboost.DMatrix(ITEMS), output_margin=True)
    assert order(scores) == ([0, 1, 2] if of_scores else [0, 2, 1])


def test_xgboost_on_aggregated_pairs_is_right(objective):
    items = xgboost.DMatrix(ITEMS)
    data = xgboost.DMatrix(ITEMS, np.zeros(3))
    ours = xgboost.train(XGBOOST, data, 200, obj=objective)
    assert order(ours.predict(items, output_margin=True)) == [0, 1, 2]


def test_lightgbm_on_raw_pairs_is_wrong_and_on_aggregated_ones_right(raw, objective):
    documents, grades = ITEMS[raw].reshape(-1, 3), np.tile([1, 0], len(raw))
    pairs = lightgbm.Dataset(documents, grades, group=[2] * len(raw), params=LIGHTGBM)
    for switch, expected in (({}, [0, 1, 2]), ({"lambdarank_norm": False}, [0, 2, 1])):
        learned = lightgbm.train(LIGHTGBM | {"objective": "lambdarank"} | switch, pairs, 300)
        assert order(learned.predict(ITEMS, raw_score=True)) == expected
    data = lightgbm.Dataset(ITEMS, np.zeros(3), params=LIGHTGBM)
    ours = lightgbm.train(LIGHTGBM | {"objective": objective}, data, 200)
    assert order(ours.predict(ITEMS)) == [0, 1, 2]


def test_catboost_on_raw_pairs_is_wrong_and_on_aggregated_ones_right(raw, objective):
    def learned(documents, pairs, weights, lists, **parameters):
        pool = catboost.Pool(
            ITEMS[documents], np.zeros(len(documents)), group_id=lists, pairs=pairs, pairs_weight=weights
        )
        model = catboost.CatBoost(CATBOOST | {"loss_function": "PairLogit"} | parameters)
        return order(model.fit(pool).predict(ITEMS))

    count = len(raw)
    alone = learned(
        raw.ravel(), np.arange(2 * count).reshape(-1, 2), np.ones(count), np.repeat(range(count), 2)
    )
    assert alone == [0, 2, 1], "with all defaults"
    pairs = np.stack([objective.winners, objective.losers], axis=1)
    small = {"iterations": 300, "l2_leaf_reg": 1e-6, "depth": 2}
    assert learned([0, 1, 2], pairs, objective.weights, [0, 0, 0], **small) == [0, 1, 2]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([0], [1, 2], [1]), r"have shapes \(1,\), \(2,\) and \(1,\)"),
        (([0], [-1], [1]), "rows must be whole numbers"),
        (([0], [0.5], [1]), "rows must be whole numbers"),
        (([0], [1], [-1]), "weights finite and at least 0"),
        (([0], [1], [np.inf]), "weights finite and at least 0"),
    ],
)
def test_wrong_pairs_are_refused(arguments, words):
    with pytest.raises(InputError, match=words):
        DifferenceLogistic(*arguments)


def test_data_of_too_few_rows_are_refused(objective):
    with pytest.raises(InputError, match="there are 2 scores, but a pair has row 2"):
        objective(np.zeros(2))


def test_a_file_of_pairs_is_read(tmp_path):
    path = tmp_path / "train.pairs"
    path.write_text("0\t1\t0.5\n4\t2\t1\n", encoding="utf-8")
    found = DifferenceLogistic.read(path)
    assert (found.winners.tolist(), found.losers.tolist(), found.weights.tolist()) == (
        [0, 4],
        [1, 2],
        [0.5, 1.0],
    )
    path.write_text("", encoding="utf-8")
    assert [one.tolist() for one in DifferenceLogistic.read(path)(np.zeros(2))] == [[0, 0], [0, 0]]
    path.write_text("0\t1\t0.5\n4 2 1\n", encoding="utf-8")
    with pytest.raises(InputError, match="line 2: expected two rows and a weight"):
        DifferenceLogistic.read(path)
    with pytest.raises(InputError, match=r"missing cannot be read: no such file or directory$"):
        DifferenceLogistic.read(tmp_path / "missing")
