"""Profiles that need a proof for the core: ties, several optimal orders, no minimizer, other names."""

import json
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import consistency_lab as lab
from consistency_lab import Distribution, Verdict, surrogate, surrogate_names
from consistency_lab.decide.profile import decide_profile

SEVERAL = [[0, 1, 1, 3], [3, 0, 2, 3], [2, 2, 0, 3], [1, 0, 4, 0]]
CONVEX = [name for name in surrogate_names() if not name.endswith(("sigmoid", "ramp"))]


def profile(name, a):
    return decide_profile(surrogate(name), Distribution.from_aggregate(a))


@pytest.mark.parametrize("name", ["square", "logistic"])
def test_several_optimal_orders_are_no_obstacle(name):
    """B, C, A, D and B, A, D, C cost the same here; the scores have the first order."""
    decision = profile(name, SEVERAL)
    assert decision.verdict is Verdict.CONSISTENT
    assert decision.witness.verified.every


def test_scores_far_apart_are_decided_too():
    """Margins of 16 and more: two graphs of probability 1/2 with this aggregate; strictly wrong."""
    decision = profile("margin-logistic", [[0, 8, 11], [7, 0, 9], [24, 4, 0]])
    assert decision.verdict is Verdict.INCONSISTENT
    assert decision.witness.verified.failure == "strict"


MANY = [
    ("margin-hinge", [[0, 5, 1, 2], [5, 0, 2, 0], [3, 3, 0, 0], [4, 3, 1, 0]]),
    ("margin-smoothed-hinge", [[0, 2, 3, 2], [5, 0, 0, 3], [0, 5, 0, 3], [2, 3, 3, 0]]),
]


@pytest.mark.long
@pytest.mark.parametrize(("name", "a"), MANY)
def test_of_many_minimizers_a_wrong_one_is_found(name, a):
    decision = profile(name, a)
    assert decision.verdict is Verdict.INCONSISTENT
    assert not decision.witness.verified.every


@settings(max_examples=15)
@given(
    st.sampled_from(CONVEX),
    st.lists(st.permutations(range(4)), min_size=3, max_size=5),
    st.permutations(range(4)),
    st.randoms(use_true_random=False),
)
def test_ballots_are_a_heap_whose_items_have_no_number(name, orders, sigma, random):
    graphs = [{(i, j): 1 for k, i in enumerate(order) for j in order[k + 1 :]} for order in orders]
    mixed = random.sample(graphs, len(graphs))
    p, q = (Distribution.of(4, [(Fraction(1, len(orders)), g) for g in some]) for some in (graphs, mixed))
    loss = surrogate(name)
    first = decide_profile(loss, p)
    for other in (q, p.restricted(sigma)):
        assert decide_profile(loss, other).verdict == first.verdict


def test_the_command_saves_a_proof_that_verify_and_show_read(cli, tmp_path):
    rows = [
        f"{a},{b},{SEVERAL[i][j]}"
        for i, a in enumerate("ABCD")
        for j, b in enumerate("ABCD")
        if SEVERAL[i][j]
    ]
    (tmp_path / "four.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    ran = cli("check logistic --profile four.csv --out out --json")
    assert (ran.code, ran.document["proof"]["every"]) == (0, True)
    (saved,) = (tmp_path / "out").glob("logistic-any-4items-*.json")
    ran = cli("verify", str(saved))
    assert ran.code == 0 and "proof: accepted, consistent-at-p (4 items)" in ran.said
    assert "named: pairwise-disagreement, logistic, any: recomputed and equal" in ran.said
    ran = cli("show", str(saved), "--details", "--plot", "orders.svg")  # its two orders
    assert ran.code == 0
    assert "Every order that ranks B above C, C above A and A above D is optimal" in ran.said
    assert lab.verify(json.loads(saved.read_text(encoding="utf-8"))) == lab.verify_file(saved)


def test_a_proof_of_consistency_leaves_a_file(cli, tmp_path):
    ran = cli("check linear --condition low-noise --out", str(tmp_path), "--json")
    assert ran.code == 0
    (path,) = tmp_path.glob("linear-low-noise-5items-*.json")
    assert json.loads(ran.out)["proofs"] == {"low-noise": str(path)}
    ran = cli("verify", str(path))
    assert (ran.code, "infeasible (405 systems)" in ran.said) == (0, True)
    assert "named: low-noise for 2 to 5 items, linear: recomputed and equal" in ran.said
    ran = cli("show", str(path), "--details")
    assert ran.code == 0 and "None of the 405 systems of inequalities has a solution." in ran.out
