"""The web experiment: what it compares, on a small stand-in, and against the learner's own closed form."""

import json
from xml.etree import ElementTree

import numpy as np
import pytest

from consistency_lab.apps.learn import StructureRanker
from consistency_lab.apps.learn.aggregate import BTLLogOdds
from consistency_lab.apps.learn.experiments.judges import Judged
from consistency_lab.apps.learn.experiments.report import web_lines, web_pictures
from consistency_lab.apps.learn.experiments.web import (
    EXACT,
    FEATURES,
    LIMIT,
    LIMITING,
    LOGISTIC,
    LOGISTIC_STEPS,
    SHARES,
    STEPS,
    TITLE,
    Collection,
    Sample,
    WebPlan,
    band,
    stochastic,
    synthetic,
    web,
)
from consistency_lab.data.letor import Letor
from consistency_lab.errors import InputError
from consistency_lab.show.text import rendered

SMALL = WebPlan(sizes=(60, 120), orders=(1, 5), lambdas=(0.1, 1.0), runs=2, steps=30)


@pytest.fixture(scope="module")
def document():
    return web(synthetic(3, 0), TITLE, SMALL)


def test_the_stand_in_has_the_shape_of_mslr_and_is_repeated_by_its_seed() -> None:
    data, again = synthetic(20, 5), synthetic(20, 5)
    assert data.features.shape[1] == FEATURES == 136
    sizes = np.bincount(data.queries)
    assert len(sizes) == 20 and 80 <= sizes.min() <= sizes.max() <= 120
    shares = np.bincount(data.grades.astype(int), minlength=5) / len(data.grades)
    assert shares == pytest.approx(SHARES, abs=1e-3)
    assert np.array_equal(data.features, again.features)
    assert "SYNTHETIC" in TITLE


def test_no_linear_score_orders_the_stand_in_but_a_linear_score_helps() -> None:
    """Regression on the limiting scores themselves leaves risk, and less than scores without sense have."""
    source = Collection.of(synthetic(20, 0))
    random = source.risk(np.random.default_rng(0).standard_normal(FEATURES))
    assert 0.02 < source.risk(source.limiting(1e-3)) < 0.5 * random


def _tiny() -> Sample:
    """Queries of two and three documents, seven pairs."""
    rng = np.random.default_rng(0)
    judged = Judged(np.array([0.0, 1, 2, 0, 1]), np.array([0, 0, 0, 1, 1]))
    return Sample(Collection(rng.standard_normal((5, 2)), judged), judged.btl_pairs(7, rng))


@pytest.mark.parametrize("k", [1, 2, 3])
def test_the_exact_minimizer_is_that_of_the_learner_which_lists_all_choices(k: int) -> None:
    sample = _tiny()
    ranker = StructureRanker(BTLLogOdds(c=1 / k), "regression", k=k, lam=0.1, solver="closed")
    assert sample.minimizer(k, 0.1) == pytest.approx(ranker.fit(sample.source.X, sample.said).coef_)


def test_the_gap_is_that_of_the_objective_and_falls_with_the_steps() -> None:
    sample = _tiny()
    X, best = sample.source.X, sample.minimizer(2, 0.1)
    scores = np.linalg.lstsq(
        X.T * sample.weights, (X.T * sample.weights @ X + 0.1 * np.eye(2)) @ best, rcond=None
    )[0]

    def objective(theta: np.ndarray) -> float:
        return float((sample.weights * (X @ theta - scores) ** 2).sum() / 2 + 0.05 * theta @ theta)

    theta = np.array([0.3, -0.2])
    share = (objective(theta) - objective(best)) / (objective(np.zeros(2)) - objective(best))
    assert sample.gap(theta, best, 0.1) == pytest.approx(share)
    gaps = [
        sample.gap(stochastic(2, 0.1, steps, 0).fit(X, sample.said).coef_, best, 0.1)
        for steps in (10, 10_000)
    ]
    assert gaps[1] < min(1e-3, gaps[0] / 5)


def test_every_estimator_has_a_risk_for_every_run(document) -> None:
    for n in SMALL.sizes:
        rows = {(row["estimator"], row["k"]): row["risks"] for row in document["orders"] if row["n"] == n}
        assert set(rows) == {
            *((name, k) for name in (EXACT, STEPS) for k in SMALL.orders),
            *((name, None) for name in (LOGISTIC, LOGISTIC_STEPS, LIMIT, LIMITING)),
        }
        assert all(len(risks) == (1 if name in (LIMIT, LIMITING) else 2) for (name, _), risks in rows.items())
        assert all(0 < risk < 1 for risks in rows.values() for risk in risks)
    best = {row["risks"][0] for row in document["orders"] if row["estimator"] == LIMITING}
    assert len(best) == 1


def test_a_seed_repeats_it_and_it_is_plain_json(document) -> None:
    plan = WebPlan(sizes=(60,), orders=(5,), lambdas=(1.0,), runs=1, steps=0)
    first, again = (web(synthetic(2, 0), TITLE, plan) for _ in range(2))
    assert json.dumps(first) == json.dumps(again)
    assert first["gaps"] == [] and not any("steps" in row["estimator"] for row in first["orders"])
    json.dumps(document)


def test_report_and_figures_say_that_the_data_are_synthetic(document, tmp_path) -> None:
    text = "\n".join(rendered(web_lines(document)))
    assert text.startswith("NDCG risk on SYNTHETIC stand-in")
    pictures = web_pictures(document)
    assert list(pictures) == ["web-orders", "web-lambda", "web-steps"]
    for name, picture in pictures.items():
        assert "SYNTHETIC" in picture.title
        picture.save(tmp_path / f"{name}.svg")
        content = (tmp_path / f"{name}.svg").read_bytes()
        assert ElementTree.fromstring(content).tag.endswith("svg")
        assert content == picture.content("svg")


def test_constant_features_and_single_documents_do_no_harm() -> None:
    data = Letor(np.array([[1.0, 0], [1, 1], [1, 2]]), np.array([0.0, 1, 0]), np.array([0, 0, 1]), ("a", "b"))
    plan = WebPlan(sizes=(10,), orders=(2,), lambdas=(1.0,), runs=1, steps=0)
    found = {row["estimator"]: row["risks"] for row in web(data, "three", plan)["orders"]}
    assert (found[LIMIT], found[LIMITING]) == ([0.0], [0.0])


def test_rank_lists_and_nonsense_are_refused() -> None:
    with pytest.raises(InputError, match="rank lists"):
        Collection.of(Letor(np.array([[np.nan]]), np.zeros(1), np.zeros(1, dtype=np.int64), ("1",)))
    with pytest.raises(InputError, match="sizes is 0"):
        WebPlan(sizes=(0, 10))
    with pytest.raises(InputError, match="lam is 0"):
        WebPlan(lam=0.0)


def test_a_band_is_students() -> None:
    found = band([0.0, 1.0])
    assert (found.mean, found.high - found.mean) == (0.5, pytest.approx(6.313752 * 0.5))
    assert band([2.0]) == (2.0, 2.0, 2.0)
