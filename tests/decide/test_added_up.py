"""Ballots are added up where the aggregate tells all (docs/theory.md, Surrogate risks)."""

from fractions import Fraction
from random import Random

import pytest

from consistency_lab import Distribution, Profile, Verdict, read_profile, surrogate
from consistency_lab.certify.witness import certify
from consistency_lab.decide.certified import repairs
from consistency_lab.decide.profile import decide_design, decide_profile
from consistency_lab.errors import InputError
from consistency_lab.model.designs import schedule
from consistency_lab.model.surrogates import GraphSurrogate
from consistency_lab.model.surrogates.own import as_surrogate
from consistency_lab.numbers.phi import parse
from consistency_lab.show.profile import repair_sentence
from consistency_lab.solve.minimize import minimize

OF_AGGREGATE = ("logistic", "hinge", "difference-logistic", "linear", "regression")
NOT = ("margin-logistic", "margin-hinge")


def ballots(m, number, seed):
    rng = Random(seed)
    orders = [rng.sample(range(m), m) for _ in range(number)]
    graphs = [{(i, j): 1 for k, i in enumerate(o) for j in o[k + 1 :]} for o in orders]
    return Distribution.of(m, [(Fraction(1, number), graph) for graph in graphs])


@pytest.mark.parametrize("name", OF_AGGREGATE)
def test_the_minimizer_is_that_of_the_aggregate(name):
    loss, p = surrogate(name), ballots(5, 40, 1)
    assert loss.of_aggregate
    assert p.added_up.aggregate == p.aggregate and len(p.added_up.graphs) <= 2
    whole, small = (minimize(loss.risk_terms(q), 5).scores.tolist() for q in (p, p.added_up))
    assert small == pytest.approx(whole, abs=1e-7)


@pytest.mark.parametrize("name", NOT)
def test_a_margin_sees_the_single_ballots(name):
    """Two ballots of weights 1 and 3 ask for other margins than two of weight 2."""
    loss = surrogate(name)
    p = Distribution.of(2, [("1/4", {(0, 1): 1}), ("1/4", {(0, 1): 3}), ("1/2", {(1, 0): 1})])
    assert not loss.of_aggregate and not surrogate("logistic", h="a**2").of_aggregate
    assert loss.risk_terms(p) != loss.risk_terms(p.added_up)


def test_a_class_of_ones_own_is_never_added_up():
    """Whatever it says of itself: it may count ballots."""

    class Own(GraphSurrogate):
        name = "counts"
        functions = (parse("exp(-x)"),)
        of_aggregate = True

        def graph_terms(self, graph, m):
            return []

    assert not as_surrogate(Own()).of_aggregate


@pytest.mark.parametrize("name", OF_AGGREGATE)
@pytest.mark.parametrize("seed", [0, 2, 4])
def test_the_verdict_is_that_of_the_ballots_and_the_file_is_small(name, seed):
    p = ballots(4, 9, seed)
    decision = decide_profile(name, p)
    found = decision.witness
    assert decision.verdict is not Verdict.UNDECIDED
    by_ballots = certify(surrogate(name), p)
    if by_ballots is not None:
        assert (by_ballots.verified.claim == "inconsistent") is (decision.verdict is Verdict.INCONSISTENT)
    document = found.document
    graphs = document["named"]["graphs"]
    assert len(graphs) <= 2
    assert decision.notes == (
        f"{len(p.graphs)} different graphs are added up, since this loss depends only on their aggregate; "
        f"{len(graphs)} graph{'s replace' if len(graphs) == 2 else ' replaces'} them, in the file too",
    )
    assert decision.notes[0] in document["provenance"]["note"]


def test_equal_ballots_are_one_for_a_margin():
    up, down = {(0, 1): 1}, {(1, 0): 1}
    p = Distribution.of(2, [("1/5", up), ("1/5", up), ("1/5", up), ("2/5", down)])
    decision = decide_profile("margin-logistic", p)
    assert [graph["probability"] for graph in decision.witness.document["named"]["graphs"]] == ["3/5", "2/5"]
    assert decision.notes == ("of 4 graphs some are equal; 2 graphs replace them, in the file too",)
    few = Distribution.from_aggregate([[0, 2], [1, 0]])
    assert few.added_up is few and few.grouped is few
    assert decide_profile("logistic", few).notes == ()


# --- Orders proved by addition, tried first ---


def test_where_addition_decides_nothing_is_minimized(monkeypatch):
    def never(*_, **__):
        raise AssertionError("W was minimized")

    for place in ("certify.witness", "certify.minimizers", "decide.certified"):
        monkeypatch.setattr(f"consistency_lab.{place}.minimize", never)
    monkeypatch.setattr("consistency_lab.decide.certified.repairs", lambda *_: ())
    found = decide_profile("logistic", read_profile("san-francisco.csv"))
    assert found.verdict is Verdict.INCONSISTENT and found.witness is not None
    assert (found.witness.certificate, found.witness.scores) == ("addition", ())
    assert found.minimizers is not None and found.minimizers.attained and found.minimizers.every


def test_profiles_of_many_items_are_decided_by_addition():
    m = 24
    a = [[0 if i == j else 30 + j - i for j in range(m)] for i in range(m)]
    right = decide_profile("logistic", Distribution.from_aggregate(a))
    assert right.verdict is Verdict.CONSISTENT
    # All pairs meet 60 times, so net wins decide, and the last two have the same order as before.
    a[22][23], a[23][22] = 29, 31
    wrong = decide_profile("logistic", Distribution.from_aggregate(a))
    assert wrong.witness is not None and wrong.witness.certificate == "addition"
    assert (wrong.verdict, wrong.witness.wrong_pairs) == (Verdict.INCONSISTENT, ((23, 22),))
    near = decide_profile("squared-hinge", Distribution.from_aggregate(a)).witness
    assert near is not None and (near.inconsistent, near.certificate) == (True, "separation")


def test_weights_do_not_repair_vermont_and_net_preferences_do():
    """The difference graph is additive there, and P is not strongly transitive."""
    found = repairs(surrogate("logistic"), read_profile("vermont.toc").distribution)
    assert [(one.kind, one.surrogate.name, one.verdict) for one in found] == [
        ("loss", "difference-logistic", Verdict.CONSISTENT),
        ("loss", "linear", Verdict.CONSISTENT),
        ("balanced", "logistic", Verdict.INCONSISTENT),
        ("product", "logistic", Verdict.INCONSISTENT),
    ]


def test_where_all_are_right_the_difference_loss_is_named_first():
    """It mends 82 of 88 files, weights 1/n_ij mend 5 (docs/audit.md)."""
    found = repairs(surrogate("logistic"), Distribution.from_aggregate([[0, 2, 9], [1, 0, 1], [1, 0, 0]]))
    said = "right here: difference-logistic, linear, logistic with each pair weighted by 1/n_ij"
    assert repair_sentence(found) == said


def test_under_strong_transitivity_weights_repair():
    """131 comparisons, strongly transitive, at which the logistic loss is wrong; Theorem D, corollary 1."""
    p = Distribution.from_aggregate([[0, 3, 18, 13], [2, 0, 9, 26], [12, 6, 0, 21], [2, 4, 15, 0]])
    found = decide_profile("logistic", p)
    assert found.verdict is Verdict.INCONSISTENT
    weighted = {one.kind: one.verdict for one in found.repairs if one.kind != "loss"}
    assert weighted == dict.fromkeys(("balanced", "product"), Verdict.CONSISTENT)


def test_the_counts_of_vermont_could_mislead_under_every_condition_but_not_net_preferences():
    p = read_profile("vermont.toc")
    found = decide_design("logistic", p)
    assert [str(one.verdict) for one in found.answers] == ["INCONSISTENT"] * 3
    for one in found.answers:
        assert one.witness is not None and one.witness.fails_under(one.condition)
        n, k = (schedule(q.aggregate) for q in (one.witness.distribution, p.distribution))
        assert all(x * k[0][1] == n[0][1] * k[i][j] for i, row in enumerate(n) for j, x in enumerate(row))
    with pytest.raises(InputError, match="depends on more than the weights of edges"):
        decide_design("difference-logistic", p)


def test_counts_that_are_a_product_are_harmless_under_strong_transitivity():

    a = [[0, 2, 5, 3], [2, 0, 1, 5], [1, 5, 0, 1], [5, 3, 11, 0]]  # n_ij = w_i w_j with w = 2, 2, 3, 4
    found = decide_design("logistic", Profile.from_matrix(a), ["sst"])
    assert found.verdict is Verdict.CONSISTENT and "the design is product" in found.answers[0].reason
