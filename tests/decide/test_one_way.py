"""One way to a verdict at a distribution, whoever asks: check --profile, --design counts:FILE and audits."""

import numpy as np
import pytest

from consistency_lab.apps.audit.audit import certified as audited
from consistency_lab.apps.audit.losses import rule
from consistency_lab.data.profile import Profile, read_profile
from consistency_lab.decide.answers import Verdict
from consistency_lab.decide.certified import certified, repairs
from consistency_lab.decide.profile import decide_design, decide_profile
from consistency_lab.decide.surrogate import decide
from consistency_lab.model.conditions import conditions_at
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import surrogate

WRONG, RIGHT = Verdict.INCONSISTENT, Verdict.CONSISTENT


def round_robin(rng, m, games):
    """Each pair plays as often, and who wins is drawn."""
    won = rng.integers(0, games + 1, (m, m))
    return [[int(won[i, j] if i < j else games - won[j, i]) * (i != j) for j in range(m)] for i in range(m)]


def profile(path, a):
    rows = [f"{i},{j},{n}" for i, row in enumerate(a) for j, n in enumerate(row) if n]
    path.write_text("\n".join(["winner,loser,count", *rows]), "utf-8")
    return read_profile(path)


@pytest.mark.parametrize("name", ["logistic", "difference-logistic", "difference-hinge"])
def test_round_robins_are_decided_as_in_an_audit(name, tmp_path):
    """Many have equal net wins, which only theorems decide (docs/theory.md, Exchangeable items)."""
    rng, verdicts = np.random.default_rng(27), []
    for games in (1, 2, 3, 1, 2, 3):
        board = profile(tmp_path / "board.csv", round_robin(rng, int(rng.integers(4, 7)), games))
        asked, told = decide_profile(name, board), audited(rule(name), board)
        assert asked.verdict is told.verdict
        verdicts.append(asked.verdict)
    assert Verdict.UNDECIDED not in verdicts


@pytest.mark.parametrize("name", ["logistic", "squared-hinge"])
def test_many_items_are_decided_as_in_an_audit(name, tmp_path):
    rng, m = np.random.default_rng(3), 18
    a = [[0 if i == j else int(40 + 2 * (j - i) + rng.integers(-9, 9)) for j in range(m)] for i in range(m)]
    board = profile(tmp_path / "board.csv", a)
    found = decide_profile(name, board)
    assert found.witness is not None
    assert found.verdict is audited(rule(name), board).verdict is not Verdict.UNDECIDED


def test_a_wrong_component_makes_the_whole_wrong():
    """A cycle of three below a fourth: for exponential there is no minimizer, and no certificate."""
    a = [[0, 1, 0, 0], [0, 0, 1, 0], [1, 0, 0, 0], [1, 1, 1, 0]]
    found = certified(surrogate("exponential"), Distribution.from_aggregate(a))
    assert (found.verdict, found.failure, found.witness) == (WRONG, "tie", None)
    assert found.reason == "1, 2, 3 alone are wrong, and the strong components move apart"


@pytest.mark.parametrize("design", ["any", "forest", "balanced", "product"])
def test_two_items_have_every_design(design):
    kinked = surrogate(phi="max(1-x,1-10*x,0)")
    found = decide(kinked, "additive", design=design, items=2)
    assert found.verdict is WRONG
    again = decide_profile(kinked, found.witnesses[0].distribution)
    assert (again.verdict, again.witness and again.witness.failure) == (WRONG, "tie")


@pytest.mark.parametrize("name", ["logistic", "exponential", "margin-square"])
def test_the_witness_of_all_conditions_needs_no_budget(name):
    found = decide(name, effort=1e-9)
    assert {answer.verdict for answer in found.answers} == {WRONG}


def test_counts_that_are_a_witness_themselves_decide(tmp_path):
    """No construction with these counts is needed where the very file is ordered wrongly."""
    for a in ([[0, 2, 3], [8, 0, 2], [2, 5, 0]], [[0, 0, 2, 2], [2, 0, 1, 8], [5, 0, 0, 5], [3, 1, 2, 0]]):
        board = profile(tmp_path / "board.csv", a)
        assert decide_profile("hinge", board).verdict is WRONG
        holding = [name for name, holds in conditions_at(board.wins).items() if holds]
        assert {one.verdict for one in decide_design("hinge", board, holding).answers} == {WRONG}


def test_a_loss_that_is_wrong_is_no_repair_of_itself():
    """On complete rankings 1/n_ij and w_i w_j multiply all of W by one number."""
    ballots = Profile.from_rankings([list("ABC"), list("BCA"), list("CAB"), list("ABC")])
    scaled = Profile.from_rankings([list("ACBD"), list("ABDC"), list("BDAC")])
    for one in (ballots, scaled):
        tried = repairs(surrogate("logistic"), one.distribution)
        assert {repair.kind for repair in tried} == {"loss"}


FILES = ("vermont.toc", "san-francisco.csv")


@pytest.mark.parametrize("name", ["logistic", "hinge", "linear"])
@pytest.mark.parametrize("file", FILES)
def test_the_samples_are_decided_alike(file, name):
    board = read_profile(file)
    assert decide_profile(name, board).verdict is audited(rule(name), board).verdict is not Verdict.UNDECIDED
