"""What a theorem says of a profile, beside the files that are found without it."""

from fractions import Fraction
from random import Random

import pytest

from consistency_lab import ConsistencyLabError, Profile, Verdict, parse, read_profile
from consistency_lab.apps.audit import audit as audit_module
from consistency_lab.apps.audit.audit import audit, certified
from consistency_lab.apps.audit.command import made
from consistency_lab.apps.audit.losses import rule
from consistency_lab.apps.audit.many import Question
from consistency_lab.core.orders import NO_CYCLES
from consistency_lab.decide import certified as certified_module
from consistency_lab.decide.theorems.linear import net_order
from consistency_lab.model.surrogates import EdgeSurrogate, surrogate
from consistency_lab.solve.kemeny import KemenyOrder


def matrix(a):
    return [[Fraction(x) for x in row] for row in a]


def rankings(m, count, seed):
    """Few voters, so that net preferences are often equal."""
    drawn, names = Random(seed), "ABCDEFGH"[:m]
    return Profile.from_rankings([drawn.sample(names, m) for _ in range(count)])


@pytest.mark.parametrize("name", ["logistic", "huberized-hinge", "linear"])
def test_rankings_are_decided_as_the_files_say(name):
    said = set()
    for seed in range(8):
        profile = rankings(3 + seed % 3, 2 + seed % 4, seed)
        found = certified(rule(name), profile)
        assert found.theorem is not None
        witness = found.witness
        if witness is None:  # ties of scores that are no logarithms of rationals: only the theorem tells them
            assert (name, found.failure) == ("logistic", "tie")
            continue
        assert witness.verified.failure == found.failure
        assert witness.inconsistent is (found.verdict is Verdict.INCONSISTENT)
        said.add((str(found.verdict), found.failure))
    assert {("CONSISTENT", None), ("INCONSISTENT", "tie")} <= said


def test_many_items_are_decided_as_their_files_say():
    drawn, names = Random(3), [f"item {k}" for k in range(12)]
    votes = [sorted(names, key=lambda x: int(x[5:]) + drawn.gauss(0, 6)) for _ in range(25)]
    profile = Profile.from_rankings(votes)
    for name in ("logistic", "linear"):
        found = certified(rule(name), profile)
        assert found.theorem is not None
        assert found.witness.inconsistent is (found.verdict is Verdict.INCONSISTENT)
        levels = found.levels or ()
        order = [k for level in levels for k in level]
        if found.witness.scores:
            assert order == sorted(range(12), key=lambda k: (-found.witness.scores[k], k))
        elif found.witness.inconsistent:  # by addition: what the file states sorts by the same net wins
            height = {k: -n for n, level in enumerate(levels) for k in level}
            assert sorted(found.witness.prediction, key=lambda k: -height[k]) == list(
                found.witness.prediction
            )


def test_net_preferences_that_differ_by_one_vote_in_a_trillion_are_no_tie():
    n = 10**12
    a = matrix([[0, n + 1, n], [n - 1, 0, n], [n, n, 0]])
    found = net_order(surrogate("logistic"), a)
    assert found.levels == ((0,), (2,), (1,))
    a[0][1] = a[1][0] = Fraction(n)
    tied = net_order(surrogate("logistic"), a)
    assert tied.levels == ((0, 1, 2),)


@pytest.mark.parametrize(
    "a",
    [
        [[0, 2, 1], [1, 0, 1], [2, 1, 0]],  # one pair is compared less often
        [[0, 1, 0], [1, 0, 0], [0, 0, 0]],  # one item is not compared
        [[0, 0, 0], [0, 0, 0], [0, 0, 0]],
    ],
)
def test_counts_that_differ_are_no_matter_of_this_theorem(a):
    assert net_order(surrogate("logistic"), matrix(a)) is None
    assert net_order(surrogate("linear"), matrix(a)) is not None


@pytest.mark.parametrize("name", ["exponential", "squared-hinge", "hinge", "margin-logistic"])
def test_other_losses_are_no_matter_of_it(name):
    assert net_order(surrogate(name), matrix([[0, 2], [1, 0]])) is None


def test_nor_are_weights_that_are_not_counted_as_they_are():
    one = EdgeSurrogate("squared", parse("log(1+exp(-x))"), parse("a**2", "a"))
    assert net_order(one, matrix([[0, 2], [1, 0]])) is None


def test_where_the_minimum_is_not_attained_the_order_is_told_all_the_same():
    """Everybody puts A first: the logistic scores run away, in the order of the wins."""
    profile = Profile.from_rankings([list("ABC"), list("ABC"), list("ACB")])
    found = certified(rule("logistic"), profile)
    assert (str(found.verdict), found.levels) == ("CONSISTENT", ((0,), (1,), (2,)))
    assert found.witness is not None


def test_borda_against_condorcet():
    profile = Profile.from_rankings([list("ABC")] * 3 + [list("BCA")] * 2)
    for name in ("logistic", "square", "linear"):
        found = certified(rule(name), profile)
        assert (found.levels, found.failure) == (((1,), (0,), (2,)), "strict")
        assert found.witness.failure == "strict"


def test_an_order_that_is_not_known_to_be_the_best_leaves_it_to_a_file():
    profile = Profile.from_rankings([list("ABC"), list("ABC"), list("BAC")])
    best = KemenyOrder((0, 1, 2), Fraction(1), Fraction(0), NO_CYCLES)
    found = certified(rule("logistic"), profile, best)
    assert found.theorem is None and found.witness is not None and found.verdict is Verdict.CONSISTENT
    assert certified(rule("logistic"), profile).theorem is not None


def test_a_file_is_made_only_where_it_is_saved():
    profile = rankings(4, 5, 1)
    question = Question(("logistic", "exponential"), resamples=0, simulations=0)
    kept = made(profile, Question(("logistic", "exponential"), 0, 0, folder="there"))
    found = made(profile, question)
    assert len(found.witnesses) == 1 and len(kept.witnesses) == 2
    assert found.document is not None and kept.document is not None
    first, saved = (one["findings"][0] for one in (found.document, kept.document))
    assert first["digest"] is None and first["witness"] is None
    assert first["theorem"].startswith("Borda's count") and first["verdict"] == saved["verdict"]
    assert saved["digest"] == kept.witnesses[0]["digest"]


def test_of_many_items_the_core_decides_before_a_file_is_made():
    drawn = Random(7)
    wins = [[drawn.randrange(9) for _ in range(16)] for _ in range(16)]
    profile = Profile.from_matrix(
        [[0 if i == j else x for j, x in enumerate(row)] for i, row in enumerate(wins)]
    )
    losses = ("exponential", "difference-logistic")
    told = made(profile, Question(losses, 0, 0))
    quick = made(profile, Question(losses, 0, 0, digests=False))
    assert quick.witnesses == ()
    assert [one["digest"] for one in told.document["findings"]] == [one["digest"] for one in told.witnesses]
    for first, second, finding in zip(
        told.document["findings"], quick.document["findings"], quick.audit.findings, strict=True
    ):
        assert second == {**first, "digest": None}
        assert finding.certified.witness.digest == first["digest"]
        assert finding.certified.witness.failure == finding.certified.failure == "strict"
        assert finding.certified.witness.verified.sentence == finding.certified.reason


def test_a_file_that_contradicts_the_theorem_is_reported(monkeypatch):
    wrong, right = (
        Profile.from_rankings([list("ABC"), list("BCA"), list("CAB")]),
        Profile.from_rankings([list("ABC")]),
    )
    found = certified(rule("exponential"), right)
    monkeypatch.setattr(certified_module.Case, "decided", lambda *_, **__: found.witness)
    with pytest.raises(ConsistencyLabError, match=r"says INCONSISTENT, but a file .*please report this"):
        assert certified(rule("logistic"), wrong).witness


def test_without_a_majority_every_order_is_right():
    profile = Profile.from_rankings([list("ABC"), list("CBA")])
    found = certified(rule("exponential"), profile)
    assert (str(found.verdict), found.reason) == ("CONSISTENT", "without a majority every order is optimal")


def test_of_many_items_only_orders_by_addition_are_certified(monkeypatch):
    """The limit of 300 items lowered to 3: nothing is drawn again, and no other proof and factor is tried."""
    for module in (audit_module, certified_module):
        monkeypatch.setattr(module, "BY_ADDITION_ALONE", 3)
    monkeypatch.setattr(certified_module.Case, "decided", None)
    votes = read_profile("san-francisco.csv")
    found = audit(votes, ["logistic", "linear"], flips=False)
    logistic, linear = (one.certified for one in found.findings)
    assert (found.resamples, found.simulations, found.findings[0].stability) == (0, 0, None)
    assert (logistic.verdict, logistic.failure) == (Verdict.INCONSISTENT, "strict")
    assert linear.theorem is not None
    added = logistic.by_addition
    assert {pair.factor for pair in added.pairs} == {1}
    assert len(added.pairs) == 45
    assert (
        sum(votes.wins[pair.above][pair.below] < votes.wins[pair.below][pair.above] for pair in added.pairs)
        == 1
    )
    vermont = audit(read_profile("vermont.toc"), ["logistic"]).findings[0].certified
    assert vermont.verdict is Verdict.UNDECIDED
    assert vermont.reason.startswith("there are 4 items, and adding up comparisons does not decide")
