"""The web experiment, NDCG by its definition, rank lists, and what docs/research.md says of them."""

import json
import re
from dataclasses import asdict
from itertools import pairwise, permutations
from math import log2
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from consistency_lab.apps.learn import StructureRanker
from consistency_lab.apps.learn.aggregate import BTLLogOdds
from consistency_lab.apps.learn.experiments import web as page
from consistency_lab.apps.learn.experiments.judges import Judged
from consistency_lab.apps.learn.experiments.rank_lists import rank_lists, wins_of
from consistency_lab.apps.learn.experiments.report import rank_list_lines, web_lines, web_pictures
from consistency_lab.apps.learn.experiments.web import Letor
from consistency_lab.errors import InputError
from consistency_lab.show.text import rendered
from docs.tables import TABLES

SMALL = page.WebPlan(sizes=(60, 120), orders=(1, 5), lambdas=(0.1,), runs=2, steps=30)


@pytest.fixture(scope="module")
def document():
    return page.web(page.synthetic(2, 0), page.TITLE, SMALL)


def test_the_stand_in_has_the_shape_of_mslr_and_is_repeated_by_its_seed():
    data, again = page.synthetic(20, 5), page.synthetic(20, 5)
    assert data.features.shape[1] == page.FEATURES == 136
    sizes = np.bincount(data.queries)
    assert len(sizes) == 20 and 80 <= sizes.min() <= sizes.max() <= 120
    shares = np.bincount(data.grades.astype(int), minlength=5) / len(data.grades)
    assert shares == pytest.approx(page.SHARES, abs=1e-3)
    assert np.array_equal(data.features, again.features)
    assert "SYNTHETIC" in page.TITLE


def test_no_linear_score_orders_the_stand_in_but_a_linear_score_helps():
    """Regression on the limiting scores themselves leaves risk, and less than scores without sense have."""
    source = page.Collection.of(page.synthetic(20, 0))
    random = source.risk(np.random.default_rng(0).standard_normal(page.FEATURES))
    assert 0.02 < source.risk(source.limiting(1e-3)) < 0.5 * random


def _tiny():
    rng = np.random.default_rng(0)
    judged = Judged(np.array([0.0, 1, 2, 0, 1]), np.array([0, 0, 0, 1, 1]))
    return page.Sample(page.Collection(rng.standard_normal((5, 2)), judged), judged.btl_pairs(7, rng))


@pytest.mark.parametrize("k", [1, 2, 3])
def test_the_exact_minimizer_is_that_of_the_learner_which_lists_all_choices(k):
    sample = _tiny()
    ranker = StructureRanker(BTLLogOdds(c=1 / k), "regression", k=k, lam=0.1, solver="closed")
    assert sample.minimizer(k, 0.1) == pytest.approx(ranker.fit(sample.source.X, sample.said).coef_)


def test_the_gap_is_that_of_the_objective_and_falls_with_the_steps():
    sample = _tiny()
    X, best = sample.source.X, sample.minimizer(2, 0.1)
    scores = np.linalg.lstsq(
        X.T * sample.weights, (X.T * sample.weights @ X + 0.1 * np.eye(2)) @ best, rcond=None
    )[0]

    def objective(theta):
        return float((sample.weights * (X @ theta - scores) ** 2).sum() / 2 + 0.05 * theta @ theta)

    theta = np.array([0.3, -0.2])
    share = (objective(theta) - objective(best)) / (objective(np.zeros(2)) - objective(best))
    assert sample.gap(theta, best, 0.1) == pytest.approx(share)
    gaps = [
        sample.gap(page.stochastic(2, 0.1, steps, 0).fit(X, sample.said).coef_, best, 0.1)
        for steps in (10, 10_000)
    ]
    assert gaps[1] < min(1e-3, gaps[0] / 5)


@pytest.mark.long
def test_every_estimator_has_a_risk_for_every_run(document):
    for n in SMALL.sizes:
        rows = {(row["estimator"], row["k"]): row["risks"] for row in document["orders"] if row["n"] == n}
        assert set(rows) == {
            *((name, k) for name in (page.EXACT, page.STEPS) for k in SMALL.orders),
            *((name, None) for name in (page.LOGISTIC, page.LOGISTIC_STEPS, page.LIMIT, page.LIMITING)),
        }
        assert all(
            len(risks) == (1 if name in (page.LIMIT, page.LIMITING) else 2)
            for (name, _), risks in rows.items()
        )
        assert all(0 < risk < 1 for risks in rows.values() for risk in risks)
    best = {row["risks"][0] for row in document["orders"] if row["estimator"] == page.LIMITING}
    assert len(best) == 1


def test_a_seed_repeats_it_and_it_is_plain_json():
    plan = page.WebPlan(sizes=(60,), orders=(5,), lambdas=(1.0,), runs=1, steps=0)
    first, again = (page.web(page.synthetic(2, 0), page.TITLE, plan) for _ in range(2))
    assert json.dumps(first) == json.dumps(again)
    assert first["gaps"] == [] and not any("steps" in row["estimator"] for row in first["orders"])


def test_a_band_is_that_of_student():
    """90 % about the mean of 1, 2, 3, and of 0, 1; one run has none."""
    assert [page.band([1.0, 2.0, 3.0]), page.band([0.0, 1.0])] == [
        pytest.approx((2.0, 0.3141, 3.6859), abs=1e-4),
        pytest.approx((0.5, -2.6569, 3.6569), abs=1e-4),
    ]
    assert page.band([2.0]) == (2.0, 2.0, 2.0)


@pytest.mark.long
def test_report_and_figures_say_that_the_data_are_synthetic(document, tmp_path):
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


def test_constant_features_and_single_documents_do_no_harm():
    data = Letor(np.array([[1.0, 0], [1, 1], [1, 2]]), np.array([0.0, 1, 0]), np.array([0, 0, 1]), ("a", "b"))
    plan = page.WebPlan(sizes=(10,), orders=(2,), lambdas=(1.0,), runs=1, steps=0)
    found = {row["estimator"]: row["risks"] for row in page.web(data, "three", plan)["orders"]}
    assert (found[page.LIMIT], found[page.LIMITING]) == ([0.0], [0.0])


def test_rank_lists_and_nonsense_are_refused():
    with pytest.raises(InputError, match="rank lists"):
        page.Collection.of(Letor(np.array([[np.nan]]), np.zeros(1), np.zeros(1, dtype=np.int64), ("1",)))
    with pytest.raises(InputError, match="sizes is 0"):
        page.WebPlan(sizes=(0, 10))
    with pytest.raises(InputError, match="lam is 0"):
        page.WebPlan(lam=0.0)


ONE = np.zeros(3, dtype=np.int64)


def _by_hand(scores, relevance):
    """The mean over all orders that the scores allow, divided by the best over all orders."""
    gains = [2 ** (r - relevance.min()) - 1 for r in relevance]

    def value(order):
        return sum(gains[j] / log2(1 + rank) for rank, j in enumerate(order, start=1))

    orders = list(permutations(range(len(scores))))
    allowed = [order for order in orders if all(scores[a] >= scores[b] for a, b in pairwise(order))]
    return 1 - sum(map(value, allowed)) / len(allowed) / max(map(value, orders))


def test_three_documents_by_hand():
    relevance, scores = np.array([2.0, 0.0, 1.0]), np.array([1.0, 2.0, 0.0])
    loss = 1 - (0 + 3 / log2(3) + 1 / 2) / (3 + 1 / log2(3))
    assert page.ndcg_risk(scores, relevance, ONE) == pytest.approx(loss)
    assert page.ndcg_risk(relevance, relevance, ONE) == 0.0
    assert page.ndcg_risk(scores, relevance, ONE, cutoff=2) == pytest.approx(
        1 - 3 / log2(3) / (3 + 1 / log2(3))
    )
    assert page.ndcg_risk(scores, relevance, ONE, cutoff=1) == 1.0


def test_random_queries_agree_with_the_definition():
    rng = np.random.default_rng(0)
    queries = np.repeat(np.arange(40), 5)
    relevance = rng.integers(0, 5, 200).astype(float)
    relevance[::5] = relevance[1::5] + 1  # no query is of equal documents
    scores = rng.integers(0, 3, 200).astype(float)  # many ties
    expected = [_by_hand(scores[queries == q], relevance[queries == q]) for q in range(40)]
    shuffle = rng.permutation(200)
    found = page.ndcg_losses(scores[shuffle], relevance[shuffle], queries[shuffle])
    assert found == pytest.approx(expected)
    assert page.ndcg_risk(scores, relevance, queries) == pytest.approx(np.mean(expected))


def test_a_shift_of_the_relevances_of_a_query_changes_nothing():
    """So limiting scores, which are relevances less their mean, give the gains of the labels."""
    relevance, scores = np.array([4.0, 0.0, 1.0]), np.array([0.0, 2.0, 1.0])
    assert page.ndcg_risk(scores, relevance - 5 / 3, ONE) == pytest.approx(
        page.ndcg_risk(scores, relevance, ONE)
    )


def test_queries_of_equal_documents_do_not_count():
    queries = np.array([0, 0, 1, 1])
    relevance = np.array([3.0, 3.0, 1.0, 0.0])
    assert page.ndcg_losses(np.zeros(4), relevance, queries) == pytest.approx([0.5 - 0.5 / log2(3)])
    with pytest.raises(InputError, match="documents of equal relevance only"):
        page.ndcg_risk(np.zeros(2), np.ones(2), np.zeros(2, dtype=np.int64))


NULL = np.nan
RANKS = np.array([[1, 3, 2, 1], [2, 1, 3, 2], [3, 2, 1, NULL], [1, 1, 1, 1], [2, 2, NULL, 2]])
LISTS = Letor(RANKS, np.array([2.0, 1, 0, 0, 1]), np.array([0, 0, 0, 1, 1]), ("cycle", "plain"))


def test_unranked_documents_are_unknown_or_last():
    cycle = RANKS[:3]
    assert wins_of(cycle, "unknown").tolist() == [[0, 3, 1], [1, 0, 2], [2, 1, 0]]
    assert wins_of(cycle, "last").tolist() == [[0, 3, 2], [1, 0, 3], [2, 1, 0]]


def test_the_best_order_contradicts_least_and_need_not_be_the_most_relevant():
    unknown, last = rank_lists(LISTS, "lists.txt")["unranked"]
    assert (unknown["cyclic"], unknown["optimal_proved"], unknown["judged"]) == (1, 2, 2)
    assert last["cyclic"] == 0  # 0 and 2 are even then, and 0 > 1 > 2 is no cycle
    for part in (unknown, last):
        rules = {rule["rule"]: rule for rule in part["rules"]}
        assert rules["kemeny"]["regret"] == 0.0
        assert all(rule["regret"] >= 0 for rule in rules.values())
        assert rules["kemeny"]["gain_over_kemeny"][0]["runs"] == [0.0, 0.0]
    # Query "plain" has the worse document on top for every ranker, and 0 > 1 > 2 is right in the other.
    worst = 1 - 1 / np.log2(3)
    assert rules["kemeny"]["ndcg"][1]["mean"] == pytest.approx(1 - worst / 2)


def test_the_report_has_a_row_for_each_rule():
    text = "\n".join(rendered(rank_list_lines(rank_lists(LISTS, "lists.txt"))))
    assert text.count("kemeny") == text.count("bradley-terry") == 2
    assert "4 rankers on 2 queries with 5 documents; 10% of the ranks are NULL" in " ".join(text.split())


def test_features_are_no_rank_lists():
    with pytest.raises(InputError, match="features: no document has NULL"):
        rank_lists(Letor(np.ones((2, 1)), np.zeros(2), np.zeros(2, dtype=np.int64), ("1",)), "features")


DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "research.md").read_text(encoding="utf-8") + TABLES["web search"]()


def _kept(name):
    return json.loads((DOCS / "experiments" / f"web-{name}.json").read_text(encoding="utf-8"))


def test_the_page_shows_the_risks():
    means = {
        (row["estimator"], row["k"], row["n"]): np.mean(row["risks"]) for row in _kept("synthetic")["orders"]
    }
    rows = re.findall(r"^\| ((?:\w+ )?\w+, (?:exact|steps))(?:, k = (\d+))? \| (.+) \|$", PAGE, re.MULTILINE)
    assert len(rows) == 7
    for estimator, k, shown in rows:
        found = (means[estimator, int(k) if k else None, n] for n in (10_000, 160_000, 640_000))
        assert shown == " | ".join(f"{risk:.4f}"[1:] for risk in found)


def test_the_page_tells_how_the_risk_depends_on_k_in_the_sample_of_lightgbm():
    rows = [row for row in _kept("lightgbm")["orders"] if row["n"] == 640_000]
    one, many = (
        next(row["risks"] for row in rows if (row["estimator"], row["k"]) == (page.EXACT, k))
        for k in (1, 10_000)
    )
    logistic = next(row["risks"] for row in rows if row["estimator"] == "pairwise logistic, exact")
    first, last, pairs, gap = (
        f"{np.mean(risks):.4f}"[1:] for risks in (one, many, logistic, np.array(one) - many)
    )
    assert (
        f"with 640,000 pairs {first} for k = 1 and {last} for k = 10,000 (paired difference {gap}, 90 % "
        f"interval .0125 to .0197), against {pairs} for the pairwise logistic loss"
    ) in " ".join(PAGE.split())


def test_the_stand_in_is_called_synthetic_and_measured_with_what_the_page_says():
    kept = _kept("synthetic")
    assert kept["data"]["title"] == page.TITLE
    assert {**kept["settings"], "steps": 10_000} == json.loads(json.dumps(asdict(page.WebPlan())))
    assert "experiment web --synthetic --steps 5000 " in PAGE


def test_a_run_of_the_stand_in_is_repeated():
    kept = _kept("synthetic")
    risks = {(row["estimator"], row["n"], row["k"]): row["risks"] for row in kept["orders"]}
    source = page.Collection.of(page.synthetic(100, 0))
    assert source.risk(source.limiting(1e-3)) == pytest.approx(risks[page.LIMITING, 10_000, None][0])
    sample = page.Sample(source, source.judged.btl_pairs(10_000, np.random.default_rng([0, 10_000, 3])))
    assert source.risk(sample.minimizer(100, 1e-3)) == pytest.approx(risks[page.EXACT, 10_000, 100][3])


def test_the_page_tells_the_paired_difference():
    """Aggregated less pairwise logistic, both exact, on the same 640,000 pairs."""
    rows = [row for row in _kept("synthetic")["orders"] if row["n"] == 640_000]
    logistic = next(row["risks"] for row in rows if row["estimator"] == "pairwise logistic, exact")
    aggregated = next(row["risks"] for row in rows if (row["estimator"], row["k"]) == (page.EXACT, 10_000))
    better = np.mean(np.array(logistic) - aggregated)
    assert f"better than the logistic one by {better:.4f}".replace("0.", ".") in " ".join(PAGE.split())
