"""A contradicted majority in data, resamples and simulations; what smaller functions return."""

from fractions import Fraction
from random import Random

import numpy as np
import pytest

from consistency_lab import Profile
from consistency_lab.apps.align.certificates import Chart, ordering
from consistency_lab.apps.audit import findings
from consistency_lab.apps.audit.audit import audit
from consistency_lab.numbers.arrays import counted


def test_weights_of_features_are_found_or_refuted():
    rows = [[Fraction(0)], [Fraction(1)], [Fraction(3)]]
    found = [ordering(rows, pairs).status.name for pairs in ([(1, 0)], [(1, 0), (1, 2)])]
    assert found == ["OPTIMAL", "INFEASIBLE"]
    chart = Chart.of(rows, (0, 2))
    assert (chart.basis, [str(x) for x in chart.weights[1]], chart.scale) == ((0, 2), ["2/3", "1/3"], 3)


def few_games(m, seed):
    """So few that many scores are equal."""
    drawn = Random(seed)
    wins = [[0 if i == j else drawn.choice((0, 0, 1, 1, 2)) for j in range(m)] for i in range(m)]
    wins[0][1] += 1
    return Profile.from_matrix(wins, [f"item {k}" for k in range(m)])


def test_bradley_terry_contradicts_what_the_logistic_loss_does():
    ties = 0
    for seed in range(12):
        found = audit(few_games(5, seed), ["logistic"], resamples=0, simulations=1, flips=False)
        assert found.null.found == len(found.findings[0].contradictions)
        ties += found.findings[0].tied
    assert ties > 0


def test_arrays_count_what_the_exact_list_has():
    rng = np.random.default_rng(0)
    for _ in range(20):
        wins = rng.integers(0, 3, (6, 6)).astype(float)
        scores = rng.integers(0, 4, 6) + 1e-9 * rng.normal(size=6)
        exact = [[Fraction(x) for x in row] for row in wins.tolist()]
        listed = {
            (one.above, one.below)
            for one in findings.contradictions(*counted(exact), findings.levels_of(scores))
        }
        where = np.argwhere(findings.contradicted(wins[None], findings.heights(scores[None]))[0])
        assert listed == {(int(i), int(j)) for i, j in where}


def test_the_shares_of_being_first_add_up_to_one():
    even = Profile.from_matrix([[0, 1], [0, 0]], ["A", "B"])
    found = audit(even, ["borda"], resamples=40, simulations=0).findings[0].stability
    assert found.first.tolist() == [1.0, 0.0]
    level = audit(Profile.from_rankings([list("ABC"), list("BAC")]), ["borda"], resamples=200, simulations=0)
    stable = level.findings[0].stability
    assert stable.first.sum() == pytest.approx(1)
    assert level.boards[0].first.sum() == pytest.approx(1)
    assert 0.4 < stable.first[0] < 0.6  # half of the resamples are ties


def test_scores_that_differ_are_not_called_tied():
    """A over B by 5,000,001 : 5,000,000 puts them 1e-7 apart, and floats know 1e-13."""
    wins = [[0, 5_000_001, 900_000], [5_000_000, 0, 900_000], [100_000, 100_000, 0]]
    found = audit(
        Profile.from_matrix(wins), ["logistic", "exponential"], resamples=0, simulations=0, flips=False
    )
    assert [finding.tied for finding in found.findings] == [0, 0]
