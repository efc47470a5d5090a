"""The fewest votes that decide an order: what is proved of them, against all sets of votes."""

from fractions import Fraction
from itertools import product
from random import Random

import numpy as np
import pytest

from consistency_lab import Profile, parse, read_profile, surrogate
from consistency_lab.apps.audit import flips as fewest
from consistency_lab.apps.audit.audit import audit
from consistency_lab.apps.audit.flips import at_least, first_flip, smallest_flip
from consistency_lab.apps.audit.losses import rule
from consistency_lab.data.rows import Compared, PairCounts
from consistency_lab.data.votes import Games, Orders
from consistency_lab.decide.theorems.linear import net_order
from consistency_lab.solve.numeric import raw

SMOOTH = ("logistic", "squared-hinge")
_RIDGE = 1e-6


def games(m, count, seed):
    drawn, names = Random(seed), "ABC"[:m]
    a = [[0] * m for _ in range(m)]
    for _ in range(count):
        i, j = sorted(drawn.sample(range(m), 2))
        if drawn.random() < 0.25:
            i, j = j, i
        a[i][j] += 1
    return Profile.from_matrix(a, list(names))


def is_above(name, wins, a, b):
    """By Newton's method alone, with a little that holds the others near a and b."""
    found = rule(name)
    jets, m = raw(found.phi), len(wins)
    free = [k for k in range(m) if k != b]
    u = np.zeros(m)
    middle = np.eye(m) - (np.eye(m)[a] + np.eye(m)[b]) / 2

    def expand(u):
        value, slope, curvature = (np.asarray(part) for part in jets(u[:, None] - u[None, :]))
        force, bend = wins * slope, wins * curvature
        hessian = np.diag((bend + bend.T).sum(axis=1)) - bend - bend.T + _RIDGE * middle.T @ middle
        gradient = force.sum(axis=1) - force.sum(axis=0) + _RIDGE * middle.T @ middle @ u
        return float((wins * value).sum() + _RIDGE / 2 * (middle @ u) @ (middle @ u)), gradient, hessian

    for _ in range(500):
        value, gradient, hessian = expand(u)
        step = np.zeros(m)
        step[free] = -np.linalg.lstsq(hessian[np.ix_(free, free)], gradient[free], rcond=None)[0]
        length = 1.0
        while length > 1e-12 and expand(u + length * step)[0] > value + 1e-4 * length * float(
            gradient @ step
        ):
            length /= 2
        u = u + length * step
        if np.abs(length * step).max() < 1e-9:
            break
    return bool(u[a] > u[b])


def removals(votes, most):
    ways = product(*(range(min(int(n), most) + 1) for n in votes.counts))
    return [np.array(way) for way in ways if sum(way) <= most]


@pytest.mark.parametrize("name", SMOOTH)
def test_no_set_of_fewer_votes_turns_the_order(name):
    found, reached = rule(name), 0
    for seed in range(2):
        votes = games(3, 8 + seed, seed).votes
        for a, b in ((0, 1), (1, 2), (0, 2)):
            least = at_least(found.phi, votes, a, b)
            if least is None:
                continue
            few = removals(votes, least)
            smaller = [one for one in few if one.sum() < least]
            assert all(is_above(name, votes.added((votes.counts - one)[None])[0], a, b) for one in smaller)
            equal = [one for one in few if one.sum() == least]
            reached += not all(is_above(name, votes.added((votes.counts - r)[None])[0], a, b) for r in equal)
    assert reached >= 1


def all_keep_the_order(votes, least, a, b):
    fewer = removals(votes, least - 1)
    left = (votes.added((votes.counts - one)[None])[0] / votes.denominator for one in fewer)
    return all(is_above("logistic", wins, a, b) for wins in left)


def test_any_scores_give_a_bound_that_holds(monkeypatch):
    phi, proved = parse("log(1+exp(-x))"), 0
    for seed in range(6):
        votes, drawn = games(3, 10, seed).votes, Random(seed)
        assert votes is not None
        best = at_least(phi, votes, 0, 1) or 0
        with monkeypatch.context() as patched:
            third = Fraction(drawn.randint(-20, 20), 8)
            patched.setattr(fewest, "_scores", lambda *_, third=third: [Fraction(0), Fraction(0), third])
            least = at_least(phi, votes, 0, 1)
        if least is not None:
            proved += 1
            assert least <= best and all_keep_the_order(votes, least, 0, 1)
    assert proved >= 1


def test_a_tie_is_half_a_win_for_each():
    proved = 0
    for seed in range(6):
        drawn = Random(seed)
        won = tuple((i, j, drawn.randint(0, 2 + 2 * (i < j))) for i in range(3) for j in range(3) if i != j)
        ties = tuple((i, j, drawn.randint(0, 2)) for i, j in ((0, 1), (0, 2), (1, 2)))
        counts = Compared.of(won), Compared.of(ties)
        votes = Profile.of(PairCounts("", "", ("A", "B", "C"), *counts, Fraction(1, 2))).votes
        assert votes.denominator == 2
        least = at_least(parse("log(1+exp(-x))"), votes, 0, 2)
        if least is not None:
            proved += 1
            assert all_keep_the_order(votes, least, 0, 2)
    assert proved >= 3


@pytest.mark.parametrize("name", SMOOTH)
def test_of_two_items_it_is_the_difference_of_their_votes(name):
    found = rule(name)
    for won, lost in ((7, 3), (5, 4), (4, 0)):
        votes = Profile.from_matrix([[0, won], [lost, 0]], ["A", "B"]).votes
        assert votes is not None
        assert at_least(found.phi, votes, 0, 1) == won - lost
        assert at_least(found.phi, votes, 1, 0) is None


@pytest.mark.parametrize("name", ["logistic", "squared-hinge"])
def test_a_flip_is_proved_by_what_keeps_the_order_without_it(name):
    for seed in range(6):
        votes = games(3, 30, seed).votes
        wins = votes.wins.astype(float)
        first, second = np.argsort(-rule(name).scores(wins[None])[0])[:2].tolist()
        found = smallest_flip(rule(name), votes, first, second)
        assert found.sufficient
        assert (found.fewest or 0) <= found.size
        assert is_above(name, votes.added((votes.counts - found.removed)[None])[0], second, first)


def test_kinks_and_what_is_not_bounded_prove_nothing():
    votes = games(3, 9, 0).votes
    assert votes is not None
    for text in ("max(0,1-x)", "-x", "1/(1+exp(x))"):
        assert at_least(parse(text), votes, 0, 1) is None


@pytest.mark.parametrize(("name", "least", "size"), [("logistic", 905, 1746), ("square", 796, 1577)])
def test_the_first_place_of_san_francisco(name, least, size):
    profile = read_profile("san-francisco.csv")
    scores = rule(name).scores(np.array(profile.wins, dtype=np.float64)[None])[0]
    first, second = np.argsort(-scores)[:2].tolist()
    assert profile.votes is not None
    found = smallest_flip(rule(name), profile.votes, first, second)
    assert found.fewest == least and found.size <= size and found.sufficient


@pytest.mark.parametrize("name", ["logistic", "square", "linear"])
def test_of_rankings_the_fewest_are_told_exactly(name):
    for seed in range(5):
        drawn = Random(seed)
        profile = Profile.from_rankings([drawn.sample("ABC", 3) for _ in range(9)])
        votes = profile.votes
        net = votes.wins.sum(axis=1) - votes.wins.sum(axis=0)
        first, second = np.argsort(-net, kind="stable")[:2].tolist()
        found = smallest_flip(rule(name), votes, first, second)
        assert found.fewest == found.size
        left = [votes.added((votes.counts - one)[None])[0] for one in removals(votes, found.size)]
        gone = [int(one.sum()) for one in removals(votes, found.size)]
        turned = [
            n
            for n, wins in zip(gone, left, strict=True)
            if (wins.sum(axis=1) - wins.sum(axis=0))[first] <= (wins.sum(axis=1) - wins.sum(axis=0))[second]
        ]
        assert min(turned) == found.size


def test_ballots_that_leave_pairs_out_are_not_told_by_wins():
    kinds = [
        (n, [[i], [j]]) for n, i, j in ((12, 0, 1), (6, 1, 0), (9, 1, 2), (9, 2, 1), (12, 0, 2), (6, 2, 0))
    ]
    votes = Orders.of(3, kinds)
    found = smallest_flip(rule("logistic"), votes, 0, 1)
    assert net_order(surrogate("logistic"), votes.aggregate) is not None
    assert (found.fewest, found.size) == (8, 9)  # by wins no fewer than 9 would do


def test_by_wins_no_fewer_votes_decide_the_first_place():
    others = 0
    for seed in range(12):
        votes = games(3, 12, seed).votes
        net = votes.wins.sum(axis=1) - votes.wins.sum(axis=0)
        order = np.argsort(-net, kind="stable").tolist()
        if net[order[0]] == net[order[1]]:
            continue
        found = first_flip(rule("linear"), votes, order)
        assert found.sufficient
        others += found.below != order[1]
        least = min(
            int(gone.sum())
            for gone in removals(votes, found.size)
            for wins in [votes.added((votes.counts - gone)[None])[0]]
            for left in [wins.sum(axis=1) - wins.sum(axis=0)]
            if left[order[0]] <= max(left[order[1:]])
        )
        assert least == found.size == found.fewest
    assert others > 0


def test_where_two_items_are_first_none_is_removed():
    tied = Profile.from_matrix([[0, 1, 2], [1, 0, 2], [0, 0, 0]], ["A", "B", "C"])
    findings = audit(tied, ["linear", "logistic"], resamples=0, simulations=0).findings
    assert [finding.flip for finding in findings] == [None, None]


def test_items_far_apart_that_were_not_compared_do_not_overflow():
    """The first item never wins, so its score is far below."""
    wins = [[0, 0, 0, 0], [1, 0, 1, 0], [0, 2, 0, 1], [4, 2, 3, 0]]
    with np.errstate(all="raise", under="ignore"):
        found = audit(Profile.from_matrix(wins, list("ABCD")), ["exponential"], resamples=0, simulations=0)
    assert found.findings[0].order[-1] == 0


def test_of_losses_with_kinks_no_flip_is_shown():
    votes = Games(2, np.array([7, 3]), np.array([0, 1]), np.array([1, 0]), np.array([1, 1]))
    assert smallest_flip(rule("logistic"), votes, 0, 1) is not None
    assert smallest_flip(rule("hinge"), votes, 0, 1) is None
