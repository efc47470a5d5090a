"""What the smaller functions of an audit return."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import norm

from consistency_lab import Profile, read_profile
from consistency_lab.apps.align.certificates import Chart, ordering
from consistency_lab.apps.audit.audit import audit, broken, linked
from consistency_lab.apps.audit.board import certain_majorities
from consistency_lab.apps.audit.elections import election_rule
from consistency_lab.apps.audit.findings import (
    Contradiction,
    contradicted,
    contradictions,
    disagreement,
    heights,
    kendall,
    levels_of,
    on_top,
)
from consistency_lab.apps.audit.flips import at_least, first_flip, smallest_flip
from consistency_lab.apps.audit.losses import Parts, apart, canonical, elo, parts_of, rule, thurstone
from consistency_lab.apps.audit.noise import holm, pair_tests, sign_flips
from consistency_lab.apps.audit.page import standings
from consistency_lab.apps.audit.report import audit_document, audit_rows
from consistency_lab.apps.audit.screen import more_needed, shortened
from consistency_lab.apps.audit.words import noted, p_value, percent, span
from consistency_lab.apps.explore.exercises import Exercise, exercises
from consistency_lab.data.votes import Games
from consistency_lab.numbers.phi import named, parse
from consistency_lab.solve.edges import minimize_edges

A = [[Fraction(0), Fraction(2)], [Fraction(1), Fraction(0)]]
TESTS = pair_tests(np.array([[0, 9, 5], [1, 0, 5], [5, 5, 0]]))
CYCLE = np.array([[0, 9, 5], [1, 0, 9], [5, 1, 0]])
REAL = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]], bool)


def games(m: int, *rows: tuple[int, int, int]) -> Games:
    """Rows of how often, who won, who lost."""
    counts, first, second = np.array(rows).T
    return Games(m, counts, first, second, np.ones_like(counts))


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (contradictions(A, [(1,), (0,)]), (Contradiction(0, 1, Fraction(2), Fraction(1)),)),
        (contradictions(A, [(1, 0)]), ()),
        (disagreement(A, (1, 0)), 2),
        (kendall((0, 1, 2), (2, 0, 1)), 2),
        (heights(np.array([[3.0, 1.0, 1.0 + 1e-9]])).tolist(), [[1, 0, 0]]),
        (on_top(np.array([[1, 0, 1], [0, 1, 2]])).tolist(), [[0.5, 0.0, 0.5], [0.0, 0.0, 1.0]]),
        (levels_of(np.array([1.0, 2.0, 1.0])), ((1,), (0, 2))),
        (
            contradicted(np.array([[[0.0, 2.0], [1.0, 0.0]]]), heights(np.array([[0.0, 1.0]])))[0].tolist(),
            [[False, True], [False, False]],
        ),
        ([TESTS.p[0, 1], TESTS.p[0, 2], TESTS.corrected[0, 1]], [22 / 1024, 1.0, 66 / 1024]),
        (holm(np.array([0.01, 0.04, 0.03])).tolist(), [0.03, 0.06, 0.06]),
        ([round(sign_flips(np.array(x)), 12) for x in ([1, 1, 1, -1], [4], [3, 3, 1])], [0.625, 1.0, 0.25]),
        (certain_majorities(CYCLE, REAL).any(), False),
        (apart(np.array([0.0, 1.0, -1.0]), [1, 0, 0]).tolist(), [3.0, 1.0, -1.0]),
        (
            parts_of(minimize_edges(named("logistic").expression, [[0, 3, 1], [0, 0, 2], [0, 2, 0]])),
            Parts(levels=(((0,),), ((1, 2),)), attained=False),
        ),
        (round(float(norm.cdf(np.diff(thurstone(np.array([[0, 3.0], [1, 0]])))[0])), 9), 0.25),
        (str(elo(Profile.from_pairs([("A", "B")])))[:32], "depends on the order of games an"),
        ([canonical(" Bradley-Terry"), canonical("win_rate")], ["logistic", "winrate"]),
        ([rule("Bradley-Terry").name, rule("borda").name], ["logistic", "borda"]),
        (election_rule("logistic"), None),
        (linked([[0, 0, 1], [0, 0, 0], [0, 0, 0]]), ((0, 2), (1,))),
        (broken([(1,), (0, 2)], (2, 1, 0), [(0, 1, 2)]), ((1, 2, 0), 1)),
        ([*map(p_value, (0.00749, 0.5, 1e-9, 1.0))], ["p = .0075", "p = .50", "p < .0001", "p = 1"]),
        ([*map(percent, (0.995, 1.0, 0.0))], ["99.5 %", "100 %", "0 %"]),
        ([span(98, 131), span(2, 2), span(0, 0)], ["98 to 131", "2", "none"]),
        (
            [*map(noted, ("one is left out", "Warning: all are"))],
            ["Note: one is left out.", "Warning: all are."],
        ),
        (
            shortened(["model-large-2024-08-06", "model-large-2024-11-20", "B"], 12),
            ["model-l…8-06", "model-l…1-20", "B"],
        ),
        (Exercise(((0, 3, 8), (0, 0, 1), (4, 0, 0)), (0, 1, 2), ()).against((0, 2, 1)), 5),
        (
            next(exercises(1, 2)).solution(),
            [
                "A beats both others. Best: A > B > C, against 10.",
                "linear               A > B > C  right",
                "logistic             B > A > C  wrong, against 2 more",
                "exponential          B > A > C  wrong, against 2 more",
                "difference-logistic  A > B > C  right",
            ],
        ),
    ],
)
def test_what_comes_out(found: object, expected: object) -> None:
    assert found == expected


def test_how_few_votes_turn_two_items() -> None:
    """Two of three must go of those that count for the first alone; more where they count for both."""
    phi, votes = parse("exp(-x)"), games(2, (7, 0, 1), (3, 1, 0))
    assert (at_least(phi, votes, 0, 1), at_least(phi, votes, 1, 0)) == (4, None)
    flip = smallest_flip(rule("borda"), games(2, (3, 0, 1), (1, 1, 0)), 0, 1)
    assert flip is not None and (flip.size, flip.fewest, flip.removed.tolist()) == (2, 2, [2, 0])
    three = games(3, (3, 0, 2), (1, 2, 1))
    first, second = first_flip(rule("borda"), three, (0, 1, 2)), smallest_flip(rule("borda"), three, 0, 1)
    assert first is not None and second is not None
    assert (first.below, first.size, second.size) == (2, 3, 4)


def test_how_many_more_games_would_show_a_majority() -> None:
    found = more_needed(games(2, (55, 0, 1), (45, 1, 0)), 1, 0)
    assert found is not None and (found.above, found.more) == (0, 683)


def test_the_sample_is_audited() -> None:
    found = audit(read_profile("vermont.toc"), ["logistic"], resamples=0, simulations=0)
    names, (one,) = found.profile.items, found.findings
    assert [names[i] for i in one.order] == ["Beck", "Fay", "Willhoit", "South"]
    assert str(one.certified.verdict) == "INCONSISTENT"
    assert [names[i] for i in standings(found).moving] == ["Willhoit", "Fay"]
    order = ["Beck", "Willhoit", "Fay", "South"]
    best = {"order": order, "cost": "3159", "at_least": "3159", "optimal": True}
    assert audit_document(found, {})["best"] == best
    (row,) = audit_rows(found)
    told = [row[key] for key in ("loss", "preferred", "votes", "against")]
    assert told == ["logistic", "Willhoit", "777", "752"]


def test_weights_of_features_are_found_or_refuted() -> None:
    rows = [[Fraction(0)], [Fraction(1)], [Fraction(3)]]
    found = [ordering(rows, pairs).status.name for pairs in ([(1, 0)], [(1, 0), (1, 2)])]
    assert found == ["OPTIMAL", "INFEASIBLE"]
    chart = Chart.of(rows, (0, 2))
    assert chart is not None
    assert (chart.basis, [str(x) for x in chart.weights[1]], chart.scale) == ((0, 2), ["2/3", "1/3"], 3)
