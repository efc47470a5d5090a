"""Certificates at one distribution, built here and accepted by the kernel."""

from fractions import Fraction
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consistency_lab.certify.proofs.file import verify
from consistency_lab.certify.proofs.names import graphs_entry
from consistency_lab.certify.witness import certify, sealed_witness
from consistency_lab.decide.answers import Verdict
from consistency_lab.decide.profile import decide_profile
from consistency_lab.errors import RejectedError, UnsupportedError
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import surrogate

from .files import certified

VERMONT = [[0, 908, 944, 461], [631, 0, 310, 752], [620, 263, 0, 684], [209, 777, 756, 0]]
NAMES = ["Beck", "Fay", "South", "Willhoit"]


@pytest.mark.parametrize("name", ["logistic", "exponential", "squared-hinge"])
def test_vermont_is_wrong_about_fay_and_willhoit(name: str) -> None:
    """PrefLib 00031-00000010: the differences are additive, the minimizer is wrong all the same."""
    witness = certified(name, VERMONT, NAMES)
    assert witness.verified.claim == "inconsistent"
    missed = {name for name, holds in witness.verified.conditions.items() if not holds}
    assert missed == {"strong-stochastic-transitivity", "bradley-terry", "auc"}
    assert witness.verified.failure == "strict"
    assert [(NAMES[i], NAMES[j]) for i, j in witness.wrong_pairs] == [("Willhoit", "Fay")]
    assert witness.scores[3] < witness.scores[1]
    assert witness.distribution.difference[3][1] == 25


def test_vermont_is_right_for_the_linear_loss() -> None:
    witness = certified("linear", VERMONT, NAMES)
    assert witness.verified.claim == "consistent-at-p"


def test_vermont_logistic_scores() -> None:
    witness = certified("logistic", VERMONT, NAMES)
    scores = [float(s) for s in witness.scores]
    mean = sum(scores) / 4
    assert scores[1] - mean == pytest.approx(-0.0703, abs=2e-2)
    assert scores[3] - mean == pytest.approx(-0.1156, abs=2e-2)


@pytest.mark.parametrize(
    ("name", "a"),
    [
        ("logistic", [[0, 1, 6], [0, 0, 2], [3, 0, 0]]),
        ("hinge", [[0, 1, 4], [0, 0, 1], [2, 0, 0]]),
        ("difference-square", [[0, 1, 0, 5], [0, 0, 5, 0], [0, 0, 0, 5], [0, 0, 0, 0]]),
        ("linear", [[0, 1, 0], [0, 0, 3], [0, 0, 0]]),
    ],
)
def test_known_counterexamples(name: str, a: list[list[int]]) -> None:
    assert verify(dict(certified(name, a).document)).claim == "inconsistent"


def test_unanimous_voters_are_ranked_rightly_though_nothing_is_attained() -> None:
    """The infimum of W is not attained, yet every wrong order is certainly worse."""
    p = Distribution.of(3, [(1, {(0, 1): 1, (1, 2): 1, (0, 2): 1})])
    for name in ("logistic", "exponential", "hinge"):
        witness = certify(surrogate(name), p)
        assert witness is not None, name
        assert witness.verified.claim == "consistent-at-p"


def test_what_was_just_made_is_compared_with_what_it_was_made_of() -> None:
    """Only the text of the graphs is not read back."""
    p, other = (Distribution.from_aggregate([[0, x, 0], [0, 0, 3], [0, 0, 0]]) for x in (1, 2))
    proof = certified("linear", [[0, 1, 0], [0, 0, 3], [0, 0, 0]]).document["proof"]
    assert sealed_witness(proof, graphs_entry(surrogate("linear"), p), {}, p).verified.about == p
    with pytest.raises(RejectedError, match="1 → 2 is stated as 1, but is 2"):
        sealed_witness(proof, graphs_entry(surrogate("linear"), other), {}, other)
    with pytest.raises(RejectedError, match="not that of the surrogate hinge"):
        sealed_witness(proof, graphs_entry(surrogate("hinge"), p), {}, p)


def test_cyclic_majorities_are_certified_by_several_half_spaces() -> None:
    witness = certified("difference-logistic", [[0, 8, 0], [0, 0, 2], [2, 0, 0]])
    assert witness.verified.claim == "inconsistent"
    assert not witness.verified.conditions["acyclic"]


@settings(max_examples=10)
@given(st.lists(st.integers(1, 6), min_size=6, max_size=6))
def test_what_is_certified_never_contradicts_itself_under_scaling(weights: list[int]) -> None:
    """Multiplying all weights by 3 changes no minimizer of an edge loss."""
    a = [[0, *weights[:2]], [weights[2], 0, weights[3]], [*weights[4:], 0]]
    verdicts = set()
    for factor in (1, 3):
        scaled = [[Fraction(x * factor) for x in row] for row in a]
        witness = certify(surrogate("exponential"), Distribution.from_aggregate(scaled))
        verdicts.add(None if witness is None else witness.verified.claim)
    assert len(verdicts) == 1


def test_a_risk_without_terms_proves_nothing() -> None:
    """Two preferences that balance: every order is optimal, and the differences have no edge."""
    assert certify(surrogate("difference-logistic"), Distribution.from_aggregate([[0, 1], [1, 0]])) is None


@pytest.mark.parametrize("weight", [700, 712, 10**6, 10**12, 10**400], ids=lambda x: f"{len(str(x))} digits")
@pytest.mark.parametrize("edges", [{(0, 1): 2, (1, 0): 1}, {(0, 1): 1, (0, 2): 5, (1, 2): 2, (2, 0): 2}])
def test_weights_beyond_floats_are_refused_with_the_reason(
    weight: int, edges: dict[tuple[int, int], int]
) -> None:
    """exp(712) is no float, but exp is asked for it where scores are still zero."""
    p = Distribution.single_edges({(i, j, x * weight): 1 for (i, j), x in edges.items()}, 3)
    with pytest.raises(UnsupportedError, match="too large for floats"):
        certify(surrogate("margin-exponential"), p)
    found = decide_profile(surrogate("margin-exponential"), p)
    assert found.verdict is Verdict.UNDECIDED
    assert "too large for floats" in found.reason


def test_weights_below_that_are_decided_still() -> None:
    p = Distribution.single_edges({(0, 1, 300): 1, (1, 0, 299): 1}, 2)
    assert decide_profile(surrogate("margin-exponential"), p).verdict is Verdict.CONSISTENT


def longest(m: int) -> Distribution:
    """Preferences both ways between all items, with the longest denominator that a file may have."""
    chosen, denominator = Random(1), 10**495 // 2 * 2 + 1
    a = [[Fraction(chosen.randrange(1, denominator), denominator) for _ in range(m)] for _ in range(m)]
    for i in range(m):
        a[i][i] = Fraction(0)
    return Distribution.from_aggregate(a)


@pytest.mark.parametrize(
    "name", ["hinge", "squared-hinge", "logistic", "margin-square", "linear", "regression"]
)
def test_the_longest_denominators_of_a_file_are_decided(name: str) -> None:
    """Exact minimizers of squares have numbers several times as long; then the others are rounded."""
    assert decide_profile(surrogate(name), longest(4)).verdict is not Verdict.UNDECIDED


def test_of_numbers_too_long_to_be_written_a_theorem_speaks() -> None:
    p = Distribution.from_aggregate([[0, Fraction(10**2100, 10**2100 + 1)], [Fraction(1, 7), 0]])
    with pytest.raises(UnsupportedError, match="an exact number came out that has more than 2000 digits"):
        certify("logistic", p)
    assert decide_profile("logistic", p).reason.startswith("the items are ordered by their wins less losses")
