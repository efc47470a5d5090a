"""What docs/research.md says of web search was measured, and what is committed can be repeated."""

import json
import re
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from consistency_lab.apps.learn.experiments.web import (
    EXACT,
    LIMITING,
    TITLE,
    Collection,
    Sample,
    WebPlan,
    synthetic,
)
from docs.tables import TABLES

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "research.md").read_text(encoding="utf-8") + TABLES["web search"]()


def _kept(name: str):
    return json.loads((DOCS / "experiments" / f"web-{name}.json").read_text(encoding="utf-8"))


def test_the_page_shows_the_risks() -> None:
    means = {
        (row["estimator"], row["k"], row["n"]): np.mean(row["risks"]) for row in _kept("synthetic")["orders"]
    }
    rows = re.findall(r"^\| ((?:\w+ )?\w+, (?:exact|steps))(?:, k = (\d+))? \| (.+) \|$", PAGE, re.MULTILINE)
    assert len(rows) == 7
    for estimator, k, shown in rows:
        found = (means[estimator, int(k) if k else None, n] for n in (10_000, 160_000, 640_000))
        assert shown == " | ".join(f"{risk:.4f}"[1:] for risk in found)


def test_the_page_tells_how_the_risk_depends_on_k_in_the_sample_of_lightgbm() -> None:
    rows = [row for row in _kept("lightgbm")["orders"] if row["n"] == 640_000]
    one, many = (
        next(row["risks"] for row in rows if (row["estimator"], row["k"]) == (EXACT, k)) for k in (1, 10_000)
    )
    logistic = next(row["risks"] for row in rows if row["estimator"] == "pairwise logistic, exact")
    first, last, pairs, gap = (
        f"{np.mean(risks):.4f}"[1:] for risks in (one, many, logistic, np.array(one) - many)
    )
    assert (
        f"with 640,000 pairs {first} for k = 1 and {last} for k = 10,000 (paired difference {gap}, 90 % "
        f"interval .0125 to .0197), against {pairs} for the pairwise logistic loss"
    ) in " ".join(PAGE.split())


def test_the_stand_in_is_called_synthetic_and_measured_with_what_the_page_says() -> None:
    kept = _kept("synthetic")
    assert kept["data"]["title"] == TITLE
    assert {**kept["settings"], "steps": 10_000} == json.loads(json.dumps(asdict(WebPlan())))
    assert "experiment web --synthetic --steps 5000 " in PAGE


def test_a_run_of_the_stand_in_is_repeated() -> None:
    """Without stochastic steps: the limit, and one sample."""
    kept = _kept("synthetic")
    risks = {(row["estimator"], row["n"], row["k"]): row["risks"] for row in kept["orders"]}
    source = Collection.of(synthetic(100, 0))
    assert source.risk(source.limiting(1e-3)) == pytest.approx(risks[LIMITING, 10_000, None][0])
    sample = Sample(source, source.judged.btl_pairs(10_000, np.random.default_rng([0, 10_000, 3])))
    assert source.risk(sample.minimizer(100, 1e-3)) == pytest.approx(risks[EXACT, 10_000, 100][3])


def test_the_page_tells_the_paired_difference() -> None:
    """Aggregated less pairwise logistic, both exact, on the same 640,000 pairs."""
    rows = [row for row in _kept("synthetic")["orders"] if row["n"] == 640_000]
    logistic = next(row["risks"] for row in rows if row["estimator"] == "pairwise logistic, exact")
    aggregated = next(row["risks"] for row in rows if (row["estimator"], row["k"]) == (EXACT, 10_000))
    better = np.mean(np.array(logistic) - aggregated)
    assert f"better than the logistic one by {better:.4f}".replace("0.", ".") in " ".join(PAGE.split())
