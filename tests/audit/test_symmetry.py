"""What an audit says does not depend on the order or the names of the items, and repeats."""

from random import Random

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import log_ndtr

from consistency_lab import Profile, Verdict
from consistency_lab.apps.audit.audit import audit
from consistency_lab.apps.audit.findings import heights
from consistency_lab.apps.audit.losses import rule, thurstone
from consistency_lab.apps.audit.words import Facts, sentence

LOSSES = (
    *("logistic", "exponential", "squared-hinge", "square", "linear", "regression", "difference-logistic"),
    *("borda", "winrate", "thurstone"),
)


def drawn_wins(seed):
    drawn = Random(seed)
    m, most = drawn.randint(3, 6), drawn.choice((1, 3, 20))
    a = [
        [0 if i == j or drawn.random() < 0.2 else drawn.randint(0, most) for j in range(m)] for i in range(m)
    ]
    a[0][1] += 1
    return a, list("ABCDEF"[:m])


def facts_of(found):
    """All that is said without chance, with names for numbers."""
    items = found.profile.items
    told = [found.best.cost, found.best.at_least, found.null.found]
    for one in found.findings:
        against = {(items[c.above], items[c.below], c.votes, c.against) for c in one.contradictions}
        p = {
            (items[c.above], items[c.below]): found.tests.corrected[c.above, c.below]
            for c in one.contradictions
        }
        scores = {items[i]: round(float(x), 5) + 0.0 for i, x in enumerate(one.scores)}
        told.append(
            (one.rule.name, one.certified.verdict, one.certified.failure, one.tied, against, p, scores)
        )
    return told


@pytest.mark.parametrize("seed", range(2))
def test_another_order_of_the_items_changes_nothing_that_is_said(seed):
    a, names = drawn_wins(seed)
    turned = Random(seed).sample(range(len(a)), len(a))
    once = {"resamples": 0, "simulations": 1, "flips": False}
    first = audit(Profile.from_matrix(a, names), LOSSES, **once)
    moved = [[a[i][j] for j in turned] for i in turned]
    second = audit(Profile.from_matrix(moved, [names[i] for i in turned]), LOSSES, **once)
    for one, other in zip(facts_of(first), facts_of(second), strict=True):
        assert one == other


def test_other_names_change_nothing():
    a, names = drawn_wins(2)
    other = [f"{name} & <{name}>" for name in names]
    drawn = {"resamples": 40, "simulations": 9, "flips": False}
    first, second = (audit(Profile.from_matrix(a, n), LOSSES, **drawn) for n in (names, other))
    for one, two in zip(first.findings, second.findings, strict=True):
        assert (one.order, one.certified.verdict, one.cost) == (two.order, two.certified.verdict, two.cost)
        assert np.array_equal(one.stability.pairs, two.stability.pairs)
    assert first.null == second.null


def test_a_seed_repeats_all_that_is_drawn_and_another_does_not():
    profile = Profile.from_matrix([[0, 8, 5], [7, 0, 9], [6, 5, 0]], ["A", "B", "C"])
    asked = {"losses": ["logistic", "thurstone"], "resamples": 200, "simulations": 30, "flips": False}
    audits = [audit(profile, seed=seed, **asked) for seed in (4, 4, 5)]
    drawn = [[one.stability.pairs.tolist() for one in found.findings if one.stability] for found in audits]
    assert drawn[0] == drawn[1] != drawn[2]
    assert audits[0].null == audits[1].null


def test_thurstone_is_the_greatest_likelihood_and_never_called_certified():
    for seed in range(2):
        rng = np.random.default_rng(seed)
        wins = rng.integers(1, 30, (4, 4)).astype(float) * (1 - np.eye(4))

        def loss(u, wins=wins):
            return float(-(wins * log_ndtr(u[:, None] - u[None, :])).sum())

        u, there = thurstone(wins), minimize(loss, np.zeros(4), method="BFGS", options={"gtol": 1e-8}).x
        assert u - u.mean() == pytest.approx(there - there.mean(), abs=1e-4)
    found = audit(Profile.from_matrix([[0, 9], [1, 0]], ["A", "B"]), ["thurstone"])
    finding = found.findings[0]
    assert finding.certified.verdict is Verdict.UNDECIDED and finding.certified.witness is None
    assert "ertified right" not in (said := sentence(Facts(found), finding)) and "ertified wrong" not in said
    assert said.startswith("Not certified: it is not a loss of the catalogue")


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "m"),
    [*((name, 4) for name in LOSSES), ("hinge", 5), ("logistic", 23), ("difference-logistic", 23)],
)
def test_scores_of_few_games_follow_the_items_wherever_they_stand(name, m):
    generator, turn = np.random.default_rng(m), Random(m).sample(range(m), m)
    wins = (generator.random((40, m, m)) < 1.2 / m) * generator.integers(1, 4, (40, m, m)).astype(float)
    wins[:, np.arange(m), np.arange(m)] = 0
    seen = rule(name)
    here = heights(seen.scores(wins))
    there = heights(seen.scores(np.ascontiguousarray(wins[:, turn][:, :, turn])))
    assert (here[:, turn] == there).all()
    assert (here == np.concatenate([heights(seen.scores(wins[k : k + 1])) for k in range(40)])).all()
